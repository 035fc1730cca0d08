package sqlite

import (
	"context"
	"time"
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
