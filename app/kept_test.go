package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ladderback/ladderback/backtest"
	"github.com/stretchr/testify/require"
)

// Only the newest runs are kept, for their owner alone.
func TestKeptRuns(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "runs")
	for range MaxKept + 3 {
		_, err := keepIn(dir, &backtest.Body{Report: &backtest.Report{}}, []byte("{}\n"), nil)
		require.NoError(t, err)
	}
	numbers := runNumbers(dir)
	require.Len(t, numbers, MaxKept)
	require.Equal(t, MaxKept+3, numbers[0])
	fi, err := os.Stat(runFile(dir, numbers[0]))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
}

// A kept run knows the files that it was made from, and no server's address.
func TestKeptArchives(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs("a.db")
	require.NoError(t, err)
	require.Equal(t, []string{here}, wholePaths([]string{"a.db"}))
	require.Equal(t, []string{"crypto=" + here}, wholePaths([]string{"crypto=a.db"}))
	require.Empty(t, wholePaths([]string{"crypto=a.db", "sports=postgres://user:secret@host/db"}))
}
