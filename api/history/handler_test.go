package history_test

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	apihistory "github.com/ladderback/ladderback/api/history"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// rounds are an archive of simulated rounds of BTC, made once and read by all tests. A minute of
// the books of a token is a part of an answer by itself.
var rounds = sync.OnceValues(func() (*archive.Archive, error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ladderback-history-")
	if err != nil {
		return nil, err
	}
	opened, _, err := sqlite.Create(ctx, filepath.Join(dir, "rounds.db"))
	if err != nil {
		return nil, err
	}
	a := archive.New(opened)
	folder = dir
	sim, err := simulate.New(simulate.Config{Seed: 1, Levels: 40, Pairs: []simulate.Pair{{Coin: "BTC", Type: "5m", Rounds: 2}}})
	if err == nil {
		_, err = sim.Write(ctx, a, simulate.WriteOptions{})
	}
	return a, err
})

var folder string // of rounds

func TestMain(m *testing.M) {
	code := m.Run()
	if a, _ := rounds(); a != nil {
		_ = a.Close()
	}
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// desk is a handler with what it tells.
type desk struct {
	handler *apihistory.Handler
	guard   *identity.Keys
	holder  identity.Holder
	row     *store.Listing // the round that is asked for
	now     atomic.Int64   // Unix seconds of the keys' clock
	served  map[history.Points]int64
	limited int
}

// newDesk makes a handler over the archive, or over what change makes of it, for a
// key of a plan.
func newDesk(t testing.TB, plan identity.Plan, change func(a *archive.Archive) apihistory.Catalogue) *desk {
	t.Helper()
	a, err := rounds()
	require.NoError(t, err)
	rows, err := a.Markets(t.Context(), store.MarketQuery{Page: store.Page{Sort: store.ByEnd, Ascending: true}})
	require.NoError(t, err)
	d := &desk{row: &rows[0], served: map[history.Points]int64{}}
	d.now.Store(1_777_636_800) // noon
	users := filepath.Join(t.TempDir(), "access.db")
	keys, err := identity.Open(context.Background(), users, true)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, keys.Close()) })
	d.guard = identity.NewKeys(keys, identity.NewPlans(plan), func() time.Time { return time.Unix(d.now.Load(), 0) })
	_, secret, err := d.guard.Create(t.Context(), plan.ID(), "acme", "key", 0)
	require.NoError(t, err)
	d.holder, err = d.guard.Find(t.Context(), secret)
	require.NoError(t, err)
	var c apihistory.Catalogue = a
	if change != nil {
		c = change(a)
	}
	d.handler = apihistory.New(apihistory.Config{
		Catalogue: func(context.Context) apihistory.Catalogue { return c }, Keys: d.guard, Log: slog.New(slog.DiscardHandler), RequestTimeout: time.Minute, WriteTimeout: time.Minute,
		Served:  func(kind history.Points, n int64) { d.served[kind] += n },
		Limited: func() { d.limited++ },
	})
	return d
}

// everything is a plan without limits.
var everything = identity.Plan{Name: "Everything", Finest: "250ms", Prices: true, Books: true, Metrics: true}

// id is what the route is asked for the round with: its market, or its second token.
func (d *desk) id(route apihistory.Route) string {
	if route.Parameter() == "token_id" {
		return d.row.Market.Tokens[1].VenueID
	}
	return d.row.Market.VenueID
}

// ask asks for a minute of the round, at 1 s.
func (d *desk) ask(t testing.TB, route apihistory.Route, media string, more ...string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	from := d.row.Market.Start + market.Minute
	q := url.Values{"start_ts": {from.String()}, "end_ts": {(from + market.Minute).String()}, "resolution": {"1s"}}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	r := httptest.NewRequest(http.MethodGet, "/?"+q.Encode(), nil)
	r.Header.Set("Accept", media)
	rec := httptest.NewRecorder()
	return rec, d.handler.Answer(rec, r, route, d.id(route), d.holder)
}

// page is what a page says of itself.
type page struct {
	Data     json.RawMessage
	Metadata struct {
		Count int
		Next  *string `json:"next_cursor"`
	}
}

