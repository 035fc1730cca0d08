// Package archive keeps captures of prediction markets and what is known of
// the markets they belong to, and hands both out again.
//
// An Archive works over a Store: SQL and bytes are the store's, every rule is
// here, so that all stores give the same answers. The rules:
//
//   - Each imported file is a Source. What a source says of series, events and
//     markets is kept as its claims, what it captured as blocks of its own.
//     Everything else is derived from the claims and blocks of the sources that
//     are there, in one transaction with them. The archive is therefore a
//     function of the set of its sources: not of the order in which they came,
//     how often, or what crashed on the way.
//   - Captures are immutable. Those of one market in one source become visible
//     together, with the market's content hash.
//   - Captures of several sources are merged on reading: in receive order,
//     equal ones once.
package archive
