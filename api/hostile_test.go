package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/market"
)

// TestDeepBodies: a body nested deeply is refused at once and in little memory, and
// the answer does not send it back.
func TestDeepBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := strings.Repeat("k", 25_000)
	for name, body := range map[string]string{
		"arrays":         strings.Repeat("[", 60_000),
		"closed arrays":  strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000),
		"objects":        strings.Repeat(`{"a":`, 12_000),
		"in strategy":    `{"strategy":` + strings.Repeat("[", 60_000),
		"in options":     `{"prompt":"x","options":{"a":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}}`,
		"33 levels":      strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33),
		"a long key":     `{"` + long + `":1,"` + long + `":2}`,
		"an unknown key": `{"prompt":"x","` + long + `":1}`,
		"many digits":    `{"prompt":"x","budget":0.` + strings.Repeat("1", 50_000) + `}`,
	} {
		for _, path := range []string{"/v1/ai/parse", backtestPath} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			a := w.do(t, request{method: http.MethodPost, path: path, plan: "pro", body: body})
			runtime.ReadMemStats(&after)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.status, "%s: %.200s", name, a.body)
			require.Less(t, len(a.body), 1000, "%s is sent back", name)
			require.Less(t, time.Since(began), time.Minute, name)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<20), "%s: memory taken, with what runs beside it", name)
		}
	}
	message := w.do(t, request{method: http.MethodPost, path: backtestPath, plan: "pro", body: strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33)}).fails(t, 400, "bad_request")
	require.Equal(t, "body: nested deeper than 32 levels", message)
	// What stood twice is still named where it stands.
	for body, want := range map[string]string{
		`{"prompt":"x","prompt":"y"}`:                     "prompt: the key stands twice",
		`{"options":{"seed":1,"seed":2}}`:                 "options.seed: the key stands twice",
		`{"strategy":{"entry":[{},{"type":1,"type":2}]}}`: "strategy.entry[1].type: the key stands twice",
		`{"a":[[1,{"":1,"":2}]]}`:                         "a[0][1].: the key stands twice",
		`{"prompt":"x"} {}`:                               "body: something follows the JSON object",
		`{"prompt":"x"`:                                   "body: not valid JSON",
		`"prompt"`:                                        "body: expected a JSON object",
	} {
		require.Equal(t, want, w.do(t, request{method: http.MethodPost, path: backtestPath, plan: "pro", body: body}).fails(t, 400, "bad_request"), body)
	}
}

// TestManyTags: at most 50 tags, and those are found.
func TestManyTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	tags := func(n int) string {
		q := url.Values{"tags_match": {"any"}, "include_closed": {"true"}}
		for i := range n - 1 {
			q.Add("tags", fmt.Sprintf("t%d", i))
		}
		q.Add("tags", "nba")
		return "?" + q.Encode()
	}
	for _, list := range []string{"/v1/markets", "/v1/events", "/v1/series"} {
		require.Equal(t, http.StatusOK, w.get(t, list+tags(50)).status)
		require.Equal(t, []string{"query.tags:too_long"}, w.get(t, list+tags(51)).types(t))
		require.Equal(t, []string{"query.tags:too_long"}, w.get(t, list+tags(2000)).types(t))
		require.Equal(t, []string{"query.tags:too_long"}, w.get(t, list+"?tags=nba"+strings.Repeat("&tags=", 50)).types(t), "empty ones count")
	}
	count := func(query string) int {
		var p struct{ Metadata struct{ Count int } }
		w.get(t, "/v1/markets"+query).json(t, &p)
		return p.Metadata.Count
	}
	one := count("?tags=nba&include_closed=true")
	require.Positive(t, one)
	require.Equal(t, one, count(tags(50)), "any of them")
	require.Equal(t, one, count("?tags=nba,sports&include_closed=true"), "all of them")
	require.Zero(t, count("?tags=nba,sports,none&include_closed=true"))
}

// stuckCatalogue answers a list of tags only when nobody waits for it any more.
type stuckCatalogue struct {
	api.Catalogue
	entered chan struct{}
}

