// Package grammar is the language of prompts as a table, and what reads a
// prompt by it: a bottom-up chart, packed by symbol, extent and meaning, and
// the cheapest covers of the prompt by items.
//
// The table is text, one file a topic under rules/. See rules/README.md for its
// form and for how to add a way of saying something.
//
// What may be passed over is a table too, passes.txt: by what bounds it (a sentence,
// a clause, what is said before a rule, a word), and by its form. A prompt that is
// refused is read once more, without stories and, where nothing covers it, without
// words that can change nothing where they stand; see [Parse.Again].
//
// The law of the engine: every number, comparator, negation, order word, token
// and time that an item has must have been consumed by a slot that goes into
// the object; an item with anything left is not built.
package grammar
