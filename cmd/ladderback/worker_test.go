//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/pgtest"
)

// killsOf is how often a process is killed in each of these tests: once, or as often
// as $LADDERBACK_CAMPAIGN says.
func killsOf(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("LADDERBACK_CAMPAIGN"))
	if err != nil {
		return 1
	}
	t.Logf("%d kills", n)
	return n
}

// workedRun is what these tests read of a run.
type workedRun struct {
	ID, State string
	Done      int
	Error     *string
	Result    json.RawMessage
	EndedAt   string `json:"ended_at"`
}

// runArchive makes a small archive of simulated rounds.
func runArchive(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	p := begin(t, nil, "simulate", "--archive", path, "--markets", "12", "--types", "15m", "--rate", "1", "--coins", "BTC")
	<-p.ended
	require.NoError(t, p.err, p.log.String())
	return path
}

// asked is a body that no other run of the test has.
func asked(i int) string {
	return fmt.Sprintf(`{"prompt":"Buy Up on BTC 15m below 45c, take profit at 55c","options":{"latency_ms":%d}}`, 250+i)
}

func (p *process) post(t *testing.T, path, key, body string) (int, []byte) {
	t.Helper()
	resp, answer := p.send(http.MethodPost, path, http.Header{"Authorization": {"Bearer " + key}}, body)
	return resp.StatusCode, answer
}

// endOf waits for the end of a run that was asked for at path.
func (p *process) endOf(t *testing.T, key, path, id string) workedRun {
	t.Helper()
	var r workedRun
	require.Eventually(t, func() bool {
		_, answer := p.get(path+"/"+id+"?wait=5s", key)
		r = workedRun{}
		return json.Unmarshal(answer, &r) == nil && (r.State == "done" || r.State == "failed")
	}, 2*time.Minute, 10*time.Millisecond)
	return r
}

// sameAsAtOnce compares the result of a run with the answer of the synchronous
// route.
func (p *process) sameAsAtOnce(t *testing.T, key string, r workedRun, body string) {
	t.Helper()
	why := ""
	if r.Error != nil {
		why = *r.Error
	}
	require.Equal(t, "done", r.State, why)
	status, want := p.post(t, "/v1/ai/backtest", key, body)
	require.Equal(t, http.StatusOK, status, "%s", want)
	require.Equal(t, strings.TrimRight(string(want), "\n"), string(r.Result))
}

// TestKilledServer kills a server that works on a run itself: the next goes on from
// the chunks that are done, to the same bytes.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	archive := runArchive(t)
	file, keys := newKeys(t, "enterprise")
	key := keys["enterprise"]
	start := func() *process {
		return serve(t, nil, "--archive", archive, "--access", file, "--chunk", "1ns", "--lease", "5s")
	}
	p := start()
	for i := range killsOf(t) {
		status, answer := p.post(t, "/v1/ai/backtests", key, asked(i))
		require.Equal(t, http.StatusAccepted, status, "%s", answer)
		var r workedRun
		require.NoError(t, json.Unmarshal(answer, &r))
		time.Sleep(rand.N(400 * time.Millisecond)) // anywhere in the run
		p.stop(syscall.SIGKILL)
		p = start()
		p.sameAsAtOnce(t, key, p.endOf(t, key, "/v1/ai/backtests", r.ID), asked(i))
	}
	require.Zero(t, p.stop(syscall.SIGTERM), p.log.String())
	require.NotContains(t, p.log.String(), "take profit", "a sentence in the log")
}

// TestKilledWorker kills one of two workers behind a server that only answers, in
// the middle of a run; the other goes on.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	addr := pgtest.Database(t)
	archive := runArchive(t)
	key := newKey(t, addr, "enterprise")
	p := serve(t, nil, "--archive", archive, "--access", addr, "--work=false")
	start := func() *process {
		w := begin(t, nil, "worker", "--archive", archive, "--access", addr, "--chunk", "1ns", "--lease", "5s", "--slots", "1", "--metrics-addr", "127.0.0.1:0")
		require.Eventually(t, func() bool { return strings.Contains(w.log.String(), "Working on runs") }, time.Minute, 5*time.Millisecond, "%s", w.log.String())
		return w
	}
	workers := []*process{start(), start()}
	for i := range killsOf(t) {
		status, answer := p.post(t, "/v1/ai/backtests", key, asked(i))
		require.Equal(t, http.StatusAccepted, status, "%s", answer)
		var r workedRun
		require.NoError(t, json.Unmarshal(answer, &r))
		time.Sleep(rand.N(800 * time.Millisecond)) // anywhere in the run
		workers[i%2].stop(syscall.SIGKILL)
		workers[i%2] = start()
		p.sameAsAtOnce(t, key, p.endOf(t, key, "/v1/ai/backtests", r.ID), asked(i))
	}
	for _, w := range workers {
		require.Zero(t, w.stop(syscall.SIGTERM), w.log.String())
		require.NotContains(t, w.log.String(), "take profit", "a sentence in the log")
	}
}

