package file

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

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

var schema = sqlstore.Schema{Part: "archive", Migrations: sqlstore.Folder(migrations, "migrations")}

// Prepare makes sure that there is an archive of this version at path.
func Prepare(ctx context.Context, path string, o Settings) (notice string, err error) {
	dir := filepath.Dir(path)
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return "", fmt.Errorf("%s: %w: no folder %s", path, store.ErrNoStore, dir)
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && fi.Size() == 0 && fi.Mode().IsRegular() && noLog(path):
		if err := create(ctx, path, o); err != nil {
			return "", fmt.Errorf("create archive: %w", Failure(path, err))
		}
		return "created " + path, nil
	case err != nil:
		return "", err
	}
	if err := Check(path); err != nil {
		return "", err
	}
	return upgrade(ctx, path, o)
}

// upgrade brings the archive at path to this version; a newer one is an error.
func upgrade(ctx context.Context, path string, o Settings) (notice string, err error) {
	db, err := Connect(path, ReadWrite, false, o)
	if err != nil {
		return "", Failure(path, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	have, err := version(ctx, path, db, o.Schema)
	if err != nil {
		return "", err
	}
	switch want := o.Schema.Latest(sqlstore.SQLite); {
	case have > want:
		return "", newer(path, have, want)
	case have == want:
		return "", nil
	}
	kept := fmt.Sprintf("%s.v%d", path, have)
	if err := keepCopy(ctx, db, kept); err != nil {
		return "", fmt.Errorf("copy before migration: %w", Failure(kept, err))
	}
	c, err := o.Schema.Migrate(ctx, db, sqlstore.SQLite)
	if err != nil {
		return "", fmt.Errorf("migrate (the original archive is in %s): %w", kept, Failure(path, err))
	}
	return fmt.Sprintf("migrated %s from version %d to %d; the original archive is in %s", path, c.From, c.To, kept), nil
}

// create makes an empty archive beside path and moves it there when it is
// whole, so that a crash leaves no half of one. When another process has made
// one meanwhile, that one stays.
func create(ctx context.Context, path string, o Settings) (err error) {
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
	db, err := Connect(made, ReadWrite, false, o)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	err = setUp(ctx, db)
	if err == nil {
		_, err = o.Schema.Migrate(ctx, db, sqlstore.SQLite)
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
	uri := url.URL{Scheme: "file", Path: part, RawQuery: "vfs=" + sqlstore.FileSystem}
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

// Seal makes a finished archive readable from a read-only folder: all of it in
// one file, not in WAL mode. Nobody writes to it again.
func Seal(ctx context.Context, path string) error { return journal(ctx, path, "delete") }

func journal(ctx context.Context, path, mode string) error {
	db, err := Connect(path, ReadWrite, false, Defaults())
	if err != nil {
		return Failure(path, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var got string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = "+mode).Scan(&got); err != nil {
		return Failure(path, err)
	}
	if got != mode {
		return fmt.Errorf("%s: journal mode is %q: expected %s", path, got, mode)
	}
	return nil
}
