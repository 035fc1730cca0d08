// Package scan reads the blocks of a market back as captures in receive order:
// it merges streams and sources, drops duplicates, applies the rule for mirrored
// pairs, can begin at any instant, and reads ahead. It also computes what is kept
// about a market's captures: statistics and the content hash.
package scan
