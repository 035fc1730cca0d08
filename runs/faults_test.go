package runs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/runs"
)

// times is how often each of these faults is made: some, or as often as
// $LADDERBACK_CAMPAIGN says.
func times(some int) int {
	if n, err := strconv.Atoi(os.Getenv("LADDERBACK_CAMPAIGN")); err == nil {
		return n
	}
	return some
}

// campaign reports whether what takes time is done, and limits of time are held.
func campaign() bool { return os.Getenv("LADDERBACK_CAMPAIGN") != "" }

// sameAsInOneGo requires that a run is done and has the bytes of one go.
func sameAsInOneGo(t *testing.T, d *runs.Scheduler, r runs.Run, want string) {
	t.Helper()
	require.Equal(t, runs.Done, r.State, r.Error)
	got, err := d.Result(t.Context(), r.Organization, r.ID)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

// TestTwoClaims lets eight workers of two processes claim one chunk at once: one gets
// it. Tasks that are in the queue twice change nothing.
func TestTwoClaims(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 5)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx, both := t.Context(), []*runs.Store{open(), open()}
		idle := runs.NewScheduler(runs.Config{Store: both[0]})
		for i := range times(1) {
			sp := spec(t, fmt.Sprint("claimed ", i))
			sp.Options.LatencyMS = int64(i)
			r := submit(t, idle, "acme", sp)
			var got atomic.Int32
			var group sync.WaitGroup
			for k := range 8 {
				group.Go(func() {
					ok, err := both[k%2].Claim(ctx, r.ID, fmt.Sprint("worker ", k))
					if err != nil {
						t.Error(err)
					}
					if ok {
						got.Add(1)
					}
				})
			}
			group.Wait()
			require.EqualValues(t, 1, got.Load(), "claims of one chunk that were granted")
			_, err := both[0].Cancel(ctx, "acme", r.ID)
			require.NoError(t, err)
		}
		var schedulers []*runs.Scheduler
		for _, s := range both {
			d, _ := schedulerOver(t, archive, runs.Config{Store: s, MinChunkWork: 1})
			schedulers = append(schedulers, d)
		}
		sp := spec(t, "twice")
		want := text(t, archive, &sp)
		for i := range times(1) {
			r := submit(t, schedulers[i%2], fmt.Sprint("org ", i), sp)
			for !r.State.Final() {
				for _, s := range both {
					require.NoError(t, s.Repeat(ctx, r.ID))
				}
				time.Sleep(20 * time.Millisecond)
				var err error
				r, err = schedulers[0].Find(ctx, r.Organization, r.ID)
				require.NoError(t, err)
			}
			sameAsInOneGo(t, schedulers[0], r, want)
		}
	})
}

// TestClocks lets two workers whose clocks are an hour before and behind that of the
// database work on one run: only the database's counts.
func TestClocks(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 8)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var schedulers []*runs.Scheduler
		for _, by := range []time.Duration{time.Hour, -time.Hour} {
			s := open()
			s.Shift(by)
			d, _ := schedulerOver(t, archive, runs.Config{Store: s, MinChunkWork: 1, Slots: 1})
			schedulers = append(schedulers, d)
		}
		lost := open()
		sp := spec(t, "clocks")
		want := text(t, archive, &sp)
		for i := range times(1) {
			r := submit(t, schedulers[i%2], fmt.Sprint("org ", i), sp)
			time.Sleep(rand.N(20 * time.Millisecond))
			_, err := lost.Seize(t.Context(), r.ID) // a third worker dies
			require.NoError(t, err)
			sameAsInOneGo(t, schedulers[i%2], untilFinal(t, schedulers[i%2], r), want)
		}
	})
}

// TestStoppedSchedulers stops schedulers one after another in the midst of runs: what a chunk
// found is kept, and no chunk is replayed twice.
func TestStoppedSchedulers(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 12)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var done atomic.Int32
		store := open()
		start := func() (*runs.Scheduler, func()) {
			return schedulerOver(t, archive, runs.Config{Store: store, MinChunkWork: 1, Slots: 2, GracePeriod: time.Minute, Observe: func(kind runs.TaskKind, outcome string, _ time.Duration) {
				if kind == runs.ChunkTask && outcome == runs.TaskDone {
					done.Add(1)
				}
			}})
		}
		sp := spec(t, "stopped")
		want := text(t, archive, &sp)
		d, stop := start()
		for i := range times(1) {
			done.Store(0)
			r := submit(t, d, fmt.Sprint("org ", i), sp)
			for range 3 {
				time.Sleep(rand.N(30 * time.Millisecond))
				stop()
				chunks, err := d.Chunks(t.Context(), r.ID)
				require.NoError(t, err)
				if r, err = d.Find(t.Context(), r.Organization, r.ID); err == nil && r.State.Final() {
					break // its chunks are gone
				}
				require.LessOrEqual(t, chunks["done"], int(done.Load()))
				d, stop = start()
			}
			if r.State.Final() {
				d, stop = start()
			}
			sameAsInOneGo(t, d, untilFinal(t, d, r), want)
			require.EqualValues(t, 24, done.Load(), "12 chunks of each pass")
		}
		stop()
	})
}

