package runs_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
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

// TestStates walks runs through their states: claimed once, told of, ended once,
// seen by nobody else, listed with the newest first, and gone when forgotten.
func TestStates(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 40)
	report, err := backtest.Run(t.Context(), archive, spec(t, "").Body.Strategy, backtest.DefaultOptions(), replay.Parallel{})
	require.NoError(t, err)
	require.NotEmpty(t, report.Trades)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx, s := t.Context(), open()
		now := 1000 * second
		add := func(organization, prompt string) runs.Run {
			r, existed, err := s.Add(ctx, ask(t, organization, prompt), now)
			require.NoError(t, err)
			require.False(t, existed)
			require.Equal(t, runs.Queued, r.State)
			now += second
			return r
		}
		first, second2, other := add("acme", "Buy 50% \\ of_it"), add("acme", "another"), add("globex", "theirs")
		_, err := s.Find(ctx, "globex", first.ID)
		require.ErrorIs(t, err, runs.ErrNoRun, "another's run")

		got, err := s.Claim(ctx, "w1", now, now+10*second)
		require.NoError(t, err)
		require.Equal(t, first.ID, got.ID, "the oldest goes first")
		got, err = s.Claim(ctx, "w2", now, now+10*second)
		require.NoError(t, err)
		require.Equal(t, other.ID, got.ID, "an organization with none at work goes before one that has")

		p := runs.Progress{Phase: backtest.PassBaseline, Done: 3, Total: 40}
		ours, err := s.Tell(ctx, first.ID, "w1", p, now+10*second)
		require.NoError(t, err)
		require.True(t, ours)
		ours, err = s.Tell(ctx, first.ID, "w2", p, now+10*second)
		require.NoError(t, err)
		require.False(t, ours, "another worker's run")
		_, err = s.Result(ctx, "acme", first.ID)
		require.ErrorIs(t, err, runs.ErrNotDone)
		_, err = s.Share(ctx, "acme", first.ID)
		require.ErrorIs(t, err, runs.ErrNotDone)

		body := first.Spec.Body
		body.Report = report
		ok, err := s.Finish(ctx, first.ID, "w1", &first.Spec, &runs.Answer{Report: report}, p, now)
		require.NoError(t, err)
		require.True(t, ok)
		ok, err = s.Finish(ctx, first.ID, "w1", &first.Spec, &runs.Answer{Report: report}, p, now)
		require.NoError(t, err)
		require.False(t, ok, "a run ends once")
		result, err := s.Result(ctx, "acme", first.ID)
		require.NoError(t, err)
		var want strings.Builder
		require.NoError(t, body.WriteJSON(&want))
		require.Equal(t, want.String(), string(result))
		done, err := s.Find(ctx, "acme", first.ID)
		require.NoError(t, err)
		require.Equal(t, runs.Done, done.State)
		require.Equal(t, report.TotalPnL, done.Headline.TotalPnL)
		require.Equal(t, report.Stats.Verdict, done.Headline.Verdict)
		require.Equal(t, first.Spec.Options, done.Spec.Options, "options survive being kept")

		ok, err = s.Fail(ctx, other.ID, "w2", "the archive is down", now)
		require.NoError(t, err)
		require.True(t, ok)
		failed, err := s.Find(ctx, "globex", other.ID)
		require.NoError(t, err)
		require.Equal(t, "the archive is down", failed.Error)
		stopped, err := s.Cancel(ctx, "acme", second2.ID, now)
		require.NoError(t, err)
		require.Equal(t, runs.Cancelled, stopped.State)
		stopped, err = s.Cancel(ctx, "acme", first.ID, now)
		require.NoError(t, err)
		require.Equal(t, runs.Done, stopped.State, "a run that is over stays as it is")

		for _, c := range []struct {
			filter runs.Filter
			want   []string
		}{
			{runs.Filter{Limit: 10}, []string{second2.ID, first.ID}},
			{runs.Filter{Limit: 1}, []string{second2.ID}},
			{runs.Filter{Limit: 10, After: second2.Place()}, []string{first.ID}},
			{runs.Filter{Limit: 10, Search: "50% \\ OF_"}, []string{first.ID}},
			{runs.Filter{Limit: 10, Search: "5_%"}, nil},
			{runs.Filter{Limit: 10, State: runs.Cancelled}, []string{second2.ID}},
			{runs.Filter{Limit: 10, Verdict: string(stats.Positive)}, ids(first.ID, report.Stats.Verdict == stats.Positive)},
			{runs.Filter{Limit: 10, Coin: "ETH"}, nil},
			{runs.Filter{Limit: 10, Coin: "BTC", Type: "15m"}, []string{second2.ID, first.ID}},
		} {
			list, err := s.List(ctx, "acme", c.filter)
			require.NoError(t, err)
			var got []string
			for i := range list {
				got = append(got, list[i].ID)
			}
			require.Equal(t, c.want, got, "%+v", c.filter)
		}

		token, err := s.Share(ctx, "acme", first.ID)
		require.NoError(t, err)
		shared, text, err := s.Shared(ctx, token)
		require.NoError(t, err)
		require.Equal(t, first.ID, shared.ID)
		require.Equal(t, want.String(), string(text))
		again, err := s.Share(ctx, "acme", first.ID)
		require.NoError(t, err)
		_, _, err = s.Shared(ctx, token)
		require.ErrorIs(t, err, runs.ErrNoRun, "a new link replaces the one before")
		require.NoError(t, s.Unshare(ctx, "acme", first.ID))
		_, _, err = s.Shared(ctx, again)
		require.ErrorIs(t, err, runs.ErrNoRun)

		require.ErrorIs(t, s.Forget(ctx, "globex", first.ID), runs.ErrNoRun)
		require.NoError(t, s.Forget(ctx, "acme", first.ID))
		_, err = s.Result(ctx, "acme", first.ID)
		require.ErrorIs(t, err, runs.ErrNoRun)
	})
}

