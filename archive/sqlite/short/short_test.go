package short

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestSlugs: a slug comes back as it was, whatever it begins with.
func TestSlugs(t *testing.T) {
	t.Parallel()
	for _, slug := range []string{"", "id", "=", "==", "=id", "another"} {
		m := market.Market{VenueID: "id", Slug: slug}
		require.Equal(t, slug, LongSlug(Slug(&m), m.VenueID), "%q", slug)
	}
}

// TestWords: payouts and tokens come back from the words that they are stored as,
// each time as values of their own.
func TestWords(t *testing.T) {
	t.Parallel()
	row := store.MarketRow{Market: market.Market{VenueID: "id", Tokens: []market.Token{
		{VenueID: "id:up", Label: "Up", Outcome: market.Up, Derived: true}, {VenueID: "id:down", Label: "Down", Outcome: market.Down, Derived: true},
	}}}
	row.Market.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}}
	var w Words
	for range 2 {
		p, err := w.Payout([]byte(Payout(row.Market.Payout)))
		require.NoError(t, err)
		require.Equal(t, row.Market.Payout, p)
		p.Fractions[0] = 7
		tokens, err := w.Outcomes([]byte(Outcomes(&row)))
		require.NoError(t, err)
		for i := range tokens {
			LongToken(&row.Market, &tokens[i])
		}
		require.Equal(t, row.Market.Tokens, tokens)
	}
	row.Keys = [][]store.ID{{1}}
	require.Empty(t, Outcomes(&row), "a token with blocks has a row")
	_, err := w.Payout([]byte("{"))
	require.ErrorIs(t, err, store.ErrDamaged)
	_, err = w.Outcomes([]byte(`[["a"`))
	require.ErrorIs(t, err, store.ErrDamaged)
}
