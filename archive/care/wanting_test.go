package care_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

const begun = 1_783_700_000 * market.Second

// told is what a file says of a market, and how many captures it has of it.
type told struct {
	slug     string
	venue    market.Venue
	payout   *market.Payout
	captures int
}

// tell imports a file with an authority.
func tell(t *testing.T, s store.Store, name string, a store.Authority, all ...told) {
	t.Helper()
	src := store.Source{Name: name, Format: "test", Authority: a}
	copy(src.SHA256[:], name)
	imp, err := intake.New(s, intake.Config{}).Begin(t.Context(), src)
	require.NoError(t, err)
	for _, one := range all {
		m, err := imp.Market(t.Context(), market.Market{
			Venue: one.venue, Slug: one.slug, Category: market.Sports, Tokens: []market.Token{{Label: "Yes"}, {Label: "No"}}, Payout: one.payout,
		})
		require.NoError(t, err)
		for i := range one.captures {
			c := market.Capture{Kind: market.KindQuote, Recv: begun + market.Instant(i)*market.Second}
			c.Quote.Bid.Price, c.Quote.Ask.Price = 4000, market.NoPrice
			require.NoError(t, m.Add(&c))
		}
	}
	_, err = imp.Finish(t.Context(), intake.End{})
	require.NoError(t, err)
}

func pays(basis market.Basis, yes market.Cash) *market.Payout {
	return &market.Payout{Basis: basis, Fractions: []market.Cash{yes, market.CashOne - yes}}
}

func empty(t *testing.T) store.Store {
	t.Helper()
	s := archivetest.Store(t, filepath.Join(t.TempDir(), "a.db"))
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestWanting: wanted is the metadata of markets of the venue that there are captures of
// and no official winner, each once.
func TestWanting(t *testing.T) {
	t.Parallel()
	s := empty(t)
	const venue = market.PolymarketUS
	tell(t, s, "captures", store.FromCaptures,
		told{"b-unknown", venue, nil, 2}, told{"official", venue, nil, 2}, told{"a-inferred", venue, nil, 1}, told{"elsewhere", market.Polymarket, nil, 2})
	tell(t, s, "more captures", store.FromCaptures, told{"b-unknown", venue, nil, 3})
	tell(t, s, "metadata", store.FromExchange,
		told{"official", venue, pays(market.Official, market.CashOne), 0}, told{"no captures", venue, nil, 0})
	tell(t, s, "a list", store.FromList, told{"a-inferred", venue, pays(market.Inferred, 0), 0})
	names, err := care.Wanting(t.Context(), s, venue)
	require.NoError(t, err)
	require.Equal(t, []string{"a-inferred", "b-unknown"}, names)
	names, err = care.Wanting(t.Context(), s, market.Polymarket)
	require.NoError(t, err)
	require.Equal(t, []string{"elsewhere"}, names)
}

// TestWords: what sources say of the winner, the one that counts most first, each by the
// name of its file.
func TestWords(t *testing.T) {
	t.Parallel()
	s := empty(t)
	game := func(p *market.Payout) told { return told{"game", market.PolymarketUS, p, 0} }
	tell(t, s, "a list", store.FromList, game(pays(market.Inferred, 0)))
	tell(t, s, "the exchange", store.FromExchange, game(pays(market.Official, market.CashOne)))
	tell(t, s, "silent", store.FromExchange, game(nil))
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		rows, err := r.Markets(t.Context(), store.MarketQuery{Unlisted: true})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		words, err := care.Words(t.Context(), s, &rows[0])
		require.NoError(t, err)
		require.Len(t, words, 2)
		require.Equal(t, "the exchange", words[0].Source)
		require.Equal(t, 0, words[0].Winner())
		require.Equal(t, "a list", words[1].Source)
		require.Equal(t, 1, words[1].Winner())
		return nil
	}))
}
