package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3/database"

	"github.com/ladderback/ladderback/market"
)

// migrationLock is the number of the advisory lock under which tables are made
// or migrated, so that servers starting at once do not race. It is that of an
// archive in the same database: each migration holds a connection while it needs
// another, so that two at once could take all that a small pool has.
const migrationLock = 0x6c61646465726d67

// lockPause is how often it is looked whether another migration is over.
const lockPause = 50 * time.Millisecond

// Postgres keeps keys and counters in PostgreSQL: the limits hold over all
// processes that share it. It implements Store.
type Postgres struct {
	pool *pgxpool.Pool
	db   *sql.DB // over the pool
}

var _ Store = (*Postgres)(nil)

// OpenPostgres connects to addr (postgres://…). With create the tables are made
// or migrated as needed; without, a database without keys is ErrNotMade.
func OpenPostgres(ctx context.Context, addr string, create bool) (*Postgres, error) {
	cfg, err := pgxpool.ParseConfig(addr)
	if err != nil {
		return nil, fmt.Errorf("address of keys and limits: %w", err)
	}
	// Safe behind pgbouncer in transaction mode.
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := preparePostgres(ctx, pool, create); err != nil {
		pool.Close()
		return nil, err
	}
	return &Postgres{pool, stdlib.OpenDBFromPool(pool)}, nil
}

func preparePostgres(ctx context.Context, pool *pgxpool.Pool, create bool) (err error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	if !create {
		return current(ctx, db, database.DialectPostgres)
	}
	return whileLocked(ctx, pool.Config().ConnConfig, func() error { return migrate(ctx, db, database.DialectPostgres) })
}

// whileLocked calls f while no other process migrates. The lock is that of a
// transaction, which holds a connection of its own: behind pgbouncer in
// transaction mode a session cannot hold one.
func whileLocked(ctx context.Context, cfg *pgx.ConnConfig, f func() error) error {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for {
		locked := false
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, int64(migrationLock)).Scan(&locked); err != nil || !locked {
				return err
			}
			return f()
		})
		if err != nil || locked {
			return err
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// CreateKey implements Store.
func (s *Postgres) CreateKey(ctx context.Context, k Key, d Digest) error {
	_, err := s.pool.Exec(ctx, insertKey, insertKeyArgs(&k, d)...)
	return err
}

func collectKey(row pgx.CollectableRow) (Key, error) { return scanKey(row) }

// FindKey implements Store.
func (s *Postgres) FindKey(ctx context.Context, d Digest) (Key, error) {
	rows, err := s.pool.Query(ctx, `SELECT `+keyColumns+` FROM access_keys WHERE digest = $1`, d[:])
	if err != nil {
		return Key{}, err
	}
	k, err := pgx.CollectExactlyOneRow(rows, collectKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, ErrNoKey
	}
	return k, err
}

// ListKeys implements Store.
func (s *Postgres) ListKeys(ctx context.Context) ([]Key, error) {
	rows, err := s.pool.Query(ctx, `SELECT `+keyColumns+`, COALESCE(minute, 0)
		FROM access_keys LEFT JOIN access_usage ON key_id = id ORDER BY created_at, id`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Key, error) {
		var minute int64
		k, err := scanKey(row, &minute)
		k.LastUsed = market.Instant(minute) * market.Minute
		return k, err
	})
}

// RevokeKey implements Store.
func (s *Postgres) RevokeKey(ctx context.Context, idOrName string, at market.Instant) (Key, error) {
	keys, err := s.ListKeys(ctx)
	if err != nil {
		return Key{}, err
	}
	k, err := pick(keys, idOrName)
	if err != nil || k.RevokedAt != 0 {
		return k, err
	}
	_, err = s.pool.Exec(ctx, `UPDATE access_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at = 0`, int64(at), k.ID)
	k.RevokedAt = at
	return k, err
}

