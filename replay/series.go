package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
	"github.com/ladderback/ladderback/replay/tape"
)

// Series is what type price of the tokens of a round was, from before its start to its
// end. It belongs to Follow, which gives it back; not safe for concurrent use.
type Series struct {
	round *market.Round
	tape  *tape.Tape
	past  [][]skim.Price // a frame: from each change on; one of a mirrored round
	// silences are the spans, [from, to), that lie longer behind a ladder's capture than one
	// stays fresh, in order. Of a round read by its tops they are looked up as asked for.
	silences [][2]market.Instant
	source   source // of the tops; nil: all captures have been read
	ctx      context.Context
}

// Follow calls visit with the prices of each round of the sample for which wanted, where it
// is not nil, says so. The calls come from several goroutines, in no order; the first error
// ends them. Nothing after an instant has a part in what a series says of it.
func (s *Sample) Follow(ctx context.Context, src Source, p Parallel, wanted func(round int) bool, visit func(round int, x *Series) error) error {
	planned := s.planFor(src)
	err := s.each(ctx, p, func(ctx context.Context, e *engine, i int) error {
		if wanted != nil && !wanted(i) {
			return nil
		}
		round := &s.Rounds[i]
		if err := e.series(ctx, planned, round, func(x *Series) error { return visit(i, x) }); err != nil {
			return fmt.Errorf("market %s: %w", round.Market.VenueID, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("follow prices: %w", err)
	}
	return nil
}

// series reads the prices of a round, by its tops where those are known.
func (e *engine) series(ctx context.Context, src plannedSource, round *market.Round, visit func(x *Series) error) error {
	m := round.Market
	x := &Series{round: round, tape: &e.tape, ctx: ctx}
	if m.Mirrored && len(m.Tokens) == 2 {
		known, err := src.known(ctx, m)
		if err != nil {
			return err
		}
		if known != nil {
			defer known.Close()
			e.tape.Load(round, false)
			x.source, x.past = known, [][]skim.Price{known.Past()}
			if err := known.Err(); err != nil {
				return err
			}
			return visit(x)
		}
	}
	e.tape.Load(round, true)
	if err := x.read(src); err != nil {
		return err
	}
	return visit(x)
}

// read reads all captures of the round up to its end.
func (x *Series) read(src Source) error {
	m, at, open := x.round.Market, market.Earliest, false
	collect := func() {
		if open {
			x.tape.Refresh()
			x.tape.Remember(at)
		}
	}
	for c, err := range src.Captures(x.ctx, m) {
		if err == nil {
			err = c.Follows(at, m)
		}
		if err != nil {
			return err
		}
		if c.Kind == market.KindReset {
			continue // says something about the recorder, nothing about the market
		}
		if c.Recv >= m.End {
			break
		}
		if c.Recv != at {
			collect()
			x.silent(at, c.Recv)
			at, open = c.Recv, true
		}
		x.tape.Apply(c)
	}
	collect()
	x.silent(at, m.End)
	for _, f := range x.tape.Frames {
		x.past = append(x.past, f.Past)
	}
	return x.ctx.Err()
}

// silent notes that nothing was captured between two instants. What is no ladder stays
// fresh, as it does for orders.
func (x *Series) silent(from, to market.Instant) {
	ladder := false
	for i := range x.tape.Views {
		ladder = ladder || x.tape.Views[i].Stream == tape.LadderStream
	}
	if fresh := from + staleLadder; ladder && fresh < to {
		x.silences = append(x.silences, [2]market.Instant{fresh + 1, to})
	}
}

// Mid returns type price of a token as it was known at an instant, which lies before the
// end; NoMid: it was not.
func (x *Series) Mid(token int, at market.Instant) market.Mid {
	past, mirror := x.of(token)
	if i := upTo(past, at); i > 0 {
		return sided(past[i-1].Price, mirror)
	}
	return market.NoMid
}

// Extremes returns the lowest and the highest type price of a token that was known from one
// instant to another, both included, which lie before the end; NoMid: none was.
func (x *Series) Extremes(token int, from, to market.Instant) (low, high market.Mid) {
	past, mirror := x.of(token)
	low, high = market.NoMid, market.NoMid
	for _, p := range past[max(0, upTo(past, from)-1):upTo(past, to)] {
		v := sided(p.Price, mirror)
		switch {
		case v == market.NoMid:
		case low == market.NoMid:
			low, high = v, v
		default:
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// InGap reports whether an instant lies in a gap of a token that the source declares.
func (x *Series) InGap(token int, at market.Instant) bool { return x.tape.InGap(token, at) }

// Fresh reports whether the price at an instant, which lies before the end, was no staler
// than an order may find a ladder by default. Prices and quotes without ladders stay fresh.
func (x *Series) Fresh(at market.Instant) (bool, error) {
	if x.source == nil {
		i, _ := slices.BinarySearchFunc(x.silences, at, func(s [2]market.Instant, at market.Instant) int {
			return cmp.Compare(s[1], at+1)
		})
		return i == len(x.silences) || at < x.silences[i][0], nil
	}
	past := x.past[0]
	if i := upTo(past, at); i > 0 && at-past[i-1].At <= staleLadder {
		return true, nil // something was captured since
	}
	if top := x.source.By(at); top == nil || !top.Known() || at-top.At <= staleLadder {
		return true, x.source.Err()
	}
	last := market.Earliest
	for c, err := range x.source.Captures(x.ctx, at-staleLadder, false) {
		if err != nil {
			return false, err
		}
		if c.Recv > at {
			break
		}
		if c.Kind != market.KindReset {
			last = c.Recv
		}
	}
	return at-last <= staleLadder, nil
}

// staleLadder is how long a ladder stays fresh by default.
const staleLadder = defaultStaleMS * market.Millisecond

// of returns the prices of a token's frame, and whether it is the mirror of it.
func (x *Series) of(token int) (past []skim.Price, mirror bool) {
	if len(x.past) == 1 {
		return x.past[0], token == 1
	}
	return x.past[token], false
}

func sided(p market.Mid, mirror bool) market.Mid {
	if mirror {
		return p.Mirror()
	}
	return p
}

// upTo returns how many of the prices were known by an instant.
func upTo(past []skim.Price, at market.Instant) int {
	n, found := slices.BinarySearchFunc(past, at, func(p skim.Price, at market.Instant) int { return cmp.Compare(p.At, at) })
	if found {
		n++
	}
	return n
}
