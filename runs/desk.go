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
)

// DeskConfig configures a Desk. A zero field takes its default, if it has one.
type DeskConfig struct {
	Store *Store
	// Source returns the archive that a task reads; it stays with it to its end.
	Source func(ctx context.Context) replay.Source
	// Workers is how many markets of a chunk are replayed at a time. Default: one per
	// core.
	Workers int
	// Slots is how many chunks of an organization are replayed at a time. There is
	// one place more, so that no organization holds all of them. Default 2.
	Slots int
	// Poll is how often the desk looks for work, and for the progress of runs that
	// other processes do. Default 500 ms.
	Poll time.Duration
	// Lease is after how long without a word the worker of a chunk counts as dead.
	// Default 15 s.
	Lease time.Duration
	// Soft is how long chunks may go on when the desk stops. Default 20 s.
	Soft time.Duration
	// Pause is how long a chunk that failed waits for its next try, and twice that for
	// the third. Default 2 s.
	Pause time.Duration
	// Chunk is how much estimated work a chunk holds at least. Default: see
	// parts.Draw.
	Chunk time.Duration
	// Engine is the number of the engine. Default backtest.Engine; others are for
	// tests.
	Engine int
	// Observe, when not nil, is told of every task that ends.
	Observe func(kind TaskKind, outcome string, took time.Duration)
	Log     *slog.Logger // nil: nothing is logged
}

// Desk takes runs in, works on those of its store, and lets clients wait for them.
// It is safe for concurrent use.
type Desk struct {
	*Store
	cfg    DeskConfig
	worker string

	begun atomic.Int64 // pieces: each has a worker's name of its own

	attended time.Time // when the database was last reached; of attend alone
	patient  time.Time // until when nobody is taken for dead; of attend alone

	lock    sync.Mutex
	mine    map[*atWork]bool
	owed    []*piece      // not recorded, and still to be put back
	changed chan struct{} // closed, and made anew, at every change that is seen
}

// atWork is a piece at work here.
type atWork struct {
	*piece
	done   atomic.Int64 // of its markets
	cancel context.CancelCauseFunc

	told int       // of its markets; of beats alone
	beat time.Time // when; of beats alone
}

// NewDesk makes a desk, which does nothing until Work is called.
func NewDesk(cfg DeskConfig) *Desk {
	cfg.Slots = cmp.Or(cfg.Slots, 2)
	cfg.Poll = cmp.Or(cfg.Poll, 500*time.Millisecond)
	cfg.Lease = cmp.Or(cfg.Lease, 15*time.Second)
	cfg.Soft = cmp.Or(cfg.Soft, 20*time.Second)
	cfg.Pause = cmp.Or(cfg.Pause, 2*time.Second)
	cfg.Engine = cmp.Or(cfg.Engine, backtest.Engine)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return &Desk{
		Store: cfg.Store, cfg: cfg, worker: hex.EncodeToString(b[:]),
		mine: map[*atWork]bool{}, changed: make(chan struct{}),
	}
}

// How often the desk does what is done again and again.
const (
	lookEvery   = 250 * time.Millisecond // finds pieces at work that are not to be
	beatEvery   = 250 * time.Millisecond // tells of the progress of pieces
	expireEvery = time.Hour
)

