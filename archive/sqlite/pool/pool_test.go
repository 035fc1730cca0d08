package pool_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

// opened is a pool over a new file with a table of numbers.
func opened(t *testing.T, size int) *pool.Pool {
	t.Helper()
	db, err := driver.Open("file:" + filepath.ToSlash(filepath.Join(t.TempDir(), "a.db")))
	require.NoError(t, err)
	p := pool.New(db, size)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	require.NoError(t, p.Transact(t.Context(), "BEGIN", func(l *pool.Link) error {
		return l.Exec(t.Context(), `CREATE TABLE numbers (n INTEGER UNIQUE)`)
	}))
	return p
}

func numbers(ctx context.Context, l *pool.Link) (out []int, err error) {
	err = l.Each(ctx, `SELECT n FROM numbers ORDER BY n`, nil, func(r *sql.Rows) error {
		out = append(out, 0)
		return r.Scan(&out[len(out)-1])
	})
	return out, err
}

func inPool(t *testing.T, p *pool.Pool) []int {
	t.Helper()
	l, err := p.Take(t.Context())
	require.NoError(t, err)
	defer p.Give(l, true)
	out, err := numbers(t.Context(), l)
	require.NoError(t, err)
	return out
}

// TestTakeAndGive: no more connections than the pool has, the one used last first, and what
// is not fit is not given again.
func TestTakeAndGive(t *testing.T) {
	t.Parallel()
	p := opened(t, 2)
	require.Equal(t, 2, p.Max())
	a, err := p.Take(t.Context())
	require.NoError(t, err)
	b, err := p.Take(t.Context())
	require.NoError(t, err)
	require.NotSame(t, a, b)
	require.Equal(t, 2, p.Used())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Take(ended)
	require.ErrorIs(t, err, context.Canceled, "it waits for as long as it may")

	p.Give(b, true)
	p.Give(a, true)
	require.Zero(t, p.Used())
	again, err := p.Take(t.Context())
	require.NoError(t, err)
	require.Same(t, a, again)
	p.Give(again, false)
	require.Zero(t, p.Used(), "its place is free")
	require.Error(t, a.Exec(t.Context(), `SELECT 1`), "it is closed")
	first, err := p.Take(t.Context())
	require.NoError(t, err)
	require.Same(t, b, first)
	second, err := p.Take(t.Context())
	require.NoError(t, err)
	require.NotSame(t, a, second)
	p.Give(first, true)
	p.Give(second, true)
}

// TestTakenAlike: transactions are given the connection that the one before them had, in
// whatever order connections were given back.
func TestTakenAlike(t *testing.T) {
	t.Parallel()
	p := opened(t, 2)
	transact := func() (l *pool.Link) {
		require.NoError(t, p.Transact(t.Context(), "BEGIN", func(of *pool.Link) error { l = of; return nil }))
		return l
	}
	take := func() *pool.Link {
		l, err := p.Take(t.Context())
		require.NoError(t, err)
		return l
	}
	rows := take()
	of := transact()
	p.Give(rows, true)
	require.NotSame(t, rows, of)
	for range 3 {
		require.Same(t, of, transact())
		l := take()
		require.Same(t, rows, l)
		p.Give(l, true)
	}
	require.Same(t, rows, take())
	require.Same(t, of, take(), "another where none is left")
	p.Give(rows, true)
	p.Give(of, true)
}

// TestClose waits for connections in use, while nobody gets another; who waited for one is
// told, and a second call does nothing.
func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := driver.Open("file:" + filepath.ToSlash(filepath.Join(t.TempDir(), "a.db")))
		require.NoError(t, err)
		p := pool.New(db, 1)
		l, err := p.Take(t.Context())
		require.NoError(t, err)
		waited, closed := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := p.Take(t.Context())
			waited <- err
		}()
		synctest.Wait()
		go func() { closed <- p.Close() }()
		synctest.Wait()
		require.ErrorIs(t, <-waited, store.ErrClosed)
		require.Empty(t, closed, "one is in use")
		_, err = p.Take(t.Context())
		require.ErrorIs(t, err, store.ErrClosed)
		require.NoError(t, l.Exec(t.Context(), `CREATE TABLE t (n)`), "and can be used to the end")
		p.Give(l, true)
		require.NoError(t, <-closed)
		require.NoError(t, p.Close())
		_, err = p.Take(t.Context())
		require.ErrorIs(t, err, store.ErrClosed)
		require.Error(t, db.PingContext(t.Context()))
	})
	var none *pool.Pool
	require.NoError(t, none.Close())
	none.LeaveLog()
}

