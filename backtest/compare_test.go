package backtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/strategy"
)

func comparison(t *testing.T, a, b *backtest.Body) *backtest.Comparison {
	t.Helper()
	c, err := backtest.Compare(a, b)
	require.NoError(t, err)
	return c
}

func TestCompareEqualRuns(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 4)
	a := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	b := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	b.Prompt = "the same in other words"
	c := comparison(t, a, b)
	require.True(t, c.Same)
	require.Equal(t, 4, c.Equal)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 6)
	a := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	s := backtesttest.Strategy()
	s.Exit.TakeProfit = strategy.Cents(58).Ptr()
	s.SampleSize = 5
	o := backtest.DefaultOptions()
	o.LatencyMS = 1000
	o.Include = []backtest.Include{backtest.IncludeFills}
	b := backtesttest.Saved(t, src, s, o)
	c := comparison(t, a, b)
	require.False(t, c.Same)
	require.Len(t, c.OnlyA, 1)
	require.Empty(t, c.OnlyB)
	require.Equal(t, 5, c.Equal+len(c.Changed))
	changed := map[string]bool{}
	for _, f := range c.Fields {
		changed[f.Field] = true
	}
	require.True(t, changed["strategy.exit.take_profit"])
	require.True(t, changed["options.latency_ms"])
	require.True(t, changed["report.receipt.data"])

	back := comparison(t, b, a)
	require.Len(t, back.OnlyB, len(c.OnlyA))
	require.Len(t, back.Changed, len(c.Changed))
	for i := range c.Changed {
		require.Equal(t, -c.Changed[i].PnLChange, back.Changed[i].PnLChange)
	}
}
