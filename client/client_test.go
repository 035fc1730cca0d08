package client_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/internal/servertest"
)

const prompt = "Buy Up on BTC 5m when Up drops below 45 cents, take profit at 60c, stop at 20c, $20 per trade, last 20 markets"

// TestAgainstServer: every method against a whole server, and the numbers agree with one
// another.
func TestAgainstServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, 24)
	wire := checked(t, s.Base)
	c, ctx := client.New(s.Base, s.Key, client.WithHTTP(&http.Client{Transport: wire})), t.Context()
	require.NoError(t, c.Health(ctx))
	require.NoError(t, c.Ready(ctx))
	usage, err := c.Usage(ctx)
	require.NoError(t, err)
	require.Equal(t, "enterprise", usage.Plan)

	archive, err := c.Archive(ctx, "")
	require.NoError(t, err)
	require.Equal(t, 24, archive.Data[0].Markets)
	require.Equal(t, "BTC", archive.Rounds[0].Coin)
	tags, err := c.Tags(ctx, client.Crypto)
	require.NoError(t, err)
	require.Contains(t, tags, "bitcoin")
	types, err := c.Conditions(ctx)
	require.NoError(t, err)
	require.Len(t, types.Entry, 10)
	require.Len(t, types.Orders, 13)

	prices, err := c.Calibration(ctx, client.CalibrationQuery{Coin: "BTC", MarketType: "5m", Last: 20, Bands: 3})
	require.NoError(t, err)
	require.Equal(t, 20, prices.Sampled)
	require.Len(t, prices.Prices, 3)
	require.Equal(t, prices.Observations, prices.Scores.N)

	// Lists, by pages that are smaller than they are.
	var markets []client.Market
	for m, err := range c.Markets(ctx, client.MarketQuery{IncludeClosed: true, ListQuery: client.ListQuery{PageSize: 5, Sort: "start_date", Order: "asc"}}) {
		require.NoError(t, err)
		markets = append(markets, m)
	}
	require.Len(t, markets, 24)
	for i := range markets[1:] {
		require.True(t, markets[i].StartDate.Before(*markets[i+1].StartDate))
	}
	n := 0
	for one, err := range c.Series(ctx, client.ListQuery{}) {
		require.NoError(t, err)
		require.Equal(t, 24, one.MarketCount)
		n++
	}
	for one, err := range c.Events(ctx, client.EventQuery{ListQuery: client.ListQuery{Search: markets[3].Slug}}) {
		require.NoError(t, err)
		require.Equal(t, markets[3].Slug, one.Slug)
		n++
	}
	require.Equal(t, 2, n)
	m, err := c.Market(ctx, markets[3].Slug)
	require.NoError(t, err)
	require.Equal(t, markets[3].ID, m.ID)
	require.NotEmpty(t, m.WinningTokenLabel)
	_, err = c.Gaps(ctx, m.ID)
	require.NoError(t, err)
	_, err = c.Market(ctx, "nobody")
	require.True(t, client.IsNotFound(err), "%v", err)
	require.ErrorContains(t, err, "market not found: nobody")

	testHistory(t, c, m)
	testRuns(t, c, s)
	require.Greater(t, int(wire.seen.Load()), 60, "requests were held to the document")
}

// checking holds requests, and answers in JSON, to the server's OpenAPI document.
type checking struct {
	t      *testing.T
	router routers.Router
	seen   atomic.Int32
}

// checked is what goes to a server, held to its document.
func checked(t *testing.T, base string) *checking {
	t.Helper()
	at, err := url.Parse(base + "/openapi.json")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromURI(at)
	require.NoError(t, err)
	doc.Servers = openapi3.Servers{{URL: base}}
	router, err := gorillamux.NewRouter(doc)
	require.NoError(t, err)
	return &checking{t: t, router: router}
}

func (c *checking) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := r.Clone(r.Context())
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body, asked.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || answer.StatusCode == http.StatusNotFound {
		return answer, err
	}
	where := r.Method + " " + r.URL.Path
	route, path, err := c.router.FindRoute(asked)
	if !assert.NoError(c.t, err, where) {
		return answer, nil
	}
	c.seen.Add(1)
	in := &openapi3filter.RequestValidationInput{
		Request: asked, PathParams: path, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true},
	}
	if answer.StatusCode < 400 {
		assert.NoError(c.t, openapi3filter.ValidateRequest(r.Context(), in), where)
	}
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") {
		return answer, nil
	}
	text, err := io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text), failing{err}))
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: answer.StatusCode, Header: answer.Header, Options: in.Options}
	out.SetBodyBytes(text)
	assert.NoError(c.t, openapi3filter.ValidateResponse(r.Context(), out), where)
	return answer, nil
}

