package backtest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

func TestRun(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 12)
	o := backtest.DefaultOptions()
	o.Include = []backtest.Include{backtest.IncludeFills, backtest.IncludeSensitivity}
	r := backtesttest.Run(t, src, backtesttest.Strategy(), o)
	require.Equal(t, 12, r.MarketsFound)
	require.Equal(t, 12, r.MarketsTraded)
	require.NotNil(t, r.Baseline.Value)
	require.Len(t, r.Sensitivity, 32)
	// The combination of the options themselves gives the total itself.
	require.Equal(t, r.TotalPnL, r.Sensitivity[8+1].TotalPnL)
	require.True(t, r.Intact())
}

func TestRunIsTheSameOnAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 40)
	s := strategytest.Canonicalize(backtesttest.Strategy())
	o := backtest.DefaultOptions()
	o.Include = []backtest.Include{backtest.IncludeFills, backtest.IncludeSensitivity}
	var want *backtest.Report
	for _, workers := range []int{1, 2, 7} {
		r, err := backtest.Run(context.Background(), src, s, o, replay.Parallel{Workers: workers})
		require.NoError(t, err)
		if want == nil {
			want = r
		}
		require.Equal(t, string(backtesttest.Marshal(t, want)), string(backtesttest.Marshal(t, r)))
	}
}

// TestRunWithAndWithoutFills: a report without the executions, whose orders the tops
// may fill, is the one with them, without them, and those say of every order which
// capture it met.
func TestRunWithAndWithoutFills(t *testing.T) {
	t.Parallel()
	traded, proven := 0, 0
	for seed := range uint64(40) {
		random := replaytest.NewRandom(seed + 11_000_000)
		src := replaytest.Topped{Archive: random.Archive(6)}
		s, o := random.Strategy(), backtest.DefaultOptions()
		o.Options = random.Options()
		less, err := backtest.Run(t.Context(), src, s, o, replay.Parallel{})
		require.NoError(t, err)
		o.Include = []backtest.Include{backtest.IncludeFills}
		r, err := backtest.Run(t.Context(), src, s, o, replay.Parallel{})
		require.NoError(t, err)
		for i := range r.Trades {
			for _, l := range r.Trades[i].Legs {
				require.Equal(t, l.Action == replay.Settle, l.AsOf == nil)
			}
			r.Trades[i].Legs = nil
			traded++
		}
		r.Options, r.Receipt = less.Options, less.Receipt // of what was asked for
		require.Equal(t, string(backtesttest.Marshal(t, less)), string(backtesttest.Marshal(t, r)), "seed %d", seed)
		found, err := replay.Run(t.Context(), src, replay.Case{Strategy: s, Options: o.Options}, replay.Parallel{Undated: true})
		require.NoError(t, err)
		for _, trade := range found.Trades {
			if trade.Legs[0].AsOf == 0 {
				proven++
			}
		}
	}
	require.Greater(t, traded, 20)
	require.Positive(t, proven)
}

func TestRunCountsItsProgress(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 5)
	s := strategytest.Canonicalize(backtesttest.Strategy())
	for _, baseline := range []bool{true, false} {
		o := backtest.DefaultOptions()
		o.Baseline = baseline
		last, total := 0, 5
		if baseline {
			total = 10
		}
		_, err := backtest.Run(context.Background(), src, s, o, replay.Parallel{Progress: func(done, of int) {
			require.GreaterOrEqual(t, done, last)
			require.Equal(t, total, of)
			last = done
		}})
		require.NoError(t, err)
		require.Equal(t, total, last)
	}
}

// The largest budget, five times over, is beyond what a strategy may say.
func TestSensitivityOfTheLargestBudget(t *testing.T) {
	t.Parallel()
	s := backtesttest.Strategy()
	s.BudgetPerTrade = strategy.Int(1_000_000)
	o := backtest.DefaultOptions()
	o.Include = []backtest.Include{backtest.IncludeSensitivity}
	r := backtesttest.Run(t, backtesttest.Archive(t, 2), s, o)
	require.Equal(t, 5_000_000*stats.One, r.Sensitivity[3].Budget)
}

// An entry at the very start makes a baseline at 0 seconds.
func TestBaselineAtTheStart(t *testing.T) {
	t.Parallel()
	s := backtesttest.Strategy()
	s.Entry = nil
	s.Exit = strategy.Exit{HoldToExpiry: true}
	r := backtesttest.Run(t, backtesttest.Archive(t, 3), s, backtest.DefaultOptions())
	require.Equal(t, 3, r.MarketsTraded)
	require.Equal(t, 0, r.Baseline.Value.EntrySeconds)
	require.Equal(t, stats.Decimal(0), *r.Baseline.Value.ExcessMeanPnL)
}

// Whatever strategy traded, its baseline is a strategy that the engine takes.
func TestBaselineIsAlwaysValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strategytest.Canonical().Draw(t, "strategy")
		length, ok := strategy.Length(s.Market().Type)
		if !ok {
			length = market.Day
		}
		clock := length
		switch {
		case s.Exit().ExitBeforeSeconds > 0:
			clock -= market.Span(s.Exit().ExitBeforeSeconds) * market.Second
		case !s.Exit().HoldToExpiry:
			clock -= market.Second
		}
		// A signal comes before the clock exit and before the end.
		at := rapid.Int64Range(0, int64(clock)-1).Draw(t, "signal")
		round := backtesttest.Round(0, true)
		one := backtesttest.Trade(round)
		one.Signal = round.Market.Start + market.Instant(at)
		_, ok = backtest.BaselineCase(replay.Case{Strategy: s, Options: replay.DefaultOptions()}, []*replay.Trade{one})
		require.True(t, ok)
	})
}