// pointsOf counts the points of each list of a page; a route of one list has it
// under "".
func (p *page) pointsOf(t testing.TB) map[string][]json.RawMessage {
	t.Helper()
	out := map[string][]json.RawMessage{}
	if p.Data[0] == '{' {
		require.NoError(t, json.Unmarshal(p.Data, &out))
		return out
	}
	var one []json.RawMessage
	require.NoError(t, json.Unmarshal(p.Data, &one))
	return map[string][]json.RawMessage{"": one}
}

var routes = []apihistory.Route{
	apihistory.MarketPrices, apihistory.MarketBooks, apihistory.MarketMetrics, apihistory.TokenPrices, apihistory.TokenBooks,
}

// TestPages joins the pages of every route: together they are one page of the
// whole, each point once, and as many are told of as were sent.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, route := range routes {
		d := newDesk(t, everything, nil)
		rec, err := d.ask(t, route, "application/json", "limit", "200")
		require.NoError(t, err)
		var whole page
		require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &whole))
		require.Nil(t, whole.Metadata.Next)
		require.GreaterOrEqual(t, whole.Metadata.Count, 60)
		joined, sent, cursor := map[string][]json.RawMessage{}, 0, ""
		for {
			rec, err := d.ask(t, route, "application/json", "limit", "7", "cursor", cursor)
			require.NoError(t, err)
			require.Equal(t, 200, rec.Code)
			var p page
			require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &p))
			require.LessOrEqual(t, p.Metadata.Count, 7)
			require.Positive(t, p.Metadata.Count)
			for label, points := range p.pointsOf(t) {
				joined[label] = append(joined[label], points...)
			}
			sent += p.Metadata.Count
			if p.Metadata.Next == nil {
				break
			}
			cursor = *p.Metadata.Next
		}
		require.Equal(t, whole.pointsOf(t), joined, route)
		require.Equal(t, whole.Metadata.Count, sent)
		told := int64(0)
		for _, n := range d.served {
			told += n
		}
		require.Equal(t, int64(2*sent), told, route)
	}
}

// TestCursorsBelong refuses a cursor with every request but the one that it was
// given for.
func TestCursorsBelong(t *testing.T) {
	t.Parallel()
	d := newDesk(t, everything, nil)
	cursors := map[apihistory.Route]string{}
	for _, route := range routes {
		rec, err := d.ask(t, route, "application/json", "limit", "2")
		require.NoError(t, err)
		var p page
		require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &p))
		cursors[route] = *p.Metadata.Next
	}
	other := *d.row
	for of, cursor := range cursors {
		for _, route := range routes {
			_, err := d.ask(t, route, "application/json", "cursor", cursor)
			if route == of {
				require.NoError(t, err)
				_, err = d.ask(t, route, "application/json", "cursor", cursor, "resolution", "5s")
			}
			require.ErrorIs(t, err, wire.ErrCursor, "%s, cursor of %s", route, of)
		}
	}
	// Another token of the same market.
	d.row = &other
	d.row.Market.Tokens = []market.Token{other.Market.Tokens[1], other.Market.Tokens[0]}
	_, err := d.ask(t, apihistory.TokenPrices, "application/json", "cursor", cursors[apihistory.TokenPrices])
	require.ErrorIs(t, err, wire.ErrCursor)
}

