package derive_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// says makes a file of claims about markets.
func says(name string, a store.Authority, markets ...market.Market) archivetest.File {
	for i := range markets {
		markets[i].Venue = market.Polymarket
	}
	return archivetest.File{Name: name, Authority: a, Claims: markets}
}

func put(t *testing.T, a *archivetest.Archive, files ...archivetest.File) {
	t.Helper()
	for i := range files {
		require.NoError(t, archivetest.Put(t.Context(), a, &archivetest.Scenario{}, &files[i]))
	}
	requireSame(t, a)
}

// requireSame holds that what is stored is what is derived afresh.
func requireSame(t *testing.T, a *archivetest.Archive) {
	t.Helper()
	require.NoError(t, a.Store().View(t.Context(), func(r store.Reader) error {
		stored, err := r.Markets(t.Context(), store.MarketQuery{Unlisted: true})
		require.NoError(t, err)
		rows := make([]*store.MarketRow, len(stored))
		for i := range stored {
			rows[i] = &stored[i]
		}
		nothing := func(_ context.Context, _ store.Reader, row *store.MarketRow, _ []derive.Placed) (store.Stats, error) {
			return row.Stats, nil
		}
		afresh, err := derive.Markets(t.Context(), r, rows, nothing)
		require.NoError(t, err)
		require.Len(t, afresh, len(rows))
		for _, row := range rows {
			now := afresh[row.ID]
			derive.Settle(now, 0)
			require.Equal(t, row.Market, now.Market)
			require.Equal(t, row.Owners, now.Owners)
			require.Equal(t, row.Disputed, now.Disputed)
		}
		tallies, err := derive.Tallies(t.Context(), r)
		require.NoError(t, err)
		for _, total := range []bool{false, true} {
			changed, err := tallies.Changed(total, nil)
			require.NoError(t, err)
			require.Empty(t, changed, "the tallies kept are those counted afresh")
		}
		require.Empty(t, tallies.ChangedDays())
		return nil
	}))
}

// ids returns the public ids of all markets, in order.
func ids(t *testing.T, a *archivetest.Archive) []string {
	t.Helper()
	rows, err := a.Markets(t.Context(), store.MarketQuery{Unlisted: true, Page: store.Page{Ascending: true}})
	require.NoError(t, err)
	out := []string{}
	for i := range rows {
		out = append(out, rows[i].Market.VenueID)
	}
	return out
}

func one(t *testing.T, a *archivetest.Archive, name string) *store.Listing {
	t.Helper()
	rows, err := a.Markets(t.Context(), store.MarketQuery{Name: name, Unlisted: true})
	require.NoError(t, err)
	require.Len(t, rows, 1, name)
	return &rows[0]
}

const slug = "btc-updown-5m-1776081600"

// TestNames: a claim by slug alone is a market of its own until another source
// says which id goes by the slug, and is one again when that source is removed.
func TestNames(t *testing.T) {
	t.Parallel()
	a := archivetest.NewFile(t)
	put(t, a, says("by slug", store.FromCaptures, market.Market{Slug: slug, Question: "by slug"}))
	require.Equal(t, []string{slug}, ids(t, a))

	listed := says("by id", store.FromExchange, market.Market{VenueID: "0x1", Slug: slug, AltID: "512"})
	put(t, a, listed)
	require.Equal(t, []string{"0x1"}, ids(t, a))
	require.Equal(t, "by slug", one(t, a, "0x1").Market.Question, "what was said by slug belongs to the id")

	put(t, a, says("by number", store.FromList, market.Market{AltID: "512", Description: "by number"}))
	require.Equal(t, []string{"0x1"}, ids(t, a))
	require.Equal(t, "by number", one(t, a, slug).Market.Description)

	require.NoError(t, a.RemoveSource(t.Context(), listed.Source().SourceID()))
	requireSame(t, a)
	require.ElementsMatch(t, []string{slug, "512"}, ids(t, a), "nothing says any more that they are one")
}

