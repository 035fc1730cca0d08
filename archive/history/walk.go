package history

import (
	"errors"
	"iter"

	"github.com/ladderback/ladderback/market"
)

// Captures is a sequence of a market's captures in receive order, with the rule
// for mirrored pairs applied, that gives the whole state at the window's start:
// it begins at the first capture, or at one from which every ladder, quote and
// last trade at the start can be seen. Trades are there from the first: the
// volume is their sum.
type Captures = iter.Seq2[*market.Capture, error]

// Request is what one walk needs besides the captures.
type Request struct {
	Market *market.Market
	Window Window
	Known  Known
	Seed   Seed
	// Steps, if not nil, is told of the books of Books as they change, whose ladders have
	// then no levels. Of a mirrored pair there is one book, as the first token sees it; else
	// one a token. What changed is levels, their sizes zero where they are gone, or, where
	// whole is set, what stands now and nothing else. They are valid during the call.
	Steps func(book int, whole bool, bids, asks []market.Level)
	// Exact is from when on the captures lead to the right state; of those before
	// only what they add up to counts. It is at or before the window's first
	// bucket. Zero: they begin with the market's first.
	Exact market.Instant
}

// ErrSpread is returned by Metrics before anything was emitted, when the spread
// of the last two-sided grid point before Request.Exact is needed: LastSpread
// finds it, and Seed takes it.
var ErrSpread = errors.New("the spread before the window is required")

// None marks the value of a token that has none in a bucket.
const None int64 = -1 << 63

// Prices passes the prices of every bucket that has any to emit, in order: one
// per token, in units of 1e-6, None where there is none. The slice is valid
// only during the call. emit returns false to stop.
func Prices(r Request, captures Captures, emit func(t market.Instant, p []int64) bool) error {
	w := &walk{Request: r, state: newState(r.Market)}
	defer w.state.release()
	w.state.bare = true
	books := len(w.state.books)
	p := pricer{mirrored: w.state.mirrored, sums: make([]int64, books), ns: make([]int64, books), out: make([]int64, len(r.Market.Tokens))}
	w.add = func(n int64) {
		for i := range w.state.books {
			if mid, ok := w.state.books[i].mid(); ok {
				p.sums[i] += mid * n
				p.ns[i] += n
			}
		}
	}
	w.flush = func(t market.Instant) bool { return p.flush(t, emit) }
	return w.run(captures)
}

// Metric is one bucket of a market's metrics, in units of 1e-6 USD.
type Metric struct {
	Liquidity, Volume int64
	Spread            int64 // negative for crossed books
}

// Metrics passes the metrics of every bucket that has any to emit, in order. A
// bucket without a two-sided grid point carries forward the spread of the last
// one before it; there are no buckets before the first. emit returns false to
// stop. If that last grid point may lie before r.Exact and the seed does not
// give its spread, the error is ErrSpread; Seed.None says that there is none.
func Metrics(r Request, captures Captures, emit func(t market.Instant, m Metric) bool) error {
	w := &walk{Request: r, state: newState(r.Market)}
	defer w.state.release()
	var liquidity, volume wide
	var n, spreads, spreadN int64
	last, lastKnown := r.Seed.Spread, r.Seed.SpreadKnown
	unseen := !r.Seed.NoSpread && points(r.Known.From, r.Exact) > 0
	w.add = func(k int64) {
		n += k
		liquidity = liquidity.add(w.state.liquidity().times(k))
		volume = volume.add(w.state.traded().times(k))
		if s, ok := w.state.spread(); ok {
			spreads += int64(s) * k
			spreadN += k
			last, lastKnown = s, true
		}
	}
	w.before = func(k int64) {
		if s, ok := w.state.spread(); ok && k > 0 {
			last, lastKnown = s, true
		}
	}
	w.flush = func(t market.Instant) bool {
		more := true
		if n > 0 && lastKnown {
			m := Metric{Liquidity: liquidity.mean(n), Volume: volume.mean(n), Spread: int64(last) * 100}
			if spreadN > 0 {
				m.Spread = meanOf(spreads, spreadN, int64(market.PriceOne))
			}
			more = emit(t, m)
		} else if n > 0 && unseen {
			w.err, more = ErrSpread, false
		}
		liquidity, volume, n, spreads, spreadN = wide{}, wide{}, 0, 0, 0
		return more
	}
	return w.run(captures)
}

