// Package oracle replays strategies a second time, naively, to check the engine.
//
// It was written from the rules of replay alone, without a look at the engine:
// slices and maps, exact fractions of math/big for every amount and average, and
// no thought for speed. Each block says in words which rule it follows. It reads
// the captures as stored and does everything itself: the rule for mirrored
// pairs, sampling, instants, conditions, orders, refusals, fills, exits,
// settlement and fees.
//
// The package also generates small, nasty archives and strategies on which
// something happens, and writes ledgers of both engines as text to be compared.
// It is used by tests only.
package oracle
