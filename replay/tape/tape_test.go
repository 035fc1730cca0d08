package tape_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

const head = "market btc-updown-5m-1776088800 winner=up"

// seen is a tape after all captures of a round, each instant remembered.
func seen(t *testing.T, text string) *tape.Tape {
	t.Helper()
	a, err := replaytest.Parse(text)
	require.NoError(t, err)
	r := a.All[0].Round()
	var x tape.Tape
	x.Load(&r, true)
	captures := a.All[0].Captures
	for i := range captures {
		x.Apply(&captures[i])
		if i+1 == len(captures) || captures[i+1].Recv > captures[i].Recv {
			x.Refresh()
			x.Remember(captures[i].Recv)
		}
	}
	return &x
}

// second is an instant of a round, from its start.
func second(x *tape.Tape, seconds float64) market.Instant {
	return x.Market.Start + market.Instant(seconds*float64(market.Second))
}

func condition(typ strategy.Type, token strategy.Token, c strategy.Comparator, threshold float64) strategy.Condition {
	return strategy.Condition{Type: typ, Token: token, Comparator: c, Threshold: strategy.Number(threshold*1e6 + 0.5)}
}

// test is a condition for Up.
func test(x *tape.Tape, c strategy.Condition) *tape.Test {
	return &tape.MakeTests([]strategy.Condition{c}, x.Market, 0)[0]
}

// TestStreams: an order meets the best kind of data that was received so far, which is never
// given up for a worse one; the other token of a mirrored pair sees its mirror.
func TestStreams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ captures, up, down string }{
		{"", "0: -1 -1, -1", "0: -1 -1, -1"},
		{"1 up trade 0.4x1", "0: -1 -1, 8000", "0: -1 -1, 12000"},
		{"1 up price 0.4", "1: 4000 4000, 8000", "1: 6000 6000, 12000"},
		{"1 down price 0.4", "1: 6000 6000, 12000", "1: 4000 4000, 8000"},
		{"1 up price 0.4\n2 up quote 0.44 | 0.46", "2: 4400 4600, 9000", "2: 5400 5600, 11000"},
		{"1 up quote 0.44 | 0.46\n2 up price 0.4", "2: 4400 4600, 9000", "2: 5400 5600, 11000"},
		{"1 up quote 0.44 | 0.46\n2 down quote 0.50 |", "2: -1 5000, 10000", "2: 5000 -1, 10000"},
		{"1 up change 0.30x1 | 0.60x1", "0: -1 -1, -1", "0: -1 -1, -1"}, // before a whole ladder
		{"1 up change 0.30x1 | 0.60x1\n2 up book 0.48x1 | 0.52x1", "3: 4800 5200, 10000", "3: 4800 5200, 10000"},
		{"1 up book 0.48x1 | 0.52x1\n2 up quote 0.1 | 0.2\n3 down change 0.49x2 |", "3: 4800 5100, 9900", "3: 4900 5200, 10100"},
		{"1 up book 0.48x1 | 0.52x1\n2 up reset", "3: 4800 5200, 10000", "3: 4800 5200, 10000"}, // a reset is no content
		{"1 up book 0.30x1 | 0.52x1\n2 up trade 0.55x1", "3: 3000 5200, 10400", "3: 4800 7000, 9600"},
	} {
		x := seen(t, head+"\n"+c.captures)
		told := func(token int) string {
			v := &x.Views[token]
			return fmt.Sprintf("%d: %d %d, %d", v.Stream, v.Quote.Bid.Price, v.Quote.Ask.Price, v.Price)
		}
		require.Equal(t, c.up, told(0), c.captures)
		require.Equal(t, c.down, told(1), c.captures)
		require.Equal(t, x.Views[0].Stream != tape.NoStream, x.Started, c.captures)
	}
	for s, kind := range []fills.Kind{"", fills.LastPrice, fills.BestQuote, fills.BookLadder} {
		require.Equal(t, kind, tape.Stream(s).Fill())
	}
}

const ladder = head + `
	10 up book 0.48x100 0.43x10 0.42x1000 | 0.52x50 0.57x20 0.58x999`