// Work works on runs until ctx ends. What is not done then is put back.
func (d *Desk) Work(ctx context.Context) {
	beating, stop := context.WithCancel(context.WithoutCancel(ctx)) // to the end of the last piece
	var beats, group sync.WaitGroup
	d.attend(ctx)
	beats.Go(func() { every(beating, lookEvery, d.look) })
	beats.Go(func() { every(beating, beatEvery, d.beats) })
	group.Go(func() { every(ctx, min(d.cfg.Lease/4, 2*time.Second), d.attend) })
	group.Go(func() {
		d.expire(ctx)
		every(ctx, expireEvery, d.expire)
	})
	group.Go(func() {
		if err := d.queue.Work(ctx, Handler{Slots: d.cfg.Slots + 1, Engine: d.cfg.Engine, Poll: d.cfg.Poll, Soft: d.cfg.Soft,
			Do: func(task context.Context, t *Task) error { return d.do(task, ctx, t) }}); err != nil {
			d.cfg.Log.Error("work on runs", "error", err)
		}
	})
	group.Wait()
	stop()
	beats.Wait()
	end, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	if err := d.absent(end, d.worker); err != nil {
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

// attend says that the worker is alive, and does what no task does.
func (d *Desk) attend(ctx context.Context) {
	err := d.present(ctx, d.worker, d.cfg.Slots, d.cfg.Engine)
	if err == nil {
		d.settle(ctx)
		err = d.tend(ctx, d.cfg.Lease, !d.wasCutOff(time.Now()))
	}
	if err != nil && ctx.Err() == nil {
		d.cfg.Log.Warn("look after runs", "error", err)
	}
}

// wasCutOff reports whether the desk has only just reached the database again. Other
// workers were probably cut off with it: they get a lease to be heard of.
func (d *Desk) wasCutOff(now time.Time) bool {
	if !d.attended.IsZero() && now.Sub(d.attended) > d.cfg.Lease {
		d.patient = now.Add(d.cfg.Lease)
	}
	d.attended = now
	return now.Before(d.patient)
}

// owe remembers a piece whose end could not be recorded.
func (d *Desk) owe(p *piece) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.owed = append(d.owed, p)
}

// settle puts back what is owed.
func (d *Desk) settle(ctx context.Context) {
	d.lock.Lock()
	all := d.owed
	d.owed = nil
	d.lock.Unlock()
	for _, p := range all {
		if d.putBack(ctx, p) != nil {
			d.owe(p)
		}
	}
}

func (d *Desk) expire(ctx context.Context) {
	now, err := d.Now(ctx)
	if err == nil {
		_, err = d.Expire(ctx, now)
	}
	if err != nil && ctx.Err() == nil {
		d.cfg.Log.Error("remove runs that are kept no longer", "error", err)
	}
}

func (d *Desk) enter(w *atWork) {
	d.lock.Lock()
	d.mine[w] = true
	d.lock.Unlock()
}

func (d *Desk) leave(w *atWork) {
	d.lock.Lock()
	delete(d.mine, w)
	d.lock.Unlock()
}

// atWork returns the pieces at work here.
func (d *Desk) atWork() []*atWork {
	d.lock.Lock()
	defer d.lock.Unlock()
	return slices.Collect(maps.Keys(d.mine))
}

// look ends what is not to be done any more. It only reads, so that it does not wait
// for those who write.
func (d *Desk) look(ctx context.Context) {
	all := d.atWork()
	if len(all) == 0 {
		return
	}
	ours, err := d.held(ctx, d.worker)
	if err != nil && ctx.Err() != nil { // all has ended meanwhile
		return
	}
	if err != nil {
		d.cfg.Log.Warn("look after what is at work", "error", err)
		return
	}
	for _, w := range all {
		if !ours[w.worker] {
			w.cancel(errTaken)
		}
	}
}

// beats says that what is done here is at work: when there is progress, and often
// enough to be alive.
func (d *Desk) beats(ctx context.Context) {
	all := d.atWork()
	for _, w := range all {
		done := int(w.done.Load())
		if done == w.told && time.Since(w.beat) < min(d.cfg.Lease/4, 2*time.Second) {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, d.cfg.Lease)
		_, err := d.tellOf(limited, w.piece, done)
		cancel()
		if err != nil && ctx.Err() != nil { // all has ended meanwhile
			return
		}
		if err != nil {
			d.cfg.Log.Warn("record the progress of a run", "run", w.Run, "error", err)
			continue
		}
		w.told, w.beat = done, time.Now()
	}
	if len(all) > 0 {
		d.tell()
	}
}

// Submit creates a run, as Store.Add does.
func (d *Desk) Submit(ctx context.Context, q Request) (r Run, existed bool, err error) {
	r, existed, err = d.Add(ctx, q, d.cfg.Engine)
	if err == nil && !existed {
		d.tell()
	}
	return r, existed, err
}

// Stop cancels a run, as Store.Cancel does, and ends its replay here at once.
func (d *Desk) Stop(ctx context.Context, organization, id string) (Run, error) {
	r, err := d.Cancel(ctx, organization, id)
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
	for w := range d.mine {
		if w.Run == id {
			w.cancel(errTaken)
		}
	}
	d.lock.Unlock()
	d.tell()
}

// tell wakes those who wait for a change.
func (d *Desk) tell() {
	d.lock.Lock()
	defer d.lock.Unlock()
	close(d.changed)
	d.changed = make(chan struct{})
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
