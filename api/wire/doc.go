// Package wire has what the handlers of the API share: reading parameters and
// refusing them, the bodies of errors, content negotiation, encodings, cursors,
// and what the log says of a request. It knows no route and no archive.
package wire
