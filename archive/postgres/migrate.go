package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/ladderback/ladderback/archive"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	versionTable = "archive_versions"
	// migrationLock is the number of the advisory lock held while migrating.
	migrationLock = 0x6c61646465726d67
	// How long another migration is waited for, in tries a second apart.
	lockTries = 600
)

// version returns the version of the archive in the database, 0 when there is
// none.
func (s *store) version(ctx context.Context) (int64, error) {
	var v int64
	err := s.pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM `+versionTable+` WHERE is_applied`).Scan(&v)
	var p *pgconn.PgError
	if errors.As(err, &p) && p.Code == "42P01" {
		return 0, nil
	}
	return v, s.fail(ctx, err)
}

// checkVersion refuses what is no archive of this version.
func (s *store) checkVersion(ctx context.Context) error {
	v, err := s.version(ctx)
	switch {
	case err != nil:
		return err
	case v == 0:
		return fmt.Errorf("%s: %w: `ladderback import` makes one in this database", s.address, archive.ErrNoStore)
	case v > Version:
		return s.newer(v)
	case v < Version:
		return fmt.Errorf("%s: %w: version %d, this program reads %d: `ladderback import` migrates it", s.address, archive.ErrOlder, v, Version)
	}
	return nil
}

func (s *store) newer(v int64) error {
	return fmt.Errorf("%s: %w: version %d, this program reads up to %d", s.address, archive.ErrNewer, v, Version)
}

// prepare makes sure that there is an archive of this version. Of several
// processes that do so at once, one works and the others wait for it.
func (s *store) prepare(ctx context.Context) (notice string, err error) {
	v, err := s.version(ctx)
	switch {
	case err != nil || v == Version:
		return "", err
	case v > Version:
		return "", s.newer(v)
	}
	var encoding string
	if err := s.pool.QueryRow(ctx, `SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()`).Scan(&encoding); err != nil {
		return "", s.fail(ctx, err)
	}
	if encoding != "UTF8" {
		return "", fmt.Errorf("%s: encoding of the database is %s: expected UTF8", s.address, encoding)
	}
	did, err := s.migrate(ctx)
	switch {
	case err != nil:
		return "", fmt.Errorf("migrate: %w", s.fail(ctx, err))
	case !did:
		return "", nil
	case v == 0:
		return "created an archive in " + s.address, nil
	}
	return fmt.Sprintf("migrated %s from version %d to %d", s.address, v, Version), nil
}

// migrate brings the tables to this version and reports whether it was this
// call that did.
func (s *store) migrate(ctx context.Context) (did bool, err error) {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return false, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, lockTries))
	if err != nil {
		return false, err
	}
	db := stdlib.OpenDBFromPool(s.pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	p, err := goose.NewProvider(goose.DialectPostgres, db, dir,
		goose.WithTableName(versionTable), goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return false, err
	}
	results, err := p.Up(ctx)
	return len(results) > 0, err
}
