package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
)

// ErrUnavailable: the queue does not answer a request, for what it holds against it;
// whoever asked can replay it alone.
var ErrUnavailable = errors.New("the queue does not answer")

const (
	// answerRetention is how long an interactive run is kept whose server died.
	answerRetention = market.Hour
	// noProgressTimeout is after how long without progress it is asked whether there is still a
	// worker.
	noProgressTimeout = 30 * time.Second
)

// Answer has the workers replay what is asked, while the caller waits, and returns
// the answer as Result would. tell, which may be nil, is told how many replays of a
// round are done, of all passes. Nothing is kept of the run. It fails with
// ErrUnavailable, or when ctx ends, which ends the run.
func (d *Scheduler) Answer(ctx context.Context, q Request, tell func(done, total int)) ([]byte, error) {
	if err := d.anyWorker(ctx, d.cfg.Engine); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	q.Interactive, q.MaxQueued, q.Idempotency, q.Retention = true, 0, "", answerRetention
	r, _, err := d.Submit(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() {
		end, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer done()
		if err := d.Delete(end, q.Organization, r.ID); err != nil {
			d.cfg.Log.Warn("remove a run that was answered", "run", r.ID, "error", err)
		}
	}()
	for !r.State.Final() {
		seen := SeenOf(&r)
		wait, done := context.WithTimeout(ctx, noProgressTimeout)
		next, err := d.Await(wait, q.Organization, r.ID, seen)
		still := wait.Err() != nil
		done()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && still {
			err = d.anyWorker(ctx, d.cfg.Engine)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		if r = next; tell != nil && r.Progress.Total > 0 {
			tell(r.overall())
		}
	}
	if r.State != Done {
		return nil, fmt.Errorf("%w: %s, %s", ErrUnavailable, r.State, r.Error)
	}
	text, err := d.Result(ctx, q.Organization, r.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return text, nil
}

// overall returns the progress of a run over all its passes.
func (r *Run) overall() (done, total int) {
	done = r.Progress.Done
	if r.Progress.Phase == backtest.PassBaseline {
		done += r.Progress.Total
	}
	return done, r.Progress.Total * r.Spec.job().Passes()
}

// anyWorker fails if no worker of an engine is alive.
func (s *Store) anyWorker(ctx context.Context, engine int) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var n int
	if err := s.db.QueryRowContext(ctx, s.spell(`SELECT count(*) FROM run_workers WHERE engine = $1 AND `+recentWorkers), engine).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return errors.New("there is no worker")
	}
	return nil
}
