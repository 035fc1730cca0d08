package backtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

func explain(t testing.TB, src replay.Source, b *backtest.Body, trade string) *backtest.Explanation {
	t.Helper()
	x, err := backtest.Explain(context.Background(), src, b, trade)
	require.NoError(t, err)
	return x
}

func TestExplainJSON(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 2)
	b := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	x := explain(t, src, b, b.Report.Trades[1].MarketSlug)
	text, err := backtest.CompactJSON(x)
	require.NoError(t, err)
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, append(text, '\n'), "", " "))
	backtesttest.Golden(t, "explain.json", pretty.Bytes())
	require.Equal(t, 2, x.Number)
}

// Every trade's explanation adds up to the trade.
func TestExplanationsAddUp(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 9)
	o := backtest.DefaultOptions()
	o.Include = []backtest.Include{backtest.IncludeFills}
	b := backtesttest.Saved(t, src, backtesttest.Strategy(), o)
	for i := range b.Report.Trades {
		want := &b.Report.Trades[i]
		x := explain(t, src, b, want.MarketID)
		require.Equal(t, *want, x.Trade)
		var paid, got, shares stats.Decimal
		for _, o := range x.Orders {
			var taken stats.Decimal
			for _, l := range o.Levels {
				taken += l.Taken
				require.LessOrEqual(t, l.Taken+l.Earlier, *l.Shown)
			}
			require.Equal(t, o.Shares, taken)
			if o.Action == replay.Buy {
				paid += o.Cash + o.Fee
				shares += o.Shares
			} else {
				got += o.Cash - o.Fee
				shares -= o.Shares
			}
		}
		if s := x.Settlement; s != nil {
			got += s.Proceeds
			shares -= s.Shares
		}
		require.Equal(t, want.Cost, paid)
		require.Equal(t, want.Proceeds, got)
		require.Zero(t, shares)
	}
}

func TestExplainRefusals(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 3)
	b := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	for _, name := range []string{"0", "4", "-1", "btc-updown-15m-1", "", "1.5"} {
		_, err := backtest.Explain(context.Background(), src, b, name)
		require.ErrorIs(t, err, backtest.ErrNoTrade, name)
	}
	_, err := backtest.Explain(context.Background(), backtesttest.Archive(t, 1), b, "3")
	require.ErrorContains(t, err, "not in the archive")
}

// Over another archive the explanation says what is not as it was saved.
func TestExplainTellsAnotherArchive(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 3)
	b := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	b.Report.Trades[2].Cost++
	require.Equal(t, []string{"cost"}, explain(t, src, b, "3").Differs)
}

// A stale_ms that was left out reads 30000 in a saved run and is off for quotes:
// the explanation takes the reading that gives the saved trade.
func TestExplainQuotes(t *testing.T) {
	t.Parallel()
	src, err := replaytest.Parse(`
		market btc-updown-15m-1776088800 winner=up
		1   up quote 0.30x100 | 0.32x100
		100 up quote 0.30x100 | 0.32x100
	`)
	require.NoError(t, err)
	s := backtesttest.Strategy()
	s.Entry = []strategy.Condition{{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(60)}}
	b := backtesttest.Saved(t, src, s, backtest.DefaultOptions())
	require.Len(t, b.Report.Trades, 1)
	x := explain(t, src, b, "1")
	require.Empty(t, x.Differs)
	require.Equal(t, backtesttest.FirstRound+60*market.Second, *x.Trade.Legs[0].Signal)

	o := backtest.DefaultOptions()
	o.StaleMS = 30_000
	b = backtesttest.Saved(t, src, s, o)
	require.Empty(t, explain(t, src, b, "1").Differs)
}

func TestPaths(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 9)
	b := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	paths, err := backtest.Paths(context.Background(), src, b.Report, b.Strategy.Market(), 4)
	require.NoError(t, err)
	require.Len(t, paths, 4)
	p := paths[0]
	require.Equal(t, 0, p.Trade)
	// The seed counts from the start on.
	require.Equal(t, backtest.PathPoint{At: backtesttest.FirstRound, Bid: 4800, Ask: 5200}, p.Points[0])
	require.Equal(t, backtest.PathPoint{At: backtesttest.FirstRound + 60*market.Second, Bid: 3300, Ask: 3400}, p.Points[1])
	all, err := backtest.Paths(context.Background(), src, b.Report, b.Strategy.Market(), 100)
	require.NoError(t, err)
	require.Len(t, all, 9)
	_, err = backtest.Paths(context.Background(), backtesttest.Archive(t, 1), b.Report, b.Strategy.Market(), 100)
	require.ErrorContains(t, err, "not in the archive")
}
