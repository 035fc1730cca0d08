package block

import (
	"fmt"
	"math"

	"github.com/ladderback/ladderback/market"
)

// Limits of a block. An Encoder keeps them; a Decoder refuses blocks beyond.
const (
	// MaxCaptures and MaxChanges bound Header.Captures and Header.Changes.
	MaxCaptures = 1 << 16
	MaxChanges  = 1 << 17
	// maxLevels bounds the levels of one capture or keyframe: every price of the
	// grid on both sides.
	maxLevels = 2 * (int(market.PriceOne) + 1)

	// fullCaptures and fullChanges are where a block is finished.
	fullCaptures = 1 << 12
	fullChanges  = 1 << 15
)

// entry is a capture without its levels.
type entry struct {
	kind       market.Kind
	whole      bool // Replace
	ord        uint32
	bids, asks int32 // how many levels
	recv, exch market.Instant
}

// content is what captures of the streams without ladders hold.
type content struct {
	quote  market.Quote
	trade  market.Trade
	metric market.Metric
}

// run is a block's content as plain values: what the columns are made of.
type run struct {
	entries  []entry
	levels   []market.Level // of all entries in order, bids before asks
	contents []content      // parallel to entries; streams other than Books, ticks
	keyBids  []market.Level
	keyAsks  []market.Level
}

func (r *run) clear() {
	r.entries, r.levels, r.contents = r.entries[:0], r.levels[:0], r.contents[:0]
	r.keyBids, r.keyAsks = r.keyBids[:0], r.keyAsks[:0]
}

type encoderState struct {
	options Options
	stream  Stream
	run     run
	count   int
	anchor  market.Instant // of the block

	known    bool // the ladder is that of the source
	knownAt  market.Instant
	lad      ladder
	hasWhole bool // the block holds a KindBook already
	keyframe bool
	raw      []byte
}

func newEncoder(s Stream, o Options) (*Encoder, error) {
	if s < Books || s > Metrics {
		return nil, fmt.Errorf("new encoder: stream %d: expected 1 to 4", s)
	}
	e := &Encoder{}
	e.options = o
	e.reset(s)
	return e, nil
}

func (e *encoderState) reset(s Stream) {
	e.stream, e.count, e.known, e.hasWhole, e.keyframe, e.anchor = s, 0, false, false, false, 0
	e.run.clear()
	e.lad.clear()
}

func (e *encoderState) add(c *market.Capture) error {
	if err := e.check(c); err != nil {
		return err
	}
	r := &e.run
	if e.count == 0 && e.stream == Books && c.Kind != market.KindBook && e.known {
		e.keyframe, e.anchor = true, e.knownAt
		r.keyBids = append(r.keyBids, e.lad.bids...)
		r.keyAsks = append(r.keyAsks, e.lad.asks...)
	}
	if e.count == 0 && c.Kind == market.KindBook {
		e.anchor = c.Recv
	}
	n := entry{kind: c.Kind, recv: c.Recv, exch: c.Exch, ord: c.Ord}
	before := len(r.levels)
	switch c.Kind {
	case market.KindBook:
		e.addBook(c, &n)
	case market.KindChange:
		r.levels = append(r.levels, c.Bids...)
		n.bids = int32(len(r.levels) - before)
		r.levels = append(r.levels, c.Asks...)
		n.asks = int32(len(r.levels)-before) - n.bids
		if e.known {
			e.lad.apply(c.Bids, c.Asks)
		}
	}
	r.entries = append(r.entries, n)
	r.contents = append(r.contents, content{c.Quote, c.Trade, c.Metric})
	e.count++
	return nil
}

func (e *encoderState) addBook(c *market.Capture, n *entry) {
	r := &e.run
	before := len(r.levels)
	bids, asks := c.Bids, c.Asks
	if !c.Replace {
		bids = merge(nil, e.lad.bids, bids, true)
		asks = merge(nil, e.lad.asks, asks, false)
	}
	if !e.hasWhole {
		n.whole = true
		r.levels = appendResting(r.levels, bids)
		n.bids = int32(len(r.levels) - before)
		r.levels = appendResting(r.levels, asks)
	} else {
		r.levels = diff(r.levels, e.lad.bids, bids, true)
		n.bids = int32(len(r.levels) - before)
		r.levels = diff(r.levels, e.lad.asks, asks, false)
	}
	n.asks = int32(len(r.levels)-before) - n.bids
	e.lad.set(bids, asks)
	e.hasWhole, e.known, e.knownAt = true, true, c.Recv
}

func (e *encoderState) check(c *market.Capture) error {
	if StreamOf(c.Kind) != e.stream {
		return fmt.Errorf("add %v at %v to stream %v: %w", c.Kind, c.Recv, e.stream, ErrCapture)
	}
	r := &e.run
	if e.count > 0 && c.Recv < r.entries[e.count-1].recv {
		return fmt.Errorf("add capture at %v after %v: %w", c.Recv, r.entries[e.count-1].recv, ErrOrder)
	}
	if c.Recv < 0 || c.Exch < 0 || c.Recv > math.MaxInt64/2 || c.Exch > math.MaxInt64/2 {
		return fmt.Errorf("add capture: times %d, %d: %w", c.Recv, c.Exch, ErrCapture)
	}
	if e.count >= MaxCaptures || len(r.levels)+len(c.Bids)+len(c.Asks)+len(e.lad.bids)+len(e.lad.asks) > MaxChanges {
		return fmt.Errorf("add capture at %v: block is full: %w", c.Recv, ErrCapture)
	}
	switch c.Kind {
	case market.KindBook, market.KindChange:
		if !ordered(c.Bids, true) || !ordered(c.Asks, false) {
			return fmt.Errorf("add %v at %v: levels not best first, or a price or size out of range: %w", c.Kind, c.Recv, ErrCapture)
		}
		if c.Kind == market.KindChange && c.Replace {
			return fmt.Errorf("add change at %v: Replace set: %w", c.Recv, ErrCapture)
		}
		if c.Kind == market.KindBook && !c.Replace && !e.known {
			return fmt.Errorf("add book at %v: a difference against an unknown ladder: %w", c.Recv, ErrCapture)
		}
	}
	return nil
}

func (e *encoderState) full() bool {
	return e.count >= fullCaptures || len(e.run.levels) >= fullChanges
}

func (e *encoderState) size() int { return 64 + 4*e.count + 3*len(e.run.levels) }