// TestReadings: the values of conditions, of either token, by hand. Depth reaches five cents
// from the best price, both included.
func TestReadings(t *testing.T) {
	t.Parallel()
	x := seen(t, ladder)
	at := second(x, 20)
	for _, c := range []struct {
		typ      strategy.Type
		up, down float64
	}{
		{strategy.Price, 0.5, 0.5},
		{strategy.BestBid, 0.48, 0.48},
		{strategy.BestAsk, 0.52, 0.52},
		{strategy.Spread, 0.04, 0.04},
		{strategy.BidDepth, 0.48*100 + 0.43*10, 0.48*50 + 0.43*20},
		{strategy.AskDepth, 0.52*50 + 0.57*20, 0.52*100 + 0.57*10},
		{strategy.Imbalance, 52.3 / (52.3 + 37.4), 32.6 / (32.6 + 57.7)},
		{strategy.TimeElapsed, 20, 20},
		{strategy.TimeRemaining, 280, 280},
	} {
		for token, want := range map[strategy.Token]float64{strategy.TokenUp: c.up, strategy.TokenSame: c.up, strategy.TokenDown: c.down, strategy.TokenOpposite: c.down} {
			rd := test(x, condition(c.typ, token, strategy.GTE, 0)).Read(x, at, false)
			require.True(t, rd.Known, "%s of %s", c.typ, token)
			require.InDelta(t, want, rd.Value, 1e-12, "%s of %s", c.typ, token)
			require.True(t, rd.Holds)
		}
	}
}

// TestComparators: values are compared exactly, at a threshold and a millionth beside it.
func TestComparators(t *testing.T) {
	t.Parallel()
	x := seen(t, ladder)
	for _, c := range []struct {
		typ   strategy.Type
		value float64
	}{{strategy.Price, 0.5}, {strategy.BestBid, 0.48}, {strategy.Spread, 0.04}, {strategy.AskDepth, 37.4}, {strategy.TimeElapsed, 20}, {strategy.TimeRemaining, 280}} {
		for i, beside := range []float64{-1e-6, 0, 1e-6} {
			var holds []bool
			for _, cmp := range []strategy.Comparator{strategy.LT, strategy.LTE, strategy.GT, strategy.GTE} {
				holds = append(holds, test(x, condition(c.typ, strategy.TokenSame, cmp, c.value+beside)).Holds(x, second(x, 20), false))
			}
			require.Equal(t, [][]bool{{false, false, true, true}, {false, true, false, true}, {true, true, false, false}}[i], holds, "%s beside %g by %g", c.typ, c.value, beside)
		}
	}
}

// TestUnknown: what was not captured has no value, and a condition on it never holds,
// whatever it asks.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for captures, types := range map[string][]strategy.Type{
		"":                      {strategy.Price, strategy.BestBid, strategy.BestAsk, strategy.Spread, strategy.BidDepth, strategy.AskDepth, strategy.Imbalance, strategy.PriceChange, strategy.HeldProfit, strategy.PairCost, strategy.SinceEntry},
		"1 up price 0.4":        {strategy.BestBid, strategy.BestAsk, strategy.Spread, strategy.BidDepth, strategy.AskDepth, strategy.Imbalance},
		"1 up quote 0.4 | 0.5":  {strategy.BidDepth, strategy.AskDepth, strategy.Imbalance}, // without sizes
		"1 up book 0.4x1 |":     {strategy.BestAsk, strategy.Spread},
		"1 up book | 0.5x1":     {strategy.BestBid, strategy.Spread},
		"1 up book |":           {strategy.Price, strategy.BestBid, strategy.BestAsk, strategy.Imbalance}, // of no depth at all
		"1 up change 0.4x1 |":   {strategy.Price, strategy.BestBid},
		"1 down trade 0.4x1":    {strategy.BestBid, strategy.BestAsk},
		"1 up quote 0.4x3 |":    {strategy.BestAsk, strategy.Spread},
		"299 up book 0.4x1 |":   {strategy.BestAsk},
		"1 up tick 0.001":       {strategy.Price, strategy.BestAsk},
		"1 up reset":            {strategy.Price, strategy.BestAsk},
		"1 up quote | 0.5x2":    {strategy.BestBid},
		"1 up quote |":          {strategy.Price, strategy.BestBid, strategy.BestAsk},
		"1 down quote | 0.4x10": {strategy.BestAsk}, // Up has a bid of 0.6
	} {
		x := seen(t, head+"\n"+captures)
		for _, typ := range types {
			for _, cmp := range []strategy.Comparator{strategy.LT, strategy.LTE, strategy.GT, strategy.GTE} {
				c := condition(typ, strategy.TokenSame, cmp, 0.5)
				c.WithinSeconds = 250
				rd := test(x, c).Read(x, second(x, 249), true)
				require.False(t, rd.Known || rd.Holds, "%q: %s %s", captures, typ, cmp)
			}
		}
	}
	empty := seen(t, head+"\n1 up book 0.4x1 |")
	rd := test(empty, condition(strategy.AskDepth, strategy.TokenSame, strategy.LTE, 0)).Read(empty, second(empty, 2), true)
	require.True(t, rd.Known && rd.Holds, "an empty side has no depth, which is known")
}

