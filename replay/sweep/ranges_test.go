package sweep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// dip buys Up under 35 cents early in a round, with a target and a stop.
func dip() strategy.Canonical {
	return strategytest.Canonicalize(strategy.Strategy{
		Market: strategy.MarketSpec{Coin: "BTC", Type: "15m"}, Side: strategy.Up,
		Entry: []strategy.Condition{
			{Type: strategy.Price, Token: strategy.TokenUp, Comparator: strategy.LT, Threshold: strategy.Cents(35), WithinSeconds: 300},
			{Type: strategy.Spread, Token: strategy.TokenUp, Comparator: strategy.LTE, Threshold: strategy.Cents(3)},
		},
		Exit:           strategy.Exit{TakeProfit: strategy.Cents(55).Ptr(), StopLoss: strategy.Cents(20).Ptr(), HoldToExpiry: true},
		BudgetPerTrade: strategy.Int(50), SampleSize: 200,
	})
}

func axis(t testing.TB, text string) sweep.Axis {
	t.Helper()
	a, err := sweep.ParseAxis(text)
	require.NoError(t, err)
	return a
}

func TestParseAxis(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"exit.take_profit=0.5:0.7:0.05":     "[0.5 0.55 0.6 0.65 0.7]",
		"exit.take_profit=0.1:0.3:0.1":      "[0.1 0.2 0.3]", // in floats 0.1 + 2 × 0.1 passes 0.3
		"x=0.5:0.64:0.05":                   "[0.5 0.55 0.6]",
		"x=0.7:0.5:-0.1":                    "[0.5 0.6 0.7]",
		"x=1:1:5":                           "[1]",
		" x = 0.6, 0.5 ,0.5,0.75 ":          "[0.5 0.6 0.75]",
		"x=-0.02:0.02:0.02":                 "[-0.02 0 0.02]",
		"entry.1.within_seconds=60:180:6e1": "[60 120 180]",
	} {
		a, err := sweep.ParseAxis(text)
		require.NoError(t, err, text)
		require.Equal(t, want, fmt.Sprint(a.Values), text)
	}
	for text, want := range map[string]string{
		"exit.take_profit": "expected FIELD=FROM:TO:STEP",
		"=1,2":             "expected FIELD=FROM:TO:STEP",
		"x=":               "expected FIELD=FROM:TO:STEP",
		"x=1:2":            "a range has three parts, FROM:TO:STEP, not 2",
		"x=1:2:3:4":        "not 4",
		"x=1:2:0":          "a step of 0 does not move",
		"x=1:2:-1":         "a step of -1 does not lead from 1 to 2",
		"x=2:1:1":          "a step of 1 does not lead from 2 to 1",
		"x=a":              `"a" is not a decimal number`,
		"x=1,,2":           `"" is not a decimal number`,
		"x=1:2:0.0000001":  `"0.0000001" is not a decimal number of at most 6 decimals`,
		"x=0:1:0.0001":     "10001 values: at most 10000 variants",
		"x=0:1e12:1":       `"1e12" is not a decimal number`,
		"x=1:9e99:1":       `"9e99" is not a decimal number`,
	} {
		_, err := sweep.ParseAxis(text)
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, strings.TrimSpace(text), text)
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
	}
}

// Ranges are exact: the values of FROM:TO:STEP are FROM + k·STEP and reach TO.
func TestRangesAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := strategy.Number(rapid.Int64Range(-2_000_000, 2_000_000).Draw(t, "from"))
		step := strategy.Number(rapid.Int64Range(1, 100_000).Draw(t, "step"))
		n := rapid.IntRange(1, 300).Draw(t, "n")
		to := from + strategy.Number(n-1)*step
		a, err := sweep.ParseAxis(fmt.Sprintf("f=%s:%s:%s", from, to, step))
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Values) != n || a.Values[n-1] != to {
			t.Fatalf("%d values up to %s: want %d up to %s", len(a.Values), a.Values[len(a.Values)-1], n, to)
		}
		for k, v := range a.Values {
			if v != from+strategy.Number(k)*step {
				t.Fatalf("value %d is %s", k, v)
			}
		}
	})
}