// failing ends as what was read before it did.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// testHistory: what comes by pages is what comes in bulk.
func testHistory(t *testing.T, c *client.Client, m *client.Market) {
	t.Helper()
	ctx, token := t.Context(), m.Tokens[0]
	w := client.Window{Start: *m.StartDate, End: *m.EndDate, Resolution: "1s", PageSize: 20}
	var prices []client.Price
	for p, err := range c.TokenPrices(ctx, token.ID, w) {
		require.NoError(t, err)
		prices = append(prices, p)
	}
	require.Greater(t, len(prices), 200)
	var rows, ofMarket []client.Price
	for p, err := range client.Rows[client.PriceRow](ctx, c, client.TokenHistory(token.ID, "prices"), w) {
		require.NoError(t, err)
		require.Equal(t, token.Label, p.TokenLabel)
		rows = append(rows, client.Price{T: p.T, P: p.P})
	}
	require.Equal(t, prices, rows)
	for p, err := range c.MarketPrices(ctx, m.Slug, w) {
		require.NoError(t, err)
		require.Equal(t, token.ID, p.Tokens[token.Label])
		ofMarket = append(ofMarket, p.Data[token.Label]...)
	}
	require.Equal(t, prices, ofMarket)

	levels, fromRows := 0, 0
	for b, err := range c.TokenBooks(ctx, token.ID, w) {
		require.NoError(t, err)
		if len(b.Bids) > 1 {
			require.Greater(t, b.Bids[0].Price(), b.Bids[1].Price())
			require.Positive(t, b.Bids[0].Size())
		}
		levels += len(b.Bids) + len(b.Asks)
	}
	for _, err := range client.Rows[client.BookRow](ctx, c, client.TokenHistory(token.ID, "books"), w) {
		require.NoError(t, err)
		fromRows++
	}
	require.Equal(t, levels, fromRows)
	count := func(what string, n *int) func(error) {
		return func(err error) { require.NoError(t, err, what); *n++ }
	}
	var books, quotes, tokenQuotes, metrics int
	for _, err := range c.MarketBooks(ctx, m.ID, w) {
		count("books", &books)(err)
	}
	for _, err := range c.MarketQuotes(ctx, m.ID, w) {
		count("quotes", &quotes)(err)
	}
	for _, err := range c.TokenQuotes(ctx, token.ID, w) {
		count("token quotes", &tokenQuotes)(err)
	}
	for _, err := range c.MarketMetrics(ctx, m.ID, w) {
		count("metrics", &metrics)(err)
	}
	require.Positive(t, books*quotes*tokenQuotes*metrics)
	body, err := c.Bulk(ctx, client.MarketHistory(m.ID, "prices"), w, client.Parquet)
	require.NoError(t, err)
	text, err := io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, body.Close())
	require.True(t, strings.HasPrefix(string(text), "PAR1") && strings.HasSuffix(string(text), "PAR1"))
	_, err = c.Bulk(ctx, client.TokenHistory(token.ID, "prices"), client.Window{Start: *m.EndDate, End: *m.StartDate, Resolution: "1s"}, client.CSV)
	require.ErrorContains(t, err, "start_ts")
}

