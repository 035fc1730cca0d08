package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/internal/pgtest"
)

var hostileRequests = flag.Int("requests", 1500, "requests that TestHostileRequests sends, over each store")

// attacker makes requests that no client would: to every route, with a key, a session or
// neither, of parts that are good, odd or broken.
type attacker struct {
	*rand.Rand
	w      *town
	routes [][2]string
	ids    []string // that exist
	who    *person
}

// texts stand wherever something stands in a request.
var hostileTexts = []string{
	"", " ", "0", "-1", "1", "9223372036854775807", "9223372036854775808", "1e400", "NaN", "0x1f", "٣", "null", "true", "[]", "{}", "\x00", "a\x00b", "\xff\xfe", "\xc0\xaf",
	"\xed\xa0\x80", "\u202e", "\u0130", "\u212a", "\U0001f600", "'; DROP TABLE access_keys; --", `" OR 1=1`, "%", "_%_", "%00", "%2e%2e%2f", "../../etc/passwd", "..", "//evil.example/",
	"https://evil.example", "javascript:alert(1)", "<script>alert(1)</script>", "{{7*7}}", "${jndi:ldap://x}", "\r\nSet-Cookie: a=b", "\t", "2026-04-01", "0001-01-01T00:00:00Z",
	"9999-12-31T23:59:59.999999999Z", "2026-02-30", "1m", "250ms", "1d", "asc", "desc", "crypto", "any", "parquet", "bid_depth", strings.Repeat("x", 300), strings.Repeat("é", 3000), strings.Repeat("a,", 2000),
	strings.Repeat("9", 400), strings.Repeat("(", 500), "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", "three", "golf", "run_1", "last", "*", "=", "&&", ";", ",", "#", "?", "a/b c", "a%2fb",
}

// bodies are what routes take; parts of them are exchanged.
var hostileBodies = []string{
	smallRun, promptBody, `{"prompt":"Buy Up on BTC 5m below 30c","options":{"seed":1,"latency_ms":0,"min_coverage":0.5},"dry_run":true}`,
	`{"strategy":{"coin":"BTC","type":"5m","side":"up","entry":[{"type":"price","token":"same","op":"lt","threshold":0.4}],"budget":100},"sample":{"limit":3}}`,
	`{"prompt":"Buy Up on BTC 5m below 30c","vary":{"entry[0].threshold":"0.3:0.4:0.05"}}`, `{"a":"run_1","b":"run_2"}`, `{"id":"x","trade":1}`,
	`{"email":"ada@example.com","password":"staple.Horse-42.battery"}`, `{"token":"x","password":"staple.Horse-42.battery","revoke":true}`, `{"name":"desk","expires_at":"2026-06-01T00:00:00Z"}`,
	`{"email":"guest@example.com","role":"viewer"}`, `{"role":"viewer"}`, `{"id":"o_1"}`, `{"ticket":"x","password":"y"}`, `{"key":"x"}`, `{"confirm":true}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"backtest","arguments":{"prompt":"Buy Up below 30c"}}}`,
	`[]`, `"x"`, `null`, ``,
}

func one[T any](a *attacker, list []T) T { return list[a.IntN(len(list))] }

// value is a JSON value in place of another.
func (a *attacker) value(depth int) any {
	switch a.IntN(8) {
	case 0:
		return nil
	case 1:
		return a.IntN(2) == 0
	case 2:
		return one(a, []any{json.Number("-0"), json.Number("1e308"), json.Number("-1e-400"), json.Number("0.1000000000000000055"), 1 << 53, -1, json.Number(strings.Repeat("9", 400))})
	case 3:
		if depth < 3 {
			return []any{a.value(depth + 1), a.value(depth + 1)}
		}
	case 4:
		if depth < 3 {
			return map[string]any{one(a, hostileTexts): a.value(depth + 1)}
		}
	}
	return one(a, hostileTexts)
}

// spoilt changes a member somewhere in a value.
func (a *attacker) spoilt(v any, depth int) any {
	if depth > 0 && a.IntN(3) == 0 {
		return a.value(0)
	}
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) == 0 || a.IntN(6) == 0 {
			v[one(a, hostileTexts)] = a.value(0)
			return v
		}
		name := one(a, names)
		if a.IntN(8) == 0 {
			delete(v, name)
		} else {
			v[name] = a.spoilt(v[name], depth+1)
		}
		return v
	case []any:
		if len(v) > 0 {
			i := a.IntN(len(v))
			v[i] = a.spoilt(v[i], depth+1)
		}
		return v
	}
	return a.value(0)
}

