package scan

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Use is what captures are read for, and thus which of them may be left out.
type Use uint8

// Uses, each with what may be left out.
const (
	ForAll    Use = iota // nothing is left out
	ForPrices            // of the trades before from all but the last; metrics
	ForBooks             // trades and metrics
	ForReplay            // of the trades before from all but the last; of every trade all but receive time and price. The newest capture of each kind is there
)

// From yields captures of the row's market such that applying them in turn
// gives, at every instant from from on, the same book, quote, price and metrics
// as applying Captures. Those from before from serve only that purpose and need
// not be what Captures yields; one ladder among them may stand for several
// captures. Captures at to or later may be missing. Unless use does not need
// them, the trades before from add up to the same sum of price × size, under
// the same rules for counting. The cost does not depend on how much was
// captured before from. If the market's captures are no longer those that row
// summarises, the error is ErrChanged.
func From(ctx context.Context, s store.Store, row *store.MarketRow, from, to market.Instant, use Use) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		if err := capturesFrom(ctx, s, row, from, to, use, yield); err != nil {
			yield(nil, fmt.Errorf("captures of %s: %w", row.Market.VenueID, err))
		}
	}
}

func capturesFrom(ctx context.Context, s store.Store, row *store.MarketRow, from, to market.Instant, use Use, yield func(*market.Capture, error) bool) error {
	p, err := planAs(ctx, s, row)
	if err != nil {
		return err
	}
	return p.from(ctx, s, from, to, use, yield)
}

// from yields captures as From does.
func (p *plan) from(ctx context.Context, s store.Store, from, to market.Instant, use Use, yield func(*market.Capture, error) bool) (err error) {
	end := newSuffix(p, from, to, use)
	if len(end.ladders) == 1 {
		err = end.single(ctx, s, yield)
	} else {
		err = end.several(ctx, s, yield)
	}
	return p.blame(ctx, s, err)
}

// suffix is the end of a market's captures.
type suffix struct {
	*plan
	from    market.Instant
	lanes   [][]store.BlockRef // each in order of position
	start   []int              // index in each lane of the block to start with
	traded  []int64            // in each lane before that block, in units of 1e-10 USD
	skip    bool               // one capture of a lane may stand for all of it before from
	bare    bool               // of trades, receive time and price are enough
	ladders []int              // indices of the lanes with ladders
}

func newSuffix(p *plan, from, to market.Instant, use Use) *suffix {
	s := &suffix{plan: p, from: from}
	type laneKey struct {
		token  store.ID
		stream block.Stream
		source store.SourceID
		number int64
	}
	// With several sources every capture may bear on the order of those that
	// were received at the same time.
	if slices.ContainsFunc(p.refs, func(r store.BlockRef) bool { return r.Source != p.refs[0].Source }) {
		use = ForAll
	}
	s.skip, s.bare = use != ForAll, use == ForReplay
	at := map[laneKey]int{}
	for _, r := range p.refs {
		if r.First >= to || !use.needs(r.Stream) {
			continue
		}
		k := laneKey{r.Token, r.Stream, r.Source, r.Position >> 32}
		i, ok := at[k]
		if !ok {
			i = len(s.lanes)
			at[k] = i
			s.lanes = append(s.lanes, nil)
			if r.Stream == block.Books {
				s.ladders = append(s.ladders, i)
			}
		}
		s.lanes[i] = append(s.lanes[i], r)
	}
	s.start, s.traded = make([]int, len(s.lanes)), make([]int64, len(s.lanes))
	sums := s.tradesAdd()
	for i, lane := range s.lanes {
		slices.SortFunc(lane, func(x, y store.BlockRef) int { return cmp.Compare(x.Position, y.Position) })
		start := max(0, covering(lane, from))
		switch {
		case lane[0].Stream != block.Trades || use == ForPrices || use == ForReplay:
			s.start[i] = start
		case sums:
			s.start[i], s.traded[i] = start, traded(lane[:start])
			if s.traded[i] < 0 {
				s.start[i], s.traded[i] = 0, 0
			}
		}
	}
	return s
}

