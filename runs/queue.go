package runs

import (
	"context"
	"time"
)

// TaskKind is what is to be done.
type TaskKind string

// Kinds of tasks.
const (
	PlanTask       TaskKind = "plan"  // fix what is replayed; after the first pass, what the baseline is
	ChunkTask      TaskKind = "chunk" // replay some markets of a backtest
	MergeTask      TaskKind = "merge" // put a backtest together
	SweepTask      TaskKind = "sweep" // replay some markets of a sweep
	SweepMergeTask TaskKind = "sweep_merge"
)

// Task is something to be done for a run. It holds ids alone: what is to be done is
// in the tables.
type Task struct {
	Kind     TaskKind
	Run      string
	Chunk    int
	Engine   int // number of the engine that may do it
	Priority int // 1 to 4; 1 goes first

	// complete takes the task out of the queue, as part of a transaction.
	complete func(ctx context.Context, t *Tx) error
}

// Queue carries tasks to workers, each at least once: a worker that dies, or loses
// the database, may leave a task to be carried again. It is safe for concurrent use.
type Queue interface {
	// Put adds tasks as part of a transaction: they are there if it is committed.
	Put(ctx context.Context, t *Tx, tasks []Task) error
	// Work passes tasks to h until ctx ends, then waits for those at work.
	Work(ctx context.Context, h Handler) error
	Close()
}

// Handler does the tasks of one process.
type Handler struct {
	Concurrency  int           // tasks at a time
	Engine       int           // only tasks for this engine
	PollInterval time.Duration // how often to look for tasks that nobody told of
	// GracePeriod is how long tasks may go on after the end; then their context ends.
	GracePeriod time.Duration
	// Do does a task, and records what came of it. An error means that this could not
	// be recorded: the task is carried again.
	Do func(ctx context.Context, t *Task) error
}

// Limits of the queue.
const (
	taskTimeout  = 2 * time.Minute  // for a plan or a chunk
	mergeTimeout = 10 * time.Minute // for putting a run together
	rescueAfter  = 3 * time.Minute  // a task that was taken and never ended is carried again
	retryDelay   = 2 * time.Second  // one that could not be recorded
)

// timeout returns how long a task may take.
func (k TaskKind) timeout() time.Duration {
	if k == MergeTask || k == SweepMergeTask {
		return mergeTimeout
	}
	return taskTimeout
}
