// Package parser turns a trader's sentence into a strategy, or reports which
// phrase cannot be read and what to write instead.
//
// A prompt walks through the rooms below once, forward:
//
//	lexicon  text → a lattice of everything that each run of words may mean
//	grammar  the language as a table; chart, cheapest covers
//	meaning  items → one strategy: side, references, contradictions
//	rules    the answer: strategy, trace, or every obstacle with its remedy
//	model    a language model's answer, bounded and held against the chart
//
// The rules need no network, clock or random numbers: the same prompt always
// gives the same answer. If a language model is configured, its answer counts as
// far as the prompt bears it out; otherwise the rules' answer does.
package parser
