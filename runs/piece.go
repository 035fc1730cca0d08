package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ladderback/ladderback/backtest/parts"
)

// piece is a task that a worker has begun, with its run.
type piece struct {
	*Task
	worker string
	run    Run
	stage  string
	plan   *parts.Plan // nil: not made yet
	clock  *int
}

// pass returns which pass of the plan a chunk belongs to, and which chunk of it it is.
func (p *piece) pass() (pass, chunk int) {
	n := len(p.plan.Ends)
	if p.Chunk >= n {
		return 1, p.Chunk - n
	}
	return 0, p.Chunk
}

// where says in words which piece of its run this is.
func (p *piece) where() string {
	switch {
	case p.Chunk >= mergePlace:
		return "putting the chunks together: "
	case p.Chunk < 0 || p.plan == nil:
		return ""
	}
	pass, chunk := p.pass()
	from, to := p.plan.Span(chunk)
	of := ""
	if pass == 1 {
		of = " of the baseline"
	}
	return fmt.Sprintf("chunk %d of %d%s (markets %d to %d of %d): ", chunk+1, len(p.plan.Ends), of, from+1, to, len(p.plan.Rounds))
}

// errStale says that a task is not to be done: its run is over, or another worker
// does it.
var errStale = errors.New("nothing to be done")

// begin claims what a task is about. It fails with errStale, and takes the task out
// of the queue, if there is nothing to claim.
func (s *Store) begin(ctx context.Context, task *Task, worker string, lease time.Duration) (*piece, error) {
	p := &piece{Task: task, worker: worker}
	err := s.update(ctx, func(ctx context.Context, t *Tx) error {
		n, err := t.exec(ctx, `UPDATE run_chunks SET worker = $1, beat = {now}, starts = starts + 1
			WHERE run = $2 AND chunk = $3 AND kind = $4 AND state = 'released' AND (worker = '' OR beat < {now} - $5)
			AND EXISTS (SELECT 1 FROM runs WHERE id = $2 AND state IN ('queued', 'running') AND engine = $6)`,
			worker, task.Run, task.Chunk, string(task.Kind), int64(lease/time.Microsecond), task.Engine)
		if err != nil {
			return err
		}
		if n == 0 {
			p.stage = ""
			return task.complete(ctx, t)
		}
		if _, err := t.exec(ctx, `UPDATE runs SET state = 'running', started_at = CASE WHEN started_at = 0 THEN {now} ELSE started_at END WHERE id = $1 AND state = 'queued'`, task.Run); err != nil {
			return err
		}
		var packed []byte
		if err := t.row(ctx, `SELECT stage, plan, clock FROM runs WHERE id = $1`, task.Run).Scan(&p.stage, &packed, &p.clock); err != nil {
			return err
		}
		if packed != nil {
			if p.plan, err = s.unpackPlan(packed); err != nil {
				return err
			}
		}
		p.run, err = scanRun(t.row(ctx, `SELECT `+runColumns+` FROM runs WHERE id = $1`, task.Run))
		return err
	})
	if err == nil && p.stage == "" {
		return nil, errStale
	}
	return p, err
}

// mine reports whether a piece is still its worker's, and locks it.
func (p *piece) mine(ctx context.Context, t *Tx) (bool, error) {
	n, err := t.exec(ctx, `UPDATE run_chunks SET beat = {now} WHERE run = $1 AND chunk = $2 AND worker = $3 AND state = 'released'
		AND EXISTS (SELECT 1 FROM runs WHERE id = $1 AND state = 'running')`, p.Run, p.Chunk, p.worker)
	return n > 0, err
}

// end records what came of a piece: write is called if it is still the worker's.
// Either way the task is over.
func (s *Store) end(ctx context.Context, p *piece, write func(ctx context.Context, t *Tx) error) error {
	return s.of(ctx, p.run.Organization, func(ctx context.Context, t *Tx) error {
		ours, err := p.mine(ctx, t)
		if err != nil {
			return err
		}
		if err := p.complete(ctx, t); err != nil { // before it is released again
			return err
		}
		if !ours {
			return p.alive(ctx, t)
		}
		if err := write(ctx, t); err != nil {
			return err
		}
		return s.dispatch(ctx, t, p.run.Organization)
	})
}

