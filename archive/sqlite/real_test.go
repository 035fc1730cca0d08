package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
)

func TestRealCaptures(t *testing.T) {
	dir := realdata.Dir(t, "polymarket-btc-5m")
	path := filepath.Join(t.TempDir(), "a.db")
	a, notice, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	t.Log(notice)
	begin := time.Now()
	res, err := ingest.Run(t.Context(), a, ingest.Options{Paths: []string{filepath.Join(dir, "captures")}, Markets: []string{filepath.Join(dir, "markets.jsonl")}})
	require.NoError(t, err)
	t.Logf("import %v: %d captures, %d changes, %d bytes", time.Since(begin), res.Captures, res.Changes, res.Bytes)
	begin = time.Now()
	rounds, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	t.Logf("rounds %v %d", time.Since(begin), len(rounds))
	n, changes := 0, 0
	begin = time.Now()
	for _, r := range rounds[:] {
		for c, err := range a.Captures(t.Context(), r.Market) {
			require.NoError(t, err)
			n++
			changes += len(c.Bids) + len(c.Asks)
		}
	}
	t.Logf("captures %v %d %d", time.Since(begin), n, changes)
	require.NoError(t, a.Close())
}
