package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

func texts(conds []store.Condition) []string {
	var out []string
	for _, c := range conds {
		out = append(out, fmt.Sprintf("%s %s %v", c.Column, c.Op, c.Value))
	}
	return out
}

// TestConditions says what each field of a query asks of a row: which bounds
// belong to what is selected, and what a row must know to be selected by them.
func TestConditions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got  []store.Condition
		want []string
	}{
		"nothing":              {(&store.MarketQuery{}).Conditions(), []string{"category <> "}},
		"unlisted too":         {(&store.MarketQuery{Unlisted: true}).Conditions(), nil},
		"ends are half-open":   {(&store.MarketQuery{Unlisted: true, EndFrom: 5, EndTo: 9}).Conditions(), []string{"end_at >= 5", "end_at < 9"}},
		"open":                 {(&store.MarketQuery{Unlisted: true, OpenOnly: true}).Conditions(), []string{"status = 0"}},
		"rounds of a coin":     {(&store.MarketQuery{Unlisted: true, Coin: "BTC", UpDown: true}).Conditions(), []string{"coin <> ", "coin = BTC", "type <> "}},
		"closing at a time":    {(&store.MarketQuery{Unlisted: true, Closing: 7}).Conditions(), []string{"status = 0", "undated = false", "end_at <> 0", "end_at <= 7"}},
		"reopening after one":  {(&store.MarketQuery{Unlisted: true, Reopening: 7}).Conditions(), []string{"status = 1", "source_closed = false", "end_at > 7"}},
		"dates are inclusive":  {store.Dates{StartMin: 1, EndMax: 2}.Conditions(), []string{"start_at <> 0", "start_at >= 1", "end_at <> 0", "end_at <= 2"}},
		"no dates":             {store.Dates{}.Conditions(), nil},
		"a group's category":   {(&store.GroupQuery{Category: market.Sports, OpenOnly: true}).Conditions(), []string{"category = sports"}},
		"events that are open": {(&store.GroupQuery{OpenOnly: true}).OpenConditions(), []string{"status = 0"}},
	} {
		require.Equal(t, c.want, texts(c.got), name)
	}
	for _, c := range (&store.MarketQuery{Closing: 7, Category: market.Crypto}).Conditions() {
		require.Equal(t, c.Value != int64(7) && c.Value != "crypto", c.Rule, "%+v: what the query gives is no rule", c)
	}
}

// TestOrder: places compare as rows are ordered, the public id and the venue
// decide between equal values, and a descending order is the ascending one read
// backwards.
func TestOrder(t *testing.T) {
	t.Parallel()
	columns, behind := store.Page{Sort: store.ByEnd}.Order()
	require.Equal(t, [3]string{"end_at", "venue_id", "venue"}, columns)
	require.Equal(t, store.Below, behind)
	columns, behind = store.Page{Ascending: true}.Order()
	require.Equal(t, "updated_at", columns[0])
	require.Equal(t, store.Above, behind)
	columns, _ = store.Page{Sort: store.ByStart}.Order()
	require.Equal(t, "start_at", columns[0])

	keys := []store.Key{{Value: 2, VenueID: "a"}, {Value: 1, VenueID: "b", Venue: "x"}, {Value: 1, VenueID: "b", Venue: "w"}, {Value: 1, VenueID: "B"}}
	slices.SortFunc(keys, store.Page{Ascending: true}.Compare)
	require.Equal(t, []store.Key{{Value: 1, VenueID: "B"}, {Value: 1, VenueID: "b", Venue: "w"}, {Value: 1, VenueID: "b", Venue: "x"}, {Value: 2, VenueID: "a"}}, keys)
	down := slices.Clone(keys)
	slices.SortFunc(down, store.Page{}.Compare)
	slices.Reverse(down)
	require.Equal(t, keys, down)
}

