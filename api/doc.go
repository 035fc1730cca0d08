// Package api serves the archive and the backtest over HTTP: the routes of the
// interface, in JSON, read-only. Handlers are thin: they read parameters, query
// the archive or the engine, and write the result. One table maps errors to
// status codes. Routes of discovery are in api/lists, those of history in
// api/history; what all handlers share is in api/wire, keys, limits and accounts
// in identity.
package api