// Ladder is the book of one token at a bucket's last known grid point, best
// first on both sides. Known is false until something was captured from which
// it can be built; then both sides are empty.
type Ladder struct {
	Known      bool
	Bids, Asks []market.Level
}

// Books passes the books of every bucket that has any to emit, in order: one
// per token. A market that has only quotes gives ladders of one level, where
// the source gives its size. The slices are valid only during the call. emit returns false
// to stop.
func Books(r Request, captures Captures, emit func(t market.Instant, books []Ladder) bool) error {
	w := &walk{Request: r, state: newState(r.Market)}
	defer w.state.release()
	w.state.bare = true
	shown := shelf{state: w.state, out: make([]Ladder, len(r.Market.Tokens)), bare: r.Steps != nil}
	w.state.steps = r.Steps
	seen := false
	w.add = func(int64) { seen = true }
	w.flush = func(t market.Instant) bool {
		if !seen {
			return true
		}
		seen = false
		return shown.emit(t, emit)
	}
	return w.run(captures)
}

// shelf shows the books of a state as ladders.
type shelf struct {
	*state
	out    []Ladder // a token
	levels []market.Level
	bare   bool // without levels
}

// emit hands the ladders of the bucket at t to emit if any is known. It returns what emit
// does.
func (s *shelf) emit(t market.Instant, emit func(t market.Instant, books []Ladder) bool) bool {
	any := false
	s.levels = s.levels[:0]
	for i := range s.out {
		if b, flip := s.bookOf(i); s.bare {
			s.out[i].Known = b.known()
		} else if flip {
			s.levels = s.out[i].mirror(&s.out[0], s.levels)
		} else {
			s.levels = b.fill(&s.out[i], s.levels)
		}
		any = any || s.out[i].Known
	}
	return !any || emit(t, s.out)
}

// Top is the top of book of one token at a bucket's last known grid point. A side
// without a price is empty; a size of zero means that the source gives none.
// Known is false until a ladder or a quote was captured.
type Top struct {
	Known bool
	market.Quote
}

// Quotes passes the tops of book of every bucket that has any to emit, in order:
// one per token. Unlike Books it has the best prices of sources that give no
// sizes. The slice is valid only during the call. emit returns false to stop.
func Quotes(r Request, captures Captures, emit func(t market.Instant, tops []Top) bool) error {
	w := &walk{Request: r, state: newState(r.Market)}
	defer w.state.release()
	w.state.bare = true
	out := make([]Top, len(r.Market.Tokens))
	seen := false
	w.add = func(int64) { seen = true }
	w.flush = func(t market.Instant) bool {
		if !seen {
			return true
		}
		seen = false
		any := false
		for i := range out {
			b, flip := w.state.bookOf(i)
			out[i] = Top{b.known(), b.top}
			if flip {
				out[i].Quote = b.top.Mirror()
			}
			any = any || out[i].Known
		}
		return !any || emit(t, out)
	}
	return w.run(captures)
}

// fill writes the book as its own token sees it. The levels are appended to dst.
func (b *book) fill(l *Ladder, dst []market.Level) []market.Level {
	l.Known = b.known()
	from, at := len(dst), len(dst)
	switch {
	case b.hasLadder:
		dst = b.ladder.Append(dst, market.Bid)
		at = len(dst)
		dst = b.ladder.Append(dst, market.Ask)
	case b.hasQuote:
		if b.quote.Bid.Price != market.NoPrice && b.quote.Bid.Size > 0 {
			dst = append(dst, b.quote.Bid)
		}
		at = len(dst)
		if b.quote.Ask.Price != market.NoPrice && b.quote.Ask.Size > 0 {
			dst = append(dst, b.quote.Ask)
		}
	}
	l.Bids, l.Asks = dst[from:at:at], dst[at:len(dst):len(dst)]
	return dst
}

