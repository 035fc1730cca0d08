package block

import (
	"github.com/ladderback/ladderback/market"
)

// Decoder reads blocks. The zero value is ready for Reset; a Decoder is meant
// to be reused, and allocates nothing once its buffers have grown. It is not
// safe for concurrent use.
type Decoder struct {
	// Token is what Capture.Token of every capture handed out is set to: the
	// token's index in its market. A block does not know it.
	Token int

	decoderState
}

// Reset makes d read the block in data, from its first capture. It checks the
// whole block, contents included: after it has returned nil, every capture can
// be read. Otherwise the error wraps ErrCorrupt or ErrVersion and the block
// has no captures. data is not kept.
func (d *Decoder) Reset(data []byte) error { return d.reset(data) }

// Header returns the header of the block.
func (d *Decoder) Header() Header { return d.header }

// Keyframe returns the token's ladder before the block's first capture, best
// first, when Header().Keyframe is true; otherwise both are nil. The slices are
// valid until the next Reset and must not be written to.
func (d *Decoder) Keyframe() (bids, asks []market.Level) { return d.keyframe() }

// Next returns the next capture, or nil after the last. The capture and its
// slices are valid until the next call of Next or Reset and must not be written
// to.
//
// The first KindBook of a block is handed out whole, with Replace set; later
// ones as the difference against the ladder that the captures before them in
// the block gave (Replace not set).
func (d *Decoder) Next() *market.Capture { return d.next() }

// Rewind makes Next start again from the block's first capture.
func (d *Decoder) Rewind() { d.pos = 0 }

// ReadHeader returns the header of the block in data without decoding or
// checking the rest; the checksum is not verified.
func ReadHeader(data []byte) (Header, error) { return readHeader(data) }