// TestWithin: a condition with a window counts up to its last instant, which is included.
func TestWithin(t *testing.T) {
	t.Parallel()
	x := seen(t, ladder)
	c := condition(strategy.BestBid, strategy.TokenSame, strategy.GTE, 0.48)
	c.WithinSeconds = 60
	require.True(t, test(x, c).Holds(x, second(x, 60), false))
	require.False(t, test(x, c).Holds(x, second(x, 60)+1, false))
}

// TestPriceChange: the change is from what was known at the instant of the look-back, which
// must lie in the round; a fall of one token is a rise of the other.
func TestPriceChange(t *testing.T) {
	t.Parallel()
	x := seen(t, head+`
		-5 up book 0.30x1 | 0.30x1
		10 up book 0.40x1 | 0.40x1
		20 up book 0.55x1 | 0.55x1`)
	change := func(token strategy.Token, within int, at market.Instant) (float64, bool) {
		c := condition(strategy.PriceChange, token, strategy.GTE, 0)
		c.WithinSeconds = within
		rd := test(x, c).Read(x, at, true)
		return rd.Value, rd.Known
	}
	for _, c := range []struct {
		within int
		at     market.Instant
		want   float64
	}{
		{10, second(x, 20), 0.15},        // from 10, at which 0.40 was known
		{10, second(x, 20) - 1, 0.25},    // a microsecond earlier 0.30 was; the tape shows what came at 20
		{10, second(x, 29.999999), 0.15}, // until 20 itself is left behind
		{10, second(x, 30), 0},
		{20, second(x, 20), 0.25}, // from the start of the round
	} {
		for token, sign := range map[strategy.Token]float64{strategy.TokenUp: 1, strategy.TokenDown: -1} {
			got, known := change(token, c.within, c.at)
			require.True(t, known)
			require.InDelta(t, sign*c.want, got, 1e-12, "%s over %d s at %d", token, c.within, c.at-x.Market.Start)
		}
	}
	_, known := change(strategy.TokenUp, 20, second(x, 20)-1)
	require.False(t, known, "the look-back begins before the round")
}

// TestCrossings: the value comes from the other side of the threshold, or from it, and lies
// beyond it at a capture.
func TestCrossings(t *testing.T) {
	t.Parallel()
	x := seen(t, ladder) // best bid 0.48
	at := second(x, 20)
	for _, c := range []struct {
		cmp             strategy.Comparator
		from, to        float64
		armed, crossing bool
	}{
		{strategy.CrossesAbove, 0.50, 0.47, true, true},
		{strategy.CrossesAbove, 0.48, 0.47, true, true}, // from the threshold itself
		{strategy.CrossesAbove, 0.48, 0.48, true, false},
		{strategy.CrossesAbove, 0.47, 0.47, false, false},
		{strategy.CrossesBelow, 0.40, 0.49, true, true},
		{strategy.CrossesBelow, 0.48, 0.49, true, true},
		{strategy.CrossesBelow, 0.48, 0.48, true, false},
		{strategy.CrossesBelow, 0.49, 0.49, false, false},
	} {
		y := test(x, condition(strategy.BestBid, strategy.TokenSame, c.cmp, c.from))
		y.Arm(x, at) // as if the threshold had moved instead of the price
		y.Threshold = strategy.Number(c.to*1e6 + 0.5)
		require.Equal(t, c.crossing, y.Holds(x, at, true), "%+v", c)
		require.False(t, y.Holds(x, at, false), "%+v: at no capture", c)
	}
	y := test(x, condition(strategy.BestBid, strategy.TokenSame, strategy.CrossesAbove, 0.47))
	require.False(t, y.Holds(x, at, true), "nothing was known before")
	y.Threshold = strategy.Cents(50)
	y.Arm(x, at)
	y.Arm(seen(t, head), at) // no value: it is still from the one before
	y.Threshold = strategy.Cents(47)
	require.True(t, y.Holds(x, at, true))
}

