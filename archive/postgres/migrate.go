package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/ladderback/ladderback/archive/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// tablesOf is a version of the tables, and the numbered migrations that lead to
// it.
type tablesOf struct {
	version    int64
	migrations fs.FS // with a folder "migrations"
}

const (
	versionTable = "archive_versions"
	// migrationLock is the number of the advisory lock held while tables are made
	// or migrated. Those of keys and limits are made under the same: each holds a
	// connection while it needs another, so that two at once could take all that
	// a small pool has.
	migrationLock = 0x6c61646465726d67
	// How long another migration is waited for, and how often it is looked
	// whether it is over.
	lockPatience = 10 * time.Minute
	lockPause    = 50 * time.Millisecond
)

// version returns the version of the archive in the database, 0 when there is
// none.
func (s *Store) version(ctx context.Context) (int64, error) {
	var v int64
	err := s.pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM `+versionTable+` WHERE is_applied`).Scan(&v)
	var p *pgconn.PgError
	if errors.As(err, &p) && p.Code == "42P01" {
		return 0, nil
	}
	return v, s.fail(ctx, err)
}

// ready sees, once, that there is an archive of this version.
func (s *Store) ready(ctx context.Context) error {
	if s.checked.Load() {
		return nil
	}
	if err := s.checkVersion(ctx); err != nil {
		return err
	}
	s.checked.Store(true)
	return nil
}

// checkVersion refuses what is no archive of this version.
func (s *Store) checkVersion(ctx context.Context) error {
	v, err := s.version(ctx)
	switch {
	case err != nil:
		return err
	case v == 0:
		return fmt.Errorf("%s: %w: `ladderback import` creates one in this database", s.address, store.ErrNoStore)
	case v > s.tables.version:
		return s.newer(v)
	case v < s.tables.version:
		return fmt.Errorf("%s: %w: version %d, this program reads %d: `ladderback archive migrate` upgrades it", s.address, store.ErrOlder, v, s.tables.version)
	}
	return nil
}

func (s *Store) newer(v int64) error {
	return fmt.Errorf("%s: %w: version %d, this program reads up to %d", s.address, store.ErrNewer, v, s.tables.version)
}

// prepare makes sure that there is an archive of this version. Of several
// processes that do so at once, one works and the others wait for it.
func (s *Store) prepare(ctx context.Context) (notice string, err error) {
	defer func() { s.checked.Store(err == nil) }()
	v, err := s.version(ctx)
	switch {
	case err != nil || v == s.tables.version:
		return "", err
	case v > s.tables.version:
		return "", s.newer(v)
	}
	var encoding string
	if err := s.pool.QueryRow(ctx, `SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()`).Scan(&encoding); err != nil {
		return "", s.fail(ctx, err)
	}
	if encoding != "UTF8" {
		return "", fmt.Errorf("%s: encoding of the database is %s: expected UTF8", s.address, encoding)
	}
	did := false
	err = s.whileLocked(ctx, func() (err error) {
		did, err = s.migrate(ctx)
		return err
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("migrate: %w", s.fail(ctx, err))
	case !did:
		return "", nil
	case v == 0:
		return "created an archive in " + s.address, nil
	}
	return fmt.Sprintf("migrated %s from version %d to %d", s.address, v, s.tables.version), nil
}

// whileLocked calls f while no other process makes or migrates tables in the
// database. The lock is that of a transaction, which holds a connection of its
// own: behind pgbouncer in transaction mode a session cannot hold one.
func (s *Store) whileLocked(ctx context.Context, f func() error) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for end := time.Now().Add(lockPatience); ; {
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
		if time.Now().After(end) {
			return fmt.Errorf("%w: it has been migrating for %v", store.ErrLocked, lockPatience)
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// migrate brings the tables to this version and reports whether it was this
// call that did. The caller holds the lock.
func (s *Store) migrate(ctx context.Context) (did bool, err error) {
	dir, err := fs.Sub(s.tables.migrations, "migrations")
	if err != nil {
		return false, err
	}
	db := stdlib.OpenDBFromPool(s.pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	p, err := goose.NewProvider(goose.DialectPostgres, db, dir,
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(goose.NewGoMigration(sumsVersion, &goose.GoFunc{RunDB: s.sumRows}, nil)))
	if err != nil {
		return false, err
	}
	results, err := p.Up(ctx)
	return len(results) > 0, err
}
