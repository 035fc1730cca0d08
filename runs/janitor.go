package runs

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/ladderback/ladderback/internal/sqlstore"
)

// unclaimedTimeout returns after how long a chunk that was released and never begun is
// released again: a worker that took its task may have died before it said so, and
// one task too many does no harm.
func unclaimedTimeout(lease time.Duration) time.Duration { return 4 * lease }

// heartbeat says that a worker is alive.
func (s *Store) heartbeat(ctx context.Context, worker string, slots, engine int) error {
	_, err := s.execChanged(ctx, `INSERT INTO run_workers (id, slots, engine, seen) VALUES ($1, $2, $3, {now})
		ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, seen = excluded.seen`, worker, slots, engine)
	return err
}

// deregister says that a worker has stopped.
func (s *Store) deregister(ctx context.Context, worker string) error {
	_, err := s.execChanged(ctx, `DELETE FROM run_workers WHERE id = $1 OR seen < {now} - 86400000000`, worker)
	return err
}

// lostChunk is a chunk whose worker is gone.
type lostChunk struct {
	run, organization string
	chunk, starts     int
	unclaimed         bool // it was not begun at all
}

// recoverLost is the janitor: it requeues what dead workers held and ends runs that
// no engine here can do, both only if judge is set, and lets what waits go on.
func (s *Store) recoverLost(ctx context.Context, lease time.Duration, judge bool) error {
	waiting := map[string]bool{} // organizations
	if err := s.queryEach(ctx, `SELECT DISTINCT r.organization FROM runs r WHERE r.state IN ('queued', 'running')
		AND (r.stage = '' OR EXISTS (SELECT 1 FROM run_chunks c WHERE c.run = r.id AND c.state = 'waiting' AND c.due <= {now}))`, nil, func(row scanner) error {
		var organization string
		err := row.Scan(&organization)
		waiting[organization] = true
		return err
	}); err != nil {
		return err
	}
	dead := map[string][]lostChunk{} // by organization
	if judge {
		if err := s.expiredLeases(ctx, lease, func(l lostChunk) {
			dead[l.organization] = append(dead[l.organization], l)
			waiting[l.organization] = true
		}); err != nil {
			return err
		}
	}
	for organization := range waiting {
		if err := s.updateOrganization(ctx, organization, func(ctx context.Context, t *Tx) error {
			for _, l := range dead[organization] {
				if err := s.requeue(ctx, t, &l, lease); err != nil {
					return err
				}
			}
			return s.dispatch(ctx, t, organization)
		}); err != nil {
			return err
		}
	}
	if !judge {
		return nil
	}
	return s.failOrphans(ctx)
}

// expiredLeases passes the chunks whose workers are gone to found.
func (s *Store) expiredLeases(ctx context.Context, lease time.Duration, found func(lostChunk)) error {
	return s.queryEach(ctx, `SELECT c.run, r.organization, c.chunk, c.starts, c.worker = '' FROM run_chunks c JOIN runs r ON r.id = c.run
		WHERE c.state = 'released' AND (c.worker <> '' AND c.beat < {now} - $1 OR c.worker = '' AND c.beat < {now} - $2)`,
		[]any{int64(lease / time.Microsecond), int64(unclaimedTimeout(lease) / time.Microsecond)}, func(row scanner) error {
			var l lostChunk
			err := row.Scan(&l.run, &l.organization, &l.chunk, &l.starts, &l.unclaimed)
			found(l)
			return err
		})
}

// requeue releases again what a dead worker held. A chunk that kills its workers is
// given up.
func (s *Store) requeue(ctx context.Context, t *Tx, l *lostChunk, lease time.Duration) error {
	after := lease
	if l.unclaimed {
		after = unclaimedTimeout(lease)
	}
	n, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '' WHERE run = $1 AND chunk = $2 AND state = 'released' AND beat < {now} - $3`,
		l.run, l.chunk, int64(after/time.Microsecond))
	if err != nil || n == 0 || l.starts < maxStarts {
		return err
	}
	return s.failRun(ctx, t, l.run, l.chunk, fmt.Sprintf("chunk %d was begun %d times, and its worker was gone each time", l.chunk+1, l.starts), false)
}

// failOrphans ends runs that were begun for an engine that no worker has any more, while
// there are workers of another.
func (s *Store) failOrphans(ctx context.Context) error {
	type foreign struct {
		id, organization string
		engine           int
	}
	var found []foreign
	if err := s.queryEach(ctx, `SELECT id, organization, engine FROM runs WHERE state IN ('queued', 'running') AND created_at < {now} - 60000000
		AND engine NOT IN (SELECT engine FROM run_workers WHERE seen > {now} - 60000000) AND EXISTS (SELECT 1 FROM run_workers WHERE `+recentWorkers+`)`, nil, func(row scanner) error {
		var f foreign
		err := row.Scan(&f.id, &f.organization, &f.engine)
		found = append(found, f)
		return err
	}); err != nil {
		return err
	}
	for _, f := range found {
		if err := s.updateOrganization(ctx, f.organization, func(ctx context.Context, t *Tx) error {
			why := fmt.Sprintf("the run was begun by engine %d, and no worker has it any more: ask again", f.engine)
			if err := s.failRun(ctx, t, f.id, planChunk, why, true); err != nil {
				return err
			}
			return s.dispatch(ctx, t, f.organization)
		}); err != nil {
			return err
		}
	}
	return nil
}

// queryEach passes the rows of a query to f, outside of any transaction.
func (s *Store) queryEach(ctx context.Context, query string, args []any, f func(scanner) error) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	return sqlstore.Each(ctx, s.db, s.spell(query), args, func(rows *sql.Rows) error { return f(rows) })
}
