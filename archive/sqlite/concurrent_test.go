package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
)

const (
	rolePath = "LADDERBACK_ROLE_PATH"
	role     = "LADDERBACK_ROLE" // "reader", "forwards" or "backwards"
)

// inRole runs TestRoleChild in a process of its own.
func inRole(t testing.TB, path, as string) error {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRoleChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), rolePath+"="+path, role+"="+as)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("%s: %s", as, out)
	}
	return err
}

func TestRoleChild(t *testing.T) {
	path := os.Getenv(rolePath)
	switch as := os.Getenv(role); as {
	case "":
		t.Skip("run by other tests")
	case "reader":
		watch(t, path)
	default:
		s, files := crashScenario()
		if as == "backwards" {
			slices.Reverse(files)
		}
		opened, _, err := sqlite.Create(t.Context(), path)
		require.NoError(t, err)
		a := archivetest.New(opened, intake.Config{BlockCaptures: smallBlocks, Memory: smallMemory})
		for i := range files {
			require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
		}
		require.NoError(t, a.Close())
	}
}

// watch reads an archive, without opening it again, until the file "done"
// stands beside it. Whatever it sees is sound, and never less than before.
func watch(t *testing.T, path string) {
	opened, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened)
	defer a.Close()
	sources, looks := 0, 0
	for done := false; !done; looks++ {
		_, err := os.Stat(filepath.Join(filepath.Dir(path), "done"))
		done = err == nil
		v, err := a.Verify(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, v.Damage)
		list, err := a.Sources(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(list), sources)
		sources = len(list)
		rows, err := a.Markets(t.Context(), store.MarketQuery{})
		require.NoError(t, err)
		for i := range rows {
			_, err := archivetest.Trace(&rows[i].Market, a.Captures(t.Context(), &rows[i].Market))
			if errors.Is(err, store.ErrNotFound) {
				continue // a source has named it by another id since it was listed
			}
			require.NoError(t, err)
		}
	}
	_, files := crashScenario()
	require.Len(t, files, sources, "new captures are seen")
	t.Logf("looked %d times", looks)
}

// TestReadWhileImporting reads in one process what another imports.
func TestReadWhileImporting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memory(t), "archive.db")
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened)
	require.NoError(t, a.Close())
	var g errgroup.Group
	g.Go(func() error { return inRole(t, path, "reader") })
	err = inRole(t, path, "forwards")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "done"), nil, 0o600))
	require.NoError(t, err)
	require.NoError(t, g.Wait())
}

// TestTwoImports imports the same files in two processes at once.
func TestTwoImports(t *testing.T) {
	t.Parallel()
	alone := filepath.Join(memory(t), "alone.db")
	importAll(t, alone)
	path := filepath.Join(memory(t), "archive.db")
	var g errgroup.Group
	for _, as := range []string{"forwards", "backwards", "forwards"} {
		g.Go(func() error { return inRole(t, path, as) })
	}
	require.NoError(t, g.Wait())
	require.Equal(t, dump(t, alone), dump(t, path))
}
