package runs_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
)

// odd is an archive in which a test lets things happen.
type odd struct {
	replay.Source
	write    atomic.Int64                                      // the last one
	rounds   func() error                                      // before rounds are listed
	change   func([]market.Round) []market.Round               // what is listed
	captures func(ctx context.Context, m *market.Market) error // before captures are read
}

func (o *odd) Written(context.Context) (int64, error) { return o.write.Load(), nil }

func (o *odd) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	if o.rounds != nil {
		if err := o.rounds(); err != nil {
			return nil, err
		}
	}
	all, err := o.Source.Rounds(ctx, f)
	if err == nil && o.change != nil {
		all = o.change(slices.Clone(all))
	}
	return all, err
}

func (o *odd) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		if o.captures != nil {
			if err := o.captures(ctx, m); err != nil {
				yield(nil, err)
				return
			}
		}
		for c, err := range o.Source.Captures(ctx, m) {
			if !yield(c, err) {
				return
			}
		}
	}
}

// sweepSpec is a sweep over the same strategy.
func sweepSpec(t testing.TB, prompt string) runs.Spec {
	t.Helper()
	s := spec(t, prompt)
	s.Options.Baseline = false
	axis, err := backtest.ParseSweepAxis("exit.take_profit=0.45:0.65:0.05")
	require.NoError(t, err)
	s.Sweep = &parts.Sweep{Axes: []backtest.SweepAxis{axis}, AlsoTried: 2}
	return s
}

func submit(t testing.TB, d *runs.Scheduler, organization string, s runs.Spec) runs.Run {
	t.Helper()
	r, _, err := d.Submit(t.Context(), runs.Request{Organization: organization, Key: "k_1", Spec: s, Digest: sha256.Sum256([]byte(s.Body.Prompt))})
	require.NoError(t, err)
	return r
}

// text is the answer to a spec, made in one go.
func text(t testing.TB, src replay.Source, s *runs.Spec) string {
	t.Helper()
	a, err := answer(t.Context(), src, s, replay.Parallel{})
	require.NoError(t, err)
	var out strings.Builder
	if a.Sweep != nil {
		require.NoError(t, (&backtest.SweepBody{Prompt: s.Body.Prompt, Strategy: s.Body.Strategy, Source: s.Body.Source, Sweep: a.Sweep}).WriteJSON(&out))
	} else {
		body := s.Body
		body.Report = a.Report
		require.NoError(t, body.WriteJSON(&out))
	}
	return out.String()
}

// TestSameBytes works on runs with one process and several, few slots and many, in
// one chunk and in chunks of a market: the result is that of one go, byte for byte.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 40)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		all := spec(t, "all parts")
		all.Options.Include = []backtest.Include{backtest.IncludeFills, backtest.IncludeSensitivity}
		none := spec(t, "no market")
		to := market.Instant(1)
		none.Options.To = &to
		specs := []runs.Spec{spec(t, "plain"), all, none, sweepSpec(t, "sweep")}
		var want []string
		for i := range specs {
			want = append(want, text(t, archive, &specs[i]))
		}
		for i, c := range []struct {
			schedulers, slots int
			chunk             time.Duration
		}{{1, 8, 1}, {4, 1, 2 * time.Millisecond}, {1, 1, 5 * time.Millisecond}, {2, 2, time.Hour}} {
			var schedulers []*runs.Scheduler
			var stops []func()
			for range c.schedulers {
				d, stop := schedulerOver(t, archive, runs.Config{Store: open(), Slots: c.slots, MinChunkWork: c.chunk})
				schedulers, stops = append(schedulers, d), append(stops, stop)
			}
			for k := range specs {
				r := untilFinal(t, schedulers[0], submit(t, schedulers[k%len(schedulers)], fmt.Sprint("org ", i), specs[k]))
				require.Equal(t, runs.Done, r.State, "%+v %s: %s", c, specs[k].Body.Prompt, r.Error)
				require.False(t, r.Cached)
				got, err := schedulers[0].Result(t.Context(), r.Organization, r.ID)
				require.NoError(t, err)
				require.Equal(t, want[k], string(got), "%+v %s", c, specs[k].Body.Prompt)
				left, err := schedulers[0].Chunks(t.Context(), r.ID)
				require.NoError(t, err)
				require.Empty(t, left, "chunks of a run that is over")
			}
			for _, stop := range stops {
				stop()
			}
		}
	})
}