func TestGrid(t *testing.T) {
	t.Parallel()
	g, err := sweep.NewGrid(dip(), []sweep.Axis{axis(t, "exit.take_profit=0.15:0.65:0.1"), axis(t, "exit.stop_loss=0.1,0.2,0.4")})
	require.NoError(t, err)
	require.Len(t, g.Cells, 18)
	// A target of 0.15, 0.25 and 0.35 is at or under the entry; a stop of 0.4 above it.
	require.Len(t, g.Invalid, 12)
	require.Len(t, g.Variants, 6)
	require.Zero(t, g.Duplicates())
	require.Equal(t, "[0.55 0.2]", fmt.Sprint(g.Values(g.Variants[g.Own].Cell)), "the strategy itself")
	require.Equal(t, "[0.15 0.1]", fmt.Sprint(g.Invalid[0].Values))
	require.Contains(t, g.Invalid[0].Reason, "exit.take_profit: 0.15 can fire at the entry price itself")
	for i, v := range g.Variants {
		values := g.Values(v.Cell)
		require.Equal(t, values[0], *v.Strategy.Exit().TakeProfit)
		require.Equal(t, values[1], *v.Strategy.Exit().StopLoss)
		require.Equal(t, i, g.Cells[v.Cell])
	}
	// Beside 0.55, 0.1 lie 0.45 and 0.65 with 0.1 and 0.2, and 0.55 with 0.2.
	require.Equal(t, []int{0, 1, 3, 4, 5}, g.Neighbours(2))
}

// Combinations that mean the same are one variant; exits that the strategy does
// not use can be varied too.
func TestGridFoldsWhatMeansTheSame(t *testing.T) {
	t.Parallel()
	s := strategytest.Changed(dip(), func(s *strategy.Strategy) {
		s.Entry = append(s.Entry, strategy.Condition{Type: strategy.Price, Token: strategy.TokenUp, Comparator: strategy.LT, Threshold: strategy.Cents(34)})
	})
	g, err := sweep.NewGrid(s, []sweep.Axis{axis(t, "entry.0.threshold=0.3,0.32"), axis(t, "entry.1.threshold=0.3,0.32")})
	require.NoError(t, err)
	require.Len(t, g.Variants, 3, "0.3 and 0.32 are 0.32 and 0.3")
	require.Equal(t, 1, g.Duplicates())
	require.Equal(t, g.Cells[1], g.Cells[2])
	require.Equal(t, -1, g.Own)

	g, err = sweep.NewGrid(dip(), []sweep.Axis{axis(t, "exit.trailing_stop=0.05,0.1"), axis(t, "exit.max_hold_seconds=60:180:60")})
	require.NoError(t, err)
	require.Len(t, g.Variants, 6)
	require.Equal(t, 120, g.Variants[1].Strategy.Exit().MaxHoldSeconds)
}

// Level conditions share within_seconds: varying it for one varies it for all of
// the list, else the smallest would win and the others mean nothing.
func TestWithinSecondsIsShared(t *testing.T) {
	t.Parallel()
	g, err := sweep.NewGrid(dip(), []sweep.Axis{axis(t, "entry.1.within_seconds=120,300,600")})
	require.NoError(t, err)
	require.Len(t, g.Variants, 3)
	for i, want := range []int{120, 300, 600} {
		for _, c := range g.Variants[i].Strategy.Entry() {
			require.Equal(t, want, c.WithinSeconds)
		}
	}
	require.Equal(t, 1, g.Own)
}

func TestGridRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		axes []string
		want string
	}{
		{nil, "nothing to vary"},
		{[]string{"exit.foo=1,2"}, "exit.foo: no number of this strategy; there are entry.0.threshold, entry.0.within_seconds, entry.1.threshold"},
		{[]string{"entry.2.threshold=1,2"}, "no number of this strategy"},
		{[]string{"sample_size=10,20"}, "every variant is replayed over the same rounds"},
		{[]string{"exit.take_profit=0.5,0.6", "exit.take_profit=0.7"}, "exit.take_profit: varied twice"},
		{[]string{"exit.max_hold_seconds=1.5"}, "exit.max_hold_seconds: 1.5: expected whole seconds"},
		{[]string{"exit.take_profit=0.0001:0.9999:0.0001", "budget_per_trade=1,2"}, "9999 × 2: more than 10000 variants"},
		{[]string{"exit.take_profit=0.1,0.2"}, "none of the 2 variants is a valid strategy: exit.take_profit: 0.1"},
		{[]string{"exit.exit_before_seconds=10,20"}, "none of the 2 variants is a valid strategy"},
	} {
		var axes []sweep.Axis
		for _, text := range test.axes {
			axes = append(axes, axis(t, text))
		}
		_, err := sweep.NewGrid(dip(), axes)
		require.ErrorContains(t, err, test.want)
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
	}
}

// Every number of every strategy can be varied, and a variant with the strategy's
// own value is the strategy.
func TestFieldsOfAnyStrategy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(strategytest.Canonical(), strategytest.CanonicalExtended()).Draw(t, "strategy")
		for _, path := range sweep.Fields(s) {
			own := sweep.OwnValue(s, path)
			if own == nil {
				continue
			}
			g, err := sweep.NewGrid(s, []sweep.Axis{{Field: path, Values: []strategy.Number{*own}}})
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if len(g.Variants) != 1 || !g.Variants[0].Strategy.Equal(s) || g.Own != 0 {
				t.Fatalf("%s = %s makes another strategy", path, own)
			}
		}
	})
}
