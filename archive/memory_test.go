package archive_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/archivetest"
	"github.com/ladderback/ladderback/archive/history"
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

// TestManyTokens asks for a minute of prices of markets with few and with very
// many tokens: of those a chunk would take too much.
func TestManyTokens(t *testing.T) {
	t.Parallel()
	for n, kept := range map[int]bool{2: true, 1000: false} {
		s, err := sqlite.CreateStore(t.Context(), filepath.Join(t.TempDir(), "many.db"))
		require.NoError(t, err)
		a := archive.New(s)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		a.Remember(256 << 20)
		m := market.Market{Venue: market.Polymarket, VenueID: "0xmany", Slug: "many", Category: market.Sports}
		for i := range n {
			m.Tokens = append(m.Tokens, market.Token{VenueID: fmt.Sprint("token", i), Label: fmt.Sprint("Team ", i)})
		}
		sc := &archivetest.Scenario{Markets: []market.Market{m}}
		for k := range 3 {
			c := market.Capture{Token: n - 1, Kind: market.KindPrice, Recv: archivetest.Start + market.Instant(k)*market.Minute}
			c.Trade.Price = market.Price(1000 * (k + 1))
			sc.Messages = append(sc.Messages, archivetest.Message{Capture: c})
		}
		f := sc.Whole()
		f.Claims = []market.Market{m}
		require.NoError(t, archivetest.Put(t.Context(), a, sc, &f))
		row, at, err := a.Token(t.Context(), fmt.Sprint("token", n-1), "")
		require.NoError(t, err)
		w := history.Window{Start: archivetest.Start, End: archivetest.Start + market.Minute, Resolution: market.Minute}
		var got []int64
		err = a.Prices(t.Context(), row, history.Request{Market: &row.Market, Window: w, Known: row.Known(row.Watermark)}, w.End, func(_ market.Instant, p []int64) bool {
			got = append(got, p[at])
			return true
		})
		require.NoError(t, err)
		require.Equal(t, []int64{100_000}, got)
		require.Equal(t, kept, a.KeptChunks() > 0)
	}
}
