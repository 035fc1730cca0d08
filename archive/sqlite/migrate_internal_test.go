package sqlite

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// next returns the settings of a version to come, whose migration is given.
func next(t *testing.T, statements string) settings {
	o := settingsOf(nil)
	files := fstest.MapFS{fmt.Sprintf("sqlite/%04d_next.sql", Version+1): {Data: []byte(statements)}}
	names, err := fs.Glob(schema.Migrations, "sqlite/*.sql")
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(schema.Migrations, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: data}
	}
	o.schema = &sqlstore.Schema{Part: schema.Part, Migrations: files}
	return o
}

func TestMigration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	a, notice, err := Create(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, "created "+path, notice)
	require.NoError(t, a.Close())

	o := next(t, "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;")
	_, err = open(t.Context(), path, false, o)
	require.ErrorIs(t, err, store.ErrOlder)
	require.ErrorContains(t, err, fmt.Sprintf("version %d, this program reads %d: `ladderback import` upgrades it", Version, Version+1))
	notice, err = prepare(t.Context(), path, o)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("migrated %[1]s from version %[2]d to %[3]d; the original archive is in %[1]s.v%[2]d", path, Version, Version+1), notice)
	s, err := open(t.Context(), path, false, o)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	notice, err = prepare(t.Context(), path, o)
	require.NoError(t, err)
	require.Empty(t, notice, "once is enough")

	_, err = Open(t.Context(), path)
	require.ErrorIs(t, err, store.ErrNewer)
	kept, err := Open(t.Context(), fmt.Sprint(path, ".v", Version))
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
	_, err = prepare(t.Context(), path, next(t, "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;\nDROP TABLE nothing;"))
	require.ErrorContains(t, err, fmt.Sprint(path, ".v", Version))
	a, err = Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	// The copy of the first try stands in the way of none.
	_, err = prepare(t.Context(), path, next(t, "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;"))
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
	rows, err := s.readers.DB.Query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY type DESC, name")
	require.NoError(t, err)
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		lines = append(lines, line+";\n")
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	got := strings.Join(lines, "\n")
	require.Equal(t, Version, schema.Latest(sqlstore.SQLite))
	const golden = "testdata/schema.sql"
	if os.Getenv("LADDERBACK_UPDATE_SCHEMA") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
