package history_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// TestMidsAreThePrices reads the prices of random windows from chunks, each made
// by itself or together with its neighbours, and compares with a walk.
func TestMidsAreThePrices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, captures := drawMarket(t)
		w, known := drawWindow(t, captures)
		// The captures lie around the boundary of two chunks.
		shift := 3*history.Chunk - market.Instant(rapid.IntRange(0, 4000).Draw(t, "shift"))*market.Millisecond
		for i := range captures {
			captures[i].Recv += shift
		}
		w.Start, w.End, known.From, known.To = w.Start+shift, w.End+shift, known.From+shift, known.To+shift
		w.Resolution *= market.Span(rapid.SampledFrom([]int{1, 1, 1, 3600}).Draw(t, "coarser"))
		r := history.Request{Market: m, Window: w, Known: known}
		type bucket struct {
			t market.Instant
			p []int64
		}
		stop := rapid.IntRange(1, 200).Draw(t, "stop")
		collect := func(into *[]bucket) func(market.Instant, []int64) bool {
			return func(t market.Instant, p []int64) bool {
				*into = append(*into, bucket{t, slices.Clone(p)})
				return len(*into) < stop
			}
		}
		var want, got []bucket
		require.NoError(t, history.Prices(r, sequence(captures), collect(&want)))
		together := rapid.IntRange(1, 3).Draw(t, "chunks together")
		made := map[market.Instant]*history.Mids{}
		chunk := func(from market.Instant) (*history.Mids, error) {
			require.Equal(t, from, history.ChunkOf(from))
			if made[from] == nil {
				all, err := history.ReadMids(m, from, together, sequence(captures))
				require.NoError(t, err)
				for i, c := range all {
					made[from+market.Instant(i)*history.Chunk] = c
				}
			}
			return made[from], nil
		}
		require.NoError(t, history.PricesOf(r, chunk, collect(&got)))
		require.Equal(t, want, got)
	})
}
