package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/market"
)

// window is a valid query of a history route within the sports markets.
const window = "start_ts=2026-04-01T12:00:00Z&end_ts=2026-04-01T12:10:00Z&resolution=1m"

func TestDocumentRefuses(t *testing.T) {
	t.Parallel()
	doc, err := document()
	require.NoError(t, err)
	for name, v := range map[string]any{
		"Metadata":    map[string]any{"count": 1.0, "limit": 1.0},
		"PricePoint":  map[string]any{"t": "2026-04-01T12:00:00Z", "p": nil},
		"TokenPrices": map[string]any{"market_id": "a", "token_id": "b", "token_label": "c", "resolution": "2s", "data": []any{}, "metadata": map[string]any{"count": 0.0, "limit": 1.0, "next_cursor": nil}},
		"Book":        map[string]any{"t": "2026-04-01T12:00:00Z", "bids": []any{[]any{0.5}}, "asks": []any{}},
	} {
		require.Error(t, visit(doc.Components.Schemas[name].Value, v), name)
	}
}

func TestRoutesAndMethods(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.Contains(t, w.do(t, request{path: "/v1/nothing", plan: "-"}).fails(t, 404, "not_found"), "/v1/nothing")
	w.do(t, request{path: "/v1/markets/a/b/c", plan: "-"}).fails(t, 404, "not_found")
	for path, allow := range map[string]string{
		"/v1/markets": "GET, HEAD", "/v1/markets/a%2Fb": "GET, HEAD", "/v1/tokens/x/books": "GET, HEAD",
		"/v1/ai/backtest": "POST", "/v1/ai/parse": "POST", "/v1/usage": "GET, HEAD",
	} {
		method := http.MethodDelete
		a := w.do(t, request{method: method, path: path, plan: "-"})
		a.fails(t, 405, "method_not_allowed")
		require.Equal(t, allow, a.header.Get("Allow"), path)
	}
	a := w.do(t, request{path: "/v1/ai/backtest"})
	a.fails(t, 405, "method_not_allowed")
	// HEAD is GET without the body.
	for _, path := range []string{"/v1/markets", "/v1/markets/three/prices?" + window, "/v1/health"} {
		get := w.get(t, path)
		head := w.do(t, request{method: http.MethodHead, path: path})
		require.Equal(t, get.status, head.status)
		require.Empty(t, head.body)
		for _, h := range []string{"Content-Type", "Content-Length", "ETag"} {
			require.Equal(t, get.header.Get(h), head.header.Get(h), "%s %s", path, h)
		}
	}
	for _, path := range []string{"/v1/health", "/healthz", "/readyz"} {
		w.do(t, request{path: path, plan: "-"})
	}
	require.JSONEq(t, `{"status":"ok"}`, string(w.do(t, request{path: "/v1/health", plan: "-"}).body))
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	key := w.keys["pro"]
	paths := []string{"/v1/markets", "/v1/markets/three", "/v1/series", "/v1/events", "/v1/tags", "/v1/usage", "/v1/ai/conditions",
		"/v1/markets/three/prices", "/v1/markets/three/books", "/v1/markets/three/metrics", "/v1/tokens/three-0/prices", "/v1/tokens/three-0/books"}
	for _, path := range paths {
		for name, header := range map[string]http.Header{
			"none": nil, "JWT": {"Authorization": {"Bearer " + jwt}}, "JWT as key": {"X-Api-Key": {jwt}},
			"two": {"X-Api-Key": {key}, "Authorization": {"Bearer " + w.keys["scale"]}}, "bad key": {"X-Api-Key": {"x"}, "Authorization": {"Bearer " + key}},
			"empty": {"X-Api-Key": {""}, "Authorization": {"Bearer " + key}}, "empty too": {"X-Api-Key": {key}, "Authorization": {""}},
			"two bearers": {"Authorization": {"Bearer " + key, "Bearer " + w.keys["scale"]}},
			"typo":        {"X-Api-Key": {key[:len(key)-1] + "!"}}, "basic": {"Authorization": {"Basic " + key}},
		} {
			a := w.do(t, request{path: path, plan: "-", header: header})
			a.fails(t, 401, "unauthorized")
			require.Equal(t, "Bearer", a.header.Get("WWW-Authenticate"))
			require.NotContains(t, string(a.body), key[:10], name)
		}
	}
	for _, header := range []http.Header{{"X-Api-Key": {key}}, {"Authorization": {"Bearer " + key}}, {"Authorization": {"bearer " + key}},
		{"X-Api-Key": {key}, "Authorization": {"Bearer " + key}}} {
		require.Equal(t, 200, w.do(t, request{path: "/v1/tags", plan: "-", header: header}).status)
	}
	// The backtest takes the Authorization header only.
	a := w.do(t, request{method: http.MethodPost, path: "/v1/ai/backtest", plan: "-", header: http.Header{"X-Api-Key": {key}}, body: "{}"})
	a.fails(t, 401, "unauthorized")
	// A revoked key stops within seconds.
	_, err := w.guard.Revoke(t.Context(), key)
	require.NoError(t, err)
	w.clock.add(5 * time.Second)
	w.do(t, request{path: "/v1/tags", plan: "pro"}).fails(t, 401, "unauthorized")
}

