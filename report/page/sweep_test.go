package page_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	reportcsv "github.com/ladderback/ladderback/report/csv"
	"github.com/ladderback/ladderback/report/page"
)

// The page shows each kind of cell, asks for nothing outside it, and writes what
// came from outside as text.
func TestSweepPage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, page.WriteSweep(&out, backtesttest.SweepBody(backtest.SweepLuck)))
	got := out.String()
	for _, want := range []string{
		"<h1 style=\"margin-top:12px\">The best of 5 variants looks good by luck</h1>",
		`<td class="g5 best" title="take_profit 0.55, stop_loss 0.1: &#43;$1.25 per trade`, "&#43;1.25 ◆</td>",
		`<td class="g2 run"`, `<td class="l5" `, `<td class="pale" `, `<td class="none" title="no valid strategy"></td>`, "~ (pale) too few trades",
		`would be expected to make about <span class="nb">+$0.31</span> per round end`, "Choosing on the past and trading the next day", "SIMULATED DATA", "Content-Security-Policy", "font: 14px/1.45",
	} {
		require.Contains(t, got, want)
	}
	for _, not := range []string{"http://", "https://", "<b>\"", "ZgotmplZ", "/* style */", "src="} {
		require.NotContains(t, got, not)
	}
	require.Contains(t, got, "&lt;b&gt;")

	out.Reset()
	require.NoError(t, reportcsv.WriteSweep(&out, backtesttest.SweepBody(backtest.SweepLuck).Sweep))
	lines, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 6)
	require.Equal(t, strings.Split("1,1,0.55,0.1,false,true,120,120,0.4,1.25,0.625,2.5,150,,0.125,positive,0.031,true", ","), lines[1])
	require.Equal(t, strings.Split("2,2,0.55,0.2,true,true,118,118,0.4,0.4,-3,3,47.2,,0.04,no_edge,0.4,false", ","), lines[2])
	require.Equal(t, strings.Split("5,3,0.55,0.4,false,false,12,12,0.4,2,,,24,,0.2,not_enough_evidence,,false", ","), lines[5])
}
