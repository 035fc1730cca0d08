package api_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is what a list's filters are about: a market's detail, an event or a
// series.
type listed struct {
	ID         string   `json:"id"`
	Slug       string   `json:"slug"`
	Question   string   `json:"question"`
	Title      string   `json:"title"`
	Status     string   `json:"status"`
	StartDate  string   `json:"start_date"`
	EndDate    string   `json:"end_date"`
	UpdatedAt  string   `json:"updated_at"`
	Category   string   `json:"category"`
	EventID    string   `json:"event_id"`
	EventSlug  string   `json:"event_slug"`
	SeriesID   string   `json:"series_id"`
	SeriesSlug string   `json:"series_slug"`
	Tags       []string `json:"tags"`
	Count      int      `json:"market_count"`
}

type listPage struct {
	Data     []listed `json:"data"`
	Metadata struct {
		Count      int     `json:"count"`
		Limit      int     `json:"limit"`
		NextCursor *string `json:"next_cursor"`
	} `json:"metadata"`
}

// all returns every row of a list, over pages of changing size.
func (w *world) all(t testing.TB, rnd *rand.Rand, path string, q url.Values) []listed {
	t.Helper()
	var out []listed
	q = cloneValues(q)
	for {
		limit := []int{1, 2, 5, 1000}[rnd.IntN(4)]
		q.Set("limit", fmt.Sprint(limit))
		var p listPage
		w.get(t, path+"?"+q.Encode()).json(t, &p)
		require.Equal(t, len(p.Data), p.Metadata.Count)
		require.Equal(t, limit, p.Metadata.Limit)
		out = append(out, p.Data...)
		if p.Metadata.NextCursor == nil {
			return out
		}
		require.Len(t, p.Data, limit, "only the last page is short")
		q.Set("cursor", *p.Metadata.NextCursor)
	}
}

func cloneValues(q url.Values) url.Values {
	out := url.Values{}
	for k, v := range q {
		out[k] = slices.Clone(v)
	}
	return out
}

func ids(rows []listed) []string {
	out := []string{}
	for i := range rows {
		out = append(out, rows[i].ID)
	}
	return out
}

// TestLists compares lists of markets, events and series, page by page, with a
// plain filter and sort of all there are.
func TestLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	rnd := rand.New(rand.NewPCG(1, 2))
	everything := url.Values{"include_closed": {"true"}}
	var markets []listed
	for _, m := range w.all(t, rnd, "/v1/markets", everything) {
		var d listed
		w.get(t, "/v1/markets/"+url.PathEscape(m.ID)).json(t, &d)
		markets = append(markets, d)
	}
	events, series := w.all(t, rnd, "/v1/events", nil), w.all(t, rnd, "/v1/series", nil)
	require.Greater(t, len(markets), 10)
	require.Greater(t, len(events), 8)
	require.Len(t, series, 2)
	open := slices.DeleteFunc(slices.Clone(markets), func(m listed) bool { return m.Status != "open" })
	require.NotEmpty(t, open)
	require.ElementsMatch(t, ids(open), ids(w.all(t, rnd, "/v1/markets", nil)), "open ones by default")
	require.Equal(t, ids(events), ids(w.all(t, rnd, "/v1/events", everything)), "events include closed ones by default")

	v := &vocabulary{rnd: rnd, markets: markets, events: events, series: series}
	for range 150 {
		q, keep := v.draw("/v1/markets")
		v.check(t, w, "/v1/markets", markets, q, keep)
		q, keep = v.draw("/v1/events")
		v.check(t, w, "/v1/events", events, q, keep)
		q, keep = v.draw("/v1/series")
		v.check(t, w, "/v1/series", series, q, keep)
	}
}

// vocabulary is what filters are drawn from.
type vocabulary struct {
	rnd                     *rand.Rand
	markets, events, series []listed
}

func (v *vocabulary) one(p float64) bool { return v.rnd.Float64() < p }

func pickOf[T any](v *vocabulary, of []T) T { return of[v.rnd.IntN(len(of))] }

