package api_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/tries"
)

// day is the day on which the markets of the tests are.
const day = 1_775_001_600 * market.Second // 2026-04-01T00:00:00Z

// at returns a time on that day.
func at(hour, minute, second int) market.Instant {
	return day + market.Instant(hour*3600+minute*60+second)*market.Second
}

// archives are made once and read by all tests.
var archives = sync.OnceValues(func() (*shared, error) {
	dir, err := os.MkdirTemp("", "ladderback-api-")
	if err != nil {
		return nil, err
	}
	s := &shared{dir: dir}
	if s.main, err = newArchive(filepath.Join(dir, "main.db"), fillMain); err != nil {
		return s, err
	}
	s.nasty, err = newArchive(filepath.Join(dir, "nasty.db"), fillNasty)
	return s, err
})

type shared struct {
	dir         string
	main, nasty *archive.Archive
}

func TestMain(m *testing.M) {
	code := m.Run()
	if s, _ := archives(); s != nil {
		for _, a := range []*archive.Archive{s.main, s.nasty} {
			if a != nil {
				_ = a.Close()
			}
		}
		_ = os.RemoveAll(s.dir)
	}
	os.Exit(code)
}

func newArchive(path string, fill func(ctx context.Context, a *archive.Archive) error) (*archive.Archive, error) {
	ctx := context.Background()
	opened, _, err := sqlite.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	a := archive.New(opened)
	if fill == nil {
		return a, nil
	}
	return a, fill(ctx, a)
}

// fillMain makes simulated rounds, and sports markets made by hand.
func fillMain(ctx context.Context, a *archive.Archive) error {
	sim, err := simulate.New(simulate.Config{Seed: 1, Open: true, Levels: 8, Pairs: []simulate.Pair{
		{Coin: "BTC", Type: "5m", Rounds: 8}, {Coin: "ETH", Type: "15m", Rounds: 2},
	}})
	if err != nil {
		return err
	}
	if _, err := sim.Write(ctx, a, simulate.WriteOptions{}); err != nil {
		return err
	}
	return putMarkets(ctx, a, "sports", sportsMarkets())
}

// fillNasty makes markets with captures that tie, repeat and go backwards.
func fillNasty(ctx context.Context, a *archive.Archive) error {
	s := archivetest.NewScenario(7, 300)
	for _, f := range s.Split(7, 3) {
		if err := archivetest.Put(ctx, intake.New(a.Store(), intake.Config{}), s, &f); err != nil {
			return err
		}
	}
	return nil
}

// handMade is a market with its captures.
type handMade struct {
	market   market.Market
	captures []market.Capture
	gaps     []market.TokenGap
}

func putMarkets(ctx context.Context, a *archive.Archive, name string, markets []handMade) error {
	imp, err := intake.New(a.Store(), intake.Config{}).Begin(ctx, store.Source{
		SHA256: sha256.Sum256([]byte(name)), Name: name, Format: "test", Authority: store.FromExchange, ImportedAt: day,
	})
	if err != nil {
		return err
	}
	defer imp.Close()
	for _, h := range markets {
		m, err := imp.Market(ctx, h.market)
		if err != nil {
			return err
		}
		for _, g := range h.gaps {
			m.Gap(g.Token, g.Gap)
		}
		for i := range h.captures {
			if err := m.Add(&h.captures[i]); err != nil {
				return err
			}
		}
		if err := m.Done(ctx); err != nil {
			return err
		}
	}
	_, err = imp.Finish(ctx, intake.End{Messages: 1})
	return err
}

func quote(token int, t market.Instant, bid, ask market.Price) market.Capture {
	side := func(p market.Price) market.Level {
		if p < 0 {
			return market.Level{Price: market.NoPrice}
		}
		return market.Level{Price: p, Size: 10 * market.SizeOne}
	}
	return market.Capture{Token: token, Kind: market.KindQuote, Recv: t, Quote: market.Quote{Bid: side(bid), Ask: side(ask)}}
}

// tokens returns n tokens of a market.
func tokens(id string, n int) []market.Token {
	out := make([]market.Token, n)
	for i := range out {
		out[i] = market.Token{VenueID: fmt.Sprintf("%s-%d", id, i), Label: fmt.Sprintf("Team %d", i)}
	}
	return out
}

