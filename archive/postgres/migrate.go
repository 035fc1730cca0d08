package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

var schema = sqlstore.Schema{Part: "archive", Migrations: sqlstore.Folder(migrations, "migrations")}

// version returns the version of the archive in the database, 0 when there is
// none; one of no release is an error.
func (s *Store) version(ctx context.Context) (v int, err error) {
	db := stdlib.OpenDBFromPool(s.pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	if v, err = s.schema.Version(ctx, db, sqlstore.PostgreSQL); err != nil || v == 0 {
		return v, s.fail(ctx, err)
	}
	var mark string
	if err := s.pool.QueryRow(ctx, `SELECT coalesce(obj_description(to_regclass('sources'), 'pg_class'), '')`).Scan(&mark); err != nil {
		return 0, s.fail(ctx, err)
	}
	if mark != format {
		return 0, fmt.Errorf("%s: not an archive of a released version: %w: import its captures anew, into another database", s.address, store.ErrNoStore)
	}
	return v, nil
}

// format is what the first migration notes of the tables, on that of the sources. Builds
// before the first release made others of the same version.
const format = "ladderback archive 494fec3c"

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
	switch want := s.schema.Latest(sqlstore.PostgreSQL); {
	case err != nil:
		return err
	case v == 0:
		return fmt.Errorf("%s: %w: `ladderback import` creates one in this database", s.address, store.ErrNoStore)
	case v > want:
		return s.newer(v, want)
	case v < want:
		return fmt.Errorf("%s: %w: version %d, this program reads %d: `ladderback import` upgrades it", s.address, store.ErrOlder, v, want)
	}
	return nil
}

func (s *Store) newer(v, want int) error {
	return fmt.Errorf("%s: %w: version %d, this program reads up to %d", s.address, store.ErrNewer, v, want)
}

// prepare makes sure that there is an archive of this version. Of several
// processes that do so at once, one works and the others wait for it.
func (s *Store) prepare(ctx context.Context) (notice string, err error) {
	defer func() { s.checked.Store(err == nil) }()
	v, err := s.version(ctx)
	switch want := s.schema.Latest(sqlstore.PostgreSQL); {
	case err != nil || v == want:
		return "", err
	case v > want:
		return "", s.newer(v, want)
	}
	var encoding string
	if err := s.pool.QueryRow(ctx, `SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()`).Scan(&encoding); err != nil {
		return "", s.fail(ctx, err)
	}
	if encoding != "UTF8" {
		return "", fmt.Errorf("%s: encoding of the database is %s: expected UTF8", s.address, encoding)
	}
	db := stdlib.OpenDBFromPool(s.pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	c, err := s.schema.Migrate(ctx, db, sqlstore.PostgreSQL)
	switch {
	case err != nil:
		return "", fmt.Errorf("migrate: %w", s.fail(ctx, err))
	case c.From == c.To: // another process was faster
		return "", nil
	case c.From == 0:
		return "created an archive in " + s.address, nil
	}
	return fmt.Sprintf("migrated %s from version %d to %d", s.address, c.From, c.To), nil
}
