// Package oracle replays strategies a second time, naively, to check the engine.
//
// It was written from the replay rules alone, without reference to the engine:
// slices and maps, exact fractions of math/big for every amount and average,
// and no concern for speed. Each block states the rule it follows. It reads the
// captures as stored and does everything itself: the rule for mirrored pairs,
// sampling, instants, conditions, orders, refusals, fills, exits, settlement
// and fees.
//
// The package also generates small, nasty archives and strategies that exercise
// them, and prints the ledgers of both engines as text for comparison. Only
// tests use it.
package oracle