func testRuns(t *testing.T, c *client.Client, s *servertest.Server) {
	t.Helper()
	ctx := t.Context()
	parsed, err := c.Parse(ctx, prompt)
	require.NoError(t, err)
	require.NotEmpty(t, parsed.Parse.Summary)
	var refused *client.Error
	_, err = c.Parse(ctx, "Buy Up on BTC 5m when bitcoin itself falls 2%")
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "unsupported_signal", refused.Code)
	require.NotEmpty(t, refused.At)
	require.NotEmpty(t, refused.RequestID)

	var last int
	body, err := c.Backtest(ctx, client.Request{Prompt: prompt}, func(done, total int) { last = done; require.LessOrEqual(t, done, total) })
	require.NoError(t, err)
	require.Equal(t, 20, body.Report.MarketsFound)
	require.Positive(t, last)
	again, err := c.Backtest(ctx, client.Request{Strategy: new(body.Strategy.Strategy())}, nil)
	require.NoError(t, err)
	require.Equal(t, body.Report.Receipt, again.Report.Receipt)

	// What anybody gets who asks for it without this package.
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Base+"/v1/ai/backtest", strings.NewReader(`{"prompt":"`+prompt+`"}`))
	require.NoError(t, err)
	ask.Header.Set("Authorization", "Bearer "+s.Key)
	plain, err := http.DefaultClient.Do(ask)
	require.NoError(t, err)
	defer plain.Body.Close()
	raw, err := backtest.ReadBody(plain.Body)
	require.NoError(t, err)
	require.Equal(t, raw.Report.Receipt, body.Report.Receipt)

	kept := c.Backtests()
	e, err := kept.Estimate(ctx, client.Request{Prompt: prompt})
	require.NoError(t, err)
	require.Equal(t, 20, e.Markets)
	run, err := kept.Start(ctx, client.Request{Prompt: prompt}, "once")
	require.NoError(t, err)
	twice, err := kept.Start(ctx, client.Request{Prompt: prompt}, "once")
	require.NoError(t, err)
	require.Equal(t, run.ID, twice.ID)
	run, err = kept.Wait(ctx, run.ID, func(p client.Progress) { require.LessOrEqual(t, p.Done, p.Total) })
	require.NoError(t, err)
	require.Equal(t, "done", run.State)
	result, err := run.Backtest()
	require.NoError(t, err)
	require.Equal(t, body.Report.Receipt, result.Report.Receipt)
	names := map[string]bool{}
	for m, err := range kept.Events(ctx, run.ID, "") {
		require.NoError(t, err)
		names[m.Name] = true
	}
	require.True(t, names["state"] && names["result"], "%v", names)
	other, err := kept.Start(ctx, client.Request{Prompt: strings.Replace(prompt, "stop at 20c", "stop at 30c", 1)}, "")
	require.NoError(t, err)
	_, err = kept.Wait(ctx, other.ID, nil)
	require.NoError(t, err)
	compared, err := c.Compare(ctx, run.ID, other.ID)
	require.NoError(t, err)
	require.False(t, compared.Same)
	explained, err := c.Explain(ctx, run.ID, 1)
	require.NoError(t, err)
	require.Equal(t, result.Report.Trades[0].PnL, explained.Trade.PnL)
	n := 0
	for one, err := range kept.List(ctx, client.RunQuery{PageSize: 1}) {
		require.NoError(t, err)
		require.NotEmpty(t, one.ID)
		n++
	}
	require.Equal(t, 2, n)

	link, err := c.Share(ctx, run.ID)
	require.NoError(t, err)
	anybody := client.New(s.Base, "")
	shared, err := anybody.Shared(ctx, link.Token)
	require.NoError(t, err)
	result, err = shared.Backtest()
	require.NoError(t, err)
	require.Equal(t, body.Report.Receipt, result.Report.Receipt)
	_, err = anybody.SharedTrade(ctx, link.Token, 1)
	require.NoError(t, err)
	at := timeOf(t, result.Report.Trades[0])
	_, err = anybody.SharedBooks(ctx, link.Token, 1, client.Window{Start: at.Add(-time.Second), End: at.Add(time.Second), Resolution: "1s"})
	require.NoError(t, err)
	require.NoError(t, c.Unshare(ctx, run.ID))
	_, err = anybody.Shared(ctx, link.Token)
	require.True(t, client.IsNotFound(err), "%v", err)

	_, err = kept.Retry(ctx, run.ID)
	require.ErrorContains(t, err, "conflict") // it has not failed
	_, err = kept.Cancel(ctx, other.ID)
	require.NoError(t, err)
	require.NoError(t, kept.Forget(ctx, other.ID))
	_, err = kept.Get(ctx, other.ID, 0)
	require.True(t, client.IsNotFound(err), "%v", err)

	sweep, err := c.Sweeps().Start(ctx, client.SweepRequest{
		Request: client.Request{Prompt: prompt}, Vary: []string{"exit.take_profit=0.55,0.6"},
	}, "")
	require.NoError(t, err)
	sweep, err = c.Sweeps().Wait(ctx, sweep.ID, nil)
	require.NoError(t, err)
	require.Equal(t, "done", sweep.State)
	require.Contains(t, string(sweep.Result), `"verdict"`)

	tried, err := c.Tries(ctx, "BTC", "5m")
	require.NoError(t, err)
	require.NotEmpty(t, tried.Tries)
	require.Equal(t, sweep.Tries.Look, tried.Tries[0].Look)
}

