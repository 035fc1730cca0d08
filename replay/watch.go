package replay

import (
	"context"
	"iter"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// source says of one round when what a runner watches can change next. What it shows by an
// instant is the top of the book; where that does not decide what a runner does, the runner
// asks for the captures themselves from an instant on, until the tops are enough again:
//
//   - an order arrives, and meets the ladder, unless the best price alone is known to
//     hold all of it;
//   - a position is open whose exits depend on more than the best bid is known to hold;
//   - an entry that waits for the depth of the book may hold;
//   - an entry may hold from an instant on at which nothing was captured, as when a
//     look-back leaves a price behind: it holds at the first capture from then on;
//   - an entry was refused, and is evaluated again at the next capture.
type source interface {
	// Next returns the first instant behind w.After at which what is watched may have
	// changed; one from w.Until on: there is none before.
	Next(w skim.Watch) market.Instant
	// By returns the top by an instant; nil: nothing is known by then.
	By(at market.Instant) *market.Top
	// Past returns type price of the whole round, from each change on.
	Past() []skim.Price
	// Err returns why the source cannot say any more.
	Err() error
	// Captures yields captures such that what was received by any instant from from on is
	// the same as after all captures, and all of those behind it: with ladders, of ladders
	// alone, which HasLadders says can be had.
	Captures(ctx context.Context, from market.Instant, ladders bool) iter.Seq2[*market.Capture, error]
	HasLadders() bool
	// Cuts returns instants at which reading can begin, in order, once captures were read.
	Cuts() []market.Instant
	Close()
}

var _ source = (*skim.Round)(nil)

// entryWatch is what an entry watches, worked out once per market.
type entryWatch struct {
	// opens and closes are the first and the last instant at which the entry may
	// hold by the clock.
	opens, closes market.Instant
	every         bool    // it needs every capture
	deep          bool    // it reads more than the top of the book
	crosses       bool    // it has a crossing
	ladders       bool    // it reads nothing but the clock and the ladder
	clock         bool    // it reads nothing but the clock
	bounds        []bound // what may make it hold although nothing changes
}

// bound is what tape.Test.Bound says.
type bound struct {
	at   market.Instant // zero: of a look-back
	span market.Span    // of a look-back
	next int            // the first past price that it has not left behind
}

// watchesOf works out what an entry watches. bounds is room for its bounds.
func watchesOf(candidates []tape.Candidate, start, end market.Instant, bounds []bound) entryWatch {
	w := entryWatch{opens: market.Latest, closes: market.Earliest, clock: true, ladders: true, bounds: bounds[:0]}
	two := len(candidates) > 1
	for i := range candidates {
		c := &candidates[i]
		w.crosses = w.crosses || len(c.Crossings) > 0
		for _, x := range c.Crossings {
			// Its value changes where the top does not.
			w.every = w.every || x.IsDeep() || x.Type == strategy.PriceChange ||
				x.Type == strategy.TimeElapsed || x.Type == strategy.TimeRemaining
		}
		opens, closes := start, end
		for k := range c.All {
			from, to := windowOf(&c.All[k], start, end)
			opens, closes = max(opens, from), min(closes, to)
		}
		w.opens, w.closes = min(w.opens, opens), max(w.closes, closes)
		for _, tests := range append([][]tape.Test{c.All}, c.Any...) {
			w.note(tests, start, end, two)
		}
	}
	// Of two tokens the one with the higher price is bought, which a trade may tell. A
	// bound is passed by the next capture, which may be a trade.
	w.ladders = w.ladders && len(candidates) == 1 && len(w.bounds) == 0 && !w.crosses
	return w
}

// note takes down what tests read, and their bounds. two: there are two candidates.
func (w *entryWatch) note(tests []tape.Test, start, end market.Instant, two bool) {
	for i := range tests {
		x := &tests[i]
		w.deep = w.deep || x.IsDeep()
		w.ladders = w.ladders && x.Type != strategy.Price // nor PriceChange, which has a bound
		w.clock = w.clock && x.Cost() == 0 && !x.Comparator.IsCrossing()
		if at, span, ok := x.Bound(start, end, two); ok {
			w.bounds = append(w.bounds, bound{at: at, span: span})
		}
	}
}

// windowOf returns the first and the last instant at which a test may hold by the
// clock alone.
func windowOf(x *tape.Test, start, end market.Instant) (from, to market.Instant) {
	from, to = start, end
	span := market.Span(x.Threshold)
	switch {
	case x.Comparator.IsCrossing():
	case x.Type == strategy.TimeElapsed && (x.Comparator == strategy.GT || x.Comparator == strategy.GTE):
		from = start + span
	case x.Type == strategy.TimeElapsed:
		to = start + span
	case x.Type == strategy.TimeRemaining && (x.Comparator == strategy.LT || x.Comparator == strategy.LTE):
		from = end - span
	case x.Type == strategy.TimeRemaining:
		to = end - span
	case x.Type == strategy.PriceChange:
		from = start + x.Within
	case x.Within != 0:
		to = start + x.Within
	}
	return from, to
}

// passed returns the next instant after at from which a test may hold although nothing
// changes; market.Latest: none.
func (r *runner) passed(t *tape.Tape, at market.Instant) market.Instant {
	first := market.Latest
	if r.phase != watching || len(r.entry.bounds) == 0 {
		return first
	}
	past := t.Frames[0].Past
	for i := range r.entry.bounds {
		b := &r.entry.bounds[i]
		switch {
		case b.span == 0:
			if b.at > at {
				first = min(first, b.at)
			}
			continue
		case r.start+b.span > at:
			first = min(first, r.start+b.span)
			continue
		}
		for b.next < len(past) && past[b.next].At+b.span <= at {
			b.next++
		}
		if b.next < len(past) {
			first = min(first, past[b.next].At+b.span)
		}
	}
	return first
}

// watches says what the runner watches behind an instant, besides what bounds it passes.
func (r *runner) watches(at market.Instant) skim.Watch {
	w := skim.Watch{After: at, Until: r.due()}
	o := &r.open
	switch {
	case r.phase == watching && !r.entry.crosses && at < r.entry.opens:
		w.After = r.entry.opens - 1 // the clock alone rules out the entry
	case r.phase == holding && o.trail == 0:
		w.Bounded, w.Until = true, min(o.clock, r.end)
		w.Bid = skim.Bounds{Token: o.trade.Token, High: market.PriceOne + 1, Low: market.NoPrice, Size: o.left}
		if o.profit.Known() {
			w.Bid.High = o.profitFrom
		}
		if o.stop.Known() {
			w.Bid.Low = max(o.stopTo, market.NoPrice)
		}
	}
	return w
}

// skim lets a runner look at what it watches behind an instant. It returns the instant from
// which on the runner needs the captures, market.Latest when it does not need any more. t
// is the tape that shows tops.
func (r *runner) skim(s source, t *tape.Tape, at market.Instant) market.Instant {
	t.Show(s.By(at))
	for !r.settled() && r.phase != exiting {
		if from, ends := r.ends(t, at); ends {
			return from
		}
		w := r.watches(at)
		change := s.Next(w)
		if r.phase == entering && r.now.arrival <= change {
			at = r.now.arrival
			if t.Show(s.By(at)); !r.entered(t, at) {
				return at
			}
			continue
		}
		due := r.due()
		if at = min(change, due, r.passed(t, w.After)); at >= r.end {
			return market.Latest
		}
		t.Show(s.By(at))
		switch {
		case at < r.start:
		case r.needs(t, at, at == change, due):
			return at
		case at == change || at == due:
			r.step(t, at, at == change)
		}
	}
	if r.phase == exiting && !r.sold(s, t) {
		return r.now.arrival
	}
	return market.Latest
}

// entered fills an entry order that arrives at an instant if the top proves that the best
// ask holds all of it, and decides on the exits at once.
func (r *runner) entered(t *tape.Tape, at market.Instant) bool {
	if !r.engine.proves || at >= r.end {
		return false
	}
	p, _, ok := r.buy(t, at)
	q := &t.Views[r.now.token].Quote
	if !ok || p.Shares+fills.Lot > q.Ask.Size {
		return false // one lot more must fail by the budget
	}
	leg, whole := r.bought(t, at, p), q.Bid.Price == market.NoPrice || q.Bid.Size >= p.Shares
	if len(r.followers) > 0 && !whole {
		return false
	}
	r.lead(t, at, leg, p)
	if r.take(leg, p); !r.enough(t) {
		r.open, r.result.Trade, r.phase = position{}, nil, entering
		return false
	}
	for r.act(t, at, false) {
	}
	return true
}

// sold fills the exit order on its way if the top proves that the best bid holds all
// of it.
func (r *runner) sold(s source, t *tape.Tape) bool {
	at := r.now.arrival
	if !r.engine.proves || at >= r.end {
		return false
	}
	t.Show(s.By(at))
	bid := t.Views[r.now.token].Quote.Bid
	if _, ok := r.blocked(t, r.now.token, at); !ok || bid.Price == market.NoPrice || bid.Size < r.open.left {
		return false
	}
	r.phase = selling
	r.sell(t, at)
	return true
}

// ends reports whether the tops say no more behind an instant, and from when on the
// captures are needed.
func (r *runner) ends(t *tape.Tape, at market.Instant) (from market.Instant, ends bool) {
	if r.phase == holding && !r.enough(t) {
		return at + 1, true
	}
	return market.Latest, r.phase == watching && !r.entry.crosses && at > r.entry.closes
}

// needs reports whether the captures are needed to evaluate an instant: that of a
// change of the top, that of something due, or one from which on an entry may
// hold.
func (r *runner) needs(t *tape.Tape, at market.Instant, capture bool, due market.Instant) bool {
	switch r.phase {
	case watching:
		bare := !capture && at != due
		return (r.entry.deep || bare) && r.mayHold(t, at, capture || bare)
	case holding:
		return !r.enough(t)
	}
	return false
}

// enough reports whether the best bid, with what is known to stand there and near
// it, decides what the exits do until the next top. Below its stop it does, but for
// a guard, whose flock has other stops.
func (r *runner) enough(t *tape.Tape) bool {
	o := &r.open
	best := t.Views[o.trade.Token].Quote.Bid
	switch {
	case best.Price == market.NoPrice, best.Size >= o.left:
		return true
	case o.stop.Known() && best.Price <= o.stopTo:
		// It triggers, whatever stands behind the best; but a flock has other stops.
		return r.flock == nil
	case o.trail > 0, o.profit.Known() && best.Price >= o.profitFrom:
		return false
	case o.stop.Known():
		// All of it is sold no lower than that.
		return t.Near[o.trade.Token] >= o.left && best.Price-market.TopReach > max(0, o.stopTo)
	}
	return true
}

// mayHold reports whether an entry would hold at an instant if all that it asks
// of the depth of the book were given.
func (r *runner) mayHold(t *tape.Tape, at market.Instant, capture bool) bool {
	return slices.ContainsFunc(r.candidates, func(c tape.Candidate) bool {
		return allMayHold(c.All, t, at, capture) && (len(c.Any) == 0 ||
			slices.ContainsFunc(c.Any, func(group []tape.Test) bool { return allMayHold(group, t, at, capture) }))
	})
}

func allMayHold(tests []tape.Test, t *tape.Tape, at market.Instant, capture bool) bool {
	for i := range tests {
		if !tests[i].IsDeep() && !tests[i].Holds(t, at, capture) {
			return false
		}
	}
	return true
}

// settled reports whether nothing that is captured changes what becomes of the
// market.
func (r *runner) settled() bool {
	o := &r.open
	return r.phase == done || r.phase == holding && r.engine.off&Early == 0 &&
		!o.stop.Known() && !o.profit.Known() && o.trail == 0 && o.clock >= r.end
}

// skims reports whether the tops say all that a runner needs behind an instant at which it
// had the captures, which t holds.
func (r *runner) skims(t *tape.Tape, at market.Instant) bool {
	switch r.phase {
	case watching:
		return !r.entry.every && !r.again && !(r.entry.deep && r.mayHold(t, at, true))
	case entering:
		return !r.entry.every
	}
	return r.phase == holding || r.phase == exiting
}

// readsLadders reports whether a runner makes nothing of any capture but ladders: it has
// an order on its way, or a position, or waits for what ladders alone decide.
func (r *runner) readsLadders() bool {
	switch r.phase {
	case watching:
		return r.entry.ladders && !r.again
	case entering:
		return !r.entry.crosses
	}
	return r.phase == holding || r.phase == exiting
}