// tradesAdd reports whether what was traded up to any time is the sum of what
// the blocks of trades up to then say: none of their captures is in another, nor
// an entry for the same trade. The lanes may be in any order.
func (s *suffix) tradesAdd() bool {
	if !s.row.Stats.TradesOnce || slices.ContainsFunc(s.refs, func(r store.BlockRef) bool { return r.Source != s.refs[0].Source }) {
		return false
	}
	seen := map[int]bool{}
	for _, lane := range s.lanes {
		token := s.index[lane[0].Token]
		if lane[0].Stream == block.Trades && seen[token] {
			return false
		}
		seen[token] = seen[token] || lane[0].Stream == block.Trades
	}
	return true
}

// traded sums up BlockRef.Traded; −1: overflow.
func traded(lane []store.BlockRef) int64 {
	sum := int64(0)
	for i := range lane {
		if lane[i].Traded < 0 || sum > math.MaxInt64-lane[i].Traded {
			return -1
		}
		sum += lane[i].Traded
	}
	return sum
}

// before yields, for each lane whose trades are not read from the first, one
// trade that is worth as much as those left out: its size is what they come to
// at a price of one unit. It reports whether to go on.
func (s *suffix) before(yield func(*market.Capture) bool) bool {
	for i, lane := range s.lanes {
		if s.traded[i] == 0 {
			continue
		}
		c := &market.Capture{Token: s.index[lane[0].Token], Kind: market.KindTrade, Recv: lane[s.start[i]-1].Last}
		c.Trade = market.Trade{Price: 1, Size: market.Size(s.traded[i])}
		if !yield(c) {
			return false
		}
	}
	return true
}

// needs reports whether captures of the stream may not be left out.
func (u Use) needs(s block.Stream) bool {
	return u == ForAll || u == ForReplay || s == block.Books || s == block.Quotes || s == block.Trades && u == ForPrices
}

// covering returns the index of the last block of a lane that begins before t,
// or −1. One that begins at t does not have all captures of t: the block before
// it may end there.
func covering(lane []store.BlockRef, t market.Instant) int {
	i, _ := slices.BinarySearchFunc(lane, t, func(r store.BlockRef, t market.Instant) int { return cmp.Compare(r.First, t) })
	return i - 1
}

// refsFromStart returns the blocks to read: of each lane those from its start
// on, and, of streams whose captures do not each say everything, the last one
// before it of each thing that they say.
func (s *suffix) refsFromStart() []store.BlockRef {
	var out []store.BlockRef
	for i, lane := range s.lanes {
		start := s.start[i]
		if lane[0].Stream == block.Quotes || lane[0].Stream == block.Metrics {
			var seen store.Kinds
			for k := start - 1; k >= 0; k-- {
				if lane[k].Kinds&^seen != 0 {
					seen |= lane[k].Kinds
					out = append(out, lane[k])
				}
			}
		}
		out = append(out, lane[start:]...)
	}
	return out
}

// single yields the suffix of a market with one lane of ladders: from the block
// that from lies in, before which, when it does not begin with a whole ladder,
// comes the one that it carries.
func (s *suffix) single(ctx context.Context, blocks store.BlockReader, yield func(*market.Capture, error) bool) error {
	i := s.ladders[0]
	ref := &s.lanes[i][s.start[i]]
	if ref.Anchor == 0 {
		s.start[i] = 0 // nothing but changes before it
	}
	seq := s.sequence(blocks, s.refsFromStart(), false)
	for _, l := range seq.lanes {
		l.batch = 1
		if l.stream == block.Books && ref.Keyframe {
			l.keyframe, l.at = true, ref.Anchor
		}
		if s.skip && (l.stream == block.Books || l.stream == block.Trades) {
			l.skip = s.from
		}
		l.prices = s.bare && l.stream == block.Trades
		if l.prices && len(l.refs) == 1 {
			l.taped(&s.tapes)
		}
	}
	seq.heap()
	if !s.before(func(c *market.Capture) bool { return yield(c, nil) }) {
		return nil
	}
	view := newBookView(&s.row.Market, seq)
	return seq.run(ctx, func(c *market.Capture, l *lane) bool {
		if c = view.handOut(c, l); c == nil {
			return true
		}
		return yield(c, nil)
	})
}