func timeOf(t *testing.T, trade backtest.Trade) *time.Time {
	t.Helper()
	text, err := json.Marshal(trade.EntryTime)
	require.NoError(t, err)
	out := new(time.Time)
	require.NoError(t, json.Unmarshal(text, out))
	return out
}

// methods are the methods behind each operation of the document.
var methods = map[string][]string{
	"listSeries": {"Series"}, "listEvents": {"Events"}, "listMarkets": {"Markets"}, "getMarket": {"Market"}, "getGaps": {"Gaps"},
	"listTags": {"Tags"}, "getArchive": {"Archive"}, "usage": {"Usage"}, "conditions": {"Conditions"}, "calibration": {"Calibration"}, "tries": {"Tries"}, "health": {"Health"},
	"healthz": {"Health"}, "readyz": {"Ready"}, "parse": {"Parse"}, "backtest": {"Backtest"},
	"marketsHistoryPrices": {"MarketPrices", "Bulk"}, "marketsHistoryBooks": {"MarketBooks", "Bulk"}, "marketsHistoryMetrics": {"MarketMetrics", "Bulk"},
	"marketsHistoryQuotes": {"MarketQuotes", "Bulk"}, "tokenHistoryPrices": {"TokenPrices", "Bulk"}, "tokenHistoryBooks": {"TokenBooks", "Bulk"},
	"tokenHistoryQuotes": {"TokenQuotes", "Bulk"},
	"startRun":           {"Runs.Start", "Runs.Estimate"}, "listRuns": {"Runs.List"}, "getRun": {"Runs.Get", "Runs.Wait"}, "forgetRun": {"Runs.Forget"},
	"runEvents": {"Runs.Events"}, "cancelRun": {"Runs.Cancel"}, "retryRun": {"Runs.Retry"}, "explainTrade": {"Explain"}, "compareRuns": {"Compare"},
	"shareRun": {"Share"}, "unshareRun": {"Unshare"}, "startSweep": {"Runs.Start", "Runs.Estimate"}, "listSweeps": {"Runs.List"},
	"getSweep": {"Runs.Get"}, "forgetSweep": {"Runs.Forget"}, "sweepEvents": {"Runs.Events"}, "cancelSweep": {"Runs.Cancel"}, "retrySweep": {"Runs.Retry"},
	"getShared": {"Shared"}, "getSharedTrade": {"SharedTrade"}, "getSharedBooks": {"SharedBooks"},
}

// TestEveryOperation: each operation of the server's document has its method.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, 1)
	answer, err := http.Get(s.Base + "/openapi.json")
	require.NoError(t, err)
	defer answer.Body.Close()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&document))
	seen := 0
	for path, operations := range document.Paths {
		if strings.HasPrefix(path, "/app/") {
			continue // of the page, no part of the contract for clients
		}
		for method, text := range operations {
			var o struct{ OperationID string }
			if json.Unmarshal(text, &o) != nil || o.OperationID == "" {
				continue
			}
			seen++
			require.Contains(t, methods, o.OperationID, "%s %s has no method", method, path)
			for _, name := range methods[o.OperationID] {
				of := reflect.TypeFor[*client.Client]()
				if rest, ok := strings.CutPrefix(name, "Runs."); ok {
					of, name = reflect.TypeFor[client.Runs](), rest
				}
				_, ok := of.MethodByName(name)
				require.True(t, ok, "%s %s: %s", method, path, name)
			}
		}
	}
	require.GreaterOrEqual(t, seen, 40)
}

// answers serves one answer after the other, the last for ever, and counts them.
func answers(t *testing.T, all ...http.HandlerFunc) (c *client.Client, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all[min(int(asked.Add(1)), len(all))-1](w, r)
	}))
	t.Cleanup(s.Close)
	return client.New(s.URL, "lb_secret", client.WithRetries(3, 2*time.Second)), asked
}

func refusing(status int, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, `{"error":"rate_limited","message":"too many"}`)
	}
}

