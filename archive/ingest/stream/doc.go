// Package stream turns the messages of a file, whatever its format, into
// captures of markets: it finds and names markets and tokens, keeps a bounded
// number of them open, holds level changes against the best prices that the
// source states, and lets gaps and payouts wait until the tokens are known.
// A format is a Source of messages.
package stream
