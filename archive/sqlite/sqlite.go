// Package sqlite keeps an archive in one file, through SQLite.
package sqlite

import (
	"context"
	"errors"

	"github.com/ladderback/ladderback/archive"
)

// Open opens the archive in the file at path. It neither creates nor migrates.
func Open(ctx context.Context, path string) (*archive.Archive, error) {
	return nil, errors.ErrUnsupported
}

// Create opens the archive in the file at path for writing, creating the file
// when there is none and migrating an older archive. notice says what was done
// in words for people, and is empty when nothing was.
func Create(ctx context.Context, path string) (a *archive.Archive, notice string, err error) {
	return nil, "", errors.ErrUnsupported
}