// TestPlan refuses what a plan does not have, and what is asked wrongly before that.
func TestPlan(t *testing.T) {
	t.Parallel()
	small := identity.Plan{Name: "Small", Finest: "1m", HistoryDays: 1, Prices: true}
	for _, c := range []struct {
		route apihistory.Route
		more  []string
		code  market.Code // empty: answered
		says  string
	}{
		{apihistory.MarketPrices, []string{"resolution", "1m"}, "", ""},
		{apihistory.MarketPrices, nil, market.CodeForbidden, "the finest allowed is 1m"},
		{apihistory.TokenBooks, []string{"resolution", "1m"}, market.CodeForbidden, "books are not part of plan Small"},
		{apihistory.MarketQuotes, []string{"resolution", "1m"}, market.CodeForbidden, "quotes are not part of plan Small"},
		{apihistory.MarketMetrics, []string{"resolution", "1m"}, market.CodeForbidden, "metrics are not part of plan Small"},
		{apihistory.MarketPrices, []string{"resolution", "1h", "start_ts", "1000000000"}, market.CodeForbidden, "history window of 1 day of plan Small"},
		{apihistory.MarketPrices, []string{"resolution", "2m"}, market.CodeInvalid, "Unsupported resolution '2m'"},
		{apihistory.TokenBooks, []string{"limit", "201"}, market.CodeBadRequest, "limit too large. Requested: 201, Maximum: 200"},
		{apihistory.MarketPrices, []string{"resolution", "1m", "limit", "1"}, market.CodeBadRequest, "Minimum required: 2"},
	} {
		d := newDesk(t, small, nil)
		rec, err := d.ask(t, c.route, "application/json", c.more...)
		if c.code == "" {
			require.NoError(t, err)
			require.Equal(t, 200, rec.Code)
			continue
		}
		require.Equal(t, c.code, market.CodeOf(err), "%s %v", c.route, c.more)
		require.ErrorContains(t, err, c.says)
		require.Empty(t, rec.Header().Get("ETag"))
		require.Zero(t, rec.Body.Len())
	}
}

// TestBulkIsThePages: the whole window as CSV has the points of the pages, and
// WriteRows, which asks nobody, the same bytes.
func TestBulkIsThePages(t *testing.T) {
	t.Parallel()
	for route, points := range map[apihistory.Route]history.Points{
		apihistory.MarketPrices: history.PricePoints, apihistory.MarketMetrics: history.MetricPoints, apihistory.TokenPrices: history.PricePoints,
	} {
		d := newDesk(t, everything, nil)
		rec, err := d.ask(t, route, "application/json", "limit", "200")
		require.NoError(t, err)
		var p page
		require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &p))
		rec, err = d.ask(t, route, "text/csv")
		require.NoError(t, err)
		require.Equal(t, int64(2*p.Metadata.Count), d.served[points])
		var direct strings.Builder
		a, err := rounds()
		require.NoError(t, err)
		from := d.row.Market.Start + market.Minute
		require.NoError(t, apihistory.WriteRows(t.Context(), &direct, table.CSV, a, &history.Query{
			Points: points, Row: d.row, OneToken: route.Parameter() == "token_id", Token: 1,
			Window: history.Window{Start: from, End: from + market.Minute, Resolution: market.Second},
		}))
		require.Equal(t, direct.String(), rec.Body.String())
		rows, err := csv.NewReader(rec.Body).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, p.Metadata.Count+1)
		values := map[string]bool{}
		for _, row := range rows[1:] {
			values[row[0]+" "+row[len(row)-1]] = true
		}
		for _, list := range p.pointsOf(t) {
			for _, text := range list {
				var v struct {
					T         string
					P, Volume json.Number
				}
				require.NoError(t, json.Unmarshal(text, &v))
				require.True(t, values[v.T+" "+string(cmp.Or(v.P, v.Volume))], "%s", text)
			}
		}
	}
}

// changing is an archive that a write changes in the middle of the first answers.
type changing struct {
	*archive.Archive
	left atomic.Int32
}

func (c *changing) Prices(ctx context.Context, row *store.Listing, q history.Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	if c.left.Add(-1) < 0 {
		return c.Archive.Prices(ctx, row, q, until, emit)
	}
	n := 0
	err := c.Archive.Prices(ctx, row, q, until, func(t market.Instant, p []int64) bool {
		n++
		return emit(t, p) && n < 50
	})
	return cmp.Or(err, store.ErrChanged)
}

// daily is a plan with bulk points for a day.
func daily(points int64) identity.Plan {
	p := everything
	p.Name, p.BulkPointsPerDay = "Daily", points
	return p
}

// left sees how many bulk points the day has left.
func (d *desk) left(t testing.TB, want int64) {
	t.Helper()
	wait, err := d.guard.CountBulk(t.Context(), d.holder, want)
	require.NoError(t, err)
	require.Zero(t, wait, "fewer than %d are left", want)
	wait, err = d.guard.CountBulk(t.Context(), d.holder, 1)
	require.NoError(t, err)
	require.NotZero(t, wait, "more than %d are left", want)
}

