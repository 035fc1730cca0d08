package contract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// put imports one market with one capture of its first token at each time.
func put(t testing.TB, a *archivetest.Archive, name string, auth store.Authority, m market.Market, at ...market.Instant) {
	t.Helper()
	f := archivetest.File{Name: name, Authority: auth}
	s := &archivetest.Scenario{Markets: []market.Market{m}}
	for i, r := range at {
		s.Messages = append(s.Messages, archivetest.Message{Capture: market.Capture{
			Kind: market.KindPrice, Recv: r, Trade: market.Trade{Price: market.Price(1 + i)},
		}})
		f.Messages = append(f.Messages, i)
	}
	if len(at) == 0 {
		f.Claims = []market.Market{m}
	}
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
}

func find(t testing.TB, a *archivetest.Archive, name string) *store.Listing {
	t.Helper()
	row, err := a.Market(t.Context(), name, "")
	require.NoError(t, err)
	return row
}

func payout(b market.Basis, up market.Cash) *market.Payout {
	return &market.Payout{Basis: b, Fractions: []market.Cash{up, market.CashOne - up}}
}

var upDown = []market.Token{{VenueID: "1", Outcome: market.Up}, {VenueID: "2", Outcome: market.Down}}

func testStatus(t *testing.T, open Open) {
	a := newArchive(t, open)
	const end = archivetest.Start + 5*market.Minute
	first := market.Market{Venue: market.Polymarket, VenueID: "0x1", Slug: "btc-updown-5m-1776081600", Tokens: upDown}
	put(t, a, "a", store.FromCaptures, first, archivetest.Start+market.Second, archivetest.Start+2*market.Second)

	row := find(t, a, "0x1")
	m := &row.Market
	require.Equal(t, "Bitcoin Up or Down: 2026-04-13 12:00–12:05 UTC", m.Question)
	require.Equal(t, []string{"5m", "bitcoin", "crypto", "up-or-down"}, m.Tags)
	require.Equal(t, "btc-up-or-down-5m", row.SeriesSlug)
	require.Equal(t, m.Slug, row.EventSlug)
	require.Equal(t, market.Crypto, m.Category)
	require.Equal(t, []market.Instant{archivetest.Start, end}, []market.Instant{m.Start, m.End})
	require.True(t, m.Mirrored)
	require.Equal(t, store.Open, row.Status)
	require.Zero(t, row.ClosedAt)
	require.Equal(t, archivetest.Start+2*market.Second, row.UpdatedAt)
	series, err := a.Series(t.Context(), store.GroupQuery{})
	require.NoError(t, err)
	require.Equal(t, "Bitcoin Up or Down 5m", series[0].Series.Title)
	require.Equal(t, "btc-up-or-down-5m", series[0].Series.VenueID)
	require.Equal(t, "5m", series[0].Series.Recurrence)

	// A capture of another market at the first one's end closes it.
	later := market.Market{Venue: market.Polymarket, VenueID: "0x2", Slug: "btc-updown-15m-1776081900", Tokens: []market.Token{{Outcome: market.Up}}}
	put(t, a, "b", store.FromCaptures, later, end-1)
	require.Equal(t, store.Open, find(t, a, "0x1").Status)
	put(t, a, "c", store.FromCaptures, later, end)
	row = find(t, a, "0x1")
	require.Equal(t, store.Closed, row.Status)
	require.Equal(t, end, row.ClosedAt)
	require.Equal(t, end, row.UpdatedAt)
	require.Equal(t, "0x2:up", find(t, a, "0x2").Market.Tokens[0].VenueID)
	require.True(t, find(t, a, "0x2").Market.Tokens[0].Derived)

	// An inferred payout closes, an official one resolves; it is not overwritten.
	guess := first
	guess.Payout = payout(market.Inferred, market.CashOne)
	put(t, a, "d", store.FromList, guess)
	row = find(t, a, "0x1")
	require.Equal(t, store.Closed, row.Status)
	require.Equal(t, market.Inferred, row.Market.Payout.Basis)
	said := first
	said.Payout, said.Question, said.ClosedAt, said.Closed = payout(market.Official, 0), "Asked", end+market.Second, true
	put(t, a, "e", store.FromExchange, said)
	guess.Question = "Not asked"
	put(t, a, "f", store.FromList, guess)
	row = find(t, a, "0x1")
	require.Equal(t, store.Resolved, row.Status)
	require.Equal(t, 1, row.Market.Payout.Winner())
	require.Equal(t, "Asked", row.Market.Question)
	require.Equal(t, end+market.Second, row.ClosedAt)
	require.Equal(t, end+market.Second, row.UpdatedAt)

	// The exchange's word settles what a list says; two words of its own are a
	// contradiction, until one of them is removed.
	other := first
	other.Payout = payout(market.Official, market.CashOne)
	put(t, a, "l", store.FromList, other)
	require.Equal(t, store.Resolved, find(t, a, "0x1").Status)
	put(t, a, "g", store.FromExchange, other)
	row = find(t, a, "0x1")
	require.True(t, row.Disputed)
	words, err := care.Words(t.Context(), a.Store(), &row.MarketRow)
	require.NoError(t, err)
	require.Len(t, words, 5, "of two guesses, a list and the exchange twice")
	require.ElementsMatch(t, []string{"e", "g"}, []string{words[0].Source, words[1].Source}, "the exchange's count most")
	require.ElementsMatch(t, []int{0, 1}, []int{words[0].Winner(), words[1].Winner()})
	require.Nil(t, row.Market.Payout)
	require.Equal(t, store.Closed, row.Status)
	info, err := a.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, info.Disputed)
	require.Equal(t, []string{row.Market.Slug}, info.DisputedMarkets)
	sources, err := a.Sources(t.Context())
	require.NoError(t, err)
	for _, s := range sources {
		if s.Name == "g" {
			require.NoError(t, a.RemoveSource(t.Context(), s.ID))
		}
	}
	require.Equal(t, store.Resolved, find(t, a, "0x1").Status)
	testUndated(t, a)
	requireSound(t, a)
}

