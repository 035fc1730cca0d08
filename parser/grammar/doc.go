// Package grammar is the language of prompts as a table, and what reads a
// prompt by it: a bottom-up chart, packed by symbol, extent and meaning, and
// the cheapest covers of the prompt by items.
//
// The table is text, one file a topic under rules/. See rules/README.md for its
// form and for how to add a way of saying something.
//
// A prompt that nothing covers is read once more, without words that can change
// nothing where they stand; see [Parse.Again].
//
// The law of the engine: every number, comparator, negation, order word, token
// and time that an item has must have been consumed by a slot that goes into
// the object; an item with anything left is not built.
package grammar
