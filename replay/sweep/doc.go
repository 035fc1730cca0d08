// Package sweep replays one strategy over ranges of its numbers in one pass over
// the captures, and says what the best of so many tries is worth: compared with the
// luck of as many tries without an edge, and by a walk-forward that chooses on the
// past and trades what comes next.
package sweep
