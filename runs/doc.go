// Package runs keeps backtests that were asked for as work to be done: each has
// a row in a table of states, which any number of servers on one database share.
//
// A run is queued, then claimed by a Desk, which replays it and tells how far it
// is, and ends done, failed or cancelled. A claim is a lease: a desk that dies
// lets it lapse, and another takes the run up from the start. A result is written
// in the statement that ends the run, so that no run is done without one, and
// none has two.
//
// Runs belong to an organization; nobody else can find them. Their sentences are
// its secret: they stand in the table, in no log and no address.
package runs
