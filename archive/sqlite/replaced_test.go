package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

// TestReplacedFile: once another file stands at the path nothing is read any more,
// neither of the old one nor, through connections made later, of the new one.
func TestReplacedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	for _, p := range []string{path, other} {
		a, _, err := sqlite.Create(t.Context(), p)
		require.NoError(t, err)
		require.NoError(t, a.Close())
	}
	s, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	a := archive.New(s)
	_, err = a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)

	require.NoError(t, os.Rename(other, path))
	for range 12 { // more than there are connections
		_, err = a.Markets(t.Context(), store.MarketQuery{})
		require.ErrorIs(t, err, store.ErrReplaced)
		_, err = a.Watermarks(t.Context(), "")
		require.ErrorIs(t, err, store.ErrReplaced)
		require.Equal(t, market.CodeUnavailable, market.CodeOf(err))
	}
	require.NoError(t, a.Close())

	s, err = sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	a = archive.New(s)
	require.NoError(t, os.Remove(path))
	_, err = a.Markets(t.Context(), store.MarketQuery{})
	require.ErrorIs(t, err, store.ErrReplaced)
	require.NoError(t, a.Close())
}

// TestOverwrittenFile: once another archive has been copied over the file, into the
// same inode, nothing is read any more; closing does not write what was left of the
// old one into the new one, and opening it anew gives the new one whole.
func TestOverwrittenFile(t *testing.T) {
	t.Parallel()
	for _, unmerged := range []bool{false, true} {
		t.Run(fmt.Sprintf("log unmerged %v", unmerged), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, other := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
			for i, p := range []string{path, other} {
				a, _, err := sqlite.Create(t.Context(), p)
				require.NoError(t, err)
				for range i + 1 {
					mark(t, a)
				}
				require.NoError(t, a.Close())
			}
			fresh, err := os.ReadFile(other)
			require.NoError(t, err)
			s, err := sqlite.Open(t.Context(), path)
			require.NoError(t, err)
			was, err := s.Moment(t.Context())
			require.NoError(t, err)
			if unmerged {
				w, err := sqlite.Open(t.Context(), path)
				require.NoError(t, err)
				mark(t, w)
				require.NoError(t, w.Close())
				was, err = s.Moment(t.Context())
				require.NoError(t, err)
			}

			time.Sleep(20 * time.Millisecond) // beyond the clock of the file system
			require.NoError(t, os.WriteFile(path, fresh, 0o600))
			view := func() error { return s.View(t.Context(), func(store.Reader) error { return nil }) }
			for range 12 { // more than there are connections
				require.ErrorIs(t, view(), store.ErrOverwritten)
				_, err = s.Moment(t.Context())
				require.ErrorIs(t, err, store.ErrOverwritten)
				require.Equal(t, market.CodeUnavailable, market.CodeOf(err))
				require.ErrorIs(t, s.Update(t.Context(), func(store.Writer) error { return nil }), store.ErrOverwritten)
			}
			require.NoError(t, s.Close())
			require.ErrorIs(t, view(), store.ErrOverwritten, "it says why it was closed")
			require.NoError(t, s.Close())
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.Equal(fresh, left), "the new file was written to")
			if unmerged {
				err := file.Merged(path)
				require.ErrorIs(t, err, store.ErrOverwritten)
				require.ErrorContains(t, err, "delete "+path+"-wal")
				require.NoError(t, os.Remove(path+"-wal"))
				require.NoError(t, os.Remove(path+"-shm"))
			}
			require.NoError(t, file.Merged(path))
			s, err = sqlite.Open(t.Context(), path)
			require.NoError(t, err)
			now, err := s.Moment(t.Context())
			require.NoError(t, err)
			require.NotEqual(t, was.Write, now.Write)
			require.NoError(t, s.Close())
		})
	}
}

// mark writes a transaction.
func mark(t *testing.T, s *sqlite.Store) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(store.Writer) error { return nil }))
}

// TestCheckpointsAreNoOverwriting: whatever SQLite itself does to the file, in this
// process or in another, it is the file that was opened.
func TestCheckpointsAreNoOverwriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	raw, err := driver.Open("file:" + path + "?vfs=" + sqlstore.FileSystem)
	require.NoError(t, err)
	raw.SetMaxOpenConns(1)
	_, err = raw.Exec("PRAGMA busy_timeout = 20000")
	require.NoError(t, err)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := s.Moment(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	checkpoints := 0
	for i := range 150 {
		w, err := sqlite.Open(t.Context(), path)
		require.NoError(t, err)
		mark(t, w)
		var busy, log, merged int
		how := []string{"PASSIVE", "FULL", "RESTART", "TRUNCATE"}[i%4]
		require.NoError(t, raw.QueryRow("PRAGMA wal_checkpoint("+how+")").Scan(&busy, &log, &merged))
		if merged > 0 || how == "TRUNCATE" {
			checkpoints++
		}
		require.NoError(t, w.Close())
	}
	close(done)
	readers.Wait()
	require.Greater(t, checkpoints, 100, "the file was hardly written to")
	require.NoError(t, raw.Close())
	require.NoError(t, s.Close())
}

// TestFIFOIsNoArchive: opening one would wait for somebody to write to it.
func TestFIFOIsNoArchive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	done := make(chan error, 2)
	go func() {
		_, err := sqlite.Open(t.Context(), path)
		done <- err
		_, _, err = sqlite.Create(t.Context(), path)
		done <- err
	}()
	for range 2 {
		select {
		case err := <-done:
			require.ErrorIs(t, err, store.ErrNoStore)
		case <-time.After(time.Minute):
			t.Fatal("still waiting for a FIFO")
		}
	}
}
