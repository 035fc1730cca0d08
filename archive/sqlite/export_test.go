package sqlite

import (
	"context"
	"io/fs"
	"strings"
	"testing/fstest"
	"time"

	"github.com/ladderback/ladderback/internal/sqlstore"
)

// Option changes how a file is opened.
type Option = option

// VFS makes SQLite access its files through the file system registered under
// that name, which injects failures.
func VFS(name string) Option { return func(s *settings) { s.vfs = name } }

// Wait bounds how long a write waits for another process to finish writing.
func Wait(d time.Duration) Option { return func(s *settings) { s.wait = d } }

// Unseal undoes Seal.
func Unseal(ctx context.Context, path string) error { return journal(ctx, path, "wal") }

// Often moves ids to the old ones with every third market, not with every 65,536th.
func Often() Option {
	const file, rare = "sqlite/0001_archive.sql", "number % 65536"
	text, err := fs.ReadFile(schema.Migrations, file)
	if err != nil || strings.Count(string(text), rare) != 1 {
		panic(file + " does not move ids with " + rare)
	}
	often := fstest.MapFS{file: {Data: []byte(strings.Replace(string(text), rare, "number % 3", 1))}}
	return func(s *settings) { s.schema = &sqlstore.Schema{Part: schema.Part, Migrations: often} }
}