// TestGapsOfATape: gaps of either token are gaps of a mirrored pair's one book, and of
// separate books each its own.
func TestGapsOfATape(t *testing.T) {
	t.Parallel()
	const gap = "\ngap down 10 20"
	for _, c := range []struct {
		market   string
		at       float64
		up, down bool
	}{{head, 10, true, true}, {head, 20, false, false}, {head, 9.999999, false, false}, {head + " mirrored=no", 10, false, true}, {head + " mirrored=no", 19.999999, false, true}} {
		x := seen(t, c.market+gap)
		require.Equal(t, []bool{c.up, c.down}, []bool{x.InGap(0, second(x, c.at)), x.InGap(1, second(x, c.at))}, "%+v", c)
	}
}

// TestLadder: levels up to and with the first beyond the limit, best first; a quote is one
// level, without an end where it says no size.
func TestLadder(t *testing.T) {
	t.Parallel()
	x := seen(t, ladder)
	prices := func(token int, side market.Side, limit market.Price) (out []market.Price) {
		for _, l := range x.Ladder(nil, token, side, limit) {
			out = append(out, l.Price)
		}
		return out
	}
	require.Equal(t, []market.Price{5200, 5700}, prices(0, market.Ask, 5200))
	require.Equal(t, []market.Price{5200}, prices(0, market.Ask, 5199))
	require.Equal(t, []market.Price{5200, 5700, 5800}, prices(0, market.Ask, market.PriceOne))
	require.Equal(t, []market.Price{4800, 4300}, prices(0, market.Bid, 4400))
	require.Equal(t, []market.Price{4800, 4300, 4200}, prices(1, market.Bid, 0))
	require.Equal(t, market.Size(50*market.SizeOne), x.Ladder(nil, 1, market.Bid, 0)[0].Size)
	require.Equal(t, market.Size(20*market.SizeOne), x.Views[1].Shown(market.Bid, 4300))
	require.Zero(t, x.Views[1].Shown(market.Bid, 4400))

	q := seen(t, head+"\n1 up quote 0.4 | 0.5x3")
	require.Equal(t, []market.Level{{Price: 4000, Size: fills.Unlimited}}, q.Ladder(nil, 0, market.Bid, 0))
	require.Equal(t, []market.Level{{Price: 4000}}, q.Showing(0, market.Bid), "for people, no size")
	require.Equal(t, []market.Level{{Price: 5000, Size: 3 * market.SizeOne}}, q.Ladder(nil, 1, market.Bid, 9000))
	require.Equal(t, fills.Unlimited, q.Views[0].Shown(market.Bid, 4000))
	require.Empty(t, seen(t, head).Ladder(nil, 0, market.Ask, market.PriceOne))

	price := seen(t, head+"\n1 up price 0.4") // is offered and bid for without end, and nothing else is
	require.Equal(t, fills.Unlimited, price.Views[0].Shown(market.Ask, 4000))
	require.Equal(t, fills.Unlimited, price.Views[0].Shown(market.Bid, 4000))
	require.Zero(t, price.Views[0].Shown(market.Ask, 4100))
}

// TestChoose: of two that may be bought the one with the higher price, at equal prices the
// one whose id sorts first; no price is below every price.
func TestChoose(t *testing.T) {
	t.Parallel()
	either, err := strategy.Canonicalize(strategy.Strategy{Market: strategy.MarketSpec{Coin: "BTC", Type: "5m"}, Side: strategy.Either,
		Entry: []strategy.Condition{}, Exit: strategy.Exit{HoldToExpiry: true}, BudgetPerTrade: strategy.Int(100), SampleSize: 50})
	require.NoError(t, err)
	for captures, want := range map[string]string{
		" tokens=b/a\n1 up book 0.60x1 | 0.62x1":     "Up",
		" tokens=b/a\n1 down book 0.60x1 | 0.62x1":   "Down",
		" tokens=b/a\n1 up book 0.49x1 | 0.51x1":     "Down", // 0.50 each
		" tokens=a/b\n1 up book 0.49x1 | 0.51x1":     "Up",
		" tokens=b/a mirrored=no\n1 up price 0.01":   "Up",
		" tokens=a/b mirrored=no\n1 down price 0.01": "Down",
	} {
		x := seen(t, head+captures)
		looked := 0
		c := tape.Choose(tape.MakeCandidates(either, x.Market, false), x, second(x, 3), true, func(*tape.Candidate, bool) { looked++ })
		require.NotNil(t, c, captures)
		require.Equal(t, want, x.Market.Tokens[c.Token].Label, captures)
		require.Equal(t, 2, looked)
	}
}

