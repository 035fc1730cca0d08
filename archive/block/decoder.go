package block

import (
	"encoding/binary"
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// fewCaptures is how many captures are read behind those that were passed over:
// usually one is enough, to see that it is later. Then they are twice as many each time.
const fewCaptures = 8

// Decoder reads blocks. The zero value is ready for Reset; a Decoder is meant
// to be reused, and allocates nothing per capture. It is not safe for
// concurrent use.
type Decoder struct {
	// Token is what Capture.Token of every capture handed out is set to: the
	// token's index in its market. A block does not know it.
	Token int
	// Prices leaves out the sizes of quotes and trades, and the sides of trades, which
	// are 0 then, in blocks that are opened from now on. Nothing is found wrong with
	// them either.
	Prices bool

	header  Header
	run     run
	in      reader
	capture market.Capture

	few     int // how many captures are read together next; 0: as many as may be
	at      int // entries handed out
	level   int // levels handed out
	content int // contents handed out
	err     error
}

// Reset makes d read the block in data from its first capture. It checks the
// entire block, contents included: once it has returned nil, every capture can
// be read. Otherwise the error wraps ErrCorrupt or ErrVersion, and d has no
// captures. data is not retained.
func (d *Decoder) Reset(data []byte) error {
	if err := d.Open(data); err != nil {
		return err
	}
	for len(d.run.entries) < d.header.Captures {
		if !d.more(market.Latest) {
			d.header = Header{}
			return d.err
		}
	}
	return nil
}

// Open is Reset for those who may not read all captures: it checks the checksum,
// the header and how the columns are packed, and leaves it to Next to make the
// captures, some at a time, and to find what is wrong with them.
func (d *Decoder) Open(data []byte) error {
	d.in.bare = d.Prices
	d.header, d.err = Header{}, nil
	d.run.clear()
	d.Rewind()
	n := len(data) - checksumSize
	if n >= headerSize && castagnoli(data[:n]) != checksumOf(data) {
		return fmt.Errorf("%w: checksum of %d bytes does not match", ErrCorrupt, len(data))
	}
	h, unit, err := parseHeader(data)
	if err != nil {
		return err
	}
	if err := d.in.open(&d.run, h, unit, data[headerSize:n]); err != nil {
		d.run.clear()
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	d.header = h
	d.Rewind()
	return nil
}

// more reads further captures, of those received before an instant, and reports
// whether it could.
func (d *Decoder) more(before market.Instant) bool {
	if d.err != nil {
		return false
	}
	most := together
	if d.few > 0 {
		most = d.few
		if d.few *= 2; d.few >= together {
			d.few = 0
		}
	}
	if err := d.in.more(&d.run, before, most); err != nil {
		d.run.clear()
		d.Rewind()
		d.err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return d.err == nil
}

// Err returns what was wrong with the captures of a block that was opened, once Next
// has returned nil; it wraps ErrCorrupt. Nil: nothing.
func (d *Decoder) Err() error { return d.err }

// Header returns the header of the block; it is zero after a failed Reset.
func (d *Decoder) Header() Header { return d.header }

// Keyframe returns the token's ladder before the block's first capture, best
// first, when Header().Keyframe is true; otherwise both are empty. The slices
// are valid until the next Reset and must not be written to.
func (d *Decoder) Keyframe() (bids, asks []market.Level) { return d.run.keyframe() }

// Next returns the next capture, or nil after the last, and where Err says that the
// block is damaged. The capture is valid
// until the next call of Next or Reset, its levels until the next Reset;
// neither may be written to.
//
// The first KindBook of a block is returned in full, with Replace set; later
// ones as the difference from the ladder that resulted from the captures before
// them in the block (Replace not set).
func (d *Decoder) Next() *market.Capture {
	if d.at >= len(d.run.entries) && (d.at >= d.header.Captures || !d.more(market.Latest)) {
		return nil
	}
	n := &d.run.entries[d.at]
	d.at++
	c := &d.capture
	c.Token, c.Kind, c.Recv, c.Exch, c.Ord = d.Token, n.kind, n.recv, n.exch, n.ord
	c.Replace = n.whole
	if d.header.Stream == Books {
		bids := d.level + int(n.bids)
		asks := bids + int(n.asks)
		c.Bids, c.Asks = d.run.levels[d.level:bids:bids], d.run.levels[bids:asks:asks]
		d.level = asks
		c.Trade.Price = 0
		if n.kind == market.KindTick {
			c.Trade = d.run.contents[d.content].trade
			d.content++
		}
		return c
	}
	v := &d.run.contents[d.content]
	d.content++
	switch d.header.Stream {
	case Trades:
		c.Trade = v.trade
	case Quotes:
		c.Quote, c.Trade = v.quote, v.trade
	default:
		c.Metric = v.metric
	}
	return c
}

// Skip moves a decoder whose block has been opened, and of which nothing has been
// read, behind the captures received before an instant. It returns the last of them,
// without levels; nil: there are none, or Err says that the block is damaged. What
// Ladder returns is the ladder behind them. Resets count for nothing: if all captures
// before the instant are resets, the last one is returned. Rewind does not lead back to
// what was passed over.
func (d *Decoder) Skip(before market.Instant) *market.Capture {
	d.in.ladders.bare = true
	defer func() { d.in.ladders.bare = false }()
	for d.at < d.header.Captures {
		if !d.more(before) {
			return nil
		}
		n := len(d.run.entries)
		if whole := n == d.in.timed; n > d.at {
			d.at = n
			if whole {
				continue
			}
		}
		break
	}
	if d.at == 0 {
		return nil
	}
	if d.few = fewCaptures; d.header.Stream != Books {
		d.at--
		d.content = d.at
		return d.Next()
	}
	ticks := 0
	d.level = len(d.run.levels)
	for i := range d.run.entries[:d.at] {
		if d.run.entries[i].kind == market.KindTick {
			ticks++
		}
	}
	d.content = ticks
	last := d.at - 1
	for last > 0 && d.run.entries[last].kind == market.KindReset {
		last--
	}
	n, c := &d.run.entries[last], &d.capture
	*c = market.Capture{Token: d.Token, Kind: n.kind, Recv: n.recv, Exch: n.exch, Ord: n.ord}
	return c
}

// Ladder returns the token's ladder behind the captures that Skip left behind, best
// first. It is known if the block has an anchor and Skip has found a capture, and until
// Next is called; the slices are the caller's until the next call.
func (d *Decoder) Ladder() (bids, asks []market.Level) { return d.in.ladders.resting(d.in.unit) }

// Rewind makes Next start again from the block's first capture.
func (d *Decoder) Rewind() {
	d.few, d.at, d.level, d.content = 0, 0, d.run.keyLevels, 0
	d.capture = market.Capture{}
}

// Length returns the length of the block at the start of data, by its header
// alone; 0: there is none.
func Length(data []byte) int {
	if len(data) < headerSize+checksumSize || data[0] != magic0 || data[1] != magic1 {
		return 0
	}
	return headerSize + int(binary.LittleEndian.Uint32(data[headerSize-4:])) + checksumSize
}
