package drawn

import (
	"errors"
	"slices"

	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Strategies generates canonical strategies for the archive, such that something
// happens on it: thresholds are prices that occur in it or a tick beside them,
// times are those of its captures, budgets are near what its ladders hold.
func Strategies(a *replaytest.Archive) *rapid.Generator[strategy.Canonical] {
	return rapid.Custom(func(t *rapid.T) strategy.Canonical {
		d := newPlanner(t, a)
		for range 20 {
			if s, ok := mended(d.strategy()); ok {
				return s
			}
		}
		t.Skip("no valid strategy")
		return strategy.Canonical{}
	})
}

// Options generates options under which orders are filled, and refused for
// every reason.
func Options() *rapid.Generator[replay.Options] {
	return rapid.Custom(func(t *rapid.T) replay.Options {
		o := replay.DefaultOptions()
		o.LatencyMS = pick[int64](t, "latency", 250, 0, 1000, 1, 3000, 10_000, 31_000)
		o.MaxSlippage = pick[replay.Slippage](t, "slippage", 50_000, replay.NoCap, 0, 10_000, 5_050, 100_000, 999)
		o.StaleMS = pick[replay.Stale](t, "stale", replay.StaleDefault, replay.StaleDefault, 0, 1000, 500, 250, 30_000)
		if one(t, 5, "coverage") {
			o.MinCoverage = pick[replay.Share](t, "min coverage", 500_000, 1, 200_000, 900_000, replay.AllOfIt)
		}
		if one(t, 3, "no fees") {
			o.Fees = replay.FeesNone
		}
		if one(t, 3, "inferred winners") {
			o.Winners = replay.WinnersInferred
		}
		if one(t, 3, "random sample") {
			o.Sampling = replay.Random
			o.Seed = rapid.Int64Range(-2, 5).Draw(t, "seed")
		}
		if one(t, 6, "from") {
			from := pick(t, "first end", append(feeDates(), 1776088800*market.Second)...)
			o.From = &from
		}
		if one(t, 6, "to") {
			to := pick(t, "last end", append(feeDates(), 1776088800*market.Second)...)
			if o.From == nil || *o.From < to {
				o.To = &to
			}
		}
		return o
	})
}

// mended drops from s what breaks a rule between fields until it is valid.
func mended(s strategy.Strategy) (strategy.Canonical, bool) {
	for range 12 {
		c, err := strategy.Canonicalize(s)
		if err == nil {
			return c, true
		}
		var fault *strategy.Error
		if !errors.As(err, &fault) {
			return strategy.Canonical{}, false
		}
		switch {
		case fault.Field == "strategy.exit.take_profit":
			s.Exit.TakeProfit = nil
		case fault.Field == "strategy.exit.stop_loss":
			s.Exit.StopLoss = nil
		case fault.Field == "strategy.exit.exit_before_seconds":
			s.Exit.ExitBeforeSeconds = 0
		case len(s.EntryAny) > 0:
			s.EntryAny = nil
		case s.Exit.ExitBeforeSeconds != 0:
			s.Exit.ExitBeforeSeconds = 0
		case len(s.Entry) > 0:
			s.Entry = s.Entry[:len(s.Entry)-1]
		default:
			return strategy.Canonical{}, false
		}
	}
	return strategy.Canonical{}, false
}

// planner draws the parts of a strategy for an archive.
type planner struct {
	t       *rapid.T
	side    strategy.Side
	prices  [2][]market.Price // that occur, by token
	elapsed []market.Span     // of the captures, from 0 to the end of their round
	length  int               // seconds of the longest round
}

func newPlanner(t *rapid.T, a *replaytest.Archive) *planner {
	d := &planner{t: t, prices: [2][]market.Price{{5000}, {5000}}, elapsed: []market.Span{0}, length: 1}
	for _, r := range a.All {
		m := &r.Market
		d.length = max(d.length, int((m.End-m.Start)/market.Second))
		for i := range r.Captures {
			c := &r.Captures[i]
			if since := c.Recv - m.Start; since >= 0 && since <= m.End-m.Start {
				d.elapsed = append(d.elapsed, since)
			}
			for _, l := range slices.Concat(c.Bids, c.Asks, []market.Level{c.Quote.Bid, c.Quote.Ask, {Price: c.Trade.Price}}) {
				if l.Price > 0 && l.Price < market.PriceOne {
					d.prices[c.Token] = append(d.prices[c.Token], l.Price)
					d.prices[1-c.Token] = append(d.prices[1-c.Token], l.Price.Mirror())
				}
			}
		}
	}
	d.length = min(d.length, 300)
	return d
}

func (d *planner) strategy() strategy.Strategy {
	t := d.t
	s := strategy.Strategy{
		Market: strategy.MarketSpec{
			Coin: pick(t, "strategy's coin", strategy.Any, strategy.Any, "BTC"),
			Type: pick(t, "strategy's type", strategy.Any, strategy.Any, "5m"),
		},
		Side:       pick(t, "side", strategy.Up, strategy.Down, strategy.Either),
		Entry:      []strategy.Condition{},
		SampleSize: pick(t, "sample", 50, 50, 1, 2, 3),
	}
	d.side = s.Side
	for range pick(t, "conditions", 1, 0, 1, 2, 1, 3) {
		s.Entry = append(s.Entry, d.condition())
	}
	if one(t, 4, "alternatives") {
		for range rapid.IntRange(2, 3).Draw(t, "groups") {
			var group []strategy.Condition
			for range rapid.IntRange(1, 2).Draw(t, "in group") {
				group = append(group, d.condition())
			}
			s.EntryAny = append(s.EntryAny, group)
		}
	}
	s.BudgetPerTrade = strategy.Number(pick[int64](t, "budget",
		50_000_000, 5_000_000, 1_000_000, 500_000, 10_000, 1_000_000_000_000, 300_000_000, 1_234_567, 5_000))
	s.Exit = d.exit()
	return s
}

// price draws a price of one of the tokens, or one beside it.
func (d *planner) price(token int) market.Price {
	p := rapid.SampledFrom(d.prices[token]).Draw(d.t, "price that occurs")
	p += pick[market.Price](d.t, "beside", 0, 0, 0, 100, -100, 50, -50, 1, -1)
	return min(max(p, 1), market.PriceOne-1)
}

// reads is the index of the token whose prices a condition on tok will see; for
// side either one of both.
func (d *planner) reads(tok strategy.Token) int {
	switch tok {
	case strategy.TokenUp:
		return 0
	case strategy.TokenDown:
		return 1
	}
	return rapid.IntRange(0, 1).Draw(d.t, "prices of")
}

// since draws a time from the start: of a capture, near it, or any.
func (d *planner) since() market.Span {
	at := rapid.SampledFrom(d.elapsed).Draw(d.t, "time of a capture")
	at += pick(d.t, "off it", 0, 0, 250*market.Millisecond, -250*market.Millisecond, 1, market.Second)
	return min(max(at, 0), market.Span(d.length)*market.Second)
}

func (d *planner) wholeSeconds(label string) int {
	if one(d.t, 2, "any seconds") {
		return rapid.IntRange(1, d.length).Draw(d.t, label)
	}
	return max(1, int(d.since()/market.Second))
}

func (d *planner) condition() strategy.Condition {
	t := d.t
	kind := pick(t, "condition", strategy.Price, strategy.BestAsk, strategy.Price, strategy.BestBid, strategy.TimeElapsed,
		strategy.TimeRemaining, strategy.PriceChange, strategy.Spread, strategy.AskDepth, strategy.BidDepth, strategy.Imbalance)
	c := strategy.Condition{
		Type:       kind,
		Comparator: pick(t, "comparator", strategy.LTE, strategy.GTE, strategy.LT, strategy.GT),
	}
	if kind.IsLevel() && one(t, 3, "crossing") {
		c.Comparator = pick(t, "which crossing", strategy.CrossesAbove, strategy.CrossesBelow)
	}
	if !kind.IsTime() {
		c.Token = pick(t, "token", d.side.Held(), d.side.Held(), d.side.Other())
	}
	token := d.reads(c.Token)
	switch kind {
	case strategy.Price, strategy.BestAsk, strategy.BestBid:
		c.Threshold = strategytest.PriceNumber(d.price(token))
	case strategy.Spread:
		c.Threshold = strategytest.PriceNumber(pick[market.Price](t, "spread", 200, 0, 100, 300, 1000, 20))
	case strategy.AskDepth, strategy.BidDepth:
		c.Threshold = strategy.Number(pick[int64](t, "dollars", 10, 0, 1, 50, 3, 200)) * strategy.One
	case strategy.Imbalance:
		c.Threshold = strategytest.PriceNumber(pick[market.Price](t, "ratio", 5000, 0, 10_000, 3000, 8000, 6667))
	case strategy.PriceChange:
		c.Threshold = strategytest.PriceNumber(pick[market.Price](t, "change", 0, 100, -100, 200, -300, 50))
		c.WithinSeconds = d.wholeSeconds("look back")
	case strategy.TimeElapsed, strategy.TimeRemaining:
		c.Threshold = strategy.Number(d.since())
		if kind == strategy.TimeRemaining && one(t, 2, "from the end") {
			c.Threshold = strategy.Int(d.wholeSeconds("seconds left"))
		}
	}
	if kind.IsLevel() && one(t, 4, "bounded") {
		c.WithinSeconds = d.wholeSeconds("within")
	}
	return c
}

func (d *planner) exit() strategy.Exit {
	t := d.t
	held := d.reads(d.side.Held())
	e := strategy.Exit{HoldToExpiry: !one(t, 3, "not to the end")}
	offset := func(label string) *strategy.Number {
		return strategytest.PriceNumber(pick[market.Price](t, label, 100, 200, 50, 1, 500)).Ptr()
	}
	switch pick(t, "target", 0, 1, 1, 2) {
	case 1:
		e.TakeProfit = strategytest.PriceNumber(d.price(held)).Ptr()
	case 2:
		e.TakeProfitOffset = offset("take profit offset")
	}
	switch pick(t, "stop", 0, 1, 2, 2, 3) {
	case 3: // at once, or as soon as it may
		e.StopLoss = strategy.Cents(99).Ptr()
	case 1:
		e.StopLoss = strategytest.PriceNumber(d.price(held)).Ptr()
	case 2:
		e.StopLossOffset = offset("stop loss offset")
	}
	if one(t, 4, "trail") {
		e.TrailingStop = offset("trailing stop")
	}
	if one(t, 4, "hold at most") {
		e.MaxHoldSeconds = pick(t, "seconds held", 1, 2, 5, 20)
	}
	if one(t, 5, "exit before") {
		e.ExitBeforeSeconds = d.wholeSeconds("exit before the end")
		e.HoldToExpiry = false
	}
	return e
}
