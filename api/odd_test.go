package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// raw sends a request line as it is, which no client of net/http would.
func (w *world) raw(t testing.TB, line, header string) *answer {
	t.Helper()
	_, addr, _ := strings.Cut(w.url, "://")
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	_, err = fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer %s\r\n%s\r\n", line, w.keys["enterprise"], header)
	require.NoError(t, err)
	method, _, _ := strings.Cut(line, " ")
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	require.NoError(t, err, line)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err, line)
	require.NotEmpty(t, resp.Header.Get("X-Request-Id"), line)
	return &answer{resp.StatusCode, resp.Header, body}
}

// TestOddRequests sends paths and queries in odd encodings.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := strings.Repeat("x", 20<<10)
	for line, want := range map[string]int{
		// Paths.
		"GET /v1/markets/a%2Fb%20c":            200,
		"GET /v1/markets/a%2fb%20c":            200, // the other case
		"GET /v1/markets/%61%2Fb%20%63":        200, // more escaped than need be
		"GET /v1/markets/a/b%20c":              404,
		"GET /v1/markets/a%252Fb%2520c":        404, // escaped twice
		"GET /v1/markets/%2e%2e":               404,
		"GET /v1/markets/..":                   404,
		"GET /v1/markets/../tags":              404, // no path is cleaned
		"GET /v1/markets/%2e%2e%2ftags":        404,
		"GET /v1/./tags":                       404,
		"GET //v1/tags":                        404,
		"GET /v1//tags":                        404,
		"GET /v1/tags/":                        404,
		"GET /V1/tags":                         404,
		"GET /v1/tags%00":                      404,
		"GET /v1/tags%2F":                      404,
		"GET /v1/markets/":                     404,
		"GET /v1/markets//prices?" + window:    422,
		"GET /v1/tokens//books?" + window:      422,
		"GET /v1/markets/%00":                  404,
		"GET /v1/markets/three%00":             404,
		"GET /v1/markets/%ff%fe":               404,
		"GET /v1/markets/%c0%af":               404, // an overlong slash
		"GET /v1/markets/%ed%a0%80":            404, // half a surrogate
		"GET /v1/markets/three;a=b":            404,
		"GET /v1/markets/three%3Fx":            404,
		"GET /v1/markets/three+":               404, // a plus is a plus in a path
		"GET /v1/markets/%20three":             404,
		"GET /v1/markets/three%20":             404,
		"GET /v1/markets/THREE":                404,
		"GET /v1/markets/{id_or_slug}":         404,
		"GET /v1/markets/*":                    404,
		"GET /v1/markets/" + long:              422,
		"GET /v1/markets/" + long[:200]:        404,
		"GET /v1/markets/%F0%9F%98%80":         404,
		"GET http://elsewhere.example/v1/tags": 200, // a whole address, as proxies send
		"GET *":                                404,
		"CONNECT x:443":                        404,
		// Queries.
		"GET /v1/markets?limit=5&limit=7":                                               200, // the last one counts
		"GET /v1/markets?limit=5&limit=x":                                               422,
		"GET /v1/markets?limit=5;limit=7":                                               422, // no separator
		"GET /v1/markets?limit=5;":                                                      422,
		"GET /v1/markets?a;b&limit=5":                                                   200,
		"GET /v1/markets?limit=%zz":                                                     422, // stands for itself
		"GET /v1/markets?limit=%35":                                                     200,
		"GET /v1/markets?%6cimit=x":                                                     422, // names are unescaped too
		"GET /v1/markets?LIMIT=x":                                                       200, // another name
		"GET /v1/markets?limit[]=x":                                                     200,
		"GET /v1/markets?limit":                                                         422,
		"GET /v1/markets?limit=":                                                        422,
		"GET /v1/markets?limit=-1":                                                      422,
		"GET /v1/markets?limit=-0":                                                      422,
		"GET /v1/markets?limit=0x10":                                                    422,
		"GET /v1/markets?limit=1e2":                                                     422,
		"GET /v1/markets?limit=%D9%A3":                                                  422, // an Arabic three
		"GET /v1/markets?limit=" + strings.Repeat("9", 9999):                            422,
		"GET /v1/markets?limit=0000000000000000000000005":                               200,
		"GET /v1/markets?limit=9223372036854775808":                                     422,
		"GET /v1/markets?&&&=&=x&limit=5":                                               200,
		"GET /v1/markets?limit=5?limit=x":                                               422,
		"GET /v1/markets?search=%ff":                                                    400,
		"GET /v1/markets?search=%00":                                                    400,
		"GET /v1/markets?search=%25%5F%5C'%22%3B--":                                     200,
		"GET /v1/markets?search=+++":                                                    200,
		"GET /v1/markets?tags=%ff":                                                      400,
		"GET /v1/markets?tags=a%00b":                                                    400,
		"GET /v1/markets?tags=,,,":                                                      200,
		"GET /v1/markets?tags=" + strings.Repeat("a,", 5000):                            200,
		"GET /v1/markets?event_id=%00":                                                  400,
		"GET /v1/markets?event_slug=%ff":                                                400,
		"GET /v1/markets?series_slug=%ff%00":                                            400,
		"GET /v1/events?series_id=%00":                                                  400,
		"GET /v1/markets?cursor=%00%ff":                                                 400,
		"GET /v1/markets?cursor=" + long:                                                400,
		"GET /v1/markets?category=%ff":                                                  422,
		"GET /v1/markets?category=Crypto":                                               422,
		"GET /v1/markets?category=":                                                     422,
		"GET /v1/markets?start_date_min=%ff":                                            400,
		"GET /v1/markets?start_date_min=" + long:                                        400,
		"GET /v1/markets/three/prices?" + window + "&limit=%2B5":                        200,
		"GET /v1/markets/three/prices?" + window + "&limit=+5":                          422,
		"GET /v1/markets/three/prices?" + window + "&limit=" + strings.Repeat("9", 50):  400,
		"GET /v1/markets/three/prices?resolution=1d&start_ts=0&end_ts=99999999999":      200,
		"GET /v1/markets/three/prices?resolution=250ms&start_ts=0&end_ts=99999999999":   200,
		"GET /v1/markets/three/metrics?resolution=250ms&start_ts=-1&end_ts=99999999999": 400,
		"GET /v1/markets/three/prices?resolution=1d&start_ts=0&end_ts=100000000000":     400,
		"GET /v1/markets/three/prices?resolution=%ff&start_ts=0&end_ts=1":               422,
		"GET /v1/markets/three/prices?resolution=1m%20&start_ts=0&end_ts=1":             422,
		"GET /v1/markets/three/prices?resolution=1m&start_ts=%201&end_ts=2":             400,
		"GET /v1/markets/three/books?resolution=1m&start_ts=0001-01-01&end_ts=9999-12-31T23:59:59.999999999Z": 200,
		"GET /v1/markets/three/prices?resolution=1m&start_ts=NaN&end_ts=Infinity":                             400,
		"GET /v1/markets?search=100%":      200,
		"GET /v1/markets?search=%":         200,
		"GET /v1/markets?search=%zz%41%+%": 200,
	} {
		a := w.raw(t, line, "")
		require.Equal(t, want, a.status, "%.120s: %.300s", line, a.body)
		require.Equal(t, "application/json", a.header.Get("Content-Type"), line)
		require.True(t, json.Valid(a.body), line)
	}
}

