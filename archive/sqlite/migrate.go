package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/pressly/goose/v3"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// prepare makes sure that there is an archive of this version at path.
func prepare(ctx context.Context, path string, o settings) (notice string, err error) {
	dir := filepath.Dir(path)
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return "", fmt.Errorf("%s: %w: no folder %s", path, store.ErrNoStore, dir)
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && fi.Size() == 0 && fi.Mode().IsRegular() && noLog(path):
		if err := create(ctx, path, o); err != nil {
			return "", fmt.Errorf("create archive: %w", failure(path, err))
		}
		return "created " + path, nil
	case err != nil:
		return "", err
	}
	if err := checkFile(path); err != nil {
		return "", err
	}
	return upgrade(ctx, path, o)
}

// upgrade brings the archive at path to this version; a newer one is an error.
func upgrade(ctx context.Context, path string, o settings) (notice string, err error) {
	db, err := connect(path, readWrite, false, o)
	if err != nil {
		return "", failure(path, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var app, version int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return "", failure(path, err)
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return "", failure(path, err)
	}
	switch {
	case app != applicationID:
		return "", fmt.Errorf("%s: not a Ladderback archive: %w", path, store.ErrNoStore)
	case version > o.version:
		return "", newer(path, version, o.version)
	case version == o.version:
		return "", nil
	}
	kept := fmt.Sprintf("%s.v%d", path, version)
	if err := keepOriginal(ctx, db, version, kept); err != nil {
		return "", fmt.Errorf("copy before migration: %w", failure(kept, err))
	}
	err = migrate(ctx, db, o.migrations)
	if err == nil && version < 4 {
		err = moveOver(ctx, db, path, version)
	}
	if err == nil && version < Version {
		err = change(ctx, db, path, Version, (*tx).noStep) // what the tables alone do
	}
	if err != nil {
		return "", fmt.Errorf("migrate (the original archive is in %s): %w", kept, failure(path, err))
	}
	return fmt.Sprintf("migrated %s from version %d to %d; the original archive is in %s", path, version, o.version, kept), nil
}

// create makes an empty archive beside path and moves it there when it is
// whole, so that a crash leaves no half of one. When another process has made
// one meanwhile, that one stays.
func create(ctx context.Context, path string, o settings) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".ladderback-new-*")
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("folder %s cannot be written to: %w", filepath.Dir(path), fs.ErrPermission)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	made := filepath.Join(dir, "archive.db")
	if err := os.WriteFile(made, nil, 0o666); err != nil {
		return err
	}
	db, err := connect(made, readWrite, false, o)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	err = setUp(ctx, db)
	if err == nil {
		err = migrate(ctx, db, migrations)
	}
	if err == nil {
		err = change(ctx, db, made, Version, (*tx).moveRows)
	}
	if err == nil {
		err = checkpoint(ctx, db)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := moveNew(made, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// checkpoint brings all of the log into the file. Closing does too, and says
// nothing when it cannot.
func checkpoint(ctx context.Context, db *sql.DB) error {
	var busy, log, done int
	if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done); err != nil {
		return err
	}
	if busy != 0 {
		return sqlite3.BUSY
	}
	return nil
}

// moveNew gives a file the name path unless something that is not empty has it.
func moveNew(made, path string) error {
	if fi, err := os.Stat(path); err == nil && fi.Size() == 0 {
		return os.Rename(made, path)
	}
	err := os.Link(made, path)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return nil
	case exists(path):
		return nil
	}
	return os.Rename(made, path) // a file system without links
}

// syncFolder makes sure that a new name in a folder outlives a loss of power.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// setUp gives a new file the properties that must be there before its first
// table.
func setUp(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		raw := c.(driver.Conn).Raw()
		for _, set := range [][2]string{{"page_size", fmt.Sprint(pageSize)}, {"auto_vacuum", "2"}} {
			if err := assertPragma(raw, set[0], set[1]); err != nil {
				return err
			}
		}
		if err := raw.EnableChecksums("main"); err != nil {
			return err
		}
		return walMode(raw)
	})
}

