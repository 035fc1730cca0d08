// Package market is the vocabulary of Ladderback: the types that every other
// package shares. It imports the standard library only.
//
// Quantities are integers with a fixed unit, so that the same captures give
// the same result on every machine:
//
//	Price    1e-4 USD per share   0..10000 on the price grid
//	Size     1e-6 share           ≥ 0
//	Cash     1e-6 USD             signed
//	Instant  1e-6 second          since 1970-01-01T00:00:00Z, no leap seconds
//
// Numbers are parsed and formatted exactly; nothing in this package goes
// through a float64, except where a function says so.
//
// # Data model
//
// Series → Event → Market → Token. A market has one token per outcome; its
// payout is what one share of each token is worth once the market is decided. A
// capture is one thing a recorder received about one token: a full ladder,
// level changes, a best quote, a trade, a price. Captures are ordered by
// receive time.
package market
