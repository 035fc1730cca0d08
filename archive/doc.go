// Package archive stores captures of prediction markets together with what is
// known about the markets they belong to, and reads both back.
//
// An Archive works over a Store: the store handles SQL and bytes, while every
// rule is kept here, so that all stores give the same answers. The rules:
//
//   - Each imported file is a Source. What a source says about series, events
//     and markets is kept as its claims; what it captured, as blocks of its
//     own. Everything else is derived from the claims and blocks of the sources
//     present, in the same transaction. The archive is therefore a function of
//     its set of sources alone: the order of imports, their repetition and any
//     crashes along the way make no difference.
//   - Captures are immutable. Those of one market from one source become
//     visible together, along with the market's content hash.
//   - Captures of several sources are merged on reading, in receive order and
//     without duplicates.
package archive
