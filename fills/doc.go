// Package fills says what an order gets: it walks a ladder up or down, takes a
// quote or a price, settles what is left, and charges the fee of the venue and
// date. It is pure and exact: integers in, integers out, one rounding per leg in
// the direction that does not flatter the trader.
package fills
