package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing/fstest"
	"time"

	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// Option changes how a file is opened.
type Option = option

// VFS makes SQLite access its files through the file system registered under
// that name, which injects failures.
func VFS(name string) Option { return func(s *settings) { s.VFS = name } }

// Wait bounds how long a write waits for another process to finish writing.
func Wait(d time.Duration) Option { return func(s *settings) { s.Wait = d } }

// Unseal undoes file.Seal.
func Unseal(ctx context.Context, path string) error {
	db, err := file.Connect(path, file.ReadWrite, false, file.Defaults())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, "PRAGMA journal_mode = wal")
	return errors.Join(err, db.Close())
}

// Often moves ids on with every third market, and to the old ones with every sixth, not with every
// 16,384th and 262,144th.
func Often() Option {
	const name, rare, rarer = "sqlite/0001_archive.sql", "number % 16384 = 0", "number % 262144 = 0"
	schema := file.Defaults().Schema
	text, err := fs.ReadFile(schema.Migrations, name)
	if err != nil || strings.Count(string(text), rare) != 1 || strings.Count(string(text), rarer) != 1 {
		panic(name + " does not move ids with " + rare)
	}
	moved := strings.NewReplacer(rare, "number % 3 = 0", rarer, "number % 6 = 0").Replace(string(text))
	often := fstest.MapFS{name: {Data: []byte(moved)}}
	return func(s *settings) { s.Schema = &sqlstore.Schema{Part: schema.Part, Migrations: often} }
}
