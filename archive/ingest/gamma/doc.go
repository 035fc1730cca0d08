// Package gamma reads the exchange's own metadata as returned by its Gamma
// service: markets and events as single objects, arrays, JSON lines of either,
// or wrapped in a page object. Markets nested in events and events nested in
// markets are read too.
//
// For a closed market, prices that are exactly one 1 and otherwise 0, or all
// equal shares (a void market), are its official payout; any other prices are
// those of the last trades and say nothing.
package gamma