// TestTransact: all of it or nothing, whatever ends it, and the connection is fit for the
// next either way.
func TestTransact(t *testing.T) {
	t.Parallel()
	p := opened(t, 1)
	put := func(l *pool.Link, n int) error { return l.Exec(t.Context(), `INSERT INTO numbers VALUES (?)`, n) }
	require.NoError(t, p.Transact(t.Context(), "BEGIN", func(l *pool.Link) error { return put(l, 1) }))

	mine := errors.New("of the caller")
	require.ErrorIs(t, p.Transact(t.Context(), "BEGIN", func(l *pool.Link) error { return errors.Join(put(l, 2), mine) }), mine)

	require.PanicsWithValue(t, "of the caller", func() {
		_ = p.Transact(t.Context(), "BEGIN", func(l *pool.Link) error {
			require.NoError(t, put(l, 3))
			panic("of the caller")
		})
	})
	require.Zero(t, p.Used(), "given back in a panic")

	ctx, cancel := context.WithCancel(t.Context())
	err := p.Transact(ctx, "BEGIN", func(l *pool.Link) error {
		defer cancel()
		return put(l, 4)
	})
	require.Error(t, err, "ended before COMMIT")

	require.ErrorContains(t, p.Transact(t.Context(), "BEGIN NONSENSE", func(*pool.Link) error {
		t.Error("called without a transaction")
		return nil
	}), "NONSENSE")
	require.Zero(t, p.Used())
	require.Equal(t, []int{1}, inPool(t, p))

	done, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, p.Transact(done, "BEGIN", func(l *pool.Link) error { return put(l, 5) }))
	require.NoError(t, p.Transact(t.Context(), "BEGIN IMMEDIATE", func(l *pool.Link) error { return put(l, 6) }))
	require.Equal(t, []int{1, 6}, inPool(t, p))
}

// TestEach: rows come until one is refused, and a statement that fails is named by its first
// words.
func TestEach(t *testing.T) {
	t.Parallel()
	p := opened(t, 1)
	l, err := p.Take(t.Context())
	require.NoError(t, err)
	defer p.Give(l, true)
	for n := range 5 {
		require.NoError(t, l.Exec(t.Context(), `INSERT INTO numbers VALUES (?)`, n))
	}
	mine, seen := errors.New("of the caller"), 0
	require.ErrorIs(t, l.Each(t.Context(), `SELECT n FROM numbers`, nil, func(*sql.Rows) error {
		if seen++; seen == 3 {
			return mine
		}
		return nil
	}), mine)
	require.Equal(t, 3, seen)
	all, err := numbers(t.Context(), l)
	require.NoError(t, err, "and the rows left were let go")
	require.Len(t, all, 5)
	require.ErrorContains(t, l.Each(t.Context(), `SELECT  nothing
		FROM numbers WHERE n = 1`, nil, nil), "SELECT nothing FROM numbers: ")
	require.ErrorContains(t, l.Each(t.Context(), `SELECT n FROM numbers WHERE n = ?`, []any{1, 2}, nil), "SELECT n FROM numbers: ")
	require.Equal(t, "COMMIT", pool.FirstWords(" COMMIT "))
	require.ErrorContains(t, l.Exec(t.Context(), `INSERT INTO numbers VALUES (1)`), "UNIQUE")
}

// TestStatementsAreKept, and those beyond the most that are kept work all the same, and are
// closed.
func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	p := opened(t, 1)
	l, err := p.Take(t.Context())
	require.NoError(t, err)
	defer p.Give(l, true)
	kept, done, err := l.Prepare(t.Context(), `SELECT 1`)
	require.NoError(t, err)
	require.NoError(t, done())
	again, done, err := l.Prepare(t.Context(), `SELECT 1`)
	require.NoError(t, err)
	require.NoError(t, done())
	require.Same(t, kept, again)
	for n := range 300 {
		require.NoError(t, l.Exec(t.Context(), fmt.Sprintf(`SELECT %d`, n)))
	}
	extra, done, err := l.Prepare(t.Context(), `SELECT 'one more'`)
	require.NoError(t, err)
	require.NoError(t, done())
	_, err = extra.ExecContext(t.Context())
	require.Error(t, err, "closed")
	_, err = kept.ExecContext(t.Context())
	require.NoError(t, err)
}

// TestLeaveLog: what is in the log stays there when the pool is closed, so that somebody
// else's file at the path is not written to.
func TestLeaveLog(t *testing.T) {
	t.Parallel()
	for _, leave := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.db")
		db, err := driver.Open("file:" + filepath.ToSlash(path) + "?_pragma=journal_mode(wal)")
		require.NoError(t, err)
		p := pool.New(db, 2)
		require.NoError(t, p.Transact(t.Context(), "BEGIN", func(l *pool.Link) error {
			return l.Exec(t.Context(), `CREATE TABLE numbers (n)`)
		}))
		if leave {
			p.LeaveLog()
			require.Zero(t, p.Used())
		}
		require.NoError(t, p.Close())
		if leave {
			require.FileExists(t, path+"-wal")
		} else {
			require.NoFileExists(t, path+"-wal")
		}
	}
}
