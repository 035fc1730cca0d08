package runs

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// embeddedQueue is the queue of a store in a file: a table beside the runs. Processes of
// one machine may share it.
type embeddedQueue struct {
	store *Store
	wake  chan struct{} // something may have been put
}

func newEmbeddedQueue(s *Store) *embeddedQueue {
	return &embeddedQueue{store: s, wake: make(chan struct{}, 1)}
}

// Put implements Queue.
func (q *embeddedQueue) Put(ctx context.Context, t *Tx, tasks []Task) error {
	for _, one := range tasks {
		if _, err := t.exec(ctx, `INSERT INTO run_tasks (kind, run, chunk, engine, priority) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (run, chunk) DO UPDATE SET kind = excluded.kind, priority = excluded.priority, until = 0`,
			string(one.Kind), one.Run, one.Chunk, one.Engine, one.Priority); err != nil {
			return err
		}
	}
	t.afterCommit(q.wakeWorker)
	return nil
}

func (q *embeddedQueue) wakeWorker() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

const dequeueSQL = `
UPDATE run_tasks SET until = {now} + $2
WHERE id = (SELECT id FROM run_tasks WHERE engine = $1 AND until <= {now} ORDER BY priority, id LIMIT 1)
RETURNING id, until, kind, run, chunk, engine, priority`

// dequeue takes the next task, for as long as a task may take; ok is false if there is
// none. A task that is put again meanwhile is another one: neither complete nor again
// changes it.
func (q *embeddedQueue) dequeue(ctx context.Context, engine int) (t Task, again func(context.Context), ok bool, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var id, until int64
	row := q.store.db.QueryRowContext(ctx, q.store.spell(dequeueSQL), engine, int64((mergeTimeout+time.Minute)/time.Microsecond))
	err = row.Scan(&id, &until, &t.Kind, &t.Run, &t.Chunk, &t.Engine, &t.Priority)
	if errors.Is(err, sql.ErrNoRows) {
		return Task{}, nil, false, nil
	}
	t.complete = func(ctx context.Context, tx *Tx) error {
		_, err := tx.exec(ctx, `DELETE FROM run_tasks WHERE id = $1 AND until = $2`, id, until)
		return err
	}
	again = func(ctx context.Context) { // else it is taken when its time is over
		_, _ = q.store.execChanged(ctx, `UPDATE run_tasks SET until = {now} + $1 WHERE id = $2 AND until = $3`, int64(retryDelay/time.Microsecond), id, until)
	}
	return t, again, err == nil, err
}

// Work implements Queue.
func (q *embeddedQueue) Work(ctx context.Context, h Handler) error {
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(h.GracePeriod, cancel) })()
	var group sync.WaitGroup
	for range h.Concurrency {
		group.Go(func() {
			for ctx.Err() == nil {
				t, again, ok, err := q.dequeue(working, h.Engine) // one that is taken is done, also when ctx has ended
				if err == nil && ok {
					q.wakeWorker() // there may be more
					limited, done := context.WithTimeout(working, t.Kind.timeout())
					if h.Do(limited, &t) != nil {
						again(context.WithoutCancel(ctx))
					}
					done()
					continue
				}
				select {
				case <-q.wake:
				case <-time.After(h.PollInterval):
				case <-ctx.Done():
				}
			}
		})
	}
	group.Wait()
	return nil
}

// Close implements Queue.
func (q *embeddedQueue) Close() {}
