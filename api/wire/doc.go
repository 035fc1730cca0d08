// Package wire holds what the handlers of the API share: reading and refusing
// parameters, the bodies of errors, content negotiation, encodings, cursors, and
// the log entry of a request. It knows neither routes nor the archive.
package wire
