package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
)

// scrape reads the metrics as Prometheus does: values by series.
func (w *world) scrape(t testing.TB) map[string]float64 {
	t.Helper()
	rec := httptest.NewRecorder()
	w.api.MetricsHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, rec.Code)
	out := map[string]float64{}
	for line := range strings.Lines(rec.Body.String()) {
		if series, value, ok := strings.Cut(strings.TrimSpace(line), "} "); ok || !strings.HasPrefix(line, "#") {
			if ok {
				series += "}"
			} else {
				series, value, _ = strings.Cut(strings.TrimSpace(line), " ")
			}
			v, err := strconv.ParseFloat(value, 64)
			require.NoError(t, err, line)
			out[series] = v
		}
	}
	return out
}

// TestMetrics sees what is counted, and that no request makes a label of its own.
func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for range 3 {
		require.Equal(t, 200, w.get(t, "/v1/markets/three/metrics?"+window).status)
	}
	for range 61 {
		w.do(t, request{path: "/v1/tags", plan: "starter"})
	}
	m := w.scrape(t)
	require.InDelta(t, 3, m[`ladderback_request_seconds_count{method="GET",route="/v1/markets/{id_or_slug}/metrics",status="200"}`], 0)
	require.InDelta(t, 1, m[`ladderback_request_seconds_count{method="GET",route="/v1/tags",status="429"}`], 0)
	require.InDelta(t, 30, m[`ladderback_points_total{kind="metrics"}`], 0)
	require.InDelta(t, 1, m[`ladderback_limited_total{window="minute"}`], 0)
	require.Contains(t, m, `ladderback_connections_used{pool="archive"}`)
	require.Positive(t, m[`ladderback_connections_most{pool="archive"}`])
	require.Positive(t, m[`ladderback_connections_most{pool="access"}`])
	require.Contains(t, m, `ladderback_backtests{state="running"}`)
	require.Contains(t, m, `ladderback_backtests{state="waiting"}`)
	require.Contains(t, m, "ladderback_requests_in_flight")

	before := len(m)
	send := func(method, path string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Method, r.URL.Path = method, path
		w.api.ServeHTTP(httptest.NewRecorder(), r)
	}
	for i := range 300 {
		n := strconv.Itoa(i)
		send("M"+n, "/v1/markets")
		send(http.MethodGet, "/v1/nothing/"+n)
		send(http.MethodGet, "/"+n)
		send(http.MethodGet, "/v1/markets/"+n)
		send(http.MethodDelete, "/v1/tokens/"+n+"/books")
		send("M"+n, "/"+n)
	}
	m = w.scrape(t)
	routes, methods := labels(m, "route"), labels(m, "method")
	const buckets = 20 // series of a histogram, about
	require.Less(t, len(m)-before, 6*buckets, "routes: %v", routes)
	require.Equal(t, []string{"GET", "other"}, methods)
	for _, route := range routes {
		require.True(t, route == "none" || slices.Contains(w.api.Routes(), "GET "+route) || slices.Contains(w.api.Routes(), "POST "+route), route)
	}
}

// labels returns the values that a label has.
func labels(m map[string]float64, name string) []string {
	label := regexp.MustCompile(`[{,]` + name + `="([^"]*)"`)
	var out []string
	for series := range m {
		if found := label.FindStringSubmatch(series); found != nil && !slices.Contains(out, found[1]) {
			out = append(out, found[1])
		}
	}
	slices.Sort(out)
	return out
}