func sportsMarkets() []handMade {
	three := handMade{market: market.Market{
		Venue: market.PolymarketUS, VenueID: "three", Slug: "hawks-bulls-draw", Question: "Who wins?", Category: market.Sports,
		Description: "Hawks, Bulls or a draw", Tags: []string{"nba", "sports"}, Tokens: tokens("three", 3),
		Start: at(12, 0, 0), End: at(14, 0, 0), Closed: true, ClosedAt: at(14, 0, 30),
		Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{0, market.CashOne, 0}},
	}, captures: []market.Capture{
		quote(0, at(11, 59, 58), 4000, 4200), quote(1, at(12, 0, 1), 3000, -1), quote(0, at(12, 0, 3), -1, -1),
		quote(1, at(12, 0, 4), 3000, 3333), quote(0, at(13, 0, 0), 5000, 5400), quote(0, at(15, 0, 0), 9900, 10000),
	}}
	crowd := handMade{market: market.Market{
		Venue: market.PolymarketUS, VenueID: "crowd", Slug: "golf", Question: "Who wins the golf?", Category: market.Sports,
		Tags: []string{"golf", "sports"}, Tokens: tokens("crowd", 201), Start: at(12, 0, 0), End: at(23, 0, 0),
	}, captures: []market.Capture{quote(0, at(12, 0, 0), 100, 200)}}
	slash := handMade{market: market.Market{
		Venue: market.PolymarketUS, VenueID: "a/b c", Slug: "a-b-c", Question: "With a slash?", Category: market.Sports,
		Tags: []string{"sports"}, Tokens: []market.Token{{VenueID: "x/y", Label: `Yes, "really"`}, {VenueID: "x/n", Label: "No"}},
		Start: at(12, 0, 0), End: at(22, 0, 0),
	}, captures: []market.Capture{quote(0, at(12, 0, 0), 4900, 5100)}}
	silent := handMade{market: market.Market{
		Venue: market.PolymarketUS, VenueID: "silent", Slug: "silent", Question: "Nothing captured?", Category: market.Sports,
		Tags: []string{"sports"}, Tokens: tokens("silent", 2), Start: at(12, 0, 0), End: at(22, 0, 0),
	}}
	inferred := handMade{market: market.Market{ // its winner is a source's conclusion
		Venue: market.PolymarketUS, VenueID: "inferred", Slug: "inferred", Question: "Over, and who won?", Category: market.Sports,
		Tags: []string{"Sports", "NBA"}, Tokens: tokens("inferred", 2), Start: at(12, 0, 0), End: at(13, 0, 0),
		Payout: &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{market.CashOne, 0}},
	}}
	twins := handMade{market: market.Market{ // two tokens of one label
		Venue: market.PolymarketUS, VenueID: "twins", Slug: "twins", Question: "Which of two?", Category: market.Sports, Tags: []string{"sports"},
		Tokens: []market.Token{{VenueID: "twin-a", Label: "Yes"}, {VenueID: "twin-b", Label: "Yes"}},
		Start:  at(12, 0, 0), End: at(22, 0, 0),
	}, captures: []market.Capture{quote(0, at(12, 0, 0), 4900, 5100), quote(1, at(12, 0, 0), 2900, 3100)}}
	return []handMade{three, crowd, slash, silent, inferred, twins}
}

// testClock is a clock that a test moves.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a server over a real archive, reached over HTTP, with a key of each
// plan.
type world struct {
	t         testing.TB
	archive   *archive.Archive
	api       *api.Server
	url       string
	clock     *testClock
	guard     *identity.Keys
	keys      map[string]string // by plan
	scheduler *runs.Scheduler   // does no work by itself
	runs      string            // file of the runs
	tries     *tries.Store
}

// newWorld starts a server; change, when not nil, changes its configuration.
func newWorld(t testing.TB, change func(c *api.Config)) *world {
	t.Helper()
	s, err := archives()
	require.NoError(t, err)
	return worldOver(t, s.main, change)
}

