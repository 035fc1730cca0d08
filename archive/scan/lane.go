package scan

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// A reader fetches at most batchBlocks blocks or batchBytes of one lane at a
// time.
const (
	batchBlocks = 16
	batchBytes  = 1 << 20
)

// lane is a run of blocks of one source, token and stream whose captures stand
// in receive order, none twice. A source has one lane per token and stream,
// and more where its receive times went backwards.
type lane struct {
	source store.SourceID
	stream block.Stream
	number int64 // of the lane within the source's token and stream
	key    store.ID
	token  int // index in Market.Tokens
	refs   []store.BlockRef
	next   int // index in refs of the next block to fetch

	head *market.Capture // nil: at the end, or not opened
	at   market.Instant  // receive time of head, or of the first capture to come
	open bool

	// keyframe: the ladder that the first block carries comes before its captures.
	keyframe bool
	// skip, when not zero, is an instant before which captures matter only by what they
	// lead to: one of the first block stands for those before it.
	skip market.Instant
	// prices: of its trades only receive time and price are asked for.
	prices bool
	// placed: refs have no more than place, length and checksum of the blocks; the rest is
	// taken from their headers.
	placed bool
	// tape, when not nil, has the trades of its one block, of which played have been handed
	// out. Where it is nil and tapes is not, it is made when the block is read.
	tape   *tape
	played int
	tapes  *tapes
	// sums, when not nil, are those of the block that is being read, which are compared
	// with its row.
	sums *blockSums
	// batch is how many blocks the next fetch takes; each takes twice as many as
	// the one before. Zero: as many as it may.
	batch int

	dec  *block.Decoder // nil: not opened
	raw  [][]byte       // fetched, not yet decoded
	from int            // index in refs of raw[0]
	// track keeps the token's whole ladder after head, which is needed as soon
	// as head cannot be handed out as a difference, or is hashed.
	track bool
	book  *market.Book   // that ladder; nil: it does not track, or has had none
	was   sides          // where head is a whole ladder: the one before it
	whole market.Capture // what complete returns
	sides                // its levels
}

// sides are the levels of a ladder, best first.
type sides struct{ bids, asks []market.Level }

// read makes s the ladder of a book.
func (s *sides) read(b *market.Book) {
	s.bids, s.asks = b.Append(s.bids[:0], market.Bid), b.Append(s.asks[:0], market.Ask)
}

// diff makes s what turns the ladder old into that of a capture that has it whole.
func (s *sides) diff(old *sides, c *market.Capture) {
	s.bids = block.AppendDiff(s.bids[:0], old.bids, c.Bids, true)
	s.asks = block.AppendDiff(s.asks[:0], old.asks, c.Asks, false)
}

// books keeps empty books for other lanes.
var books = sync.Pool{New: func() any { return new(market.Book) }}

// decoders keeps decoders, which hold tables and buffers, for the next sequence.
var decoders = sync.Pool{New: func() any { return new(block.Decoder) }}

func giveDecoder(d *block.Decoder) {
	d.Prices = false
	decoders.Put(d)
}

// buffers keeps buffers for the bytes of blocks.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// copyOf returns a copy of a block's bytes in a buffer that giveBack takes.
func copyOf(data []byte) []byte {
	return append((*buffers.Get().(*[]byte))[:0], data...)
}

func giveBack(b []byte) { buffers.Put(&b) }

// release gives back what the lanes hold. No capture that they handed out is
// used afterwards.
func release(lanes []*lane) {
	for _, l := range lanes {
		if l.dec != nil {
			giveDecoder(l.dec)
			l.dec, l.head = nil, nil
		}
		if l.book != nil {
			l.book.Clear()
			books.Put(l.book)
			l.book = nil
		}
		for _, b := range l.raw {
			if b != nil {
				giveBack(b)
			}
		}
		l.raw = nil
	}
}

