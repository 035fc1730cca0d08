// Package parser turns a trader's sentence into a strategy, or says which
// phrase of it cannot be read and what could be said instead.
//
// The rules parser stands alone: it needs no network, no clock and no random
// numbers, and the same prompt always gives the same answer. It works in
// stages, each of which keeps the position of every code point:
//
//	text     the prompt in lower case and plain punctuation (normal.go)
//	tokens   words, numbers and symbols (scan.go)
//	lexemes  phrases of the vocabulary, numbers with their unit (lexer.go, number.go)
//	clauses  market, side, conditions, times, exits, money, sample (entry.go, clock.go, …)
//	meaning  one draft, checked for contradictions, made canonical (draft.go)
//
// Two screens look at the lexemes before anything is read: percentages, and
// values that do not belong to the market itself.
//
// Every word is accounted for. It is read into a field (a span of the trace),
// it is one of the listed fillers (ignored), or the prompt is refused and the
// refusal names it. Numbers, comparators, negations and order words are never
// fillers.
package parser
