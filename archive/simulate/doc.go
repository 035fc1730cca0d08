// Package simulate makes up/down rounds that no exchange ever listed: seeded,
// synthetic and the same on every machine.
//
// In each round an underlying price moves at random; the fair value of Up is the
// chance that it ends at or above where it began. Makers quote a ladder around
// a value that follows the fair one with a lag and some noise: about one cent
// wide, some fifty levels a side, thinner towards the end. Takers trade against
// it. Some rounds have gaps, are captured in part only, or end with one side of
// the ladder empty. The outcome is where the underlying ended.
//
// In a fair simulation the fair value is a martingale that ends at the payout,
// makers know it exactly, and it always lies between best bid and best ask: a
// game that no strategy can win on average.
//
// Everything is computed in integers, and in square roots and quotients of
// float64 that the standard defines to the last bit, so the same Config gives
// the same captures everywhere. Prices look like those of real rounds, but they
// prove nothing about them.
package simulate