// TestKeptRuns lists runs with the newest first, by what is asked, and shares, and
// forgets them; another organization finds none.
func TestKeptRuns(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 40)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx, s := t.Context(), open()
		d, stop := schedulerOver(t, archive, runs.Config{Store: s})
		first := untilFinal(t, d, submit(t, d, "acme", spec(t, "Buy 50% \\ of_it")))
		swept := untilFinal(t, d, submit(t, d, "acme", sweepSpec(t, "a sweep")))
		stop()
		waits := submit(t, d, "acme", spec(t, "another"))
		_, err := s.Result(ctx, "acme", waits.ID)
		require.ErrorIs(t, err, runs.ErrNotDone)
		_, err = s.Share(ctx, "acme", waits.ID)
		require.ErrorIs(t, err, runs.ErrNotDone)
		_, err = s.Find(ctx, "globex", first.ID)
		require.ErrorIs(t, err, runs.ErrNoRun, "another's run")
		waits, err = s.Cancel(ctx, "acme", waits.ID)
		require.NoError(t, err)
		require.Equal(t, runs.Cancelled, waits.State)
		again, err := s.Cancel(ctx, "acme", first.ID)
		require.NoError(t, err)
		require.Equal(t, runs.Done, again.State, "a run that is over stays as it is")
		require.Equal(t, first.Spec.Options, again.Spec.Options, "options survive being kept")
		_, err = s.Retry(ctx, "acme", first.ID, 0)
		require.ErrorIs(t, err, runs.ErrNotFailed)
		require.NotNil(t, swept.SweepHeadline)
		require.Nil(t, swept.Headline)
		require.NotNil(t, first.Headline)

		ids := func(list ...runs.Run) (out []string) {
			for _, r := range list {
				out = append(out, r.ID)
			}
			return out
		}
		for _, c := range []struct {
			filter runs.Filter
			want   []string
		}{
			{runs.Filter{Limit: 10}, ids(waits, swept, first)},
			{runs.Filter{Limit: 10, Kind: runs.Backtest}, ids(waits, first)},
			{runs.Filter{Limit: 10, Kind: runs.Sweep}, ids(swept)},
			{runs.Filter{Limit: 1}, ids(waits)},
			{runs.Filter{Limit: 10, After: swept.Cursor()}, ids(first)},
			{runs.Filter{Limit: 10, Search: "50% \\ OF_"}, ids(first)},
			{runs.Filter{Limit: 10, Search: "5_%"}, nil},
			{runs.Filter{Limit: 10, State: runs.Cancelled}, ids(waits)},
			{runs.Filter{Limit: 10, Verdict: string(first.Headline.Verdict), Kind: runs.Backtest}, ids(first)},
			{runs.Filter{Limit: 10, Verdict: string(stats.NoEdge) + "x"}, nil},
			{runs.Filter{Limit: 10, Coin: "ETH"}, nil},
			{runs.Filter{Limit: 10, Coin: "BTC", Type: "15m"}, ids(waits, swept, first)},
		} {
			list, err := s.List(ctx, "acme", c.filter)
			require.NoError(t, err)
			require.Equal(t, c.want, ids(list...), "%+v", c.filter)
		}
		token, err := s.Share(ctx, "acme", first.ID)
		require.NoError(t, err)
		shared, result, err := s.Shared(ctx, token)
		require.NoError(t, err)
		require.Equal(t, first.ID, shared.ID)
		require.Equal(t, text(t, archive, &first.Spec), string(result))
		next, err := s.Share(ctx, "acme", first.ID)
		require.NoError(t, err)
		_, _, err = s.Shared(ctx, token)
		require.ErrorIs(t, err, runs.ErrNoRun, "a new link replaces the one before")
		require.NoError(t, s.Unshare(ctx, "acme", first.ID))
		_, _, err = s.Shared(ctx, next)
		require.ErrorIs(t, err, runs.ErrNoRun)
		require.ErrorIs(t, s.Delete(ctx, "globex", first.ID), runs.ErrNoRun)
		require.NoError(t, s.Delete(ctx, "acme", first.ID))
		_, err = s.Result(ctx, "acme", first.ID)
		require.ErrorIs(t, err, runs.ErrNoRun)
	})
}

