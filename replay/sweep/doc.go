// Package sweep replays one strategy over ranges of its numbers in one pass over
// the captures, and says what the best of so many tries is worth: against the
// luck that the best of as many tries without an edge would have had, and by
// choosing on the past and trading what came next.
package sweep
