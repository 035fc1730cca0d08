package file

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
func next(t *testing.T, statements string) Settings {
	t.Helper()
	o := Defaults()
	files := fstest.MapFS{fmt.Sprintf("sqlite/%04d_next.sql", Version+1): {Data: []byte(statements)}}
	names, err := fs.Glob(schema.Migrations, "sqlite/*.sql")
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(schema.Migrations, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: data}
	}
	o.Schema = &sqlstore.Schema{Part: schema.Part, Migrations: files}
	return o
}

// made is the path of a new archive.
func made(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	notice, err := Prepare(t.Context(), path, Defaults())
	require.NoError(t, err)
	require.Equal(t, "created "+path, notice)
	return path
}

// opens says why a program with settings may not open a file.
func opens(t *testing.T, path string, o Settings) error {
	t.Helper()
	db, err := Connect(path, ReadOnly, true, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	return CheckVersion(t.Context(), path, db, o.Schema)
}

func TestMigration(t *testing.T) {
	t.Parallel()
	path := made(t)
	o := next(t, "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;")
	err := opens(t, path, o)
	require.ErrorIs(t, err, store.ErrOlder)
	require.ErrorContains(t, err, fmt.Sprintf("version %d, this program reads %d: `ladderback import` upgrades it", Version, Version+1))
	notice, err := Prepare(t.Context(), path, o)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("migrated %[1]s from version %[2]d to %[3]d; the original archive is in %[1]s.v%[2]d", path, Version, Version+1), notice)
	require.NoError(t, opens(t, path, o))
	notice, err = Prepare(t.Context(), path, o)
	require.NoError(t, err)
	require.Empty(t, notice, "once is enough")

	require.ErrorIs(t, opens(t, path, Defaults()), store.ErrNewer)
	_, err = Prepare(t.Context(), path, Defaults())
	require.ErrorIs(t, err, store.ErrNewer)
	require.NoError(t, opens(t, fmt.Sprint(path, ".v", Version), Defaults()), "the copy is an archive of the old version")
}

// TestMigrationFails leaves the archive as it was.
func TestMigrationFails(t *testing.T) {
	t.Parallel()
	path := made(t)
	_, err := Prepare(t.Context(), path, next(t, "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;\nDROP TABLE nothing;"))
	require.ErrorContains(t, err, fmt.Sprint(path, ".v", Version))
	require.NoError(t, opens(t, path, Defaults()))
	// The copy of the first try stands in the way of none.
	_, err = Prepare(t.Context(), path, next(t, "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;"))
	require.NoError(t, err)
}

// TestSchema compares the tables with the ones written down.
func TestSchema(t *testing.T) {
	t.Parallel()
	db, err := Connect(made(t), ReadOnly, true, Defaults())
	require.NoError(t, err)
	defer db.Close()
	var lines []string
	rows, err := db.Query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY type DESC, name")
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
