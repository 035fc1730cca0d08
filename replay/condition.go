package replay

import (
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// test is a condition made ready for one market and one candidate.
type test struct {
	strategy.Condition
	token  int         // index of the token it reads; −1: the market has none such
	within market.Span // of level types: elapsed time up to which it counts, 0: always; of price_change: the look-back
	armed  bool        // of crossings: the previous known value was on the near side
}

// makeTests makes conditions ready for a candidate token of a market.
func makeTests(conditions []strategy.Condition, m *market.Market, candidate int) []test {
	tests := make([]test, 0, len(conditions))
	for _, c := range conditions {
		tests = append(tests, test{
			Condition: c,
			token:     tokenRead(c.Token, m, candidate),
			within:    market.Span(c.WithinSeconds) * market.Second,
		})
	}
	return tests
}

// tokenRead returns the index of the token that a condition reads.
func tokenRead(t strategy.Token, m *market.Market, candidate int) int {
	switch t {
	case strategy.TokenUp:
		return m.TokenIndex(market.Up)
	case strategy.TokenDown:
		return m.TokenIndex(market.Down)
	case strategy.TokenOpposite:
		return m.TokenIndex(m.Tokens[candidate].Outcome.Opposite())
	}
	return candidate
}

// cost orders tests so that the cheapest are tried first; the order has no
// influence on the outcome.
func (x *test) cost() int {
	switch x.Type {
	case strategy.TimeElapsed, strategy.TimeRemaining:
		return 0
	case strategy.PriceChange:
		return 2
	case strategy.AskDepth, strategy.BidDepth:
		return 3
	case strategy.Imbalance:
		return 4
	}
	return 1
}

func sortByCost(tests []test) {
	slices.SortStableFunc(tests, func(a, b test) int { return a.cost() - b.cost() })
}

// compare compares the value of x at an instant with its threshold, exactly:
// −1, 0 or 1 as it is below, at or above. known is false when it has no value.
func (x *test) compare(t *tape, at market.Instant) (sign int, known bool) {
	switch x.Type {
	case strategy.TimeElapsed:
		return compareInt(int64(at-t.market.Start), int64(x.Threshold)), true
	case strategy.TimeRemaining:
		return compareInt(int64(t.market.End-at), int64(x.Threshold)), true
	}
	if x.token < 0 {
		return 0, false
	}
	v := &t.views[x.token]
	switch x.Type {
	case strategy.Price:
		return compareMid(v.price, x.Threshold), v.price != market.NoMid
	case strategy.PriceChange:
		return x.compareChange(t, at)
	case strategy.AskDepth, strategy.BidDepth:
		side := market.Ask
		if x.Type == strategy.BidDepth {
			side = market.Bid
		}
		amount, known := t.depthOf(x.token, side)
		return amount.Cmp(fills.AmountOf(x.Threshold.Cash())), known
	case strategy.Imbalance:
		return x.compareImbalance(t)
	}
	if v.stream < QuoteStream {
		return 0, false // a price stands for a quote in orders only
	}
	bid, ask := v.quote.Bid.Price, v.quote.Ask.Price
	switch x.Type {
	case strategy.BestAsk:
		return comparePrice(ask, x.Threshold), ask != market.NoPrice
	case strategy.BestBid:
		return comparePrice(bid, x.Threshold), bid != market.NoPrice
	case strategy.Spread:
		return comparePrice(ask-bid, x.Threshold), ask != market.NoPrice && bid != market.NoPrice
	}
	return 0, false
}

// compareChange compares the change of type price over the look-back.
func (x *test) compareChange(t *tape, at market.Instant) (int, bool) {
	if at-t.market.Start < x.within {
		return 0, false
	}
	now, then := t.views[x.token].price, t.priceAt(x.token, at-x.within)
	if now == market.NoMid || then == market.NoMid {
		return 0, false
	}
	return compareMid(now-then, x.Threshold), true
}

// compareImbalance compares bid depth ÷ (bid depth + ask depth).
func (x *test) compareImbalance(t *tape) (int, bool) {
	bid, knownBid := t.depthOf(x.token, market.Bid)
	ask, knownAsk := t.depthOf(x.token, market.Ask)
	all := bid.Add(ask)
	if !knownBid || !knownAsk || all.Sign() == 0 {
		return 0, false
	}
	return bid.Times(int64(strategy.One)).Cmp(all.Times(int64(x.Threshold))), true
}

// compareMid compares p with a threshold in units of 1e-6 USD.
func compareMid(p market.Mid, threshold strategy.Number) int {
	return compareInt(int64(p)*50, int64(threshold))
}

func comparePrice(p market.Price, threshold strategy.Number) int {
	return compareInt(int64(p)*100, int64(threshold))
}

func compareInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// holds reports whether the condition holds at an instant. capture says that
// the instant is that of a capture: crossings hold at no other.
func (x *test) holds(t *tape, at market.Instant, capture bool) bool {
	if x.within != 0 && x.Type != strategy.PriceChange && at-t.market.Start > x.within {
		return false
	}
	if x.Comparator.IsCrossing() && (!capture || !x.armed) {
		return false
	}
	sign, known := x.compare(t, at)
	if !known {
		return false
	}
	switch x.Comparator {
	case strategy.LT, strategy.CrossesBelow:
		return sign < 0
	case strategy.LTE:
		return sign <= 0
	case strategy.GT, strategy.CrossesAbove:
		return sign > 0
	case strategy.GTE:
		return sign >= 0
	}
	return false
}

// arm notes, behind everything else that happens at a capture's instant, the
// value that the next crossing starts from.
func (x *test) arm(t *tape, at market.Instant) {
	sign, known := x.compare(t, at)
	if !known {
		return
	}
	x.armed = sign <= 0
	if x.Comparator == strategy.CrossesBelow {
		x.armed = sign >= 0
	}
}

// candidate is a token that may be bought, with its entry.
type candidate struct {
	token     int
	all       []test
	any       [][]test // alternatives; none: nothing more is asked
	crossings []*test
}

// makeCandidates returns the candidates of a strategy in a market: Up before
// Down. A market without the token has none. Unless the order of the strategy
// is to be kept, the cheapest tests come first.
func makeCandidates(s strategy.Canonical, m *market.Market, keepOrder bool) []candidate {
	sides := []market.Outcome{market.Up, market.Down}
	switch s.Side() {
	case strategy.Up:
		sides = sides[:1]
	case strategy.Down:
		sides = sides[1:]
	}
	var out []candidate
	for _, side := range sides {
		token := m.TokenIndex(side)
		if token < 0 {
			continue
		}
		c := candidate{token: token, all: makeTests(s.Entry(), m, token)}
		for _, group := range s.EntryAny() {
			c.any = append(c.any, makeTests(group, m, token))
		}
		for _, tests := range append([][]test{c.all}, c.any...) {
			if !keepOrder {
				sortByCost(tests)
			}
			for i := range tests {
				if tests[i].Comparator.IsCrossing() {
					c.crossings = append(c.crossings, &tests[i])
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// holds reports whether the entry holds for the candidate.
func (c *candidate) holds(t *tape, at market.Instant, capture bool) bool {
	if !allHold(c.all, t, at, capture) {
		return false
	}
	for _, group := range c.any {
		if allHold(group, t, at, capture) {
			return true
		}
	}
	return len(c.any) == 0
}

func allHold(tests []test, t *tape, at market.Instant, capture bool) bool {
	for i := range tests {
		if !tests[i].holds(t, at, capture) {
			return false
		}
	}
	return true
}

// named returns the instants in [start, end) that the strategy's time
// conditions name, and the start, in order and without repeats.
func named(s strategy.Canonical, m *market.Market) []market.Instant {
	at := []market.Instant{m.Start}
	note := func(conditions []strategy.Condition) {
		for _, c := range conditions {
			switch c.Type {
			case strategy.TimeElapsed:
				at = append(at, m.Start+market.Span(c.Threshold))
			case strategy.TimeRemaining:
				at = append(at, m.End-market.Span(c.Threshold))
			}
		}
	}
	note(s.Entry())
	for _, group := range s.EntryAny() {
		note(group)
	}
	at = slices.DeleteFunc(at, func(i market.Instant) bool { return i < m.Start || i >= m.End })
	slices.Sort(at)
	return slices.Compact(at)
}

// usesHistory reports whether a condition looks back.
func usesHistory(s strategy.Canonical) bool {
	looksBack := func(c strategy.Condition) bool { return c.Type == strategy.PriceChange }
	return slices.ContainsFunc(s.Entry(), looksBack) || slices.ContainsFunc(s.EntryAny(), func(group []strategy.Condition) bool {
		return slices.ContainsFunc(group, looksBack)
	})
}
