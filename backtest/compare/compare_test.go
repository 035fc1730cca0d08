package compare_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/backtest/diff"
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
		res := backtesttest.Quiet()
		for i, tr := range res.Trades {
			tr.Proceeds += by + market.Cash(i%5)*100_000 - 200_000 // 20 cents to either side
		}
		return saved(t, res)
	}
	base := saved(t, backtesttest.Quiet())
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
	fewer := backtesttest.Quiet()
	fewer.Trades = fewer.Trades[:29]
	c := comparison(t, saved(t, backtesttest.Quiet()), saved(t, fewer))
	require.Equal(t, 40, c.Paired.Rounds)
	require.Equal(t, []compare.ExitChange{{A: "take_profit", B: "not traded", Trades: 11, PnLChange: 11 * -c.OnlyA[0].PnL}}, c.Exits)
	other := backtesttest.Quiet()
	other.Trades = other.Trades[:29]
	other.Markets[0].Round.Content[0]++ // other data: only rounds that both traded are pairs
	p := comparison(t, saved(t, backtesttest.Quiet()), saved(t, other)).Paired
	require.Equal(t, 29, p.Rounds)
	require.Equal(t, compare.Unknown, p.Answer)
	require.Nil(t, p.Interval)
}

// TestComparisonsAreDeflated: what is better at the first look need not be at the
// thousandth, by the same record as verdicts.
func TestComparisonsAreDeflated(t *testing.T) {
	t.Parallel()
	made := func(by market.Cash) *backtest.Body {
		res := backtesttest.Quiet()
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

// run is a saved run of these trades alone.
func run(data string, trades ...backtest.Trade) *backtest.Body {
	r := &backtest.Report{Trades: trades, Receipt: backtest.Receipt{Data: data}}
	for i := range trades {
		r.Analysis.RoundEnds = append(r.Analysis.RoundEnds, backtest.Time(i+1)*5*market.Minute)
	}
	return &backtest.Body{Report: r}
}

func trade(id string, reason replay.ExitReason, pnl stats.Decimal) backtest.Trade {
	return backtest.Trade{MarketID: id, MarketSlug: "slug-" + id, ExitReason: reason, PnL: pnl}
}

// TestTradesByHand: which trades only one made, which differ and in what, in the order of A;
// what changed by how trades ended, the largest effect first, whichever way.
func TestTradesByHand(t *testing.T) {
	t.Parallel()
	a := run("x", trade("1", replay.Expiry, 5), trade("2", replay.StopLoss, -9), trade("3", replay.Expiry, 1), trade("4", replay.Expiry, 2), trade("5", replay.Expiry, 7))
	b := run("x", trade("6", replay.Expiry, 4), trade("4", replay.TakeProfit, 3), trade("3", replay.Expiry, 1), trade("2", replay.Expiry, -30), trade("5", replay.Expiry, 8))
	c := comparison(t, a, b)
	require.Equal(t, a.Report.Trades[:1], c.OnlyA)
	require.Equal(t, b.Report.Trades[:1], c.OnlyB)
	require.Equal(t, 1, c.Equal)
	require.Equal(t, []compare.TradeDifference{
		{MarketSlug: "slug-2", MarketID: "2", PnLA: -9, PnLB: -30, PnLChange: -21,
			Fields: []diff.Field{{Field: "exit_reason", A: `"stop_loss"`, B: `"expiry"`}, {Field: "pnl", A: "-0.000009", B: "-0.00003"}}},
		{MarketSlug: "slug-4", MarketID: "4", PnLA: 2, PnLB: 3, PnLChange: 1,
			Fields: []diff.Field{{Field: "exit_reason", A: `"expiry"`, B: `"take_profit"`}, {Field: "pnl", A: "0.000002", B: "0.000003"}}},
		{MarketSlug: "slug-5", MarketID: "5", PnLA: 7, PnLB: 8, PnLChange: 1, Fields: []diff.Field{{Field: "pnl", A: "0.000007", B: "0.000008"}}},
	}, c.Changed)
	require.Equal(t, []compare.ExitChange{
		{A: "stop_loss", B: "expiry", Trades: 1, PnLChange: -21},
		{A: "expiry", B: "not traded", Trades: 1, PnLChange: -5},
		{A: "not traded", B: "expiry", Trades: 1, PnLChange: 4},
		{A: "expiry", B: "take_profit", Trades: 1, PnLChange: 1}, // of the same size, in the order of A
		{A: "expiry", B: "expiry", Trades: 1, PnLChange: 1},
	}, c.Exits)
	require.Equal(t, 6, c.Paired.Rounds)
	require.Equal(t, stats.Mean(-20, 6), *c.Paired.MeanDifference)
	require.False(t, c.Same)

	b.Report.Receipt.Data = "y" // of other rounds: 1 and 6 are no pairs
	c = comparison(t, a, b)
	require.False(t, c.Paired.SameSample)
	require.Equal(t, 4, c.Paired.Rounds)
	require.Equal(t, stats.Mean(-19, 4), *c.Paired.MeanDifference)

	alike := comparison(t, run("x", trade("1", replay.Expiry, 5)), run("x", trade("1", replay.TakeProfit, 5)))
	require.Equal(t, []compare.ExitChange{{A: "expiry", B: "take_profit", Trades: 1}}, alike.Exits, "another exit is a change, at the same pnl")
	none := comparison(t, run("x"), run("x"))
	require.True(t, none.Same)
	require.Nil(t, none.Paired.MeanDifference)
	require.NotNil(t, none.Exits)
}

// TestLegsOfOneRunAreNoDifference: legs are in a report when they were asked for; what both
// have is compared.
func TestLegsOfOneRunAreNoDifference(t *testing.T) {
	t.Parallel()
	with := func(fee stats.Decimal) *backtest.Body {
		b := run("x", trade("1", replay.Expiry, 5))
		if fee != 0 {
			b.Report.Trades[0].Legs = []backtest.Leg{{Fee: fee}}
		}
		return b
	}
	require.Equal(t, 1, comparison(t, with(0), with(3)).Equal)
	require.Equal(t, 1, comparison(t, with(3), with(0)).Equal)
	require.Equal(t, 1, comparison(t, with(3), with(3)).Equal)
	c := comparison(t, with(3), with(4))
	require.Zero(t, c.Equal)
	require.Equal(t, []diff.Field{{Field: "legs[0].fee", A: "0.000003", B: "0.000004"}}, c.Changed[0].Fields)
}

// TestFieldsSayWhatIsNotSaidElsewhere: trades, the curve and the analysis are compared on
// their own, options once, and hashes over other fields say nothing new.
func TestFieldsSayWhatIsNotSaidElsewhere(t *testing.T) {
	t.Parallel()
	a, b := run("x", trade("1", replay.Expiry, 5)), run("y", trade("2", replay.Expiry, 6))
	b.Report.EquityCurve = []stats.Decimal{6}
	b.Report.Analysis.Staked = 3
	b.Report.Receipt.Report, b.Report.Receipt.Options, b.Report.Receipt.Strategy = "r", "o", "s"
	b.Report.Options.LatencyMS = 7
	b.Report.TotalPnL = 6
	b.Prompt = "other words"
	c := comparison(t, a, b)
	names := []string{}
	for _, f := range c.Fields {
		names = append(names, f.Field)
	}
	require.Equal(t, []string{"prompt", "options.latency_ms", "report.total_pnl", "report.receipt.data"}, names)
	require.False(t, c.Same)
	for _, p := range c.Numbers {
		switch p.Name {
		case "total_pnl":
			require.Equal(t, stats.Decimal(6), *p.Difference)
		case "mean_pnl": // neither report has it
			require.Nil(t, p.Difference)
		}
	}
	a.Report.Options.LatencyMS, a.Report.Receipt.Data, a.Report.TotalPnL = 7, "y", 6
	require.False(t, comparison(t, a, b).Same, "one made other trades")
}

// TestRunsSavedWithoutEnds: one round of which the end is not known, and there is a mean
// and no interval.
func TestRunsSavedWithoutEnds(t *testing.T) {
	t.Parallel()
	runs := func() (a, b *backtest.Body) {
		var ta, tb []backtest.Trade
		for i := range 40 {
			ta = append(ta, trade(strconv.Itoa(i), replay.Expiry, 0))
			tb = append(tb, trade(strconv.Itoa(i), replay.Expiry, stats.One+stats.Decimal(i%5)))
		}
		return run("x", ta...), run("x", tb...)
	}
	a, b := runs()
	require.Equal(t, compare.Better, comparison(t, a, b).Paired.Answer)
	b.Report.Analysis.RoundEnds = nil
	require.Equal(t, compare.Better, comparison(t, a, b).Paired.Answer, "A has the ends of the same rounds")
	a.Report.Analysis.RoundEnds = a.Report.Analysis.RoundEnds[:39]
	p := comparison(t, a, b).Paired
	require.Equal(t, compare.Unknown, p.Answer)
	require.Nil(t, p.Interval)
	require.NotNil(t, p.MeanDifference)
}
