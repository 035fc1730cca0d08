package history

import (
	"slices"

	"github.com/ladderback/ladderback/market"
)

// Chunk is the time that a Mids spans. Chunks begin at its multiples since the
// epoch.
const Chunk = 5 * market.Minute

// chunkPoints is how many grid points a chunk has.
const chunkPoints = int(Chunk / Grid)

// noMid marks a grid point at which a book has no price. A mid is at most
// halfTicks.
const noMid uint16 = 1<<16 - 1

// Mids holds the price of every book of a market at every grid point of one
// chunk: what Prices needs from the captures, in a form that is cheap to keep
// and to read again. It does not say when the market is known. It is immutable
// and safe for concurrent use.
type Mids struct {
	books [][]uint16 // in half price units; of length 1: the same throughout
}

// Bytes returns the approximate memory footprint of m.
func (m *Mids) Bytes() int {
	n := 64
	for _, b := range m.books {
		n += 24 + 2*len(b)
	}
	return n
}

// ChunkOf returns the start of the chunk that t lies in.
func ChunkOf(t market.Instant) market.Instant { return floor(t, Chunk) }

// ReadMids reads n chunks, the first of which begins at from. The captures lead
// to the right prices from from on.
func ReadMids(m *market.Market, from market.Instant, n int, captures Captures) ([]*Mids, error) {
	s := newState(m)
	defer s.release()
	s.bare = true
	all := make([][]uint16, len(s.books))
	for i := range all {
		all[i] = make([]uint16, n*chunkPoints)
	}
	at, end := from, from+market.Instant(n)*Chunk
	hold := func(until market.Instant) {
		a, b := int((ceil(at, Grid)-from)/Grid), int((ceil(until, Grid)-from)/Grid)
		at = until
		if a >= b {
			return
		}
		for i := range s.books {
			v := noMid
			if mid, ok := s.books[i].mid(); ok {
				v = uint16(mid)
			}
			points := all[i][a:b]
			for k := range points {
				points[k] = v
			}
		}
	}
	for c, err := range captures {
		if err != nil {
			return nil, err
		}
		if c.Recv > end-Grid {
			break
		}
		if c.Recv > at {
			hold(c.Recv)
		}
		s.apply(c)
	}
	hold(end)
	out := make([]*Mids, n)
	for k := range out {
		out[k] = &Mids{books: make([][]uint16, len(all))}
		for i := range all {
			out[k].books[i] = shortest(all[i][k*chunkPoints : (k+1)*chunkPoints])
		}
	}
	return out, nil
}

// shortest returns a copy of points, of length 1 when all are the same.
func shortest(points []uint16) []uint16 {
	for _, v := range points {
		if v != points[0] {
			return slices.Clone(points)
		}
	}
	return []uint16{points[0]}
}

// sum adds up the prices of book i at the grid points a ≤ k < b that have one,
// and counts these.
func (m *Mids) sum(i, a, b int) (sum, n int64) {
	points := m.books[i]
	if len(points) == 1 {
		if points[0] == noMid {
			return 0, 0
		}
		return int64(points[0]) * int64(b-a), int64(b - a)
	}
	for _, v := range points[a:b] {
		if v != noMid {
			sum += int64(v)
			n++
		}
	}
	return sum, n
}

// points are the grid points start ≤ t < stop that a request asks for where the market is known;
// with stop ≤ start there are none.
func (r *Request) points() (start, stop market.Instant, err error) {
	if err := r.Window.Validate(); err != nil {
		return 0, 0, err
	}
	first := r.Window.First()
	if first >= r.Window.End {
		return 0, 0, nil
	}
	return max(first, ceil(r.Known.From, Grid)), ceil(min(r.Window.Stop(), r.Known.To), Grid), nil
}

// PricesOf is Prices from chunks, which it asks for in order by their start, as
// far as it gets. Exact and Seed of the request play no part.
func PricesOf(r Request, chunk func(from market.Instant) (*Mids, error), emit func(t market.Instant, p []int64) bool) error {
	start, stop, err := r.points()
	if err != nil {
		return err
	}
	res := r.Window.Resolution
	books := len(r.Market.Tokens)
	if r.Market.Mirrored {
		books = 1
	}
	p := pricer{mirrored: r.Market.Mirrored, sums: make([]int64, books), ns: make([]int64, books), out: make([]int64, len(r.Market.Tokens))}
	var m *Mids
	begin := market.Instant(0) // of m
	for at := start; at < stop; {
		bucket := floor(at, res)
		for end := min(stop, bucket+res); at < end; {
			if m == nil || at >= begin+Chunk {
				begin = ChunkOf(at)
				if m, err = chunk(begin); err != nil {
					return err
				}
			}
			upto := min(end, begin+Chunk)
			p.add(m, int((at-begin)/Grid), int((upto-begin)/Grid))
			at = upto
		}
		if !p.flush(bucket, emit) {
			return nil
		}
	}
	return nil
}

// pricer makes prices of sums over grid points.
type pricer struct {
	mirrored bool
	sums, ns []int64 // a book
	out      []int64 // a token
}

func (p *pricer) add(m *Mids, a, b int) {
	for i := range p.sums {
		sum, n := m.sum(i, a, b)
		p.sums[i] += sum
		p.ns[i] += n
	}
}

// flush hands the prices of the bucket at t to emit and begins anew. It returns
// what emit does.
func (p *pricer) flush(t market.Instant, emit func(t market.Instant, p []int64) bool) bool {
	any := false
	for i := range p.out {
		p.out[i] = None
		if i < len(p.ns) && p.ns[i] > 0 {
			p.out[i], any = meanOf(p.sums[i], p.ns[i], halfTicks), true
		}
	}
	if p.mirrored && p.out[0] != None {
		p.out[1] = int64(market.CashOne) - p.out[0]
	}
	clear(p.sums)
	clear(p.ns)
	return !any || emit(t, p.out)
}
