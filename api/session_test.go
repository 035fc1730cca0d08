package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/internal/llmtest"
	"github.com/ladderback/ladderback/parser"
)

// browser is a client with a cookie and no key.
type browser struct {
	w      *world
	cookie *http.Cookie
}

// do sends a request from the page's own site.
func (b *browser) do(t testing.TB, method, path, body string, header ...string) *answer {
	t.Helper()
	h := http.Header{"Sec-Fetch-Site": {"same-origin"}}
	if b.cookie != nil {
		h.Set("Cookie", b.cookie.Name+"="+b.cookie.Value)
	}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	s := b.w.send(t.Context(), request{method: method, path: path, plan: "-", body: body, header: h})
	require.NoError(t, s.err)
	return s.answer
}

// signIn takes a session for the key of a plan.
func (b *browser) signIn(t testing.TB, body string) *answer {
	t.Helper()
	a := b.do(t, http.MethodPost, "/app/session", body)
	if a.status == http.StatusOK {
		cookies := (&http.Response{Header: a.header}).Cookies()
		require.Len(t, cookies, 1)
		b.cookie = cookies[0]
	}
	return a
}

func keyBody(key string) string { return `{"key":"` + key + `"}` }

// TestSession signs in with a key, reads what the key reads, with the same bytes, and
// signs out. The cookie counts nowhere else, and a key nowhere here.
func TestSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := &browser{w: w}
	require.Equal(t, http.StatusNoContent, b.do(t, http.MethodGet, "/app/session", "").status, "nobody is signed in")
	require.Equal(t, http.StatusUnauthorized, b.do(t, http.MethodGet, "/app/v1/tags", "").status)
	require.Equal(t, http.StatusUnauthorized, b.do(t, http.MethodGet, "/app/v1/tags", "", "Authorization", "Bearer "+w.keys["pro"]).status, "a key is no session")

	a := b.signIn(t, keyBody(w.keys["pro"]))
	require.Equal(t, http.StatusOK, a.status)
	require.JSONEq(t, `{"organization":"acme","plan":"Pro","backtest":true}`, string(a.body))
	require.True(t, b.cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, b.cookie.SameSite)
	require.NotContains(t, a.header.Get("Set-Cookie"), w.keys["pro"])
	require.Equal(t, http.StatusOK, b.do(t, http.MethodGet, "/app/session", "").status)

	for _, path := range []string{"/v1/tags", "/v1/markets?limit=1", "/v1/ai/conditions", "/v1/usage"} {
		want := w.do(t, request{path: path, plan: "pro"})
		got := b.do(t, http.MethodGet, "/app"+path, "")
		require.Equal(t, want.status, got.status)
		if path != "/v1/usage" { // which each request moves
			require.Equal(t, string(want.body), string(got.body), path)
		}
		require.Equal(t, http.StatusUnauthorized, b.do(t, http.MethodGet, path, "").status, "the cookie on %s", path)
	}
	require.Equal(t, http.StatusOK, b.do(t, http.MethodPost, "/app/v1/ai/backtest", smallRun).status, "a session may backtest")

	other := &browser{w: w, cookie: b.cookie}
	require.Equal(t, http.StatusNoContent, b.do(t, http.MethodDelete, "/app/session", "").status)
	require.Equal(t, http.StatusUnauthorized, other.do(t, http.MethodGet, "/app/v1/tags", "").status, "a stolen cookie after signing out")
	require.Equal(t, http.StatusNoContent, b.do(t, http.MethodDelete, "/app/session", "").status)
}

