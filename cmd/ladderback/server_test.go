//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/pgtest"
)

// hour is the window of a market of the small archive, as a query.
const hour = "start_ts=2026-04-01T01:00:00Z&end_ts=2026-04-01T02:00:00Z"

// hourly returns a history path of that market.
func hourly(kind, resolution string) string {
	return "/v1/markets/btc-updown-1h-1775005200/" + kind + "?" + hour + "&resolution=" + resolution
}

// small starts a server over the small archive with an unlimited key.
func small(t testing.TB, env ...string) (*process, string) {
	t.Helper()
	path, err := smallArchive()
	require.NoError(t, err)
	accessFile, keys := newKeys(t, "enterprise")
	p := serve(t, env, "--archive", path, "--access", accessFile)
	resp, body := p.get(hourly("prices", "1m"), keys["enterprise"])
	require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
	return p, keys["enterprise"]
}

// TestSlowSenders lets clients send a header, and a body, a byte at a time: they
// are cut off, and others are answered meanwhile.
func TestSlowSenders(t *testing.T) {
	t.Parallel()
	p, key := small(t, "LADDERBACK_TIMEOUTS_HEADER=3s", "LADDERBACK_TIMEOUTS_BODY=5s")
	const header = "GET /v1/tags HTTP/1.1\r\nHost: x\r\nX-Padding: "
	post := "POST /v1/ai/backtest HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\nAuthorization: Bearer " + key + "\r\n\r\n{"
	var cut sync.WaitGroup
	answers := make([]string, 100)
	for i := range answers {
		c := p.dial(false)
		cut.Go(func() {
			begin := header
			if i%2 == 1 {
				begin = post
			}
			_, _ = io.WriteString(c, begin)
			go func() { // until the server closes the connection
				for {
					if _, err := io.WriteString(c, " "); err != nil {
						return
					}
					time.Sleep(50 * time.Millisecond)
				}
			}()
			answer, _ := io.ReadAll(c)
			answers[i] = string(answer)
		})
	}
	done := make(chan struct{})
	go func() { cut.Wait(); close(done) }()
	answered := 0
	for going := true; going; answered++ {
		resp, _ := p.get(hourly("prices", "1m"), key)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		select {
		case <-done:
			going = false
		default:
		}
	}
	require.Greater(t, answered, 1)
	for i := 1; i < len(answers); i += 2 {
		require.Contains(t, answers[i], `{"error":"bad_request","message":"body: incomplete; it could not be read to the end"}`)
	}
}

// TestIdleConnections keeps 10,000 connections open, half of which never say
// anything: others are answered.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	const idle = 10_000
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if limit.Max < idle+500 {
		t.Skipf("at most %d open files here (ulimit -Hn): %d connections cannot be opened", limit.Max, idle)
	}
	p, key := small(t, "LADDERBACK_TIMEOUTS_HEADER=10m", "LADDERBACK_TIMEOUTS_BODY=10m", "LADDERBACK_TIMEOUTS_IDLE=10m")
	conns := make([]net.Conn, idle)
	for i := range conns {
		conns[i] = p.dial(false)
		if i%2 == 0 {
			continue
		}
		_, err := io.WriteString(conns[i], "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
	}
	for i := 1; i < idle; i += 2 {
		resp, err := http.ReadResponse(bufio.NewReader(conns[i]), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode)
	}
	for range 50 {
		resp, body := p.get(hourly("books", "1s"), key)
		require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
	}
	for i := range conns { // none was given up for the others
		require.NoError(t, conns[i].SetReadDeadline(time.Now().Add(time.Microsecond)))
		_, err := conns[i].Read(make([]byte, 1))
		var timeout net.Error
		require.ErrorAs(t, err, &timeout)
		require.True(t, timeout.Timeout(), "connection %d: %v", i, err)
	}
	t.Logf("%d connections: the server took at most %d MB", idle, p.peak()>>20)
	require.Equal(t, exitDone, p.stop(syscall.SIGTERM))
}

