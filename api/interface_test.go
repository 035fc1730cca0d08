package api_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/history"
)

// TestMarketDetail: every field of a market, by hand. The closing time is there
// once a market is closed, the winner once it is resolved.
func TestMarketDetail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	body := func(id string) string { return string(w.get(t, "/v1/markets/"+id).body) }
	require.JSONEq(t, `{"id":"three","slug":"hawks-bulls-draw","question":"Who wins?","description":"Hawks, Bulls or a draw","status":"resolved",
		"start_date":"2026-04-01T12:00:00Z","end_date":"2026-04-01T14:00:00Z","closed_at":"2026-04-01T14:00:30Z",
		"winning_token_id":"three-1","winning_token_label":"Team 1",
		"tokens":[{"id":"three-0","label":"Team 0"},{"id":"three-1","label":"Team 1"},{"id":"three-2","label":"Team 2"}],
		"category":"sports","event_id":null,"event_slug":null,"series_slug":null,"tags":["nba","sports"],"updated_at":"2026-04-01T15:00:00Z"}`, body("three"))
	require.JSONEq(t, `{"id":"silent","slug":"silent","question":"Nothing captured?","description":"","status":"open",
		"start_date":"2026-04-01T12:00:00Z","end_date":"2026-04-01T22:00:00Z","tokens":[{"id":"silent-0","label":"Team 0"},{"id":"silent-1","label":"Team 1"}],
		"category":"sports","event_id":null,"event_slug":null,"series_slug":null,"tags":["sports"],"updated_at":"2026-04-01T12:00:00Z"}`, body("silent"))
	require.JSONEq(t, `{"id":"inferred","slug":"inferred","question":"Over, and who won?","description":"","status":"closed",
		"start_date":"2026-04-01T12:00:00Z","end_date":"2026-04-01T13:00:00Z","closed_at":"2026-04-01T13:00:00Z",
		"tokens":[{"id":"inferred-0","label":"Team 0"},{"id":"inferred-1","label":"Team 1"}],
		"category":"sports","event_id":null,"event_slug":null,"series_slug":null,"tags":["nba","sports"],"updated_at":"2026-04-01T13:00:00Z"}`, body("inferred"))
	// The item of a list, field by field.
	var p struct{ Data []json.RawMessage }
	w.get(t, "/v1/markets?include_closed=true&search=hawks").json(t, &p)
	require.Len(t, p.Data, 1)
	require.JSONEq(t, `{"id":"three","slug":"hawks-bulls-draw","question":"Who wins?","status":"resolved",
		"start_date":"2026-04-01T12:00:00Z","end_date":"2026-04-01T14:00:00Z",
		"tokens":[{"id":"three-0","label":"Team 0"},{"id":"three-1","label":"Team 1"},{"id":"three-2","label":"Team 2"}]}`, string(p.Data[0]))
}

// TestTags: all tags in use, each once, in lower case and in order; of one
// category when it is pinned.
func TestTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for query, want := range map[string][]string{
		"":                 {"15m", "5m", "bitcoin", "crypto", "ethereum", "golf", "nba", "sports", "up-or-down"},
		"?category=sports": {"golf", "nba", "sports"},
		"?category=crypto": {"15m", "5m", "bitcoin", "crypto", "ethereum", "up-or-down"},
	} {
		var got struct {
			Count int
			Data  []string
		}
		w.get(t, "/v1/tags"+query).json(t, &got)
		require.Equal(t, want, got.Data, query)
		require.Equal(t, len(want), got.Count, query)
	}
}

// historyRoutes are the five routes and the two of quotes, of a market that has
// captures in window.
var historyRoutes = []string{
	"/v1/markets/hawks-bulls-draw/prices", "/v1/markets/hawks-bulls-draw/books", "/v1/markets/hawks-bulls-draw/metrics",
	"/v1/tokens/three-0/prices", "/v1/tokens/three-0/books",
	"/v1/markets/hawks-bulls-draw/quotes", "/v1/tokens/three-0/quotes",
}

