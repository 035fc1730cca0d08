package runs

import (
	"context"
	"time"
)

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
	_, err = s.begin(ctx, &t, "dead", time.Minute)
	return err == nil, err
}

// Age makes a run look older.
func (s *Store) Age(ctx context.Context, run string, by time.Duration) error {
	_, err := s.change(ctx, `UPDATE runs SET created_at = created_at - $1 WHERE id = $2`, by.Microseconds(), run)
	return err
}

// Tasks returns what the queue holds, as text.
func (s *Store) Tasks(ctx context.Context) (out []string, err error) {
	query := `SELECT kind || ' ' || run || ' ' || chunk FROM run_tasks`
	if s.pool != nil {
		query = `SELECT kind || ' ' || args::text || metadata::text || coalesce(errors::text, '') FROM ` + queueSchema + `.river_job`
	}
	err = s.each(ctx, query, nil, func(row scanner) error {
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
	return out, s.each(ctx, `SELECT state, count(*) FROM run_chunks WHERE run = $1 GROUP BY state`, []any{run}, func(row scanner) error {
		var state string
		var n int
		err := row.Scan(&state, &n)
		out[state] = n
		return err
	})
}
