package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/pressly/goose/v3/database"

	"github.com/ladderback/ladderback/market"
)

// flushEvery is how often counters kept in memory are written.
const flushEvery = time.Second

// SQLite keeps keys in a file, which may be an archive. Counters are kept in
// memory and written every second and on Close: the limits hold in one process
// and survive a restart. It implements Store.
type SQLite struct {
	path string
	db   *sql.DB

	mu    sync.Mutex
	usage counters
	dirty map[string]bool

	stop chan struct{}
	done chan struct{}
}

var _ Store = (*SQLite)(nil)

// OpenSQLite opens the file at path. With create the file and its tables are
// made or migrated as needed; without, a place without keys is ErrNotMade.
func OpenSQLite(ctx context.Context, path string, create bool) (*SQLite, error) {
	switch fi, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist) && create:
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no folder %s: create it first", path, filepath.Dir(path))
		}
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: %w", path, fs.ErrNotExist, ErrNotMade)
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular(): // opening a FIFO waits for whoever writes to it
		return nil, fmt.Errorf("%s: keys and limits are kept in a regular file, which this is not", path)
	}
	mode := "rw"
	if create {
		mode = "rwc"
	}
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String() + "?mode=" + mode +
		"&_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=synchronous(normal)&_pragma=foreign_keys(1)"
	db, err := driver.Open(dsn)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db.SetMaxOpenConns(4)
	if create {
		err = migrate(ctx, db, database.DialectSQLite3)
	} else {
		err = current(ctx, db, database.DialectSQLite3)
	}
	if err != nil {
		return nil, errors.Join(placeError(path, err), db.Close())
	}
	s := &SQLite{path: path, db: db, usage: counters{}, dirty: map[string]bool{}, stop: make(chan struct{}), done: make(chan struct{})}
	go s.flushing()
	return s, nil
}

// InSQLite reports whether the file at path, an archive for example, holds keys.
func InSQLite(ctx context.Context, path string) bool {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return false
	}
	db, err := driver.Open((&url.URL{Scheme: "file", OmitHost: true, Path: path}).String() + "?mode=ro")
	if err != nil {
		return false
	}
	defer db.Close()
	var n int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?`, versionTable).Scan(&n)
	return err == nil && n > 0
}

// placeError names the file that an error is about; that of a full disk says so,
// rather than what could not be done for it.
func placeError(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlite3.FULL), errors.Is(err, syscall.ENOSPC), errors.Is(err, sqlite3.IOERR) && full(filepath.Dir(path)):
		return fmt.Errorf("%s: %w", path, ErrFull)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// full reports whether a folder takes no more: SQLite does not say why a write
// failed.
func full(dir string) bool {
	f, err := os.CreateTemp(dir, ".ladderback-*")
	if err != nil {
		return errors.Is(err, syscall.ENOSPC)
	}
	const room = 1 << 20 // a disk that is not full has as much
	_, err = f.Write(make([]byte, room))
	_ = errors.Join(f.Close(), os.Remove(f.Name()))
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG)
}

// CreateKey implements Store.
func (s *SQLite) CreateKey(ctx context.Context, k Key, d Digest) error {
	_, err := s.db.ExecContext(ctx, spellSQLite(insertKey), insertKeyArgs(&k, d)...)
	return placeError(s.path, err)
}

const (
	keyColumns = `id, plan, organization, name, created_at, revoked_at, expires_at, organization_id, maker`
	insertKey  = `INSERT INTO access_keys (id, digest, plan, organization, name, created_at, expires_at, organization_id, maker)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
)

func insertKeyArgs(k *Key, d Digest) []any {
	return []any{k.ID, d[:], k.Plan, k.Organization, k.Name, int64(k.CreatedAt), int64(k.ExpiresAt), k.OrganizationID, k.Maker}
}

