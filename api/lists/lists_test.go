package lists_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/lists"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// kept is a catalogue of n markets, all updated at the same instant, that notes what it is
// asked.
type kept struct {
	lists.Catalogue
	n      int
	market store.MarketQuery
	group  store.GroupQuery
	asked  int
	row    store.Listing // of Market
}

func (k *kept) Markets(_ context.Context, q store.MarketQuery) (out []store.Listing, _ error) {
	k.market = q
	for i := range k.n {
		var row store.Listing
		row.Market.Venue, row.Market.VenueID = "v", fmt.Sprintf("m%04d", i)
		row.UpdatedAt = 5
		out = append(out, row)
	}
	key := func(l store.Listing) store.Key { return l.Key(q.Sort) }
	slices.SortFunc(out, func(a, b store.Listing) int { return q.Compare(key(a), key(b)) })
	out = slices.DeleteFunc(out, func(l store.Listing) bool { return q.After != nil && q.Compare(key(l), *q.After) <= 0 })
	return out[:min(len(out), q.Limit)], nil
}

func (k *kept) Events(_ context.Context, q store.GroupQuery) ([]store.EventRow, error) {
	k.group = q
	return []store.EventRow{
		{ID: 1, Series: 7, Event: market.Event{VenueID: "e1", SeriesID: "s"}}, {ID: 2, Event: market.Event{VenueID: "e2"}}, {ID: 3, Series: 7, Event: market.Event{VenueID: "e3", SeriesID: "s"}},
	}, nil
}

func (k *kept) Series(_ context.Context, q store.GroupQuery) ([]store.SeriesRow, error) {
	k.asked++
	k.group = q
	return []store.SeriesRow{{ID: 7, Series: market.Series{VenueID: "s", Slug: "the-series"}}}, nil
}

func (k *kept) Tags(context.Context, market.Category) ([]string, error) { return nil, nil }

func (k *kept) Market(_ context.Context, name string, _ market.Category) (*store.Listing, error) {
	if name != "there" {
		return nil, fmt.Errorf("look up: %w", store.ErrNotFound)
	}
	return &k.row, nil
}

// get calls a route with a query, and decodes the answer.
func get(t *testing.T, route func(http.ResponseWriter, *http.Request) error, query string, into any) error {
	t.Helper()
	w := httptest.NewRecorder()
	err := route(w, httptest.NewRequest(http.MethodGet, "/v1/list?"+query, nil))
	if err == nil && into != nil {
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), into), w.Body.String())
	}
	return err
}

type markets = lists.Page[lists.MarketItem]

// TestPagesWalkTheList: page by page each row comes once, in either order, and the last page
// says that it is the last, full or not.
func TestPagesWalkTheList(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 4, 5, 6, 10, 11} {
		for _, order := range []string{"asc", "desc"} {
			k := &kept{n: n}
			var ids []string
			pages, query := 0, "limit=5&order="+order
			for next := ""; ; {
				var page markets
				require.NoError(t, get(t, lists.New(always(k)).Markets, query+next, &page))
				require.Equal(t, 6, k.market.Limit, "one more than asked for tells whether there is another page")
				require.Equal(t, len(page.Data), page.Metadata.Count)
				require.Equal(t, 5, page.Metadata.Limit)
				pages++
				for _, m := range page.Data {
					ids = append(ids, m.ID)
				}
				if page.Metadata.NextCursor == nil {
					break
				}
				next = "&cursor=" + *page.Metadata.NextCursor
			}
			require.Len(t, ids, n)
			require.Equal(t, max(1, (n+4)/5), pages, "%d rows", n)
			if order == "desc" {
				slices.Reverse(ids)
			}
			require.True(t, slices.IsSorted(ids), "%d rows, %s: %v", n, order, ids)
			require.Len(t, slices.Compact(ids), n)
		}
	}
}

// TestCursorsAreOfTheirList: the same filters in other words are the same list; any other
// filter, order or route is not.
func TestCursorsAreOfTheirList(t *testing.T) {
	t.Parallel()
	const query = "limit=5&tags=Crypto,btc&search=up&category=crypto"
	var page markets
	h := lists.New(always(&kept{n: 20}))
	require.NoError(t, get(t, h.Markets, query, &page))
	cursor := "&cursor=" + *page.Metadata.NextCursor
	for _, same := range []string{query, "limit=9&tags=btc&tags=crypto,BTC&search=up&category=crypto&order=desc&tags_match=all", query + "&sort=updated_at&include_closed=false", query + "&recorded=true"} {
		require.NoError(t, get(t, h.Markets, same+cursor, nil), same)
	}
	for _, other := range []string{query + "&order=asc", query + "&sort=end_date", query + "&tags_match=any", query + "&include_closed=true", query + "&start_date_min=2026-01-01", strings.Replace(query, "btc", "eth", 1), "limit=5"} {
		require.ErrorIs(t, get(t, h.Markets, other+cursor, nil), wire.ErrCursor, other)
	}
	require.ErrorIs(t, get(t, h.Events, query+cursor, nil), wire.ErrCursor)
	require.ErrorIs(t, get(t, h.Series, query+cursor, nil), wire.ErrCursor)
	require.ErrorIs(t, get(t, h.Markets, query+"&cursor=x", nil), wire.ErrCursor)
}