// TestSessionEnds lets sessions end: unused for twelve hours, or with their key.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := &browser{w: w}
	b.signIn(t, keyBody(w.keys["enterprise"]))
	for range 3 {
		w.clock.add(11 * time.Hour)
		require.Equal(t, http.StatusOK, b.do(t, http.MethodGet, "/app/v1/tags", "").status, "used within twelve hours")
	}
	w.clock.add(12 * time.Hour)
	require.Equal(t, http.StatusUnauthorized, b.do(t, http.MethodGet, "/app/v1/tags", "").status)
	b.signIn(t, keyBody(w.keys["enterprise"]))
	_, err := w.guard.Revoke(t.Context(), w.keys["enterprise"])
	require.NoError(t, err)
	w.clock.add(5 * time.Second)
	require.Equal(t, http.StatusUnauthorized, b.do(t, http.MethodGet, "/app/v1/tags", "").status)
	for _, body := range []string{keyBody(w.keys["enterprise"]), keyBody("lb_nonsense"), `{}`, `{"key":"a","ticket":"b"}`, `[]`, `{"key":1}`} {
		a := b.do(t, http.MethodPost, "/app/session", body)
		require.Contains(t, []int{http.StatusUnauthorized, http.StatusBadRequest}, a.status, body)
		require.Empty(t, a.header.Get("Set-Cookie"))
	}
}

// TestTicket signs in with a ticket, which works once, and only for ten minutes.
func TestTicket(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ticket := func() string {
		text, err := w.guard.Ticket(w.keys["enterprise"])
		require.NoError(t, err)
		return `{"ticket":"` + text + `"}`
	}
	b := &browser{w: w}
	one := ticket()
	require.Equal(t, http.StatusOK, b.signIn(t, one).status)
	require.Equal(t, http.StatusOK, b.do(t, http.MethodGet, "/app/v1/tags", "").status)
	require.Equal(t, http.StatusUnauthorized, b.signIn(t, one).status, "used")
	old := ticket()
	w.clock.add(10 * time.Minute)
	require.Equal(t, http.StatusUnauthorized, b.signIn(t, old).status, "too old")
}

// TestOtherSites refuses what other sites send with the cookie, and names that only
// lead to loopback.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := &browser{w: w}
	b.signIn(t, keyBody(w.keys["enterprise"]))
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "", "Origin", "https://elsewhere.example"},
	} {
		for _, q := range [][2]string{{http.MethodPost, "/app/session"}, {http.MethodDelete, "/app/session"}, {http.MethodPost, "/app/v1/ai/backtests"}, {http.MethodPost, "/app/v1/ai/parse"}, {http.MethodDelete, "/app/v1/ai/backtests/x"}} {
			a := b.do(t, q[0], q[1], smallRun, header...)
			require.Equal(t, http.StatusForbidden, a.status, "%v %v", q, header)
		}
	}
	r := httptest.NewRequest(http.MethodGet, w.url+"/app/session", nil)
	r.RequestURI, r.Host = "", "rebound.example"
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
}

// TestTyping has the rules read what is typed: not counted against the key's limits,
// bounded by itself, and no language model is asked.
func TestTyping(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(&llmtest.Server{})
	t.Cleanup(model.Close)
	asked := 0
	w := newWorld(t, func(c *api.Config) {
		m, err := parser.NewModel(parser.ModelConfig{BaseURL: model.URL, Model: "test", Observe: func(parser.ModelCall) { asked++ }})
		require.NoError(t, err)
		c.Model = m
	})
	b := &browser{w: w}
	b.signIn(t, keyBody(w.keys["pro"]))
	body := `{"prompt":"Buy Up on BTC 5m below 30c","parser":"rules"}`
	limited := 0
	for range 60 {
		a := b.do(t, http.MethodPost, "/app/v1/ai/parse", body)
		require.Empty(t, a.header.Get("X-RateLimit-Limit"), "not counted")
		if a.status == http.StatusTooManyRequests {
			limited++
			continue
		}
		require.Equal(t, http.StatusOK, a.status, "%s", a.body)
		var got struct{ Source string }
		require.NoError(t, json.Unmarshal(a.body, &got))
		require.Equal(t, "rules", got.Source)
	}
	require.Positive(t, limited)
	require.Zero(t, asked)
	require.NotEmpty(t, b.do(t, http.MethodPost, "/app/v1/ai/parse", `{"prompt":"Buy Up on BTC 5m below 30c"}`).header.Get("X-RateLimit-Limit"))
	require.Equal(t, http.StatusUnprocessableEntity, b.do(t, http.MethodPost, "/app/v1/ai/parse", strings.Replace(body, "rules", "guess", 1)).status)
}