func cut(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func fine(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"plan":"pro"}`) }

// TestRetries: what the server refuses for now is asked again, as long as it asks to wait
// for no longer than may be waited; what was cut only where nothing can be done twice.
func TestRetries(t *testing.T) {
	t.Parallel()
	c, asked := answers(t, refusing(429, ""), refusing(503, "1"), fine)
	_, err := c.Usage(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, asked.Load())

	c, asked = answers(t, refusing(429, "3600")) // the day's quota
	_, err = c.Usage(t.Context())
	var e *client.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, time.Hour, e.RetryAfter)
	require.EqualValues(t, 1, asked.Load())

	c, asked = answers(t, refusing(429, "")) // without an end
	_, err = c.Usage(t.Context())
	require.ErrorContains(t, err, "GET /v1/usage: rate_limited: too many")
	require.EqualValues(t, 3, asked.Load())

	c, asked = answers(t, cut, fine)
	_, err = c.Usage(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, asked.Load())

	c, asked = answers(t, cut, fine) // nobody knows whether it has begun
	_, err = c.Backtests().Start(t.Context(), client.Request{Prompt: prompt}, "")
	require.Error(t, err)
	require.EqualValues(t, 1, asked.Load())
	c, asked = answers(t, cut, fine) // it has a name
	_, err = c.Backtests().Start(t.Context(), client.Request{Prompt: prompt}, "once")
	require.NoError(t, err)
	require.EqualValues(t, 2, asked.Load())

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c, _ = answers(t, refusing(503, "2"))
	_, err = c.Usage(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestFaults: an answer that is cut is an error, never a short one; what no server of ours
// says is told apart.
func TestFaults(t *testing.T) {
	t.Parallel()
	const row = `{"t":"2026-04-01T00:00:00Z","token_id":"a","label":"Up","p":0.5}` + "\n"
	c, _ := answers(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, row+row)
		w.(http.Flusher).Flush()
		cut(w, nil)
	})
	n, bad := 0, error(nil)
	for _, err := range client.Rows[client.PriceRow](t.Context(), c, client.TokenHistory("a", "prices"), client.Window{}) {
		if err != nil {
			bad = err
			break
		}
		n++
	}
	require.Equal(t, 2, n)
	require.ErrorIs(t, bad, io.ErrUnexpectedEOF)

	c, _ = answers(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "event: progress\ndata: {\"done\":1,\"total\":2}\n\n")
	})
	_, err := c.Backtest(t.Context(), client.Request{Prompt: prompt}, nil)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	c, _ = answers(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "event: error\ndata: {\"error\":\"unavailable\",\"message\":\"the archive is down\"}\n\n")
	})
	_, err = c.Backtest(t.Context(), client.Request{Prompt: prompt}, nil)
	require.ErrorContains(t, err, "unavailable: the archive is down")

	c, _ = answers(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html>Bad gateway</html>")
	})
	_, err = c.Usage(t.Context())
	require.ErrorContains(t, err, "502 Bad Gateway without saying why in JSON")
	c, _ = answers(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>Sign in to the hotel</html>")
	})
	_, err = c.Usage(t.Context())
	require.ErrorContains(t, err, "not what was expected")
}

// TestCancelled: when the context of a backtest ends, the server sees its client go, which
// ends the work there (TestClientLeaves of api).
func TestCancelled(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	c, asked := answers(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "event: progress\ndata: {\"done\":1,\"total\":200}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := c.Backtest(ctx, client.Request{Prompt: prompt}, func(done, total int) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	select {
	case <-gone:
	case <-time.After(time.Minute):
		require.Fail(t, "the server was not left")
	}
	require.EqualValues(t, 1, asked.Load(), "it is not asked for again")
}

// TestKeyStays: the key goes to one server, and is in nothing that is printed.
func TestKeyStays(t *testing.T) {
	t.Parallel()
	var told atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told.Store(true) }))
	defer other.Close()
	c, asked := answers(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	_, err := c.Usage(t.Context())
	require.ErrorContains(t, err, "leads to another")
	require.False(t, told.Load())
	require.EqualValues(t, 1, asked.Load())
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", *c), fmt.Sprintf("%+v", *c), err.Error()} {
		require.NotContains(t, text, "lb_secret")
	}
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, nobody.Close())
	_, err = client.New("http://"+nobody.Addr().String(), "lb_secret", client.WithRetries(1, 0)).Usage(t.Context())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "lb_secret")
	require.False(t, errors.As(err, new(*client.Error)))
}

// TestNewerServer: fields that this client does not know are no fault.
func TestNewerServer(t *testing.T) {
	t.Parallel()
	c, _ := answers(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"plan":"pro","colour":"blue","limits":{"requests_per_minute":300,"lives":9}}`)
	})
	u, err := c.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, 300, u.Limits.RequestsPerMinute)
	c, _ = answers(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"not_found","message":"no such route: /v1/archive"}`)
	})
	_, err = c.Archive(t.Context(), "")
	require.ErrorContains(t, err, "no such route: /v1/archive")
}

// canned answers every request with one text.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: r, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}