// testUndated looks at markets of which a source gives no dates, no category,
// or no id.
func testUndated(t *testing.T, a *archivetest.Archive) {
	game := market.Market{Venue: market.PolymarketUS, Slug: "a-b", Category: market.Sports, Tokens: []market.Token{{Label: "Yes"}, {Label: "No"}}}
	put(t, a, "h", store.FromCaptures, game, archivetest.Start, archivetest.Start+market.Hour)
	row := find(t, a, "a-b")
	require.Equal(t, "a-b", row.Market.VenueID)
	require.Equal(t, "a-b:yes", row.Market.Tokens[0].VenueID)
	require.Equal(t, []market.Instant{archivetest.Start, archivetest.Start + market.Hour}, []market.Instant{row.Market.Start, row.Market.End})
	require.Equal(t, store.Open, row.Status)
	require.True(t, row.Stats.Captured)

	// The id comes later: the same market, the same captures, other public ids.
	content := row.Stats.Content
	game.VenueID, game.Tokens = "0xg", []market.Token{{VenueID: "77", Label: "Yes"}, {VenueID: "78", Label: "No"}}
	put(t, a, "i", store.FromExchange, game)
	row = find(t, a, "a-b")
	require.Equal(t, "0xg", row.Market.VenueID)
	require.Equal(t, "77", row.Market.Tokens[0].VenueID)
	require.EqualValues(t, 2, row.Stats.Captures)
	require.NotEqual(t, content, row.Stats.Content, "the content hash covers the ids of tokens")

	// Captures of a market that nothing gives a category wait for it.
	raw := market.Market{Venue: market.Polymarket, VenueID: "0xr", Tokens: []market.Token{{VenueID: "91"}}}
	put(t, a, "j", store.FromCaptures, raw, archivetest.Start)
	_, err := a.Market(t.Context(), "0xr", "")
	require.ErrorIs(t, err, store.ErrNotFound)
	info, err := a.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, info.Unlisted)
	require.EqualValues(t, 1, info.Unplaced)
	raw.Slug, raw.Tokens = "eth-updown-1h-1776081600", []market.Token{{VenueID: "92", Outcome: market.Up}}
	put(t, a, "k", store.FromList, raw)
	row = find(t, a, "0xr")
	require.Equal(t, []string{"92", "91"}, []string{row.Market.Tokens[0].VenueID, row.Market.Tokens[1].VenueID}, "by elimination")
	require.EqualValues(t, 1, row.Stats.Captures)
}

func testRemove(t *testing.T, open Open) {
	s := archivetest.NewScenario(5, 120)
	a := newArchive(t, open, intake.Config{BlockCaptures: 4})
	files := s.Split(5, 3)
	for i := range files {
		require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
	}
	want := archivetest.Dump(t, a)
	id := find(t, a, s.Markets[0].Slug).ID
	require.NoError(t, a.RemoveMarkets(t.Context(), []store.ID{id}))
	_, err := a.Market(t.Context(), s.Markets[0].Slug, "")
	require.ErrorIs(t, err, store.ErrNotFound)
	requireSound(t, a)
	for i := range files { // brings it back
		require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
	}
	require.Equal(t, want, archivetest.Dump(t, a))

	n, err := a.RemoveBefore(t.Context(), archivetest.Start+5*market.Minute)
	require.NoError(t, err)
	require.Positive(t, n)
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	require.Len(t, rows, 3-n)
	for _, r := range rows {
		require.Greater(t, r.Market.End, archivetest.Start+5*market.Minute)
	}
	requireSound(t, a)
	for i := range files {
		require.NoError(t, a.RemoveSource(t.Context(), files[i].Source().SourceID()))
	}
	rows, err = a.Markets(t.Context(), store.MarketQuery{Unlisted: true})
	require.NoError(t, err)
	require.Empty(t, rows)
	marks, err := a.Watermarks(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, marks)
	require.ErrorIs(t, a.RemoveSource(t.Context(), files[0].Source().SourceID()), store.ErrNotFound)
	requireSound(t, a)
}
