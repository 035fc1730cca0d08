package tape

import (
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Test is a condition made ready for one market and one candidate.
type Test struct {
	strategy.Condition
	reads  int         // index of the token it reads; −1: the market has none such
	Within market.Span // of level types: elapsed time up to which it counts, 0: always; of price_change: the look-back
	armed  bool        // of crossings: the previous known value was on the near side
	past   int         // of price_change: where the look-back was
}

// MakeTests makes conditions ready for a candidate token of a market.
func MakeTests(conditions []strategy.Condition, m *market.Market, candidate int) []Test {
	tests := make([]Test, 0, len(conditions))
	for _, c := range conditions {
		tests = append(tests, Test{
			Condition: c,
			reads:     tokenRead(c.Token, m, candidate),
			Within:    market.Span(c.WithinSeconds) * market.Second,
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

// Cost orders tests so that the cheapest are tried first; the order has no
// influence on the outcome.
func (x *Test) Cost() int {
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

// IsDeep reports whether a test reads more than the top of the book.
func (x *Test) IsDeep() bool { return x.Cost() >= 3 }

func sortByCost(tests []Test) {
	slices.SortStableFunc(tests, func(a, b Test) int { return a.Cost() - b.Cost() })
}

// compare compares the value of x at an instant with its threshold, exactly:
// −1, 0 or 1 as it is below, at or above. known is false when it has no value.
func (x *Test) compare(t *Tape, at market.Instant) (sign int, known bool) {
	switch x.Type {
	case strategy.TimeElapsed:
		return compareInt(int64(at-t.Market.Start), int64(x.Threshold)), true
	case strategy.TimeRemaining:
		return compareInt(int64(t.Market.End-at), int64(x.Threshold)), true
	case strategy.HeldProfit, strategy.PairCost, strategy.SinceEntry:
		return x.compareHeld(t, at)
	}
	if x.reads < 0 {
		return 0, false
	}
	v := &t.Views[x.reads]
	switch x.Type {
	case strategy.Price:
		return compareMid(v.Price, x.Threshold), v.Price != market.NoMid
	case strategy.PriceChange:
		return x.compareChange(t, at)
	case strategy.AskDepth, strategy.BidDepth:
		side := market.Ask
		if x.Type == strategy.BidDepth {
			side = market.Bid
		}
		amount, known := t.depthOf(x.reads, side)
		return amount.Cmp(fills.AmountOf(x.Threshold.Cash())), known
	case strategy.Imbalance:
		return x.compareImbalance(t)
	}
	if v.Stream < QuoteStream {
		return 0, false // a price stands for a quote in orders only
	}
	bid, ask := v.Quote.Bid.Price, v.Quote.Ask.Price
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

// compareHeld compares what depends on what is held, which only those who hold know.
func (x *Test) compareHeld(t *Tape, at market.Instant) (int, bool) {
	v, known := x.heldValue(t, at)
	if !known {
		return 0, false
	}
	return v.Cmp(big.NewRat(int64(x.Threshold), int64(strategy.One))), true
}

// heldValue returns the value of a test of what is held.
func (x *Test) heldValue(t *Tape, at market.Instant) (*big.Rat, bool) {
	switch {
	case t.Held == nil:
		return nil, false
	case x.Type == strategy.HeldProfit:
		return t.Held.Profit(t, x.reads)
	case x.Type == strategy.PairCost:
		return t.Held.PairCost(t, x.reads)
	}
	first, known := t.Held.Since(x.reads)
	return big.NewRat(int64(at-first), int64(market.Second)), known
}

// compareChange compares the change of type price over the look-back.
func (x *Test) compareChange(t *Tape, at market.Instant) (int, bool) {
	if at-t.Market.Start < x.Within {
		return 0, false
	}
	now, then := t.Views[x.reads].Price, t.priceAt(x.reads, at-x.Within, &x.past)
	if now == market.NoMid || then == market.NoMid {
		return 0, false
	}
	return compareMid(now-then, x.Threshold), true
}

// compareImbalance compares bid depth ÷ (bid depth + ask depth).
func (x *Test) compareImbalance(t *Tape) (int, bool) {
	bid, knownBid := t.depthOf(x.reads, market.Bid)
	ask, knownAsk := t.depthOf(x.reads, market.Ask)
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

// Holds reports whether the condition holds at an instant. capture says that
// the instant is that of a capture: crossings hold at no other.
func (x *Test) Holds(t *Tape, at market.Instant, capture bool) bool {
	if x.Within != 0 && x.Type != strategy.PriceChange && at-t.Market.Start > x.Within {
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

// Arm notes, behind everything else that happens at a capture's instant, the
// value that the next crossing starts from.
func (x *Test) Arm(t *Tape, at market.Instant) {
	sign, known := x.compare(t, at)
	if !known {
		return
	}
	x.armed = sign <= 0
	if x.Comparator == strategy.CrossesBelow {
		x.armed = sign >= 0
	}
}

// Bound returns what can make a false test true although nothing that it reads changes: an
// instant from which on it may hold, or, with an instant of zero, a span after which a
// look-back leaves a price behind; ok: there is one. Of two tokens, one that has no ask
// keeps the other from being bought until its own entry holds no more: then what makes a
// true test false is one, too.
func (x *Test) Bound(start, end market.Instant, two bool) (at market.Instant, span market.Span, ok bool) {
	c, after := x.Comparator, market.Span(x.Threshold)
	switch x.Type {
	case strategy.TimeElapsed:
		return start + after + 1, 0, c == strategy.GT || two && c == strategy.LTE
	case strategy.TimeRemaining:
		return end - after + 1, 0, c == strategy.LT || two && c == strategy.GTE
	case strategy.PriceChange:
		return 0, x.Within, true
	case strategy.SinceEntry:
		return 0, 0, c == strategy.GT
	}
	return start + x.Within + 1, 0, two && x.Within != 0
}

// Steady reports whether tests change only where a best price, type price or what is held
// does, or at instants that they name; two: there are two candidates.
func Steady(tests []Test, m *market.Market, two bool) bool {
	return !slices.ContainsFunc(tests, func(x Test) bool {
		_, _, bound := x.Bound(m.Start, m.End, two)
		return bound || x.IsDeep() || x.Comparator.IsCrossing() || x.Type == strategy.HeldProfit
	})
}

// Candidate is a token that may be bought, with its entry.
type Candidate struct {
	Token     int
	All       []Test
	Any       [][]Test // alternatives; none: nothing more is asked
	Crossings []*Test
}

// MakeCandidates returns the candidates of a strategy in a market: Up before
// Down. A market without the token has none. Unless the order of the strategy
// is to be kept, the cheapest tests come first.
func MakeCandidates(s strategy.Canonical, m *market.Market, keepOrder bool) []Candidate {
	sides := []market.Outcome{market.Up, market.Down}
	switch s.Side() {
	case strategy.Up:
		sides = sides[:1]
	case strategy.Down:
		sides = sides[1:]
	}
	var out []Candidate
	for _, side := range sides {
		token := m.TokenIndex(side)
		if token < 0 {
			continue
		}
		c := Candidate{Token: token, All: MakeTests(s.Entry(), m, token)}
		for _, group := range s.EntryAny() {
			c.Any = append(c.Any, MakeTests(group, m, token))
		}
		for _, tests := range append([][]Test{c.All}, c.Any...) {
			if !keepOrder {
				sortByCost(tests)
			}
			for i := range tests {
				if tests[i].Comparator.IsCrossing() {
					c.Crossings = append(c.Crossings, &tests[i])
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// Holds reports whether the entry holds for the candidate.
func (c *Candidate) Holds(t *Tape, at market.Instant, capture bool) bool {
	if !AllHold(c.All, t, at, capture) {
		return false
	}
	for _, group := range c.Any {
		if AllHold(group, t, at, capture) {
			return true
		}
	}
	return len(c.Any) == 0
}

// AllHold reports whether all tests hold at an instant.
func AllHold(tests []Test, t *Tape, at market.Instant, capture bool) bool {
	for i := range tests {
		if !tests[i].Holds(t, at, capture) {
			return false
		}
	}
	return true
}

// Arm notes, behind everything else that happens at a capture's instant, the values
// that the candidate's next crossings start from.
func (c *Candidate) Arm(t *Tape, at market.Instant) {
	for _, x := range c.Crossings {
		x.Arm(t, at)
	}
}

// ArmAll is Arm for tests of no candidate.
func ArmAll(tests []Test, t *Tape, at market.Instant) {
	for i := range tests {
		if tests[i].Comparator.IsCrossing() {
			tests[i].Arm(t, at)
		}
	}
}

// Choose returns the candidate to buy, or nil. When the entry holds for both,
// it is the one with the higher price, ask or no ask; at equal prices the one
// whose token id sorts first. look, when not nil, is told of each.
func Choose(candidates []Candidate, t *Tape, at market.Instant, capture bool, look func(c *Candidate, holds bool)) *Candidate {
	var chosen *Candidate
	for i := range candidates {
		c := &candidates[i]
		holds := c.Holds(t, at, capture)
		if look != nil {
			look(c, holds)
		}
		if holds && (chosen == nil || before(t, c, chosen)) {
			chosen = c
		}
	}
	return chosen
}

// before reports whether a is bought rather than b. No price is below every
// price.
func before(t *Tape, a, b *Candidate) bool {
	pa, pb := t.Views[a.Token].Price, t.Views[b.Token].Price
	if pa != pb {
		return pa > pb
	}
	tokens := t.Market.Tokens
	return tokens[a.Token].VenueID < tokens[b.Token].VenueID
}

// Named returns the instants in [start, end) that the strategy's entry names in
// time conditions, and the start, in order and without repeats.
func Named(s strategy.Canonical, m *market.Market) []market.Instant {
	lists := append([][]strategy.Condition{s.Entry()}, s.EntryAny()...)
	at := append(NamedBy(slices.Concat(lists...), m), m.Start)
	slices.Sort(at)
	return slices.Compact(at)
}

// NamedBy returns the instants in [start, end) that time conditions name, in order
// and without repeats.
func NamedBy(conditions []strategy.Condition, m *market.Market) []market.Instant {
	var at []market.Instant
	for _, c := range conditions {
		switch c.Type {
		case strategy.TimeElapsed:
			at = append(at, m.Start+market.Span(c.Threshold))
		case strategy.TimeRemaining:
			at = append(at, m.End-market.Span(c.Threshold))
		}
	}
	at = slices.DeleteFunc(at, func(i market.Instant) bool { return i < m.Start || i >= m.End })
	slices.Sort(at)
	return slices.Compact(at)
}

// UsesHistory reports whether a condition looks back.
func UsesHistory(s strategy.Canonical) bool {
	looksBack := func(c strategy.Condition) bool { return c.Type == strategy.PriceChange }
	lists := append([][]strategy.Condition{s.Entry()}, s.EntryAny()...)
	orders := []*strategy.Order{s.Order()}
	for i := range s.Then() {
		o := &s.Then()[i]
		lists, orders = append(lists, o.When), append(orders, o.Order)
	}
	for _, o := range orders {
		if o != nil {
			lists = append(lists, o.CancelWhen)
		}
	}
	return slices.ContainsFunc(slices.Concat(lists...), looksBack)
}