func TestSearch(t *testing.T) {
	t.Parallel()
	require.Equal(t, "été\x1fwinter a", store.SearchText("ÉTÉ", "Winter\x1fA"))
	text, none := store.SearchFor("Été")
	require.Equal(t, "été", text)
	require.False(t, none)
	_, none = store.SearchFor("a\x1fb")
	require.True(t, none, "no row has what stands between its texts")
}

// TestIDs: ids are the same in every archive, and in every version.
func TestIDs(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 1847265145823893145, store.MarketID("polymarket", "0x1"), "stored in every archive: it may not change")
	seen := map[store.ID]bool{}
	for _, id := range []store.ID{
		store.MarketID("polymarket", "0x1"), store.TokenID("polymarket", "0x1"), store.EventID("polymarket", "0x1"),
		store.SeriesID("polymarket", "0x1"), store.NameID("polymarket", "0x1"), store.MarketID("polymarket0", "x1"),
	} {
		require.False(t, seen[id])
		require.GreaterOrEqual(t, id, store.ID(0))
		seen[id] = true
	}
}

// TestIDOrder: ids of names are behind those of markets, and ids of events are in the order
// of the numbers that the public ids end with.
func TestIDOrder(t *testing.T) {
	t.Parallel()
	before := store.ID(-1)
	for _, id := range []string{"x", "btc-updown-5m-1788652800", "eth-updown-5m-1788660992", "btc-updown-4h-1790000000"} {
		require.Greater(t, store.EventID("polymarket", id), before, id)
		before = store.EventID("polymarket", id)
		require.Less(t, store.MarketID("polymarket", id), store.ID(1<<62))
		require.GreaterOrEqual(t, store.NameID("polymarket", id), store.ID(1<<62))
	}
	for _, id := range []string{"", "7", "99999999999999999999999999", "0x99999999999999999999", "9223372036854775807"} {
		require.GreaterOrEqual(t, store.EventID("polymarket", id), store.ID(0), id)
	}
}

// TestVisible: the blocks of parts that are whole, and no others; one too few or
// too many is damage.
func TestVisible(t *testing.T) {
	t.Parallel()
	row := &store.MarketRow{Keys: [][]store.ID{{7}}, Market: market.Market{Tokens: []market.Token{{VenueID: "t"}}}}
	part := store.Part{PartKey: store.PartKey{Source: 1, Token: 7, Stream: 1}, Whole: true, Blocks: 2}
	waiting := store.Part{PartKey: store.PartKey{Source: 2, Token: 7, Stream: 1}, Blocks: 1}
	ref := func(src store.SourceID, first market.Instant) store.BlockRef {
		return store.BlockRef{Token: 7, Stream: 1, Source: src, First: first}
	}
	all := []store.BlockRef{ref(1, 1), ref(2, 2), ref(1, 3)}
	for _, r := range []store.BlockRef{all[0], all[2]} {
		part.Refs += r.Sum()
	}
	basis := func(p store.Part) [32]byte {
		return store.BasisOf(&row.Market, store.PlaceParts(row.Index(), []store.Part{p}))
	}
	row.Basis = basis(part)
	got, err := store.Visible(row, row.Index(), []store.Part{part, waiting}, slices.Clone(all))
	require.NoError(t, err)
	require.Equal(t, []store.BlockRef{ref(1, 1), ref(1, 3)}, got)
	_, err = store.Visible(row, row.Index(), []store.Part{part}, slices.Clone(all[:2]))
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, "missing")
	other := slices.Clone(all)
	other[0].Kinds++
	_, err = store.Visible(row, row.Index(), []store.Part{part}, other)
	require.ErrorContains(t, err, "differ from their checksum")
	_, err = store.Visible(row, row.Index(), nil, slices.Clone(all))
	require.ErrorContains(t, err, "differ from those its row was made from")
	part.Blocks = 1
	row.Basis = basis(part)
	_, err = store.Visible(row, row.Index(), []store.Part{part}, slices.Clone(all))
	require.ErrorContains(t, err, "too many")
}
