package ingest_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
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
		opened, _, err := sqlite.Create(b.Context(), filepath.Join(b.TempDir(), "real.db"))
		require.NoError(b, err)
		a := archive.New(opened)
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

// BenchmarkMetadata imports the outcomes of 138,941 real markets, then what the
// same source lists of 161,562, most of them the same:
//
//	go test -run '^$' -bench Metadata -benchtime 1x ./archive/ingest
func BenchmarkMetadata(b *testing.B) {
	dir := realdata.Dir(b, "polymarket-us-sports")
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "real.db")
		opened, _, err := sqlite.Create(b.Context(), path)
		require.NoError(b, err)
		a := archive.New(opened)
		for _, name := range []string{"labels", "markets"} {
			begin := time.Now()
			res, err := ingest.Run(b.Context(), a, ingest.Options{Paths: []string{filepath.Join(dir, name+".parquet")}})
			require.NoError(b, err)
			require.Empty(b, res.Failed())
			b.ReportMetric(float64(time.Since(begin).Microseconds())/float64(res.Files[0].Source.Counts.Markets), "µs/market-in-"+name)
		}
		in, err := care.InfoOf(b.Context(), a.Store())
		require.NoError(b, err)
		b.ReportMetric(float64(in.Bytes)/161_562, "B/market")
		require.NoError(b, a.Close())
	}
}
