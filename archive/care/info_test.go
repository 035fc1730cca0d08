package care_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestInfoNames: the longest silences and gaps, and the markets in dispute, are those of the
// rows, at most ten of each.
func TestInfoNames(t *testing.T) {
	t.Parallel()
	a := listed(t)
	list, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	at := slices.IndexFunc(list, func(l store.Listing) bool { return len(l.Market.Tokens) == 2 })
	require.GreaterOrEqual(t, at, 0)
	var rows []store.MarketRow
	for i := range 14 { // alike, but for what is asked for
		row := list[at].MarketRow
		id := string(rune('a'+i%7)) + string(rune('a'+i))
		row.Market.VenueID, row.ID = id, store.MarketID(row.Market.Venue, id)
		row.Market.Slug, row.Market.Category, row.Status = "slug-"+id, market.Crypto, store.Closed
		row.Market.Tokens = []market.Token{{VenueID: id + "1", Label: "Up"}, {VenueID: id + "2", Label: "Down"}}
		row.Keys, row.Owners = make([][]store.ID, 2), []store.ID{row.ID}
		row.Stats.Silence = market.Span(i/2) * market.Second // two of each length; the first two have none
		row.Disputed = i != 3
		row.Gaps = nil
		for k := range i % 4 {
			from := market.Instant(k) * market.Minute
			row.Gaps = append(row.Gaps, market.TokenGap{Token: k % 2, Gap: market.Gap{From: from, To: from + market.Instant(i+10*k+1)}})
		}
		slices.SortStableFunc(row.Gaps, func(a, b market.TokenGap) int { return cmp.Compare(a.Token, b.Token) })
		if i == 13 {
			row.Status = store.Open // is silent as long as it likes
		}
		rows = append(rows, row)
	}
	require.NoError(t, a.Store().Update(t.Context(), func(w store.Writer) error {
		c := &store.Changes{Markets: rows}
		for i := range list {
			c.DropMarkets = append(c.DropMarkets, list[i].ID)
		}
		if err := w.Apply(t.Context(), c); err != nil {
			return err
		}
		counts, err := derive.Tallies(t.Context(), w)
		if err != nil {
			return err
		}
		totals, err := counts.Changed(true, func(k store.TallyKey) (store.Bounds, error) { return w.BoundsOf(t.Context(), k) })
		if err != nil {
			return err
		}
		was, err := w.Seal(t.Context())
		if err != nil {
			return err
		}
		return w.Apply(t.Context(), &store.Changes{Tallies: totals, Seal: new(counts.Seal(was, totals))})
	}))
	info, err := care.InfoOf(t.Context(), a.Store())
	require.NoError(t, err)
	var silences, gaps []care.MarketSpan
	var disputed []string
	for i := range rows {
		m := &rows[i].Market
		if rows[i].Status != store.Open && rows[i].Stats.Silence > 0 {
			silences = append(silences, care.MarketSpan{ID: m.VenueID, Slug: m.Slug, Length: rows[i].Stats.Silence})
		}
		for _, g := range rows[i].Gaps {
			gaps = append(gaps, care.MarketSpan{ID: m.VenueID, Slug: m.Slug, Length: g.To - g.From})
		}
		if rows[i].Disputed {
			disputed = append(disputed, m.Slug)
		}
	}
	for _, spans := range [][]care.MarketSpan{silences, gaps} {
		slices.SortFunc(spans, func(a, b care.MarketSpan) int {
			return cmp.Or(cmp.Compare(b.Length, a.Length), cmp.Compare(a.ID, b.ID))
		})
		require.Greater(t, len(spans), 10)
	}
	slices.Sort(disputed)
	require.Equal(t, silences[:10], info.Silences)
	require.Equal(t, gaps[:10], info.Gaps)
	require.Equal(t, disputed[:10], info.DisputedMarkets)
}

// TestPerChange: bytes are told by level change of books, and by capture of anything else.
func TestPerChange(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 2.5, care.StreamTotal{Stream: block.Books, Bytes: 10, Captures: 1, Changes: 4}.PerChange(), 1e-9)
	require.InDelta(t, 5, care.StreamTotal{Stream: block.Trades, Bytes: 10, Captures: 2, Changes: 4}.PerChange(), 1e-9)
	require.Zero(t, care.StreamTotal{Stream: block.Books, Bytes: 10, Captures: 2}.PerChange())
}
