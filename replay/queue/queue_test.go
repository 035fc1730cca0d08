package queue_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/queue"
)

// shown is a ladder of whole cents: shares by cents and side.
type shown struct{ bids, asks map[int]market.Size }

func cents(c int) market.Price { return market.Price(100 * c) }

func shares(n float64) market.Size { return market.Size(n * float64(market.SizeOne)) }

func (s shown) of(side market.Side) map[int]market.Size {
	if side == market.Bid {
		return s.bids
	}
	return s.asks
}

func (s shown) Size(side market.Side, p market.Price) market.Size { return s.of(side)[int(p/100)] }

func (s shown) Levels(dst []market.Level, side market.Side, to market.Price) []market.Level {
	for i := range 101 {
		c := i // asks from the lowest, bids from the highest
		if side == market.Bid {
			c = 100 - i
		}
		beyond := side == market.Bid && cents(c) < to || side == market.Ask && cents(c) > to
		if n := s.of(side)[c]; n > 0 && !beyond {
			dst = append(dst, market.Level{Price: cents(c), Size: n})
		}
	}
	return dst
}

func (s shown) Best(side market.Side) market.Price {
	to := market.PriceOne
	if side == market.Bid {
		to = 0
	}
	if all := s.Levels(nil, side, to); len(all) > 0 {
		return all[0].Price
	}
	return market.NoPrice
}

func (s shown) Crossed() bool {
	bids, asks := s.Levels(nil, market.Bid, 0), s.Levels(nil, market.Ask, market.PriceOne)
	return len(bids) > 0 && len(asks) > 0 && bids[0].Price > asks[0].Price
}

// print is a trade at so many cents of the book's own token.
type print struct {
	at     int
	shares float64
}

// instant is what one capture instant brought.
type instant struct {
	asks, bids map[int]float64
	prints     []print
	gap        bool
	fills      [3]float64 // shares that through, back and front fill
}

func ladder(of map[int]float64) map[int]market.Size {
	out := map[int]market.Size{}
	for c, n := range of {
		out[c] = shares(n)
	}
	return out
}

