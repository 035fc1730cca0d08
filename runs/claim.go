package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ladderback/ladderback/backtest/parts"
)

// claim is a task that a worker holds under a lease, with its run.
type claim struct {
	*Task
	worker        string
	run           Run
	stage         string
	plan          *parts.Plan // nil: not made yet
	baselineClock *int
}

// pass returns which pass of the plan a chunk belongs to, and which chunk of it it is.
func (p *claim) pass() (pass, chunk int) {
	n := len(p.plan.Ends)
	if p.Chunk >= n {
		return 1, p.Chunk - n
	}
	return 0, p.Chunk
}

// describe says in words which part of its run this is.
func (p *claim) describe() string {
	switch {
	case p.Chunk >= mergeChunk:
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

// errNothingToClaim says that a task is not to be done: its run is over, or another worker
// does it.
var errNothingToClaim = errors.New("nothing to be done")

// claimTask claims what a task is about. It fails with errNothingToClaim, and takes the task out
// of the queue, if there is nothing to claim.
func (s *Store) claimTask(ctx context.Context, task *Task, worker string, lease time.Duration) (*claim, error) {
	p := &claim{Task: task, worker: worker}
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
		if err := t.row(ctx, `SELECT stage, plan, clock FROM runs WHERE id = $1`, task.Run).Scan(&p.stage, &packed, &p.baselineClock); err != nil {
			return err
		}
		if packed != nil {
			if p.plan, err = s.planOf(task.Run, packed); err != nil {
				return err
			}
		}
		p.run, err = scanRun(t.row(ctx, `SELECT `+runColumns+` FROM runs WHERE id = $1`, task.Run))
		return err
	})
	if err == nil && p.stage == "" {
		return nil, errNothingToClaim
	}
	return p, err
}

// renewLease reports whether a claim is still its worker's; if so, its lease begins
// anew, and the row is locked to the end of the transaction.
func (p *claim) renewLease(ctx context.Context, t *Tx) (bool, error) {
	n, err := t.exec(ctx, `UPDATE run_chunks SET beat = {now} WHERE run = $1 AND chunk = $2 AND worker = $3 AND state = 'released'
		AND EXISTS (SELECT 1 FROM runs WHERE id = $1 AND state = 'running')`, p.Run, p.Chunk, p.worker)
	return n > 0, err
}

// record writes down what came of a claim: write is called if it is still the
// worker's. Either way the task is over.
func (s *Store) record(ctx context.Context, p *claim, write func(ctx context.Context, t *Tx) error) error {
	return s.updateOrganization(ctx, p.run.Organization, func(ctx context.Context, t *Tx) error {
		ours, err := p.renewLease(ctx, t)
		if err != nil {
			return err
		}
		if err := p.complete(ctx, t); err != nil { // before it is released again
			return err
		}
		if !ours {
			return p.refundStart(ctx, t)
		}
		if err := write(ctx, t); err != nil {
			return err
		}
		return s.dispatch(ctx, t, p.run.Organization)
	})
}

// refundStart takes back the count of a start in vain: the worker lost its lease
// because it was slow, or did not reach the database, which is no fault of the chunk.
func (p *claim) refundStart(ctx context.Context, t *Tx) error {
	_, err := t.exec(ctx, `UPDATE run_chunks SET starts = starts - 1 WHERE run = $1 AND chunk = $2 AND starts > 0 AND state <> 'done'`, p.Run, p.Chunk)
	return err
}

// abandonClaim gives up a claim that is no longer its worker's.
func (s *Store) abandonClaim(ctx context.Context, p *claim) error {
	return s.update(ctx, func(ctx context.Context, t *Tx) error {
		if err := p.complete(ctx, t); err != nil {
			return err
		}
		return p.refundStart(ctx, t)
	})
}

// releaseClaim puts a claim back, for a worker that stops.
func (s *Store) releaseClaim(ctx context.Context, p *claim) error {
	return s.record(ctx, p, func(ctx context.Context, t *Tx) error {
		_, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '', starts = starts - 1 WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk)
		return err
	})
}

// requeueClaim puts back a claim whose end could not be recorded, if it is still its
// worker's. Its task may have ended since: another is released.
func (s *Store) requeueClaim(ctx context.Context, p *claim) error {
	return s.updateOrganization(ctx, p.run.Organization, func(ctx context.Context, t *Tx) error {
		ours, err := p.renewLease(ctx, t)
		if err != nil {
			return err
		}
		if err := p.refundStart(ctx, t); err != nil || !ours {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '' WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk); err != nil {
			return err
		}
		return s.dispatch(ctx, t, p.run.Organization)
	})
}

// leases returns the claims that are a worker's, by the names that it began them under.
func (s *Store) leases(ctx context.Context, worker string) (map[string]bool, error) {
	out := map[string]bool{}
	return out, s.queryEach(ctx, `SELECT worker FROM run_chunks WHERE state = 'released' AND worker LIKE $1`, []any{worker + ".%"}, func(row scanner) error {
		var name string
		err := row.Scan(&name)
		out[name] = true
		return err
	})
}

// recordProgress renews the lease of a claim and records how many of its markets are
// done. It returns false when the claim is no longer the worker's: its run is over,
// or another worker has it.
func (s *Store) recordProgress(ctx context.Context, p *claim, done int) (ours bool, err error) {
	more := false
	err = s.update(ctx, func(ctx context.Context, t *Tx) error {
		if ours, err = p.renewLease(ctx, t); err != nil || !ours || done == 0 || p.plan == nil || p.Chunk < 0 || p.Chunk >= mergeChunk {
			return err
		}
		n, err := t.exec(ctx, `UPDATE run_chunks SET progress = $1 WHERE run = $2 AND chunk = $3 AND progress < $1 AND $1 <= markets`, done, p.Run, p.Chunk)
		more = n > 0
		return err
	})
	if err == nil && more { // in a transaction of its own: whoever cancels a run locks it first, and its chunks then
		err = s.update(ctx, func(ctx context.Context, t *Tx) error { return s.updateProgress(ctx, t, p) })
	}
	return ours, err
}

// updateProgress brings the progress of a run up to date; it never goes back within a pass.
func (s *Store) updateProgress(ctx context.Context, t *Tx, p *claim) error {
	pass, _ := p.pass()
	n := len(p.plan.Ends)
	var done int
	if err := t.row(ctx, `SELECT CAST(coalesce(sum(progress), 0) AS bigint) FROM run_chunks WHERE run = $1 AND chunk >= $2 AND chunk < $3`, p.Run, pass*n, (pass+1)*n).Scan(&done); err != nil {
		return err
	}
	_, err := t.exec(ctx, `UPDATE runs SET done = $1 WHERE id = $2 AND stage = $3 AND done < $1`, done, p.Run, [...]string{stageStrategy, stageBaseline}[pass])
	return err
}
