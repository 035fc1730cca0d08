package runs

import (
	"context"
	"database/sql"
	"errors"
)

// defaultSlots is how many chunks of an organization are released while no worker is
// known.
const defaultSlots = 2

// defaultConcurrentRuns is how many runs of an organization are worked on at a time unless
// its plan says otherwise.
const defaultConcurrentRuns = 8

// recentWorkers says which workers are alive.
const recentWorkers = `seen > {now} - 30000000`

// dispatch lets the next of an organization's runs begin, and releases the next of
// its chunks: as many as there are slots, small runs first. Whoever changes what is
// at work calls it in the same transaction.
func (s *Store) dispatch(ctx context.Context, t *Tx, organization string) error {
	if err := s.admit(ctx, t, organization); err != nil {
		return err
	}
	var engines []int
	err := t.rows(ctx, `SELECT DISTINCT r.engine FROM run_chunks c JOIN runs r ON r.id = c.run
		WHERE c.state = 'waiting' AND c.due <= {now} AND c.run IN (`+startedRuns+`)`, []any{organization}, func(row scanner) error {
		var one int
		err := row.Scan(&one)
		engines = append(engines, one)
		return err
	})
	if err != nil {
		return err
	}
	for _, engine := range engines {
		if err := s.release(ctx, t, organization, engine); err != nil {
			return err
		}
	}
	return nil
}

// startedRuns selects the runs of an organization ($1) that have begun.
const startedRuns = `SELECT id FROM runs WHERE organization = $1 AND stage <> '' AND state IN ('queued', 'running')`

// release releases the next chunks of an organization's runs of one engine.
func (s *Store) release(ctx context.Context, t *Tx, organization string, engine int) error {
	var window, out int
	if err := t.row(ctx, `SELECT CAST(coalesce(sum(slots), 0) AS bigint) FROM run_workers WHERE engine = $1 AND `+recentWorkers, engine).Scan(&window); err != nil {
		return err
	}
	if window == 0 {
		window = defaultSlots
	}
	if err := t.row(ctx, `SELECT count(*) FROM run_chunks c JOIN runs r ON r.id = c.run WHERE c.state = 'released' AND r.engine = $2 AND c.run IN (`+startedRuns+`)`,
		organization, engine).Scan(&out); err != nil {
		return err
	}
	if out >= window {
		return nil
	}
	var tasks []Task
	err := t.rows(ctx, `SELECT c.kind, c.run, c.chunk, r.engine, r.priority FROM run_chunks c JOIN runs r ON r.id = c.run
		WHERE c.state = 'waiting' AND c.due <= {now} AND r.engine = $3 AND c.run IN (`+startedRuns+`)
		ORDER BY r.priority, r.created_at, c.run, c.chunk LIMIT $2`, []any{organization, window - out, engine}, func(row scanner) error {
		var one Task
		err := row.Scan(&one.Kind, &one.Run, &one.Chunk, &one.Engine, &one.Priority)
		if one.Kind == PlanTask {
			one.Priority = 1 // it is quick, and says how large the run is
		}
		tasks = append(tasks, one)
		return err
	})
	if err != nil {
		return err
	}
	for _, one := range tasks {
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'released', worker = '', beat = {now} WHERE run = $1 AND chunk = $2`, one.Run, one.Chunk); err != nil {
			return err
		}
	}
	return s.queue.Put(ctx, t, tasks)
}

// admit lets runs begin, the oldest first, while fewer are at work than the
// organization may have.
func (s *Store) admit(ctx context.Context, t *Tx, organization string) error {
	var active int
	if err := t.row(ctx, `SELECT count(*) FROM runs WHERE organization = $1 AND stage <> '' AND state IN ('queued', 'running') AND attended = 0`, organization).Scan(&active); err != nil {
		return err
	}
	for {
		var id string
		var most, interactive int
		err := t.row(ctx, `SELECT id, at_once, attended FROM runs WHERE organization = $1 AND state = 'queued' AND stage = '' ORDER BY attended DESC, created_at, id LIMIT 1`,
			organization).Scan(&id, &most, &interactive)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if most == 0 {
			most = defaultConcurrentRuns
		}
		if active >= most && interactive == 0 {
			return nil
		}
		if _, err := t.exec(ctx, `UPDATE runs SET stage = $1 WHERE id = $2`, stagePlan, id); err != nil {
			return err
		}
		if err := addChunk(ctx, t, id, planChunk, PlanTask, 0); err != nil {
			return err
		}
		active += 1 - interactive
	}
}

func addChunk(ctx context.Context, t *Tx, run string, place int, kind TaskKind, markets int) error {
	_, err := t.exec(ctx, `INSERT INTO run_chunks (run, chunk, kind, state, markets) VALUES ($1, $2, $3, 'waiting', $4) ON CONFLICT (run, chunk) DO NOTHING`,
		run, place, string(kind), markets)
	return err
}

// deleteChunks removes the chunks of a run that is over.
func (s *Store) deleteChunks(ctx context.Context, t *Tx, organization, id string) error {
	if _, err := t.exec(ctx, `DELETE FROM run_chunks WHERE run = $1`, id); err != nil {
		return err
	}
	return s.dispatch(ctx, t, organization)
}

// Cancel ends a run that is not over and leaves any other as it is. It returns the
// run as it is then, or ErrNoRun.
func (s *Store) Cancel(ctx context.Context, organization, id string) (Run, error) {
	err := s.updateOrganization(ctx, organization, func(ctx context.Context, t *Tx) error {
		// Its chunks first: whoever works on them locks them before the run.
		if _, err := t.exec(ctx, `DELETE FROM run_chunks WHERE run IN (SELECT id FROM runs WHERE id = $1 AND organization = $2 AND state IN ('queued', 'running'))`,
			id, organization); err != nil {
			return err
		}
		n, err := t.exec(ctx, `UPDATE runs SET state = 'cancelled', stage = '', ended_at = {now} WHERE id = $1 AND organization = $2 AND state IN ('queued', 'running')`,
			id, organization)
		if err != nil || n == 0 {
			return err
		}
		return s.deleteChunks(ctx, t, organization, id)
	})
	if err != nil {
		return Run{}, err
	}
	return s.Find(ctx, organization, id)
}

// Retry lets a run that failed go on from what is done of it. It fails with ErrNoRun,
// ErrNotFailed, or, if too many runs of the organization are waiting (0: any number),
// with code rate_limited.
func (s *Store) Retry(ctx context.Context, organization, id string, waiting int) (Run, error) {
	err := s.updateOrganization(ctx, organization, func(ctx context.Context, t *Tx) error {
		var state State
		err := t.row(ctx, `SELECT state FROM runs WHERE id = $1 AND organization = $2`, id, organization).Scan(&state)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNoRun
		case err != nil:
			return err
		case state != Failed:
			return ErrNotFailed
		}
		var open int
		if err := t.row(ctx, `SELECT count(*) FROM runs WHERE organization = $1 AND state IN ('queued', 'running') AND attended = 0`, organization).Scan(&open); err != nil {
			return err
		}
		if waiting > 0 && open >= waiting {
			return errTooManyRuns(waiting)
		}
		if _, err := t.exec(ctx, `UPDATE runs SET state = 'queued', error = '', ended_at = 0 WHERE id = $1`, id); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', tries = 0, starts = 0, due = 0, since = 0, worker = '' WHERE run = $1 AND state <> 'done'`, id); err != nil {
			return err
		}
		return s.dispatch(ctx, t, organization)
	})
	if err != nil {
		return Run{}, err
	}
	return s.Find(ctx, organization, id)
}