// takeSQL counts one request in both windows. A window that is over begins at
// zero; a process whose clock is behind counts in the newer window.
const takeSQL = `
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

// Take implements Store. The count is not flushed to disk before the answer: a
// crash of the database forgets at most the last moments.
func (s *Postgres) Take(ctx context.Context, keyID string, w Windows, perMinute int) (Usage, error) {
	var u Usage
	err := s.pool.QueryRow(ctx, takeSQL, keyID, w.Minute, w.Day, int32(perMinute)).
		Scan(&u.Minute, &u.InMinute, &u.Day, &u.InDay, &u.Bulk, nil)
	return u, err
}

// Used implements Store.
func (s *Postgres) Used(ctx context.Context, keyID string, w Windows) (Usage, error) {
	u := Usage{}
	err := s.pool.QueryRow(ctx, `SELECT minute, minute_used, day, day_used, bulk_used FROM access_usage WHERE key_id = $1`, keyID).
		Scan(&u.Minute, &u.InMinute, &u.Day, &u.InDay, &u.Bulk)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Usage{}, err
	}
	u.move(w)
	return u, nil
}

// takeBulkSQL counts bulk points ($3) in a day ($2) if it then has at most $4: in
// one statement, so that requests that do not fit never stand in the way of those
// that do. It returns a row when they were counted.
const takeBulkSQL = `
INSERT INTO access_usage AS u (key_id, minute, minute_used, day, day_used, bulk_used)
SELECT $1, 0, 0, $2::bigint, 0, $3::bigint WHERE $3 <= $4::bigint
ON CONFLICT (key_id) DO UPDATE SET
	day = GREATEST(u.day, excluded.day),
	day_used = CASE WHEN u.day >= excluded.day THEN u.day_used ELSE 0 END,
	bulk_used = CASE WHEN u.day >= excluded.day THEN u.bulk_used ELSE 0 END + excluded.bulk_used
WHERE CASE WHEN u.day >= excluded.day THEN u.bulk_used ELSE 0 END + excluded.bulk_used <= $4
RETURNING true`

// TakeBulk implements Store.
func (s *Postgres) TakeBulk(ctx context.Context, keyID string, day, points, limit int64) (ok bool, err error) {
	err = s.pool.QueryRow(ctx, takeBulkSQL, keyID, day, points, limit).Scan(&ok)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return ok, err
}

const giveBulkSQL = `UPDATE access_usage SET bulk_used = bulk_used - $3 WHERE key_id = $1 AND day = $2`

// GiveBulk implements Store.
func (s *Postgres) GiveBulk(ctx context.Context, keyID string, day, points int64) error {
	_, err := s.pool.Exec(ctx, giveBulkSQL, keyID, day, points)
	return err
}

// CreateSession implements Store.
func (s *Postgres) CreateSession(ctx context.Context, d Digest, one Session, before market.Instant) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM access_sessions WHERE seen_at < $1`, int64(before)); err != nil {
		return err
	}
	_, err := s.pool.Exec(ctx, `INSERT INTO access_sessions (digest, key_digest, made_at, seen_at) VALUES ($1, $2, $3, $4)`,
		d[:], one.KeyDigest[:], int64(one.MadeAt), int64(one.SeenAt))
	return err
}

// FindSession implements Store.
func (s *Postgres) FindSession(ctx context.Context, d Digest) (Session, error) {
	return scanSession(s.pool.QueryRow(ctx, findSession+`$1`, d[:]))
}

// TouchSession implements Store.
func (s *Postgres) TouchSession(ctx context.Context, d Digest, at market.Instant) error {
	_, err := s.pool.Exec(ctx, `UPDATE access_sessions SET seen_at = $1 WHERE digest = $2`, int64(at), d[:])
	return err
}

// EndSession implements Store.
func (s *Postgres) EndSession(ctx context.Context, d Digest) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM access_sessions WHERE digest = $1`, d[:])
	return err
}

// Tables implements Store.
func (s *Postgres) Tables() Tables {
	return Tables{s.db, func(query string) string { return query }}
}

// Connections implements Store.
func (s *Postgres) Connections() (used, limit int) {
	st := s.pool.Stat()
	return int(st.AcquiredConns()), int(st.MaxConns())
}

// Close implements Store.
func (s *Postgres) Close() error {
	err := s.db.Close()
	s.pool.Close()
	return err
}