func ids(id string, is bool) []string {
	if is {
		return []string{id}
	}
	return nil
}

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
				r, existed, err := both[i%2].Add(ctx, q, second)
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
		_, _, err := both[0].Add(ctx, other, second)
		require.ErrorIs(t, err, runs.ErrOtherBody)
		other.Organization = "globex"
		_, existed, err := both[0].Add(ctx, other, second)
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
		q.Waiting = 2
		var last runs.Run
		for range 2 {
			r, _, err := s.Add(ctx, q, second)
			require.NoError(t, err)
			last = r
		}
		_, _, err := s.Add(ctx, q, second)
		require.Equal(t, market.CodeRateLimited, market.CodeOf(err))
		q.Organization = "globex"
		_, _, err = s.Add(ctx, q, second)
		require.NoError(t, err)
		q.Organization = "acme"
		_, err = s.Cancel(ctx, "acme", last.ID, second)
		require.NoError(t, err)
		_, _, err = s.Add(ctx, q, second)
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
		q.Keep = 10 * second
		old, _, err := s.Add(ctx, q, second)
		require.NoError(t, err)
		waiting, _, err := s.Add(ctx, q, second)
		require.NoError(t, err)
		q.Keep = 0
		kept, _, err := s.Add(ctx, q, second)
		require.NoError(t, err)
		for _, id := range []string{old.ID, kept.ID} {
			_, err = s.Cancel(ctx, "acme", id, second)
			require.NoError(t, err)
		}
		n, err := s.Expire(ctx, 11*second-1)
		require.NoError(t, err)
		require.Zero(t, n)
		n, err = s.Expire(ctx, 11*second)
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

// deskOver starts a desk, and returns how to stop it.
func deskOver(t *testing.T, cfg runs.DeskConfig) (d *runs.Desk, stop func()) {
	t.Helper()
	cfg.Poll = 20 * time.Millisecond
	d = runs.NewDesk(cfg)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var group sync.WaitGroup
	group.Go(func() { d.Work(ctx) })
	stop = sync.OnceFunc(func() { cancel(); group.Wait() })
	t.Cleanup(stop)
	return d, stop
}

// untilFinal waits for the end of a run and checks that what is seen on the way only
// moves forward.
func untilFinal(t *testing.T, d *runs.Desk, r runs.Run) runs.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := runs.Mark{}
	for !r.State.Final() {
		var err error
		r, err = d.Await(ctx, r.Organization, r.ID, seen)
		require.NoError(t, err)
		require.NoError(t, ctx.Err(), "the run does not end: %+v", r.Progress)
		require.True(t, seen.Behind(&r), "%v after %v", runs.MarkOf(&r), seen)
		seen = runs.MarkOf(&r)
	}
	return r
}

// answer replays a spec in one go.
func answer(ctx context.Context, src replay.Source, s *runs.Spec, p replay.Parallel) (*runs.Answer, error) {
	if s.Kind() == runs.Sweep {
		found, err := backtest.RunSweep(ctx, src, s.Body.Strategy, s.Sweep.Axes, s.SweepOptions(), p)
		return &runs.Answer{Sweep: found}, err
	}
	report, err := backtest.Run(ctx, src, s.Body.Strategy, s.Options, p)
	return &runs.Answer{Report: report}, err
}

func overArchive(src replay.Source) func(ctx context.Context, s *runs.Spec, progress func(done, total int)) (*runs.Answer, error) {
	return func(ctx context.Context, s *runs.Spec, progress func(done, total int)) (*runs.Answer, error) {
		return answer(ctx, src, s, replay.Parallel{Workers: 1, Progress: progress})
	}
}

