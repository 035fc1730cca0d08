// Package oracle replays strategies a second time, naively, to check the engine.
//
// It was written from the replay rules alone, without reference to the engine:
// slices and maps, exact fractions of math/big for every amount and average,
// and no concern for speed. Each block states the rule it follows. It reads the
// captures as stored and does everything itself: the rule for mirrored pairs,
// sampling, instants, conditions, orders, refusals, fills, exits, settlement
// and fees.
//
// Run samples and plays whole archives, Replay and PlayOne a round, PlayTogether
// the rounds that share a purse: one machine plays them all. Below it lie the
// amounts as fractions (exact), what a leg owes (fee), the strategy object as
// written (object), and what is known of a market as of an instant (seen).
//
// The package also prints the ledgers of both engines as text for comparison.
// Package drawn draws what they are compared on. Only tests use both.
package oracle
