package block

import (
	"errors"

	"github.com/ladderback/ladderback/market"
)

// Version is the version of the format, the only one that is written and read. There
// are no blocks of 1 and 2 but those of programs before the first release.
const Version = 3

// Stream is the kind of captures that a block holds.
type Stream uint8

// Streams. The numbers are part of the format: never change or reuse one.
const (
	Books   Stream = 1 // KindBook, KindChange, KindTick, KindReset
	Quotes  Stream = 2 // KindQuote, KindPrice
	Trades  Stream = 3 // KindTrade
	Metrics Stream = 4 // KindMetric
)

// Tops is the number under which stores keep what is derived of a market's
// books: no stream of captures, and no block has it.
const Tops Stream = 5

// StreamOf returns the stream that captures of kind k belong to, or 0 when k is
// not a kind of capture.
func StreamOf(k market.Kind) Stream {
	switch k {
	case market.KindBook, market.KindChange, market.KindTick, market.KindReset:
		return Books
	case market.KindQuote, market.KindPrice:
		return Quotes
	case market.KindTrade:
		return Trades
	case market.KindMetric:
		return Metrics
	}
	return 0
}

// String returns "books", "quotes", "trades" or "metrics".
func (s Stream) String() string {
	switch s {
	case Books:
		return "books"
	case Quotes:
		return "quotes"
	case Trades:
		return "trades"
	case Metrics:
		return "metrics"
	case Tops:
		return "tops"
	}
	return "unknown"
}

// Codec is the compression of a block's body.
type Codec uint8

// Codecs. The numbers are part of the format: never change or reuse one.
const (
	None   Codec = 0 // nothing is compressed
	Packed Codec = 1 // each column in the way that suits it: run, Huffman, zstd
)

// Errors of this package; the ones returned wrap them with what was found.
var (
	// ErrCorrupt: the bytes are no block that an Encoder wrote.
	ErrCorrupt = errors.New("damaged block")
	// ErrVersion: the block was written by a program with another version of the format.
	ErrVersion = errors.New("unknown block version")
	// ErrOrder: a capture was received before the one added last. The caller
	// may Finish, Reset and add it to a new block, which then knows no ladder.
	ErrOrder = errors.New("capture out of receive order")
	// ErrFull: the block is full and must be finished first.
	ErrFull = errors.New("block is full")
	// ErrCapture: the capture does not keep the rules of Encoder.Add.
	ErrCapture = errors.New("capture cannot be stored")
)

// Header describes the contents of a block. It is stored uncompressed at the
// start of the block.
type Header struct {
	Version uint8
	Codec   Codec
	Stream  Stream
	// First and Last are the receive times of the first and the last capture.
	First, Last market.Instant
	// Captures is how many captures the block holds, at least 1.
	Captures int
	// Changes is how many levels the Bids and Asks of its captures hold
	// altogether as the decoder hands them out. The keyframe is not counted.
	Changes int
	// Anchor is the receive time of the KindBook that the token's ladder at the
	// block's start rests on: First when the first capture is itself a KindBook,
	// that of an earlier block of the same source when Keyframe is true. Zero:
	// the ladder is unknown until the block's first KindBook, if it has one.
	// Always zero in streams other than Books.
	Anchor market.Instant
	// Keyframe says that the block carries the token's ladder as it was before
	// its first capture: true exactly when an earlier KindBook of the source is
	// known and the first capture is not itself a KindBook.
	Keyframe bool
}

// Limits of a block. An Encoder keeps them; a Decoder refuses blocks beyond.
const (
	// MaxCaptures bounds Header.Captures.
	MaxCaptures = 1 << 12
	// MaxChanges bounds Header.Changes: a block takes no more captures once it
	// has mostChanges, and a capture has at most every price on both sides.
	MaxChanges = mostChanges - 1 + maxLevels

	mostChanges  = 1 << 15
	fullChanges  = 1 << 13 // of a block, unless its ladder is long:
	levelChanges = 16      // for each level of the ladder that it begins with
	sideLevels   = int(market.PriceOne) + 1
	maxLevels    = 2 * sideLevels

	// maxInstant is the last second of the year 9999.
	maxInstant = market.Instant(253402300799) * market.Second
)

// Block is an encoded block.
type Block struct {
	Header Header
	// Data is the whole block, header and checksum included: what a store keeps
	// and Decoder.Reset takes.
	Data []byte
}
