package store

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Documents of claims are small and much alike: a store keeps them compressed, each
// by itself, with what they have in common known beforehand, or many together. One
// that is plain JSON begins with a brace and is readable everywhere.

// ClaimCoding is the number of the dictionary that documents are compressed with. It is
// part of the format: another dictionary needs another number.
const ClaimCoding = 2

// common is a dictionary that was trained on such documents by internal/claimdict.
//
//go:embed claims.dict
var common []byte

// maxDoc bounds the size of a document, so that a damaged one cannot ask for
// more memory.
const maxDoc = 64 << 20

var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderDict(common), zstd.WithEncoderCRC(true),
		zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<16))
	if err != nil {
		panic(fmt.Sprintf("archive: compressor of documents: %v", err)) // of constants
	}
	return e
})

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderDicts(common), zstd.WithDecoderMaxMemory(maxDoc),
		zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(fmt.Sprintf("archive: decompressor of documents: %v", err)) // of constants
	}
	return d
})

// PackDoc returns a document as it is kept by itself.
func PackDoc(doc []byte) []byte {
	if len(doc) == 0 || doc[0] != '{' {
		return doc
	}
	return packer().EncodeAll(doc, nil)
}

// PackDocs returns several documents, plain JSON without newlines, as they are kept
// together. An empty one keeps its place.
func PackDocs(docs [][]byte) []byte { return packer().EncodeAll(bytes.Join(docs, newline), nil) }

var newline = []byte{'\n'}

// PlainDoc returns the JSON of a document as stored. What is damaged is ErrDamaged.
func PlainDoc(doc []byte) ([]byte, error) {
	if len(doc) == 0 || doc[0] == '{' {
		return doc, nil
	}
	out, err := unpacker().DecodeAll(doc, nil)
	if err != nil {
		return nil, fmt.Errorf("claim of a source: %w: %w", ErrDamaged, err)
	}
	return out, nil
}

// PlainDocs is the reverse of PackDocs.
func PlainDocs(docs []byte) ([][]byte, error) {
	out, err := unpacker().DecodeAll(docs, nil)
	if err != nil {
		return nil, fmt.Errorf("claims of a source: %w: %w", ErrDamaged, err)
	}
	return bytes.Split(out, newline), nil
}