// TestRulesByHand: a buy of 100 at 30 cents, with 50 bid there as it arrives, under each
// rule, by figures that were worked out by hand.
func TestRulesByHand(t *testing.T) {
	t.Parallel()
	bids, low := map[int]float64{30: 50}, map[int]float64{28: 10}
	for name, x := range map[string]struct {
		traded   bool // before it arrived
		instants []instant
	}{
		"offers at or under the price fill first under every rule": {true, []instant{
			{asks: map[int]float64{29: 20, 30: 30, 31: 500}, bids: low, fills: [3]float64{50, 50, 50}},
			{asks: map[int]float64{29: 20, 30: 30}, bids: low, fills: [3]float64{}}, // taken already
			{asks: map[int]float64{29: 45}, bids: low, fills: [3]float64{25, 25, 25}},
		}},
		"trades under the price must have met the order, and nobody is ahead of it afterwards": {false, []instant{
			{bids: bids, prints: []print{{at: 29, shares: 40}}, fills: [3]float64{40, 40, 40}},
			{bids: bids, prints: []print{{at: 30, shares: 10}}, fills: [3]float64{0, 10, 10}},
		}},
		"trades at the price wear off the queue": {false, []instant{
			{bids: bids, prints: []print{{at: 30, shares: 30}}, fills: [3]float64{0, 0, 30}},
			{bids: bids, prints: []print{{at: 30, shares: 30}}, fills: [3]float64{0, 10, 30}},
			{bids: bids, prints: []print{{at: 30, shares: 100}}, fills: [3]float64{0, 90, 40}},
		}},
		"before the first trade, front takes the fall of the size shown": {false, []instant{
			{bids: map[int]float64{30: 35}, fills: [3]float64{0, 0, 15}},
			{bids: map[int]float64{30: 60}, fills: [3]float64{}},
			{bids: map[int]float64{30: 40}, prints: []print{{at: 40, shares: 1}}, fills: [3]float64{}},
		}},
		"in a gap nothing fills": {true, []instant{
			{asks: map[int]float64{30: 30}, prints: []print{{at: 29, shares: 9}}, gap: true},
		}},
		"a crossed capture has no offers": {true, []instant{
			{asks: map[int]float64{29: 20}, bids: map[int]float64{31: 5}},
		}},
		"shares taken from the shown are owed the next trades at their price": {true, []instant{
			{asks: map[int]float64{29: 20}, bids: low, fills: [3]float64{20, 20, 20}},
			{bids: bids, prints: []print{{at: 29, shares: 30}}, fills: [3]float64{10, 10, 10}},
		}},
		"a trade without a size is no flow": {false, []instant{
			{bids: bids, prints: []print{{at: 29, shares: 0}}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for k, rule := range queue.Rules {
				b := &queue.Book{Rule: rule}
				if x.traded {
					b.Seen()
				}
				o := &queue.Order{Side: market.Bid, Price: cents(30), Left: shares(100), Arrived: 1}
				b.Rest(o, shown{bids: ladder(bids)})
				for i, x := range x.instants {
					got := play(b, x)
					assert.Equal(t, shares(x.fills[k]), got[o], "rule %s, instant %d", rule, i+1)
				}
			}
		})
	}
}

// play takes a book through an instant and returns what each order got.
func play(b *queue.Book, x instant) map[*queue.Order]market.Size {
	s := shown{bids: ladder(x.bids), asks: ladder(x.asks)}
	for _, p := range x.prints {
		b.Traded(cents(p.at), shares(p.shares))
	}
	b.Captured(s.Size)
	got := map[*queue.Order]market.Size{}
	for _, side := range []market.Side{market.Bid, market.Ask} {
		b.Match(side, s, x.gap, func(f queue.Fill) { got[f.Order] += f.Size })
	}
	b.Next()
	return got
}

// TestRepeats: of two messages of one exchange time and size that mirror each other the
// later is none, once; and no other message is.
func TestRepeats(t *testing.T) {
	t.Parallel()
	of := func(token, at int, size float64, exch market.Instant) *market.Capture {
		return &market.Capture{Token: token, Kind: market.KindTrade, Exch: exch, Trade: market.Trade{Price: cents(at), Size: shares(size)}}
	}
	p := &queue.Prints{}
	for i, x := range []struct {
		c       *market.Capture
		repeats bool
	}{
		{of(0, 29, 10, 7), false},
		{of(0, 29, 10, 7), false},
		{of(1, 71, 10, 7), true},
		{of(1, 71, 10, 7), true},
		{of(1, 71, 10, 7), false},
		{of(0, 29, 10, 7), true},
		{of(0, 29, 10, 8), false},
		{of(1, 29, 10, 8), false},
		{of(1, 71, 11, 8), false},
		{of(1, 71, 10, 9), false},
		{of(0, 29, 10, 0), false},
		{of(1, 71, 10, 0), false},
		{of(0, 29, 0, 6), false},
		{of(1, 71, 0, 6), false},
	} {
		assert.Equal(t, x.repeats, p.Repeats(x.c), "message %d", i)
	}
	p.Reset()
	assert.False(t, p.Repeats(of(1, 71, 10, 8)), "what is forgotten is not repeated")
}

// TestOrdersShare: of two orders at a price the earlier one is served first, a better
// price before both, and no share twice.
func TestOrdersShare(t *testing.T) {
	t.Parallel()
	b := &queue.Book{Rule: queue.Front}
	none := shown{}
	late := &queue.Order{Side: market.Bid, Price: cents(30), Left: shares(10), Arrived: 2}
	early := &queue.Order{Side: market.Bid, Price: cents(30), Left: shares(10), Arrived: 1, Rank: 1}
	better := &queue.Order{Side: market.Bid, Price: cents(31), Left: shares(5), Arrived: 3}
	for _, o := range []*queue.Order{late, early, better} {
		b.Rest(o, none)
	}
	got := play(b, instant{asks: map[int]float64{30: 12}, prints: []print{{at: 31, shares: 2}}})
	assert.Equal(t, [3]market.Size{shares(5), shares(7), 0}, [3]market.Size{got[better], got[early], got[late]},
		"5 offered for the better price, the other 7 for the early one; what traded above the two is not theirs")
}

// TestQueueNeverBehindALaterOrder: what is ahead of an order is never more than what is
// ahead of a later one of its own at that price.
func TestQueueNeverBehindALaterOrder(t *testing.T) {
	t.Parallel()
	b := &queue.Book{Rule: queue.Back}
	first := &queue.Order{Side: market.Bid, Price: cents(30), Left: shares(10), Arrived: 1}
	b.Rest(first, shown{bids: ladder(map[int]float64{30: 80})})
	second := &queue.Order{Side: market.Bid, Price: cents(30), Left: shares(10), Arrived: 2}
	b.Rest(second, shown{bids: ladder(map[int]float64{30: 25})})
	assert.Equal(t, shares(25), first.Ahead)
	assert.Equal(t, shares(25), second.Ahead)
}

// TestMoreByEachRule: over random books, an order fills no less by a rule that gives more,
// at every instant; two halves sent together fill what the whole does; and all orders
// together never more than there was.
func TestMoreByEachRule(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		first := shown{bids: ladder(map[int]float64{30: float64(r.IntN(60))})}
		var least market.Size
		var instants []instant
		for range 12 {
			instants = append(instants, randomInstant(r))
		}
		for k, rule := range queue.Rules {
			whole, halves := &queue.Book{Rule: rule}, &queue.Book{Rule: rule}
			one := &queue.Order{Side: market.Bid, Price: cents(30), Left: shares(100), Arrived: 1}
			whole.Rest(one, first)
			half := [2]*queue.Order{}
			for i := range half {
				half[i] = &queue.Order{Side: market.Bid, Price: cents(30), Left: shares(50), Arrived: 1, Rank: i}
				halves.Rest(half[i], first)
			}
			var filled, there market.Size
			for i, x := range instants {
				n := play(whole, x)[one]
				filled += n
				two := play(halves, x)
				require.Equal(t, n, two[half[0]]+two[half[1]], "seed %d, rule %s, instant %d: halves", seed, rule, i)
				there += most(x)
				require.LessOrEqual(t, filled, there+shares(60), "seed %d, rule %s, instant %d: more than there was", seed, rule, i)
			}
			require.GreaterOrEqual(t, filled, least, "seed %d: rule %s fills less than %s", seed, rule, queue.Rules[max(0, k-1)])
			least = filled
		}
	}
}