func TestPlans(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	post := func(plan, path, body string) *answer {
		return w.do(t, request{method: http.MethodPost, path: path, plan: plan, body: body})
	}
	post("starter", "/v1/ai/backtest", "no JSON").fails(t, 403, "plan_required")
	require.Equal(t, 200, post("starter", "/v1/ai/parse", promptBody).status, "the rules are for every plan")
	msg := post("pro", "/v1/ai/backtest", `{"prompt":"buy BTC up at 40c","sampleSize":1001}`).fails(t, 403, "forbidden")
	require.Contains(t, msg, "1000")

	coarse := func(path string) *answer { return w.do(t, request{path: path, plan: "coarse"}) }
	coarse("/v1/markets/three/books?"+window).fails(t, 403, "forbidden")
	msg = coarse("/v1/markets/three/prices?"+strings.Replace(window, "=1m", "=30s", 1)).fails(t, 403, "forbidden")
	require.Contains(t, msg, "1m")
	require.Equal(t, 200, coarse("/v1/markets/three/prices?"+strings.Replace(window, "=1m", "=60s", 1)).status)

	// The window counts back from the watermark of the market's category.
	marks, err := w.archive.Watermarks(t.Context(), "")
	require.NoError(t, err)
	require.Greater(t, marks[market.Sports], marks[market.Crypto])
	starter := func(path string) *answer { return w.do(t, request{path: path, plan: "starter"}) }
	for id, mark := range map[string]market.Instant{"three": marks[market.Sports], "nobody": marks[market.Crypto]} {
		first := mark - 3*market.Day
		early := historyPath("markets/"+id+"/prices", windowOf(first-1, first+market.Minute), "1m")
		require.Contains(t, starter(early).fails(t, 403, "forbidden"), first.String())
		on := starter(historyPath("markets/"+id+"/prices", windowOf(first, first+market.Minute), "1m"))
		if id == "three" {
			require.Equal(t, 200, on.status)
		} else {
			on.fails(t, 404, "not_found")
		}
	}
	sports := historyPath("markets/nobody/prices", windowOf(marks[market.Sports]-3*market.Day-1, marks[market.Sports]), "1m") + "&category=sports"
	starter(sports).fails(t, 403, "forbidden")
	require.Equal(t, 200, w.get(t, "/v1/markets/three/prices?start_ts=0&end_ts=1&resolution=1d").status, "no window on Enterprise")
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	starter := func(path string) *answer { return w.do(t, request{path: path, plan: "starter"}) }
	a := starter("/v1/tags")
	require.Equal(t, "60", a.header.Get("X-RateLimit-Limit"))
	require.Equal(t, "59", a.header.Get("X-RateLimit-Remaining"))
	require.Equal(t, "1777636860", a.header.Get("X-RateLimit-Reset"))
	for range 59 {
		require.Equal(t, 200, starter("/v1/tags").status)
	}
	a = starter("/v1/markets?limit=nonsense")
	require.Contains(t, a.fails(t, 429, "rate_limited"), "60")
	require.Equal(t, "50", a.header.Get("Retry-After"))
	require.Equal(t, "0", a.header.Get("X-RateLimit-Remaining"))
	// Usage is answered all the same, and does not count.
	var u struct {
		Plan         string `json:"plan"`
		Organization string `json:"organization"`
		Limits       struct {
			PerMinute int    `json:"requests_per_minute"`
			Remaining int    `json:"requests_remaining"`
			Finest    string `json:"granularity_allowed"`
			Days      int    `json:"max_history_days"`
		} `json:"limits"`
		ResetAt *int64 `json:"reset_at"`
	}
	starter("/v1/usage").json(t, &u)
	require.Equal(t, "starter", u.Plan)
	require.Equal(t, "acme", u.Organization)
	require.Equal(t, 60, u.Limits.PerMinute)
	require.Zero(t, u.Limits.Remaining)
	require.Equal(t, "250ms", u.Limits.Finest)
	require.Equal(t, 3, u.Limits.Days)
	require.EqualValues(t, 1777636860, *u.ResetAt)
	w.clock.add(50 * time.Second)
	require.Equal(t, 200, starter("/v1/tags").status)

	w.get(t, "/v1/usage").json(t, &u)
	require.Equal(t, 2147483647, u.Limits.PerMinute)
	require.Equal(t, 2147483647, u.Limits.Remaining)
	require.Equal(t, 36500, u.Limits.Days)
	require.Nil(t, u.ResetAt)
	require.Empty(t, w.get(t, "/v1/tags").header.Get("X-RateLimit-Limit"))
}

