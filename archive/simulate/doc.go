// Package simulate generates synthetic up/down rounds that no exchange ever
// listed: seeded, and identical on every machine.
//
// In each round an underlying price moves at random; the fair value of Up is
// the probability that it ends at or above where it began. Makers quote a
// ladder around a value that follows the fair one with a lag and some noise:
// about one cent wide, some fifty levels per side, thinner towards the end.
// Takers trade against it. Some rounds have gaps, are only partly captured, or
// end with one side of the ladder empty. The outcome is where the underlying
// ended.
//
// In a fair simulation the fair value is a martingale that ends at the payout,
// makers know it exactly, and it always lies between best bid and best ask: a
// game that no strategy can win on average.
//
// Everything is computed in integers, and in float64 square roots and quotients
// that the standard defines to the last bit, so the same Config gives the same
// captures everywhere. The prices look like those of real rounds but prove
// nothing about them.
package simulate
