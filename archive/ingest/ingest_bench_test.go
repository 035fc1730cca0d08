package ingest_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/internal/realdata"
)

// BenchmarkImport imports all real captures with their list of rounds into a
// new archive:
//
//	go test -run '^$' -bench Import -benchtime 3x -cpu 2 ./archive/ingest
//
// The bytes a second are those of the JSON inside the compressed files.
func BenchmarkImport(b *testing.B) {
	const jsonBytes = 728 << 20
	dir := realdata.Dir(b, "polymarket-btc-5m")
	b.SetBytes(jsonBytes)
	for b.Loop() {
		a, _, err := sqlite.Create(b.Context(), filepath.Join(b.TempDir(), "real.db"))
		require.NoError(b, err)
		res, err := ingest.Run(b.Context(), a, ingest.Options{
			Paths:   []string{filepath.Join(dir, "captures")},
			Markets: []string{filepath.Join(dir, "markets.jsonl")},
		})
		require.NoError(b, err)
		require.Empty(b, res.Failed())
		require.EqualValues(b, 210_542, res.Captures)
		require.NoError(b, a.Close())
		b.ReportMetric(float64(res.Bytes)/float64(res.Changes), "B/change")
		b.ReportMetric(float64(res.Bytes)/1e6, "MB")
	}
}