// TestPoison lets a market panic: its run fails after three tries, says which chunk,
// and leaves another alone. Mended, it goes on from the chunks that are done.
func TestPoison(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 12)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		rounds, err := archive.Rounds(t.Context(), market.RoundFilter{})
		require.NoError(t, err)
		bad := rounds[4].Market.VenueID
		var lock sync.Mutex
		read := map[string]int{}
		poisoned := true
		src := &odd{Source: archive, captures: func(_ context.Context, m *market.Market) error {
			lock.Lock()
			defer lock.Unlock()
			read[m.VenueID]++
			if m.VenueID == bad && poisoned {
				panic("poisoned")
			}
			return nil
		}}
		d, _ := schedulerOver(t, src, runs.Config{Store: open(), MinChunkWork: 1})
		before := spec(t, "poisoned")
		before.Options.Baseline = false
		r := submit(t, d, "acme", before)
		healthy := spec(t, "healthy")
		healthy.Options.Baseline = false
		to := backtesttest.FirstRound + 5*15*market.Minute // without the bad one
		healthy.Options.To = &to
		require.Equal(t, runs.Done, untilFinal(t, d, submit(t, d, "acme", healthy)).State)
		r = untilFinal(t, d, r)
		require.Equal(t, runs.Failed, r.State)
		require.Regexp(t, `^chunk \d+ of 12 \(markets (\d+) to (\d+) of 12\): market `+regexp.QuoteMeta(rounds[4].Market.Slug)+`: the replay failed; the log of the server says why$`, r.Error)
		lock.Lock()
		require.Equal(t, 3, read[bad])
		poisoned = false
		lock.Unlock()
		tasks, err := d.Tasks(t.Context())
		require.NoError(t, err)
		require.NotContains(t, fmt.Sprint(tasks), "poisoned", "neither the sentence nor what went wrong is in the queue")

		done, err := d.Chunks(t.Context(), r.ID)
		require.NoError(t, err)
		lock.Lock()
		clear(read)
		lock.Unlock()
		r, err = d.Retry(t.Context(), "acme", r.ID, 1)
		require.NoError(t, err)
		require.Empty(t, r.Error)
		r = untilFinal(t, d, r)
		require.Equal(t, runs.Done, r.State, r.Error)
		got, err := d.Result(t.Context(), "acme", r.ID)
		require.NoError(t, err)
		require.Equal(t, text(t, archive, &before), string(got))
		lock.Lock()
		defer lock.Unlock()
		require.Len(t, read, 12-done["done"], "what was done is not done again")
	})
}

// TestArchiveAway waits for an archive that is out of reach, and fails at once where
// trying again would not help.
func TestArchiveAway(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 8)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var away atomic.Int32
		away.Store(9)
		src := odd{Source: archive, rounds: func() error {
			if away.Add(-1) >= 0 {
				return fmt.Errorf("rounds: %w", market.Errorf(market.CodeUnavailable, "archive crypto is down"))
			}
			return nil
		}}
		d, stop := schedulerOver(t, &src, runs.Config{Store: open()})
		r := untilFinal(t, d, submit(t, d, "acme", spec(t, "away")))
		require.Equal(t, runs.Done, r.State, r.Error)
		stop()

		// A market changes while the run is at work.
		began := make(chan struct{})
		var once sync.Once
		changed := make(chan struct{})
		var hash atomic.Int32
		moving := &odd{Source: archive, captures: func(context.Context, *market.Market) error {
			once.Do(func() { close(began) })
			<-changed
			return nil
		}, change: func(rounds []market.Round) []market.Round {
			rounds[2].Content[0] += byte(hash.Load())
			return rounds
		}}
		d2, stop := schedulerOver(t, moving, runs.Config{Store: open()})
		other := spec(t, "changes")
		other.Options.LatencyMS = 777
		r = submit(t, d2, "globex", other)
		<-began
		hash.Store(1)
		moving.write.Add(1)
		close(changed)
		r = untilFinal(t, d2, r)
		require.Equal(t, runs.Failed, r.State)
		require.Contains(t, r.Error, "has changed since the run was planned")
		stop()
		r, err := d2.Retry(t.Context(), "globex", r.ID, 0)
		require.NoError(t, err)
		require.Equal(t, runs.Queued, r.State)
		again, _ := schedulerOver(t, moving, runs.Config{Store: open()})
		require.Equal(t, runs.Done, untilFinal(t, again, r).State, "it is planned anew")
	})
}

