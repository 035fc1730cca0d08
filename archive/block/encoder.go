package block

import (
	"github.com/ladderback/ladderback/market"
)

// Options say how an Encoder writes. The zero value is the default.
type Options struct {
	// NoCompression leaves the body as it is, codec None. For tests and for
	// stores that compress by themselves.
	NoCompression bool
}

// Encoder turns the captures of one token, stream and source into blocks. The
// ladder is kept from block to block. An Encoder is not safe for concurrent
// use; it can be reused after Reset and keeps its buffers.
type Encoder struct {
	encoderState
}

// NewEncoder returns an Encoder for stream s.
func NewEncoder(s Stream, o Options) (*Encoder, error) { return newEncoder(s, o) }

// Reset forgets captures that were added and not finished, and the ladder, and
// makes e ready for another token or source in stream s.
func (e *Encoder) Reset(s Stream) { e.reset(s) }

// Add appends a capture. c and its slices are not kept.
//
// The capture must belong to the stream and its Recv must not be before that
// of the one added last (ErrOrder). Ladder captures have levels best first, no
// price twice on a side, sizes ≥ 0, prices in [0, market.PriceOne]; a KindBook
// is the whole ladder with Replace set, or, as a Decoder hands it out, without
// Replace the difference against the ladder before it, which must then be
// known; a KindChange has no Replace. Levels of size zero in a whole ladder say
// nothing and are not kept. Token is not stored. Anything else is ErrCapture,
// and e is as it was before the call.
func (e *Encoder) Add(c *market.Capture) error { return e.add(c) }

// Len returns how many captures were added since the last Finish or Reset.
func (e *Encoder) Len() int { return e.count }

// Size estimates the bytes that Finish would give now.
func (e *Encoder) Size() int { return e.size() }

// Full reports whether the block has reached the size at which it should be
// finished. It depends on the captures added since the last Finish or Reset
// and the ladder before them alone, so that the same captures are always cut
// in the same way. A caller that finishes exactly when Full is true, and at
// the end of the source, gets deterministic blocks.
func (e *Encoder) Full() bool { return e.full() }

// Finish encodes what was added as a block, appending its bytes to dst (which
// may be nil), and makes e ready for the next block of the same source. The
// block's Data is the appended part. It fails when nothing was added.
func (e *Encoder) Finish(dst []byte) (Block, error) { return e.finish(dst) }
