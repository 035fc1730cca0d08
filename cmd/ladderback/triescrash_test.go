package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/tries"
)

// recordOf opens the record of tries beside an archive.
func recordOf(t *testing.T, archive string) func() *tries.Record {
	t.Helper()
	s, err := tries.Open(t.Context(), strings.TrimSuffix(archive, ".db")+"-tries.db", true)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return func() *tries.Record {
		r, err := s.Record(t.Context(), tries.Local, "", "")
		require.NoError(t, err)
		return r
	}
}

// TestKilledTries kills commands before their try is on the record, after it and before the
// run ends, and anywhere: each try is there once after the same command ran to its end, and
// no result that was seen is without one.
func TestKilledTries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive := filepath.Join(dir, "real.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--archive", archive, "--markets", "400", "--coins", "BTC", "--types", "5m", "--rate", "0.5", "--quiet").code)
	record := recordOf(t, archive)
	command := func(i int) []string {
		return []string{"sweep", fmt.Sprintf("Buy Up on BTC 5m below %dc, take profit at 70c, last 400 markets", 30+i),
			"--vary", "exit.take_profit=0.5:0.95:0.01", "--vary", "entry.0.threshold=0.2:0.4:0.05", "--archive", archive, "--json"}
	}
	atStart, between := 0, 0
	n := 3 * killsOf(t)
	for i := range n {
		before := len(record().Tries)
		p := begin(t, nil, command(i)...)
		switch i % 3 {
		case 0: // before the record
		case 1: // as soon as it is on the record
			require.Eventually(t, func() bool { return len(record().Tries) > before }, time.Minute, time.Millisecond, p.log.String())
		case 2:
			time.Sleep(rand.N(600 * time.Millisecond))
		}
		if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
			require.ErrorIs(t, err, os.ErrProcessDone) // it was through before
		}
		<-p.ended
		after := record()
		require.LessOrEqual(t, len(after.Tries), before+1)
		counted := len(after.Tries) > before
		if p.out.String() != "" { // it was seen, so it counts
			require.True(t, counted)
		}
		if !counted {
			atStart++
		} else if after.Tries[0].DoneAt == nil {
			between++
			require.Equal(t, float64(after.Tries[0].Variants), after.Tries[0].Independent.Float(), "for all of its variants until it is over")
		}
		p = begin(t, nil, command(i)...)
		<-p.ended
		require.NoError(t, p.err, p.log.String())
		r := record()
		require.Len(t, r.Tries, i+1, "each once")
		require.NotNil(t, r.Tries[0].DoneAt)
		require.Equal(t, i+1, r.Tries[0].Look)
	}
	t.Logf("of %d kills %d before the record, %d between it and the end", n, atStart, between)
	require.Positive(t, between, "killed between record and end")
}

// TestKilledTriesOfAServer kills the worker that has a run, at any time; another takes it
// over, and the try is counted once and ends once. So it is when the server works itself.
func TestKilledTriesOfAServer(t *testing.T) {
	t.Parallel()
	stores := map[string]func(*testing.T) string{
		"file":       func(t *testing.T) string { return filepath.Join(t.TempDir(), "keys.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Database(t) },
	}
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive := filepath.Join(t.TempDir(), "real.db")
			require.Equal(t, exitDone, ladderback(t, "simulate", "--archive", archive, "--markets", "200", "--coins", "BTC", "--types", "5m", "--rate", "0.5", "--quiet").code)
			record := recordOf(t, archive)
			access := store(t)
			key := newKey(t, access, "enterprise")
			front := serve(t, nil, "--archive", archive, "--access", access, "--work=false")
			start := func() *process {
				return aWorker(t, "--archive", archive, "--access", access, "--chunk", "1ns", "--lease", "5s")
			}
			workers := []*process{start(), start()}
			between := 0
			n := killsOf(t)
			for i := range n {
				body := fmt.Sprintf(`{"prompt":"Buy Up on BTC 5m below %dc, last 200 markets","options":{"baseline":false}}`, 30+i)
				status, answer := front.post(t, runsPath, key, body)
				require.Equal(t, http.StatusAccepted, status, "%s", answer)
				var asked workedRun
				require.NoError(t, json.Unmarshal(answer, &asked))
				if i%2 == 0 {
					require.Eventually(t, func() bool { return len(record().Tries) == i+1 }, time.Minute, time.Millisecond)
				} else {
					time.Sleep(rand.N(300 * time.Millisecond))
				}
				for k := range workers { // both, so that the one that has it is among them
					workers[k].stop(syscall.SIGKILL)
				}
				r := record()
				require.GreaterOrEqual(t, i+1, len(r.Tries))
				if len(r.Tries) == i+1 && r.Tries[0].DoneAt == nil {
					between++
				}
				for k := range workers {
					workers[k] = start()
				}
				front.sameAsAtOnce(t, key, front.endOf(t, key, runsPath, asked.ID), body)
				r = record()
				require.Len(t, r.Tries, i+1, "each once")
				require.NotNil(t, r.Tries[0].DoneAt)
				require.Equal(t, i+1, r.Tries[0].Look)
			}
			require.Positive(t, between, "killed between record and end")
		})
	}
}
