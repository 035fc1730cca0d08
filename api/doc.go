// Package api serves the archive and the backtest over HTTP: the routes of the
// interface, in JSON, read-only. Handlers are thin: they read parameters, ask
// the archive or the engine, and write what they are given. Errors leave
// through one table of codes.
package api
