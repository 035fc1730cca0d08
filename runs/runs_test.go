package runs_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/strategy"
)

// stores opens the table of runs in a file and in PostgreSQL; two stores of one
// address are two processes.
func stores(t *testing.T, test func(t *testing.T, open func() *runs.Store)) {
	for name, address := range map[string]func(t *testing.T) string{
		"file":       func(t *testing.T) string { return filepath.Join(t.TempDir(), "runs.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := address(t)
			test(t, func() *runs.Store {
				s, err := runs.Open(t.Context(), addr)
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, s.Close()) })
				return s
			})
		})
	}
}

// spec is a run over the archive of backtesttest, told apart by its prompt.
func spec(t testing.TB, prompt string) runs.Spec {
	t.Helper()
	s, err := strategy.Decode([]byte(`{"market":{"coin":"BTC","market_type":"15m"},"side":"up","entry":[],` +
		`"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":100,"sample_size":50}`))
	require.NoError(t, err)
	c, err := strategy.Canonicalize(s)
	require.NoError(t, err)
	return runs.Spec{Body: backtest.Body{Prompt: prompt, Strategy: c, Source: strategy.SourceRules}, Options: backtest.DefaultOptions()}
}

func ask(t testing.TB, organization, prompt string) runs.Request {
	return runs.Request{Organization: organization, Key: "k_1", Spec: spec(t, prompt), Digest: sha256.Sum256([]byte(prompt))}
}

const second = market.Second

// TestNamedRequests sends one request a hundred times at once, over two
// processes: it makes one run. Another body of that name is refused, and another
// organization has names of its own.
func TestNamedRequests(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx := t.Context()
		both := []*runs.Store{open(), open()}
		q := ask(t, "acme", "the same")
		q.Idempotency = "once"
		var made atomic.Int32
		var seen sync.Map
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() {
				r, existed, err := both[i%2].Add(ctx, q, 1)
				if err != nil {
					t.Error(err)
					return
				}
				if !existed {
					made.Add(1)
				}
				seen.Store(r.ID, true)
			})
		}
		group.Wait()
		require.Equal(t, int32(1), made.Load())
		n := 0
		seen.Range(func(any, any) bool { n++; return true })
		require.Equal(t, 1, n)

		other := ask(t, "acme", "another body")
		other.Idempotency = "once"
		_, _, err := both[0].Add(ctx, other, 1)
		require.ErrorIs(t, err, runs.ErrOtherBody)
		other.Organization = "globex"
		_, existed, err := both[0].Add(ctx, other, 1)
		require.NoError(t, err)
		require.False(t, existed)
	})
}

// TestWaitingIsBounded refuses a run above the bound of its organization, and lets
// the next one in once a place is free.
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx, s := t.Context(), open()
		q := ask(t, "acme", "one")
		q.MaxQueued = 2
		var last runs.Run
		for range 2 {
			r, _, err := s.Add(ctx, q, 1)
			require.NoError(t, err)
			last = r
		}
		_, _, err := s.Add(ctx, q, 1)
		require.Equal(t, market.CodeRateLimited, market.CodeOf(err))
		q.Organization = "globex"
		_, _, err = s.Add(ctx, q, 1)
		require.NoError(t, err)
		q.Organization = "acme"
		_, err = s.Cancel(ctx, "acme", last.ID)
		require.NoError(t, err)
		_, _, err = s.Add(ctx, q, 1)
		require.NoError(t, err)
	})
}

// TestExpire forgets what is kept no longer, but neither runs at work nor shared
// ones.
func TestExpire(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx, s := t.Context(), open()
		q := ask(t, "acme", "old")
		q.Retention = 10 * second
		old, _, err := s.Add(ctx, q, 1)
		require.NoError(t, err)
		waiting, _, err := s.Add(ctx, q, 1)
		require.NoError(t, err)
		q.Retention = 0
		kept, _, err := s.Add(ctx, q, 1)
		require.NoError(t, err)
		for _, id := range []string{old.ID, kept.ID} {
			_, err = s.Cancel(ctx, "acme", id)
			require.NoError(t, err)
		}
		n, err := s.DeleteExpired(ctx, old.CreatedAt+10*second-1)
		require.NoError(t, err)
		require.Zero(t, n)
		n, err = s.DeleteExpired(ctx, old.CreatedAt+10*second)
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
		_, err = s.Find(ctx, "acme", old.ID)
		require.ErrorIs(t, err, runs.ErrNoRun)
		for _, id := range []string{waiting.ID, kept.ID} {
			_, err = s.Find(ctx, "acme", id)
			require.NoError(t, err)
		}
	})
}

// schedulerOver starts a scheduler that is quick to notice everything, and returns how to stop
// it.
func schedulerOver(t testing.TB, src replay.Source, cfg runs.Config) (d *runs.Scheduler, stop func()) {
	t.Helper()
	cfg.PollInterval, cfg.RetryDelay = cmp.Or(cfg.PollInterval, 20*time.Millisecond), time.Millisecond
	cfg.Source = func(context.Context) replay.Source { return src }
	if cfg.Lease == 0 {
		cfg.Lease = 10 * time.Second // a busy machine says a word within it
	}
	if cfg.GracePeriod == 0 {
		cfg.GracePeriod = time.Millisecond
	}
	cfg.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	d = runs.NewScheduler(cfg)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var group sync.WaitGroup
	group.Go(func() { d.Work(ctx) })
	stop = sync.OnceFunc(func() { cancel(); group.Wait() })
	t.Cleanup(stop)
	return d, stop
}

// untilFinal waits for the end of a run and checks that what is seen on the way only
// moves forward.
func untilFinal(t *testing.T, d *runs.Scheduler, r runs.Run) runs.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	seen := runs.Seen{}
	for !r.State.Final() {
		var err error
		r, err = d.Await(ctx, r.Organization, r.ID, seen)
		require.NoError(t, err)
		require.NoError(t, ctx.Err(), "the run does not end: %+v", r.Progress)
		require.True(t, seen.Behind(&r), "%v after %v", runs.SeenOf(&r), seen)
		seen = runs.SeenOf(&r)
	}
	return r
}

// answer replays a spec in one go.
func answer(ctx context.Context, src replay.Source, s *runs.Spec, p replay.Parallel) (*parts.Answer, error) {
	if s.Kind() == runs.Sweep {
		found, _, err := backtest.RunSweep(ctx, src, s.Body.Strategy, s.Sweep.Axes, s.Sweep.With(s.Options), p, nil)
		return &parts.Answer{Sweep: found}, err
	}
	report, err := backtest.Run(ctx, src, s.Body.Strategy, s.Options, p)
	return &parts.Answer{Report: report}, err
}

// TestOpenTogether: of servers and workers that start at once over nothing, none
// ends with an error, and all of them work with the same tables.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	for name, addr := range map[string]string{"file": filepath.Join(t.TempDir(), "new.db"), "PostgreSQL": pgtest.Database(t)} {
		var all errgroup.Group
		for range 8 {
			all.Go(func() error {
				s, err := runs.Open(t.Context(), addr)
				if err != nil {
					return err
				}
				_, err = s.List(t.Context(), "acme", runs.Filter{Limit: 1})
				return errors.Join(err, s.Close())
			})
		}
		require.NoError(t, all.Wait(), name)
	}
}
