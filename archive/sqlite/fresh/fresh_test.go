package fresh_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/fresh"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

const pageSize = 4096

// opened is a pool of one connection over a file, of which the sums of pages are kept, and
// makes its tables where they are not.
func opened(t *testing.T, path string) *pool.Pool {
	t.Helper()
	sqlstore.RegisterFiles()
	_, missing := os.Stat(path)
	uri := fmt.Sprintf("file:%s?vfs=%s", filepath.ToSlash(path), sqlstore.FileSystem)
	db, err := driver.Open(uri, func(c *sqlite3.Conn) error {
		if missing != nil {
			missing = nil
			if err := c.Exec(fmt.Sprintf(`PRAGMA page_size = %d`, pageSize)); err != nil {
				return err
			}
			if err := c.EnableChecksums("main"); err != nil {
				return err
			}
			if err := c.Exec(`PRAGMA journal_mode = wal`); err != nil {
				return err
			}
		}
		return fresh.Track(c)
	})
	require.NoError(t, err)
	p := pool.New(db, 1)
	t.Cleanup(func() { _ = p.Close() })
	require.NoError(t, p.Transact(t.Context(), "BEGIN", func(l *pool.Link) error {
		for _, q := range []string{
			`CREATE TABLE IF NOT EXISTS pages (number INTEGER PRIMARY KEY, sums BLOB NOT NULL)`,
			`CREATE TABLE IF NOT EXISTS watermarks (category TEXT PRIMARY KEY, at INTEGER NOT NULL)`,
			`CREATE TABLE IF NOT EXISTS texts (n INTEGER PRIMARY KEY, text TEXT)`,
		} {
			if err := l.Exec(t.Context(), q); err != nil {
				return err
			}
		}
		return nil
	}))
	return p
}

// write changes texts in a transaction that keeps the sums.
func write(ctx context.Context, p *pool.Pool, query string) error {
	return p.Transact(ctx, "BEGIN IMMEDIATE", func(l *pool.Link) error {
		if err := fresh.Write(l); err != nil {
			return err
		}
		if err := l.Exec(ctx, query); err != nil {
			return err
		}
		return fresh.Settle(ctx, l)
	})
}

// read reads all texts on a snapshot whose pages are compared.
func read(ctx context.Context, p *pool.Pool) (n int, err error) {
	err = p.Transact(ctx, "BEGIN", func(l *pool.Link) error {
		if err := fresh.Read(l); err != nil {
			return err
		}
		err := l.Each(ctx, `SELECT count(text) FROM texts`, nil, func(r *sql.Rows) error { return r.Scan(&n) })
		if err != nil {
			return err
		}
		return fresh.Compare(ctx, l)
	})
	return n, err
}

const (
	fill   = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1600) INSERT INTO texts SELECT n, hex(zeroblob(400)) FROM c`
	change = `UPDATE texts SET text = 'new' WHERE n % 7 = 0`
)

// TestLostWritesAreTold: each page of the table as it was before, one after the other, as a
// disk leaves it that has lost one write. More than one row of sums is in use.
func TestLostWritesAreTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	p := opened(t, path)
	require.NoError(t, write(t.Context(), p, fill))
	n, err := read(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, 1600, n)
	require.NoError(t, p.Close()) // which merges the log into the file
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	p = opened(t, path)
	require.NoError(t, write(t.Context(), p, change))
	_, err = read(t.Context(), p)
	require.NoError(t, err)
	require.NoError(t, p.Close())
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Greater(t, len(after), 300*pageSize)

	lost := 0
	for page := 1; page*pageSize < len(before); page++ { // the first says how far the file goes
		at := page * pageSize
		if string(before[at:at+pageSize]) == string(after[at:at+pageSize]) || page%14 != 0 {
			continue
		}
		spoilt := append([]byte{}, after...)
		copy(spoilt[at:], before[at:at+pageSize])
		one := filepath.Join(t.TempDir(), "b.db")
		require.NoError(t, os.WriteFile(one, spoilt, 0o600))
		p := opened(t, one)
		_, err := read(t.Context(), p)
		require.ErrorIs(t, err, store.ErrDamaged)
		require.ErrorContains(t, err, fmt.Sprintf("page %d is not as it was last written", page+1))
		require.NoError(t, p.Close())
		lost++
	}
	require.Greater(t, lost, 10)
}

// TestSumsOfOtherTablesCountForNothing: whoever changes tables may move any page.
func TestSumsOfOtherTablesCountForNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	p := opened(t, path)
	require.NoError(t, write(t.Context(), p, fill))
	exec := func(query string) {
		t.Helper()
		require.NoError(t, p.Transact(t.Context(), "BEGIN IMMEDIATE", func(l *pool.Link) error { return l.Exec(t.Context(), query) }))
	}
	rows := func() (n int) {
		t.Helper()
		require.NoError(t, p.Transact(t.Context(), "BEGIN", func(l *pool.Link) error {
			return l.Each(t.Context(), `SELECT count(*) FROM pages`, nil, func(r *sql.Rows) error { return r.Scan(&n) })
		}))
		return n
	}
	told := func() error { // by a connection that has no page in memory
		t.Helper()
		require.NoError(t, p.Close())
		p = opened(t, path)
		_, err := read(t.Context(), p)
		return err
	}
	require.Greater(t, rows(), 1)
	exec(change) // by someone who keeps no sums
	err := told()
	require.ErrorIs(t, err, store.ErrDamaged)
	exec(`CREATE INDEX by_text ON texts (text)`)
	err = told()
	require.NoError(t, err, "the tables are others now")
	require.NoError(t, write(t.Context(), p, `INSERT INTO texts VALUES (0, 'one')`))
	err = told()
	require.NoError(t, err, "of the old sums none is left")
	exec(`UPDATE texts SET text = 'two' WHERE n = 0`)
	err = told()
	require.ErrorIs(t, err, store.ErrDamaged, "and those of the write are kept")

	require.NoError(t, p.Transact(t.Context(), "BEGIN IMMEDIATE", func(l *pool.Link) error { return fresh.Forget(t.Context(), l) }))
	require.Zero(t, rows())
	err = told()
	require.NoError(t, err)
}

// TestRolledBackWritesLeaveNoSums: the pages are as before, and so are the sums; what the
// connection wrote in between is no part of the next transaction.
func TestRolledBackWritesLeaveNoSums(t *testing.T) {
	t.Parallel()
	p := opened(t, filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, write(t.Context(), p, fill))
	for _, settled := range []bool{true, false} {
		require.ErrorIs(t, p.Transact(t.Context(), "BEGIN IMMEDIATE", func(l *pool.Link) error {
			require.NoError(t, fresh.Write(l))
			require.NoError(t, l.Exec(t.Context(), change))
			if settled {
				require.NoError(t, fresh.Settle(t.Context(), l))
			}
			return context.Canceled
		}), context.Canceled)
		n, err := read(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, 1600, n)
		require.NoError(t, write(t.Context(), p, `UPDATE texts SET text = 'x' WHERE n = 1`))
		_, err = read(t.Context(), p)
		require.NoError(t, err)
	}
}
