// Package stream turns the messages of a file, whatever its format, into
// captures of markets: it finds and names markets and tokens, keeps a bounded
// number of them open, checks level changes against the best prices the source
// states, and holds back gaps and payouts until the tokens are known. A format
// is a Source of messages.
package stream