// mirror writes the book of the other token of a pair. The levels are appended to dst.
func (l *Ladder) mirror(of *Ladder, dst []market.Level) []market.Level {
	from, at := len(dst), len(dst)+len(of.Asks)
	for _, side := range [...][]market.Level{of.Asks, of.Bids} {
		for _, v := range side {
			dst = append(dst, market.Level{Price: v.Price.Mirror(), Size: v.Size})
		}
	}
	l.Known, l.Bids, l.Asks = of.Known, dst[from:at:at], dst[at:len(dst):len(dst)]
	return dst
}

// walk runs through captures and puts what holds between them into buckets.
type walk struct {
	Request
	state *state
	// add counts the state for n grid points of the current bucket.
	add func(n int64)
	// before, when not nil, is told that the state held for n known grid points
	// before the window.
	before func(n int64)
	// flush ends the bucket at t; it returns false to stop the walk.
	flush func(t market.Instant) bool
	err   error // why flush stopped the walk; nil: emit did
}

func (w *walk) run(captures Captures) error {
	if err := w.Window.Validate(); err != nil {
		return err
	}
	first := w.Window.First()
	if first >= w.Window.End {
		return nil
	}
	// stop is behind the last grid point that counts: a capture after that point
	// must not be seen.
	stop := ceil(min(w.Window.Stop(), w.Known.To), Grid)
	at := ceil(w.Known.From, Grid) // everything before has been counted
	for c, err := range captures {
		if err != nil {
			return err
		}
		if c.Recv > stop-Grid {
			break
		}
		if c.Recv > at {
			if !w.hold(at, c.Recv, first) {
				return w.err
			}
			at = c.Recv
		}
		if w.state.steps != nil {
			w.state.step(c)
		} else {
			w.state.apply(c)
		}
	}
	if max(at, first) >= stop || !w.hold(at, stop, first) {
		return w.err
	}
	// The bucket in which known time ends is not full.
	if stop%w.Window.Resolution != 0 {
		w.flush(floor(stop-Grid, w.Window.Resolution))
	}
	return w.err
}

// hold counts the state, which holds in [from, to), in the buckets from first
// on, and ends those that are full. It returns false when the walk stops.
func (w *walk) hold(from, to, first market.Instant) bool {
	if from < first {
		end := min(to, first)
		if w.before != nil {
			w.before(points(max(from, w.Exact), end))
		}
		from = end
	}
	res := w.Window.Resolution
	for at := ceil(from, Grid); at < to; {
		bucket := floor(at, res)
		end := min(to, bucket+res)
		w.add(points(at, end))
		at = ceil(end, Grid)
		if at >= bucket+res && !w.flush(bucket) {
			return false
		}
	}
	return true
}

// LastSpread returns the spread of the last two-sided grid point in [from, to)
// of a market, and whether there is one. The captures lead to the right state
// from from on.
func LastSpread(m *market.Market, known Known, from, to market.Instant, captures Captures) (spread market.Price, found bool, err error) {
	s := newState(m)
	defer s.release()
	s.bare = true
	at := ceil(max(from, known.From), Grid)
	stop := ceil(min(to, known.To), Grid)
	hold := func(until market.Instant) {
		if points(at, until) > 0 {
			if v, ok := s.spread(); ok {
				spread, found = v, true
			}
			at = until
		}
	}
	for c, err := range captures {
		if err != nil {
			return 0, false, err
		}
		if c.Recv > stop-Grid {
			break
		}
		hold(c.Recv)
		s.apply(c)
	}
	hold(stop)
	return spread, found, nil
}
