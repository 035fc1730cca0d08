package api_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/simulate"
)

// BenchmarkHistory measures pages of 200 points at 1s from the middle of a 15m
// round with ladders of 50 levels a side, from the embedded store, through every
// middleware (keys on, limits on), without the network:
//
//	go test ./api -run '^$' -bench History -benchtime 2s
func BenchmarkHistory(b *testing.B) {
	ctx := b.Context()
	a, err := newArchive(filepath.Join(b.TempDir(), "bench.db"), nil)
	require.NoError(b, err)
	defer a.Close()
	sim, err := simulate.New(simulate.Config{Seed: 1, Markets: 20, Levels: 50, Rate: 2})
	require.NoError(b, err)
	_, err = sim.Write(ctx, a, simulate.WriteOptions{})
	require.NoError(b, err)
	a.Remember(64 << 20)
	rows, err := a.Markets(ctx, archive.MarketQuery{Page: archive.Page{Sort: archive.ByEnd}})
	require.NoError(b, err)
	w := worldOver(b, a, func(c *api.Config) {})
	resolution, _ := history.FindResolution("1s")
	for _, kind := range []string{"prices", "books", "metrics"} {
		b.Run(kind, func(b *testing.B) {
			b.ReportAllocs()
			paths := make([]string, len(rows))
			for i := range rows {
				m := &rows[i].Market
				from := m.Start + (m.End-m.Start)/2
				paths[i] = historyPath("markets/"+m.VenueID+"/"+kind, history.Window{Start: from, End: m.End, Resolution: resolution.Span}, "1s") + "&limit=200"
			}
			bytes := 0
			for i := 0; b.Loop(); i++ {
				r := httptest.NewRequest(http.MethodGet, paths[i%len(paths)], nil)
				r.Header.Set("Authorization", "Bearer "+w.keys["unmeasured"])
				rec := httptest.NewRecorder()
				w.api.ServeHTTP(rec, r)
				if rec.Code != http.StatusOK {
					b.Fatalf("%d %s", rec.Code, rec.Body)
				}
				bytes = rec.Body.Len()
			}
			b.ReportMetric(float64(bytes), "B/page")
		})
	}
}
