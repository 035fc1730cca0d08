package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/tries"
)

// recorded runs a test over a table of runs and a record of tries, in files and in
// PostgreSQL, where they share a database.
func recorded(t *testing.T, test func(t *testing.T, s *runs.Store, record *tries.Store)) {
	for name, address := range map[string]func(t *testing.T) (table, record string){
		"file": func(t *testing.T) (string, string) {
			d := t.TempDir()
			return filepath.Join(d, "runs.db"), filepath.Join(d, "tries.db")
		},
		"PostgreSQL": func(t *testing.T) (string, string) { a := pgtest.Database(t); return a, a },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, record := address(t)
			s, err := runs.Open(t.Context(), table)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			r, err := tries.Open(t.Context(), record, true)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, r.Close()) })
			test(t, s, r)
		})
	}
}

// later is a spec that is another try: orders arrive so much later.
func later(s runs.Spec, ms int64) runs.Spec {
	s.Options.LatencyMS += ms
	return s
}

func recordOf(t *testing.T, record *tries.Store, organization string) *tries.Record {
	t.Helper()
	r, err := record.Record(t.Context(), organization, "BTC", "15m")
	require.NoError(t, err)
	return r
}

// TestRunsAreTries: every run is a try of its organization, the same again is not, and a
// sweep is deflated for those before it.
func TestRunsAreTries(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 6)
	recorded(t, func(t *testing.T, s *runs.Store, record *tries.Store) {
		d, _ := schedulerOver(t, archive, runs.Config{Store: s, Tries: record, MinChunkWork: 1})
		for i, want := range []backtest.Tally{{Look: 1}, {Look: 2, Before: stats.One}, {Look: 3, Before: 2 * stats.One}} {
			one := later(spec(t, "a try"), int64(i))
			if i == 2 {
				one.Options.Include = []backtest.Include{backtest.IncludeAfter}
			}
			r := untilFinal(t, d, submit(t, d, "acme", one))
			require.Equal(t, runs.Done, r.State, r.Error)
			require.Equal(t, want, r.Tally)
			require.Equal(t, text(t, archive, &r.Spec), result(t, d, r), "a backtest's answer does not depend on the tries before it")
		}
		again := untilFinal(t, d, submit(t, d, "acme", later(spec(t, "the second in other words"), 1)))
		require.Equal(t, backtest.Tally{Look: 2, Before: stats.One}, again.Tally)
		require.True(t, again.Cached)

		swept := untilFinal(t, d, submit(t, d, "acme", sweepSpec(t, "swept")))
		require.Equal(t, runs.Done, swept.State, swept.Error)
		require.Equal(t, backtest.Tally{Look: 4, Before: 3 * stats.One}, swept.Tally)
		require.Equal(t, 3*stats.One, swept.SweepOptions().TriesBefore)
		var body backtest.SweepBody
		require.NoError(t, json.Unmarshal([]byte(result(t, d, swept)), &body))
		require.Equal(t, 3*stats.One, body.Sweep.Options.TriesBefore)
		other := untilFinal(t, d, submit(t, d, "globex", sweepSpec(t, "swept elsewhere")))
		require.Equal(t, backtest.Tally{Look: 1}, other.Tally, "of another organization")

		r := recordOf(t, record, "acme")
		require.Len(t, r.Tries, 4)
		for i := range r.Tries {
			require.NotNil(t, r.Tries[i].DoneAt, "%+v", r.Tries[i])
		}
		require.Equal(t, body.Sweep.Independent(), r.Tries[0].Independent)
	})
}

func result(t *testing.T, d *runs.Scheduler, r runs.Run) string {
	t.Helper()
	b, err := d.Result(t.Context(), r.Organization, r.ID)
	require.NoError(t, err)
	return string(b)
}

