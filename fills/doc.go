// Package fills says what an order gets: it walks a ladder up or down, takes a
// quote or a price, settles what is left, and charges the fee in force at the
// venue on that date. It is pure and exact: integers in, integers out, with one
// rounding per leg, never in the trader's favour.
package fills
