package runs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
)

// DeskConfig configures a Desk. A zero field takes its default, if it has one.
type DeskConfig struct {
	Store *Store
	// Replay makes the answer to a spec, reports its progress, and stops when its
	// context is cancelled. An error with a code is shown to the client.
	Replay func(ctx context.Context, spec *Spec, progress func(done, total int)) (*Answer, error)
	// Slots is how many runs are replayed at a time. Default 2.
	Slots int
	// Poll is how often the desk looks for work, and for the progress of runs that
	// other processes replay. Default 500 ms.
	Poll time.Duration
	// Lease is how long a claim lasts unless its worker renews it. Default 15 s.
	Lease time.Duration
	Log   *slog.Logger     // nil: nothing is logged
	Now   func() time.Time // nil: time.Now
}

// Desk replays the runs of a store, several at a time, and lets clients wait for
// them. It is safe for concurrent use.
type Desk struct {
	*Store
	cfg    DeskConfig
	worker string
	work   chan struct{} // something may have been queued

	lock    sync.Mutex
	mine    map[string]context.CancelCauseFunc // runs at work here
	changed chan struct{}                      // closed, and made anew, at every change that is seen
}

// NewDesk makes a desk, which does nothing until Work is called.
func NewDesk(cfg DeskConfig) *Desk {
	cfg.Slots = cmp.Or(cfg.Slots, 2)
	cfg.Poll = cmp.Or(cfg.Poll, 500*time.Millisecond)
	cfg.Lease = cmp.Or(cfg.Lease, 15*time.Second)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return &Desk{
		Store: cfg.Store, cfg: cfg, worker: hex.EncodeToString(b[:]), work: make(chan struct{}, 1),
		mine: map[string]context.CancelCauseFunc{}, changed: make(chan struct{}),
	}
}

func (d *Desk) now() market.Instant { return market.InstantOf(d.cfg.Now()) }

func (d *Desk) lease() market.Instant { return d.now() + market.Instant(d.cfg.Lease/time.Microsecond) }

// expireEvery is how often runs that are kept no longer are removed.
const expireEvery = time.Hour

// Work replays runs until ctx ends, and puts unfinished ones back into the queue.
func (d *Desk) Work(ctx context.Context) {
	var group sync.WaitGroup
	for range d.cfg.Slots {
		group.Go(func() { d.slot(ctx) })
	}
	group.Go(func() {
		for tick := time.NewTicker(expireEvery); ; {
			if _, err := d.Expire(ctx, d.now()); err != nil && ctx.Err() == nil {
				d.cfg.Log.Error("remove runs that are kept no longer", "error", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				tick.Stop()
				return
			}
		}
	})
	group.Wait()
}

// slot does one run after another.
func (d *Desk) slot(ctx context.Context) {
	for ctx.Err() == nil {
		r, err := d.Claim(ctx, d.worker, d.now(), d.lease())
		if err == nil {
			d.do(ctx, &r)
			continue
		}
		if !errors.Is(err, ErrNoRun) && ctx.Err() == nil {
			d.cfg.Log.Error("look for runs to do", "error", err)
		}
		select {
		case <-d.work:
		case <-time.After(d.cfg.Poll):
		case <-ctx.Done():
		}
	}
}

var (
	errTaken   = errors.New("the run is no longer ours")
	errStopped = errors.New("the server stops")
)

// do replays a run that was claimed and records how it ended.
func (d *Desk) do(stop context.Context, r *Run) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(stop))
	defer cancel(nil)
	defer context.AfterFunc(stop, func() { cancel(errStopped) })()
	d.lock.Lock()
	d.mine[r.ID] = cancel
	d.lock.Unlock()
	defer func() {
		d.lock.Lock()
		delete(d.mine, r.ID)
		d.lock.Unlock()
		d.tell()
	}()
	t := &telling{desk: d, run: r}
	var told sync.WaitGroup
	told.Go(func() { t.keep(ctx, cancel) })
	answer, err := d.replay(ctx, r, t.set)
	cause := context.Cause(ctx)
	cancel(nil)
	told.Wait()

	end, done := context.WithTimeout(context.WithoutCancel(stop), d.cfg.Lease)
	defer done()
	switch {
	case err == nil:
		_, err = d.Finish(end, r.ID, d.worker, &r.Spec, answer, t.get(), d.now())
	case errors.Is(cause, errTaken):
		return
	case errors.Is(cause, errStopped):
		err = d.Release(end, r.ID, d.worker)
	default:
		d.cfg.Log.Warn("run failed", "run", r.ID, "error", err)
		_, err = d.Fail(end, r.ID, d.worker, why(err), d.now())
	}
	if err != nil { // the lease lapses, and the run is done again
		d.cfg.Log.Error("record the end of a run", "run", r.ID, "error", err)
	}
}

