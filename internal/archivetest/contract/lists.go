package contract

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// manyMarkets puts n markets of all sorts, some of them with a capture.
func manyMarkets(t *testing.T, a *archivetest.Archive, n int) {
	rnd := rand.New(rand.NewPCG(9, 9))
	s := &archivetest.Scenario{}
	f := archivetest.File{Name: "many.json", Authority: store.FromExchange}
	for i := range 4 {
		f.Series = append(f.Series, market.Series{Venue: market.Polymarket, VenueID: fmt.Sprint("s", i), Slug: fmt.Sprint("series-", i), Title: "Series"})
		f.Events = append(f.Events, market.Event{Venue: market.Polymarket, VenueID: fmt.Sprint("e", i), Slug: fmt.Sprint("event-", i), Title: "Événement", SeriesID: fmt.Sprint("s", i%2)})
	}
	for i := range n {
		m := market.Market{
			Venue: market.Polymarket, VenueID: fmt.Sprintf("0x%03d", rnd.IntN(1000)*1000+i), Slug: fmt.Sprint("market-", i),
			Question: []string{"Will ÉTÉ come?", "100% sure", "Under_score", "Bitcoin \"up\"", strings.Repeat("long and no été ", 300)}[rnd.IntN(5)],
			Category: []market.Category{market.Crypto, market.Sports}[rnd.IntN(2)],
			Tags:     [][]string{nil, {"a"}, {"a", "b"}, {"b", "c"}}[rnd.IntN(4)],
			Start:    archivetest.Start + market.Instant(rnd.IntN(5))*market.Minute, End: archivetest.Start + market.Instant(5+rnd.IntN(5))*market.Minute,
			UpdatedAt: archivetest.Start + market.Instant(rnd.IntN(6))*market.Hour, Closed: rnd.IntN(3) == 0,
			Tokens: []market.Token{{VenueID: fmt.Sprint("t", i), Label: "Yes"}, {VenueID: fmt.Sprint("u", i), Label: "No"}},
		}
		if k := rnd.IntN(6); k < 4 {
			m.EventID, m.SeriesID = fmt.Sprint("e", k), fmt.Sprint("s", k%2)
		}
		if rnd.IntN(8) == 0 { // an open round that nothing closes
			m.Start, m.End, m.Closed = 0, 0, false
		}
		f.Claims = append(f.Claims, m)
	}
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
}

// naive says whether a row passes a query, written from the meaning of each
// field alone.
func naive(r *store.Listing, q *store.MarketQuery) bool {
	m := &r.Market
	low := strings.ToLower(q.Search)
	return naiveTags(m.Tags, q) &&
		(strings.Contains(strings.ToLower(m.Question), low) || strings.Contains(strings.ToLower(m.Slug), low)) &&
		(q.Category == "" || m.Category == q.Category) &&
		(q.EventID == "" || m.EventID == q.EventID) &&
		(q.EventSlugs == nil || slices.Contains(q.EventSlugs, r.EventSlug)) &&
		(q.SeriesSlugs == nil || slices.Contains(q.SeriesSlugs, r.SeriesSlug)) &&
		(!q.OpenOnly || r.Status == store.Open) &&
		naiveBetween(m.Start, q.StartMin, q.StartMax) && naiveBetween(m.End, q.EndMin, q.EndMax)
}

// naiveTags says whether tags has any or all of those asked for.
func naiveTags(tags []string, q *store.MarketQuery) bool {
	found := 0
	for _, tag := range q.Tags {
		if slices.Contains(tags, tag) {
			found++
		}
	}
	if q.AnyTag && len(q.Tags) > 0 {
		return found > 0
	}
	return found == len(q.Tags)
}

// naiveBetween says whether v lies in [from, to], where 0 is no bound. An
// instant that is not known (0) lies within no bound.
func naiveBetween(v, from, to market.Instant) bool {
	return (from == 0 || v != 0 && v >= from) && (to == 0 || v != 0 && v <= to)
}

func compareKeys(a, b store.Key) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.VenueID, b.VenueID), cmp.Compare(a.Venue, b.Venue))
}

