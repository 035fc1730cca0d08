package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// queueSchema holds the tables of the queue, apart from ours.
const queueSchema = "ladderback_queue"

// riverQueue is the queue of a store in PostgreSQL: River's, which any number of
// processes share. Each engine has a queue of its own, so that a worker never meets
// a task of another engine.
type riverQueue struct {
	pool   *pgxpool.Pool
	insert *river.Client[pgx.Tx] // works on nothing
	log    *slog.Logger
	clock  rivertype.TimeGenerator // nil: that of the machine; others are for tests
}

// openRiver makes or migrates the tables of the queue.
func openRiver(ctx context.Context, cfg *pgxpool.Config) (*riverQueue, error) {
	cfg = cfg.Copy()
	cfg.MaxConns = 6
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	q := &riverQueue{pool: pool, log: slog.New(slog.DiscardHandler)}
	if err := q.migrate(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("tables of the queue: %w", err)
	}
	// Of what is put within FetchCooldown of other tasks workers are not told: what follows a
	// task that takes less would wait until they look for it.
	if q.insert, err = river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: queueSchema, Logger: q.log, FetchCooldown: river.FetchCooldownMin}); err != nil {
		pool.Close()
		return nil, err
	}
	return q, nil
}

// migrateLock keeps processes that start at once from migrating together.
const migrateLock = 0x6c61646471756575

// migrate makes or migrates the tables. Its lock is that of a transaction, which also
// a pooler in transaction mode leaves on one connection.
func (q *riverQueue) migrate(ctx context.Context) error {
	return pgx.BeginFunc(ctx, q.pool, func(lock pgx.Tx) error {
		if _, err := lock.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrateLock)); err != nil {
			return err
		}
		if _, err := q.pool.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+queueSchema); err != nil {
			return err
		}
		m, err := rivermigrate.New(riverpgxv5.New(q.pool), &rivermigrate.Config{Schema: queueSchema, Logger: q.log})
		if err != nil {
			return err
		}
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

// taskIDs are the arguments of every task: never what a customer wrote.
type taskIDs struct {
	Run   string `json:"run"`
	Chunk int    `json:"chunk"`
}

func (a taskIDs) ids() taskIDs { return a }

// A type a kind, as River wants them.
type (
	planArgs       struct{ taskIDs }
	chunkArgs      struct{ taskIDs }
	mergeArgs      struct{ taskIDs }
	sweepArgs      struct{ taskIDs }
	sweepMergeArgs struct{ taskIDs }
)

func (planArgs) Kind() string       { return string(PlanTask) }
func (chunkArgs) Kind() string      { return string(ChunkTask) }
func (mergeArgs) Kind() string      { return string(MergeTask) }
func (sweepArgs) Kind() string      { return string(SweepTask) }
func (sweepMergeArgs) Kind() string { return string(SweepMergeTask) }

func argsOf(t *Task) river.JobArgs {
	a := taskIDs{t.Run, t.Chunk}
	switch t.Kind {
	case ChunkTask:
		return chunkArgs{a}
	case MergeTask:
		return mergeArgs{a}
	case SweepTask:
		return sweepArgs{a}
	case SweepMergeTask:
		return sweepMergeArgs{a}
	}
	return planArgs{a}
}

func queueOf(engine int) string { return fmt.Sprintf("engine_%d", engine) }

// Put implements Queue.
func (q *riverQueue) Put(ctx context.Context, t *Tx, tasks []Task) error {
	if len(tasks) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(tasks))
	for i := range tasks {
		// Faults of the database use tries up, so there are many; ours are counted in
		// run_chunks.
		params[i] = river.InsertManyParams{Args: argsOf(&tasks[i]), InsertOpts: &river.InsertOpts{
			Queue: queueOf(tasks[i].Engine), Priority: tasks[i].Priority, MaxAttempts: 1000,
		}}
	}
	_, err := q.insert.InsertManyFastTx(ctx, t.pg, params)
	return err
}

// Work implements Queue.
func (q *riverQueue) Work(ctx context.Context, h Handler) error {
	workers := river.NewWorkers()
	register[planArgs](workers, &h)
	register[chunkArgs](workers, &h)
	register[mergeArgs](workers, &h)
	register[sweepArgs](workers, &h)
	register[sweepMergeArgs](workers, &h)
	client, err := river.NewClient(riverpgxv5.New(q.pool), &river.Config{
		Schema: queueSchema, Logger: q.log, Workers: workers,
		Queues:                      map[string]river.QueueConfig{queueOf(h.Engine): {MaxWorkers: h.Concurrency}},
		JobTimeout:                  taskTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		FetchCooldown:               min(h.PollInterval, 20*time.Millisecond),
		FetchPollInterval:           h.PollInterval,
		SoftStopTimeout:             max(h.GracePeriod, time.Millisecond),
		CompletedJobRetentionPeriod: time.Hour,
		CancelledJobRetentionPeriod: time.Hour,
		Test:                        river.TestConfig{Time: q.clock},
	})
	if err != nil {
		return err
	}
	for client.Start(ctx) != nil { // the database is away
		select {
		case <-time.After(retryDelay):
		case <-ctx.Done():
			return nil
		}
	}
	<-client.Stopped()
	return nil
}

// Close implements Queue.
func (q *riverQueue) Close() { q.pool.Close() }

// taskArgs are the arguments of one kind of task.
type taskArgs interface {
	river.JobArgs
	ids() taskIDs
}

// riverWorker does tasks of one kind.
type riverWorker[T taskArgs] struct {
	river.WorkerDefaults[T]
	h *Handler
}

func register[T taskArgs](to *river.Workers, h *Handler) {
	river.AddWorker(to, &riverWorker[T]{h: h})
}

// Timeout implements river.Worker.
func (w *riverWorker[T]) Timeout(job *river.Job[T]) time.Duration {
	return TaskKind(job.Kind).timeout()
}

// NextRetry implements river.Worker.
func (w *riverWorker[T]) NextRetry(*river.Job[T]) time.Time { return time.Now().Add(retryDelay) }

// Work implements river.Worker.
func (w *riverWorker[T]) Work(ctx context.Context, job *river.Job[T]) error {
	a := job.Args.ids()
	t := &Task{Kind: TaskKind(job.Kind), Run: a.Run, Chunk: a.Chunk, Engine: w.h.Engine, Priority: job.Priority}
	t.complete = func(_ context.Context, tx *Tx) error {
		ctx, cancel := bounded(context.WithoutCancel(ctx)) // it is River's own context that it wants
		defer cancel()
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx.pg, job)
		if errors.Is(err, rivertype.ErrNotFound) {
			return nil // it was carried again meanwhile, which changes nothing
		}
		return err
	}
	return w.h.Do(ctx, t)
}
