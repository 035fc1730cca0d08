package sqlite

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
)

// next returns the settings of a version to come, whose migration is given.
func next(t *testing.T, statements string) settings {
	o := settingsOf(nil)
	o.version = Version + 1
	files := fstest.MapFS{"migrations/00006_next.sql": {Data: []byte("-- +goose Up\n" + statements)}}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(migrations, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: data}
	}
	o.migrations = files
	return o
}

func TestMigration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	a, notice, err := Create(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, "created "+path, notice)
	require.NoError(t, a.Close())

	o := next(t, "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;\nPRAGMA user_version = 6;")
	_, err = open(t.Context(), path, false, o)
	require.ErrorIs(t, err, store.ErrOlder)
	require.ErrorContains(t, err, "ladderback archive migrate")
	notice, err = prepare(t.Context(), path, o)
	require.NoError(t, err)
	require.Equal(t, "migrated "+path+" from version 5 to 6; the original archive is in "+path+".v5", notice)
	s, err := open(t.Context(), path, false, o)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	notice, err = prepare(t.Context(), path, o)
	require.NoError(t, err)
	require.Empty(t, notice, "once is enough")

	_, err = Open(t.Context(), path)
	require.ErrorIs(t, err, store.ErrNewer)
	kept, err := Open(t.Context(), path+".v5")
	require.NoError(t, err, "the copy is an archive of the old version")
	require.NoError(t, kept.Close())
}

// TestMigrationFails leaves the archive as it was.
func TestMigrationFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	a, _, err := Create(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	_, err = prepare(t.Context(), path, next(t, "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;\nPRAGMA user_version = 6;\nDROP TABLE nothing;"))
	require.ErrorContains(t, err, path+".v5")
	a, err = Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	// The copy of the first try stands in the way of none.
	_, err = prepare(t.Context(), path, next(t, "PRAGMA user_version = 6;"))
	require.NoError(t, err)
}

// TestSchema compares the tables with the ones written down.
func TestSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s, _, err := Create(t.Context(), path)
	require.NoError(t, err)
	defer s.Close()
	var lines []string
	rows, err := s.readers.DB.Query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%' ORDER BY type DESC, name")
	require.NoError(t, err)
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		lines = append(lines, line+";\n")
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	got := strings.Join(lines, "\n")
	const golden = "testdata/schema.sql"
	if os.Getenv("LADDERBACK_UPDATE_SCHEMA") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
