package archive_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/archivetest"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/market"
)

// TestMemoryCountsBlocks reads markets that are cut into small blocks: what is
// then known of the blocks counts, and a market that has too many is not kept.
func TestMemoryCountsBlocks(t *testing.T) {
	t.Parallel()
	s, err := sqlite.CreateStore(t.Context(), filepath.Join(t.TempDir(), "small.db"))
	require.NoError(t, err)
	a := archive.New(s, archive.BlockCaptures(1))
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	sc := archivetest.NewScenario(3, 150)
	f := sc.Whole()
	require.NoError(t, archivetest.Put(t.Context(), a, sc, &f))
	list, err := a.Markets(t.Context(), archive.MarketQuery{})
	require.NoError(t, err)
	i := 0
	for k := range list {
		if list[k].Stats.Captures > list[i].Stats.Captures {
			i = k
		}
	}
	for _, most := range []int{1 << 20, 4 * 5000} {
		a.Remember(most)
		row, err := a.Market(t.Context(), list[i].Market.VenueID, "")
		require.NoError(t, err)
		bytes, rows := a.KeptRows()
		require.Equal(t, 1, rows)
		require.Less(t, bytes, 5000)
		for _, err := range a.CapturesFrom(t.Context(), row, row.Stats.First, market.Latest, archive.ForAll) {
			require.NoError(t, err)
		}
		bytes, rows = a.KeptRows()
		if most == 1<<20 {
			require.Equal(t, 1, rows)
			require.Greater(t, bytes, 100*int(row.Stats.Captures), "a block a capture")
		} else {
			require.Zero(t, rows)
		}
	}
}