// TestOvertaking queues many runs of one organization, in a campaign a thousand, and then
// a small one of another, which does not wait for them; campaigns hold it to five seconds.
func TestOvertaking(t *testing.T) {
	t.Parallel()
	ref := newReference(t)
	n, campaign := 8, os.Getenv("LADDERBACK_CAMPAIGN") != ""
	if campaign {
		n = 1000
	}
	stores := map[string]func(*testing.T) string{
		"file":       func(t *testing.T) string { return filepath.Join(t.TempDir(), "keys.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Database(t) },
	}
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := store(t)
			many := newKey(t, addr, "enterprise", "--organization", "many")
			few := newKey(t, addr, "enterprise", "--organization", "few")
			front := serve(t, nil, "--archive", ref.file, "--access", addr, "--work=false")
			var last workedRun
			for i := range n {
				last = front.submitted(t, many, varied(i))
			}
			body := varied(n)
			small := front.submitted(t, few, body) // behind all of them
			w := aWorker(t, "--archive", ref.file, "--access", addr)
			r := front.endOf(t, few, runsPath, small.ID)
			ref.same(t, r, body)
			var longest time.Duration
			for i := range 3 {
				body := varied(n + 1 + i)
				began := time.Now()
				r := front.endOf(t, few, runsPath, front.submitted(t, few, body).ID)
				longest = max(longest, time.Since(began))
				ref.same(t, r, body)
			}
			if !campaign { // a campaign has too much left
				last = front.endOf(t, many, runsPath, last.ID)
				require.Less(t, r.EndedAt, last.EndedAt, "it overtook those that were asked for before")
			}
			t.Logf("%d queued: done within %s at the most", n, longest.Round(time.Millisecond))
			if campaign {
				require.Less(t, longest, 5*time.Second)
			}
			w.stop(syscall.SIGKILL) // it has much left
		})
	}
}

// TestWorkerOfNothing: a worker whose keys are nowhere says so, and makes no file.
func TestWorkerOfNothing(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "typo.db")
	r := ladderback(t, "worker", "--archive", runArchive(t), "--access", missing, "--metrics-addr", "none")
	require.Equal(t, exitFailed, r.code, r.err)
	require.Contains(t, r.err, missing)
	require.NoFileExists(t, missing)
}

// TestLocalKeyEndsWithItsServer: the key of --local-key is worth nothing once the server
// is gone, however it ended.
func TestLocalKeyEndsWithItsServer(t *testing.T) {
	t.Parallel()
	archive, file := runArchive(t), filepath.Join(t.TempDir(), "keys.db")
	p := serve(t, nil, "--archive", archive, "--access", file, "--local-key")
	require.Eventually(t, func() bool { return strings.HasSuffix(p.out.String(), "\n") }, time.Minute, 10*time.Millisecond)
	key := strings.TrimSpace(p.out.String())
	status := func() int {
		resp, _ := p.send(http.MethodGet, "/v1/tags", http.Header{"Authorization": {"Bearer " + key}}, "")
		return resp.StatusCode
	}
	require.Equal(t, http.StatusOK, status())
	p.stop(syscall.SIGKILL)
	p = serve(t, nil, "--archive", archive, "--access", file)
	require.Equal(t, http.StatusUnauthorized, status())
}

// TestWorkerBesideAServer: a worker that was given no address for its metrics does
// without where another program has the usual one; one that was given it does not.
func TestWorkerBesideAServer(t *testing.T) {
	t.Parallel()
	if l, err := net.Listen("tcp", "127.0.0.1:9090"); err == nil { // else another program has it
		t.Cleanup(func() { _ = l.Close() })
	}
	db, err := smallArchive()
	require.NoError(t, err)
	access := filepath.Join(t.TempDir(), "keys.db")
	require.Equal(t, exitDone, ladderback(t, "keys", "create", "--access", access).code)
	p := begin(t, nil, "worker", "--archive", db, "--access", access)
	require.Eventually(t, func() bool { return strings.Contains(p.log.String(), "Working on runs") }, time.Minute, 10*time.Millisecond, p.log.String())
	require.Contains(t, p.log.String(), "No health checks and no metrics: 127.0.0.1:9090 is in use; --metrics-addr gives this worker an address of its own")
	require.Zero(t, p.stop(syscall.SIGTERM), p.log.String())

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	p = begin(t, nil, "worker", "--archive", db, "--access", access, "--metrics-addr", taken.Addr().String())
	<-p.ended
	require.Equal(t, exitFailed, p.cmd.ProcessState.ExitCode(), p.log.String())
}

// TestLocalKeyOffATerminal: what to do with the key is in the log, the key itself on
// standard output alone.
func TestLocalKeyOffATerminal(t *testing.T) {
	t.Parallel()
	p := serve(t, nil, "--archive", runArchive(t), "--access", filepath.Join(t.TempDir(), "keys.db"), "--local-key")
	require.Eventually(t, func() bool {
		return strings.Contains(p.log.String(), "Try it: curl -H 'Authorization: Bearer KEY' '") && strings.HasSuffix(p.out.String(), "\n")
	}, time.Minute, 10*time.Millisecond)
	ticket := regexp.MustCompile(`Workbench at http://\S+/#ticket=\S+ \(works once, for ten minutes\)`)
	require.Regexp(t, ticket, p.log.String())
	require.NotContains(t, p.log.String(), strings.TrimSpace(p.out.String()))
}

// TestStartTogether: servers and workers that start at once, as processes, over a new
// file of keys all go on.
func TestStartTogether(t *testing.T) {
	t.Parallel()
	db, err := smallArchive()
	require.NoError(t, err)
	access := filepath.Join(t.TempDir(), "keys.db")
	require.Equal(t, exitDone, ladderback(t, "keys", "create", "--access", access).code)
	var all []*process
	for range 4 {
		all = append(all, begin(t, nil, "worker", "--archive", db, "--access", access, "--metrics-addr", "127.0.0.1:0"),
			begin(t, nil, "serve", "--archive", db, "--access", access, "--addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0"))
	}
	for i, p := range all {
		require.Eventually(t, func() bool {
			select {
			case <-p.ended:
				return true
			default:
				return strings.Contains(strings.ToLower(p.log.String()), "metrics on")
			}
		}, time.Minute, 10*time.Millisecond, "%d: %s", i, p.log.String())
	}
	for i, p := range all {
		require.Zero(t, p.stop(syscall.SIGTERM), "%d: %s", i, p.log.String())
	}
}