// TestCancelUnderLoad cancels one of several runs that fill all slots of several
// workers, from a process that does not work: each of its chunks ends, within a second
// (which campaigns hold), and the others go on.
func TestCancelUnderLoad(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 24)
	half := backtesttest.FirstRound + 12*15*market.Minute
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var at atomic.Int32 // chunks of the one to be cancelled, which never end by themselves
		src := &odd{Source: archive, captures: func(ctx context.Context, m *market.Market) error {
			if m.Start >= half {
				return nil
			}
			at.Add(1)
			defer at.Add(-1)
			<-ctx.Done()
			return ctx.Err()
		}}
		for range 3 {
			schedulerOver(t, src, runs.Config{Store: open(), MinChunkWork: 1, Slots: 2, Workers: 1})
		}
		front := runs.NewScheduler(runs.Config{Store: open(), PollInterval: 20 * time.Millisecond})
		endless, finite := spec(t, "endless"), spec(t, "finite")
		last, next := half-1, half+1
		endless.Options.To, finite.Options.From = &last, &next
		want := text(t, archive, &finite)
		var longest, told time.Duration
		for i := range times(1) {
			r := submit(t, front, fmt.Sprint("acme ", i), endless)
			require.Eventually(t, func() bool { return at.Load() >= 6 }, time.Minute, time.Millisecond)
			other := submit(t, front, fmt.Sprint("globex ", i), finite)
			time.Sleep(rand.N(50 * time.Millisecond))
			began := time.Now()
			r, err := front.Stop(t.Context(), r.Organization, r.ID)
			require.NoError(t, err)
			require.Equal(t, runs.Cancelled, r.State)
			told = max(told, time.Since(began))
			require.Eventually(t, func() bool { return at.Load() == 0 }, time.Minute, time.Millisecond)
			longest = max(longest, time.Since(began))
			sameAsInOneGo(t, front, untilFinal(t, front, other), want)
			left, err := front.Chunks(t.Context(), r.ID)
			require.NoError(t, err)
			require.Empty(t, left)
		}
		t.Logf("cancelled within %s, all chunks ended within %s", told.Round(time.Millisecond), longest.Round(time.Millisecond))
		if campaign() {
			require.Less(t, longest, time.Second)
		}
	})
}

// TestSlowWorkers lets live workers lose their leases again and again: that is no
// fault of a run, however often it happens.
func TestSlowWorkers(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 3)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		s := open()
		var taken, kept atomic.Int32
		src := &odd{Source: archive, captures: func(ctx context.Context, _ *market.Market) error {
			for taken.Load() < 12 && ctx.Err() == nil { // until another has it
				time.Sleep(time.Millisecond)
			}
			return ctx.Err()
		}}
		d, _ := schedulerOver(t, src, runs.Config{Store: s, Slots: 1, Workers: 1, Lease: 400 * time.Millisecond, Observe: func(_ runs.TaskKind, outcome string, _ time.Duration) {
			if outcome == runs.TaskLost {
				taken.Add(1)
			}
		}})
		sp := spec(t, "slow")
		r := submit(t, d, "acme", sp)
		for taken.Load() < 12 {
			_, err := s.Lapse(t.Context(), r.ID)
			require.NoError(t, err)
			n, err := s.Starts(t.Context(), r.ID)
			require.NoError(t, err)
			kept.Store(max(kept.Load(), int32(n)))
			time.Sleep(5 * time.Millisecond)
		}
		sameAsInOneGo(t, d, untilFinal(t, d, r), text(t, archive, &sp))
		require.Less(t, kept.Load(), int32(5), "begun in vain")
	})
}

// TestDeploy starts and stops workers of two engines at random: each run is worked on
// by its own alone, and is its engine's to the end.
func TestDeploy(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 8)
	half := backtesttest.FirstRound + 4*15*market.Minute
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var mixed atomic.Int32
		both := []*runs.Store{open(), open()}
		start := func(engine int) (*runs.Scheduler, func()) {
			src := &odd{Source: archive, captures: func(_ context.Context, m *market.Market) error {
				if (m.Start >= half) != (engine == 2) {
					mixed.Add(1)
				}
				return nil
			}}
			return schedulerOver(t, src, runs.Config{Store: both[engine-1], MinChunkWork: 1, Slots: 1, Engine: engine})
		}
		first, second := spec(t, "first"), spec(t, "second")
		last, next := half-1, half+1
		first.Options.To, second.Options.From = &last, &next
		specs := []runs.Spec{first, second}
		want := []string{text(t, archive, &first), text(t, archive, &second)}
		var schedulers [2]*runs.Scheduler
		var stops [2]func()
		for k := range schedulers {
			schedulers[k], stops[k] = start(k + 1)
		}
		for i := range times(1) {
			var asked [2]runs.Run
			for k := range asked {
				asked[k] = submit(t, schedulers[k], fmt.Sprint("org ", i), specs[k])
			}
			time.Sleep(rand.N(40 * time.Millisecond))
			k := rand.N(2)
			stops[k]()
			sameAsInOneGo(t, schedulers[1-k], untilFinal(t, schedulers[1-k], asked[1-k]), want[1-k])
			r, err := schedulers[1-k].Find(t.Context(), asked[k].Organization, asked[k].ID)
			require.NoError(t, err)
			require.Equal(t, k+1, r.Engine)
			require.NotEqual(t, runs.Failed, r.State, r.Error)
			schedulers[k], stops[k] = start(k + 1)
			sameAsInOneGo(t, schedulers[k], untilFinal(t, schedulers[k], asked[k]), want[k])
		}
		require.Zero(t, mixed.Load(), "markets of a run that the other engine read")
	})
}

// TestTasksAreTold: workers are told of every task, also of those that follow each other at
// once: nobody is left to look for them.
func TestTasksAreTold(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 5)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		d, _ := schedulerOver(t, archive, runs.Config{Store: open(), MinChunkWork: 1, PollInterval: time.Hour})
		for _, prompt := range []string{"one", "two", "three"} {
			require.Equal(t, runs.Done, untilFinal(t, d, submit(t, d, "acme", spec(t, prompt))).State)
		}
	})
}
