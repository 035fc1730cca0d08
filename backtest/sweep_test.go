package backtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

func swept(t testing.TB, src replay.Source, o backtest.SweepOptions, p replay.Parallel, vary ...string) *backtest.Sweep {
	t.Helper()
	var axes []backtest.SweepAxis
	for _, text := range vary {
		a, err := backtest.ParseSweepAxis(text)
		require.NoError(t, err)
		axes = append(axes, a)
	}
	s, _, err := backtest.RunSweep(context.Background(), src, strategytest.Canonicalize(backtesttest.Strategy()), axes, o, p, nil)
	require.NoError(t, err)
	return s
}

func sweepOptions() backtest.SweepOptions {
	return backtest.SweepOptions{Options: replay.DefaultOptions()}
}

// The JSON is the same on any number of workers, and the strategy's own row is what
// a backtest says.
func TestSweepIsThatOfBacktests(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 60)
	var want []byte
	for _, workers := range []int{1, 3} {
		s := swept(t, src, sweepOptions(), replay.Parallel{Workers: workers}, "exit.take_profit=0.45:0.65:0.05", "exit.stop_loss=0.1:0.4:0.1")
		b := backtest.SweepBody{Prompt: "x", Strategy: strategytest.Canonicalize(backtesttest.Strategy()), Sweep: s}
		var out bytes.Buffer
		require.NoError(t, b.WriteJSON(&out))
		if want == nil {
			want = out.Bytes()
		}
		require.Equal(t, string(want), out.String())
	}
	s := swept(t, src, sweepOptions(), replay.Parallel{}, "exit.take_profit=0.45:0.65:0.05", "exit.stop_loss=0.1:0.4:0.1")
	require.Equal(t, 20, s.Combinations)
	require.Len(t, s.Invalid, 5, "a stop of 0.4 is above the entry")
	require.Len(t, s.Variants, 15)
	require.NotZero(t, s.Own.Number)
	byNumber := s.ByNumber()
	for number := 1; number < len(byNumber); number++ {
		row := byNumber[number]
		changed := strategytest.Changed(strategytest.Canonicalize(backtesttest.Strategy()), func(c *strategy.Strategy) {
			c.Exit.TakeProfit, c.Exit.StopLoss = row.Values[0], row.Values[1]
		})
		r, err := backtest.Run(context.Background(), src, changed, backtest.DefaultOptions(), replay.Parallel{})
		require.NoError(t, err)
		require.Equal(t, r.MarketsTraded, row.Trades)
		require.Equal(t, r.TotalPnL, row.TotalPnL)
		require.Equal(t, r.Stats.MeanPnL, row.MeanPnL)
		require.Equal(t, r.Stats.MeanPnLInterval, row.Interval)
		require.Equal(t, r.Stats.Verdict, row.Verdict)
		require.Equal(t, r.Analysis.ReturnOnStake, row.ReturnOnStake)
	}
	var document struct {
		Sweep struct {
			Verdict     string
			Cells       []int
			Variants    []struct{ Number int }
			WalkForward struct{ Blocks []any } `json:"walk_forward"`
		}
	}
	require.NoError(t, json.Unmarshal(want, &document))
	require.Len(t, document.Sweep.Cells, 20)
	require.Len(t, document.Sweep.Variants, 15)
	require.NotEmpty(t, document.Sweep.Verdict)
	require.NotEmpty(t, document.Sweep.WalkForward.Blocks)
}

// Tries made elsewhere deflate the best further; the same receipt is the same
// result, and another range another receipt.
func TestSweepCountsEarlierTries(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 60)
	first := swept(t, src, sweepOptions(), replay.Parallel{}, "exit.take_profit=0.45:0.65:0.05")
	again := swept(t, src, sweepOptions(), replay.Parallel{}, "exit.take_profit=0.45:0.65:0.05")
	require.Equal(t, first.Receipt, again.Receipt)
	o := sweepOptions()
	o.AlsoTried = 5000
	more := swept(t, src, o, replay.Parallel{}, "exit.take_profit=0.45:0.65:0.05")
	require.Equal(t, 5005, more.Tried)
	require.NotNil(t, first.Best)
	require.Greater(t, more.Best.ExpectedMaxSharpe, first.Best.ExpectedMaxSharpe)
	require.LessOrEqual(t, more.Best.Probability, first.Best.Probability)
	require.NotEqual(t, first.Receipt.Options, more.Receipt.Options)
	o = sweepOptions()
	o.Deflation = backtest.DeflateByScatter
	other14 := swept(t, src, o, replay.Parallel{}, "exit.take_profit=0.45:0.65:0.05")
	require.Equal(t, backtest.DeflateByScatter, other14.Best.Deflation)
	require.Equal(t, first.Best.Beside, other14.Best.Deflated)
	require.NotEqual(t, first.Receipt.Options, other14.Receipt.Options)
	require.Equal(t, first.Receipt.Data, more.Receipt.Data)
	other := swept(t, src, sweepOptions(), replay.Parallel{}, "exit.take_profit=0.45:0.6:0.05")
	require.NotEqual(t, first.Receipt.Options, other.Receipt.Options)
}

func TestSweepOfNothing(t *testing.T) {
	t.Parallel()
	s := swept(t, &replaytest.Archive{}, sweepOptions(), replay.Parallel{}, "exit.take_profit=0.45:0.6:0.05")
	require.Equal(t, backtest.SweepNotEnough, s.Verdict)
	require.Nil(t, s.Best)
	require.Nil(t, s.FirstRound)
	require.Empty(t, s.WalkForward.Blocks)
}
