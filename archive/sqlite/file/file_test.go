package file_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/store"
)

// write makes a file in a folder of the test.
func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// TestNoArchives: what is surely no archive is said to be none, and why, before SQLite looks;
// it is left as it is.
func TestNoArchives(t *testing.T) {
	t.Parallel()
	for content, why := range map[string]string{
		"hello":                   "not a Ladderback archive",
		"SQLite format 2\x00":     "not a Ladderback archive",
		"SQLite format":           "not a Ladderback archive",
		string(make([]byte, 200)): "not a Ladderback archive",
		"SQLite format 3\x00" + string([]byte{16}): "",
	} {
		path := write(t, []byte(content))
		err := file.Check(path)
		if why == "" {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, store.ErrNoStore)
			require.ErrorContains(t, err, path+": "+why)
		}
		_, err = file.Prepare(t.Context(), path, file.Defaults())
		require.Error(t, err)
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(now))
	}
	dir := t.TempDir()
	require.ErrorContains(t, file.Check(dir), "it is a folder")
	require.ErrorContains(t, file.Check(filepath.Join(dir, "none")), "no such file")
	_, err := file.Prepare(t.Context(), filepath.Join(dir, "none", "a.db"), file.Defaults())
	require.ErrorIs(t, err, store.ErrNoStore)
	require.ErrorContains(t, err, "no folder")
}

// TestOthersTables: a database of another program is no archive, and gets no tables of one.
func TestOthersTables(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sqlite3.Open("file:" + filepath.ToSlash(path))
	require.NoError(t, err)
	require.NoError(t, db.Exec("CREATE TABLE theirs (id)"))
	require.NoError(t, db.Close())
	_, err = file.Prepare(t.Context(), path, file.Defaults())
	require.ErrorIs(t, err, store.ErrNoStore)
	require.NoFileExists(t, path+".v0")
}

// TestMadeOnce: of several that make an archive at once one does, all have it, and nothing is
// left beside it. An empty file is made into one.
func TestMadeOnce(t *testing.T) {
	t.Parallel()
	for _, path := range []string{filepath.Join(t.TempDir(), "a.db"), write(t, nil)} {
		var wait sync.WaitGroup
		errs := make([]error, 5)
		for i := range errs {
			wait.Go(func() { _, errs[i] = file.Prepare(t.Context(), path, file.Defaults()) })
		}
		wait.Wait()
		require.NoError(t, errors.Join(errs...))
		notice, err := file.Prepare(t.Context(), path, file.Defaults())
		require.NoError(t, err)
		require.Empty(t, notice)
		left, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		for _, l := range left {
			require.Contains(t, []string{"a.db", "a.db-wal", "a.db-shm"}, l.Name())
		}
	}
}

// TestModes: a file is written to where somebody may write, and read without making files
// beside it only where nobody writes.
func TestModes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	_, err := file.Prepare(t.Context(), path, file.Defaults())
	require.NoError(t, err)
	require.False(t, file.Journalled(path))
	require.Equal(t, []file.Mode{file.ReadWrite, file.ReadOnly, file.Immutable}, file.Modes(path, false))
	require.Equal(t, []file.Mode{file.ReadOnly, file.Immutable}, file.Modes(path, true))

	require.NoError(t, os.WriteFile(path+"-wal", []byte("a log"), 0o600))
	require.Equal(t, []file.Mode{file.ReadWrite, file.ReadOnly}, file.Modes(path, false), "what is in the log would not be seen")
	require.Equal(t, []file.Mode{file.ReadOnly}, file.Modes(path, true))
	require.ErrorIs(t, file.Merged(path), store.ErrOverwritten)
	require.NoError(t, os.Remove(path+"-wal"))
	require.NoError(t, file.Merged(path))

	require.NoError(t, file.Seal(t.Context(), path))
	require.True(t, file.Journalled(path))
	require.Equal(t, []file.Mode{file.ReadOnly, file.Immutable}, file.Modes(path, true))
	require.NoFileExists(t, path+"-wal")
}

// TestFailure: errors say which archive they are about once, and are of a kind that programs
// know.
func TestFailure(t *testing.T) {
	t.Parallel()
	path := write(t, nil)
	for cause, kind := range map[error]error{
		sqlite3.BUSY:             store.ErrLocked,
		sqlite3.LOCKED:           store.ErrLocked,
		sqlite3.READONLY:         store.ErrReadOnly,
		sqlite3.FULL:             store.ErrFull,
		syscall.ENOSPC:           store.ErrFull,
		sqlite3.CORRUPT:          store.ErrDamaged,
		sqlite3.NOTADB:           store.ErrDamaged,
		sqlite3.IOERR_SHORT_READ: store.ErrDamaged,
		sqlite3.IOERR_DATA:       store.ErrDamaged,
		sqlite3.INTERRUPT:        context.Canceled,
		fs.ErrPermission:         store.ErrReadOnly,
		errors.ErrUnsupported:    errors.ErrUnsupported,
	} {
		err := file.Failure(path, fmt.Errorf("a statement: %w", cause))
		require.ErrorIs(t, err, kind, "%v", cause)
		require.ErrorContains(t, err, path+": ")
	}
	require.NoError(t, file.Failure(path, nil))
	require.Equal(t, context.DeadlineExceeded, file.Failure(path, context.DeadlineExceeded))

	damaged := file.Failure(path, fmt.Errorf("a page: %w", sqlite3.CORRUPT))
	require.Equal(t, damaged, file.Failure(path, damaged), "once")
	require.Equal(t, path+": archive damaged: a page: database disk image is malformed", damaged.Error())
	require.True(t, file.CannotWrite(file.Failure(path, sqlite3.READONLY)))
	require.False(t, file.CannotWrite(damaged))
}
