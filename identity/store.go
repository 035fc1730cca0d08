package identity

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

var schema = sqlstore.Schema{Part: "identity", Migrations: sqlstore.Folder(migrations, "migrations")}

// ErrNotInitialized means that a place holds no keys yet.
var ErrNotInitialized error = market.Errorf(market.CodeFailed, "no keys have been created there yet: run 'ladderback keys create'")

// Store keeps keys, sessions and counters in PostgreSQL, or in a file, which may be an
// archive. The limits hold over all processes that share a PostgreSQL database. Those of a
// file are counted in memory and written every second and on Close: they hold in one
// process and survive a restart. It is safe for concurrent use.
type Store struct {
	db       *sqlstore.DB
	addr     string        // without its password
	counters *fileCounters // the counters of a file; nil: they are in the database
}

// Open opens the store at an address: postgres://…, or the path of a file. With create
// its tables, and a file, are made or migrated as needed, also by several processes at
// once; without, a place without keys is ErrNotInitialized.
func Open(ctx context.Context, addr string, create bool) (*Store, error) {
	db, err := sqlstore.Open(ctx, addr, sqlstore.Options{Create: create})
	s := &Store{db: db, addr: sqlstore.Display(addr)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %w", err, ErrNotInitialized)
	case err != nil:
		return nil, fmt.Errorf("keys and limits: %w", err)
	case create:
		_, err = schema.Migrate(ctx, db.DB, db.Dialect)
	default:
		err = schema.Check(ctx, db.DB, db.Dialect)
	}
	switch {
	case errors.Is(err, sqlstore.ErrNone):
		err = ErrNotInitialized
	case errors.Is(err, sqlstore.ErrOlder):
		err = fmt.Errorf("%w: run 'ladderback keys create' or 'ladderback serve --local-key' to migrate them", err)
	}
	if err != nil {
		return nil, errors.Join(s.wrapError(err), db.Close())
	}
	if db.Dialect == sqlstore.SQLite {
		s.counters = newFileCounters(db.DB)
	}
	return s, nil
}

// InFile reports whether the file at path, an archive for example, holds keys.
func InFile(ctx context.Context, path string) bool {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return false
	}
	db, err := sqlstore.Open(ctx, path, sqlstore.Options{ReadOnly: true})
	if err != nil {
		return false
	}
	defer db.Close()
	version, err := schema.Version(ctx, db.DB, db.Dialect)
	return err == nil && version > 0
}

// wrapError names the place that an error is about; that of a full disk says so, rather than
// what could not be done for it.
func (s *Store) wrapError(err error) error {
	switch {
	case err == nil:
		return nil
	case sqlstore.DialectOf(s.addr) == sqlstore.SQLite && sqlstore.Full(s.addr, err):
		return fmt.Errorf("%s: %w", s.addr, ErrFull)
	}
	return fmt.Errorf("%s: %w", s.addr, err)
}

// DB returns the database behind the store, for tables that stand beside its own. The
// store stays its owner.
func (s *Store) DB() *sqlstore.DB { return s.db }

// exec runs a statement, written for PostgreSQL.
func (s *Store) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.db.ExecContext(ctx, s.db.Dialect.Spell(query), args...)
	return err
}

// row asks for one row.
func (s *Store) row(ctx context.Context, query string, args ...any) *sql.Row {
	return s.db.QueryRowContext(ctx, s.db.Dialect.Spell(query), args...)
}

// Connections returns how many connections to the database are in use, and their
// maximum.
func (s *Store) Connections() (used, limit int) {
	if s.db.Pool != nil {
		st := s.db.Pool.Stat()
		return int(st.AcquiredConns()), int(st.MaxConns())
	}
	st := s.db.Stats()
	return st.InUse, st.MaxOpenConnections
}

// Close writes whatever is held in memory and closes the store.
func (s *Store) Close() error {
	var err error
	if s.counters != nil {
		err = s.counters.close()
	}
	return errors.Join(err, s.db.Close())
}

