package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChangesAreNoBook: a log of level changes without any full book shows no book, no
// coverage and no quotes; its changes are exported all the same.
func TestChangesAreNoBook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var log strings.Builder
	for i := range 300 {
		fmt.Fprintf(&log, `{"recv":%d,"slug":"btc-updown-5m-1776081600","msg":{"event_type":"price_change","market":"0xabc","timestamp":"%d000","price_changes":[{"asset_id":"111","price":"0.4","size":"%d","side":"BUY","best_bid":"0.5","best_ask":"0.52"},{"asset_id":"111","price":"0.6","size":"%d","side":"SELL","best_bid":"0.5","best_ask":"0.52"}]}}`+"\n",
			1776081600+i, 1776081600+i, 5+i, 6+i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "log.jsonl"), []byte(log.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rounds.jsonl"), []byte(goodMarket+"\n"), 0o600))
	db := filepath.Join(dir, "a.db")
	require.Zero(t, ladderback(t, "import", filepath.Join(dir, "log.jsonl"), "--markets", filepath.Join(dir, "rounds.jsonl"), "--archive", db).code)
	require.Contains(t, ladderback(t, "markets", "show", "btc-updown-5m-1776081600", "--archive", db).out, "300, ")
	require.Contains(t, ladderback(t, "markets", "show", "btc-updown-5m-1776081600", "--archive", db).out, "0% covered")
	for _, data := range []string{"prices", "books", "metrics"} {
		r := ladderback(t, "history", data, "btc-updown-5m-1776081600", "--archive", db, "--format", "ndjson")
		require.Zero(t, r.code, r.err)
		require.NotContains(t, r.out, "0.4", data)
		require.NotContains(t, r.out, "0.6", data)
	}
	out := filepath.Join(dir, "out")
	require.Zero(t, ladderback(t, "archive", "export", "quotes", "captures", "--format", "jsonl", "--out", out, "--archive", db).code)
	quotes, captures := 0, 0
	require.NoError(t, filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(path[len(out):], "quotes") {
			quotes += strings.Count(string(text), "\n")
		}
		captures += strings.Count(string(text), `"change"`)
		return err
	}))
	require.Zero(t, quotes)
	require.Positive(t, captures)
	require.Zero(t, ladderback(t, "archive", "verify", "--archive", db).code)
}
