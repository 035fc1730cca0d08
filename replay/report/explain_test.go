package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/report"
	"github.com/ladderback/ladderback/strategy"
)

// saved writes a run and reads it back, as the command does.
func saved(t testing.TB, src replay.Source, s strategy.Strategy, o report.Options) *report.Body {
	t.Helper()
	var file bytes.Buffer
	answer := body(run(t, src, s, o))
	answer.Strategy = strategytest.Canonicalize(s)
	require.NoError(t, answer.WriteJSON(&file))
	b, err := report.ReadBody(&file)
	require.NoError(t, err)
	return b
}

func explain(t testing.TB, src replay.Source, b *report.Body, trade string) *report.Explanation {
	t.Helper()
	x, err := report.Explain(context.Background(), src, b, trade)
	require.NoError(t, err)
	return x
}

func TestExplain(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 6)
	b := saved(t, src, fixtureStrategy(), report.DefaultOptions())
	for name, trade := range map[string]string{"explain-target.txt": "1", "explain-stop.txt": "2", "explain-settled.txt": "3"} {
		x := explain(t, src, b, trade)
		require.Empty(t, x.Differs)
		var out bytes.Buffer
		require.NoError(t, x.WriteTable(&out, report.Screen{Width: 100}))
		golden(t, name, out.Bytes())
		for l := range strings.SplitSeq(out.String(), "\n") {
			require.LessOrEqual(t, utf8.RuneCountInString(l), 100, l)
		}
	}
}

func TestExplainJSON(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 2)
	b := saved(t, src, fixtureStrategy(), report.DefaultOptions())
	x := explain(t, src, b, b.Report.Trades[1].MarketSlug)
	var out, pretty bytes.Buffer
	require.NoError(t, x.WriteJSON(&out))
	require.NoError(t, json.Indent(&pretty, out.Bytes(), "", " "))
	golden(t, "explain.json", pretty.Bytes())
	require.Equal(t, 2, x.Number)
}

// Every trade's explanation adds up to the trade.
func TestExplanationsAddUp(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 9)
	o := report.DefaultOptions()
	o.Include = []report.Include{report.IncludeFills}
	b := saved(t, src, fixtureStrategy(), o)
	for i := range b.Report.Trades {
		want := &b.Report.Trades[i]
		x := explain(t, src, b, want.MarketID)
		require.Equal(t, *want, x.Trade)
		var paid, got, shares report.Decimal
		for _, o := range x.Orders {
			var taken report.Decimal
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
	src := smallArchive(t, 3)
	b := saved(t, src, fixtureStrategy(), report.DefaultOptions())
	for _, name := range []string{"0", "4", "-1", "btc-updown-15m-1", "", "1.5"} {
		_, err := report.Explain(context.Background(), src, b, name)
		require.ErrorIs(t, err, report.ErrNoTrade, name)
	}
	_, err := report.Explain(context.Background(), smallArchive(t, 1), b, "3")
	require.ErrorContains(t, err, "not in the archive")
}

// Over another archive the explanation says what is not as it was saved.
func TestExplainTellsAnotherArchive(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 3)
	b := saved(t, src, fixtureStrategy(), report.DefaultOptions())
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
	s := fixtureStrategy()
	s.Entry = []strategy.Condition{{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(60)}}
	b := saved(t, src, s, report.DefaultOptions())
	require.Len(t, b.Report.Trades, 1)
	x := explain(t, src, b, "1")
	require.Empty(t, x.Differs)
	require.Equal(t, firstRound+60*market.Second, *x.Trade.Legs[0].Signal)

	o := report.DefaultOptions()
	o.StaleMS = 30_000
	b = saved(t, src, s, o)
	require.Empty(t, explain(t, src, b, "1").Differs)
}

func TestPaths(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 9)
	b := saved(t, src, fixtureStrategy(), report.DefaultOptions())
	paths, err := report.Paths(context.Background(), src, b.Report, b.Strategy.Market(), 4)
	require.NoError(t, err)
	require.Len(t, paths, 4)
	p := paths[0]
	require.Equal(t, 0, p.Trade)
	// The seed counts from the start on.
	require.Equal(t, report.PathPoint{At: firstRound, Bid: 4800, Ask: 5200}, p.Points[0])
	require.Equal(t, report.PathPoint{At: firstRound + 60*market.Second, Bid: 3300, Ask: 3400}, p.Points[1])
	all, err := report.Paths(context.Background(), src, b.Report, b.Strategy.Market(), 100)
	require.NoError(t, err)
	require.Len(t, all, 9)
	text := page(t, b, all)
	require.Equal(t, 9, strings.Count(text, `class="card path"`))
	_, err = report.Paths(context.Background(), smallArchive(t, 1), b.Report, b.Strategy.Market(), 100)
	require.ErrorContains(t, err, "not in the archive")
}
