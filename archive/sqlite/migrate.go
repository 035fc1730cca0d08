package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/pressly/goose/v3"

	"github.com/ladderback/ladderback/archive"
)

//go:embed migrations/*.sql
var migrations embed.FS

// prepare makes sure that there is an archive of this version at path.
func prepare(ctx context.Context, path string) (notice string, err error) {
	dir := filepath.Dir(path)
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return "", fmt.Errorf("%s: %w: no folder %s", path, archive.ErrNoStore, dir)
	}
	err = checkFile(path)
	fresh := errors.Is(err, fs.ErrNotExist) || errors.Is(err, archive.ErrNoStore) && !exists(path)
	if err != nil && !fresh {
		return "", err
	}
	db, err := connect(path, mode{"mode=rwc&_txlock=immediate", false}, false)
	if err != nil {
		return "", failure(path, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var app, version, tables int64
	for q, to := range map[string]*int64{
		"PRAGMA application_id":              &app,
		"PRAGMA user_version":                &version,
		"SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := db.QueryRowContext(ctx, q).Scan(to); err != nil {
			return "", failure(path, err)
		}
	}
	switch {
	case app == applicationID && version == Version:
		return "", nil
	case app == applicationID && version > Version:
		return "", newer(path, version)
	case app == applicationID:
		copyPath := fmt.Sprintf("%s.v%d", path, version)
		if err := keepCopy(ctx, db, copyPath); err != nil {
			return "", failure(path, err)
		}
		notice = fmt.Sprintf("migrated %s from version %d to %d; the archive as it was is in %s", path, version, Version, copyPath)
	case tables > 0:
		return "", fmt.Errorf("%s: not a Ladderback archive: %w", path, archive.ErrNoStore)
	default:
		if err := setUp(ctx, db); err != nil {
			return "", failure(path, err)
		}
		notice = "created " + path
	}
	return notice, failure(path, migrate(ctx, db))
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
		return walMode(raw)
	})
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

// keepCopy writes a copy of the archive that db has open to path, which must
// not be there.
func keepCopy(ctx context.Context, db *sql.DB, path string) error {
	_, err := db.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}

func migrate(ctx context.Context, db *sql.DB) error {
	dir, err := fs.Sub(migrations, "migrations")
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

// Seal makes a finished archive one that can be read from a folder that cannot
// be written to: all of it in the one file, not in WAL mode. Writing to it
// again needs Unseal.
func Seal(ctx context.Context, path string) error { return journal(ctx, path, "delete") }

// Unseal undoes Seal.
func Unseal(ctx context.Context, path string) error { return journal(ctx, path, "wal") }

func journal(ctx context.Context, path, mode string) error {
	db, err := connect(path, readWrite, false)
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
