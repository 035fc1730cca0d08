// Package file is the file of an embedded archive as SQLite has it: what it must be, how it
// is made, brought to this version, opened and sealed, and what its errors mean.
package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"github.com/ladderback/ladderback/archive/store"
)

// magic is how every SQLite file begins.
const magic = "SQLite format 3\x00"

// checksumBytes are left at the end of each page for a checksum of it.
const checksumBytes = 8

// Check refuses what cannot be an archive before SQLite sees it.
func Check(path string) error {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: no such file", path, store.ErrNoStore)
	case err != nil:
		return err
	case fi.IsDir():
		return fmt.Errorf("%s: %w: it is a folder", path, store.ErrNoStore)
	case !fi.Mode().IsRegular(): // opening a FIFO waits for whoever writes to it
		return fmt.Errorf("%s: %w: not a regular file", path, store.ErrNoStore)
	}
	head, err := header(path)
	if err != nil {
		return err
	}
	if len(head) > 0 && (len(head) < len(magic) || string(head[:len(magic)]) != magic) {
		return fmt.Errorf("%s: not a Ladderback archive: %w", path, store.ErrNoStore)
	}
	return nil
}

// header returns the first bytes of a file, fewer than 100 if it is shorter.
func header(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 100)
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return b[:n], nil
}

// Journalled reports whether the file is in rollback mode rather than WAL.
func Journalled(path string) bool {
	head, err := header(path)
	return err == nil && len(head) > 19 && head[18] == 1
}

// checksummed reports whether each page of the file ends in a checksum, which is
// compared whenever the page is read.
func checksummed(path string) bool {
	head, err := header(path)
	return err != nil || len(head) > 20 && head[20] == checksumBytes
}

// noLog reports whether no log with transactions stands beside the file.
func noLog(path string) bool {
	fi, err := os.Stat(path + "-wal")
	return err != nil || fi.Size() == 0
}

// writable reports whether files can be made in the folder of the file.
func writable(path string) bool {
	f, err := os.CreateTemp(filepath.Dir(path), ".ladderback-*")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// CannotWrite reports whether err may be for want of permission to write.
func CannotWrite(err error) bool {
	return errors.Is(err, store.ErrReadOnly) || errors.Is(err, sqlite3.CANTOPEN) ||
		errors.Is(err, sqlite3.PERM) || errors.Is(err, fs.ErrPermission)
}

// Failure says of an error which archive it is about, and what kind it is.
func Failure(path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if f := (*failed)(nil); errors.As(err, &f) && f.path == path {
		return err
	}
	kind := func(is error) error { return &failed{path, is, err} }
	switch {
	case errors.Is(err, sqlite3.INTERRUPT):
		return fmt.Errorf("%s: %w", path, context.Canceled)
	case errors.Is(err, sqlite3.BUSY), errors.Is(err, sqlite3.LOCKED), errors.Is(err, sqlite3.PROTOCOL):
		return kind(store.ErrLocked)
	case errors.Is(err, sqlite3.READONLY):
		return kind(store.ErrReadOnly)
	case errors.Is(err, sqlite3.FULL), errors.Is(err, syscall.ENOSPC), errors.Is(err, sqlite3.IOERR) && !errors.Is(err, sqlite3.IOERR_DATA) && full(filepath.Dir(path)):
		return kind(store.ErrFull)
	case errors.Is(err, fs.ErrPermission) && readable(path):
		return kind(store.ErrReadOnly)
	case errors.Is(err, sqlite3.CORRUPT), errors.Is(err, sqlite3.NOTADB), errors.Is(err, sqlite3.IOERR_SHORT_READ), errors.Is(err, sqlite3.IOERR_DATA):
		return kind(store.ErrDamaged)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// IsFailure reports whether Failure knew the kind of an error.
func IsFailure(err error) bool {
	_, known := errors.AsType[*failed](err)
	return known
}

// readable reports whether the file may be read.
func readable(path string) bool {
	f, err := os.Open(path)
	return err == nil && f.Close() == nil
}

// fullBytes is what a disk that is not full has room for.
const fullBytes = 2 << 20

// full reports whether a folder takes no more. SQLite does not say why a write
// failed.
func full(dir string) bool {
	f, err := os.CreateTemp(dir, ".ladderback-*")
	if err != nil {
		return errors.Is(err, syscall.ENOSPC)
	}
	_, err = f.Write(make([]byte, fullBytes))
	_ = errors.Join(f.Close(), os.Remove(f.Name()))
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG)
}

// failed is an error whose kind says all that there is to say of it in words.
type failed struct {
	path        string
	kind, cause error
}

// Error names the archive and the kind of failure and, for damage, what is
// damaged.
func (f *failed) Error() string {
	out := f.path + ": " + f.kind.Error()
	if errors.Is(f.kind, store.ErrDamaged) {
		out += ": " + strings.ReplaceAll(f.cause.Error(), "sqlite3: ", "")
	}
	return out
}

func (f *failed) Unwrap() []error { return []error{f.kind, f.cause} }
