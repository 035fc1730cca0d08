package listing_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/export"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/strategy"
	"github.com/ladderback/ladderback/tries"
)

// TestExported: a table of several files is one line, with their sums, in both forms.
func TestExported(t *testing.T) {
	t.Parallel()
	r := &export.Result{Markets: 1, Files: []export.File{
		{Path: "a/captures.parquet", Table: "captures", Rows: 1000, Bytes: 5},
		{Path: "a/markets.parquet", Table: "markets", Rows: 1, Bytes: 2},
		{Path: "b/captures.parquet", Table: "captures", Rows: 234, Bytes: 6},
	}}
	var out bytes.Buffer
	listing.Exported(&out, r)
	require.Equal(t, []string{"table rows bytes files", "captures 1,234 11 2", "markets 1 2 1", "1 market; times are UTC"}, words(out.String()))
	d := document(t, listing.ExportDocument(r))
	require.Equal(t, []any{"a/captures.parquet", "a/markets.parquet", "b/captures.parquet"}, d["files"])
	require.Equal(t, map[string]any{"table": "captures", "rows": 1234., "bytes": 11., "files": 2.}, d["tables"].([]any)[0])
	require.Equal(t, []any{}, document(t, listing.ExportDocument(&export.Result{}))["tables"])
}

// words are the lines of a table but the rule below its head, each with single spaces.
func words(text string) (out []string) {
	for l := range strings.Lines(text) {
		if f := strings.Fields(l); len(f) > 0 && !strings.HasPrefix(f[0], "─") {
			out = append(out, strings.Join(f, " "))
		}
	}
	return out
}

// TestRemoved: what goes is counted; a trial says so, and so does space that is not given back.
func TestRemoved(t *testing.T) {
	t.Parallel()
	r := &care.Removal{Markets: make([]care.RemovedMarket, 2), Sources: []store.Source{{Name: "day.jsonl"}}, Captures: 1200, Blocks: 1, Bytes: 1500}
	told := func(dryRun bool) string {
		var out bytes.Buffer
		listing.Removed(&out, r, dryRun)
		return out.String()
	}
	require.Equal(t, "removed: 2 markets, 1 source; 1,200 captures in 1 block (1.5 kB)\n", told(false))
	require.Equal(t, "would be removed: 2 markets, 1 source; 1,200 captures in 1 block (1.5 kB)\n", told(true))
	d := document(t, listing.RemovalDocument(r, true))
	require.Equal(t, []any{true, 2., []any{"day.jsonl"}, 1200.}, []any{d["dry_run"], d["markets"], d["sources"], d["captures"]})
	require.NotContains(t, d, "problem")
	r.Unshrunk = errors.New("disk full")
	require.Contains(t, told(false), "The removal is done, but the space was not reclaimed: disk full.\n")
	require.Equal(t, "the space was not reclaimed: disk full", document(t, listing.RemovalDocument(r, false))["problem"])
}

// TestTries: families, the newest ten looks and what was taken out of the count; a prompt is
// cut to the screen.
func TestTries(t *testing.T) {
	t.Parallel()
	told := func(r *tries.Record, width int) string {
		var out bytes.Buffer
		listing.Tries(&out, r, width)
		return out.String()
	}
	require.Equal(t, "No tries are counted: every backtest and sweep will be.\n", told(&tries.Record{}, 80))
	ended := noon
	r := &tries.Record{
		Families: []tries.Family{{Coin: "BTC", Type: "15m", Side: strategy.Up, Tries: 12, Variants: 1200, Unfinished: 1, FirstMade: noon, LastMade: noon + market.Hour}},
		Resets:   []tries.Reset{{Coin: "ETH", Type: "5m", Tries: 2, Reason: "another idea", MadeAt: noon}},
	}
	for i := range 12 {
		r.Tries = append(r.Tries, tries.Try{Coin: "BTC", Type: "15m", Kind: "sweep", Variants: 100, Prompt: "Buy Up\n on BTC " + strings.Repeat("long ", 30), Tally: backtest.Tally{Look: 12 - i}, MadeAt: noon, DoneAt: &ended})
	}
	r.Tries[0].DoneAt = nil
	text := told(r, 100)
	require.Contains(t, text, "BTC 15m  up")
	require.Contains(t, text, "1,200")
	require.Contains(t, text, "sweep, not ended")
	require.Equal(t, 1, strings.Count(text, "not ended"))
	require.Equal(t, 10, strings.Count(text, "Buy Up on BTC"), "the newest ten, on a line each")
	require.Contains(t, text, "Reset 2026-04-01 12:00:00: 2 tries on ETH 5m taken out of the count: another idea\n")
	for _, width := range []int{80, 100, 160} {
		for l := range strings.Lines(told(r, width)) {
			if strings.Contains(l, "Buy Up") {
				require.Contains(t, l, "…", "%d", width)
				require.LessOrEqual(t, utf8.RuneCountInString(l)-1, width, l)
			}
		}
	}
}