func (a *attacker) body() string {
	text := one(a, hostileBodies)
	switch a.IntN(6) {
	case 0:
		return text
	case 1: // bytes of it
		b := []byte(text)
		for range 1 + a.IntN(3) {
			if len(b) > 0 {
				b[a.IntN(len(b))] = byte(a.Uint32())
			}
		}
		return string(b[:a.IntN(len(b)+1)])
	case 2:
		return one(a, []string{strings.Repeat("[", 5000), strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), strings.Repeat(" ", 70<<10), `{"prompt":"` + strings.Repeat("Buy Up ", 3000) + `"}`,
			`{"email":"a","email":"b"}`, `{"prompt":1,"prompt":2}`, "\xef\xbb\xbf{}", `{"prompt":"\ud800"}`, `{"name":"\u0000"}`, `{"prompt":"x"}{}`, "a=b&c=d"})
	}
	var v any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return text
	}
	for range 1 + a.IntN(3) {
		v = a.spoilt(v, 0)
	}
	out, err := json.Marshal(v)
	if err != nil { // a number that JSON has no form for
		return text
	}
	return string(out)
}

var hostileParams = strings.Fields(`limit cursor search tags tags_match category start_date_min start_date_max end_date_min end_date_max order sort include_closed event_id event_slug series_id
	series_slug start_ts end_ts resolution rounds format coin type before after include next status page from to winners hour side token_id id_or_slug market trade wait x`)

func (a *attacker) request(ctx context.Context) (*http.Request, string) {
	route := one(a, a.routes)
	method := route[0]
	if a.IntN(20) == 0 {
		method = one(a, []string{"GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW"})
	}
	events := strings.Contains(route[1], "events")
	path := inPath.ReplaceAllStringFunc(route[1], func(string) string {
		if !events && a.IntN(3) == 0 {
			return url.PathEscape(one(a, a.ids))
		}
		return strings.ReplaceAll(url.PathEscape(one(a, hostileTexts)), "%252F", one(a, []string{"%2F", "/", "%252F"}))
	})
	path = strings.ReplaceAll(path, "*", url.PathEscape(one(a, hostileTexts)))
	var query []string
	for range a.IntN(5) {
		query = append(query, url.QueryEscape(one(a, hostileParams))+one(a, []string{"=", "=", "=", "", "[]=", "%00="})+url.QueryEscape(one(a, hostileTexts)))
	}
	at, _ := url.Parse(a.w.url)
	body := ""
	if method != http.MethodGet || a.IntN(10) == 0 {
		body = a.body()
	}
	r, err := http.NewRequestWithContext(ctx, method, a.w.url, strings.NewReader(body))
	require.NoError(a.w.t, err)
	r.URL = &url.URL{Scheme: "http", Host: at.Host, Opaque: path, RawQuery: strings.Join(query, one(a, []string{"&", "&", "&", ";"}))}
	h := r.Header
	h.Set("Accept-Encoding", one(a, []string{"identity", "identity", "gzip", "zstd, gzip;q=0.5", "*;q=0", "\x7f"}[:5]))
	switch a.IntN(5) {
	case 0:
		h.Set("X-Api-Key", a.w.keys["enterprise"])
	case 1:
		h.Set("Authorization", "Bearer "+a.w.keys["enterprise"])
	case 2, 3:
		h.Set("Cookie", "ladderback_session="+a.who.cookie)
		h.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, values := range map[string][]string{
		"Content-Type":    {"application/json", "application/json", "application/json; charset=utf-16", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ";", "application/json;;a"},
		"Accept":          {"*/*", "text/html", "text/csv", "application/x-ndjson", "application/vnd.apache.parquet", "application/json;q=0", "text/event-stream", "a/b;q=x", strings.Repeat("a/b,", 500)},
		"Authorization":   {"Bearer", "Bearer ", "Basic YTpi", "Bearer a.b.c", "Bearer " + strings.Repeat("x", 5000), "Bearer \xff", "bearer x"},
		"Idempotency-Key": {"x", strings.Repeat("k", 300), "\u00e9", "a b", ""},
		"If-None-Match":   {"*", `"x"`, `W/"x", "y"`, "\"", strings.Repeat(`"a",`, 500)}, "Range": {"bytes=0-0", "bytes=-1", "bytes=9-1", "x"}, "Last-Event-ID": {"0", "-1", "x", "99999999999999999999"},
		"X-Forwarded-For": {"127.0.0.1", "::1, x", strings.Repeat("1,", 500)}, "X-Forwarded-Host": {"evil.example"}, "Origin": {"https://evil.example", "null"}, "Expect": {"100-continue", "x"},
		"Content-Encoding": {"gzip", "br"}, "X-Http-Method-Override": {"DELETE"}, "Mcp-Session-Id": {"x", strings.Repeat("s", 900)}, "Mcp-Protocol-Version": {"2025-06-18", "x"},
	} {
		if name == "Content-Type" && a.IntN(3) > 0 {
			h.Set(name, "application/json")
		} else if a.IntN(12) == 0 {
			h.Set(name, one(a, values))
		}
	}
	what, _ := json.Marshal(map[string]any{"request": method + " " + path + "?" + r.URL.RawQuery, "header": h, "body": body})
	return r, string(what)
}

// TestHostileRequests sends requests that no client would to every route, over both kinds
// of store: none is an error of the server's, none takes long, and each error is a short
// JSON document. 1,500 by default:
//
//	go test ./api -run HostileRequests -v -timeout 3h -requests 42500
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		store, err := identity.Open(context.Background(), filepath.Join(t.TempDir(), "access.db"), true)
		require.NoError(t, err)
		attack(t, newTownOver(t, store, nil))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		addr := pgtest.Database(t)
		opened, _, err := postgres.Create(t.Context(), addr)
		require.NoError(t, err)
		a := archive.New(opened)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		require.NoError(t, fillMain(t.Context(), a))
		store, err := identity.Open(context.Background(), pgtest.Database(t), true)
		require.NoError(t, err)
		attack(t, townOver(t, a, store, nil))
	})
}