// TestFilters: what is asked for is what the catalogue is asked for.
func TestFilters(t *testing.T) {
	t.Parallel()
	k := &kept{}
	h := lists.New(always(k))
	require.NoError(t, get(t, h.Markets, "tags=%20B%20,a,,A&tags=c&sort=end_date&order=asc&event_slug=e&series_slug=s", nil))
	require.Equal(t, []string{"a", "b", "c"}, k.market.Tags, "lower case, each once, in order")
	require.Equal(t, store.Page{Sort: store.ByEnd, Ascending: true, Limit: 101}, k.market.Page)
	require.Equal(t, []any{[]string{"e"}, []string{"s"}, true, false}, []any{k.market.EventSlugs, k.market.SeriesSlugs, k.market.OpenOnly, k.market.AnyTag})
	require.NoError(t, get(t, h.Markets, "start_date_min=1970-01-01&start_date_max=1970-01-01T00:00:00Z&end_date_min=1970-01-01&end_date_max=1970-01-01", nil))
	require.Equal(t, store.Dates{StartMin: 1, StartMax: -1, EndMin: 1, EndMax: -1}, k.market.Dates, "the epoch is a bound, and 0 is none")
	require.Nil(t, k.market.EventSlugs)
	require.NoError(t, get(t, h.Events, "", nil))
	require.False(t, k.group.OpenOnly, "events that are over are listed")
	require.NoError(t, get(t, h.Markets, "tags="+strings.Repeat("t,", 200), nil))
	require.Equal(t, []string{"t"}, k.market.Tags)

	many := make([]string, lists.MaxTags)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	require.NoError(t, get(t, h.Markets, "tags="+strings.Join(many, ","), nil))
	require.Len(t, k.market.Tags, lists.MaxTags)
	for query, kind := range map[string]string{
		"tags=" + strings.Join(many, ",") + ",more": "too_long",
		strings.Repeat("tags=&", lists.MaxTags+1):   "too_long",
		"limit=1001":     "less_than_equal",
		"limit=0":        "greater_than",
		"limit=x":        "int_parsing",
		"order=up":       "enum",
		"category=chess": "enum",
		"search=" + url.QueryEscape(strings.Repeat("é", 201)): "string_too_long",
	} {
		err := get(t, h.Markets, query, nil)
		require.Error(t, err, query)
		text, _ := json.Marshal(err)
		require.Contains(t, string(text)+fmt.Sprintf("%+v", err), kind, query)
	}
	require.Error(t, get(t, h.Markets, "tags=%ff", nil))
	require.Error(t, get(t, h.Markets, "tags=a%00", nil))
}

// TestEventsNameTheirSeries: asked for once, however many events are of it, and not at all
// without one.
func TestEventsNameTheirSeries(t *testing.T) {
	t.Parallel()
	k := &kept{}
	var page lists.Page[lists.Event]
	require.NoError(t, get(t, lists.New(always(k)).Events, "", &page))
	require.Equal(t, 1, k.asked)
	require.Equal(t, []store.ID{7}, k.group.IDs)
	require.Equal(t, "the-series", *page.Data[0].SeriesSlug)
	require.Nil(t, page.Data[1].SeriesSlug)
	require.Nil(t, page.Data[1].SeriesID)
	require.Equal(t, "the-series", *page.Data[2].SeriesSlug)
	require.NotNil(t, page.Data[0].Tags, "never null")
}

// TestMarket: who won is said of resolved markets that one token won; gaps are those of the
// tokens that had them.
func TestMarket(t *testing.T) {
	t.Parallel()
	k := &kept{}
	h := lists.New(always(k))
	one := func(name string) (out lists.Market, err error) {
		return out, get(t, func(w http.ResponseWriter, r *http.Request) error { return h.Market(w, r, name) }, "", &out)
	}
	k.row.Market = market.Market{VenueID: "0x1", Tokens: []market.Token{{VenueID: "71", Label: "Up"}, {VenueID: "72", Label: "Down"}}}
	k.row.Gaps = []market.TokenGap{{Token: 1, Gap: market.Gap{From: 5, To: 9}}}
	k.row.Status = store.Resolved
	pays := func(up, down market.Cash) {
		k.row.Market.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{up, down}}
	}
	pays(0, market.CashOne)
	m, err := one("there")
	require.NoError(t, err)
	require.Equal(t, []string{"72", "Down"}, []string{*m.WinningTokenID, *m.WinningTokenLabel})
	require.NotNil(t, m.Tags)
	k.row.Status = store.Closed
	m, err = one("there")
	require.NoError(t, err)
	require.Nil(t, m.WinningTokenID, "it is not resolved yet")
	k.row.Status = store.Resolved
	pays(market.CashOne/2, market.CashOne/2)
	m, err = one("there")
	require.NoError(t, err)
	require.Nil(t, m.WinningTokenLabel, "a split has no winner")

	var gaps lists.GapList
	require.NoError(t, get(t, func(w http.ResponseWriter, r *http.Request) error { return h.Gaps(w, r, "there") }, "", &gaps))
	require.Equal(t, lists.GapList{MarketID: "0x1", Count: 1, Data: []lists.Gap{{TokenID: "72", From: 5, To: 9}}}, gaps)
	_, err = one("gone")
	require.EqualError(t, err, "market not found: gone")

	var tags struct{ Data []string }
	require.NoError(t, get(t, h.Tags, "", &tags))
	require.NotNil(t, tags.Data)
}

// always is one catalogue for all requests.
func always(c lists.Catalogue) func(context.Context) lists.Catalogue {
	return func(context.Context) lists.Catalogue { return c }
}