// replay makes the answer; a panic is an error.
func (d *Desk) replay(ctx context.Context, r *Run, progress func(done, total int)) (answer *Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return d.cfg.Replay(ctx, &r.Spec, progress)
}

// why returns what a client is told of an error.
func why(err error) string {
	var known *market.Error
	if errors.As(err, &known) && known.Code != market.CodeInternal {
		return known.Message
	}
	return "the replay failed; the log of the server says why"
}

// telling keeps the row of a run at work up to date.
type telling struct {
	desk *Desk
	run  *Run

	lock sync.Mutex
	at   Progress
}

// set takes the progress of a replay.
func (t *telling) set(done, total int) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.at.Phase, t.at.Done, t.at.Total = t.run.Spec.Options.PassAt(done, total)
}

func (t *telling) get() Progress {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.at
}

// tellEvery is how often the progress of a run is recorded while it changes.
const tellEvery = 200 * time.Millisecond

// keep records the progress, and renews the lease, until ctx ends; it cancels the
// run when the row is no longer the worker's.
func (t *telling) keep(ctx context.Context, cancel context.CancelCauseFunc) {
	d := t.desk
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	last, told := Progress{}, d.cfg.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		at, now := t.get(), d.cfg.Now()
		if at == last && now.Sub(told) < min(d.cfg.Poll, d.cfg.Lease/4) {
			continue
		}
		switch ours, err := d.Tell(ctx, t.run.ID, d.worker, at, d.lease()); {
		case err != nil && ctx.Err() == nil:
			d.cfg.Log.Warn("record the progress of a run", "run", t.run.ID, "error", err)
		case err == nil && !ours:
			cancel(errTaken)
			return
		case err == nil:
			last, told = at, now
			d.tell()
		}
	}
}

// tell wakes those who wait for a change.
func (d *Desk) tell() {
	d.lock.Lock()
	defer d.lock.Unlock()
	close(d.changed)
	d.changed = make(chan struct{})
}

// Submit creates a run, as Store.Add does, and queues it for replay.
func (d *Desk) Submit(ctx context.Context, q Request) (r Run, existed bool, err error) {
	r, existed, err = d.Add(ctx, q, d.now())
	if err == nil && !existed {
		select {
		case d.work <- struct{}{}:
		default:
		}
		d.tell()
	}
	return r, existed, err
}

// Stop cancels a run, as Store.Cancel does, and ends its replay here at once.
func (d *Desk) Stop(ctx context.Context, organization, id string) (Run, error) {
	r, err := d.Cancel(ctx, organization, id, d.now())
	if err == nil && r.State == Cancelled {
		d.drop(id)
	}
	return r, err
}

// Remove forgets a run, as Store.Forget does, and ends its replay here.
func (d *Desk) Remove(ctx context.Context, organization, id string) error {
	err := d.Forget(ctx, organization, id)
	if err == nil {
		d.drop(id)
	}
	return err
}

func (d *Desk) drop(id string) {
	d.lock.Lock()
	if cancel := d.mine[id]; cancel != nil {
		cancel(errTaken)
	}
	d.lock.Unlock()
	d.tell()
}

// Mark is what a client has seen of a run. Marks are ordered by state and, while
// the run is running, by progress.
type Mark struct {
	State State
	Progress
}

// MarkOf returns the mark of all that r shows.
func MarkOf(r *Run) Mark { return Mark{r.State, r.Progress} }

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
func (m Mark) Behind(r *Run) bool {
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
func (d *Desk) Await(ctx context.Context, organization, id string, seen Mark) (Run, error) {
	for {
		d.lock.Lock()
		changed := d.changed
		d.lock.Unlock()
		r, err := d.Find(context.WithoutCancel(ctx), organization, id)
		if err != nil || ctx.Err() != nil || r.State.Final() || seen.Behind(&r) {
			return r, err
		}
		select {
		case <-changed:
		case <-time.After(d.cfg.Poll):
		case <-ctx.Done():
		}
	}
}
