package block

import (
	"errors"
	"fmt"
	"sync"

	"github.com/ladderback/ladderback/archive/block/packing"
	"github.com/ladderback/ladderback/market"
)

// Options configure an Encoder. The zero value is the default.
type Options struct {
	// NoCompression leaves the body as it is, codec None. For tests and for
	// stores that compress by themselves.
	NoCompression bool
	// Changes is how many level changes a block takes, at most 32,768; zero: 8,192,
	// or 16 for each level of the ladder that it begins with, if those are more.
	Changes int
}

// Encoder turns the captures of one token, stream and source into blocks. The
// ladder carries over from block to block. An Encoder is not safe for
// concurrent use; it can be reused after Reset. It holds the ladder and the
// captures added since the last block; the other buffers for writing a block,
// some hundred KB, are shared by all encoders.
type Encoder struct {
	stream Stream
	plain  bool // nothing is compressed
	most   int  // level changes of a block; 0: as many as suit its ladder
	run    run

	last    market.Instant // receive time of the capture added last; 0: none yet
	ladder  ladder
	known   bool           // the ladder is that of the source
	knownAt market.Instant // the KindBook that it rests on
	diffs   ladder         // scratch: a whole ladder made of a difference

	// Of the block that is being filled:
	whole    bool // it holds a KindBook
	keyframe bool
	anchor   market.Instant
}

// NewEncoder returns an Encoder for stream s.
func NewEncoder(s Stream, o Options) (*Encoder, error) {
	if s < Books || s > Metrics {
		return nil, fmt.Errorf("new block encoder: stream %d: expected 1 to 4", s)
	}
	if o.Changes < 0 || o.Changes > mostChanges {
		return nil, fmt.Errorf("new block encoder: %d level changes: expected 0 to %d", o.Changes, mostChanges)
	}
	e := &Encoder{plain: o.NoCompression, most: o.Changes}
	e.Reset(s)
	return e, nil
}

// writer is what is needed while a block is written.
type writer struct {
	packer *packing.Packer
	out    columns
}

// writers are kept for the blocks to come.
var writers sync.Pool

func takeWriter() (*writer, error) {
	if w, ok := writers.Get().(*writer); ok {
		return w, nil
	}
	p, err := packing.NewPacker()
	return &writer{packer: p}, err
}

// Reset discards the ladder and any unfinished captures and makes e ready for
// another token or source in stream s.
func (e *Encoder) Reset(s Stream) {
	e.stream, e.known, e.last = s, false, 0
	e.ladder.clear()
	e.next()
}

// next makes e ready for the next block.
func (e *Encoder) next() {
	e.run.release()
	e.whole, e.keyframe, e.anchor = false, false, 0
}

// Add appends a capture. c and its slices are not kept.
//
// The capture must belong to the stream (ErrCapture) and its Recv must not
// precede that of the previous capture since Reset (ErrOrder). Times lie after
// 1970-01-01 and before the year 10000; Exch may be zero. Prices lie in [0,
// market.PriceOne]; sizes are not negative. Levels are sorted best first, with
// no price twice on a side. A KindBook is the full ladder with Replace set or,
// as returned by a Decoder, the difference from the previous ladder with
// Replace unset, in which case that ladder must be known; a KindChange never
// has Replace set. Anything else is ErrCapture; a full block is ErrFull. On
// error, e is unchanged.
//
// Levels of size zero in a full ladder, the size of a quote's empty side, and
// fields that have no meaning for the kind are not kept, nor is Token.
func (e *Encoder) Add(c *market.Capture) error {
	if err := e.check(c); err != nil {
		return err
	}
	if len(e.run.entries) == 0 && e.stream == Books {
		e.begin(c)
	}
	n := entry{kind: c.Kind, recv: c.Recv, exch: c.Exch, ord: c.Ord}
	r := &e.run
	r.grow()
	switch c.Kind {
	case market.KindBook:
		e.addBook(c, &n)
	case market.KindChange:
		r.levels = append(append(r.levels, c.Bids...), c.Asks...)
		n.bids, n.asks = int32(len(c.Bids)), int32(len(c.Asks))
		if e.known {
			e.ladder.apply(c.Bids, c.Asks)
		}
	case market.KindReset:
	default:
		r.contents = append(r.contents, contentOf(c))
	}
	r.entries = append(r.entries, n)
	e.last = c.Recv
	return nil
}

