package terminal_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/report/terminal"
	"github.com/ladderback/ladderback/strategy"
)

// writers write one of each for a screen.
func writers(t *testing.T) map[string]func(s terminal.Screen) string {
	t.Helper()
	src := backtesttest.Archive(t, 6)
	run := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	s := backtesttest.Strategy()
	s.Exit.TakeProfit = strategy.Cents(58).Ptr()
	other := backtesttest.Saved(t, src, s, backtest.DefaultOptions())
	compared, err := compare.Runs(run, other)
	require.NoError(t, err)
	x, err := backtest.Explain(t.Context(), src, run, "1")
	require.NoError(t, err)
	whole := backtesttest.Body(backtesttest.Build(t, backtesttest.Result(40), backtest.IncludeSensitivity))
	text := func(write func(out *bytes.Buffer) error) string {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		return out.String()
	}
	return map[string]func(s terminal.Screen) string{
		"run": func(s terminal.Screen) string { return table(t, whole, s) },
		"nothing": func(s terminal.Screen) string {
			return table(t, backtesttest.Body(backtesttest.Build(t, backtesttest.Result(0))), s)
		},
		"sweep": func(s terminal.Screen) string { return sweepText(t, backtesttest.SweepBody(backtest.SweepEdge), s) },
		"comparison": func(s terminal.Screen) string {
			return text(func(out *bytes.Buffer) error { return terminal.Comparison(out, compared, true, s) })
		},
		"trade": func(s terminal.Screen) string {
			return text(func(out *bytes.Buffer) error { return terminal.Trade(out, x, s) })
		},
	}
}

var (
	escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")
	spaces  = regexp.MustCompile(" +\n") // at the end of a line, which a colour may hold
)

// TestColoursSayNothing: without colours there is not one escape, and with them the text is
// the same; every colour ends on its line.
func TestColoursSayNothing(t *testing.T) {
	t.Parallel()
	for name, write := range writers(t) {
		for _, width := range []int{60, 100} {
			plain, coloured := write(terminal.Screen{Width: width}), write(terminal.Screen{Width: width, Color: true})
			require.NotContains(t, plain, "\x1b", name)
			require.Contains(t, coloured, "\x1b", name)
			require.Equal(t, plain, spaces.ReplaceAllString(escapes.ReplaceAllString(coloured, ""), "\n"), name)
			for l := range strings.Lines(coloured) {
				if all := escapes.FindAllString(l, -1); len(all) > 0 {
					require.Equal(t, "\x1b[0m", all[len(all)-1], "%s: %q", name, l)
				}
			}
		}
	}
}

// TestWidths: a screen that does not say is one of 80 columns, one below 60 is one of 60, and
// nothing is wider than the screen (of 60 columns, the tables of numbers of a trade and of a
// walk's blocks are), or ends in spaces.
func TestWidths(t *testing.T) {
	t.Parallel()
	for name, write := range writers(t) {
		require.Equal(t, write(terminal.Screen{Width: 80}), write(terminal.Screen{}), name)
		require.Equal(t, write(terminal.Screen{Width: 60}), write(terminal.Screen{Width: 7}), name)
		require.Equal(t, write(terminal.Screen{Width: 60}), write(terminal.Screen{Width: 59}), name)
		for _, width := range []int{60, 61, 70, 80, 81, 99, 132} {
			for l := range strings.Lines(write(terminal.Screen{Width: width})) {
				l = strings.TrimSuffix(l, "\n")
				if text.StringWidth(l) > width && (width > 64 || name != "sweep" && name != "trade") {
					t.Errorf("%s at %d, %d wide: %s", name, width, text.StringWidth(l), l)
				}
				require.Equal(t, strings.TrimRight(l, " "), l, name)
			}
		}
	}
}

// TestTablesFit: no table is wider than the narrowest screen, so that the rule under its
// headings stands on one line.
func TestTablesFit(t *testing.T) {
	t.Parallel()
	src, s := backtesttest.Archive(t, 6), backtesttest.Strategy()
	s.Order, s.Exit.RestTakeProfit = &strategy.Order{RestFromBid: strategy.Cents(1).Ptr(), CancelAfterSeconds: 300}, true
	resting, err := backtest.Explain(t.Context(), src, backtesttest.Saved(t, src, s, backtest.DefaultOptions()), "1")
	require.NoError(t, err)
	all := writers(t)
	all["resting"] = func(s terminal.Screen) string {
		var out bytes.Buffer
		require.NoError(t, terminal.Trade(&out, resting, s))
		return out.String()
	}
	isRule := func(l string) bool { return strings.Contains(l, "─") && strings.Trim(l, " ─") == "" }
	rules := 0
	for name, write := range all {
		was := ""
		for l := range strings.SplitSeq(write(terminal.Screen{Width: 60}), "\n") {
			require.LessOrEqual(t, text.StringWidth(l), 60, "%s: %s", name, l)
			require.False(t, isRule(l) && isRule(was), "%s: %s", name, l)
			if was = l; isRule(l) {
				rules++
			}
		}
	}
	require.Greater(t, rules, 5)
	backtesttest.Golden(t, "explain-60.txt", []byte(all["trade"](terminal.Screen{Width: 60})+all["resting"](terminal.Screen{Width: 60})))
}