// TestDailyLimit: the day is counted too, and a minute without a limit says so.
func TestDailyLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	daily := func(path string) *answer { return w.do(t, request{path: path, plan: "daily"}) }
	for range 3 { // refusals count
		a := daily("/v1/markets?limit=nonsense")
		a.invalid(t)
		require.Equal(t, "2147483647", a.header.Get("X-RateLimit-Limit"))
		require.Equal(t, "2147483647", a.header.Get("X-RateLimit-Remaining"))
	}
	a := daily("/v1/tags")
	require.Contains(t, a.fails(t, 429, "rate_limited"), "3 requests per day on plan Daily")
	require.Equal(t, fmt.Sprint(12*3600-10), a.header.Get("Retry-After"), "to midnight UTC")
	var u struct {
		Limits map[string]any `json:"limits"`
	}
	daily("/v1/usage").json(t, &u)
	require.Equal(t, json.Number("2147483647"), u.Limits["requests_per_minute"])
	require.Equal(t, json.Number("2147483647"), u.Limits["requests_remaining"])
	w.clock.add(12 * time.Hour)
	require.Contains(t, daily("/v1/markets/three/prices?start_ts=2026-03-01&end_ts=2026-03-02&resolution=1h").fails(t, 403, "forbidden"), "window of 1 day of plan Daily")
}

func TestHistoryParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.ElementsMatch(t, []string{"query.start_ts:missing", "query.end_ts:missing", "query.resolution:missing", "query.limit:int_parsing", "query.category:enum"},
		w.get(t, "/v1/markets/three/prices?limit=x&category=politics").types(t))
	items := w.get(t, "/v1/tokens/three-0/books?start_ts=1&end_ts=2&resolution=2m").invalid(t)
	require.Len(t, items, 1)
	require.Equal(t, "enum", items[0].Type)
	require.Equal(t, []any{"query", "resolution"}, items[0].Loc)
	require.Equal(t, "Unsupported resolution '2m'. Allowed: 250ms, 1s, 5s, 15s, 30s, 1m, 60s, 5m, 10m, 15m, 1h, 6h, 1d", items[0].Msg)
	for limit, kind := range map[string]string{"0": "greater_than_equal", "-3": "greater_than_equal", "1.5": "int_parsing", "": "int_parsing"} {
		require.Equal(t, []string{"query.limit:" + kind}, w.get(t, "/v1/markets/three/metrics?"+window+"&limit="+limit).types(t))
	}
	long := strings.Repeat("x", 201)
	require.Equal(t, []string{"path.id_or_slug:string_too_long"}, w.get(t, "/v1/markets/"+long).types(t))
	require.Equal(t, []string{"path.token_id:string_too_long"}, w.get(t, "/v1/tokens/"+long+"/prices?"+window).types(t))
	w.get(t, "/v1/tokens/"+long[:200]+"/prices?"+window).fails(t, 404, "not_found")

	bad := func(query string) string {
		return w.get(t, "/v1/markets/nobody/prices?"+query).fails(t, 400, "bad_request")
	}
	require.Equal(t, "limit too large. Requested: 500, Maximum: 200", bad(window+"&limit=500"))
	require.Equal(t, "limit too large. Requested: 201, Maximum: 200", bad(window+"&limit=201"))
	require.Equal(t, 200, w.get(t, "/v1/markets/three/prices?"+window+"&limit=200").status)
	require.Contains(t, bad(window+"&cursor=rubbish"), "cursor")
	require.Contains(t, bad("start_ts=2026-04-01T12:00:00Z&end_ts=2026-04-01T12:00:00Z&resolution=1m"), "before")
	for _, ts := range []string{"", "yesterday", "1775044800000", "-1", "1e9", "2026-13-01", "12:00", "2026-04-01T25:00:00Z", "١٢٣"} {
		require.Contains(t, bad("end_ts=2026-04-02&resolution=1m&start_ts="+url.QueryEscape(ts)), "start_ts")
	}
	require.Contains(t, bad("start_ts=1775044800000&end_ts=2026-04-02&resolution=1m"), "milliseconds")
	// 422 comes before 400, both before 404.
	require.Equal(t, []string{"query.resolution:enum"}, w.get(t, "/v1/markets/nobody/prices?start_ts=x&end_ts=y&resolution=z&limit=999").types(t))
	// All ways to write a time.
	same := w.get(t, "/v1/markets/three/prices?"+window)
	require.Equal(t, 200, same.status)
	for _, ts := range []string{"1775044800", "1775044800.0", "2026-04-01T14:00:00+02:00", "2026-04-01T14:00:00%2B02:00", "2026-04-01T12:00:00", "2026-04-01T12:00:00.000Z", "2026-04-01T08:00:00-04:00"} {
		a := w.get(t, "/v1/markets/three/prices?start_ts="+ts+"&end_ts=1775045400&resolution=1m")
		require.Equal(t, string(same.body), string(a.body), ts)
	}
	var page wirePage
	w.get(t, "/v1/markets/three/prices?start_ts=1960-01-01T00:00:00Z&end_ts=1965-01-01&resolution=1d").json(t, &page)
	require.Zero(t, page.Metadata.Count)
	require.Equal(t, 100, page.Metadata.Limit)
	require.Equal(t, map[string][]wirePoint{"Team 0": {}, "Team 1": {}, "Team 2": {}}, page.lists(t))
}