// draw makes up filters for a route, and what they select.
func (v *vocabulary) draw(route string) (url.Values, func(*listed) bool) {
	q := url.Values{}
	var conds []func(*listed) bool
	add := func(f func(*listed) bool) { conds = append(conds, f) }
	equal := func(name string, values []listed, of func(*listed) string) {
		if v.one(0.2) {
			from := pickOf(v, values)
			value := cmp.Or(of(&from), "nobody")
			q.Set(name, value)
			add(func(x *listed) bool { return of(x) == value })
		}
	}
	if route != "/v1/series" {
		def := route == "/v1/events"
		if v.one(0.6) {
			def = v.one(0.7)
			q.Set("include_closed", fmt.Sprint(def))
		}
		if !def {
			add(func(x *listed) bool { return x.Status == "open" })
		}
		equal("series_slug", v.events, func(x *listed) string { return x.SeriesSlug })
	}
	if route == "/v1/markets" {
		equal("event_id", v.markets, func(x *listed) string { return x.EventID })
		equal("event_slug", v.markets, func(x *listed) string { return x.EventSlug })
	}
	if route == "/v1/events" {
		equal("series_id", v.events, func(x *listed) string { return x.SeriesID })
	}
	equal("category", v.markets, func(x *listed) string { return x.Category })
	if v.one(0.3) {
		word := pickOf(v, []string{"BTC", "btc-UP", "who WINS", "%", "_", "\\", "'", "5m", "", "?", "–", "nobody", pickOf(v, v.markets).Slug})
		q.Set("search", word)
		word = strings.ToLower(word)
		add(func(x *listed) bool {
			return strings.Contains(strings.ToLower(x.Question+x.Title), word) || strings.Contains(strings.ToLower(x.Slug), word)
		})
	}
	if v.one(0.3) {
		tags := []string{pickOf(v, []string{"crypto", "sports", "nba"}), pickOf(v, []string{"bitcoin", "5m", "golf", "nobody", "crypto"})}
		q["tags"] = tags
		if v.one(0.5) {
			q["tags"] = []string{strings.ToUpper(tags[0]) + ", " + tags[1]}
		}
		has := func(x *listed, tag string) bool { return slices.Contains(x.Tags, tag) }
		if v.one(0.5) {
			q.Set("tags_match", "any")
			add(func(x *listed) bool { return has(x, tags[0]) || has(x, tags[1]) })
		} else {
			add(func(x *listed) bool { return has(x, tags[0]) && has(x, tags[1]) })
		}
	}
	dates := v.dates(q)
	add(func(x *listed) bool {
		if route != "/v1/series" {
			return dates(x)
		}
		return q.Get("start_date_min")+q.Get("start_date_max")+q.Get("end_date_min")+q.Get("end_date_max") == "" ||
			slices.ContainsFunc(v.markets, func(m listed) bool { return m.SeriesSlug == x.Slug && dates(&m) })
	})
	return q, func(x *listed) bool {
		return !slices.ContainsFunc(conds, func(f func(*listed) bool) bool { return !f(x) })
	}
}

// dates draws bounds on start and end, which are inclusive.
func (v *vocabulary) dates(q url.Values) func(*listed) bool {
	var conds []func(*listed) bool
	for _, field := range []string{"start_date", "end_date"} {
		of := func(x *listed) string {
			if field == "start_date" {
				return x.StartDate
			}
			return x.EndDate
		}
		for _, side := range []string{"min", "max"} {
			if !v.one(0.15) {
				continue
			}
			from := pickOf(v, v.markets)
			bound := of(&from)
			q.Set(field+"_"+side, bound)
			if side == "min" {
				conds = append(conds, func(x *listed) bool { return of(x) >= bound })
			} else {
				conds = append(conds, func(x *listed) bool { return of(x) <= bound })
			}
		}
	}
	return func(x *listed) bool {
		return !slices.ContainsFunc(conds, func(f func(*listed) bool) bool { return !f(x) })
	}
}

// check compares a list with what keep selects of rows, in every order. All
// times are of whole seconds: as text they sort as they are.
func (v *vocabulary) check(t *testing.T, w *world, route string, rows []listed, q url.Values, keep func(*listed) bool) {
	t.Helper()
	field, asc := "updated_at", v.one(0.3)
	if route != "/v1/series" {
		field = pickOf(v, []string{"updated_at", "start_date", "end_date"})
	}
	if field != "updated_at" || v.one(0.5) {
		q.Set("sort", field)
	}
	if asc {
		q.Set("order", "asc")
	}
	value := map[string]func(*listed) string{
		"updated_at": func(x *listed) string { return x.UpdatedAt },
		"start_date": func(x *listed) string { return x.StartDate },
		"end_date":   func(x *listed) string { return x.EndDate },
	}[field]
	var want []listed
	for i := range rows {
		if keep(&rows[i]) {
			want = append(want, rows[i])
		}
	}
	slices.SortFunc(want, func(a, b listed) int {
		order := cmp.Or(cmp.Compare(value(&a), value(&b)), cmp.Compare(a.ID, b.ID))
		if !asc {
			return -order
		}
		return order
	})
	require.Equal(t, ids(want), ids(w.all(t, v.rnd, route, q)), "%s?%s", route, q.Encode())
}

