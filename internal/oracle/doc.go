// Package oracle replays strategies a second time, naively, to check the engine.
//
// It was written from the replay rules alone, without reference to the engine:
// slices and maps, exact fractions of math/big for every amount and average,
// and no concern for speed. Each block states the rule it follows. It reads the
// captures as stored and does everything itself: the rule for mirrored pairs,
// sampling, instants, conditions, orders, refusals, fills, exits, settlement
// and fees.
//
// There are two ways to play. Run and Replay know one entry that takes and one
// exit that takes. PlayOne knows every order there is: what rests, several, on
// both tokens, sized from one purse. They were written apart and agree on what
// both know.
//
// The package also prints the ledgers of both engines as text for comparison.
// Package drawn draws what they are compared on. Only tests use both.
package oracle