// TestHistoryAnswers: the fields of each route's answer, with canonical ids and
// every label, at every resolution, with every category.
func TestHistoryAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	fields := map[string][]string{
		"/v1/markets/hawks-bulls-draw/prices":  {"market_id", "resolution", "tokens", "data", "metadata"},
		"/v1/markets/hawks-bulls-draw/books":   {"market_id", "resolution", "tokens", "data", "metadata"},
		"/v1/markets/hawks-bulls-draw/metrics": {"market_id", "resolution", "data", "metadata"},
		"/v1/tokens/three-0/prices":            {"market_id", "token_id", "token_label", "resolution", "data", "metadata"},
		"/v1/tokens/three-0/books":             {"market_id", "token_id", "token_label", "resolution", "data", "metadata"},
		"/v1/markets/hawks-bulls-draw/quotes":  {"market_id", "resolution", "tokens", "data", "metadata"},
		"/v1/tokens/three-0/quotes":            {"market_id", "token_id", "token_label", "resolution", "data", "metadata"},
	}
	for _, route := range historyRoutes {
		for _, r := range history.Resolutions() {
			path := route + "?" + strings.Replace(window, "=1m", "="+r.Name, 1)
			got := map[string]json.RawMessage{}
			w.get(t, path).json(t, &got)
			require.ElementsMatch(t, fields[route], slices.Collect(maps.Keys(got)), route)
			require.JSONEq(t, `"three"`, string(got["market_id"]))
			require.JSONEq(t, `"`+r.Name+`"`, string(got["resolution"]))
			if got["tokens"] != nil {
				require.JSONEq(t, `{"Team 0":"three-0","Team 1":"three-1","Team 2":"three-2"}`, string(got["tokens"]))
			}
			if got["token_id"] != nil {
				require.JSONEq(t, `"three-0"`, string(got["token_id"]))
				require.JSONEq(t, `"Team 0"`, string(got["token_label"]))
			}
		}
		require.Equal(t, 200, w.get(t, route+"?"+window+"&category=sports").status, route)
		w.get(t, route+"?"+window+"&category=crypto").fails(t, 404, "not_found")
		require.Equal(t, []string{"query.category:enum"}, w.get(t, route+"?"+window+"&category=politics").types(t))
		for name, want := range map[string]string{"limit": "int_parsing", "start_ts": "missing", "end_ts": "missing", "resolution": "missing"} {
			q, err := url.ParseQuery(window)
			require.NoError(t, err)
			q.Del(name)
			if name == "limit" {
				q.Set(name, "many")
			}
			require.Equal(t, []string{"query." + name + ":" + want}, w.get(t, route+"?"+q.Encode()).types(t), route)
		}
		require.Equal(t, "limit too large. Requested: 201, Maximum: 200", w.get(t, route+"?"+window+"&limit=201").fails(t, 400, "bad_request"))
	}
}

// TestLabelsTwice: tokens of one label are told apart by their ids, and none is
// lost.
func TestLabelsTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var page wirePage
	w.get(t, "/v1/markets/twins/prices?start_ts=2026-04-01T12:00:00Z&end_ts=2026-04-01T12:00:01Z&resolution=1s").json(t, &page)
	require.Equal(t, map[string]string{"Yes": "twin-a", "Yes (twin-b)": "twin-b"}, page.Tokens)
	points := page.lists(t)
	require.Equal(t, jsonNumber("0.5"), points["Yes"][0].P)
	require.Equal(t, jsonNumber("0.3"), points["Yes (twin-b)"][0].P)
}

// TestUsageIsEnforced: what a key may do is what its usage says.
func TestUsageIsEnforced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, plan := range []string{"starter", "coarse", "daily", "enterprise"} {
		var u struct {
			Limits struct {
				Finest     string          `json:"granularity_allowed"`
				Days       int             `json:"max_history_days"`
				DataPoints map[string]bool `json:"data_points"`
			}
		}
		ask := func(path string) *answer { return w.do(t, request{path: path, plan: plan}) }
		if plan == "daily" { // three a day
			w.do(t, request{path: "/v1/usage", plan: plan}).json(t, &u)
			require.Equal(t, 1, u.Limits.Days)
			ask("/v1/markets/three/prices?start_ts=2026-03-31T14:59:59Z&end_ts=2026-04-01&resolution=1m").fails(t, 403, "forbidden")
			require.Equal(t, 200, ask("/v1/markets/three/prices?start_ts=2026-03-31T15:00:00Z&end_ts=2026-04-01&resolution=1m").status)
			continue
		}
		ask("/v1/usage").json(t, &u)
		require.Len(t, u.Limits.DataPoints, 3)
		for _, kind := range []string{"prices", "books", "metrics"} {
			got := ask("/v1/markets/three/" + kind + "?" + window)
			if u.Limits.DataPoints[kind] {
				require.Equal(t, 200, got.status, plan+" "+kind)
			} else {
				got.fails(t, 403, "forbidden")
			}
		}
		finest, ok := history.FindResolution(u.Limits.Finest)
		require.True(t, ok)
		for _, r := range history.Resolutions() {
			got := ask("/v1/markets/three/prices?" + strings.Replace(window, "=1m", "="+r.Name, 1))
			if r.Span >= finest.Span {
				require.Equal(t, 200, got.status, plan+" "+r.Name)
			} else {
				got.fails(t, 403, "forbidden")
			}
		}
	}
}
