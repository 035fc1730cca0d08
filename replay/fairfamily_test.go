package replay_test

import (
	"math/rand/v2"

	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// fairFamily returns n cases that go through every type of condition and every
// kind of exit in turn, the rest drawn at random from a fixed seed, for rounds of
// five minutes. Three in four charge no fees, which could only hide a gain.
func fairFamily(n int) []replay.Case {
	f := family{rand.New(rand.NewPCG(2, 2026))}
	var cases []replay.Case
	for i := 0; len(cases) < n; i++ {
		s, err := strategy.Canonicalize(f.strategy(len(cases)))
		if err != nil {
			continue // an empty window, an exit that fires at once
		}
		o := replay.DefaultOptions()
		if len(cases)%4 != 3 {
			o.Fees = replay.FeesNone
		}
		o.LatencyMS = oneOf[int64](f, 250, 250, 0, 1000)
		o.MaxSlippage = oneOf[replay.Slippage](f, 50_000, 50_000, 0, replay.NoCap)
		cases = append(cases, replay.Case{Strategy: s, Options: o})
	}
	return cases
}

type family struct{ *rand.Rand }

func oneOf[T any](f family, of ...T) T { return of[f.IntN(len(of))] }

// cents draws a price of whole cents, low ≤ cents ≤ high.
func (f family) cents(low, high int) strategy.Number {
	return strategy.Cents(low + f.IntN(high-low+1))
}

func (f family) strategy(i int) strategy.Strategy {
	kinds := strategy.ConditionTypes()
	s := strategy.Strategy{
		Market:         strategy.MarketSpec{Coin: "BTC", Type: "5m"},
		Side:           oneOf(f, strategy.Up, strategy.Down, strategy.Either),
		BudgetPerTrade: strategy.Int(oneOf(f, 1, 5, 20)),
		SampleSize:     10_000,
	}
	s.Entry = []strategy.Condition{f.condition(s.Side, kinds[i%len(kinds)])}
	for range f.IntN(3) {
		s.Entry = append(s.Entry, f.condition(s.Side, kinds[f.IntN(len(kinds))]))
	}
	if f.IntN(6) == 0 {
		for range 2 {
			s.EntryAny = append(s.EntryAny, []strategy.Condition{f.condition(s.Side, kinds[f.IntN(len(kinds))])})
		}
	}
	s.Exit = f.exit(i / len(kinds))
	return s
}

func (f family) condition(side strategy.Side, kind strategy.ConditionType) strategy.Condition {
	c := strategy.Condition{Type: kind.Type, Comparator: oneOf(f, kind.Comparators...)}
	if !c.Type.IsTime() {
		c.Token = oneOf(f, side.Held(), side.Held(), side.Other())
	}
	switch c.Type {
	case strategy.Price, strategy.BestAsk, strategy.BestBid:
		c.Threshold = f.cents(3, 97)
	case strategy.Spread:
		c.Threshold = f.cents(1, 4)
	case strategy.AskDepth, strategy.BidDepth:
		c.Threshold = strategy.Int(oneOf(f, 20, 100, 300, 700, 1500, 3000, 8000))
	case strategy.Imbalance:
		c.Threshold = f.cents(10, 90)
	case strategy.PriceChange:
		c.Threshold = f.cents(1, 15) * oneOf[strategy.Number](f, 1, -1)
		c.WithinSeconds = oneOf(f, 2, 5, 15, 60, 150)
	case strategy.TimeElapsed, strategy.TimeRemaining:
		c.Threshold = strategy.Int(f.IntN(290)) + oneOf[strategy.Number](f, 0, 500_000)
	}
	if c.Type.IsLevel() && f.IntN(4) == 0 {
		c.WithinSeconds = 20 + f.IntN(270)
	}
	return c
}

// exit goes through the ten kinds of exit.
func (f family) exit(i int) strategy.Exit {
	e := strategy.Exit{HoldToExpiry: true}
	target, stop := f.cents(30, 98).Ptr(), f.cents(2, 60).Ptr()
	switch i % 10 {
	case 1:
		e.TakeProfit = target
	case 2:
		e.StopLoss = stop
	case 3:
		e.TakeProfit, e.StopLoss = target, stop
	case 4:
		e.TakeProfitOffset = f.cents(1, 20).Ptr()
	case 5:
		e.StopLossOffset = f.cents(1, 20).Ptr()
	case 6:
		e.TrailingStop = f.cents(1, 15).Ptr()
	case 7:
		e.MaxHoldSeconds = 1 + f.IntN(120)
	case 8:
		e.HoldToExpiry, e.ExitBeforeSeconds = false, 1+f.IntN(150)
	case 9:
		e.HoldToExpiry = false
		e.TakeProfitOffset, e.TrailingStop = f.cents(2, 30).Ptr(), f.cents(2, 30).Ptr()
	}
	return e
}
