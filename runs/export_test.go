package runs

import (
	"context"
	"errors"
	"time"
)

// Claim begins the plan of a run as a worker of that name, which is never heard of
// again; false: another has it.
func (s *Store) Claim(ctx context.Context, run, worker string) (bool, error) {
	t := Task{Kind: PlanTask, Run: run, Chunk: planChunk, Engine: 1, complete: func(context.Context, *Tx) error { return nil }}
	_, err := s.claimTask(ctx, &t, worker, time.Minute)
	if errors.Is(err, errNothingToClaim) {
		return false, nil
	}
	return err == nil, err
}

// Repeat puts the tasks of a run into the queue once more.
func (s *Store) Repeat(ctx context.Context, run string) error {
	return s.update(ctx, func(ctx context.Context, t *Tx) error {
		var tasks []Task
		if err := t.rows(ctx, `SELECT kind, run, chunk FROM run_chunks WHERE run = $1 AND state = 'released'`, []any{run}, func(row scanner) error {
			one := Task{Engine: 1, Priority: 1}
			err := row.Scan(&one.Kind, &one.Run, &one.Chunk)
			tasks = append(tasks, one)
			return err
		}); err != nil {
			return err
		}
		return s.queue.Put(ctx, t, tasks)
	})
}

// Shift lets what the process itself reads off its clock be that much later. Before
// Work.
func (s *Store) Shift(by time.Duration) {
	if q, ok := s.queue.(*riverQueue); ok {
		q.clock = shifted(by)
	}
}

// shifted is a clock that is wrong.
type shifted time.Duration

func (s shifted) Now() time.Time       { return time.Now().Add(time.Duration(s)) }
func (s shifted) NowOrNil() *time.Time { return nil }

// Starts returns how often the chunk of a run was begun without an end.
func (s *Store) Starts(ctx context.Context, run string) (most int, err error) {
	err = s.queryEach(ctx, `SELECT CAST(coalesce(max(starts), 0) AS bigint) FROM run_chunks WHERE run = $1`, []any{run}, func(row scanner) error { return row.Scan(&most) })
	return most, err
}

// Seize begins the next task that is released for a run, as a worker that is never
// heard of again; false: there is none.
func (s *Store) Seize(ctx context.Context, run string) (bool, error) {
	var t Task
	err := s.db.QueryRowContext(ctx, s.spell(`SELECT kind, run, chunk FROM run_chunks WHERE run = $1 AND state = 'released' AND worker = '' ORDER BY chunk LIMIT 1`), run).
		Scan(&t.Kind, &t.Run, &t.Chunk)
	if err != nil {
		return false, nil
	}
	t.Engine = 1
	t.complete = func(context.Context, *Tx) error { return nil }
	_, err = s.claimTask(ctx, &t, "dead", time.Minute)
	if errors.Is(err, errNothingToClaim) {
		return false, nil // a worker was faster
	}
	return err == nil, err
}

// Age makes a run look older.
func (s *Store) Age(ctx context.Context, run string, by time.Duration) error {
	_, err := s.execChanged(ctx, `UPDATE runs SET created_at = created_at - $1 WHERE id = $2`, by.Microseconds(), run)
	return err
}

// Tasks returns what the queue holds, as text.
func (s *Store) Tasks(ctx context.Context) (out []string, err error) {
	query := `SELECT kind || ' ' || run || ' ' || chunk FROM run_tasks`
	if s.db.Pool != nil {
		query = `SELECT kind || ' ' || args::text || metadata::text || coalesce(errors::text, '') FROM ` + queueSchema + `.river_job`
	}
	err = s.queryEach(ctx, query, nil, func(row scanner) error {
		var text string
		err := row.Scan(&text)
		out = append(out, text)
		return err
	})
	return out, err
}

// Chunks counts the chunks of a run by state.
func (s *Store) Chunks(ctx context.Context, run string) (map[string]int, error) {
	out := map[string]int{}
	return out, s.queryEach(ctx, `SELECT state, count(*) FROM run_chunks WHERE run = $1 GROUP BY state`, []any{run}, func(row scanner) error {
		var state string
		var n int
		err := row.Scan(&state, &n)
		out[state] = n
		return err
	})
}

// Lapse lets the leases of the chunks of a run at work lapse.
func (s *Store) Lapse(ctx context.Context, run string) (bool, error) {
	return s.execChanged(ctx, `UPDATE run_chunks SET beat = 0 WHERE run = $1 AND chunk >= 0 AND state = 'released' AND worker <> ''`, run)
}
