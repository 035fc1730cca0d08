package postgres

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// program connects as a program to come does, to whose version the statements
// migrate.
func program(t *testing.T, addr, statements string) *Store {
	t.Helper()
	s, err := connect(t.Context(), addr)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	files := fstest.MapFS{fmt.Sprintf("postgres/%04d_next.sql", Version+1): {Data: []byte(statements)}}
	names, err := fs.Glob(schema.Migrations, "postgres/*.sql")
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(schema.Migrations, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: data}
	}
	require.Len(t, names, Version)
	s.schema = &sqlstore.Schema{Part: schema.Part, Migrations: files}
	return s
}

// TestMigration opens an archive of an older version, which is refused, naming
// the command that migrates it, until that was run; afterwards the older program
// refuses it.
func TestMigration(t *testing.T) {
	t.Parallel()
	addr := pgtest.Database(t)
	s, _, err := Create(t.Context(), addr)
	require.NoError(t, err)
	require.NoError(t, s.Close())

	next := program(t, addr, "CREATE TABLE more (id bigint PRIMARY KEY);")
	err = next.checkVersion(t.Context())
	require.ErrorIs(t, err, store.ErrOlder)
	require.ErrorContains(t, err, fmt.Sprintf("version %d, this program reads %d: `ladderback import` upgrades it", Version, Version+1))
	require.ErrorContains(t, err, next.address)
	a, err := Open(t.Context(), addr)
	require.NoError(t, err, "refusing changes nothing")
	require.NoError(t, a.Close())

	// Several programs migrate it at once: one of them does.
	notices := make(chan string, 4)
	var programs errgroup.Group
	for range cap(notices) {
		p := program(t, addr, "CREATE TABLE more (id bigint PRIMARY KEY);")
		programs.Go(func() error {
			notice, err := p.prepare(t.Context())
			notices <- notice
			return err
		})
	}
	require.NoError(t, programs.Wait())
	close(notices)
	did := 0
	for notice := range notices {
		if notice != "" {
			did++
			require.Equal(t, fmt.Sprintf("migrated %s from version %d to %d", next.address, Version, Version+1), notice)
		}
	}
	require.Equal(t, 1, did)
	require.NoError(t, next.checkVersion(t.Context()))

	_, err = Open(t.Context(), addr)
	require.ErrorIs(t, err, store.ErrNewer)
	require.ErrorContains(t, err, fmt.Sprintf("version %d, this program reads up to %d", Version+1, Version))
	_, _, err = Create(t.Context(), addr)
	require.ErrorIs(t, err, store.ErrNewer)
}

// TestMigrationFails leaves the archive as it was.
func TestMigrationFails(t *testing.T) {
	t.Parallel()
	addr := pgtest.Database(t)
	s, _, err := Create(t.Context(), addr)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = program(t, addr, "CREATE TABLE more (id bigint PRIMARY KEY);\nDROP TABLE nothing;").prepare(t.Context())
	require.ErrorContains(t, err, "nothing")
	a, err := Open(t.Context(), addr)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	_, err = program(t, addr, "CREATE TABLE more (id bigint PRIMARY KEY);").prepare(t.Context())
	require.NoError(t, err)
}