// TestNamed: the instants that times name, from the start on and before the end, in order,
// each once.
func TestNamed(t *testing.T) {
	t.Parallel()
	x := seen(t, head)
	list := []strategy.Condition{
		condition(strategy.TimeRemaining, "", strategy.LTE, 60), condition(strategy.TimeElapsed, "", strategy.GTE, 240),
		condition(strategy.TimeElapsed, "", strategy.GTE, 300), condition(strategy.TimeElapsed, "", strategy.LTE, 0), condition(strategy.TimeRemaining, "", strategy.GT, 300),
		condition(strategy.TimeRemaining, "", strategy.GT, 301), condition(strategy.TimeElapsed, "", strategy.GT, 30.5), condition(strategy.BestBid, strategy.TokenSame, strategy.GT, 0.5),
	}
	require.Equal(t, []market.Instant{second(x, 0), second(x, 30.5), second(x, 240)}, tape.NamedBy(list, x.Market))
	require.Empty(t, tape.NamedBy(nil, x.Market))
}

// TestAheadMissesNothing: of any entry, over instants at which nothing is captured: it holds
// at none outside what Ahead says that it opens and closes at, and it begins to hold at an
// instant that its times name, or behind one that Passes had told of.
func TestAheadMissesNothing(t *testing.T) {
	t.Parallel()
	began, inside := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x := seen(t, head+`
			-5 up book 0.40x1 | 0.42x1
			3 up book 0.50x1 | 0.52x1
			6 up book 0.46x1 | 0.48x1
			9 up book 0.60x1 | 0.62x1`)
		var entry []strategy.Condition
		for range 1 + rng.IntN(3) {
			cmp := []strategy.Comparator{strategy.LT, strategy.LTE, strategy.GT, strategy.GTE}[rng.IntN(4)]
			c := condition(strategy.TimeElapsed, "", cmp, float64(10+rng.IntN(12)))
			switch rng.IntN(4) {
			case 0:
				c = condition(strategy.TimeRemaining, "", cmp, float64(280+rng.IntN(11)))
			case 1:
				c = condition(strategy.BestBid, strategy.TokenSame, strategy.GTE, 0.55)
				c.WithinSeconds = 10 + rng.IntN(12)
			case 2:
				c = condition(strategy.PriceChange, strategy.TokenSame, cmp, float64(rng.IntN(20))/100)
				c.WithinSeconds = 2 + rng.IntN(16)
			}
			entry = append(entry, c)
		}
		c := tape.Candidate{Token: 0, All: tape.MakeTests(entry, x.Market, 0)}
		w, named := tape.AheadOf([]tape.Candidate{c}, x.Market), tape.NamedBy(entry, x.Market)
		held, next := c.Holds(x, second(x, 9), false), w.Passes(x, second(x, 9))
		for step := 1; step <= 60; step++ {
			for _, beside := range []market.Instant{-1, 0, 1} {
				at := second(x, 9+float64(step)/4) + beside
				holds := c.Holds(x, at, false)
				if holds {
					inside++
					require.True(t, w.Opens <= at && at <= w.Closes, "seed %d at %d: %+v", seed, at-x.Market.Start, entry)
				}
				if holds && !held && !slices.Contains(named, at) {
					began++
					require.LessOrEqual(t, next, at, "seed %d: begins to hold at %d: %+v", seed, at-x.Market.Start, entry)
				}
				held, next = holds, w.Passes(x, at)
			}
		}
	}
	require.Greater(t, began, 40)
	require.Greater(t, inside, 1000)
}

