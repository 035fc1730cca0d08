package words_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/strategy"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	require.Equal(t, []words.Change{
		{Op: ' ', Text: "Buy Up when"}, {Op: '-', Text: "Up drops below 35"}, {Op: '+', Text: "it falls under 30"}, {Op: ' ', Text: "cents"}, {Op: '+', Text: "early"},
	}, words.Diff("Buy Up when Up drops below 35 cents", "Buy Up when it falls under 30 cents early"))
	require.Empty(t, words.Diff("", ""))
	require.Equal(t, []words.Change{{Op: '-', Text: "a"}}, words.Diff("a", ""))
}

// Every exit reason is said in the words of its code, in every rendering.
func TestExit(t *testing.T) {
	t.Parallel()
	want := map[replay.ExitReason]string{
		replay.TakeProfit: "take profit", replay.StopLoss: "stop loss", replay.EndOfWindow: "end of window", replay.Expiry: "expiry",
		replay.ByOrder: "order", replay.Merged: "merged",
	}
	require.Len(t, backtest.ExitReasons(), len(want))
	for _, r := range backtest.ExitReasons() {
		require.Equal(t, want[r], words.Exit(r))
	}
}

// TestReasons: every refusal that is counted is told, those of further orders apart.
func TestReasons(t *testing.T) {
	t.Parallel()
	var f backtest.Funnel
	require.Empty(t, words.Reasons(&f))
	for _, counts := range []any{&f.Refusals, &f.ThenRefusals} {
		v := reflect.ValueOf(counts).Elem()
		for i := range v.NumField() {
			v.Field(i).SetInt(int64(i + 1))
		}
	}
	all := words.Reasons(&f)
	require.Len(t, all, 2*int(orders.NumReasons))
	for i, s := range all {
		reason := orders.Reason(i % int(orders.NumReasons))
		require.Equal(t, reason.String(), s.Name)
		require.Equal(t, reflect.ValueOf(f.Refusals).FieldByNameFunc(func(name string) bool {
			field, _ := reflect.TypeFor[backtest.Refusals]().FieldByName(name)
			tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			return tag == s.Name
		}).Int(), int64(s.N), s.Name)
		require.Equal(t, i >= int(orders.NumReasons), strings.HasPrefix(s.Words, "a further order that "), s.Words)
	}
}

// Below the minimum of a verdict no interval is shown.
func TestTooFewTradesHaveNoInterval(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(4))
	require.Contains(t, words.Headline(r), "(95% interval: too few trades)")
	for _, f := range words.Figures(r)[0][:2] {
		require.Equal(t, words.TooFew, f.Interval)
	}
	require.Contains(t, words.Headline(backtesttest.Build(t, backtesttest.Result(200))), "(95% interval: −$")
}

// A verdict that nothing is shown says how many trades would show a mean of the size
// seen, which is then found in four of five samples.
func TestVerdictSaysHowManyTradesMore(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(200))
	r.Stats.Verdict, r.Stats.MeanPnL, r.Stats.MeanPnLInterval = stats.NoEdge, new(stats.One), &stats.Interval{-stats.One, 3 * stats.One}
	n := float64(len(r.Trades))
	// Half the interval is 1.96 standard errors: the mean is 0.98 of them.
	want := int(math.Ceil(n*math.Pow((1.959964+0.841621)*2/1.959964, 2) - n))
	require.InDelta(t, want, r.MoreTrades(), 1)
	require.Equal(t, "The 95% interval of the mean pnl per trade includes zero. An edge of this size needs about "+figures.About(r.MoreTrades(), "more trade")+" to show.", words.Verdict(r)[1])
	r.Stats.MeanPnL = new(-stats.One)
	require.Contains(t, words.Verdict(r)[1], "A loss of this size needs about ")
	r.Stats.MeanPnL = new(stats.Decimal)
	require.NotContains(t, words.Verdict(r)[1], "needs")
	r.Stats.Verdict = stats.Positive
	require.Zero(t, r.MoreTrades())
}