// alive takes back that a piece was begun in vain: its worker lost it because it was
// slow, or did not reach the database, which is no fault of the piece.
func (p *piece) alive(ctx context.Context, t *Tx) error {
	_, err := t.exec(ctx, `UPDATE run_chunks SET starts = starts - 1 WHERE run = $1 AND chunk = $2 AND starts > 0 AND state <> 'done'`, p.Run, p.Chunk)
	return err
}

// lose gives up a piece that is no longer its worker's.
func (s *Store) lose(ctx context.Context, p *piece) error {
	return s.update(ctx, func(ctx context.Context, t *Tx) error {
		if err := p.complete(ctx, t); err != nil {
			return err
		}
		return p.alive(ctx, t)
	})
}

// released puts a piece back, for a worker that stops.
func (s *Store) released(ctx context.Context, p *piece) error {
	return s.end(ctx, p, func(ctx context.Context, t *Tx) error {
		_, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '', starts = starts - 1 WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk)
		return err
	})
}

// putBack puts back a piece whose end could not be recorded, if it is still its
// worker's. Its task may have ended since: another is released.
func (s *Store) putBack(ctx context.Context, p *piece) error {
	return s.of(ctx, p.run.Organization, func(ctx context.Context, t *Tx) error {
		ours, err := p.mine(ctx, t)
		if err != nil {
			return err
		}
		if err := p.alive(ctx, t); err != nil || !ours {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '' WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk); err != nil {
			return err
		}
		return s.dispatch(ctx, t, p.run.Organization)
	})
}

// held returns the pieces that are a worker's, by the names that it began them under.
func (s *Store) held(ctx context.Context, worker string) (map[string]bool, error) {
	out := map[string]bool{}
	return out, s.each(ctx, `SELECT worker FROM run_chunks WHERE state = 'released' AND worker LIKE $1`, []any{worker + ".%"}, func(row scanner) error {
		var name string
		err := row.Scan(&name)
		out[name] = true
		return err
	})
}

// tellOf says that a piece is at work, and how many of its markets are done. It
// returns false when the piece is no longer the worker's: its run is over, or
// another worker has it.
func (s *Store) tellOf(ctx context.Context, p *piece, done int) (ours bool, err error) {
	more := false
	err = s.update(ctx, func(ctx context.Context, t *Tx) error {
		if ours, err = p.mine(ctx, t); err != nil || !ours || done == 0 || p.plan == nil || p.Chunk < 0 || p.Chunk >= mergePlace {
			return err
		}
		n, err := t.exec(ctx, `UPDATE run_chunks SET progress = $1 WHERE run = $2 AND chunk = $3 AND progress < $1 AND $1 <= markets`, done, p.Run, p.Chunk)
		more = n > 0
		return err
	})
	if err == nil && more { // in a transaction of its own: whoever cancels a run locks it first, and its chunks then
		err = s.update(ctx, func(ctx context.Context, t *Tx) error { return s.count(ctx, t, p) })
	}
	return ours, err
}

// count brings the progress of a run up to date; it never goes back within a pass.
func (s *Store) count(ctx context.Context, t *Tx, p *piece) error {
	pass, _ := p.pass()
	n := len(p.plan.Ends)
	var done int
	if err := t.row(ctx, `SELECT CAST(coalesce(sum(progress), 0) AS bigint) FROM run_chunks WHERE run = $1 AND chunk >= $2 AND chunk < $3`, p.Run, pass*n, (pass+1)*n).Scan(&done); err != nil {
		return err
	}
	_, err := t.exec(ctx, `UPDATE runs SET done = $1 WHERE id = $2 AND stage = $3 AND done < $1`, done, p.Run, [...]string{strategies, baselines}[pass])
	return err
}
