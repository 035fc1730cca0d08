package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDisagreeingWinners: who says what of a winner shows, by slug, and the exchange's
// final answer settles it.
func TestDisagreeingWinners(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "a.db")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
		return path
	}
	const slug = "btc-updown-5m-1776081600"
	log := write("feed.jsonl", `{"recv":1776081901,"slug":"btc-updown-5m-1776081600","msg":{"event_type":"market_resolved","market":"0xabc","assets_ids":["111","222"],"outcomes":["Up","Down"],"winning_asset_id":"111","winning_outcome":"Up","timestamp":"1776081900900"}}`)
	list := write("list.jsonl", `{"slug":"btc-updown-5m-1776081600","condition_id":"0xabc","coin":"BTC","market_type":"5m","start":1776081600,"end":1776081900,"up_token":"111","down_token":"222","winner":"down","winner_basis":"last_quotes"}`)
	require.Zero(t, ladderback(t, "import", log, list, "--archive", db).code)

	shown := ladderback(t, "markets", "show", slug, "--archive", db)
	require.Zero(t, shown.code, shown.err)
	require.Contains(t, shown.out, "closed, no winner: sources disagree")
	require.Regexp(t, `winner by source +Down, inferred: \S+list.jsonl\n +Up, inferred: \S+feed.jsonl`, shown.out)
	info := ladderback(t, "archive", "info", "--archive", db)
	require.Contains(t, info.out, "1 market has sources that disagree on the winner: not resolved ('markets show' says which)\n  "+slug)

	gamma := write("gamma.json", `{"conditionId":"0xabc","slug":"btc-updown-5m-1776081600","question":"?","outcomes":["Up","Down"],"clobTokenIds":["111","222"],"outcomePrices":["0","1"],"closed":true,"umaResolutionStatus":"resolved","updatedAt":"2026-04-13T12:07:00Z"}`)
	require.Zero(t, ladderback(t, "import", gamma, "--archive", db).code)
	shown = ladderback(t, "markets", "show", slug, "--archive", db, "--json")
	var m struct {
		Status string `json:"status"`
		Winner string `json:"winning_token_label"`
		Words  []struct {
			Source, Basis string
			Winner        string `json:"winning_token_label"`
		} `json:"winner_by_source"`
	}
	require.NoError(t, json.Unmarshal([]byte(shown.out), &m))
	require.Equal(t, []string{"resolved", "Down"}, []string{m.Status, m.Winner})
	require.Len(t, m.Words, 3)
	require.Equal(t, "official", m.Words[0].Basis)
	require.Equal(t, "Up", m.Words[2].Winner)
	require.NotContains(t, ladderback(t, "archive", "info", "--archive", db).out, "disagree")
}