// onConn calls f with a connection.
func onConn(ctx context.Context, db *sql.DB, f func(*sqlite3.Conn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	err = conn.Raw(func(c any) error { return f(c.(driver.Conn).Raw()) })
	return errors.Join(err, conn.Close())
}

// moveOver moves the rows of an archive of an earlier version, whose tables have been
// migrated, to where version 4 has them, and gives back what that saves. One of
// version 1 gets checksums: of its pages, then of its rows.
func moveOver(ctx context.Context, db *sql.DB, path string, version int64) error {
	if version < 2 {
		if err := throughDisk(ctx, db, func(c *sqlite3.Conn) error { return c.EnableChecksums("main") }); err != nil {
			return err
		}
	}
	err := change(ctx, db, path, 4, func(t *tx, ctx context.Context) error {
		err := t.moveRows(ctx)
		if err == nil && version < 2 {
			err = t.sumRows(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	return throughDisk(ctx, db, func(c *sqlite3.Conn) error { return c.Exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") })
}

// throughDisk runs what writes the whole file anew: through a temporary file, since
// there is no room for it in memory.
func throughDisk(ctx context.Context, db *sql.DB, f func(*sqlite3.Conn) error) error {
	return onConn(ctx, db, func(c *sqlite3.Conn) error {
		return errors.Join(c.Exec("PRAGMA temp_store = 1; PRAGMA cache_size = -4096"), f(c),
			c.Exec(fmt.Sprintf("PRAGMA temp_store = 2; PRAGMA cache_size = %d", -writerKiB)))
	})
}

// change runs a step of a migration, and sets the version with it.
func change(ctx context.Context, db *sql.DB, path string, version int, step func(*tx, context.Context) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	l := pool.NewLink(conn)
	_, err = conn.ExecContext(ctx, "BEGIN IMMEDIATE")
	if err == nil {
		if err = step(&tx{s: &Store{path: path}, l: l}, ctx); err == nil {
			_, err = conn.ExecContext(ctx, fmt.Sprint("PRAGMA user_version = ", version))
		}
		end := "COMMIT"
		if err != nil {
			end = "ROLLBACK"
		}
		_, ended := conn.ExecContext(context.WithoutCancel(ctx), end)
		err = errors.Join(err, ended)
	}
	return errors.Join(err, l.Close())
}

// keepOriginal keeps a copy of an archive that is to be migrated. One that stands
// there stays if a migration has been begun since it was made.
func keepOriginal(ctx context.Context, db *sql.DB, version int64, kept string) error {
	var begun int64
	err := db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&begun)
	if err == nil && begun > version && exists(kept) {
		return nil
	}
	return keepCopy(ctx, db, kept)
}

func walMode(c *sqlite3.Conn) error {
	if err := c.Exec("PRAGMA journal_mode = wal"); err != nil {
		return err
	}
	got, err := pragma(c, "journal_mode")
	if err == nil && got != "wal" {
		err = fmt.Errorf("journal mode is %q: expected wal", got)
	}
	return err
}

// keepCopy writes a copy of the archive that db has open to path, in place of
// one that an earlier migration, which failed, may have left.
func keepCopy(ctx context.Context, db *sql.DB, path string) error {
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	uri := url.URL{Scheme: "file", Path: part, RawQuery: "vfs=" + FileSystem}
	if abs, err := filepath.Abs(part); err == nil {
		uri.Path = abs
	}
	err := onConn(ctx, db, func(c *sqlite3.Conn) error { return c.Backup("main", uri.String()) })
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func migrate(ctx context.Context, db *sql.DB, from fs.FS) error {
	dir, err := fs.Sub(from, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, dir)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// Seal makes a finished archive readable from a read-only folder: all of it in
// one file, not in WAL mode. Nobody writes to it again.
func Seal(ctx context.Context, path string) error { return journal(ctx, path, "delete") }

func journal(ctx context.Context, path, mode string) error {
	db, err := connect(path, readWrite, false, settingsOf(nil))
	if err != nil {
		return failure(path, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var got string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = "+mode).Scan(&got); err != nil {
		return failure(path, err)
	}
	if got != mode {
		return fmt.Errorf("%s: journal mode is %q: expected %s", path, got, mode)
	}
	return nil
}
