package scan

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// BenchmarkTops reads the tops of all rounds of the archive that
// LADDERBACK_BENCH_ARCHIVE names, whose bytes are in memory.
func BenchmarkTops(b *testing.B) {
	path := os.Getenv("LADDERBACK_BENCH_ARCHIVE")
	if path == "" {
		b.Skip("LADDERBACK_BENCH_ARCHIVE names no archive")
	}
	s, err := sqlite.OpenReadOnly(b.Context(), path)
	require.NoError(b, err)
	defer s.Close()
	var all []topReader
	require.NoError(b, s.View(b.Context(), func(r store.Reader) error {
		rows, err := r.Markets(b.Context(), store.MarketQuery{Unlisted: true})
		if err != nil {
			return err
		}
		refs, err := r.Tops(b.Context(), idsOf(rows))
		if err != nil {
			return err
		}
		return r.ReadBlocks(b.Context(), refs, func(i int, data []byte) error {
			_, blocks, ok := openTops(&refs[i], slices.Clone(data))
			require.True(b, ok)
			all = append(all, topReader{ref: &refs[i], data: blocks})
			return nil
		})
	}))
	var room []market.Shown
	dec, tops := new(block.Decoder), 0
	for b.Loop() {
		for _, r := range all {
			r.dec, r.tops = dec, room[:0]
			_, err := r.read(math.MaxInt)
			require.NoError(b, err)
			room, tops = r.tops, tops+len(r.tops)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(tops), "ns/top")
}
