package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
)

// TestStopUnderLoad stops a server while requests are in flight: each that was
// begun before is answered in whole.
func TestStopUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, path, _ := btc(t, w, "books", "1s")
	var entered atomic.Int64
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		entered.Add(1)
		w.api.ServeHTTP(rw, r)
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var whole atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for {
				r, _ := http.NewRequest(http.MethodGet, "http://"+l.Addr().String()+path, nil)
				r.Header.Set("Authorization", "Bearer "+w.keys["unmeasured"])
				resp, err := client.Do(r)
				if err != nil {
					return // no longer listening
				}
				var body strings.Builder
				_, err = io.Copy(&body, resp.Body)
				_ = resp.Body.Close()
				if err == nil && resp.StatusCode == http.StatusOK && strings.HasSuffix(body.String(), "}}") {
					whole.Add(1)
				}
			}
		})
	}
	require.Eventually(t, func() bool { return entered.Load() > 20 }, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, server.Shutdown(ctx))
	require.ErrorIs(t, <-served, http.ErrServerClosed)
	group.Wait()
	require.Equal(t, entered.Load(), whole.Load(), "every request that reached the server was answered in whole")
}

// TestStopFinishesRuns stops a server while a backtest, one with events, and one
// that waits for its turn are at work: each is answered in whole.
func TestStopFinishesRuns(t *testing.T) {
	t.Parallel()
	slow := &slowRounds{started: make(chan struct{}, 1), release: make(chan struct{})}
	w := newWorld(t, func(c *api.Config) {
		slow.Source = c.Rounds
		c.Rounds, c.Runs, c.RunWorkers = slow, 2, 1
	})
	server := httptest.NewServer(w.api)
	defer server.Close()
	answers := make(chan string, 3)
	ask := func(accept string) {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+backtestPath, strings.NewReader(promptBody))
		r.Header = http.Header{"Authorization": {"Bearer " + w.keys["pro"]}, "Accept": {accept}}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			answers <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body) // one cut short is seen below
		answers <- string(body)
	}
	go ask("text/event-stream")
	go ask("application/json")
	require.Eventually(t, func() bool { return strings.Contains(w.measured(), `ladderback_backtests{state="running"} 2`) }, time.Minute, time.Millisecond)
	go ask("application/json")
	require.Eventually(t, func() bool { return strings.Contains(w.measured(), `ladderback_backtests{state="waiting"} 1`) }, time.Minute, time.Millisecond)

	stopped := make(chan error, 1)
	go func() { stopped <- server.Config.Shutdown(t.Context()) }()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}, time.Minute, time.Millisecond, "no new connections are taken")
	require.Empty(t, stopped, "it waits for them")
	close(slow.release)
	want := strings.TrimSuffix(string(w.do(t, post(promptBody)).body), "\n")
	for range 3 {
		got := <-answers
		if events := strings.Contains(got, "event: "); events {
			last := eventsOf(t, got)
			require.Equal(t, [2]string{"result", want}, last[len(last)-1])
			continue
		}
		require.Equal(t, want, strings.TrimSuffix(got, "\n"))
	}
	require.NoError(t, <-stopped)
}

// TestStopEndsWaits: who follows a kept run, or waits for it, does not keep a server from
// stopping; what it answers at once it still does.
func TestStopEndsWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil) // nothing works on runs
	var run struct{ ID string }
	started := w.do(t, request{method: http.MethodPost, path: "/v1/ai/backtests", plan: "pro", body: promptBody})
	require.NoError(t, json.Unmarshal(started.body, &run))
	path := "/v1/ai/backtests/" + run.ID
	answers := make(chan *answer, 2)
	for _, what := range []string{"/events", "?wait=60s"} {
		go func() { answers <- w.do(t, request{path: path + what, plan: "pro"}) }()
	}
	require.Eventually(t, func() bool { return strings.Contains(w.measured(), "ladderback_requests_in_flight 2") }, time.Minute, time.Millisecond)
	w.api.Stop()
	for range 2 {
		a := <-answers
		if a.header.Get("Content-Type") == "text/event-stream" {
			require.Equal(t, "id: queued\nevent: state\ndata: {\"id\":\""+run.ID+"\",\"state\":\"queued\"}\n\n", string(a.body))
			continue
		}
		a.fails(t, http.StatusServiceUnavailable, "unavailable")
		require.NotEmpty(t, a.header.Get("Retry-After"))
	}
	require.Equal(t, http.StatusOK, w.do(t, request{path: path, plan: "pro"}).status)
}

// FuzzRequests sends any path and query to the data routes: nothing makes the
// server fail.
func FuzzRequests(f *testing.F) {
	f.Add("markets/three/prices", window)
	f.Add("tokens/x%2Fy/books", "start_ts=-1&end_ts=1e9&resolution=%00&limit=99999999999999999999&cursor=AAAA&category=")
	f.Add("markets/%ff%00/metrics", "start_ts=0&end_ts=253402300799&resolution=1d")
	f.Add("events", "tags=%00,a&tags_match=any&search=%25_%5C&sort=end_date&cursor=////")
	f.Add("series", "start_date_min=9999-12-31T23:59:59Z&start_date_max=0000-01-01")
	w := newWorld(f, nil)
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequest(http.MethodGet, "/v1/x", nil)
		u, err := r.URL.Parse("/v1/" + path)
		if err != nil {
			t.Skip("no path")
		}
		u.RawQuery = query
		r.URL = u
		r.Header.Set("Authorization", "Bearer "+w.keys["enterprise"])
		rec := httptest.NewRecorder()
		w.api.ServeHTTP(rec, r)
		require.Less(t, rec.Code, 500, "%s?%s: %s", path, query, rec.Body)
	})
}