// TestSeveralOfOneName: of several markets that go by a slug, claims by slug
// belong to the first by id, whichever came first.
func TestSeveralOfOneName(t *testing.T) {
	t.Parallel()
	first := says("first", store.FromExchange, market.Market{VenueID: "0x1", Slug: slug})
	second := says("second", store.FromExchange, market.Market{VenueID: "0x2", Slug: slug})
	weak := says("by slug", store.FromCaptures, market.Market{Slug: slug, Question: "whose?"})
	for _, order := range [][]archivetest.File{{first, second, weak}, {second, weak, first}, {weak, second, first}} {
		a := archivetest.NewFile(t)
		put(t, a, order...)
		require.ElementsMatch(t, []string{"0x1", "0x2"}, ids(t, a))
		require.Equal(t, "whose?", one(t, a, "0x1").Market.Question)
		require.NotEqual(t, "whose?", one(t, a, "0x2").Market.Question)
	}
}

// TestForecast: what a market will be is foreseen before the claim is stored.
func TestForecast(t *testing.T) {
	t.Parallel()
	a := archivetest.NewFile(t)
	put(t, a, says("tokens", store.FromExchange, market.Market{VenueID: "0x1", Slug: slug, Tokens: []market.Token{
		{VenueID: "71", Outcome: market.Up, Label: "Up"}, {VenueID: "72", Outcome: market.Down, Label: "Down"},
	}}))
	doc := derive.NewMarketDoc(store.FromCaptures, &market.Market{
		Venue: market.Polymarket, Slug: slug, Tokens: []market.Token{{VenueID: "72"}, {VenueID: "99"}},
	})
	require.NoError(t, a.Store().View(t.Context(), func(r store.Reader) error {
		f, err := derive.Foresee(t.Context(), r, 12345, doc.Owner(), doc)
		require.NoError(t, err)
		require.True(t, f.Dated)
		require.Equal(t, [2]market.Instant{1_776_081_600 * market.Second, 1_776_081_900 * market.Second}, [2]market.Instant{f.Start, f.End})
		at, ok := f.Place(doc, 0)
		require.True(t, ok)
		require.Equal(t, 1, at, "72 is Down")
		_, ok = f.Place(doc, 1)
		require.False(t, ok, "a round has two tokens, and both are known")
		return nil
	}))

	unknown := derive.NewMarketDoc(store.FromCaptures, &market.Market{Venue: market.Polymarket, Slug: "something-else"})
	require.NoError(t, a.Store().View(t.Context(), func(r store.Reader) error {
		f, err := derive.Foresee(t.Context(), r, 12345, unknown.Owner(), unknown)
		require.NoError(t, err)
		require.False(t, f.Dated, "its times depend on its captures")
		return nil
	}))
}