// TestDesk replays runs: the result is what a backtest answers at once, and one that
// fails, or panics, says so and leaves the others alone.
func TestDesk(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 40)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		replayed := overArchive(archive)
		d, _ := deskOver(t, runs.DeskConfig{Store: open(), Replay: func(ctx context.Context, s *runs.Spec, progress func(done, total int)) (*runs.Answer, error) {
			switch s.Body.Prompt {
			case "panics":
				panic("poisoned")
			case "fails":
				return nil, fmt.Errorf("replay: %w", market.Errorf(market.CodeUnavailable, "archive sports is down"))
			}
			return replayed(ctx, s, progress)
		}})
		want, err := backtest.Run(t.Context(), archive, spec(t, "").Body.Strategy, backtest.DefaultOptions(), replay.Parallel{})
		require.NoError(t, err)
		for prompt, state := range map[string]runs.State{"panics": runs.Failed, "fails": runs.Failed, "good": runs.Done} {
			r, _, err := d.Submit(t.Context(), ask(t, "acme", prompt))
			require.NoError(t, err)
			r = untilFinal(t, d, r)
			require.Equal(t, state, r.State, prompt)
			switch prompt {
			case "panics":
				require.NotContains(t, r.Error, "poisoned", "the inside is not told")
				require.NotEmpty(t, r.Error)
			case "fails":
				require.Equal(t, "archive sports is down", r.Error)
			case "good":
				text, err := d.Result(t.Context(), "acme", r.ID)
				require.NoError(t, err)
				var body backtest.Body
				require.NoError(t, json.Unmarshal(text, &body))
				require.Equal(t, want.Receipt, body.Report.Receipt)
				require.Equal(t, 40, r.Progress.Done)
			}
		}
	})
}

// TestStopping cancels and forgets runs at work: the replay ends at once, and
// nothing is recorded of it.
func TestStopping(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func() *runs.Store) {
		began, ended := make(chan string, 10), make(chan error, 10)
		replayed := func(ctx context.Context, s *runs.Spec, _ func(done, total int)) (*runs.Answer, error) {
			began <- s.Body.Prompt
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		}
		s := open()
		d, stop := deskOver(t, runs.DeskConfig{Store: s, Replay: replayed, Slots: 1})
		one, _, err := d.Submit(t.Context(), ask(t, "acme", "one"))
		require.NoError(t, err)
		require.Equal(t, "one", <-began)
		r, err := d.Stop(t.Context(), "acme", one.ID)
		require.NoError(t, err)
		require.Equal(t, runs.Cancelled, r.State)
		require.Error(t, <-ended)

		two, _, err := d.Submit(t.Context(), ask(t, "acme", "two"))
		require.NoError(t, err)
		require.Equal(t, "two", <-began)
		elsewhere := runs.NewDesk(runs.DeskConfig{Store: open()}) // another process
		require.NoError(t, elsewhere.Remove(t.Context(), "acme", two.ID))
		require.Error(t, <-ended)
		_, err = d.Await(t.Context(), "acme", two.ID, runs.Mark{})
		require.ErrorIs(t, err, runs.ErrNoRun)

		three, _, err := d.Submit(t.Context(), ask(t, "acme", "three"))
		require.NoError(t, err)
		require.Equal(t, "three", <-began)
		stop()
		require.Error(t, <-ended)
		r, err = s.Find(t.Context(), "acme", three.ID)
		require.NoError(t, err)
		require.Equal(t, runs.Queued, r.State, "a server that stops puts its runs back")
	})
}

// TestTakenOver lets a worker die: its lease lapses, another does the run again,
// and the dead one, should it come back, records nothing.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 5)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx, s := t.Context(), open()
		now := market.InstantOf(time.Now())
		r, _, err := s.Add(ctx, ask(t, "acme", "one"), now)
		require.NoError(t, err)
		claimed, err := s.Claim(ctx, "dead", now, now+second/2)
		require.NoError(t, err)
		require.Equal(t, r.ID, claimed.ID)
		_, err = s.Claim(ctx, "early", now, now+second)
		require.ErrorIs(t, err, runs.ErrNoRun, "the lease still holds")
		d, _ := deskOver(t, runs.DeskConfig{Store: open(), Replay: overArchive(archive)})
		done := untilFinal(t, d, r)
		require.Equal(t, runs.Done, done.State)
		ok, err := s.Fail(ctx, r.ID, "dead", "late", now)
		require.NoError(t, err)
		require.False(t, ok)
	})
}

// TestManyWorkers lets several processes share a table: every run is done once.
func TestManyWorkers(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var lock sync.Mutex
		times := map[string]int{}
		var desks []*runs.Desk
		for range 3 {
			d, _ := deskOver(t, runs.DeskConfig{Store: open(), Slots: 2, Replay: func(_ context.Context, s *runs.Spec, _ func(done, total int)) (*runs.Answer, error) {
				lock.Lock()
				defer lock.Unlock()
				times[s.Body.Prompt]++
				return nil, errors.New("no need to replay")
			}})
			desks = append(desks, d)
		}
		var all []runs.Run
		for i := range 60 {
			r, _, err := desks[i%3].Submit(t.Context(), ask(t, fmt.Sprint("org", i%4), fmt.Sprint("run ", i)))
			require.NoError(t, err)
			all = append(all, r)
		}
		for _, r := range all {
			untilFinal(t, desks[0], r)
		}
		lock.Lock()
		defer lock.Unlock()
		require.Len(t, times, 60)
		for prompt, n := range times {
			require.Equal(t, 1, n, prompt)
		}
	})
}
