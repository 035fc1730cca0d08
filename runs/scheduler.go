package runs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/tries"
)

// Config configures a Scheduler. A zero field takes its default, if it has one.
type Config struct {
	Store *Store
	// Source returns the archive that a task reads; it stays with it to its end.
	Source func(ctx context.Context) replay.Source
	// Tries is where runs are counted as tries, and what is held out; nil: nowhere.
	Tries *tries.Store
	// Workers is how many markets of a chunk are replayed at a time. Default: one per
	// core.
	Workers int
	// Slots is how many chunks of an organization are replayed at a time. There is
	// one place more, so that no organization holds all of them. Default 2.
	Slots int
	// PollInterval is how often the scheduler looks for work, and for the progress of runs that
	// other processes do. Default 500 ms.
	PollInterval time.Duration
	// Lease is after how long without a word the worker of a chunk counts as dead.
	// Default 15 s.
	Lease time.Duration
	// GracePeriod is how long chunks may go on when the scheduler stops. Default 20 s.
	GracePeriod time.Duration
	// RetryDelay is how long a chunk that failed waits for its next try, and twice that for
	// the third. Default 2 s.
	RetryDelay time.Duration
	// MinChunkWork is how much estimated work a chunk holds at least. Default: see
	// parts.Draw.
	MinChunkWork time.Duration
	// Engine is the number of the engine. Default backtest.Engine; others are for
	// tests.
	Engine int
	// Observe, when not nil, is told of every task that ends.
	Observe func(kind TaskKind, outcome string, took time.Duration)
	Log     *slog.Logger // nil: nothing is logged
}

// Scheduler takes runs in, works on those of its store, and lets clients wait for them.
// It is safe for concurrent use.
type Scheduler struct {
	*Store
	cfg    Config
	worker string

	started atomic.Int64 // claims: each has a worker's name of its own

	lastContact time.Time // when the database was last reached; of maintain alone
	graceUntil  time.Time // until when nobody is taken for dead; of maintain alone

	lock       sync.Mutex
	active     map[*activeClaim]bool
	unrecorded []*claim      // not recorded, and still to be put back
	changed    chan struct{} // closed, and made anew, at every change that is seen
}

// activeClaim is a claim at work here.
type activeClaim struct {
	*claim
	done   atomic.Int64 // of its markets
	cancel context.CancelCauseFunc

	reportedDone int       // of its markets; of reportProgress alone
	lastReport   time.Time // when; of reportProgress alone
}

// NewScheduler makes a scheduler, which does nothing until Work is called.
func NewScheduler(cfg Config) *Scheduler {
	cfg.Slots = cmp.Or(cfg.Slots, 2)
	cfg.PollInterval = cmp.Or(cfg.PollInterval, 500*time.Millisecond)
	cfg.Lease = cmp.Or(cfg.Lease, 15*time.Second)
	cfg.GracePeriod = cmp.Or(cfg.GracePeriod, 20*time.Second)
	cfg.RetryDelay = cmp.Or(cfg.RetryDelay, 2*time.Second)
	cfg.Engine = cmp.Or(cfg.Engine, backtest.Engine)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return &Scheduler{
		Store: cfg.Store, cfg: cfg, worker: hex.EncodeToString(b[:]),
		active: map[*activeClaim]bool{}, changed: make(chan struct{}),
	}
}

// How often the scheduler does what is done again and again.
const (
	cancelInterval = 250 * time.Millisecond // finds claims at work that are not to be
	reportInterval = 250 * time.Millisecond // tells of the progress of claims
	expireInterval = time.Hour
)