func (c *stuckCatalogue) Tags(ctx context.Context, _ market.Category) ([]string, error) {
	c.entered <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestClientThatGoesAway: a request whose client has gone is a 499 in the log and
// the metrics, and no error.
func TestClientThatGoesAway(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	stuck := &stuckCatalogue{entered: make(chan struct{})}
	w := newWorld(t, func(c *api.Config) {
		stuck.Catalogue = c.Catalogue
		c.Catalogue, c.Log = stuck, slog.New(slog.NewJSONHandler(&log, nil))
	})
	const gone = 20
	for range gone {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/v1/tags", nil)
		require.NoError(t, err)
		r.Header.Set("X-API-Key", w.keys["enterprise"])
		go func() { <-stuck.entered; cancel() }()
		_, err = http.DefaultClient.Do(r) //nolint:bodyclose // there is none
		require.ErrorIs(t, err, context.Canceled)
	}
	scrape := func() string {
		rec := httptest.NewRecorder()
		w.api.MetricsHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return rec.Body.String()
	}
	want := fmt.Sprintf(`ladderback_request_seconds_count{method="GET",route="/v1/tags",status="499"} %d`, gone)
	require.Eventually(t, func() bool { return strings.Contains(scrape(), want) }, time.Minute, 10*time.Millisecond, scrape())
	require.NotContains(t, scrape(), `status="500"`)
	require.NotContains(t, scrape(), `status="503"`)
	require.Eventually(t, func() bool { return strings.Count(log.String(), `"status":499`) == gone }, time.Minute, 10*time.Millisecond,
		"each is logged after it was counted")
	require.NotContains(t, log.String(), `"level":"ERROR"`)
	require.NotContains(t, log.String(), `"level":"WARN"`)
}

// syncBuffer is a buffer for several writers.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestRefusalSaysWhatCanBeRead: the rewrite and the phrases are fields of their own.
func TestRefusalSaysWhatCanBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.do(t, request{method: http.MethodPost, path: "/v1/ai/parse", plan: "pro", body: `{"prompt":"Buy BTC 5m Up below 45%"}`})
	a.fails(t, 400, "unsupported_signal")
	var e struct {
		Message, Suggestion string
		At                  []struct {
			Start, End    int
			Text, Message string
		}
	}
	require.NoError(t, json.Unmarshal(a.body, &e))
	require.Len(t, e.At, 1)
	require.Equal(t, "45%", e.At[0].Text)
	require.Equal(t, "45%", "Buy BTC 5m Up below 45%"[e.At[0].Start:e.At[0].End])
	require.NotEmpty(t, e.At[0].Message)
	again := w.do(t, request{method: http.MethodPost, path: "/v1/ai/parse", plan: "pro", body: `{"prompt":"` + e.Suggestion + `"}`})
	require.Equal(t, http.StatusOK, again.status, "what is suggested can be read: %s", again.body)
}

// TestHeaderThatIsNotTaken: a good key in the wrong header is told as that.
func TestHeaderThatIsNotTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.do(t, request{method: http.MethodPost, path: backtestPath, plan: "-", header: http.Header{"X-Api-Key": {w.keys["pro"]}}, body: promptBody})
	require.Contains(t, a.fails(t, 401, "unauthorized"), "X-API-Key is not accepted on this route")
}

// TestIgnoredParameters: a parameter that the route does not know is ignored, and
// the answer says so.
func TestIgnoredParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.get(t, "/v1/markets?tag=nba&format=csv&limit=1&"+url.QueryEscape("a\nb, c")+"=1")
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, "a%0Ab%2C+c, format, tag", a.header.Get("X-Ignored-Parameters"))
	require.Empty(t, w.get(t, "/v1/markets?tags=nba&limit=1").header.Get("X-Ignored-Parameters"))
}

// TestHome leads a browser to the documentation, and nobody else.
func TestHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.do(t, request{path: "/", plan: "-"}).fails(t, 404, "not_found")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/", nil)
	require.NoError(t, err)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	resp, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusFound, resp.StatusCode)
	require.Equal(t, "/docs", resp.Header.Get("Location"))
}

// TestFreshnessAndBuild: what an alert on stale captures needs.
func TestFreshnessAndBuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Version, c.Revision = "9.9.9", "abc" })
	rec := httptest.NewRecorder()
	w.api.MetricsHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	marks, err := w.archive.Watermarks(t.Context(), "")
	require.NoError(t, err)
	require.NotEmpty(t, marks)
	for category := range marks {
		require.Contains(t, rec.Body.String(), fmt.Sprintf("ladderback_watermark_seconds{category=%q} 1.77", category))
	}
	require.Contains(t, rec.Body.String(), `ladderback_build_info{go_version="`+runtime.Version()+`",revision="abc",version="9.9.9"} 1`)
	require.Contains(t, rec.Body.String(), "go_goroutines ")
}