// TestCrossOrigin sees which pages of other origins may read answers.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	const ours, theirs = "https://app.example.com", "https://evil.example.com"
	w := newWorld(t, func(c *api.Config) { c.CORSOrigins = []string{ours, "http://localhost:3000"} })
	from := func(w *world, method, path, origin, asks string) *answer {
		h := http.Header{"Origin": {origin}}
		if asks != "" {
			h["Access-Control-Request-Method"] = []string{asks}
			h["Access-Control-Request-Headers"] = []string{"authorization,x-api-key"}
		}
		return w.do(t, request{method: method, path: path, header: h})
	}
	allowed := func(a *answer) string { return a.header.Get("Access-Control-Allow-Origin") }
	const path = "/v1/markets/three/prices?" + window
	a := from(w, http.MethodGet, path, ours, "")
	require.Equal(t, 200, a.status)
	require.Equal(t, ours, allowed(a))
	require.Contains(t, a.header.Values("Vary"), "Origin")
	exposed := strings.ToLower(a.header.Get("Access-Control-Expose-Headers"))
	for _, name := range []string{"ETag", "Retry-After", "X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		require.Contains(t, exposed, strings.ToLower(name))
	}
	require.Equal(t, ours, allowed(from(w, http.MethodGet, "/v1/markets/nobody", ours, "")), "errors can be read too")
	require.Equal(t, ours, allowed(w.do(t, request{path: path, plan: "-", header: http.Header{"Origin": {ours}}})), "and a 401")

	for _, origin := range []string{theirs, "null", "https://app.example.com.evil.com", "http://app.example.com", ours + ":8443", ours + "/"} {
		a = from(w, http.MethodGet, path, origin, "")
		require.Equal(t, 200, a.status)
		require.Empty(t, allowed(a), origin)
		require.Contains(t, a.header.Values("Vary"), "Origin", "what is answered to one origin is not for another")
		require.Empty(t, allowed(from(w, http.MethodOptions, path, origin, "GET")), origin)
	}
	require.Contains(t, w.get(t, path).header.Values("Vary"), "Origin")

	// Before a request with a key a browser asks whether it may.
	for _, asked := range []string{path, "/v1/ai/backtest", "/v1/usage"} {
		a = preflight(t, w, asked, ours, http.MethodPost, "authorization,x-api-key")
		require.Equal(t, http.StatusOK, a.status)
		require.Equal(t, ours, allowed(a))
		require.Equal(t, "POST", a.header.Get("Access-Control-Allow-Methods"))
		require.Equal(t, "Authorization, X-Api-Key", a.header.Get("Access-Control-Allow-Headers"))
	}

	// What the routes of runs take besides.
	a = preflight(t, w, "/v1/ai/backtests/x", ours, http.MethodDelete, "authorization,idempotency-key,last-event-id")
	require.Equal(t, ours, allowed(a))
	require.Equal(t, "DELETE", a.header.Get("Access-Control-Allow-Methods"))
	require.Empty(t, allowed(preflight(t, w, path, ours, http.MethodPut, "authorization")))
	require.Empty(t, allowed(preflight(t, w, path, ours, http.MethodPost, "cookie")))
	require.Contains(t, exposed, "location")
	require.Contains(t, exposed, "idempotency-replayed")

	any := newWorld(t, func(c *api.Config) { c.CORSOrigins = []string{"*"} })
	a = from(any, http.MethodGet, path, theirs, "")
	require.Equal(t, "*", allowed(a))
	for _, w := range []*world{w, any} {
		require.Empty(t, from(w, http.MethodGet, path, ours, "").header.Get("Access-Control-Allow-Credentials"), "no cookies")
		require.Empty(t, preflight(t, w, path, ours, http.MethodPost, "authorization,x-api-key").header.Get("Access-Control-Allow-Credentials"))
	}
	// None unless configured.
	none := newWorld(t, nil)
	require.Empty(t, allowed(from(none, http.MethodGet, path, ours, "")))
	from(none, http.MethodOptions, path, ours, "GET").fails(t, 405, "method_not_allowed")
}

func preflight(t *testing.T, w *world, path, origin, method, headers string) *answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, w.url+path, nil)
	require.NoError(t, err)
	r.Header = http.Header{"Origin": {origin}, "Access-Control-Request-Method": {method}, "Access-Control-Request-Headers": {headers}}
	resp, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return &answer{resp.StatusCode, resp.Header, body}
}

// TestNothingOfAProxyIsTrusted sends what proxies say of a client: an answer
// does not depend on it.
func TestNothingOfAProxyIsTrusted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	says := http.Header{
		"X-Forwarded-For": {"10.0.0.1"}, "X-Forwarded-Host": {"evil.example.com"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Prefix": {"/evil"},
		"Forwarded": {"for=10.0.0.1;host=evil.example.com"}, "X-Real-Ip": {"10.0.0.1"}, "X-Request-Id": {"evil"}, "X-Http-Method-Override": {"DELETE"},
		"X-Original-Url": {"/metrics"}, "X-Rewrite-Url": {"/metrics"},
	}
	for _, path := range []string{"/v1/tags", "/v1/markets/nobody", "/v1/nothing", "/docs", "/openapi.json"} {
		plain, proxied := w.get(t, path), w.do(t, request{path: path, header: says})
		require.Equal(t, plain.status, proxied.status)
		require.Equal(t, string(plain.body), string(proxied.body))
		for name, values := range proxied.header {
			require.NotContains(t, strings.Join(values, ","), "evil", name)
		}
	}
}
