package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// TestText keeps what a column of text cannot hold.
func TestText(t *testing.T) {
	t.Parallel()
	a := database(t)
	odd := "zero \x00, escape \x1a and \x1a00, 50% of_it \\ \u00e9t\u00e9"
	f := archivetest.File{Name: "odd \x00\xff.json", Authority: store.FromExchange, Claims: []market.Market{{
		Venue: market.Polymarket, VenueID: "0x\x00", Slug: "odd", Question: odd, Category: market.Crypto, Tags: []string{"a\x00b"},
		Tokens: []market.Token{{VenueID: "1\x00", Label: "Yes"}, {VenueID: "2", Label: "No\x00"}},
	}}}
	require.NoError(t, archivetest.Put(t.Context(), a, &archivetest.Scenario{}, &f))
	sources, err := a.Sources(t.Context())
	require.NoError(t, err)
	require.Equal(t, f.Name, sources[0].Name)
	for i, search := range []string{"", "50% OF_it \\ \u00c9T", "zero \x00,", "\x1a00", "50% OF_it \\ \u00c9T", "zero \x00,", "\x1a00"} {
		rows, err := a.Markets(t.Context(), store.MarketQuery{Search: search, Page: store.Page{Limit: i / 4}}) // in order, then gathered
		require.NoError(t, err)
		require.Len(t, rows, 1, "%q", search)
		require.Equal(t, odd, rows[0].Market.Question)
		require.Equal(t, "0x\x00", rows[0].Market.VenueID)
		require.Equal(t, []string{"a\x00b"}, rows[0].Market.Tags)
	}
	none, err := a.Markets(t.Context(), store.MarketQuery{Search: "50x of"})
	require.NoError(t, err)
	require.Empty(t, none)
	_, at, err := a.Token(t.Context(), "1\x00", "")
	require.NoError(t, err)
	require.Equal(t, 0, at)
	rows, err := a.Markets(t.Context(), store.MarketQuery{Tags: []string{"a\x00b"}})
	require.NoError(t, err)
	require.Len(t, rows, 1)
}
