// Package block encodes captures of one token into blocks, and decodes them.
//
// A block is an immutable, compressed, checksummed run of the captures that
// one source gave of one token in one stream, in receive order. FORMAT.md
// documents it byte by byte. Blocks are what every store of an archive keeps,
// so they are read as untrusted input: a damaged block gives ErrCorrupt, never
// a panic and never more memory than MaxDecoderMemory.
package block