// Work works on runs until ctx ends. What is not done then is put back.
func (d *Scheduler) Work(ctx context.Context) {
	beating, stop := context.WithCancel(context.WithoutCancel(ctx)) // to the end of the last claim
	var beats, group sync.WaitGroup
	d.maintain(ctx)
	beats.Go(func() { every(beating, cancelInterval, d.cancelLost) })
	beats.Go(func() { every(beating, reportInterval, d.reportProgress) })
	group.Go(func() { every(ctx, min(d.cfg.Lease/4, 2*time.Second), d.maintain) })
	group.Go(func() {
		d.deleteExpired(ctx)
		every(ctx, expireInterval, d.deleteExpired)
	})
	group.Go(func() {
		if err := d.queue.Work(ctx, Handler{Concurrency: d.cfg.Slots + 1, Engine: d.cfg.Engine, PollInterval: d.cfg.PollInterval, GracePeriod: d.cfg.GracePeriod,
			Do: func(task context.Context, t *Task) error { return d.runTask(task, ctx, t) }}); err != nil {
			d.cfg.Log.Error("work on runs", "error", err)
		}
	})
	group.Wait()
	stop()
	beats.Wait()
	end, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	if err := d.deregister(end, d.worker); err != nil {
		d.cfg.Log.Warn("say that the worker stops", "error", err)
	}
}

// every calls f again and again until ctx ends.
func every(ctx context.Context, pause time.Duration, f func(context.Context)) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f(ctx)
		}
	}
}

// maintain says that the worker is alive, and does what no task does.
func (d *Scheduler) maintain(ctx context.Context) {
	d.planCache.drop("", time.Now().Add(-planTTL))
	err := d.heartbeat(ctx, d.worker, d.cfg.Slots, d.cfg.Engine)
	if err == nil {
		d.requeueUnrecorded(ctx)
		err = d.recoverLost(ctx, d.cfg.Lease, !d.reconnected(time.Now()))
	}
	if err != nil && ctx.Err() == nil {
		d.cfg.Log.Warn("look after runs", "error", err)
	}
}

// reconnected reports whether the scheduler has only just reached the database again. Other
// workers were probably cut off with it: they get a lease to be heard of.
func (d *Scheduler) reconnected(now time.Time) bool {
	if !d.lastContact.IsZero() && now.Sub(d.lastContact) > d.cfg.Lease {
		d.graceUntil = now.Add(d.cfg.Lease)
	}
	d.lastContact = now
	return now.Before(d.graceUntil)
}

// keepUnrecorded remembers a claim whose end could not be recorded.
func (d *Scheduler) keepUnrecorded(p *claim) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.unrecorded = append(d.unrecorded, p)
}

// requeueUnrecorded puts back the claims whose end could not be recorded.
func (d *Scheduler) requeueUnrecorded(ctx context.Context) {
	d.lock.Lock()
	all := d.unrecorded
	d.unrecorded = nil
	d.lock.Unlock()
	for _, p := range all {
		if d.requeueClaim(ctx, p) != nil {
			d.keepUnrecorded(p)
		}
	}
}

func (d *Scheduler) deleteExpired(ctx context.Context) {
	now, err := d.Now(ctx)
	if err == nil {
		_, err = d.DeleteExpired(ctx, now)
	}
	if err != nil && ctx.Err() == nil {
		d.cfg.Log.Error("remove runs that are kept no longer", "error", err)
	}
}

func (d *Scheduler) track(w *activeClaim) {
	d.lock.Lock()
	d.active[w] = true
	d.lock.Unlock()
}

func (d *Scheduler) untrack(w *activeClaim) {
	d.lock.Lock()
	delete(d.active, w)
	d.lock.Unlock()
}

// activeClaims returns the claims at work here.
func (d *Scheduler) activeClaims() []*activeClaim {
	d.lock.Lock()
	defer d.lock.Unlock()
	return slices.Collect(maps.Keys(d.active))
}

// cancelLost ends what is not to be done any more. It only reads, so that it does not wait
// for those who write.
func (d *Scheduler) cancelLost(ctx context.Context) {
	all := d.activeClaims()
	if len(all) == 0 {
		return
	}
	ours, err := d.leases(ctx, d.worker)
	if err != nil && ctx.Err() != nil { // all has ended meanwhile
		return
	}
	if err != nil {
		d.cfg.Log.Warn("look after what is at work", "error", err)
		return
	}
	for _, w := range all {
		if !ours[w.worker] {
			w.cancel(errLeaseLost)
		}
	}
}