// TestTriesOutliveCrashes: a worker that dies after it planned a run leaves its try counted;
// whoever goes on counts it no second time, nor is it when the run is cancelled or fails,
// and asked for again.
func TestTriesOutliveCrashes(t *testing.T) {
	t.Parallel()
	plain := backtesttest.Archive(t, 6)
	recorded(t, func(t *testing.T, s *runs.Store, record *tries.Store) {
		var broken, stuck atomic.Bool
		archive := &odd{Source: plain, captures: func(ctx context.Context, _ *market.Market) error {
			if stuck.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			if broken.Load() {
				return errors.New("a broken block")
			}
			return nil
		}}
		start := func() (*runs.Scheduler, func()) {
			return schedulerOver(t, archive, runs.Config{Store: s, Tries: record, MinChunkWork: 1, Lease: 300 * time.Millisecond, GracePeriod: time.Millisecond, RetryDelay: time.Millisecond})
		}
		once := func(look int) {
			t.Helper()
			r := recordOf(t, record, "acme")
			require.Len(t, r.Tries, look)
			require.Equal(t, look, r.Families[0].Tries)
		}
		// It dies between plan and end: nothing was found, and the try stands.
		stuck.Store(true)
		d, kill := start()
		r := submit(t, d, "acme", spec(t, "killed"))
		require.Eventually(t, func() bool { return len(recordOf(t, record, "acme").Tries) == 1 }, 20*time.Second, 5*time.Millisecond)
		kill()
		once(1)
		require.Nil(t, recordOf(t, record, "acme").Tries[0].DoneAt)
		stuck.Store(false)
		d, _ = start()
		r = untilFinal(t, d, r)
		require.Equal(t, runs.Done, r.State, r.Error)
		require.Equal(t, 1, r.Tally.Look)
		once(1)
		require.NotNil(t, recordOf(t, record, "acme").Tries[0].DoneAt)

		// Cancelled after it was counted, and asked for again.
		stuck.Store(true)
		r = submit(t, d, "acme", later(spec(t, "cancelled"), 1))
		require.Eventually(t, func() bool { return len(recordOf(t, record, "acme").Tries) == 2 }, 20*time.Second, 5*time.Millisecond)
		_, err := d.Stop(t.Context(), "acme", r.ID)
		require.NoError(t, err)
		stuck.Store(false)
		once(2)
		r = untilFinal(t, d, submit(t, d, "acme", later(spec(t, "cancelled"), 1)))
		require.Equal(t, runs.Done, r.State, r.Error)
		require.Equal(t, 2, r.Tally.Look)
		once(2)

		// Failed, tried again, and asked for again.
		broken.Store(true)
		r = untilFinal(t, d, submit(t, d, "acme", later(spec(t, "failed"), 2)))
		require.Equal(t, runs.Failed, r.State)
		once(3)
		broken.Store(false)
		r, err = d.Retry(t.Context(), "acme", r.ID, 0)
		require.NoError(t, err)
		r = untilFinal(t, d, r)
		require.Equal(t, runs.Done, r.State, r.Error)
		once(3)
		r = untilFinal(t, d, submit(t, d, "acme", later(spec(t, "failed"), 2)))
		require.Equal(t, 3, r.Tally.Look)
		once(3)

		// Cancelled before anything was drawn: nothing was looked at.
		_, stopped := start()
		stopped()
		idle := runs.NewScheduler(runs.Config{Store: s, Tries: record, Engine: 99})
		r = submit(t, idle, "acme", later(spec(t, "never begun"), 3))
		_, err = idle.Cancel(t.Context(), "acme", r.ID)
		require.NoError(t, err)
		once(3)
	})
}

// TestRunsKeepToTheLockbox: neither strategy, baseline, sweep nor its walk-forward reads what
// is held out; what was asked for before it was put aside is refused.
func TestRunsKeepToTheLockbox(t *testing.T) {
	t.Parallel()
	plain := backtesttest.Archive(t, 6)
	all, err := plain.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	from := market.Earliest
	for i := range all {
		from = max(from, all[i].Market.End)
	}
	recorded(t, func(t *testing.T, s *runs.Store, record *tries.Store) {
		archive := &odd{Source: plain, captures: func(_ context.Context, m *market.Market) error {
			if m.End >= from {
				t.Errorf("%s is held out, and was read", m.Slug)
			}
			return nil
		}}
		early := submit(t, runs.NewScheduler(runs.Config{Store: s, Tries: record}), "acme", spec(t, "asked before"))
		lock, err := record.PutAside(t.Context(), "acme", from)
		require.NoError(t, err)
		d, _ := schedulerOver(t, archive, runs.Config{Store: s, Tries: record, MinChunkWork: 1})
		early = untilFinal(t, d, early)
		require.Equal(t, runs.Failed, early.State)
		require.Contains(t, early.Error, "were put aside after this was asked for")

		for _, one := range []runs.Spec{spec(t, "backtest and baseline"), sweepSpec(t, "sweep")} {
			one.Options.HoldOut = lock
			r := untilFinal(t, d, submit(t, d, "acme", one))
			require.Equal(t, runs.Done, r.State, r.Error)
			body := result(t, d, r)
			require.Contains(t, body, `"hold_out":{"from":`)
			var found parts.Answer
			require.NoError(t, json.Unmarshal([]byte(body), &found))
			n := 0
			if found.Sweep != nil {
				n = found.Sweep.Funnel.Sampled
			} else {
				n = found.Report.MarketsFound
				require.NotNil(t, found.Report.Baseline.Value)
			}
			require.Positive(t, n)
			require.Less(t, n, len(all))
		}
	})
}
