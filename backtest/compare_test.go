package backtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

func comparison(t *testing.T, a, b *backtest.Body) *compare.Comparison {
	t.Helper()
	c, err := compare.Runs(a, b)
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

// saved wraps a result as a run.
func saved(t *testing.T, res *replay.Result) *backtest.Body {
	t.Helper()
	return backtesttest.Body(backtesttest.Build(t, res))
}

// TestCompareAnswers: B is better when the whole interval of the mean difference
// by round is above 0; the trades are the same ones but for what was added.
func TestCompareAnswers(t *testing.T) {
	t.Parallel()
	shifted := func(by market.Cash) *backtest.Body {
		res := quiet()
		for i, tr := range res.Trades {
			tr.Proceeds += by + market.Cash(i%5)*100_000 - 200_000 // 20 cents to either side
		}
		return saved(t, res)
	}
	base := saved(t, quiet())
	for _, c := range []struct {
		by   market.Cash
		want compare.Answer
	}{{1_000_000, compare.Better}, {-1_000_000, compare.Worse}, {0, compare.NoDifference}} {
		p := comparison(t, base, shifted(c.by)).Paired
		require.Equal(t, c.want, p.Answer)
		require.Equal(t, 40, p.Rounds)
		require.True(t, p.SameSample)
		require.Equal(t, stats.Decimal(c.by), *p.MeanDifference)
		require.Less(t, p.Interval[0], *p.MeanDifference)
		require.Greater(t, p.Interval[1], *p.MeanDifference)
	}
}

// A round that one run did not trade counts with a pnl of 0 where both replayed
// the same rounds, and 29 pairs are too few for an answer.
func TestComparePairsRoundsNotTraded(t *testing.T) {
	t.Parallel()
	fewer := quiet()
	fewer.Trades = fewer.Trades[:29]
	c := comparison(t, saved(t, quiet()), saved(t, fewer))
	require.Equal(t, 40, c.Paired.Rounds)
	require.Equal(t, []compare.ExitChange{{A: "take_profit", B: "not traded", Trades: 11, PnLChange: 11 * -c.OnlyA[0].PnL}}, c.Exits)
	other := quiet()
	other.Trades = other.Trades[:29]
	other.Markets[0].Round.Content[0]++ // other data: only rounds that both traded are pairs
	p := comparison(t, saved(t, quiet()), saved(t, other)).Paired
	require.Equal(t, 29, p.Rounds)
	require.Equal(t, compare.Unknown, p.Answer)
	require.Nil(t, p.Interval)
}

// TestComparisonsAreDeflated: what is better at the first look need not be at the
// thousandth, by the same record as verdicts.
func TestComparisonsAreDeflated(t *testing.T) {
	t.Parallel()
	made := func(by market.Cash) *backtest.Body {
		res := quiet()
		for i, tr := range res.Trades {
			tr.Proceeds += by + market.Cash(i%5)*100_000 - 200_000
		}
		return saved(t, res)
	}
	a, b := made(0), made(1_000_000)
	for i, tr := range b.Report.Trades { // no difference is as sure as that of all alike
		b.Report.Trades[i].PnL = tr.PnL + stats.Decimal(i%7-3)*600_000
	}
	require.Nil(t, comparison(t, a, b).Paired.Deflated, "not counted")
	for _, c := range []struct {
		look  int
		holds bool
	}{{1, true}, {1_000_000, false}} {
		b.Tally = backtest.Tally{Look: c.look, Before: stats.Decimal(c.look-1) * stats.One}
		p := comparison(t, a, b).Paired
		require.Equal(t, compare.Better, p.Answer)
		require.NotNil(t, p.Deflated)
		require.Equal(t, c.look, p.Deflated.Look)
		require.Equal(t, c.holds, p.Deflated.Holds, "%+v %v", p.Deflated, p.Interval)
		require.Equal(t, p.Deflated, comparison(t, b, a).Paired.Deflated, "the later of the two counts, whichever is B")
	}
}