// TestGatesAreWhereAnEntryHolds: of one test of a best price or of type price a top passes
// the gate exactly where the test holds; of several the gates of an entry keep out no top at
// which all of them hold.
func TestGatesAreWhereAnEntryHolds(t *testing.T) {
	t.Parallel()
	x := seen(t, head+" mirrored\n1 up book 0.40x1 | 0.42x1")
	x.Partial = true
	held, kept := 0, 0
	for seed := range uint64(20_000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		side := func(low int) int16 {
			if rng.IntN(8) == 0 {
				return int16(market.NoPrice)
			}
			return int16(low + rng.IntN(6)*[]int{100, 10, 1}[rng.IntN(3)])
		}
		top := market.Top{At: second(x, 5), Bid: side(4800), Ask: side(4850), Trade: side(4800)}
		if rng.IntN(10) == 0 {
			top.Bid, top.Ask = market.NoLadder, market.NoLadder
		}
		var entry []strategy.Condition
		for range 1 + rng.IntN(2) {
			c := condition([]strategy.Type{strategy.BestBid, strategy.BestAsk, strategy.Price}[rng.IntN(3)],
				[]strategy.Token{strategy.TokenUp, strategy.TokenDown}[rng.IntN(2)],
				[]strategy.Comparator{strategy.LT, strategy.LTE, strategy.GT, strategy.GTE}[rng.IntN(4)], 0)
			c.Threshold = strategy.Number(480_000 + rng.IntN(60)*[]int{1000, 100, 50, 1}[rng.IntN(4)])
			if c.Token == strategy.TokenDown {
				c.Threshold = strategy.One - c.Threshold
			}
			entry = append(entry, c)
		}
		c := tape.Candidate{Token: 0, All: tape.MakeTests(entry, x.Market, 0)}
		x.Show(&top)
		holds := x.Started && c.Holds(x, top.At, true)
		w := skim.Watch{After: top.At - 1, Until: market.Latest, Gates: tape.AheadOf([]tape.Candidate{c}, x.Market).Gates}
		require.Len(t, w.Gates, len(entry))
		tops := skim.New(&market.Tops{Read: func(int) ([]market.Top, bool, error) { return []market.Top{top}, false, nil }})
		passes := tops.Next(w) == top.At
		require.Equal(t, holds, passes && x.Started, "seed %d: %+v, %+v", seed, top, entry)
		if held += boolean(holds); !passes {
			kept++
		}
	}
	require.Greater(t, min(held, kept), 3000)
	two := []tape.Candidate{{Token: 0}, {Token: 1}}
	for i := range two {
		two[i].All = tape.MakeTests([]strategy.Condition{condition(strategy.BestBid, strategy.TokenSame, strategy.GT, 0.5)}, x.Market, i)
	}
	require.Empty(t, tape.AheadOf(two, x.Market).Gates, "either of two may hold")
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestLacksDepth: an entry lacks depth where it does not hold and would if all that it asks
// of depth were given, whatever else it asks and in whichever order it was said.
func TestLacksDepth(t *testing.T) {
	t.Parallel()
	x := seen(t, ladder)
	r := rand.New(rand.NewPCG(3, 5))
	types := []strategy.Type{strategy.BestAsk, strategy.BestBid, strategy.Spread, strategy.TimeElapsed, strategy.AskDepth, strategy.BidDepth, strategy.Imbalance}
	lacking := 0
	for range 4000 {
		s := strategy.Strategy{Market: strategy.MarketSpec{Coin: "BTC", Type: "5m"}, Side: strategy.Up,
			Exit: strategy.Exit{HoldToExpiry: true}, BudgetPerTrade: strategy.Int(100), SampleSize: 50}
		for _, k := range r.Perm(len(types))[:1+r.IntN(len(types))] {
			c := condition(types[k], strategy.TokenUp, strategy.GTE, float64(1+r.IntN(99))/100)
			switch types[k] {
			case strategy.TimeElapsed:
				c.Token, c.Threshold = "", strategy.Number((1+r.Int64N(20))*1e6)
			case strategy.AskDepth, strategy.BidDepth:
				c.Threshold *= 20
			}
			if r.IntN(2) == 0 {
				c.Comparator = strategy.LT
			}
			s.Entry = append(s.Entry, c)
		}
		canonical, err := strategy.Canonicalize(s)
		require.NoError(t, err)
		c := &tape.MakeCandidates(canonical, x.Market, false)[0]
		at := second(x, 10)
		want := !c.Holds(x, at, true) && c.May(x, at)
		require.Equal(t, want, c.LacksDepth(x, at), "%+v", s.Entry)
		if want {
			lacking++
		}
	}
	require.Greater(t, lacking, 200)
	require.Less(t, lacking, 3800)
}
