package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPricesAlone: from a file of the exchange's price history to the fills of a
// report.
func TestPricesAlone(t *testing.T) {
	t.Parallel()
	const token = "71717171717171717171717171717171"
	dir := t.TempDir()
	db, markets := filepath.Join(dir, "a.db"), filepath.Join(dir, "markets.jsonl")
	require.NoError(t, os.WriteFile(markets, []byte(fmt.Sprintf(
		`{"slug":"btc-updown-1h-1776081600","condition_id":"0xab","coin":"BTC","market_type":"1h","start":1776081600,"end":1776085200,"up_token":%q,"down_token":"72","winner":"up","winner_basis":"official"}`+"\n", token)), 0o600))
	var points []string
	for minute := range 60 {
		points = append(points, fmt.Sprintf(`{"t":%d,"p":0.%d}`, 1776081600+60*minute, 40+minute/2))
	}
	file := filepath.Join(dir, "history.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"history":[`+strings.Join(points, ",")+`]}`), 0o600))

	r := ladderback(t, "import", file, "--markets", markets, "--archive", db)
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.err, "use --token")
	r = ladderback(t, "import", file, "--markets", markets, "--archive", db, "--token", token)
	require.Equal(t, exitDone, r.code, r.err)
	r = ladderback(t, "backtest", "buy Up in BTC 1h markets when the price is above 0.50, take profit at 0.60",
		"--archive", db, "--fees", "none", "--latency", "0", "--json", "--include", "fills", "--parser", "rules")
	require.Equal(t, exitDone, r.code, r.err)
	var got struct {
		Report struct {
			Trades []struct {
				EntryFill  string  `json:"entry_fill"`
				ExitFill   string  `json:"exit_fill"`
				EntryPrice float64 `json:"entry_price"`
				ExitPrice  float64 `json:"exit_price"`
				Reason     string  `json:"exit_reason"`
			} `json:"trades"`
		} `json:"report"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &got))
	require.Len(t, got.Report.Trades, 1)
	trade := got.Report.Trades[0]
	require.Equal(t, "last_price", trade.EntryFill)
	require.Equal(t, "last_price", trade.ExitFill)
	require.InDelta(t, 0.51, trade.EntryPrice, 1e-9)
	require.InDelta(t, 0.60, trade.ExitPrice, 1e-9)
	require.Equal(t, "take_profit", trade.Reason)
}

// TestImportIsOneDocument: also when it fails midway.
func TestImportIsOneDocument(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no device that is always full")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "log.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(goodBook+"\nno JSON\n"), 0o600))
	r := ladderback(t, "import", file, "--archive", filepath.Join(dir, "a.db"), "--rejects", "/dev/full", "--json")
	require.Equal(t, exitFailed, r.code)
	d := json.NewDecoder(strings.NewReader(r.out))
	var doc struct {
		Captures int
		Error    string
		Message  string
	}
	require.NoError(t, d.Decode(&doc), r.out)
	require.False(t, d.More(), "one document: %s", r.out)
	require.Equal(t, 1, doc.Captures)
	require.Equal(t, "failed", doc.Error)
	require.Contains(t, doc.Message, "rejected lines")
}
