// Package runs keeps requested backtests as a queue: each is a row in a table of
// states that any number of servers share through one database.
//
// A run is queued, then claimed by a Scheduler, which replays it and reports
// progress, and ends done, failed or cancelled. A claim is a lease: if a scheduler
// dies, its lease expires and another one starts the run over. A result is written in the
// statement that ends the run, so no run is done without one, and none has two.
//
// Runs belong to an organization; nobody else can find them. Their sentences are
// its secret: they are stored in the table and never appear in a log or an address.
package runs