func worldOver(t testing.TB, a *archive.Archive, change func(c *api.Config)) *world {
	t.Helper()
	ctx := context.Background()
	store, err := identity.Open(ctx, filepath.Join(t.TempDir(), "access.db"), true)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	w := &world{t: t, archive: a, clock: &testClock{now: time.Date(2026, 5, 1, 12, 0, 10, 0, time.UTC)}, keys: map[string]string{}}
	plans := identity.DefaultPlans()
	coarse := plans["pro"]
	coarse.Name, coarse.Finest, coarse.Books, coarse.Backtest = "Coarse", "1m", false, false
	plans["coarse"] = coarse
	limited := plans["scale"] // limits that a measurement does not reach
	limited.Name, limited.RequestsPerMinute, limited.RequestsPerDay = "Unmeasured", 1<<30, 1<<30
	plans["unmeasured"] = limited
	daily := plans["starter"] // no limit of the minute
	daily.Name, daily.RequestsPerMinute, daily.RequestsPerDay, daily.HistoryDays = "Daily", 0, 3, 1
	plans["daily"] = daily
	w.guard = identity.NewKeys(store, plans, w.clock.Now)
	for id := range plans {
		_, w.keys[id], err = w.guard.Create(ctx, id, "acme", id, 0)
		require.NoError(t, err)
	}
	w.runs = filepath.Join(t.TempDir(), "runs.db")
	kept, err := runs.Open(ctx, w.runs)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	w.tries, err = tries.Open(ctx, filepath.Join(t.TempDir(), "tries.db"), true)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.tries.Close()) })
	w.scheduler = runs.NewScheduler(runs.Config{Store: kept, Tries: w.tries, PollInterval: 20 * time.Millisecond, GracePeriod: time.Second, Source: func(ctx context.Context) replay.Source { return w.api.Rounds(ctx) },
		Observe: func(kind runs.TaskKind, outcome string, took time.Duration) { w.api.ObserveTask(kind, outcome, took) }})
	cfg := api.Config{Catalogue: a, Rounds: a, Keys: w.guard, Scheduler: w.scheduler, Tries: w.tries}
	if change != nil {
		change(&cfg)
	}
	w.api, err = api.New(cfg)
	require.NoError(t, err)
	server := httptest.NewServer(w.api)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// request is one request of a test.
type request struct {
	method string // default GET
	path   string
	plan   string // whose key is sent; default enterprise, "-" none
	header http.Header
	body   string
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// sent is a request with what came of it.
type sent struct {
	request request
	r       *http.Request
	answer  *answer
	err     error
}

// do sends a request and checks the answer.
func (w *world) do(t testing.TB, q request) *answer {
	t.Helper()
	return w.check(t, w.send(t.Context(), q))
}

// check returns an answer, which must be there and be as documented.
func (w *world) check(t testing.TB, s sent) *answer {
	t.Helper()
	require.NoError(t, s.err)
	require.NotEmpty(t, s.answer.header.Get("X-Request-Id"), "%s %s", s.r.Method, s.request.path)
	w.conforms(t, s.r, s.request, s.answer)
	return s.answer
}

// send sends a request and checks nothing: any goroutine may call it. The
// connection does not unpack answers by itself.
func (w *world) send(ctx context.Context, q request) sent {
	r, err := http.NewRequestWithContext(ctx, cmp.Or(q.method, http.MethodGet), w.url+q.path, strings.NewReader(q.body))
	if err != nil {
		return sent{err: err}
	}
	r.Header.Set("Accept-Encoding", "identity")
	switch q.plan {
	case "-":
	case "":
		r.Header.Set("Authorization", "Bearer "+w.keys["enterprise"])
	default:
		r.Header.Set("Authorization", "Bearer "+w.keys[q.plan])
	}
	maps.Copy(r.Header, q.header)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return sent{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return sent{q, r, &answer{resp.StatusCode, resp.Header, body}, err}
}

func (w *world) get(t testing.TB, path string) *answer {
	t.Helper()
	return w.do(t, request{path: path})
}

// json reads the answer, which must be a 200, into v.
func (a *answer) json(t testing.TB, v any) {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, "%s", a.body)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.UseNumber()
	require.NoError(t, dec.Decode(v), "%s", a.body)
}

// fails sees that the answer is the envelope with that status and code, and
// returns its message.
func (a *answer) fails(t testing.TB, status int, code string) string {
	t.Helper()
	var e struct {
		Error, Message, Suggestion string
		Confirm                    json.RawMessage
		At, Spans, Choices         []json.RawMessage
	}
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&e), "%d %s", a.status, a.body)
	require.Equal(t, status, a.status, "%s", a.body)
	require.Equal(t, code, e.Error, "%s", a.body)
	require.NotEmpty(t, e.Message)
	if status != http.StatusBadRequest {
		require.Empty(t, e.Suggestion, "only a prompt is refused with what may be asked instead")
	}
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	return e.Message
}

// item is one of the items of a 422.
type item struct {
	Loc  []any  `json:"loc"`
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// invalid sees that the answer is a 422 and returns its items.
func (a *answer) invalid(t testing.TB) []item {
	t.Helper()
	require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s", a.body)
	var e struct {
		Detail  []item `json:"detail"`
		Message string `json:"message"`
	}
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&e), "%s", a.body)
	require.NotEmpty(t, e.Message)
	require.NotEmpty(t, e.Detail)
	return e.Detail
}

// types returns "last.part of loc:type" of each item of a 422.
func (a *answer) types(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, i := range a.invalid(t) {
		parts := make([]string, len(i.Loc))
		for k, p := range i.Loc {
			parts[k] = fmt.Sprint(p)
		}
		out = append(out, strings.Join(parts, ".")+":"+i.Type)
	}
	return out
}
