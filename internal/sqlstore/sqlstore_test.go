package sqlstore_test

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// schema has the statements as its migrations, for both dialects.
func schema(part string, statements ...string) *sqlstore.Schema {
	files := fstest.MapFS{}
	for i, text := range statements {
		for _, d := range []sqlstore.Dialect{sqlstore.PostgreSQL, sqlstore.SQLite} {
			files[string(d)+"/000"+string(rune('1'+i))+"_step.sql"] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return &sqlstore.Schema{Part: part, Migrations: files}
}

// each runs a test over an empty database of each dialect.
func each(t *testing.T, test func(t *testing.T, addr string)) {
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		test(t, filepath.Join(t.TempDir(), "a.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, pgtest.Database(t))
	})
}

func open(t *testing.T, addr string) *sqlstore.DB {
	t.Helper()
	db, err := sqlstore.Open(t.Context(), addr, sqlstore.Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

const (
	first  = "CREATE TABLE one (id bigint PRIMARY KEY); INSERT INTO one VALUES (1);"
	second = "ALTER TABLE one ADD COLUMN more bigint NOT NULL DEFAULT 2; CREATE TABLE two (id bigint PRIMARY KEY);"
)

// TestMigrate walks a part through its versions, with another part beside it.
func TestMigrate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, addr string) {
		db, ctx := open(t, addr), t.Context()
		old, now, other := schema("things", first), schema("things", first, second), schema("others", "CREATE TABLE other (id bigint PRIMARY KEY);")
		require.ErrorIs(t, old.Check(ctx, db.DB, db.Dialect), sqlstore.ErrNone)
		c, err := old.Migrate(ctx, db.DB, db.Dialect)
		require.NoError(t, err)
		require.Equal(t, sqlstore.Change{From: 0, To: 1}, c)
		require.NoError(t, old.Check(ctx, db.DB, db.Dialect))
		require.ErrorIs(t, other.Check(ctx, db.DB, db.Dialect), sqlstore.ErrNone)
		_, err = other.Migrate(ctx, db.DB, db.Dialect)
		require.NoError(t, err)

		err = now.Check(ctx, db.DB, db.Dialect)
		require.ErrorIs(t, err, sqlstore.ErrOlder)
		require.ErrorContains(t, err, "things: version 1 of the tables, this program's is 2")
		c, err = now.Migrate(ctx, db.DB, db.Dialect)
		require.NoError(t, err)
		require.Equal(t, sqlstore.Change{From: 1, To: 2}, c)
		var more int
		require.NoError(t, db.QueryRowContext(ctx, `SELECT more FROM one`).Scan(&more))
		require.Equal(t, 2, more)
		c, err = now.Migrate(ctx, db.DB, db.Dialect)
		require.NoError(t, err)
		require.Equal(t, sqlstore.Change{From: 2, To: 2}, c, "once is enough")

		require.ErrorIs(t, old.Check(ctx, db.DB, db.Dialect), sqlstore.ErrNewer)
		_, err = old.Migrate(ctx, db.DB, db.Dialect)
		require.ErrorIs(t, err, sqlstore.ErrNewer)
	})
}

// TestMigrateFails: what fails in the last statement leaves nothing of the first.
func TestMigrateFails(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, addr string) {
		db, ctx := open(t, addr), t.Context()
		c, err := schema("things", first, second+"DROP TABLE nothing;").Migrate(ctx, db.DB, db.Dialect)
		require.ErrorContains(t, err, "things, migration 0002_step.sql")
		require.ErrorContains(t, err, "nothing")
		require.Equal(t, sqlstore.Change{}, c)
		require.ErrorIs(t, schema("things", first).Check(ctx, db.DB, db.Dialect), sqlstore.ErrNone)
		c, err = schema("things", first, second).Migrate(ctx, db.DB, db.Dialect)
		require.NoError(t, err)
		require.Equal(t, sqlstore.Change{From: 0, To: 2}, c)
	})
}

// TestMigrateTogether: of many that start at once over nothing, one makes the
// tables, and all go on with them.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, addr string) {
		s := schema("things", first, second)
		var (
			mu   sync.Mutex
			made int
			all  errgroup.Group
		)
		for range 8 {
			db := open(t, addr)
			all.Go(func() error {
				c, err := s.Migrate(t.Context(), db.DB, db.Dialect)
				mu.Lock()
				defer mu.Unlock()
				if c.From == 0 {
					made++
				}
				return err
			})
		}
		require.NoError(t, all.Wait())
		require.Equal(t, 1, made)
	})
}

// TestMigrateStopped: a migration that is cancelled while it runs leaves nothing,
// and its connection can be used again.
func TestMigrateStopped(t *testing.T) {
	t.Parallel()
	const forever = "CREATE TABLE late AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT max(i) AS top FROM n;"
	each(t, func(t *testing.T, addr string) {
		db, err := sqlstore.Open(t.Context(), addr, sqlstore.Options{Create: true, Connections: 1})
		require.NoError(t, err)
		defer db.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err = schema("things", first, forever).Migrate(ctx, db.DB, db.Dialect)
		require.Error(t, err)
		require.ErrorIs(t, schema("things", first).Check(t.Context(), db.DB, db.Dialect), sqlstore.ErrNone)
		_, err = schema("things", first).Migrate(t.Context(), db.DB, db.Dialect)
		require.NoError(t, err)
	})
}

