package history

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// DepthSpan is the time that a Depth spans. Depths begin at its multiples since the
// epoch.
const DepthSpan = market.Minute

// Depth holds the ladders of every book of a market at every grid point of one span: what
// Books needs from the captures, in a form that takes two to three times the room of their
// blocks, and a sixth of the time to read again. It does not say when the market is known. It is
// immutable and safe for concurrent use.
//
// A book is a list of steps: how many grid points after the one before, how many bids
// (doubled, odd: the ladder is this one, whatever it was) and asks, which are uvarints, and
// these, each its price in two bytes, whose upper two bits say how many bytes its size takes
// (sizeBytes): hundredths of a share, or, if all eight, the size as it is. The first step is the
// whole ladder, as soon as it is known. After the last one are depthEnd bytes, so that eight can
// be read wherever a size begins.
type Depth struct{ books [][]byte }

const (
	cent      = market.SizeOne / 100 // a hundredth of a share
	priceBits = 14
	depthEnd  = 8
)

// The sizes of each number of bytes: how many, which bits of the eight read they are, and their
// unit.
var (
	sizeBytes = [4]int{1, 2, 3, 8}
	sizeMask  = [4]uint64{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<64 - 1}
	sizeUnit  = [4]market.Size{cent, cent, cent, 1}
)

// Bytes returns the approximate memory footprint of d.
func (d *Depth) Bytes() int {
	n := 64
	for _, b := range d.books {
		n += 24 + len(b)
	}
	return n
}

// depthOf writes the steps of one book.
type depthOf struct {
	steps []byte
	at    int // the grid point of the last step
}

func (d *depthOf) step(at int, whole bool, bids, asks []market.Level) {
	odd := uint64(0)
	if whole {
		odd = 1
	}
	d.steps = binary.AppendUvarint(d.steps, uint64(at-d.at))
	d.steps = binary.AppendUvarint(d.steps, uint64(len(bids))<<1|odd)
	d.steps = binary.AppendUvarint(d.steps, uint64(len(asks)))
	for _, side := range [...][]market.Level{bids, asks} {
		for _, l := range side {
			size, by := uint64(l.Size), 3
			if hundredths := size / uint64(cent); hundredths <= sizeMask[2] && l.Size%cent == 0 {
				size, by = hundredths, max(0, bits.Len64(hundredths)-1)/8
			}
			d.steps = binary.LittleEndian.AppendUint16(d.steps, uint16(l.Price)|uint16(by)<<priceBits)
			d.steps = binary.LittleEndian.AppendUint64(d.steps, size)
			d.steps = d.steps[:len(d.steps)-8+sizeBytes[by]]
		}
	}
	d.at = at
}

// ReadDepths reads n spans, the first of which begins at from. The captures lead to the
// right ladders from from on.
func ReadDepths(m *market.Market, from market.Instant, n int, captures Captures) ([]*Depth, error) {
	s := newState(m)
	defer s.release()
	s.bare = true
	books := make([]depthOf, len(s.books))
	var out []*Depth
	point := 0 // of the span that is written; beyond it: of the next, which begins with it
	s.steps = func(i int, whole bool, bids, asks []market.Level) {
		if len(out) > 0 && point < int(DepthSpan/Grid) {
			books[i].step(point, whole, bids, asks)
		}
	}
	// turn ends a span and begins the next with what stands.
	turn := func() {
		for i := range books {
			if len(out) > 0 {
				out[len(out)-1].books[i] = slices.Concat(books[i].steps, make([]byte, depthEnd))
			}
			books[i] = depthOf{steps: books[i].steps[:0]}
			if b := s.books[i]; b.known() {
				var l Ladder
				s.levels = b.fill(&l, s.levels[:0])
				books[i].step(0, true, l.Bids, l.Asks)
			}
		}
		if len(out) < n {
			out = append(out, &Depth{books: make([][]byte, len(books))})
		}
	}
	next, end := from, from+market.Instant(n)*DepthSpan
	for c, err := range captures {
		if err != nil {
			return nil, err
		}
		if c.Recv > end-Grid {
			break
		}
		for ; next < c.Recv; next += DepthSpan {
			turn()
		}
		point = int((ceil(c.Recv, Grid) - next + DepthSpan) / Grid)
		s.step(c)
	}
	for ; next <= end; next += DepthSpan {
		turn()
	}
	return out, nil
}

// depthReader reads the steps of one book.
type depthReader struct {
	steps  []byte
	at     int            // the grid point of the next step, unless there is none
	levels []market.Level // of a step
}

func (r *depthReader) begin(steps []byte) {
	r.steps, r.at = steps, 0
	r.at = int(r.number())
}

func (r *depthReader) number() uint64 {
	if v := r.steps[0]; v < 1<<7 { // most are
		r.steps = r.steps[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.steps)
	r.steps = r.steps[n:]
	return v
}

// advance passes on the steps up to a grid point.
func (r *depthReader) advance(to int, pass func(whole bool, bids, asks []market.Level)) {
	for len(r.steps) >= depthEnd && r.at <= to {
		head := r.number()
		bids, asks := int(head>>1), int(r.number())
		r.levels = slices.Grow(r.levels[:0], bids+asks)[:bids+asks]
		steps := r.steps
		for i := range r.levels {
			price := binary.LittleEndian.Uint16(steps)
			by := price >> priceBits
			size := binary.LittleEndian.Uint64(steps[2:]) & sizeMask[by]
			r.levels[i] = market.Level{Price: market.Price(price & (1<<priceBits - 1)), Size: market.Size(size) * sizeUnit[by]}
			steps = steps[2+sizeBytes[by]:]
		}
		r.steps = steps
		pass(head&1 != 0, r.levels[:bids], r.levels[bids:])
		r.at += int(r.number())
	}
}

// BooksOf is Books from depths, which it asks for in order by their start, as far as it
// gets and needs them. Exact and Seed of the request play no part.
func BooksOf(r Request, depth func(from market.Instant) (*Depth, error), emit func(t market.Instant, books []Ladder) bool) error {
	start, stop, err := r.points()
	if err != nil {
		return err
	}
	res := r.Window.Resolution
	s := newState(r.Market)
	defer s.release()
	readers := make([]depthReader, len(s.books))
	shown := shelf{state: s, out: make([]Ladder, len(r.Market.Tokens)), bare: r.Steps != nil}
	pass := r.Steps
	if pass == nil {
		pass = func(i int, whole bool, bids, asks []market.Level) {
			s.books[i].ladder.Apply(&market.Capture{Replace: whole, Bids: bids, Asks: asks})
		}
	}
	begin := market.Earliest // of what is read
	for at := start; at < stop; {
		bucket := floor(at, res)
		at = min(stop, bucket+res)
		last := at - Grid
		if from := floor(last, DepthSpan); from != begin {
			d, err := depth(from)
			if err != nil {
				return err
			}
			begin = from
			for i := range readers {
				readers[i].begin(d.books[i])
			}
		}
		for i := range readers {
			readers[i].advance(int((last-begin)/Grid), func(whole bool, bids, asks []market.Level) {
				s.books[i].hasLadder = true
				pass(i, whole, bids, asks)
			})
		}
		if !shown.emit(bucket, emit) {
			return nil
		}
	}
	return nil
}
