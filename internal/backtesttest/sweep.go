package backtesttest

import (
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// SweepBody is a sweep of two targets and three stops with one cell of each kind:
// the best, with an interval above zero; the strategy's own; losses, one of them
// with an interval below zero; one with too few trades; one that is no strategy.
func SweepBody(v backtest.SweepVerdict) *backtest.SweepBody {
	d := func(dollars float64) stats.Decimal { return stats.Decimal(dollars * 1e6) }
	row := func(number int, target, stop, trades int, mean float64, verdict stats.Verdict) backtest.SweepRow {
		r := backtest.SweepRow{
			Number: number, Values: []*strategy.Number{strategy.Cents(target).Ptr(), strategy.Cents(stop).Ptr()},
			Eligible: trades >= stats.MinTrades, Trades: trades, Ends: trades, WinRate: new(stats.Decimal(400_000)),
			TotalPnL: d(mean * float64(trades)), MeanPnL: new(d(mean)), Verdict: verdict, Sharpe: new(d(mean / 10)),
		}
		switch verdict {
		case stats.Positive:
			r.Interval = &stats.Interval{d(mean / 2), d(2 * mean)}
		case stats.Negative:
			r.Interval = &stats.Interval{d(2 * mean), d(mean / 2)}
		case stats.NoEdge:
			r.Interval = &stats.Interval{d(-3), d(3)}
		}
		return r
	}
	s := &backtest.Sweep{Options: backtest.SweepOptions{Options: replay.DefaultOptions()}, Report: sweep.Report{
		Axes: []sweep.Axis{
			{Field: "exit.take_profit", Values: []strategy.Number{strategy.Cents(55), strategy.Cents(60)}},
			{Field: "exit.stop_loss", Values: []strategy.Number{strategy.Cents(10), strategy.Cents(20), strategy.Cents(40)}},
		},
		Combinations: 6, Invalid: []sweep.Invalid{{
			Values: []strategy.Number{strategy.Cents(60), strategy.Cents(40)}, Reason: "exit.stop_loss: 0.4 can fire at the entry price itself",
		}},
		Tried: 5, Eligible: 4, Ends: 200, FirstRound: new(FirstRound), LastRound: new(FirstRound + 50*market.Hour), Verdict: v,
		Variants: []backtest.SweepRow{
			row(1, 55, 10, 120, 1.25, stats.Positive), row(2, 55, 20, 118, 0.4, stats.NoEdge), row(4, 60, 10, 90, -0.3, stats.NoEdge),
			row(5, 60, 20, 88, -1.5, stats.Negative), row(3, 55, 40, 12, 2, stats.NotEnough),
		},
		Cells: []int{1, 2, 3, 4, 5, 0},
	}, Warnings: []backtest.Warning{{Code: backtest.SimulatedData, Message: "These captures are simulated."}}}
	s.Funnel.Universe, s.Funnel.Resolved, s.Funnel.Captured, s.Funnel.Covered, s.Funnel.Sampled = 200, 200, 200, 200, 200
	for i := range s.Eligible {
		s.Variants[i].P = new(d([]float64{0.031, 0.4, 0.7, 1}[i]))
	}
	s.Variants[0].Survives, s.Survivors = true, 1
	s.Own = s.Variants[1]
	s.Best = &sweep.Best{
		Row: s.Variants[0], PnLPerEnd: d(0.75), MoreTrades: 60, MoreEnds: 100,
		Deflated:   sweep.Deflated{Deflation: sweep.ByNull, Tries: d(3.2), SharpeSD: d(0.07), ExpectedMaxSharpe: d(0.08), ExpectedMaxPnL: d(0.31), Probability: d(0.973)},
		Beside:     sweep.Deflated{Deflation: sweep.ByScatter, Tries: d(5), SharpeSD: d(0.1), ExpectedMaxSharpe: d(0.12), ExpectedMaxPnL: d(0.44), Probability: d(0.81)},
		SPA:        sweep.SPAFacts{P: d(0.031), Lower: d(0.03), Upper: d(0.04), Statistic: d(2.5), Median: d(1.1), High: d(2.3), Resamples: 5000},
		Neighbours: sweep.Neighbourhood{Count: 3, Eligible: 3, Positive: 1, MeanPnL: new(d(-0.466667))},
	}
	s.WalkForward = &sweep.WalkForward{
		BlockHours: 24, Choices: 1, Trades: 40, TotalPnL: d(31.5), MeanPnL: new(d(0.7875)), Interval: &stats.Interval{d(0.1), d(1.4)}, Verdict: stats.Positive,
		Blocks: []sweep.Block{
			{From: FirstRound, To: FirstRound + market.Day},
			{From: FirstRound + market.Day, To: FirstRound + 2*market.Day, PastEnds: 95, PurgedEnds: 1, Variant: new(1),
				Values: []strategy.Number{strategy.Cents(55), strategy.Cents(10)}, PastMeanPnL: new(d(1.4)), Trades: 40, TotalPnL: d(31.5), MeanPnL: new(d(0.7875))},
		},
	}
	return &backtest.SweepBody{Prompt: "Buy Up below 35c\x1b[31m <b>", Strategy: strategytest.Canonicalize(Strategy()), Sweep: s}
}