// TestGroupsOfMarkets: an event nobody describes takes its dates and status from
// its markets; it goes when they do.
func TestGroupsOfMarkets(t *testing.T) {
	t.Parallel()
	a := archivetest.NewFile(t)
	early := says("early", store.FromExchange, market.Market{
		VenueID: "0x1", EventID: "e", SeriesID: "s", Category: market.Sports, Start: 100 * market.Second, End: 200 * market.Second,
		Tokens: []market.Token{{VenueID: "1", Label: "A"}, {VenueID: "2", Label: "B"}},
		Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}},
	})
	late := says("late", store.FromExchange, market.Market{
		VenueID: "0x2", EventID: "e", SeriesID: "s", Category: market.Sports, Start: 150 * market.Second, End: 300 * market.Second,
	})
	event := func() store.EventRow {
		rows, err := a.Events(t.Context(), store.GroupQuery{})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		return rows[0]
	}
	put(t, a, early)
	require.Equal(t, store.Resolved, event().Status)
	put(t, a, late)
	e := event()
	require.Equal(t, store.Open, e.Status, "one of its markets is open")
	require.EqualValues(t, 2, e.Markets)
	require.Equal(t, [2]market.Instant{100 * market.Second, 300 * market.Second}, [2]market.Instant{e.Event.Start, e.Event.End})
	require.Equal(t, "s", e.Event.SeriesID)

	require.NoError(t, a.Store().View(t.Context(), func(r store.Reader) error {
		afresh, err := derive.Events(t.Context(), r, []store.ID{e.ID, 7}, nil)
		require.NoError(t, err)
		require.Equal(t, map[store.ID]store.EventRow{e.ID: e}, afresh)
		series, err := r.Series(t.Context(), store.GroupQuery{})
		require.NoError(t, err)
		require.Len(t, series, 1)
		again, err := derive.Series(t.Context(), r, []store.ID{series[0].ID}, nil)
		require.NoError(t, err)
		require.Equal(t, map[store.ID]store.SeriesRow{series[0].ID: series[0]}, again)
		return nil
	}))

	for _, f := range []archivetest.File{early, late} {
		require.NoError(t, a.RemoveSource(t.Context(), f.Source().SourceID()))
		requireSame(t, a)
	}
	require.Empty(t, ids(t, a))
	rows, err := a.Events(t.Context(), store.GroupQuery{})
	require.NoError(t, err)
	require.Empty(t, rows)
}

// TestDropSource: a source that is not there cannot be dropped.
func TestDropSource(t *testing.T) {
	t.Parallel()
	a := archivetest.NewFile(t)
	err := a.Store().Update(t.Context(), func(w store.Writer) error { return derive.DropSource(t.Context(), w, 1, nil, derive.Tops{}) })
	require.ErrorIs(t, err, store.ErrNotFound)
}

// TestMarketDoc: what is added replaces what was said only where it says
// something, and a token is found by id, outcome or label.
func TestMarketDoc(t *testing.T) {
	t.Parallel()
	d := derive.NewMarketDoc(store.FromList, &market.Market{
		Venue: market.Polymarket, VenueID: "0x1", Slug: "old", Question: "Q", Tags: []string{" B", "a", "b", ""},
		Tokens: []market.Token{{VenueID: "1", Outcome: market.Up}, {VenueID: "0x1:down", Label: "Down", Derived: true}},
	})
	require.Equal(t, []string{"a", "b"}, d.Tags)
	require.Empty(t, d.Tokens[1].ID, "an id that was derived is nobody's word")
	d.Add(&derive.MarketDoc{Slug: "new", Tags: []string{"c"}})
	require.Equal(t, []any{"new", "Q", []string{"c"}}, []any{d.Slug, d.Question, d.Tags})

	require.Equal(t, 0, d.Token(derive.TokenDoc{ID: "1"}))
	require.Equal(t, 0, d.Token(derive.TokenDoc{Outcome: market.Up, Label: "yes"}))
	require.Equal(t, 1, d.Token(derive.TokenDoc{ID: "2", Label: "DOWN"}), "it has no id yet")
	require.Equal(t, "2", d.Tokens[1].ID)
	require.Equal(t, 2, d.Token(derive.TokenDoc{ID: "3", Label: "Down"}), "another id is another token")

	require.Equal(t, store.MarketID(market.Polymarket, "0x1"), d.Owner())
	require.Equal(t, store.TokenID(market.Polymarket, "1"), d.TokenKey(&d.Tokens[0]))
	weak := &derive.MarketDoc{Venue: market.Polymarket, Slug: "0x1"}
	require.Equal(t, store.NameID(market.Polymarket, "0x1"), weak.Owner())
	require.NotEqual(t, d.Owner(), weak.Owner(), "a slug is no id, even if it reads like one")

	back, err := derive.Decode[derive.MarketDoc](&store.Claim{Doc: derive.Encode(d)})
	require.NoError(t, err)
	require.Equal(t, d, back)
}