// TestTableMissing: what a database has no table for is not waited for, nor tried again.
func TestTableMissing(t *testing.T) {
	t.Parallel()
	db, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "empty.db"), sqlstore.Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var asked atomic.Int32
		src := &odd{Source: backtesttest.Archive(t, 1), rounds: func() error {
			asked.Add(1)
			_, err := db.ExecContext(t.Context(), `DELETE FROM markets`)
			return fmt.Errorf("rounds: %w", err)
		}}
		d, _ := schedulerOver(t, src, runs.Config{Store: open()})
		r := untilFinal(t, d, submit(t, d, "acme", spec(t, "no table")))
		require.Equal(t, runs.Failed, r.State)
		require.Contains(t, r.Error, "a database has not all of its tables")
		require.EqualValues(t, 1, asked.Load())
	})
}

// TestStopping cancels and forgets runs at work: the replay ends at once, and
// nothing is recorded of it. A scheduler that stops puts its runs back.
func TestStopping(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 5)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		began, ended := make(chan bool, 100), make(chan error, 100)
		src := &odd{Source: archive, captures: func(ctx context.Context, _ *market.Market) error {
			began <- true
			<-ctx.Done()
			ended <- ctx.Err()
			return ctx.Err()
		}}
		s := open()
		d, stop := schedulerOver(t, src, runs.Config{Store: s, Slots: 1, Workers: 1})
		one := submit(t, d, "acme", spec(t, "one"))
		<-began
		r, err := d.Stop(t.Context(), "acme", one.ID)
		require.NoError(t, err)
		require.Equal(t, runs.Cancelled, r.State)
		require.Error(t, <-ended)

		two := submit(t, d, "acme", spec(t, "two"))
		<-began
		elsewhere := runs.NewScheduler(runs.Config{Store: open()}) // another process
		require.NoError(t, elsewhere.Delete(t.Context(), "acme", two.ID))
		require.Error(t, <-ended)
		_, err = d.Await(t.Context(), "acme", two.ID, runs.Seen{})
		require.ErrorIs(t, err, runs.ErrNoRun)

		three := submit(t, d, "acme", spec(t, "three"))
		<-began
		stop()
		require.Error(t, <-ended)
		chunks, err := s.Chunks(t.Context(), three.ID)
		require.NoError(t, err)
		require.Zero(t, chunks["done"])
		require.Equal(t, 1, chunks["waiting"]+chunks["released"], "a scheduler that stops puts its chunks back")
		d, _ = schedulerOver(t, archive, runs.Config{Store: open()})
		require.Equal(t, runs.Done, untilFinal(t, d, three).State)
	})
}

// TestTakenOver lets a worker die in every phase of a run: its lease lapses, and
// another goes on from what is done.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 5)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx, s := t.Context(), open()
		idle := runs.NewScheduler(runs.Config{Store: s})
		sp := spec(t, "one")
		r := submit(t, idle, "acme", sp)
		died, err := s.Seize(ctx, r.ID)
		require.NoError(t, err)
		require.True(t, died, "the plan")
		died, err = s.Seize(ctx, r.ID)
		require.NoError(t, err)
		require.False(t, died, "it is another's")
		d, _ := schedulerOver(t, archive, runs.Config{Store: open(), Lease: 600 * time.Millisecond, MinChunkWork: 1})
		lost := 1
		for !r.State.Final() { // as many as there is a chance to, but not one chunk ten times
			if lost < 8 {
				if died, err := s.Seize(ctx, r.ID); err == nil && died {
					lost++
				}
			}
			r, err = s.Find(ctx, "acme", r.ID)
			require.NoError(t, err)
		}
		t.Logf("%d tasks lost", lost)
		require.Equal(t, runs.Done, r.State, r.Error)
		got, err := d.Result(ctx, "acme", r.ID)
		require.NoError(t, err)
		require.Equal(t, text(t, archive, &sp), string(got))
	})
}

