package store

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Documents of claims are small and much alike: a store keeps them compressed, each
// by itself, with what they have in common known beforehand, or many together. One
// that is plain JSON begins with a brace and is readable everywhere.

// common is what documents have in common, the most frequent last. It is part of
// the format: another one needs a number of its own.
const common = `{"authority":1,"venue":"simulated","slug":"` +
	`{"authority":3,"venue":"polymarket","venue_id":"0x","alt_id":"","slug":"bitcoin-up-or-down-","question":"Bitcoin Up or Down - ","description":"This market will resolve to \"Up\" if ` +
	`the Bitcoin price at the end of the time range specified in the title is greater than or equal to the price at the beginning of that range. Otherwise, it will resolve to \"Down\"."` +
	`,"category":"crypto","event_id":"","series_id":"","tags":["crypto","recurring","up-or-down"],"start":17,"end":17,"closed":true,"closed_at":17,"updated_at":17,` +
	`"tokens":[{"id":"","label":"Up","outcome":1,"key":},{"id":"","label":"Down","outcome":2,"key":}],"mirrored":true,"tick":100,"min_size":5000000,` +
	`"fees":{"rate":,"exponent":,"taker_only":true},"payout":{"basis":"official","fractions":[1000000,0]},"gaps":[{"token":0,"from":17,"to":17},{"token":1,"from":17,"to":17}]}` +
	`{"authority":2,"venue":"polymarket","slug":"btc-updown-5m-17","slug":"eth-updown-15m-17","tokens":[{"outcome":1},{"outcome":2}]` +
	`,"question":"Who will win in the upcoming tennis event  vs ","question":"Will  win by more than  points?","question":"Total runs over ?` +
	`,"question":"Will  record at least  hits + runs + RBIs in  vs ?",atc-aec-asc-tsc-astatc-mlb-nba-nfl-wta-atp-fifa-wc-wnba-hits-hrr-gte1-2026-08-2026-07-1` +
	`{"authority":2,"venue":"polymarket-us","slug":"a-2026-","tokens":[{"label":"Yes"},{"label":"No"}],"payout":{"basis":"inferred","fractions":[0,1000000]}}` +
	`{"authority":1,"venue":"polymarket-us","slug":"a-2026-","category":"sports","tokens":[{"label":"Yes","key":},{"label":"No"}]}` +
	`{"authority":2,"venue":"polymarket-us","slug":"a-2026-","question":"Will ","category":"sports","tokens":[{"label":"Yes"},{"label":"No"}],"payout":{"basis":"inferred","fractions":[1000000,0]}}`

const commonID = 1

// maxDoc bounds the size of a document, so that a damaged one cannot ask for
// more memory.
const maxDoc = 64 << 20

var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(commonID, []byte(common)), zstd.WithEncoderCRC(true),
		zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<16))
	if err != nil {
		panic(fmt.Sprintf("archive: compressor of documents: %v", err)) // of constants
	}
	return e
})

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(commonID, []byte(common)), zstd.WithDecoderMaxMemory(maxDoc),
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
