// Package record records an exchange's public feed, starting with Polymarket's,
// and reports what it missed.
//
// Rounds are discovered before they start through the public metadata API,
// subscribed over WebSockets in shards, and followed until their outcome is
// official. Everything received is written, in order of receipt and with the
// time it came off the socket, to files in the documented log format
// (docs/formats.md). Files are rotated at intervals, and each finished file is
// offered to a Keeper, usually an archive, until the Keeper has taken it. So
// the archive may be unreachable and the recorder may crash: whatever was
// received is on disk first.
//
// One goroutine, the log's, owns every file and knows for each token whether
// its book can be trusted. When a connection is lost, a gap is declared from
// where it was last known to be whole until the next full book of each of its tokens,
// whatever the cause: the exchange, the network, unanswered heartbeats, or our
// own full queue. A clock step is a gap too.
package record
