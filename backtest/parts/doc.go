// Package parts cuts a backtest or a sweep into chunks of markets, which can be
// replayed anywhere, in any order and more than once, and puts what they found
// together to the bytes that one process gives in one go.
//
// A Plan fixes what is replayed: the markets, in order, each with the hash of all
// that a replay reads of it. A market that is not the same when its chunk is
// replayed, or when the chunks are put together, is an error that names it.
package parts