// advance moves to the next capture. head is nil at the end.
func (l *lane) advance(ctx context.Context, blocks store.BlockReader) error {
	if l.tape != nil {
		l.play()
		return nil
	}
	if l.open {
		if c := l.dec.Next(); c != nil {
			l.setHead(c)
			return nil
		}
		if err := l.ended(&l.refs[l.from-1]); err != nil {
			return err
		}
	}
	for {
		if len(l.raw) == 0 {
			if l.next == len(l.refs) {
				l.head, l.open = nil, true
				return nil
			}
			if err := l.fetch(ctx, blocks); err != nil {
				return err
			}
		}
		ref := &l.refs[l.from]
		if err := l.openNext(ref); err != nil {
			return err
		}
		if l.from++; l.begins(ref) {
			return nil
		}
		if c := l.dec.Next(); c != nil {
			l.setHead(c)
			return nil
		}
		if err := l.ended(ref); err != nil {
			return err
		}
	}
}

// ended returns what is wrong with a block whose captures have all been read.
func (l *lane) ended(ref *store.BlockRef) error {
	if err := l.dec.Err(); err != nil {
		return damaged(ref, err)
	}
	if l.sums != nil {
		return l.sums.end(ref)
	}
	return nil
}

// begins moves to what comes before the captures of a block that was opened, or stands
// for some of them. It reports whether there is such a thing.
func (l *lane) begins(ref *store.BlockRef) bool {
	if l.tape != nil {
		l.play()
		return true
	}
	l.open, l.dec.Token = true, l.token
	switch {
	case l.skip != 0 && l.skipped(ref):
		return true
	case l.keyframe:
		l.keyframe = false
		l.whole = market.Capture{Token: l.token, Kind: market.KindBook, Recv: ref.Anchor, Replace: true}
		l.whole.Bids, l.whole.Asks = l.dec.Keyframe()
		l.setHead(&l.whole)
		return true
	}
	return false
}

// openNext lets the decoder read the first of the blocks that were fetched.
func (l *lane) openNext(ref *store.BlockRef) error {
	if l.dec == nil {
		l.dec = decoders.Get().(*block.Decoder)
		l.dec.Prices = l.prices
	}
	err := l.decode(ref, l.raw[0])
	giveBack(l.raw[0])
	l.raw[0] = nil
	l.raw = l.raw[1:]
	return err
}

// skipped moves to what stands for the captures of the first block before l.skip. It
// reports false, and has not moved, if there are none, or their ladder is not known.
func (l *lane) skipped(ref *store.BlockRef) bool {
	before := l.skip
	l.skip = 0
	if l.stream == block.Books && ref.Anchor == 0 {
		return false
	}
	c := l.dec.Skip(before)
	if c == nil {
		return false // damage is found when the next capture is asked for
	}
	if l.stream == block.Books {
		l.whole = market.Capture{Token: l.token, Kind: market.KindBook, Recv: c.Recv, Replace: true}
		l.whole.Bids, l.whole.Asks = l.dec.Ladder()
		if c.Kind == market.KindReset {
			l.whole.Recv = ref.Anchor
		}
		c, l.keyframe = &l.whole, false
		l.follow(c)
	}
	l.head, l.at = c, c.Recv
	return true
}

// setHead makes c the next capture of the lane.
func (l *lane) setHead(c *market.Capture) {
	l.head, l.at = c, c.Recv
	if l.sums != nil {
		l.sums.add(c)
	}
	l.follow(c)
}

// follow keeps the ladder behind c, and that before it if c is a whole one.
func (l *lane) follow(c *market.Capture) {
	if !l.track || !c.IsLadder() {
		return
	}
	if l.book == nil {
		l.book = books.Get().(*market.Book)
	}
	if c.Replace {
		l.was.read(l.book)
	}
	l.book.Apply(c)
}

