package replay

import (
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// bound is what can make a false test true although nothing changes: time that
// passes, or a look-back that leaves a price behind. Of two tokens, one that has no ask
// keeps the other from being bought until its own entry holds no more: then what makes a
// true test false is one, too.
type bound struct {
	at   market.Instant // zero: of a look-back
	span market.Span    // of a look-back
	next int            // the first past price that it has not left behind
}

// bound returns the next instant after at from which a test may hold although
// nothing changes; market.Latest: none.
func (r *runner) bound(s *skimmer, at market.Instant) market.Instant {
	first := market.Latest
	for i := range r.bounds {
		b := &r.bounds[i]
		if b.span == 0 {
			if b.at > at {
				first = min(first, b.at)
			}
			continue
		}
		if r.start+b.span > at {
			first = min(first, r.start+b.span)
			continue
		}
		for b.next < len(s.past) && s.past[b.next].at+b.span <= at {
			b.next++
		}
		if b.next < len(s.past) {
			first = min(first, s.past[b.next].at+b.span)
		}
	}
	return first
}

// prepare works out how a runner skims.
func (r *runner) prepare() {
	r.opens, r.closes, r.timed, r.bookish = market.Latest, market.Earliest, true, true
	for i := range r.candidates {
		c := &r.candidates[i]
		r.crosses = r.crosses || len(c.crossings) > 0
		for _, x := range c.crossings {
			// Its value changes where the top does not.
			r.every = r.every || x.isDeep() || x.Type == strategy.PriceChange ||
				x.Type == strategy.TimeElapsed || x.Type == strategy.TimeRemaining
		}
		opens, closes := r.start, r.end
		for k := range c.all {
			from, to := c.all[k].window(r.start, r.end)
			opens, closes = max(opens, from), min(closes, to)
		}
		r.opens, r.closes = min(r.opens, opens), max(r.closes, closes)
		r.lookFor(c.all)
		for _, group := range c.any {
			r.lookFor(group)
		}
	}
	// Of two tokens the one with the higher price is bought, which a trade may tell. A
	// bound is passed by the next capture, which may be a trade.
	r.bookish = r.bookish && len(r.candidates) == 1 && len(r.bounds) == 0 && !r.crosses
}

// lookFor notes the bounds of tests, whether one is deep, and what they read.
func (r *runner) lookFor(tests []test) {
	for i := range tests {
		x := &tests[i]
		r.deep = r.deep || x.isDeep()
		r.bookish = r.bookish && x.Type != strategy.Price // nor PriceChange, which has a bound
		r.timed = r.timed && x.cost() == 0 && !x.Comparator.IsCrossing()
		if b, ok := r.boundOf(x); ok {
			r.bounds = append(r.bounds, b)
		}
	}
}

// boundOf returns the bound of a test, if it has one.
func (r *runner) boundOf(x *test) (b bound, ok bool) {
	c, span, two := x.Comparator, market.Span(x.Threshold), len(r.candidates) > 1
	switch x.Type {
	case strategy.TimeElapsed:
		return bound{at: r.start + span + 1}, c == strategy.GT || two && c == strategy.LTE
	case strategy.TimeRemaining:
		return bound{at: r.end - span + 1}, c == strategy.LT || two && c == strategy.GTE
	case strategy.PriceChange:
		return bound{span: x.within}, true
	}
	return bound{at: r.start + x.within + 1}, two && x.within != 0
}

// window returns the first and the last instant at which a test may hold by the
// clock alone.
func (x *test) window(start, end market.Instant) (from, to market.Instant) {
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
		from = start + x.within
	case x.within != 0:
		to = start + x.within
	}
	return from, to
}
