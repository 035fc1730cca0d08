// Package derive turns what sources claim into the rows of an archive: it merges
// claims about the same series, event or market, resolves names to ids, gives
// tokens their places, and keeps the tallies. What it derives depends only on the
// claims and parts that are present, never on the order in which they arrived.
package derive
