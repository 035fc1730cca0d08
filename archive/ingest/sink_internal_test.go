package ingest

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestManyListed: a file of metadata names so many markets; what is said of one more
// is rejected, and of one that was named is not.
func TestManyListed(t *testing.T) {
	t.Parallel()
	s := &sink{named: map[store.ID]struct{}{}, rejected: map[string]int64{}}
	for i := range maxListed {
		require.True(t, s.mayName(&market.Market{Venue: market.Polymarket, Slug: strconv.Itoa(i)}))
	}
	require.False(t, s.mayName(&market.Market{Venue: market.Polymarket, Slug: "one more"}))
	require.True(t, s.mayName(&market.Market{Venue: market.Polymarket, Slug: "7"}))
	require.Zero(t, s.Token(dropped, market.Token{}))
	s.Gap(dropped, 0, market.Gap{})
	require.NoError(t, s.Add(dropped, nil))
	require.NoError(t, s.Done(t.Context(), dropped))
}