func testLists(t *testing.T, open Open) {
	a := newArchive(t, open)
	manyMarkets(t, a, 120)
	all, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	require.Len(t, all, 120)
	rnd := rand.New(rand.NewPCG(10, 10))
	pick := func(p int) bool { return rnd.IntN(p) == 0 }
	for range 150 {
		q := store.MarketQuery{Page: store.Page{Sort: store.Sort(rnd.IntN(3)), Ascending: pick(2)}}
		if pick(3) {
			q.Search = []string{"été", "ÉT", "%", "_", "MARKET-1", "\"", "nothing of the kind", "up\"\x1f", "no été lo"}[rnd.IntN(9)]
		}
		if pick(3) {
			q.Tags, q.AnyTag = [][]string{{"a"}, {"a", "b"}, {"c", "a"}, {"none"}}[rnd.IntN(4)], pick(2)
		}
		if pick(4) {
			q.Category = market.Sports
		}
		if pick(5) {
			q.EventID = "e1"
		}
		if pick(5) {
			q.EventSlugs = []string{"event-2"}
		}
		if pick(5) {
			q.SeriesSlugs = []string{"series-0"}
		}
		q.OpenOnly = pick(3)
		if pick(3) {
			q.StartMin, q.EndMax = archivetest.Start+market.Instant(rnd.IntN(4))*market.Minute, archivetest.Start+market.Instant(5+rnd.IntN(4))*market.Minute
		}
		if pick(4) {
			q.StartMax, q.EndMin = archivetest.Start+market.Instant(rnd.IntN(4))*market.Minute, archivetest.Start+market.Instant(5+rnd.IntN(4))*market.Minute
		}
		checkList(t, a, all, q, 1+rnd.IntN(9))
	}
	checkLookups(t, a, all)
	checkGroups(t, a)
	for range 60 {
		q := store.GroupQuery{Page: store.Page{Sort: store.Sort(rnd.IntN(3)), Ascending: pick(2)}, OpenOnly: pick(4)}
		if pick(3) {
			q.Search = []string{"ÉVÉ", "EVENT-1", "nothing of the kind"}[rnd.IntN(3)]
		}
		if pick(3) {
			q.Tags, q.AnyTag = [][]string{{"a"}, {"a", "b"}, {"none"}}[rnd.IntN(3)], pick(2)
		}
		if pick(4) {
			q.Category = market.Sports
		}
		if pick(2) {
			q.StartMin, q.EndMax = archivetest.Start+market.Instant(rnd.IntN(4))*market.Minute, archivetest.Start+market.Instant(5+rnd.IntN(4))*market.Minute
		}
		checkEvents(t, a, q)
		checkSeries(t, a, all, q.Dates)
	}
}

// checkEvents reads a list of events page by page and compares it with what it
// should be.
func checkEvents(t *testing.T, a *archivetest.Archive, q store.GroupQuery) {
	t.Helper()
	all, err := a.Events(t.Context(), store.GroupQuery{})
	require.NoError(t, err)
	var want, got []store.Key
	for i := range all {
		e := &all[i].Event
		row := store.Listing{MarketRow: store.MarketRow{Status: all[i].Status, Market: market.Market{
			Question: e.Title, Slug: e.Slug, Category: e.Category, Tags: e.Tags, Start: e.Start, End: e.End,
		}}}
		if naive(&row, &store.MarketQuery{Search: q.Search, Tags: q.Tags, AnyTag: q.AnyTag, Category: q.Category, OpenOnly: q.OpenOnly, Dates: q.Dates}) {
			want = append(want, all[i].Key(q.Sort))
		}
	}
	slices.SortFunc(want, func(x, y store.Key) int {
		if q.Ascending {
			return compareKeys(x, y)
		}
		return compareKeys(y, x)
	})
	for q.Limit = 1; ; q.After = &got[len(got)-1] {
		page, err := a.Events(t.Context(), q)
		require.NoError(t, err)
		if len(page) == 0 {
			break
		}
		got = append(got, page[0].Key(q.Sort))
	}
	require.Equal(t, want, got, "%+v", q)
}

// checkSeries compares the series found by dates with those of the markets that
// have them.
func checkSeries(t *testing.T, a *archivetest.Archive, all []store.Listing, d store.Dates) {
	t.Helper()
	if !d.Any() {
		return
	}
	want, got := map[string]bool{}, map[string]bool{}
	for i := range all {
		if all[i].SeriesSlug != "" && naive(&all[i], &store.MarketQuery{Dates: d}) {
			want[all[i].SeriesSlug] = true
		}
	}
	found, err := a.Series(t.Context(), store.GroupQuery{Dates: d, Page: store.Page{Limit: 9}})
	require.NoError(t, err)
	for i := range found {
		got[found[i].Series.Slug] = true
	}
	require.Equal(t, want, got, "%+v", d)
}

