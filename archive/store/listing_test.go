package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestListed: an event or a series that a market is of is there, or the archive is damaged;
// a market of none has neither.
func TestListed(t *testing.T) {
	t.Parallel()
	of := func(event, series store.ID) []store.MarketRow {
		return []store.MarketRow{{Market: market.Market{VenueID: "m"}, Event: event, Series: series}}
	}
	events, series := map[store.ID]string{7: "final"}, map[store.ID]string{9: "season"}
	got, err := store.Listed(of(7, 9), events, series)
	require.NoError(t, err)
	require.Equal(t, "final", got[0].EventSlug)
	require.Equal(t, "season", got[0].SeriesSlug)
	got, err = store.Listed(of(0, 0), nil, nil)
	require.NoError(t, err)
	require.Empty(t, got[0].EventSlug+got[0].SeriesSlug)
	for _, rows := range [][]store.MarketRow{of(8, 9), of(7, 8), of(8, 0), of(0, 8)} {
		_, err := store.Listed(rows, events, series)
		require.ErrorIs(t, err, store.ErrDamaged)
	}
}