func TestExistence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.Equal(t, "market not found: nobody", w.get(t, "/v1/markets/nobody").fails(t, 404, "not_found"))
	require.Equal(t, "market not found: nobody", w.get(t, "/v1/markets/nobody/books?"+window).fails(t, 404, "not_found"))
	require.Equal(t, "token not found: nobody", w.get(t, "/v1/tokens/nobody/prices?"+window).fails(t, 404, "not_found"))
	for _, id := range []string{"three", "hawks-bulls-draw", "sports:market:three", "polymarket-us:market:hawks-bulls-draw"} {
		var m map[string]any
		w.get(t, "/v1/markets/"+id).json(t, &m)
		require.Equal(t, "three", m["id"])
		var page wirePage
		w.get(t, "/v1/markets/"+id+"/metrics?"+window).json(t, &page)
		require.Equal(t, "three", page.MarketID)
	}
	for _, id := range []string{"crypto:market:three", "kalshi:market:three", "moon:market:three", "%00", "%ff", "a%00b", ":market:three"} {
		w.get(t, "/v1/markets/"+id).fails(t, 404, "not_found")
		w.get(t, "/v1/markets/"+id+"/prices?"+window).fails(t, 404, "not_found")
	}
	w.get(t, "/v1/markets/three?category=crypto").fails(t, 404, "not_found")
	w.get(t, "/v1/markets/three/prices?category=crypto&"+window).fails(t, 404, "not_found")
	w.get(t, "/v1/tokens/three-1/books?category=crypto&"+window).fails(t, 404, "not_found")

	// An escaped slash belongs to the id.
	var m struct{ ID string }
	w.get(t, "/v1/markets/a%2Fb%20c").json(t, &m)
	require.Equal(t, "a/b c", m.ID)
	var page wirePage
	w.get(t, "/v1/markets/a%2Fb%20c/prices?"+window).json(t, &page)
	require.Equal(t, map[string]string{`Yes, "really"`: "x/y", "No": "x/n"}, page.Tokens)
	w.get(t, "/v1/tokens/x%2Fy/books?"+window).json(t, &page)
	require.Equal(t, "x/y", page.TokenID)
	require.Equal(t, `Yes, "really"`, page.TokenLabel)
}

func TestTokensAndLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	get := func(path string) *answer { return w.get(t, path) }
	require.Equal(t, "limit too small for this market. Minimum required: 3",
		get("/v1/markets/three/prices?"+window+"&limit=2").fails(t, 400, "bad_request"))
	get("/v1/markets/three/books?"+window+"&limit=2").fails(t, 400, "bad_request")
	require.Equal(t, 200, get("/v1/markets/three/metrics?"+window+"&limit=1").status, "metrics are no points of tokens")
	require.Equal(t, 200, get("/v1/tokens/three-0/prices?"+window+"&limit=1").status)
	for _, kind := range []string{"prices", "books"} {
		require.Contains(t, get("/v1/markets/crowd/"+kind+"?"+window+"&limit=200").fails(t, 400, "bad_request"), "/v1/tokens/")
	}
	require.Equal(t, 200, get("/v1/markets/crowd/metrics?"+window).status)
	require.Equal(t, 200, get("/v1/tokens/crowd-0/books?"+window).status)
	// The plan and existence come before a limit that only the market can judge.
	w.do(t, request{path: "/v1/markets/three/books?" + window + "&limit=1", plan: "coarse"}).fails(t, 403, "forbidden")
}

func TestCursors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var page wirePage
	w.get(t, "/v1/markets/three/prices?"+window+"&limit=3").json(t, &page)
	require.NotNil(t, page.Metadata.NextCursor)
	next := "&cursor=" + url.QueryEscape(*page.Metadata.NextCursor)
	ok := func(path string) { require.Equal(t, 200, w.get(t, path).status, path) }
	ok("/v1/markets/three/prices?" + window + next + "&limit=200")
	ok("/v1/markets/hawks-bulls-draw/prices?" + window + next)
	ok("/v1/markets/three/prices?start_ts=1775044800&end_ts=1775045400&resolution=60s" + next)
	for _, path := range []string{
		"/v1/markets/three/books?" + window, "/v1/markets/a%2Fb%20c/prices?" + window, "/v1/tokens/three-0/prices?" + window,
		"/v1/markets/three/prices?start_ts=1775044800&end_ts=1775045401&resolution=60s",
		"/v1/markets/three/prices?start_ts=1775044800&end_ts=1775045400&resolution=5m",
	} {
		require.Contains(t, w.get(t, path+next).fails(t, 400, "bad_request"), "cursor", path)
	}
	w.get(t, "/v1/markets?cursor="+url.QueryEscape(*page.Metadata.NextCursor)).fails(t, 400, "bad_request")
	// Of one token to another of the same market.
	w.get(t, "/v1/tokens/three-1/books?"+window+"&limit=1").json(t, &page)
	require.NotNil(t, page.Metadata.NextCursor)
	w.get(t, "/v1/tokens/three-0/books?"+window+"&cursor="+*page.Metadata.NextCursor).fails(t, 400, "bad_request")
}

// TestHistoryByHand checks the numbers of a market made by hand.
func TestHistoryByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var page wirePage
	w.get(t, "/v1/markets/three/prices?start_ts=2026-04-01T11:59:57Z&end_ts=2026-04-01T12:00:05Z&resolution=1s").json(t, &page)
	require.Equal(t, "three", page.MarketID)
	require.Equal(t, "1s", page.Resolution)
	require.Equal(t, map[string]string{"Team 0": "three-0", "Team 1": "three-1", "Team 2": "three-2"}, page.Tokens)
	p := func(t, v string) wirePoint { return wirePoint{T: "2026-04-01T" + t + "Z", P: jsonNumber(v)} }
	require.Equal(t, map[string][]wirePoint{
		"Team 0": {p("11:59:58", "0.41"), p("11:59:59", "0.41"), p("12:00:00", "0.41"), p("12:00:01", "0.41"), p("12:00:02", "0.41")},
		"Team 1": {p("12:00:01", "0.3"), p("12:00:02", "0.3"), p("12:00:03", "0.3"), p("12:00:04", "0.31665")},
		"Team 2": {},
	}, page.lists(t))
	require.Equal(t, 9, page.Metadata.Count)
	// The end: known until it was closed, not until the last capture.
	w.get(t, "/v1/tokens/three-0/prices?start_ts=2026-04-01T14:00:29Z&end_ts=2026-04-02&resolution=250ms").json(t, &page)
	require.Equal(t, []string{"2026-04-01T14:00:29Z", "2026-04-01T14:00:29.250Z", "2026-04-01T14:00:29.500Z", "2026-04-01T14:00:29.750Z"}, timesOf(page.lists(t)[""]))
	// Metrics: sides empty make no liquidity; the spread is carried.
	w.get(t, "/v1/markets/three/metrics?start_ts=2026-04-01T12:00:02Z&end_ts=2026-04-01T12:00:05Z&resolution=1s").json(t, &page)
	points := page.lists(t)[""]
	require.Equal(t, []wirePoint{
		{T: "2026-04-01T12:00:02Z", Liquidity: "7", Spread: "0.02", Volume: "0"},
		{T: "2026-04-01T12:00:03Z", Liquidity: "3", Spread: "0.02", Volume: "0"},
		{T: "2026-04-01T12:00:04Z", Liquidity: "3", Spread: "0.02", Volume: "0"},
	}, points)
	// An empty side is [], and a market without captures has no points.
	a := w.get(t, "/v1/tokens/three-1/books?start_ts=2026-04-01T12:00:01Z&end_ts=2026-04-01T12:00:02Z&resolution=1s")
	require.Contains(t, string(a.body), `"data":[{"t":"2026-04-01T12:00:01Z","bids":[[0.3,10]],"asks":[]}]`)
	w.get(t, "/v1/markets/silent/books?"+window).json(t, &page)
	require.Equal(t, map[string][]wirePoint{"Team 0": {}, "Team 1": {}}, page.lists(t))
	require.Nil(t, page.Metadata.NextCursor)
}