func TestNothing(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(0))
	r.Funnel = backtest.Funnel{}
	r.Available = []backtest.Holding{{Coin: "BTC", Type: "15m", First: backtesttest.FirstRound, Last: backtesttest.FirstRound, Rounds: 1, Inferred: 62}}
	require.Equal(t, []string{
		"Nothing to replay for XRP 5m: no such round is in the archive. The archive has:",
		"BTC 15m: 1 round, and 62 more with --winners inferred; ends 2026-04-13 14:00 to 2026-04-13 14:00 UTC",
	}, words.Nothing(r, strategy.MarketSpec{Coin: "XRP", Type: "5m"}))
	r.Funnel.Universe = 3
	r.Options.Winners = replay.WinnersInferred
	require.Equal(t, []string{
		"Nothing to replay for XRP 5m: none of 3 rounds has a payout. The archive has:",
		"BTC 15m: 63 rounds, 62 of them with an inferred payout; ends 2026-04-13 14:00 to 2026-04-13 14:00 UTC",
	}, words.Nothing(r, strategy.MarketSpec{Coin: "XRP", Type: "5m"}))
	sweep := &backtest.Sweep{Available: r.Available}
	sweep.Funnel = r.Funnel.Funnel
	sweep.Options.Winners = replay.WinnersInferred
	require.Equal(t, words.Nothing(r, strategy.MarketSpec{Coin: "XRP", Type: "5m"}), words.SweepNothing(sweep, strategy.MarketSpec{Coin: "XRP", Type: "5m"}))
	require.Nil(t, words.Nothing(backtesttest.Build(t, backtesttest.Result(1)), strategy.MarketSpec{}))
}

// What the baseline bought, and what the difference to it comes from, depend on the
// strategy.
func TestBaseline(t *testing.T) {
	t.Parallel()
	said := func(change func(s *strategy.Strategy), excess stats.Decimal) string {
		s := backtesttest.Strategy()
		change(&s)
		return words.Baseline(&backtest.Baseline{EntrySeconds: 65, ExcessMeanPnL: &excess}, strategytest.Canonicalize(s))
	}
	require.Equal(t, "Baseline: same side, exits and budget, but bought 65 s into every round whatever the market says. Your entry rule made $1.50 more per trade.",
		said(func(*strategy.Strategy) {}, 1_500_000))
	require.Equal(t, "Baseline: same exits and budget, but bought the side with the higher price, 65 s into every round whatever the market says. Your entry rule made $1.50 less per trade.",
		said(func(s *strategy.Strategy) {
			s.Side = strategy.Either
			s.Entry[0].Token = strategy.TokenSame
		}, -1_500_000))
	require.Equal(t, "Baseline: same side, exits and budget, but bought 65 s into every round whatever the market says. You have no entry rule to judge.",
		said(func(s *strategy.Strategy) { s.Entry = nil }, 0))
	require.Contains(t, said(func(s *strategy.Strategy) { s.Entry = nil }, -10_000), "You have no entry rule to judge: your times of entry made $0.01 less per trade.")
}

func TestAssumptions(t *testing.T) {
	t.Parallel()
	require.Equal(t, "held to expiry (no exit time given)",
		words.Assumption(strategy.Assumption{Field: "exit.hold_to_expiry", Value: json.RawMessage("true"), Why: "x"}))
	require.Equal(t, "side = up: \"Upp\" is read as a misspelling",
		words.Assumption(strategy.Assumption{Field: "side", Value: json.RawMessage(`"up"`), Why: "\"Upp\" is read as a misspelling"}))
	require.Equal(t, []string{"kindly"}, words.Ignored([]strategy.Span{{Text: "on"}, {Text: "kindly"}, {Text: "When"}, {Text: "kindly"}}))
}

// A comparison names its numbers as the report does.
func TestPairsAreNamedAsFigures(t *testing.T) {
	t.Parallel()
	b := backtesttest.Body(backtesttest.Build(t, backtesttest.Result(40)))
	c, err := compare.Runs(b, b)
	require.NoError(t, err)
	known := map[string]bool{"markets replayed": true}
	for _, part := range words.Figures(b.Report) {
		for _, f := range part {
			known[f.Name] = true
			require.NotEmpty(t, f.Help, f.Name)
		}
	}
	for i := range c.Numbers {
		require.True(t, known[words.Pair(&c.Numbers[i])[0]], c.Numbers[i].Name)
	}
	require.Equal(t, stats.NoEdge, b.Report.Stats.Verdict)
}
