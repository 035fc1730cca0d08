package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/internal/archivetest"
)

// TestRemoveShrinks takes everything out: the file is about as it was before.
func TestRemoveShrinks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memory(t), "archive.db")
	size := func() int64 {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		return fi.Size()
	}
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened)
	defer a.Close()
	empty := size()
	s := archivetest.NewScenario(1, 10_000)
	f := s.Whole()
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	info, err := a.Info(t.Context())
	require.NoError(t, err)
	full := info.Bytes
	require.NoError(t, a.RemoveSource(t.Context(), f.Source().SourceID()))
	after := size()
	require.Less(t, after-empty, (full-empty)/4)
	t.Logf("%d bytes, %d with captures, %d without them again", empty, full, after)
}
