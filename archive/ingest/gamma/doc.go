// Package gamma reads the exchange's own metadata as its Gamma service answers:
// markets and events as single objects, arrays, JSON lines of either, or a page
// object around them. Markets within events and events within markets are
// followed.
//
// Of a market that is closed, prices of exactly one 1 and otherwise 0, or of
// equal shares (a void market), are its official payout; other prices of closed
// markets are the last ones traded and say nothing.
package gamma
