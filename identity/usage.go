package identity

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// countSQL counts one request in both windows. A window that is over begins at
// zero; a process whose clock is behind counts in the newer window.
const countSQL = `
INSERT INTO access_usage AS u (key_id, minute, minute_used, day, day_used, bulk_used)
VALUES ($1, $2, 1, $3, 1, 0)
ON CONFLICT (key_id) DO UPDATE SET
	minute = GREATEST(u.minute, excluded.minute),
	minute_used = CASE WHEN u.minute >= excluded.minute THEN u.minute_used ELSE 0 END + 1,
	day = GREATEST(u.day, excluded.day),
	day_used = CASE WHEN u.day >= excluded.day THEN u.day_used ELSE 0 END
		+ CASE WHEN $4 > 0 AND u.minute >= excluded.minute AND u.minute_used >= $4 THEN 0 ELSE 1 END,
	bulk_used = CASE WHEN u.day >= excluded.day THEN u.bulk_used ELSE 0 END
RETURNING minute, minute_used, day, day_used, bulk_used, set_config('synchronous_commit', 'off', true)`

// Count counts one request in its windows and returns the usage that results. The request
// is over the limit when InMinute or InDay exceeds it; a request over the minute's limit is
// not counted in the day. The count is not flushed to disk before the answer: a crash
// forgets at most the last moments.
func (s *Store) Count(ctx context.Context, keyID string, w Windows, perMinute int) (Usage, error) {
	if s.counters != nil {
		return s.counters.change(ctx, keyID, w, func(u *Usage) { u.count(perMinute) })
	}
	var u Usage
	var setting string
	err := s.row(ctx, countSQL, keyID, w.Minute, w.Day, int32(perMinute)).Scan(&u.Minute, &u.InMinute, &u.Day, &u.InDay, &u.Bulk, &setting)
	return u, err
}

const usedSQL = `SELECT minute, minute_used, day, day_used, bulk_used FROM access_usage WHERE key_id = $1`

// Used returns the usage in the windows without counting.
func (s *Store) Used(ctx context.Context, keyID string, w Windows) (Usage, error) {
	if s.counters != nil {
		return s.counters.used(ctx, keyID, w)
	}
	var u Usage
	err := s.row(ctx, usedSQL, keyID).Scan(&u.Minute, &u.InMinute, &u.Day, &u.InDay, &u.Bulk)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Usage{}, err
	}
	u.move(w)
	return u, nil
}

// countBulkSQL counts bulk points ($3) in a day ($2) if it then has at most $4: in
// one statement, so that requests that do not fit never stand in the way of those
// that do. It returns a row when they were counted.
const countBulkSQL = `
INSERT INTO access_usage AS u (key_id, minute, minute_used, day, day_used, bulk_used)
SELECT $1, 0, 0, $2::bigint, 0, $3::bigint WHERE $3 <= $4::bigint
ON CONFLICT (key_id) DO UPDATE SET
	day = GREATEST(u.day, excluded.day),
	day_used = CASE WHEN u.day >= excluded.day THEN u.day_used ELSE 0 END,
	bulk_used = CASE WHEN u.day >= excluded.day THEN u.bulk_used ELSE 0 END + excluded.bulk_used
WHERE CASE WHEN u.day >= excluded.day THEN u.bulk_used ELSE 0 END + excluded.bulk_used <= $4
RETURNING true`

// CountBulk counts bulk points if the day then has at most limit of them, and reports
// whether it did. Requests that do not fit leave no trace, not even for a moment.
func (s *Store) CountBulk(ctx context.Context, keyID string, day, points, limit int64) (ok bool, err error) {
	if s.counters != nil {
		_, err = s.counters.change(ctx, keyID, Windows{Day: day}, func(u *Usage) { ok = u.countBulk(points, limit) })
		return ok, err
	}
	err = s.row(ctx, countBulkSQL, keyID, day, points, limit).Scan(&ok)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return ok, err
}

// ReturnBulk returns bulk points counted on that day. It does nothing once the key has been
// counted on a later day.
func (s *Store) ReturnBulk(ctx context.Context, keyID string, day, points int64) error {
	if s.counters != nil {
		_, err := s.counters.change(ctx, keyID, Windows{Day: day}, func(u *Usage) { u.returnBulk(day, points) })
		return err
	}
	return s.exec(ctx, `UPDATE access_usage SET bulk_used = bulk_used - $3 WHERE key_id = $1 AND day = $2`, keyID, day, points)
}

// flushInterval is how often counters kept in memory are written.
const flushInterval = time.Second

// fileCounters counts for a file, and writes the counters that changed into it.
type fileCounters struct {
	db *sql.DB

	mu    sync.Mutex
	usage counters
	dirty map[string]bool

	stop, done chan struct{}
}

func newFileCounters(db *sql.DB) *fileCounters {
	m := &fileCounters{db: db, usage: counters{}, dirty: map[string]bool{}, stop: make(chan struct{}), done: make(chan struct{})}
	go m.flushLoop()
	return m
}

// close stops the writing, and writes what is left.
func (m *fileCounters) close() error {
	close(m.stop)
	<-m.done
	return m.flush(context.Background())
}

func (m *fileCounters) used(ctx context.Context, keyID string, w Windows) (Usage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.load(ctx, keyID); err != nil {
		return Usage{}, err
	}
	u := *m.usage[keyID] // asking is no use of the key
	u.move(w)
	return u, nil
}

// load reads the counters of a key from the file when they are first asked for. The
// caller holds mu.
func (m *fileCounters) load(ctx context.Context, keyID string) error {
	if m.usage[keyID] != nil {
		return nil
	}
	u := &Usage{}
	err := m.db.QueryRowContext(ctx,
		`SELECT minute, minute_used, day, day_used, bulk_used FROM access_usage WHERE key_id = ?`, keyID).
		Scan(&u.Minute, &u.InMinute, &u.Day, &u.InDay, &u.Bulk)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	m.usage[keyID] = u
	return nil
}

// change applies f to the counters of a key in the windows w.
func (m *fileCounters) change(ctx context.Context, keyID string, w Windows, f func(*Usage)) (Usage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.load(ctx, keyID); err != nil {
		return Usage{}, err
	}
	u := m.usage.at(keyID, w)
	f(u)
	m.dirty[keyID] = true
	return *u, nil
}

func (m *fileCounters) flushLoop() {
	defer close(m.done)
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			// A write that fails is tried again with the next: the counters stay
			// right in this process.
			_ = m.flush(context.Background())
		case <-m.stop:
			return
		}
	}
}

// flush writes the counters that changed, in one transaction.
func (m *fileCounters) flush(ctx context.Context) (err error) {
	m.mu.Lock()
	changed := make(map[string]Usage, len(m.dirty))
	for id := range m.dirty {
		changed[id] = *m.usage[id]
	}
	clear(m.dirty)
	m.mu.Unlock()
	if len(changed) == 0 {
		return nil
	}
	defer func() {
		if err == nil {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		for id := range changed {
			m.dirty[id] = true
		}
	}()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for id, u := range changed {
		_, err := tx.ExecContext(ctx, `INSERT INTO access_usage (key_id, minute, minute_used, day, day_used, bulk_used)
			VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (key_id) DO UPDATE SET minute = excluded.minute, minute_used = excluded.minute_used,
				day = excluded.day, day_used = excluded.day_used, bulk_used = excluded.bulk_used`,
			id, u.Minute, u.InMinute, u.Day, u.InDay, u.Bulk)
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}