// TestBulkBegunAgain has a bulk answer begun again before anything was sent: its
// points count once, and none do of one that is given up.
func TestBulkBegunAgain(t *testing.T) {
	t.Parallel()
	for broken, gone := range map[int32]bool{2: false, 1 << 20: true} {
		d := newDesk(t, daily(1000), func(a *archive.Archive) apihistory.Catalogue {
			x := &changing{Archive: a}
			x.left.Store(broken)
			return x
		})
		rec, err := d.ask(t, apihistory.MarketPrices, "text/csv")
		rows := 0
		if gone {
			require.ErrorIs(t, err, store.ErrChanged)
		} else {
			require.NoError(t, err)
			rows = strings.Count(rec.Body.String(), "\n") - 1
			require.Equal(t, 120, rows)
		}
		require.Equal(t, int64(rows), d.served[history.PricePoints])
		d.left(t, int64(1000-rows))
	}
}

// TestBulkOfADay refuses an answer that the day has no points left for, and says
// how many it needs.
func TestBulkOfADay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, daily(200), nil)
	_, err := d.ask(t, apihistory.MarketPrices, "text/csv")
	require.NoError(t, err)
	rec, err := d.ask(t, apihistory.MarketPrices, "text/csv")
	require.Equal(t, market.CodeRateLimited, market.CodeOf(err))
	require.ErrorContains(t, err, "plan Daily has 200 per day, and this answer needs 120; try again in 43200 s")
	require.Equal(t, 43200, market.AsError(err).RetryAfter)
	require.Zero(t, rec.Body.Len())
	require.Equal(t, 1, d.limited)
	d.left(t, 80)
	_, err = d.ask(t, apihistory.MarketPrices, "application/json")
	require.NoError(t, err, "pages are not bulk")
}

// overnight is an archive whose answers are short, and take until the next day.
type overnight struct {
	*archive.Archive
	now *atomic.Int64
}

func (o *overnight) Prices(ctx context.Context, row *store.Listing, q history.Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	n := 0
	err := o.Archive.Prices(ctx, row, q, until, func(t market.Instant, p []int64) bool {
		n++
		return emit(t, p) && n < 50
	})
	o.now.Add(12 * 60 * 60)
	return err
}

// TestBulkOvernight ends a bulk answer on the day after the one it was counted on:
// what it did not need is not that day's to give out.
func TestBulkOvernight(t *testing.T) {
	t.Parallel()
	o := &overnight{}
	d := newDesk(t, daily(1000), func(a *archive.Archive) apihistory.Catalogue {
		o.Archive = a
		return o
	})
	o.now = &d.now
	rec, err := d.ask(t, apihistory.MarketPrices, "text/csv")
	require.NoError(t, err)
	require.Less(t, strings.Count(rec.Body.String(), "\n")-1, 120, "the answer was short")
	d.left(t, 1000)
}

// TestCutOff: a bulk answer that fails once it has begun ends in an aborted
// connection, never in one that looks whole.
func TestCutOff(t *testing.T) {
	t.Parallel()
	d := newDesk(t, everything, nil)
	q := url.Values{"start_ts": {d.row.Market.Start.String()}, "end_ts": {d.row.Market.End.String()}, "resolution": {"250ms"}}
	r := httptest.NewRequest(http.MethodGet, "/?"+q.Encode(), nil)
	r.Header.Set("Accept", "text/csv")
	w := &cut{ResponseRecorder: httptest.NewRecorder()}
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		_ = d.handler.Answer(w, r, apihistory.MarketBooks, d.id(apihistory.MarketBooks), d.holder)
	})
	require.Equal(t, 1, w.writes)
}

// cut is a connection that breaks after the first piece of an answer.
type cut struct {
	*httptest.ResponseRecorder
	writes int
}

func (c *cut) Write(p []byte) (int, error) {
	if c.writes > 0 {
		return 0, fmt.Errorf("broken pipe")
	}
	c.writes++
	return c.ResponseRecorder.Write(p)
}
