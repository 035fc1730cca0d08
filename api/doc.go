// Package api serves the archive and the backtest over HTTP: the routes of the
// interface, in JSON, read-only. Handlers are thin: they read parameters, ask
// the archive or the engine, and write what they are given. Errors leave
// through one table of codes. The history routes are answered by package
// api/history; what all handlers share is in api/wire, keys and limits are in
// api/access.
package api
