// Package lexicon turns a prompt into a lattice: everything that each run of
// its words may mean. It knows no grammar and looks at no context beyond the
// neighbours that make up a number.
//
// Phrases are text files under phrases/, grouped by what they are for. A line
// "CLASS key=value 'name':" opens a meaning, the phrases that have it follow,
// divided by bars. A phrase may have several meanings: all of them are in the
// lattice, and the grammar decides. A filler sets nothing; no number,
// comparator, negation, coin, token, time or order word may be one.
//
// Numbers are text too: phrases/numbers.txt has the words that they are made of,
// the forms in which they are written, and examples of each.
package lexicon