func timesOf(points []wirePoint) []string {
	var out []string
	for _, p := range points {
		out = append(out, p.T)
	}
	return out
}

// TestListParameters checks the lists' validation.
func TestListParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.ElementsMatch(t, []string{"query.limit:less_than_equal", "query.sort:enum", "query.order:enum", "query.search:string_too_long", "query.category:enum", "query.include_closed:bool_parsing", "query.tags_match:enum"},
		w.get(t, "/v1/markets?limit=1001&sort=x&order=y&category=z&include_closed=maybe&tags_match=some&start_date_min=nonsense&search="+strings.Repeat("é", 201)).types(t))
	require.Equal(t, 200, w.get(t, "/v1/markets?limit=1000&search="+strings.Repeat("%C3%A9", 200)).status)
	require.Equal(t, []string{"query.sort:enum"}, w.get(t, "/v1/series?sort=end_date").types(t))
	require.Equal(t, []string{"query.event_id:string_too_long"}, w.get(t, "/v1/markets?event_id="+strings.Repeat("x", 201)).types(t))
	for _, path := range []string{"/v1/markets?start_date_min=x", "/v1/events?end_date_max=1775044800000", "/v1/series?cursor=abc"} {
		w.get(t, path).fails(t, 400, "bad_request")
	}
	require.Equal(t, 200, w.get(t, "/v1/markets?nobody_knows=this&search=&cursor=").status)
	for _, path := range []string{"/v1/markets", "/v1/events", "/v1/series"} {
		for query, limit := range map[string]int{"": 100, "?limit=1": 1, "?limit=1000": 1000} {
			var p listPage
			w.get(t, path+query).json(t, &p)
			require.Equal(t, limit, p.Metadata.Limit)
		}
	}
}

func TestArchiveDown(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/gone.db"
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archive.New(opened)
	w := worldOver(t, a, nil)
	require.NoError(t, a.Close())
	for _, path := range []string{"/v1/markets", "/v1/markets/x", "/v1/markets/x/prices?" + window, "/v1/tokens/x/books?" + window} {
		got := w.get(t, path)
		got.fails(t, 503, "unavailable")
		require.Equal(t, "5", got.header.Get("Retry-After"))
	}
}

// TestUnionPartlyDown takes away one of two archives: what needs it is refused by
// name, the rest is answered.
func TestUnionPartlyDown(t *testing.T) {
	t.Parallel()
	opened, _, err := sqlite.Create(t.Context(), t.TempDir()+"/crypto.db")
	require.NoError(t, err)
	gone := archive.New(opened)
	s, err := archives()
	require.NoError(t, err)
	u, err := archive.NewUnion(archive.Member{Category: market.Crypto, Archive: gone}, archive.Member{Category: market.Sports, Archive: s.main})
	require.NoError(t, err)
	w := newWorld(t, func(c *api.Config) { c.Catalogue, c.Rounds = u, u })
	require.Equal(t, 200, w.get(t, "/v1/markets").status)
	require.NoError(t, gone.Close())
	for _, path := range []string{"/v1/markets", "/v1/markets?category=crypto", "/v1/tags", "/v1/markets/three", "/v1/events", "/v1/series?category=crypto"} {
		require.Contains(t, w.get(t, path).fails(t, 503, "unavailable"), "crypto", path)
	}
	for _, path := range []string{"/v1/markets?category=sports", "/v1/tags?category=sports", "/v1/markets/three?category=sports", "/v1/markets/sports:market:three"} {
		require.Equal(t, 200, w.get(t, path).status, path)
	}
}