// checkList reads a list page by page and compares it with what it should be.
func checkList(t *testing.T, a *archivetest.Archive, all []store.Listing, q store.MarketQuery, size int) {
	t.Helper()
	var want, got []store.Key
	for i := range all {
		if naive(&all[i], &q) {
			want = append(want, all[i].Key(q.Sort))
		}
	}
	slices.SortFunc(want, func(x, y store.Key) int {
		if q.Ascending {
			return compareKeys(x, y)
		}
		return compareKeys(y, x)
	})
	q.Limit = size
	for {
		page, err := a.Markets(t.Context(), q)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), size)
		for i := range page {
			got = append(got, page[i].Key(q.Sort))
		}
		if len(page) < size {
			break
		}
		q.After = &got[len(got)-1]
	}
	require.Equal(t, want, got, "%+v", q)
}

func checkLookups(t *testing.T, a *archivetest.Archive, all []store.Listing) {
	ctx := t.Context()
	for _, row := range all[:10] {
		m := &row.Market
		for _, name := range []string{m.VenueID, m.Slug, "polymarket:market:" + m.VenueID, string(m.Category) + ":market:" + m.VenueID} {
			got, err := a.Market(ctx, name, "")
			require.NoError(t, err, name)
			require.Equal(t, m.VenueID, got.Market.VenueID)
			got, err = a.Market(ctx, name, m.Category)
			require.NoError(t, err, name)
			require.Equal(t, m.VenueID, got.Market.VenueID)
		}
		other := market.Crypto
		if m.Category == market.Crypto {
			other = market.Sports
		}
		for _, name := range []string{"", "nope", "kalshi:market:" + m.VenueID, "moon:market:" + m.VenueID, string(other) + ":market:" + m.VenueID} {
			_, err := a.Market(ctx, name, "")
			require.ErrorIs(t, err, store.ErrNotFound, name)
		}
		_, err := a.Market(ctx, m.VenueID, other)
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = a.Market(ctx, string(m.Category)+":market:"+m.VenueID, other)
		require.ErrorIs(t, err, store.ErrNotFound)
		for i, k := range m.Tokens {
			got, at, err := a.Token(ctx, k.VenueID, "")
			require.NoError(t, err)
			require.Equal(t, m.VenueID, got.Market.VenueID)
			require.Equal(t, i, at)
			_, _, err = a.Token(ctx, k.VenueID, other)
			require.ErrorIs(t, err, store.ErrNotFound)
		}
	}
	_, _, err := a.Token(ctx, "nope", "")
	require.ErrorIs(t, err, store.ErrNotFound)
}

// checkAlone compares the events of one market, and the others, with those whose rows say so.
func checkAlone(t *testing.T, a *archivetest.Archive) {
	every, err := a.Events(t.Context(), store.GroupQuery{})
	require.NoError(t, err)
	several, err := a.Events(t.Context(), store.GroupQuery{Several: true})
	require.NoError(t, err)
	var want store.IDs
	for _, e := range every {
		if e.Markets == 1 {
			want.Add(e.ID)
		}
	}
	require.Len(t, several, len(every)-int(want.N))
	for _, e := range several {
		require.NotEqualValues(t, 1, e.Markets, e.Event.VenueID)
	}
	alone, err := store.Look(t.Context(), a.Store(), func(r store.Reader) (store.IDs, error) { return r.Alone(t.Context()) })
	require.NoError(t, err)
	require.Equal(t, want, alone)
}

func checkGroups(t *testing.T, a *archivetest.Archive) {
	ctx := t.Context()
	tags, err := a.Tags(ctx, "")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, tags)
	events, err := a.Events(ctx, store.GroupQuery{Search: "ÉVÉ", SeriesSlug: "series-1", Page: store.Page{Sort: store.ByStart, Ascending: true}})
	require.NoError(t, err)
	require.Len(t, events, 2)
	require.LessOrEqual(t, compareKeys(events[0].Key(store.ByStart), events[1].Key(store.ByStart)), 0)
	n := int64(0)
	all, err := a.Markets(ctx, store.MarketQuery{EventSlugs: []string{"event-1", "event-3"}})
	require.NoError(t, err)
	for _, e := range events {
		n += e.Markets
	}
	require.EqualValues(t, len(all), n)
	checkAlone(t, a)
	series, err := a.Series(ctx, store.GroupQuery{Dates: store.Dates{StartMin: archivetest.Start + 100*market.Hour}})
	require.NoError(t, err)
	require.Empty(t, series)
	series, err = a.Series(ctx, store.GroupQuery{Dates: store.Dates{StartMin: archivetest.Start}, Page: store.Page{Limit: 1}})
	require.NoError(t, err)
	require.Len(t, series, 1)
	key := series[0].Key()
	rest, err := a.Series(ctx, store.GroupQuery{Dates: store.Dates{StartMin: archivetest.Start}, Page: store.Page{Limit: 9, After: &key}})
	require.NoError(t, err)
	require.Len(t, rest, 1, "two of the series have markets")
}
