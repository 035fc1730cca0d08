package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/archivetest/contract"
)

// memory returns a temporary folder, in memory where the system has one: these
// tests are about what is written, not about the disk under it.
func memory(t testing.TB) string {
	const shm = "/dev/shm"
	dir, err := os.MkdirTemp(shm, "ladderback-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// often is an empty archive that moves its ids often.
var often = archivetest.Made(func(path string) (*sqlite.Store, error) {
	s, _, err := sqlite.Create(context.Background(), path, sqlite.Often())
	return s, err
})

func TestStore(t *testing.T) {
	t.Parallel()
	contract.Run(t, func(t testing.TB) store.Store {
		path := filepath.Join(memory(t), "archive.db")
		archivetest.Copy(t, often, path)
		s, err := sqlite.Open(t.Context(), path, sqlite.Often())
		require.NoError(t, err)
		return s
	})
}