// several yields the suffix of a market whose ladders come in several lanes. It
// goes back, ever further, until every book has had a whole ladder that counts
// before from.
func (s *suffix) several(ctx context.Context, blocks store.BlockReader, yield func(*market.Capture, error) bool) error {
	for step := 1; ; step *= 2 {
		if ok, err := s.anchored(ctx, blocks); err != nil {
			return err
		} else if ok {
			on := func(c *market.Capture) bool { return yield(c, nil) }
			if !s.before(on) {
				return nil
			}
			return s.run(ctx, blocks, on)
		}
		for _, i := range s.ladders {
			s.start[i] = max(0, s.start[i]-step)
		}
	}
}

// sureFrom returns, for each book, the time from which on what is read of the lanes, as they
// start now, tells of every ladder capture whether it counts; market.Earliest: always. The
// captures of a pair are at most PairLag apart. For that long after the first capture read,
// the first of a pair may stand before it, unread; and for as long again a second that was
// taken for a first may make one of the other token seem a second.
func (s *suffix) sureFrom() map[int]market.Instant {
	out := map[int]market.Instant{}
	for _, i := range s.ladders {
		book := s.book(s.index[s.lanes[i][0].Token])
		if _, ok := out[book]; !ok {
			out[book] = market.Earliest
		}
		if n := s.start[i]; n > 0 {
			out[book] = max(out[book], s.lanes[i][n].First+1+2*s.row.Stats.PairLag)
		}
	}
	return out
}

// anchored reports whether every book with ladder captures before from is read from its
// first one on, or has a whole ladder before from that surely counts.
func (s *suffix) anchored(ctx context.Context, blocks store.BlockReader) (bool, error) {
	missing := map[int]bool{}
	for book, at := range s.sureFrom() {
		if at != market.Earliest {
			missing[book] = true
		}
	}
	if len(missing) == 0 {
		return true, nil
	}
	err := s.run(ctx, blocks, func(c *market.Capture) bool {
		if c.Recv >= s.from {
			return false
		}
		if c.Kind == market.KindBook {
			delete(missing, s.book(c.Token))
		}
		return len(missing) > 0
	})
	return len(missing) == 0, err
}

func (s *suffix) book(token int) int {
	if s.row.Market.Mirrored {
		return 0
	}
	return token
}

// run yields what the lanes hold from where they start now. Ladder captures of a book before
// its first whole ladder that surely counts are left out: what they change is not known.
func (s *suffix) run(ctx context.Context, blocks store.BlockReader, yield func(*market.Capture) bool) error {
	seq := s.sequence(blocks, s.refsFromStart(), true)
	for _, l := range seq.lanes {
		l.batch = 1
		l.prices = s.bare && l.stream == block.Trades
	}
	view := newBookView(&s.row.Market, seq)
	view.mostLag = s.row.Stats.PairLag
	sure := s.sureFrom()
	return seq.run(ctx, func(c *market.Capture, l *lane) bool {
		book := s.book(c.Token)
		if at := sure[book]; c.IsLadder() && at != market.Earliest {
			if c.Kind != market.KindBook || c.Recv < at || !view.wouldCount(c) {
				view.counts(c)
				return true
			}
			sure[book] = market.Earliest
		}
		if c = view.handOut(c, l); c == nil {
			return true
		}
		return yield(c)
	})
}
