package tape

import (
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
	"github.com/ladderback/ladderback/strategy"
)

// Ahead is what the tests of an entry ask of what is to come, worked out once per market.
type Ahead struct {
	// Opens and Closes are the first and the last instant at which the entry may hold by
	// the clock.
	Opens, Closes market.Instant
	Every         bool // it needs every capture
	Deep          bool // it reads more than the top of the book
	Blind         bool // it reads nothing else, so that no top says that it does not hold
	Crosses       bool // it has a crossing
	Ladders       bool // it reads nothing but the clock and the ladder
	Clock         bool // it reads nothing but the clock
	// Gates are passed wherever the top is such that it may hold.
	Gates []skim.Gate

	start  market.Instant
	bounds []bound // what may make it hold although nothing changes
}

// bound is what Test.Bound says.
type bound struct {
	at   market.Instant // zero: of a look-back
	span market.Span    // of a look-back
	next int            // the first past price that it has not left behind
}

// AheadOf works out what the entry of candidates asks for.
func AheadOf(candidates []Candidate, m *market.Market) Ahead {
	w := Ahead{Opens: market.Latest, Closes: market.Earliest, Clock: true, Ladders: true, start: m.Start}
	two := len(candidates) > 1
	for i := range candidates {
		c := &candidates[i]
		w.Crosses = w.Crosses || len(c.Crossings) > 0
		for _, x := range c.Crossings {
			// Its value changes where the top does not.
			w.Every = w.Every || x.IsDeep() || x.Type == strategy.PriceChange || x.Cost() == 0
		}
		opens, closes := m.Start, m.End
		for k := range c.All {
			from, to := c.All[k].window(m.Start, m.End)
			opens, closes = max(opens, from), min(closes, to)
			if g, ok := c.All[k].gate(); ok && !two {
				w.Gates = append(w.Gates, g)
			}
		}
		w.Blind = w.Blind || c.blind()
		w.Opens, w.Closes = min(w.Opens, opens), max(w.Closes, closes)
		w.note(c.All, m, two)
		for _, tests := range c.Any {
			w.note(tests, m, two)
		}
	}
	// Of two tokens the one with the higher price is bought, which a trade may tell. A
	// bound is passed by the next capture, which may be a trade.
	w.Ladders = w.Ladders && len(candidates) == 1 && len(w.bounds) == 0 && !w.Crosses
	return w
}

// blind reports whether nothing but tests that read more than the top keeps it from holding.
func (c *Candidate) blind() bool {
	shallow := func(x Test) bool { return !x.IsDeep() }
	return len(c.All) > 0 && len(c.Any) == 0 && !slices.ContainsFunc(c.All, shallow)
}

// note takes down what tests read, and their bounds. two: there are two candidates.
func (w *Ahead) note(tests []Test, m *market.Market, two bool) {
	for i := range tests {
		x := &tests[i]
		w.Deep = w.Deep || x.IsDeep()
		w.Ladders = w.Ladders && x.Type != strategy.Price // nor PriceChange, which has a bound
		w.Clock = w.Clock && x.Cost() == 0 && !x.Comparator.IsCrossing()
		if at, span, ok := x.Bound(m.Start, m.End, two); ok {
			w.bounds = append(w.bounds, bound{at: at, span: span})
		}
	}
}

// window returns the first and the last instant at which a test may hold by the clock
// alone.
func (x *Test) window(start, end market.Instant) (from, to market.Instant) {
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

// gate returns what is passed wherever a test of a top may hold; ok: there is such a thing.
func (x *Test) gate() (g skim.Gate, ok bool) {
	switch x.Type {
	case strategy.BestBid:
		g.Of = skim.BestBid
	case strategy.BestAsk:
		g.Of = skim.BestAsk
	case strategy.Price:
		g.Of = skim.TypePrice
	default:
		return g, false
	}
	g.High = market.MidOne
	switch at := market.Mid(x.Threshold / midStep); {
	case x.Comparator == strategy.LTE, x.Comparator == strategy.LT && x.Threshold%midStep != 0:
		g.High = at
	case x.Comparator == strategy.LT:
		g.High = at - 1
	case x.Comparator == strategy.GTE && x.Threshold%midStep == 0:
		g.Low = at
	default:
		g.Low = at + 1
	}
	if x.reads == 1 {
		g = skim.Gate{Of: mirrored[g.Of], Low: g.High.Mirror(), High: g.Low.Mirror()}
	}
	return g, x.reads >= 0
}

// midStep is a step of market.Mid in units of strategy.Number.
const midStep = 50

// mirrored are the values of the first token that tell those of the second.
var mirrored = [...]skim.Value{skim.BestBid: skim.BestAsk, skim.BestAsk: skim.BestBid, skim.TypePrice: skim.TypePrice}

// Passes returns the next instant after at from which a test may hold although nothing
// changes; market.Latest: none. Instants asked for do not go back.
func (w *Ahead) Passes(t *Tape, at market.Instant) market.Instant {
	first := market.Latest
	for i := range w.bounds {
		b := &w.bounds[i]
		past := t.Frames[0].Past
		switch {
		case b.span == 0:
			if b.at > at {
				first = min(first, b.at)
			}
			continue
		case w.start+b.span > at:
			first = min(first, w.start+b.span)
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

// May reports whether an entry would hold for the candidate at an instant if all that it
// asks of the depth of the book were given.
func (c *Candidate) May(t *Tape, at market.Instant) bool {
	return allMay(c.All, t, at) && (len(c.Any) == 0 ||
		slices.ContainsFunc(c.Any, func(group []Test) bool { return allMay(group, t, at) }))
}

// LacksDepth reports whether the entry does not hold for the candidate at the instant of a
// capture, for want of depth alone. The tests are in the order of their cost. With
// alternatives it is not looked at.
func (c *Candidate) LacksDepth(t *Tape, at market.Instant) bool {
	for i := range c.All {
		if x := &c.All[i]; !x.Holds(t, at, true) {
			return x.IsDeep() && len(c.Any) == 0
		}
	}
	return false
}

func allMay(tests []Test, t *Tape, at market.Instant) bool {
	for i := range tests {
		if !tests[i].IsDeep() && !tests[i].Holds(t, at, true) {
			return false
		}
	}
	return true
}