// TestNumbers: migrations without one of the numbers are a mistake of the program.
func TestNumbers(t *testing.T) {
	t.Parallel()
	s := &sqlstore.Schema{Part: "things", Migrations: fstest.MapFS{"sqlite/0002_later.sql": {Data: []byte(first)}}}
	_, err := s.Migrate(t.Context(), nil, sqlstore.SQLite)
	require.EqualError(t, err, "migration sqlite/0002_later.sql of things: expected number 1")
	require.Panics(t, func() { s.Latest(sqlstore.SQLite) })
	require.Panics(t, func() { s.Latest(sqlstore.PostgreSQL) })
}

func TestOpenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := sqlstore.Open(t.Context(), filepath.Join(dir, "none.db"), sqlstore.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoFileExists(t, filepath.Join(dir, "none.db"))
	_, err = sqlstore.Open(t.Context(), filepath.Join(dir, "none", "a.db"), sqlstore.Options{Create: true})
	require.ErrorContains(t, err, "no folder "+filepath.Join(dir, "none"))
	_, err = sqlstore.Open(t.Context(), dir, sqlstore.Options{Create: true})
	require.EqualError(t, err, dir+": not a regular file")

	path := filepath.Join(dir, "a #?%.db")
	db := open(t, path)
	_, err = schema("things", first).Migrate(t.Context(), db.DB, db.Dialect)
	require.NoError(t, err)
	require.FileExists(t, path)
	read, err := sqlstore.Open(t.Context(), path, sqlstore.Options{ReadOnly: true})
	require.NoError(t, err)
	defer read.Close()
	require.NoError(t, schema("things", first).Check(t.Context(), read.DB, read.Dialect))
	_, err = read.ExecContext(t.Context(), `DELETE FROM one`)
	require.ErrorContains(t, err, "readonly")
}

func TestSpell(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, addr string) {
		db := open(t, addr)
		var (
			now         int64
			least, most int
		)
		query := `SELECT {now}, LEAST(CAST($2 AS int), CAST($1 AS int)), GREATEST(CAST($1 AS int), CAST($2 AS int))`
		require.NoError(t, db.QueryRowContext(t.Context(), db.Dialect.Spell(query), 3, 5).Scan(&now, &least, &most))
		require.WithinDuration(t, time.Now(), time.UnixMicro(now), time.Hour)
		require.Equal(t, []int{3, 5}, []int{least, most})
	})
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]sqlstore.Dialect{
		"postgres://a@b/c": sqlstore.PostgreSQL, "postgresql://b/c": sqlstore.PostgreSQL, "postgres": sqlstore.SQLite, "/x/postgres://a": sqlstore.SQLite,
	} {
		require.Equal(t, want, sqlstore.DialectOf(addr), addr)
	}
	require.Equal(t, "postgres://a:xxxxx@b/c?password=xxxxx", sqlstore.Display("postgres://a:secret@b/c?password=secret"))
	require.Equal(t, "/x/a.db", sqlstore.Display("/x/a.db"))
	_, err := sqlstore.Open(t.Context(), "postgres://a:secret@b:port/c", sqlstore.Options{})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
}

// TestAway: what may go by, and what will not.
func TestAway(t *testing.T) {
	t.Parallel()
	for _, err := range []error{context.DeadlineExceeded, sqlite3.BUSY, sqlite3.IOERR, &pgconn.PgError{Code: "57P01"}, &pgconn.PgError{Code: "53100"}} {
		require.True(t, sqlstore.Unreachable(fmt.Errorf("ask: %w", err)), err)
	}
	for _, err := range []error{context.Canceled, sqlite3.CORRUPT, sqlite3.CONSTRAINT, &pgconn.PgError{Code: "42P01"}, &pgconn.PgError{Code: "23505"}} {
		require.False(t, sqlstore.Unreachable(fmt.Errorf("ask: %w", err)), err)
	}
	each(t, func(t *testing.T, addr string) {
		db := open(t, addr)
		for _, query := range []string{`SELECT 1 FROM nowhere`, `INSERT INTO nowhere VALUES (1)`, `SELECT missing FROM (SELECT 1 AS one) x`} {
			_, err := db.ExecContext(t.Context(), query)
			require.True(t, sqlstore.Lacking(fmt.Errorf("ask: %w", err)), err)
			require.False(t, sqlstore.Unreachable(err), err)
		}
		_, err := db.ExecContext(t.Context(), `SELECT FROM WHERE`)
		require.Error(t, err)
		require.False(t, sqlstore.Lacking(err), err)
		require.False(t, sqlstore.Unreachable(err), err)
	})
	db := open(t, "postgres://a@127.0.0.1:1/none?connect_timeout=1")
	_, err := schema("things", first).Version(t.Context(), db.DB, db.Dialect)
	require.True(t, sqlstore.Unreachable(err), err)
}

// TestFull: a full disk is told from other faults, also where SQLite calls it an
// error of input and output.
func TestFull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	require.True(t, sqlstore.Full(path, fmt.Errorf("migration: %w", sqlite3.FULL)))
	require.True(t, sqlstore.Full(path, syscall.ENOSPC))
	require.False(t, sqlstore.Full(path, fmt.Errorf("migration: %w", sqlite3.IOERR)), "there is room")
	require.False(t, sqlstore.Full(path, sqlite3.CORRUPT))
}

// TestConnections: the address's limit goes before the program's.
func TestConnections(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]int32{"postgres://a@b/c": 7, "postgres://a@b/c?pool_max_conns=3": 3} {
		p, err := sqlstore.Pool(t.Context(), addr, 7)
		require.NoError(t, err)
		require.Equal(t, want, p.Config().MaxConns)
		p.Close()
	}
}