// TestListDates: bounds are inclusive, in any spelling of times, and the epoch
// is one as any other time.
func TestListDates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	count := func(query string) int {
		var p listPage
		w.get(t, "/v1/markets?include_closed=true&limit=1000&category=sports&"+query).json(t, &p)
		return p.Metadata.Count
	}
	require.Equal(t, 6, count(""))
	noon := at(12, 0, 0)
	for _, spelled := range []string{
		"2026-04-01T12:00:00Z", "2026-04-01T12:00:00", "2026-04-01T14:00:00%2B02:00", "2026-04-01T14:00:00+02:00",
		fmt.Sprint(noon.Time().Unix()), fmt.Sprint(noon.Time().Unix()) + ".000",
	} {
		require.Equal(t, 6, count("start_date_min="+spelled), spelled)
		require.Equal(t, 6, count("start_date_max="+spelled), spelled)
	}
	require.Equal(t, 0, count("start_date_min=2026-04-01T12:00:00.000001Z"))
	require.Equal(t, 0, count("start_date_max=2026-04-01T11:59:59.999999Z"))
	require.Equal(t, 6, count("start_date_min=2026-04-01&end_date_max=2026-04-02"))
	require.Equal(t, 6, count("start_date_min=0&end_date_min=1970-01-01"))
	require.Equal(t, 0, count("start_date_max=0"))
	require.Equal(t, 0, count("end_date_max=1970-01-01T00:00:00Z"))
}

// TestListCursors: a cursor goes on with the same list, however its filters are
// spelled, with any limit, and with no other.
func TestListCursors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	next := func(path string) string {
		var p listPage
		w.get(t, path).json(t, &p)
		require.NotNil(t, p.Metadata.NextCursor, path)
		return *p.Metadata.NextCursor
	}
	c := next("/v1/markets?include_closed=true&limit=1&tags=crypto,bitcoin&start_date_min=2026-01-01")
	for _, same := range []string{
		"include_closed=true&tags=crypto,bitcoin&start_date_min=2026-01-01&limit=7",
		"include_closed=1&tags=bitcoin&tags=Crypto&tags=&start_date_min=1767225600&search=&order=desc&sort=updated_at&tags_match=all&foo=bar",
	} {
		require.Equal(t, 200, w.get(t, "/v1/markets?"+same+"&cursor="+c).status, same)
	}
	for _, other := range []string{
		"tags=crypto,bitcoin&start_date_min=2026-01-01", "include_closed=true&tags=crypto&start_date_min=2026-01-01",
		"include_closed=true&tags=crypto,bitcoin", "include_closed=true&tags=crypto,bitcoin&start_date_min=2026-01-02",
		"include_closed=true&tags=crypto,bitcoin&start_date_min=2026-01-01&order=asc",
		"include_closed=true&tags=crypto,bitcoin&start_date_min=2026-01-01&sort=end_date",
		"include_closed=true&tags=crypto,bitcoin&start_date_min=2026-01-01&category=crypto",
		"include_closed=true&tags=crypto,bitcoin&start_date_min=2026-01-01&tags_match=any",
	} {
		w.get(t, "/v1/markets?"+other+"&cursor="+c).fails(t, 400, "bad_request")
	}
	w.get(t, "/v1/events?cursor="+next("/v1/markets?include_closed=true&limit=1")).fails(t, 400, "bad_request")
	w.get(t, "/v1/series?cursor="+next("/v1/events?limit=1")).fails(t, 400, "bad_request")
	require.Equal(t, 200, w.get(t, "/v1/events?include_closed=true&cursor="+next("/v1/events?limit=1")).status)
}

// TestRecorded: the list says what the archive has of a market when it is asked, and nothing
// more when it is not.
func TestRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var with, without struct {
		Data []struct {
			Slug     string
			Recorded *struct {
				Captures int64
				Coverage float64
				Winner   *string
			}
		}
	}
	w.get(t, "/v1/markets?include_closed=true&limit=1000").json(t, &without)
	w.get(t, "/v1/markets?include_closed=true&limit=1000&recorded=true").json(t, &with)
	require.Len(t, with.Data, len(without.Data))
	won, covered := 0, 0
	for i, m := range with.Data {
		require.Nil(t, without.Data[i].Recorded)
		require.NotNil(t, m.Recorded, m.Slug)
		require.GreaterOrEqual(t, m.Recorded.Captures, int64(0))
		var detail struct {
			Label *string `json:"winning_token_label"`
		}
		w.get(t, "/v1/markets/"+url.PathEscape(m.Slug)).json(t, &detail)
		require.Equal(t, detail.Label, m.Recorded.Winner, m.Slug)
		if m.Recorded.Winner != nil {
			won++
		}
		if m.Recorded.Captures > 0 && m.Recorded.Coverage > 0 {
			covered++
		}
	}
	require.Positive(t, won)
	require.Positive(t, covered)
	require.Equal(t, http.StatusUnprocessableEntity, w.get(t, "/v1/markets?recorded=perhaps").status)
}