// TestCached answers a run with the result of an earlier one of the same, within an
// organization.
func TestCached(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 20)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var read atomic.Int32
		src := &odd{Source: archive, captures: func(context.Context, *market.Market) error { read.Add(1); return nil }}
		d, _ := schedulerOver(t, src, runs.Config{Store: open()})
		do := func(organization string, s runs.Spec) runs.Run {
			r := untilFinal(t, d, submit(t, d, organization, s))
			require.Equal(t, runs.Done, r.State, r.Error)
			got, err := d.Result(t.Context(), organization, r.ID)
			require.NoError(t, err)
			require.Equal(t, text(t, archive, &s), string(got))
			return r
		}
		require.False(t, do("acme", spec(t, "in these words")).Cached)
		n := read.Load()
		again := do("acme", spec(t, "in other words"))
		require.True(t, again.Cached)
		require.NotNil(t, again.Headline)
		require.Equal(t, 20, again.Progress.Done)
		require.Equal(t, n, read.Load(), "nothing is replayed")
		other := spec(t, "otherwise")
		other.Options.LatencyMS++
		require.False(t, do("acme", other).Cached)
		require.False(t, do("globex", spec(t, "in these words")).Cached)
		require.False(t, do("acme", sweepSpec(t, "in these words")).Cached)
		require.True(t, do("acme", sweepSpec(t, "once more")).Cached)
	})
}

// many is how many runs TestFairness queues: a thousand in a campaign.
var many = map[bool]int{false: 100, true: 1000}[os.Getenv("LADDERBACK_CAMPAIGN") != ""]

// TestFairness queues many runs of one organization, and then a small one of
// another: it does not wait for them.
func TestFairness(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 3)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		s := open()
		idle := runs.NewScheduler(runs.Config{Store: s})
		for i := range many {
			sp := spec(t, fmt.Sprint("run ", i))
			sp.Options.LatencyMS = int64(i)
			submit(t, idle, "acme", sp)
		}
		d, _ := schedulerOver(t, archive, runs.Config{Store: s, Slots: 1, Workers: 1})
		require.Eventually(t, func() bool {
			list, err := s.List(t.Context(), "acme", runs.Filter{State: runs.Done, Limit: 5})
			return err == nil && len(list) == 5
		}, 3*time.Minute, 10*time.Millisecond)
		began := time.Now()
		require.Equal(t, runs.Done, untilFinal(t, d, submit(t, d, "globex", spec(t, "small"))).State)
		t.Logf("done within %s", time.Since(began).Round(time.Millisecond))
		left, err := s.List(t.Context(), "acme", runs.Filter{State: runs.Queued, Limit: 1000})
		require.NoError(t, err)
		require.Greater(t, len(left), many/2, "it overtook most of them")
	})
}

// TestEngines keeps the engines apart: a worker leaves the runs of another alone,
// and one whose engine is gone is refused after a while.
func TestEngines(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 5)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		next, _ := schedulerOver(t, archive, runs.Config{Store: open(), Engine: 2, Lease: 400 * time.Millisecond})
		older := runs.NewScheduler(runs.Config{Store: open()})
		kept, gone := submit(t, older, "acme", spec(t, "kept")), submit(t, older, "acme", spec(t, "gone"))
		require.Equal(t, runs.Done, untilFinal(t, next, submit(t, next, "acme", spec(t, "newer"))).State)
		for _, r := range []runs.Run{kept, gone} {
			r, err := next.Find(t.Context(), "acme", r.ID)
			require.NoError(t, err)
			require.Equal(t, runs.Queued, r.State)
		}
		require.NoError(t, next.Age(t.Context(), gone.ID, time.Hour))
		gone = untilFinal(t, next, gone)
		require.Equal(t, runs.Failed, gone.State)
		require.Contains(t, gone.Error, "engine 1")
		_, stop := schedulerOver(t, archive, runs.Config{Store: open()})
		require.Equal(t, runs.Done, untilFinal(t, next, kept).State)
		stop()
	})
}

// TestNothingIsTold looks for a sentence where it must not be: in the queue.
func TestNothingIsTold(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 5)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		d, stop := schedulerOver(t, archive, runs.Config{Store: open()})
		r := untilFinal(t, d, submit(t, d, "acme", spec(t, "a secret sentence")))
		require.Equal(t, runs.Done, r.State)
		stop()
		submit(t, d, "acme", sweepSpec(t, "a secret sentence"))
		tasks, err := d.Tasks(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, tasks)
		all, err := json.Marshal(tasks)
		require.NoError(t, err)
		require.NotContains(t, string(all), "secret")
		require.Contains(t, string(all), "sweep_")
	})
}
