//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/pgtest"
)

// spread is one way to spread the work on runs.
type spread struct {
	tables  bool   // archive, keys and runs are in PostgreSQL; false: in files
	packs   string // where the blocks are: "" in rows, folder, bucket
	workers int    // beside a server that works itself with files, and only answers with tables
	slots   int
	chunk   string // 1ns: a market; 1h: all of them; 0s: what is usual
}

func (s *spread) String() string {
	return fmt.Sprintf("%s, packs %q, %d workers, %d slots, chunks of %s", map[bool]string{false: "files", true: "tables"}[s.tables], s.packs, s.workers, s.slots, s.chunk)
}

// spreads are those that every run of the tests tries, or in a campaign
// (LADDERBACK_SPREADS=1, ten minutes and more) all that there are.
func spreads() []spread {
	if os.Getenv("LADDERBACK_SPREADS") == "" {
		return []spread{
			{false, "", 0, 8, "1ns"}, {false, "folder", 1, 1, "1h"},
			{true, "bucket", 2, 2, "1ns"}, {true, "folder", 4, 1, "20ms"},
		}
	}
	var out []spread
	for _, tables := range []bool{false, true} {
		for _, packs := range []string{"", "folder", "bucket"} {
			for _, workers := range []int{1, 2, 4} {
				for _, slots := range []int{1, 2, 4, 8} {
					for _, chunk := range []string{"1ns", "1h", "0s"} {
						out = append(out, spread{tables, packs, workers, slots, chunk})
					}
				}
			}
		}
	}
	return out
}

// spreadWorld has the archives of TestSpreads, each made when it is asked for.
type spreadWorld struct {
	made, bucket string
	env          []string
	lock         sync.Mutex
	at           map[string]string
}

// done runs a command that has to succeed, and returns what it printed.
func (w *spreadWorld) done(t *testing.T, args ...string) string {
	t.Helper()
	p := begin(t, w.env, args...)
	<-p.ended
	require.NoError(t, p.err, "%v: %s", args, p.log.String())
	return p.out.String()
}

// archive returns the address of an archive of one kind.
func (w *spreadWorld) archive(t *testing.T, dir string, s *spread) string {
	t.Helper()
	w.lock.Lock()
	defer w.lock.Unlock()
	name := fmt.Sprint(s.tables, s.packs)
	if addr, ok := w.at[name]; ok {
		return addr
	}
	addr := filepath.Join(dir, name+".db")
	if s.tables {
		addr = pgtest.Database(t)
	}
	w.done(t, "archive", "copy", w.made, addr)
	if to := map[string]string{"folder": filepath.Join(dir, name), "bucket": w.bucket}[s.packs]; to != "" {
		require.Contains(t, w.done(t, "archive", "pack", "--archive", addr, "--to", to, "--all"), "in 1 pack")
	}
	w.at[name] = addr
	return addr
}

// spreadAsks are the runs that TestSpreads compares: by route, the body, and the
// command that answers the same in one go.
var spreadAsks = []struct {
	path, body string
	command    []string
}{
	{
		"/v1/ai/backtests", `{"prompt":"Buy Up on BTC 15m below 45c, take profit at 55c, stop at 20c","options":{"include":["fills","sensitivity"]}}`,
		[]string{"backtest", "Buy Up on BTC 15m below 45c, take profit at 55c, stop at 20c", "--json", "--include", "fills,sensitivity"},
	},
	{
		"/v1/ai/sweeps", `{"prompt":"Buy Up on BTC 15m below 45c, take profit at 55c","vary":["exit.take_profit=0.5:0.6:0.05"]}`,
		[]string{"sweep", "Buy Up on BTC 15m below 45c, take profit at 55c", "--vary", "exit.take_profit=0.5:0.6:0.05", "--json"},
	},
}

// TestSpreads has runs worked on by one process and several, with one slot and eight,
// in chunks of a market and all in one, over rows and packs, in files and in
// PostgreSQL: the answer is that of a single command, byte for byte.
func TestSpreads(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("captures"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	dir := t.TempDir()
	w := &spreadWorld{
		made: filepath.Join(dir, "a.db"), bucket: "s3://captures/all?endpoint=" + server.URL, at: map[string]string{},
		env: []string{"LADDERBACK_CACHE=" + filepath.Join(dir, "cache"), "LADDERBACK_PACKS_ACCESS_KEY=reader", "LADDERBACK_PACKS_SECRET_KEY=hushed"},
	}
	w.done(t, "simulate", "--archive", w.made, "--markets", "12", "--types", "15m", "--rate", "1", "--coins", "BTC")
	want := make([]string, len(spreadAsks))
	for i, ask := range spreadAsks {
		want[i] = compacted(t, []byte(w.done(t, append(ask.command, "--archive", w.made)...)))
		require.Contains(t, want[i], `"receipt"`)
	}
	for _, s := range spreads() {
		addr := w.archive(t, dir, &s)
		t.Run(s.String(), func(t *testing.T) {
			got := s.answers(t, w.env, addr)
			for i := range want {
				require.Equal(t, want[i], got[i])
			}
		})
	}
}

// compacted returns JSON on one line.
func compacted(t *testing.T, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, json.Compact(&out, text), "%s", text)
	return out.String()
}

// answers starts the processes of a spread, asks for the runs, and returns the
// results.
func (s *spread) answers(t *testing.T, env []string, addr string) (out []string) {
	t.Helper()
	keys := filepath.Join(t.TempDir(), "keys.db")
	more := []string{"--archive", addr, "--chunk", s.chunk}
	if s.tables {
		keys = pgtest.Database(t)
	}
	more = append(more, "--access", keys)
	key := newKey(t, keys, "enterprise")
	p := serve(t, append(env, "LADDERBACK_RUNS="+strconv.Itoa(s.slots)), append(more, fmt.Sprintf("--work=%v", !s.tables))...)
	workers := make([]*process, s.workers)
	for i := range workers {
		workers[i] = begin(t, env, append([]string{"worker", "--slots", strconv.Itoa(s.slots), "--metrics-addr", "none"}, more...)...)
	}
	for _, one := range workers {
		require.Eventually(t, func() bool { return strings.Contains(one.log.String(), "Working on runs") }, time.Minute, 5*time.Millisecond, "%s", one.log.String())
	}
	for _, ask := range spreadAsks {
		status, answer := p.post(t, ask.path, key, ask.body)
		require.Equal(t, http.StatusAccepted, status, "%s", answer)
		var r workedRun
		require.NoError(t, json.Unmarshal(answer, &r))
		r = p.endOf(t, key, ask.path, r.ID)
		require.Equal(t, "done", r.State, "%s %v", s, r.Error)
		out = append(out, compacted(t, r.Result))
	}
	for _, one := range append(workers, p) {
		require.Zero(t, one.stop(syscall.SIGTERM), one.log.String())
		require.NotContains(t, one.log.String(), "hushed")
	}
	return out
}