// TestIDsThatNoStoreTakes: null characters and bytes that are not UTF-8 name nothing, as any
// other id that there is not.
func TestIDsThatNoStoreTakes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for path, want := range map[string]string{
		"/v1/markets/%00":                        "market not found: \x00",
		"/v1/markets/three%00":                   "market not found: three\x00",
		"/v1/markets/%ff":                        "market not found: \ufffd",
		"/v1/markets/%ff/gaps":                   "market not found: \ufffd",
		"/v1/markets/%00/prices?" + window:       "market not found: \x00",
		"/v1/tokens/%c0%af/books?" + window:      "token not found: \ufffd\ufffd",
		"/v1/ai/backtests/run_%00":               "no such run",
		"/v1/ai/backtests/run_1/compare/run_%ff": "no such run",
		"/v1/ai/sweeps/sweep_%00":                "no such run",
		"/v1/shared/%00":                         "no such run",
		"/v1/tags/%00":                           "no such route: /v1/tags/\x00",
		"/v1/markets/%00/prices?resolution=%ff&": "",
	} {
		a := w.get(t, path)
		if want == "" {
			require.Equal(t, http.StatusUnprocessableEntity, a.status, "parameters come first")
			continue
		}
		require.Equal(t, want, a.fails(t, http.StatusNotFound, "not_found"), path)
		if !strings.Contains(path, "/tags/") && !strings.Contains(path, "/shared/") {
			w.do(t, request{path: path, plan: "-"}).fails(t, http.StatusUnauthorized, "unauthorized")
		}
	}
}

// TestLargeBodyIsNotWaitedFor: who says how much is coming, and asks first, is told before
// sending it.
func TestLargeBodyIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	a := newWorld(t, nil).raw(t, "POST /v1/ai/backtest", "Content-Length: 65537\r\nExpect: 100-continue\r\n")
	a.fails(t, http.StatusRequestEntityTooLarge, "payload_too_large")
}
