package backtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/strategy"
)

func changed(r *replay.Result, change func(*strategy.Strategy)) {
	r.Strategy = strategytest.Changed(r.Strategy, change)
}

func codes(r *backtest.Report) []backtest.Code {
	out := []backtest.Code{}
	for _, w := range r.Warnings {
		out = append(out, w.Code)
	}
	return out
}

func message(r *backtest.Report, code backtest.Code) string {
	for _, w := range r.Warnings {
		if w.Code == code {
			return w.Message
		}
	}
	return ""
}

func TestNoWarnings(t *testing.T) {
	t.Parallel()
	require.Equal(t, []backtest.Warning{}, backtesttest.Build(t, backtesttest.Quiet()).Warnings)
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code  backtest.Code
		spoil func(*replay.Result)
		says  string
	}{
		{backtest.InferredWinners, func(r *replay.Result) {
			r.Markets[0].Round.Market.Payout.Basis = market.Inferred
			r.Markets[7].Round.Market.Payout.Basis = market.Inferred
		}, "In 2 markets of the 40 replayed"},
		{backtest.NoExit, func(r *replay.Result) {
			changed(r, func(s *strategy.Strategy) { s.Exit.TakeProfit, s.Exit.StopLoss = nil, nil })
		}, "held until it settles"},
		{backtest.NoExit, func(r *replay.Result) {
			changed(r, func(s *strategy.Strategy) {
				s.Exit.TakeProfit, s.Exit.StopLoss, s.Exit.MaxHoldSeconds = nil, nil, 60
			})
		}, "only the clock"},
		{backtest.FewTrades, func(r *replay.Result) { r.Trades = r.Trades[:29] }, "29 trades over 29 distinct round ends: too few for a verdict"},
		{backtest.WeakFills, func(r *replay.Result) {
			r.Trades[0].Legs[0].Kind = fills.BestQuote
			r.Trades[0].Legs[1].Kind = fills.LastPrice
		}, "2 of the 80 fills (2.5%) were not made against a full order book: 1 against the best quote only, 1 against a bare price"},
		{backtest.Overlap, func(r *replay.Result) { r.Markets[5].Round.Market.Start -= market.Second }, "2 of the 40 markets"},
		{backtest.LowCoverage, func(r *replay.Result) { r.Markets[3].Round.Coverage, r.Markets[4].Round.Coverage = 899_999, 499_999 }, "2 of the 40 markets replayed were recorded for less than 90% of the round (1 for less than 50%)"},
		{backtest.PartialEntries, func(r *replay.Result) {
			r.Trades[0].Partial, r.Trades[1].Partial, r.Trades[1].CapBound = true, true, true
		}, "2 of the 40 entries spent less than the budget because the book ran out of asks (1 at the price cap)"},
		{backtest.SimulatedData, func(r *replay.Result) { r.Markets[3].Round.Market.Venue = market.Simulated }, "1 of the 40 markets"},
		{backtest.NoFeeSchedule, func(r *replay.Result) {
			r.Markets[3].Schedule = fills.Schedule{}
			r.Markets[3].Round.Market.Venue = "elsewhere"
		}, "for elsewhere (1 market replayed)"},
		{backtest.Defaults, func(r *replay.Result) { r.Refusals[replay.StaleBook] = 2 }, "stale_ms 30000 (2 orders refused)"},
		{backtest.Defaults, func(r *replay.Result) { changed(r, func(s *strategy.Strategy) { s.SampleSize = 50 }) }, "sample_size 50 (44 markets could"},
		{backtest.OrderLimit, func(r *replay.Result) {
			r.Markets[0].Refusals[orders.TooMany], r.Markets[0].Then[orders.TooMany] = 1, 2
			r.Markets[7].Then[orders.TooMany] = 1
			r.Markets[9].Then[orders.TooLate] = 1
		}, "2 of the 40 markets replayed sent 100 orders, as many as a round may"},
		{backtest.NoTradesHeard, func(r *replay.Result) {
			r.Markets[0].Limits = []replay.Limit{{Sent: 5, Taken: 5}, {Sent: 5, Taken: 4}}
			r.Markets[1].Limits = []replay.Limit{{Sent: 5}, {Sent: 5, Heard: true}}
			r.Markets[2].Limits = []replay.Limit{{Sent: 5, Taken: 5}}
			r.Markets[3].Limits = []replay.Limit{{Sent: 5, Rested: 5}}
		}, "In 2 of the 3 markets in which an order rested no trade was captured"},
	} {
		res := backtesttest.Quiet()
		c.spoil(res)
		r := backtesttest.Build(t, res)
		require.Equal(t, []backtest.Code{c.code}, codes(r))
		require.Contains(t, message(r, c.code), c.says)
	}
}

func TestNoFeeWarningWithoutFees(t *testing.T) {
	t.Parallel()
	res := backtesttest.Quiet()
	res.Options.Fees = replay.FeesNone
	res.Markets[3].Schedule = fills.Schedule{}
	r := backtesttest.Build(t, res)
	require.Empty(t, codes(r))
	require.Empty(t, r.FeeSchedules)
}

func TestCappedOrdersWarnTwice(t *testing.T) {
	t.Parallel()
	res := backtesttest.Quiet()
	res.Refusals[replay.Capped] = 1
	r := backtesttest.Build(t, res)
	require.Equal(t, []backtest.Code{backtest.PartialEntries, backtest.Defaults}, codes(r))
	require.Contains(t, message(r, backtest.PartialEntries), "1 order found no ask within the price cap and was refused")

	res.Options.MaxSlippage = replay.NoCap
	require.Equal(t, []backtest.Code{backtest.PartialEntries}, codes(backtesttest.Build(t, res)))
}
