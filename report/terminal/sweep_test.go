package terminal_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/report/terminal"
	"github.com/ladderback/ladderback/strategy"
)

func sweepText(t *testing.T, b *backtest.SweepBody, s terminal.Screen) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, terminal.Sweep(&out, b, 15, s))
	return out.String()
}

func TestSweep(t *testing.T) {
	t.Parallel()
	backtesttest.Golden(t, "sweep.txt", []byte(sweepText(t, backtesttest.SweepBody(backtest.SweepUnproven), terminal.Screen{Width: 80})))
	for _, width := range []int{80, 100, 140} {
		for line := range strings.Lines(sweepText(t, backtesttest.SweepBody(backtest.SweepEdge), terminal.Screen{Width: width})) {
			require.LessOrEqual(t, text.StringWidth(strings.TrimRight(line, "\n")), width, line)
		}
	}
	coloured := sweepText(t, backtesttest.SweepBody(backtest.SweepEdge), terminal.Screen{Width: 80, Color: true})
	require.Contains(t, coloured, "\x1b[30;48;5;114m+1.25◆\x1b[0m", "the strongest green, with its mark")
	require.Contains(t, coloured, "[\x1b[30;48;5;194m+0.40 \x1b[0m]", "the frame around the own values")
	require.Contains(t, coloured, "\x1b[2m+2.00~\x1b[0m", "pale: too few trades")
	require.NotContains(t, coloured, "\x1b[31m <b>", "a prompt does not steer the terminal")
}

// Variants are said to be ranked only as far as they are.
func TestSweepRanksOnlyWhatHasEnoughTrades(t *testing.T) {
	t.Parallel()
	b := backtesttest.SweepBody(backtest.SweepUnproven)
	wide := terminal.Screen{Width: 200}
	require.Contains(t, sweepText(t, b, wide), "In the order of the Sharpe ratio per round end, those with too few trades behind; intervals")
	b.Sweep.Variants[4].Eligible = true
	require.Contains(t, sweepText(t, b, wide), "In the order of the Sharpe ratio per round end; intervals")
	for i := range b.Sweep.Variants {
		b.Sweep.Variants[i].Eligible = false
	}
	none := sweepText(t, b, wide)
	require.Contains(t, none, "Variants, the most trades first\n")
	require.Contains(t, none, "None has enough trades to be ranked; intervals")
}

// A map that is too wide for numbers is drawn in letters, or left to the page.
func TestSweepMapThatIsTooWide(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]string{60: "◆o·", 200: "200 columns are too many for this terminal"} {
		b := backtesttest.SweepBody(backtest.SweepLuck)
		s := b.Sweep
		s.Axes[1].Values, s.Cells = nil, nil
		for k := range columns {
			s.Axes[1].Values = append(s.Axes[1].Values, strategy.Number(1000*(k+1)))
		}
		for range 2 {
			s.Cells = append(s.Cells, 1, 2, 3)
			s.Cells = append(s.Cells, make([]int, columns-3)...)
		}
		require.Contains(t, sweepText(t, b, terminal.Screen{Width: 80}), want)
	}
}
