// Package record records an exchange's public feed, Polymarket's first, and says
// what it missed.
//
// Rounds are found ahead of their start through the public metadata API,
// subscribed over WebSockets in shards, and followed until their outcome is
// official. Everything received goes, in the order of receipt and with the time
// at which it came off the socket, into files of the documented log format
// (docs/formats.md), which are cut at intervals; a file that is cut is handed to
// a Keeper, an archive as a rule, until that has taken it. So the archive may be
// away, and the recorder may crash: what was received is in files first.
//
// One goroutine, the log's, owns every file and knows of each token whether its
// book can be trusted. A gap is declared from the last sign of life of a
// connection that was lost until the next whole book of each of its tokens, for
// whatever reason it was lost: the exchange, the network, heartbeats that were
// not answered, or our own queue that was full. A step of the clock is a gap too.
package record
