// Package block encodes the captures of one token into blocks and decodes them.
//
// A block is an immutable, compressed, checksummed run of the captures that one
// source gave for one token in one stream, in receive order. FORMAT.md
// documents the format byte by byte. Stores of every kind keep blocks, so
// blocks are read as untrusted input: a damaged block gives ErrCorrupt, never a
// panic, and a Decoder never takes more than 8 MiB of memory.
package block
