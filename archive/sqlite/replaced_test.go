package sqlite_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
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
		case <-time.After(20 * time.Second):
			t.Fatal("still waiting for a FIFO")
		}
	}
}