func attack(t *testing.T, w *town) {
	a := &attacker{Rand: rand.New(rand.NewPCG(84_662, 113)), w: w, who: w.settle(t, "ada@example.com")}
	for _, route := range w.api.AllRoutes() {
		if !slices.Contains([]string{"/app/account/delete"}, route[1]) { // it would end the attack
			a.routes = append(a.routes, route)
		}
	}
	org := field(t, a.who.ok(t, http.StatusOK, http.MethodGet, "/app/account", ""), "organization")
	_, err := w.service.SetPlan(t.Context(), org, "enterprise")
	require.NoError(t, err)
	run := field(t, a.who.ok(t, http.StatusAccepted, http.MethodPost, "/app/v1/ai/backtests", smallRun), "id")
	key := field(t, a.who.ok(t, http.StatusCreated, http.MethodPost, "/app/keys", `{"name":"desk"}`), "id")
	a.ids = []string{run, key, org, "three", "hawks-bulls-draw", "a/b c", "three-0", "golf"}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	statuses, longest, whatLongest := map[int]int{}, time.Duration(0), ""
	for i := range *hostileRequests {
		w.clock.add(time.Second)
		w.world.clock.add(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, what := a.request(ctx)
		began := time.Now()
		resp, err := client.Do(r)
		require.NoError(t, err, "%d: %.2000s", i, what)
		body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
		require.NoError(t, err, "%d: %.2000s", i, what)
		require.NoError(t, resp.Body.Close())
		if resp.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
			z, err := gzip.NewReader(bytes.NewReader(body))
			require.NoError(t, err, "%d: %.2000s", i, what)
			body, err = io.ReadAll(z)
			require.NoError(t, err, "%d: %.2000s", i, what)
		}
		cancel()
		if took := time.Since(began); took > longest {
			longest, whatLongest = took, what
		}
		statuses[resp.StatusCode]++
		require.Less(t, resp.StatusCode, 500, "%d: %.2000s: %.1000s\n%s", i, what, body, lastLines(w.log.String()))
		if resp.StatusCode >= 400 {
			require.Less(t, len(body), 30_000, "%d: %.2000s", i, what)
			if kind := resp.Header.Get("Content-Type"); strings.HasPrefix(kind, "application/json") && r.Method != http.MethodHead {
				require.True(t, json.Valid(body), "%d: %.2000s: %.1000s", i, what, body)
			}
		}
		for _, c := range resp.Cookies() {
			if c.Name == "ladderback_session" {
				a.who.cookie = c.Value
			}
		}
		if i%50 == 49 { // whoever was signed out, or revoked, comes in again
			if a.who.do(t, http.MethodGet, "/app/account", "").status != http.StatusOK {
				w.clock.add(time.Hour)
				a.who.cookie = ""
				a.who.ok(t, http.StatusOK, http.MethodPost, "/app/sign-in", creds("ada@example.com"))
			}
		}
	}
	log := w.log.String()
	for _, bad := range []string{"panic", "level=ERROR", "level=WARN"} {
		require.NotContains(t, log, bad)
	}
	require.Less(t, longest, 30*time.Second, "%.2000s", whatLongest)
	t.Logf("%d requests to %d routes: %v; longest %v: %.200s", *hostileRequests, len(a.routes), statuses, longest.Round(time.Millisecond), whatLongest)
}

// lastLines is the end of a log.
func lastLines(text string) string { return fmt.Sprintf("…%s", text[max(0, len(text)-1500):]) }