func randomInstant(r *rand.Rand) instant {
	x := instant{asks: map[int]float64{}, bids: map[int]float64{}, gap: r.IntN(10) == 0}
	for c := 28; c < 34; c++ {
		if r.IntN(3) == 0 {
			x.asks[c] = float64(r.IntN(20))
		}
	}
	if r.IntN(2) == 0 {
		x.bids[27] = 5
	}
	for range r.IntN(3) {
		x.prints = append(x.prints, print{at: 28 + r.IntN(4), shares: float64(r.IntN(30))})
	}
	return x
}

// most is all that could fill a buy at 30 cents in an instant.
func most(x instant) (n market.Size) {
	for c, size := range x.asks {
		if c <= 30 {
			n += shares(size)
		}
	}
	for _, p := range x.prints {
		if p.at <= 30 {
			n += shares(p.shares)
		}
	}
	return n
}

// TestWithoutSizes: a quote without a size offers all there is to fill.
func TestWithoutSizes(t *testing.T) {
	t.Parallel()
	b := &queue.Book{}
	o := &queue.Order{Side: market.Bid, Price: cents(30), Left: shares(100), Arrived: 1}
	b.Rest(o, shown{})
	s := shown{asks: map[int]market.Size{30: fills.Unlimited}}
	var got market.Size
	b.Match(market.Bid, s, false, func(f queue.Fill) { got = f.Size })
	assert.Equal(t, shares(100), got)
	assert.True(t, b.Empty(), "what is filled does not rest")
}