// begin notes what the ladder of a block rests on whose first capture is c.
func (e *Encoder) begin(c *market.Capture) {
	switch {
	case c.Kind == market.KindBook:
		e.anchor = c.Recv
	case e.known:
		e.keyframe, e.anchor = true, e.knownAt
		e.run.levels = append(append(e.run.levels, e.ladder.bids...), e.ladder.asks...)
		e.run.keyBidLevels, e.run.keyLevels = len(e.ladder.bids), len(e.run.levels)
	}
}

// addBook adds the levels of a KindBook: the first of a block whole, the others
// as differences.
func (e *Encoder) addBook(c *market.Capture, n *entry) {
	bids, asks := c.Bids, c.Asks
	if !c.Replace {
		e.diffs.set(e.ladder.bids, e.ladder.asks)
		e.diffs.apply(bids, asks)
		bids, asks = e.diffs.bids, e.diffs.asks
	}
	if !e.whole {
		e.ladder.clear()
	}
	r := &e.run
	before := len(r.levels)
	r.levels = AppendDiff(r.levels, e.ladder.bids, bids, true)
	n.bids = int32(len(r.levels) - before)
	r.levels = AppendDiff(r.levels, e.ladder.asks, asks, false)
	n.asks = int32(len(r.levels)-before) - n.bids
	n.whole = !e.whole
	e.ladder.set(bids, asks)
	e.whole, e.known, e.knownAt = true, true, c.Recv
}

// Len returns the number of captures added since the last Finish or Reset.
func (e *Encoder) Len() int { return len(e.run.entries) }

// Full reports whether the block has reached the size at which it must be
// finished: 4,096 captures, or the level changes of the Options. It depends only on
// the captures added since the last Finish or Reset and the ladder before them, so
// a caller that finishes exactly when Full is true, and at the end of the
// source, always splits the same captures the same way.
func (e *Encoder) Full() bool {
	n := len(e.run.levels) - e.run.keyLevels
	return len(e.run.entries) >= MaxCaptures || n > 0 && n >= e.full()
}

// full returns how many level changes the block takes.
func (e *Encoder) full() int {
	if e.most > 0 {
		return e.most
	}
	ladder := e.run.keyLevels
	if first := &e.run.entries[0]; first.whole {
		ladder = int(first.bids + first.asks)
	}
	return min(max(fullChanges, levelChanges*ladder), mostChanges)
}

// Finish encodes the captures added as a block, appending its bytes to dst
// (which may be nil), and makes e ready for the next block of the same source.
// The block's Data is the appended part. It fails if nothing was added.
func (e *Encoder) Finish(dst []byte) (Block, error) {
	if len(e.run.entries) == 0 {
		return Block{}, errors.New("finish block: nothing added")
	}
	h := Header{
		Version:  Version,
		Stream:   e.stream,
		First:    e.run.entries[0].recv,
		Last:     e.run.entries[len(e.run.entries)-1].recv,
		Captures: len(e.run.entries),
		Changes:  len(e.run.levels) - e.run.keyLevels,
		Anchor:   e.anchor,
		Keyframe: e.keyframe,
	}
	w, err := takeWriter()
	if err != nil {
		return Block{}, fmt.Errorf("finish block: %w", err)
	}
	defer writers.Put(w)
	p := w.packer
	if e.plain {
		p = nil
	} else {
		h.Codec = Packed
	}
	at := len(dst)
	dst = w.out.appendBlock(dst, h, &e.run, p)
	e.next()
	return Block{Header: h, Data: dst[at:len(dst):len(dst)]}, nil
}
