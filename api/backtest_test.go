package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
)

const (
	backtestPath = "/v1/ai/backtest"
	promptBody   = `{"prompt":"Buy BTC 5m Up when the price is below 0.45, take profit at 0.7","sampleSize":4}`
)

func post(body string) request {
	return request{method: http.MethodPost, path: backtestPath, body: body, plan: "pro"}
}

func TestBacktest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.do(t, post(promptBody))
	require.Equal(t, 200, a.status, "%s", a.body)
	// The same bytes as the engine gives without HTTP.
	size := 4
	parsed, refusal := parser.Parse(t.Context(), nil, "Buy BTC 5m Up when the price is below 0.45, take profit at 0.7", parser.Overrides{SampleSize: &size})
	require.Nil(t, refusal)
	body := &backtest.Body{Prompt: "Buy BTC 5m Up when the price is below 0.45, take profit at 0.7", Strategy: parsed.Strategy,
		Source: parsed.Source, Note: parsed.Note, Parse: &parsed.Trace}
	var err error
	body.Report, err = backtest.Run(t.Context(), w.archive, body.Strategy, backtest.DefaultOptions(), replay.Parallel{Workers: 1})
	require.NoError(t, err)
	var want strings.Builder
	require.NoError(t, body.WriteJSON(&want))
	require.Equal(t, want.String(), string(a.body))

	// The strategy as an object gives the same report, without a trace.
	text, err := json.Marshal(parsed.Strategy)
	require.NoError(t, err)
	a = w.do(t, post(`{"strategy":`+string(text)+`,"prompt":null,"options":{"include":["fills","fills"],"seed":-9223372036854775808,"baseline":false}}`))
	var got map[string]any
	a.json(t, &got)
	require.NotContains(t, got, "parse")
	require.NotContains(t, got, "note")
	require.Equal(t, "rules", got["source"])
	require.Contains(t, got["prompt"], "Buy Up on BTC 5m markets")
	require.Equal(t, []any{"fills"}, got["report"].(map[string]any)["options"].(map[string]any)["include"])

	a = w.do(t, request{method: http.MethodPost, path: "/v1/ai/parse", plan: "pro", body: promptBody})
	got = nil
	a.json(t, &got)
	require.NotContains(t, got, "report")
	require.Contains(t, got, "parse")

	var conditions struct {
		Count  int              `json:"count"`
		Data   []map[string]any `json:"data"`
		Orders []map[string]any `json:"orders"`
	}
	w.do(t, request{path: "/v1/ai/conditions", plan: "starter"}).json(t, &conditions)
	require.Len(t, conditions.Data, conditions.Count)
	require.Equal(t, 10, conditions.Count)
	require.Len(t, conditions.Orders, 13)
	require.Equal(t, "since_entry", conditions.Orders[12]["type"])
}

func TestBacktestBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for body, field := range map[string]string{
		``: "body", `[]`: "body", `"x"`: "body", `null`: "body", `{`: "body", `{} {}`: "body", "{\"prompt\":\"\xff\"}": "UTF-8",
		`{}`: "prompt", `{"prompt":null}`: "prompt", `{"prompt":"buy BTC up","strategy":{}}`: "strategy",
		`{"prompt":"a","prompt":"b"}`: "prompt", `{"prompt":"buy BTC up at 40c","options":{"seed":1,"seed":2}}`: "seed",
		`{"prompt":"buy BTC up at 40c","options":[]}`: "options", `{"strategy":[]}`: "strategy", `{"strategy":{"market":{}}}`: "strategy.",
		`{"strategy":7}`: "strategy", `{"prompt":"buy BTC up at 40c","options":{"from":"x"}}`: "from",
		`{"prompt":"buy BTC up at 40c","options":{"from":"2026-01-02","to":"2026-01-01"}}`: "to",
	} {
		require.Contains(t, w.do(t, post(body)).fails(t, 400, "bad_request"), field, body)
	}
	for body, want := range map[string][]string{
		`{"prompt":"` + strings.Repeat("é", 2001) + `","sampleSize":0,"budget":0,"extra":1}`: {"body.prompt:string_too_long", "body.sampleSize:greater_than_equal", "body.budget:greater_than", "body.extra:extra_forbidden"},
		`{"prompt":""}`: {"body.prompt:string_too_short"}, `{"prompt":5}`: {"body.prompt:string_type"},
		`{"prompt":"x","sampleSize":"5"}`: {"body.sampleSize:int_type"}, `{"prompt":"x","sampleSize":1.5}`: {"body.sampleSize:int_type"},
		`{"prompt":"x","sampleSize":10001,"budget":1000000.5}`: {"body.sampleSize:less_than_equal", "body.budget:less_than_equal"},
		`{"prompt":"x","budget":"5"}`:                          {"body.budget:float_type"},
		`{"prompt":"x","sampleSize":true}`:                     {"body.sampleSize:int_type"},
		`{"prompt":"x","options":{"sampling":"best","seed":"1","latency_ms":-1,"stale_ms":1.5,"fees":1,"winners":"all","baseline":"yes","include":["x"],"max_slippage":"all","nonsense":0}}`: {
			"body.options.baseline:bool_parsing", "body.options.fees:enum", "body.options.include.0:enum", "body.options.latency_ms:greater_than_equal",
			"body.options.max_slippage:float_type", "body.options.nonsense:extra_forbidden", "body.options.sampling:enum", "body.options.seed:int_type",
			"body.options.stale_ms:int_type", "body.options.winners:enum",
		},
		`{"prompt":"x","options":{"min_coverage":1.1}}`:   {"body.options.min_coverage:less_than_equal"},
		`{"prompt":"x","options":{"min_coverage":-0.1}}`:  {"body.options.min_coverage:greater_than_equal"},
		`{"prompt":"x","options":{"min_coverage":"0.9"}}`: {"body.options.min_coverage:float_type"},
	} {
		require.ElementsMatch(t, want, w.do(t, post(body)).types(t), body)
	}
	w.do(t, post(`{"prompt":"Buy BTC up when bitcoin is above $70,000"}`)).fails(t, 400, "unsupported_signal")
	w.do(t, post(`{"prompt":"`+strings.Repeat("x", 64<<10)+`"}`)).fails(t, 413, "payload_too_large")
	w.do(t, request{method: http.MethodPost, path: "/v1/ai/parse", plan: "pro", body: `{}`}).invalid(t)
}

// slowRounds is a source in which nothing happens until it is let go.
type slowRounds struct {
	replay.Source
	started chan struct{}
	release chan struct{}
	stopped atomic.Int32
}

func (s *slowRounds) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	select {
	case s.started <- struct{}{}:
	default:
	}
	select {
	case <-s.release:
	case <-ctx.Done():
		s.stopped.Add(1)
		return func(yield func(*market.Capture, error) bool) { yield(nil, ctx.Err()) }
	}
	return s.Source.Captures(ctx, m)
}

func TestTooManyRuns(t *testing.T) {
	t.Parallel()
	slow := &slowRounds{started: make(chan struct{}, 1), release: make(chan struct{})}
	w := newWorld(t, func(c *api.Config) {
		slow.Source = c.Rounds
		c.Rounds, c.Runs, c.QueuedRuns, c.RunWorkers = slow, 1, 1, 1
	})
	results := make(chan sent, 2)
	for range 2 {
		go func() { results <- w.send(t.Context(), post(promptBody)) }()
	}
	<-slow.started
	require.Eventually(t, func() bool {
		return strings.Contains(w.measured(), `ladderback_backtests{state="waiting"} 1`)
	}, time.Minute, time.Millisecond, "the second run waits")
	a := w.do(t, post(promptBody))
	a.fails(t, 429, "rate_limited")
	require.NotEmpty(t, a.header.Get("Retry-After"))
	require.Contains(t, w.measured(), "ladderback_backtests_refused_total 1")
	close(slow.release)
	for range 2 {
		require.Equal(t, 200, w.check(t, <-results).status)
	}
}

