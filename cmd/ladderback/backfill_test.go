package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/exchange"
	"github.com/ladderback/ladderback/internal/realdata"
)

// TestBackfill: the commands of docs/data.md over the captures at hand, from an import
// without metadata to a backtest; stopped in the middle, it goes on with what is left.
func TestBackfill(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	rounds, err := exchange.Load(dir)
	require.NoError(t, err)
	pages, refuse := 0, true
	server := exchange.New(exchange.Config{Rounds: rounds, Now: time.Now, Intercept: func(w http.ResponseWriter, r *http.Request) bool {
		if pages++; refuse && pages > 1 {
			http.Error(w, "no more", http.StatusForbidden)
			return true
		}
		return false
	}})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	db := filepath.Join(t.TempDir(), "btc.db")
	env := map[string]string{"LADDERBACK_RECORD_GAMMA": web.URL}
	do := func(args ...string) result { return runWith(t, t.Context(), env, "", append(args, "--archive", db)...) }

	require.Equal(t, exitDone, do("import", filepath.Join(dir, "captures"), filepath.Join(dir, "parquet")).code)
	first := do("record", "--backfill", "--json")
	require.Equal(t, exitFailed, first.code, "the server refused the second page")
	require.JSONEq(t, `{"error": "failed", "message": "backfill: /markets: 403 Forbidden"}`, first.out)
	refuse = false
	second := do("record", "--backfill", "--json")
	require.Equal(t, exitDone, second.code, second.err)
	require.JSONEq(t, `{"wanting": 33, "asked": 33, "found": 33}`, second.out)
	require.JSONEq(t, `{"wanting": 0, "asked": 0, "found": 0}`, do("record", "--backfill", "--json").out)
	left, err := filepath.Glob(db + ".recording/*")
	require.NoError(t, err)
	for _, path := range left {
		require.NotContains(t, path, "markets.jsonl")
	}
	run := readBody(t, do("backtest", "Buy Up on BTC 5m when Up drops below 40 cents, take profit at 55c, stop at 20c, last 100 markets", "--json"))
	require.Equal(t, 83, run.Report.MarketsFound)
	require.Positive(t, run.Report.MarketsTraded)
}