// complete returns head with its whole ladder when it is a KindBook. The lane
// must track.
func (l *lane) complete() *market.Capture {
	if l.head.Kind != market.KindBook {
		return l.head
	}
	l.whole = *l.head
	l.read(l.book)
	l.whole.Replace, l.whole.Bids, l.whole.Asks = true, l.bids, l.asks
	return &l.whole
}

// difference returns head with no more of its ladder than what differs from that of the
// lane before it, when it is a KindBook. The lane must track.
func (l *lane) difference() *market.Capture {
	if l.head.Kind != market.KindBook || !l.head.Replace {
		return l.head
	}
	l.whole = *l.head
	l.diff(&l.was, l.head)
	l.whole.Replace, l.whole.Bids, l.whole.Asks = false, l.bids, l.asks
	return &l.whole
}

func (l *lane) fetch(ctx context.Context, blocks store.BlockReader) error {
	first, bytes, most := l.next, 0, batchBlocks
	if l.batch > 0 {
		most = min(most, l.batch)
		l.batch *= 2
	}
	for l.next < len(l.refs) && l.next-first < most && (l.next == first || bytes+l.refs[l.next].Bytes <= batchBytes) {
		bytes += l.refs[l.next].Bytes
		l.next++
	}
	l.from = first
	l.raw = make([][]byte, l.next-first)
	return blocks.ReadBlocks(ctx, l.refs[first:l.next], func(i int, data []byte) error {
		l.raw[i] = copyOf(data)
		return nil
	})
}

// decode opens a block, or makes a tape of it.
func (l *lane) decode(ref *store.BlockRef, data []byte) error {
	if l.placed {
		return locate(l.dec, ref, data)
	}
	if err := decode(l.dec, ref, data); err != nil || l.tapes == nil {
		return err
	}
	t, err := tapeOf(l.dec, ref)
	if err != nil {
		return err
	}
	l.tapes.put(ref, t)
	l.tapes = nil
	if t.unfit {
		return decode(l.dec, ref, data)
	}
	l.tape = t
	return nil
}

// decode checks a block's bytes against its row and makes d read it, as far as it is
// asked to: half of a block in which somebody looks for an instant is never read.
func decode(d *block.Decoder, ref *store.BlockRef, data []byte) error {
	if err := openBlock(d, ref, data); err != nil {
		return err
	}
	h := d.Header()
	if h.First != ref.First || h.Last != ref.Last || h.Captures != ref.Captures || h.Changes != ref.Changes ||
		h.Stream != ref.Stream || h.Anchor != ref.Anchor || h.Keyframe != ref.Keyframe || h.Version != ref.Version {
		return damaged(ref, errors.New("row and header differ"))
	}
	return nil
}

// locate is decode for a block of which no more is known than where it is. It sets the
// rest of ref.
func locate(d *block.Decoder, ref *store.BlockRef, data []byte) error {
	if err := openBlock(d, ref, data); err != nil {
		return err
	}
	h := d.Header()
	if h.First != ref.First || h.Stream != ref.Stream {
		return damaged(ref, errors.New("row and header differ"))
	}
	ref.Last, ref.Captures, ref.Changes = h.Last, h.Captures, h.Changes
	ref.Anchor, ref.Keyframe, ref.Version = h.Anchor, h.Keyframe, h.Version
	return nil
}

func openBlock(d *block.Decoder, ref *store.BlockRef, data []byte) error {
	if len(data) != ref.Bytes || store.Checksum(data) != ref.Checksum {
		return damaged(ref, errors.New("checksum differs"))
	}
	if err := d.Open(data); err != nil {
		if errors.Is(err, block.ErrVersion) {
			return fmt.Errorf("%v: %w: %w", ref, store.ErrBlockVersion, err)
		}
		return damaged(ref, err)
	}
	return nil
}

func damaged(ref *store.BlockRef, err error) error {
	return fmt.Errorf("%v: %w: %w", ref, store.ErrDamaged, err)
}