// TestClientLeaves: the work ends when nobody waits for it any more, whoever asked.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(context.Context, *world) error{
		"http": func(ctx context.Context, w *world) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+backtestPath, strings.NewReader(promptBody))
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+w.keys["pro"])
			_, err = http.DefaultClient.Do(r) //nolint:bodyclose // it fails
			return err
		},
		"client": func(ctx context.Context, w *world) error {
			q := client.Request{Prompt: "Buy BTC 5m Up when the price is below 0.45, take profit at 0.7", SampleSize: 4}
			_, err := client.New(w.url, w.keys["pro"]).Backtest(ctx, q, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slow := &slowRounds{started: make(chan struct{}, 1), release: make(chan struct{})}
			w := newWorld(t, func(c *api.Config) {
				slow.Source = c.Rounds
				c.Rounds, c.RunWorkers = slow, 1
			})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-slow.started
				cancel()
			}()
			require.ErrorIs(t, ask(ctx, w), context.Canceled)
			require.Eventually(t, func() bool { return slow.stopped.Load() > 0 }, time.Minute, 5*time.Millisecond, "the run ends with its client")
		})
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ask := func(body string) *answer {
		q := post(body)
		q.header = http.Header{"Accept": {"text/event-stream"}}
		return w.do(t, q)
	}
	a := ask(promptBody)
	require.Equal(t, 200, a.status)
	require.Equal(t, "text/event-stream", a.header.Get("Content-Type"))
	plain := w.do(t, post(promptBody))
	events := eventsOf(t, string(a.body))
	require.GreaterOrEqual(t, len(events), 2)
	for _, e := range events[:len(events)-1] {
		require.Equal(t, "progress", e[0])
		var p struct{ Done, Total int }
		require.NoError(t, json.Unmarshal([]byte(e[1]), &p))
		require.GreaterOrEqual(t, p.Total, 4, "the baseline counts too")
	}
	last := events[len(events)-1]
	require.Equal(t, "result", last[0])
	require.Equal(t, strings.TrimSuffix(string(plain.body), "\n"), last[1])
	for accept, media := range map[string]string{
		"application/json, text/event-stream": "text/event-stream", "text/event-stream, */*;q=0.1": "text/event-stream",
		"application/json, text/event-stream;q=0.5": "application/json", "text/event-stream;q=0": "application/json",
		"*/*": "application/json", "text/*": "application/json",
	} {
		q := post(promptBody)
		q.header = http.Header{"Accept": {accept}}
		require.Equal(t, media, w.do(t, q).header.Get("Content-Type"), accept)
	}
	// A refusal before the run is ordinary JSON.
	ask(`{"prompt":"x","sampleSize":0}`).invalid(t)
}

// brokenRounds is a source that fails midway.
type brokenRounds struct{ replay.Source }

func (b brokenRounds) Captures(context.Context, *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) { yield(nil, io.ErrUnexpectedEOF) }
}

func TestRunFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Rounds = brokenRounds{c.Rounds} })
	a := w.do(t, post(promptBody))
	msg := a.fails(t, 500, "internal_error")
	require.Contains(t, msg, a.header.Get("X-Request-Id"))
	require.NotContains(t, msg, "EOF")
	q := post(promptBody)
	q.header = http.Header{"Accept": {"text/event-stream"}}
	a = w.do(t, q)
	events := eventsOf(t, string(a.body))
	last := events[len(events)-1]
	require.Equal(t, "error", last[0])
	require.Contains(t, last[1], `{"error":"internal_error","message":`)
	require.Contains(t, last[1], a.header.Get("X-Request-Id"))
}

// panicking is a source whose look-ups panic.
type panicking struct{ replay.Source }

func (panicking) Rounds(context.Context, market.RoundFilter) ([]market.Round, error) {
	panic("a secret of the inside")
}

func TestPanics(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Rounds = panicking{c.Rounds} })
	a := w.do(t, post(promptBody))
	require.Contains(t, a.fails(t, 500, "internal_error"), a.header.Get("X-Request-Id"))
	require.NotContains(t, string(a.body), "secret")
}

// eventsOf returns name and data of each event.
func eventsOf(t testing.TB, text string) [][2]string {
	t.Helper()
	var out [][2]string
	for block := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		s := bufio.NewScanner(strings.NewReader(block))
		s.Buffer(nil, 16<<20)
		var lines []string
		for s.Scan() {
			lines = append(lines, s.Text())
		}
		require.Len(t, lines, 2, "%s", block)
		name, ok := strings.CutPrefix(lines[0], "event: ")
		require.True(t, ok, block)
		data, ok := strings.CutPrefix(lines[1], "data: ")
		require.True(t, ok, block)
		out = append(out, [2]string{name, data})
	}
	return out
}

// measured returns what Prometheus is told.
func (w *world) measured() string {
	rec := httptest.NewRecorder()
	w.api.MetricsHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return rec.Body.String()
}