// reportProgress says that what is done here is at work: when there is progress, and often
// enough to be alive.
func (d *Scheduler) reportProgress(ctx context.Context) {
	all := d.activeClaims()
	for _, w := range all {
		done := int(w.done.Load())
		if done == w.reportedDone && time.Since(w.lastReport) < min(d.cfg.Lease/4, 2*time.Second) {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, d.cfg.Lease)
		_, err := d.recordProgress(limited, w.claim, done)
		cancel()
		if err != nil && ctx.Err() != nil { // all has ended meanwhile
			return
		}
		if err != nil {
			d.cfg.Log.Warn("record the progress of a run", "run", w.Run, "error", err)
			continue
		}
		w.reportedDone, w.lastReport = done, time.Now()
	}
	if len(all) > 0 {
		d.notify()
	}
}

// Submit creates a run, as Store.Add does.
func (d *Scheduler) Submit(ctx context.Context, q Request) (r Run, existed bool, err error) {
	r, existed, err = d.Add(ctx, q, d.cfg.Engine)
	if err == nil && !existed {
		d.notify()
	}
	return r, existed, err
}

// Stop cancels a run, as Store.Cancel does, and ends its replay here at once.
func (d *Scheduler) Stop(ctx context.Context, organization, id string) (Run, error) {
	r, err := d.Cancel(ctx, organization, id)
	if err == nil && r.State == Cancelled {
		d.cancelLocal(id)
	}
	return r, err
}

// Delete removes a run, as Store.Delete does, and ends its replay here.
func (d *Scheduler) Delete(ctx context.Context, organization, id string) error {
	err := d.Store.Delete(ctx, organization, id)
	if err == nil {
		d.cancelLocal(id)
	}
	return err
}

func (d *Scheduler) cancelLocal(id string) {
	d.lock.Lock()
	for w := range d.active {
		if w.Run == id {
			w.cancel(errLeaseLost)
		}
	}
	d.lock.Unlock()
	d.notify()
}

// notify wakes those who wait for a change.
func (d *Scheduler) notify() {
	d.lock.Lock()
	defer d.lock.Unlock()
	close(d.changed)
	d.changed = make(chan struct{})
}

// Seen is what a client has seen of a run; zero: nothing. Values are ordered by state and, while
// the run is running, by progress.
type Seen struct {
	State State
	Progress
}

// SeenOf returns all that r shows.
func SeenOf(r *Run) Seen { return Seen{r.State, r.Progress} }

// order is where a state stands; 0: none.
func (s State) order() int {
	switch s {
	case Queued:
		return 1
	case Running:
		return 2
	case Done, Failed, Cancelled:
		return 3
	}
	return 0
}

// Behind reports whether r has more to show than m: a later state, a later phase,
// or more rounds done. A run that starts over has nothing to show until it is past
// m.
func (m Seen) Behind(r *Run) bool {
	if a, b := m.State.order(), r.State.order(); a != b {
		return a < b
	}
	if r.State != Running || m.Phase == r.Progress.Phase {
		return r.State == Running && m.Done < r.Progress.Done
	}
	return m.Phase == "" || r.Progress.Phase == backtest.PassBaseline
}

// Await returns the run once it has more to show than seen, or as it is when ctx
// ends. It fails with ErrNoRun, also if the run is forgotten meanwhile.
func (d *Scheduler) Await(ctx context.Context, organization, id string, seen Seen) (Run, error) {
	// A small run that another process does is soon done: it is looked for soon, and less often then.
	for pause := d.cfg.PollInterval / 16; ; pause = min(2*pause, d.cfg.PollInterval) {
		d.lock.Lock()
		changed := d.changed
		d.lock.Unlock()
		r, err := d.Find(context.WithoutCancel(ctx), organization, id)
		if err != nil || ctx.Err() != nil || r.State.Final() || seen.Behind(&r) {
			return r, err
		}
		select {
		case <-changed:
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}