// stuck opens connections that ask for much and read nothing: half for a bulk
// answer, half for page after page.
func (p *process) stuck(n int, key string) {
	for i := range n {
		c := p.dial(true)
		ask := func(path, accept string) string {
			return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nAccept: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, accept, key)
		}
		if i%2 == 0 {
			_, err := io.WriteString(c, ask(hourly("books", "250ms"), "text/csv"))
			require.NoError(p.t, err)
			continue
		}
		go func() {
			_, _ = io.WriteString(c, strings.Repeat(ask(hourly("books", "1s")+"&limit=200", "application/json"), 300))
		}()
	}
}

// TestSlowReaders lets clients read nothing of large answers: they hold no
// connection to the database.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	const readers = 20 // more than there are connections
	for name, start := range map[string]func(t *testing.T) (*process, string){
		"file": func(t *testing.T) (*process, string) { return small(t) },
		"PostgreSQL": func(t *testing.T) (*process, string) {
			path, err := smallArchive()
			require.NoError(t, err)
			addr := pgtest.Database(t)
			r := ladderback(t, "archive", "copy", path, addr)
			require.Equal(t, exitDone, r.code, r.err)
			accessFile, keys := newKeys(t, "enterprise")
			return serve(t, nil, "--archive", addr+"&pool_max_conns=4", "--access", accessFile), keys["enterprise"]
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, key := start(t)
			most := p.metric(`ladderback_connections_most{pool="archive"}`)
			require.Positive(t, most)
			require.Less(t, most, float64(readers))
			p.stuck(readers, key)
			still := 0
			require.Eventually(t, func() bool {
				still++
				if p.metric("ladderback_requests_in_flight") != readers || p.metric(`ladderback_connections_used{pool="archive"}`) != 0 {
					still = 0
				}
				return still == 20
			}, time.Minute, 10*time.Millisecond, "connections at work: %v", p.metric(`ladderback_connections_used{pool="archive"}`))
			for range 2 * readers {
				resp, _ := p.get(hourly("books", "1m"), key)
				require.Equal(t, http.StatusOK, resp.StatusCode)
			}
			require.GreaterOrEqual(t, p.metric("ladderback_requests_in_flight"), float64(readers), "they are stuck all the while")
		})
	}
}

// TestSlowReadersEnd cuts off clients that read nothing for too long.
func TestSlowReadersEnd(t *testing.T) {
	t.Parallel()
	p, key := small(t, "LADDERBACK_TIMEOUTS_WRITE=3s", "LADDERBACK_TIMEOUTS_REQUEST=3s")
	const readers = 10
	p.stuck(readers, key)
	most := 0.0
	require.Eventually(t, func() bool {
		n := p.metric("ladderback_requests_in_flight")
		most = max(most, n)
		return most > readers/2 && n == 0
	}, time.Minute, 10*time.Millisecond)
}

// TestBulkMemory streams answers that are far larger than what the server may
// take more for them.
func TestBulkMemory(t *testing.T) {
	t.Parallel()
	p, key := small(t)
	for range 20 { // all that is made once
		p.get(hourly("books", "1s")+"&limit=200", key)
	}
	const allowed = 64 << 20
	before := p.peak()
	for _, media := range []string{"text/csv", "application/vnd.apache.parquet"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base+hourly("books", "250ms"), nil)
		require.NoError(t, err)
		r.Header = http.Header{"Accept": {media}, "Authorization": {"Bearer " + key}, "Accept-Encoding": {"identity"}}
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, resp.Body)
		require.NoError(t, errorsJoin(err, resp.Body.Close()))
		require.Equal(t, http.StatusOK, resp.StatusCode)
		if media == "text/csv" {
			require.Greater(t, n, int64(2*allowed), "the answer is too small to tell")
		}
		grown := p.peak() - before
		t.Logf("%s: %d MB, for which the server took %d MB more", media, n>>20, grown>>20)
		require.Less(t, grown, allowed, media)
	}
}
