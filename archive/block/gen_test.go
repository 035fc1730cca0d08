package block_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// drawCaptures draws captures of one token and stream in receive order.
func drawCaptures(t *rapid.T, s block.Stream, most int) []market.Capture {
	g := &generator{t: t,
		unit:  market.Price(rapid.SampledFrom([]int{1, 10, 50, 100, 2500}).Draw(t, "price unit")),
		clock: market.Instant(rapid.SampledFrom([]int{1, 1000, 1_000_000}).Draw(t, "clock unit")),
		recv:  market.Instant(rapid.SampledFrom([]int64{1, 1_776_081_409_871_942, 253_390_000_000_000_000}).Draw(t, "start")),
	}
	n := rapid.IntRange(1, most).Draw(t, "captures")
	out := make([]market.Capture, n)
	for i := range out {
		g.times(&out[i])
		switch s {
		case block.Books:
			g.book(&out[i])
		case block.Quotes:
			g.quote(&out[i])
		case block.Trades:
			g.trade(&out[i])
		case block.Metrics:
			g.metric(&out[i])
		}
	}
	return out
}

type generator struct {
	t           *rapid.T
	unit        market.Price
	clock, recv market.Instant
	bids, asks  []market.Level // the ladder after the last KindBook or KindChange
	known       bool
}

func (g *generator) times(c *market.Capture) {
	step := rapid.SampledFrom([]market.Instant{0, 1, 7, 1000, 90_000}).Draw(g.t, "step")
	g.recv += step * g.clock
	c.Recv = g.recv
	if rapid.IntRange(0, 3).Draw(g.t, "has exch") > 0 {
		c.Exch = max(1, g.recv/1000*1000+market.Instant(rapid.IntRange(-3, 3).Draw(g.t, "lag"))*g.clock)
	}
	if step == 0 {
		c.Ord = rapid.SampledFrom([]uint32{0, 1, 2, 1 << 31, 1<<32 - 1}).Draw(g.t, "ord")
	}
}

func (g *generator) price() market.Price {
	return g.unit * market.Price(rapid.IntRange(0, int(market.PriceOne/g.unit)).Draw(g.t, "price"))
}

func (g *generator) size() market.Size {
	switch rapid.IntRange(0, 5).Draw(g.t, "size kind") {
	case 0:
		return 0
	case 1:
		return market.Size(rapid.Int64Range(0, 1<<63-1).Draw(g.t, "size"))
	case 2:
		return market.Size(rapid.IntRange(0, 200).Draw(g.t, "cents")) * market.SizeOne / 100
	default:
		return market.Size(rapid.SampledFrom([]int{5, 10, 20, 100}).Draw(g.t, "shares")) * market.SizeOne
	}
}

// levels draws changes of one side, best first.
func (g *generator) levels(bid bool, most int) []market.Level {
	n := rapid.IntRange(0, most).Draw(g.t, "levels")
	var out []market.Level
	for range n {
		p := g.price()
		if !slices.ContainsFunc(out, func(l market.Level) bool { return l.Price == p }) {
			out = append(out, market.Level{Price: p, Size: g.size()})
		}
	}
	sortBest(out, bid)
	return out
}

func sortBest(l []market.Level, bid bool) {
	slices.SortFunc(l, func(a, b market.Level) int {
		if bid {
			return int(b.Price - a.Price)
		}
		return int(a.Price - b.Price)
	})
}

// changed returns the side that changes lead to, in the simplest way.
func changed(side, changes []market.Level, bid bool) []market.Level {
	at := map[market.Price]market.Size{}
	for _, l := range slices.Concat(side, changes) {
		at[l.Price] = l.Size
	}
	out := []market.Level{}
	for p, s := range at {
		if s != 0 {
			out = append(out, market.Level{Price: p, Size: s})
		}
	}
	sortBest(out, bid)
	return out
}

func (g *generator) book(c *market.Capture) {
	kind := rapid.IntRange(0, 9).Draw(g.t, "kind")
	switch {
	case kind == 0:
		c.Kind = market.KindReset
		return
	case kind == 1:
		c.Kind, c.Trade.Price = market.KindTick, g.price()
		return
	case kind <= 4:
		c.Kind = market.KindChange
	default:
		c.Kind = market.KindBook
	}
	c.Bids, c.Asks = g.levels(true, 6), g.levels(false, 6)
	bids, asks := changed(g.bids, c.Bids, true), changed(g.asks, c.Asks, false)
	if c.Kind == market.KindBook {
		// Either the message's whole ladder, or the difference.
		if kind > 5 || !g.known {
			c.Replace, c.Bids, c.Asks = true, bids, asks
		}
		g.known = true
	}
	if g.known {
		g.bids, g.asks = bids, asks
	}
}

func (g *generator) quote(c *market.Capture) {
	if rapid.Bool().Draw(g.t, "price alone") {
		c.Kind, c.Trade.Price = market.KindPrice, g.price()
		return
	}
	c.Kind = market.KindQuote
	for _, l := range []*market.Level{&c.Quote.Bid, &c.Quote.Ask} {
		l.Price = market.NoPrice
		if rapid.Bool().Draw(g.t, "has side") {
			*l = market.Level{Price: g.price(), Size: g.size()}
		}
	}
}

func (g *generator) trade(c *market.Capture) {
	c.Kind = market.KindTrade
	c.Trade = market.Trade{Price: g.price(), Size: g.size(), Side: market.Side(rapid.IntRange(0, 2).Draw(g.t, "side"))}
}

func (g *generator) metric(c *market.Capture) {
	c.Kind = market.KindMetric
	for _, v := range []*market.Cash{&c.Metric.Liquidity, &c.Metric.Volume} {
		*v = market.NoMetric
		if rapid.Bool().Draw(g.t, "given") {
			*v = market.Cash(g.size())
		}
	}
}
