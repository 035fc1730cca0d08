package terminal_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/report/terminal"
	"github.com/ladderback/ladderback/strategy"
	"github.com/stretchr/testify/require"
)

func table(t *testing.T, b *backtest.Body, s terminal.Screen) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, terminal.Run(&out, b, s))
	return out.String()
}

func TestTable(t *testing.T) {
	t.Parallel()
	b := backtesttest.Body(backtesttest.Build(t, backtesttest.Result(60), backtest.IncludeSensitivity))
	backtesttest.Golden(t, "table-80.txt", []byte(table(t, b, terminal.Screen{Width: 80})))
	backtesttest.Golden(t, "table-120.txt", []byte(table(t, b, terminal.Screen{Width: 120})))
	backtesttest.Golden(t, "table-color.txt", []byte(table(t, b, terminal.Screen{Width: 80, Color: true})))
}

func TestTableFitsTheScreen(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 100, 116, 120, 200} {
		for _, n := range []int{0, 1, 2, 12, 300} {
			b := backtesttest.Body(backtesttest.Build(t, backtesttest.Result(n), backtest.IncludeSensitivity))
			for i, l := range strings.Split(table(t, b, terminal.Screen{Width: width}), "\n") {
				require.LessOrEqual(t, utf8.RuneCountInString(l), width, "n=%d line %d: %s", n, i+1, l)
			}
		}
	}
}

// What a prompt brings along must not steer the terminal.
func TestTableTakesControlCharactersOut(t *testing.T) {
	t.Parallel()
	b := backtesttest.Body(backtesttest.Build(t, backtesttest.Result(3)))
	b.Note = "evil\x1b[2Jnote\u202eabc\u009b"
	out := table(t, b, terminal.Screen{})
	require.NotContains(t, out, "\x1b")
	require.NotContains(t, out, "\u202e")
	require.NotContains(t, out, "\u009b")
	require.Contains(t, out, "evil[2Jnoteabc")
}

// The mark of a poorly recorded round is explained where it is shown, not where the
// trade that bears it is left out.
func TestTableExplainsTheMarksItShows(t *testing.T) {
	t.Parallel()
	const note = "* recorded for less than 90% of the round"
	r := backtesttest.Build(t, backtesttest.Result(40))
	coverage := stats.Decimal(500_000)
	r.Trades[20].Coverage = &coverage
	require.NotContains(t, table(t, backtesttest.Body(r), terminal.Screen{}), note)
	r.Trades[0].Coverage = &coverage
	require.Contains(t, table(t, backtesttest.Body(r), terminal.Screen{}), note)
}

// Trades that neither win nor lose draw a flat line.
func TestTableOfNothingWon(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(12)
	for _, one := range res.Trades {
		one.Proceeds = one.Cost
	}
	r := backtesttest.Build(t, res)
	require.NotContains(t, table(t, backtesttest.Body(r), terminal.Screen{}), "NaN")
}

// width is that of the screens of the goldens.
const width = 100

func requireFits(t *testing.T, text string) {
	t.Helper()
	for l := range strings.SplitSeq(text, "\n") {
		require.LessOrEqual(t, utf8.RuneCountInString(l), width, l)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	o := backtest.DefaultOptions()
	o.Include = []backtest.Include{backtest.IncludeFills, backtest.IncludeSensitivity}
	r := backtesttest.Run(t, backtesttest.Archive(t, 12), backtesttest.Strategy(), o)
	backtesttest.Golden(t, "run.txt", backtesttest.Masked(table(t, backtesttest.Body(r), terminal.Screen{Width: width})))
}

func TestExplanation(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 6)
	b := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	for name, trade := range map[string]string{"explain-target.txt": "1", "explain-stop.txt": "2", "explain-settled.txt": "3"} {
		x, err := backtest.Explain(t.Context(), src, b, trade)
		require.NoError(t, err)
		require.Empty(t, x.Differs)
		var out bytes.Buffer
		require.NoError(t, terminal.Trade(&out, x, terminal.Screen{Width: width}))
		backtesttest.Golden(t, name, out.Bytes())
		requireFits(t, out.String())
	}
}

// TestExplanationOfWhatRests: the life of each order under each rule.
func TestExplanationOfWhatRests(t *testing.T) {
	t.Parallel()
	src, s := backtesttest.Archive(t, 6), backtesttest.Strategy()
	s.Order, s.Exit.RestTakeProfit = &strategy.Order{RestFromBid: strategy.Cents(1).Ptr(), CancelAfterSeconds: 300}, true
	x, err := backtest.Explain(t.Context(), src, backtesttest.Saved(t, src, s, backtest.DefaultOptions()), "1")
	require.NoError(t, err)
	require.Empty(t, x.Differs)
	var out bytes.Buffer
	require.NoError(t, terminal.Trade(&out, x, terminal.Screen{Width: width}))
	backtesttest.Golden(t, "explain-resting.txt", out.Bytes())
	requireFits(t, out.String())
}

func TestComparison(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 6)
	compared := func(a, b *backtest.Body) string {
		c, err := compare.Runs(a, b)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, terminal.Comparison(&out, c, false, terminal.Screen{Width: width}))
		return out.String()
	}
	a := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	require.Equal(t, "The runs are the same.\n", compared(a, a))

	s := backtesttest.Strategy()
	s.Exit.TakeProfit = strategy.Cents(58).Ptr()
	s.SampleSize = 5
	o := backtest.DefaultOptions()
	o.LatencyMS = 1000
	o.Include = []backtest.Include{backtest.IncludeFills}
	text := compared(a, backtesttest.Saved(t, src, s, o))
	backtesttest.Golden(t, "compare.txt", backtesttest.Masked(text))
	requireFits(t, text)
}