// scanKey scans a key, and what follows its columns into more.
func scanKey(row interface{ Scan(...any) error }, more ...any) (Key, error) {
	var k Key
	err := row.Scan(append([]any{&k.ID, &k.Plan, &k.Organization, &k.Name, (*int64)(&k.CreatedAt), (*int64)(&k.RevokedAt),
		(*int64)(&k.ExpiresAt), &k.OrganizationID, &k.Maker}, more...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return Key{}, ErrNoKey
	}
	return k, err
}

// FindKey implements Store.
func (s *SQLite) FindKey(ctx context.Context, d Digest) (Key, error) {
	return scanKey(s.db.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM access_keys WHERE digest = ?`, d[:]))
}

// ListKeys implements Store.
func (s *SQLite) ListKeys(ctx context.Context) (keys []Key, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+keyColumns+`, COALESCE(minute, 0)
		FROM access_keys LEFT JOIN access_usage ON key_id = id ORDER BY created_at, id`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var minute int64
		k, err := scanKey(rows, &minute)
		if err != nil {
			return nil, err
		}
		k.LastUsed = market.Instant(minute) * market.Minute
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// RevokeKey implements Store.
func (s *SQLite) RevokeKey(ctx context.Context, idOrName string, at market.Instant) (Key, error) {
	keys, err := s.ListKeys(ctx)
	if err != nil {
		return Key{}, err
	}
	k, err := pick(keys, idOrName)
	if err != nil || k.RevokedAt != 0 {
		return k, err
	}
	_, err = s.db.ExecContext(ctx, `UPDATE access_keys SET revoked_at = ? WHERE id = ? AND revoked_at = 0`, int64(at), k.ID)
	k.RevokedAt = at
	return k, err
}

// pick finds the key that RevokeKey means.
func pick(keys []Key, idOrName string) (Key, error) {
	var found []Key
	for _, k := range keys {
		if k.ID == idOrName {
			return k, nil
		}
		if k.Name == idOrName && k.Name != "" {
			found = append(found, k)
		}
	}
	live := make([]Key, 0, len(found))
	for _, k := range found {
		if k.RevokedAt == 0 {
			live = append(live, k)
		}
	}
	switch {
	case len(live) == 1:
		return live[0], nil
	case len(live) > 1:
		ids := make([]string, len(live))
		for i, k := range live {
			ids[i] = k.ID
		}
		return Key{}, fmt.Errorf("%w: %s", ErrAmbiguous, strings.Join(ids, ", "))
	case len(found) > 0:
		return found[0], nil
	}
	return Key{}, ErrNoKey
}

// Take implements Store.
func (s *SQLite) Take(ctx context.Context, keyID string, w Windows, perMinute int) (Usage, error) {
	return s.change(ctx, keyID, w, func(u *Usage) { u.take(perMinute) })
}

// Used implements Store.
func (s *SQLite) Used(ctx context.Context, keyID string, w Windows) (Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx, keyID); err != nil {
		return Usage{}, err
	}
	u := *s.usage[keyID] // asking is no use of the key
	u.move(w)
	return u, nil
}

// TakeBulk implements Store.
func (s *SQLite) TakeBulk(ctx context.Context, keyID string, day, points, limit int64) (ok bool, err error) {
	_, err = s.change(ctx, keyID, Windows{Day: day}, func(u *Usage) { ok = u.takeBulk(points, limit) })
	return ok, err
}

// GiveBulk implements Store.
func (s *SQLite) GiveBulk(ctx context.Context, keyID string, day, points int64) error {
	_, err := s.change(ctx, keyID, Windows{Day: day}, func(u *Usage) { u.giveBulk(day, points) })
	return err
}

// load reads the counters of a key from the file when they are first asked for. The
// caller holds mu.
func (s *SQLite) load(ctx context.Context, keyID string) error {
	if s.usage[keyID] != nil {
		return nil
	}
	u := &Usage{}
	err := s.db.QueryRowContext(ctx,
		`SELECT minute, minute_used, day, day_used, bulk_used FROM access_usage WHERE key_id = ?`, keyID).
		Scan(&u.Minute, &u.InMinute, &u.Day, &u.InDay, &u.Bulk)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	s.usage[keyID] = u
	return nil
}

// change applies f to the counters of a key in the windows w.
func (s *SQLite) change(ctx context.Context, keyID string, w Windows, f func(*Usage)) (Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx, keyID); err != nil {
		return Usage{}, err
	}
	u := s.usage.at(keyID, w)
	f(u)
	s.dirty[keyID] = true
	return *u, nil
}

func (s *SQLite) flushing() {
	defer close(s.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			// A write that fails is tried again with the next: the counters stay
			// right in this process.
			_ = s.flush(context.Background())
		case <-s.stop:
			return
		}
	}
}

// flush writes the counters that changed, in one transaction.
func (s *SQLite) flush(ctx context.Context) (err error) {
	s.mu.Lock()
	changed := make(map[string]Usage, len(s.dirty))
	for id := range s.dirty {
		changed[id] = *s.usage[id]
	}
	clear(s.dirty)
	s.mu.Unlock()
	if len(changed) == 0 {
		return nil
	}
	defer func() {
		if err == nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for id := range changed {
			s.dirty[id] = true
		}
	}()
	tx, err := s.db.BeginTx(ctx, nil)
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

// CreateSession implements Store.
func (s *SQLite) CreateSession(ctx context.Context, d Digest, one Session, before market.Instant) error {
	if _, err := s.db.ExecContext(ctx, `DELETE FROM access_sessions WHERE seen_at < ?`, int64(before)); err != nil {
		return placeError(s.path, err)
	}
	_, err := s.db.ExecContext(ctx, `INSERT INTO access_sessions (digest, key_digest, made_at, seen_at) VALUES (?, ?, ?, ?)`,
		d[:], one.KeyDigest[:], int64(one.MadeAt), int64(one.SeenAt))
	return placeError(s.path, err)
}

const findSession = `SELECT key_digest, made_at, seen_at FROM access_sessions WHERE digest = `

func scanSession(row interface{ Scan(...any) error }) (Session, error) {
	var one Session
	var key []byte
	err := row.Scan(&key, (*int64)(&one.MadeAt), (*int64)(&one.SeenAt))
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, pgx.ErrNoRows) {
		return Session{}, ErrNoSession
	}
	copy(one.KeyDigest[:], key)
	return one, err
}

// FindSession implements Store.
func (s *SQLite) FindSession(ctx context.Context, d Digest) (Session, error) {
	return scanSession(s.db.QueryRowContext(ctx, findSession+`?`, d[:]))
}

// TouchSession implements Store.
func (s *SQLite) TouchSession(ctx context.Context, d Digest, at market.Instant) error {
	_, err := s.db.ExecContext(ctx, `UPDATE access_sessions SET seen_at = ? WHERE digest = ?`, int64(at), d[:])
	return err
}

// EndSession implements Store.
func (s *SQLite) EndSession(ctx context.Context, d Digest) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM access_sessions WHERE digest = ?`, d[:])
	return err
}

// Tables implements Store.
func (s *SQLite) Tables() Tables { return Tables{s.db, spellSQLite} }

var sqliteWords = strings.NewReplacer("$", "?", "LEAST(", "min(")

func spellSQLite(query string) string { return sqliteWords.Replace(query) }

// Connections implements Store.
func (s *SQLite) Connections() (used, limit int) {
	st := s.db.Stats()
	return st.InUse, st.MaxOpenConnections
}

// Close implements Store.
func (s *SQLite) Close() error {
	close(s.stop)
	<-s.done
	return errors.Join(s.flush(context.Background()), s.db.Close())
}