// CreateKey stores a key under its digest.
func (s *Store) CreateKey(ctx context.Context, k Key, d Digest) error {
	return s.wrapError(s.exec(ctx, insertKeySQL, insertKeyArgs(&k, d)...))
}

const (
	keyColumns   = `id, plan, organization, name, created_at, revoked_at, expires_at, organization_id, maker`
	insertKeySQL = `INSERT INTO access_keys (id, digest, plan, organization, name, created_at, expires_at, organization_id, maker)
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

// FindKey returns the key of a digest, revoked or not, or ErrNoKey.
func (s *Store) FindKey(ctx context.Context, d Digest) (Key, error) {
	return scanKey(s.row(ctx, `SELECT `+keyColumns+` FROM access_keys WHERE digest = $1`, d[:]))
}

// ListKeys returns every key with its last use, oldest first.
func (s *Store) ListKeys(ctx context.Context) (keys []Key, err error) {
	err = sqlstore.Each(ctx, s.db, `SELECT `+keyColumns+`, COALESCE(minute, 0)
		FROM access_keys LEFT JOIN access_usage ON key_id = id ORDER BY created_at, id`, nil, func(rows *sql.Rows) error {
		var minute int64
		k, err := scanKey(rows, &minute)
		k.LastUsed = market.Instant(minute) * market.Minute
		keys = append(keys, k)
		return err
	})
	return keys, err
}

// RevokeKey revokes the key with that id or, if there is none, that name, and returns it.
// A key revoked earlier stays as it was. ErrNoKey, or ErrAmbiguous if several live keys
// have the name.
func (s *Store) RevokeKey(ctx context.Context, idOrName string, at market.Instant) (Key, error) {
	keys, err := s.ListKeys(ctx)
	if err != nil {
		return Key{}, err
	}
	k, err := resolveKey(keys, idOrName)
	if err != nil || k.RevokedAt != 0 {
		return k, err
	}
	k.RevokedAt = at
	return k, s.exec(ctx, `UPDATE access_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at = 0`, int64(at), k.ID)
}

// resolveKey finds the key that RevokeKey means.
func resolveKey(keys []Key, idOrName string) (Key, error) {
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

// CreateSession keeps a session of a key under the digest of its token, and forgets those
// not seen since before.
func (s *Store) CreateSession(ctx context.Context, d Digest, one Session, before market.Instant) error {
	if err := s.exec(ctx, `DELETE FROM access_sessions WHERE seen_at < $1`, int64(before)); err != nil {
		return s.wrapError(err)
	}
	return s.wrapError(s.exec(ctx, `INSERT INTO access_sessions (digest, id, key_digest, organization, made_at, seen_at, ends_at, agent, network)
		VALUES ($1, $2, $3, '', $4, $5, $6, '', '')`, d[:], "s_"+NewSecret(), one.KeyDigest[:], int64(one.MadeAt), int64(one.SeenAt), int64(one.MadeAt+sessionLife)))
}

// FindSession returns the session of a key with that digest, or ErrNoSession.
func (s *Store) FindSession(ctx context.Context, d Digest) (Session, error) {
	var one Session
	var key []byte
	err := s.row(ctx, `SELECT key_digest, made_at, seen_at FROM access_sessions WHERE digest = $1 AND key_digest IS NOT NULL`, d[:]).
		Scan(&key, (*int64)(&one.MadeAt), (*int64)(&one.SeenAt))
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, ErrNoSession
	}
	copy(one.KeyDigest[:], key)
	return one, err
}

// TouchSession records that a session, of a key or an account, was seen at a time.
func (s *Store) TouchSession(ctx context.Context, d Digest, at market.Instant) error {
	return s.exec(ctx, `UPDATE access_sessions SET seen_at = $1 WHERE digest = $2`, int64(at), d[:])
}

// EndSession forgets a session, of a key or an account; there may be none.
func (s *Store) EndSession(ctx context.Context, d Digest) error {
	return s.exec(ctx, `DELETE FROM access_sessions WHERE digest = $1`, d[:])
}
