package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/ladderback/ladderback/archive/sqlite/catalogue"
	"github.com/ladderback/ladderback/archive/sqlite/claims"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/sqlite/fresh"
	"github.com/ladderback/ladderback/archive/sqlite/overwrite"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// tx is a transaction: an archive.Reader, and, begun for writing, an
// archive.Writer.
type tx struct {
	s *Store
	*txn.Tx
	*catalogue.Catalogue
	*claims.Chunks
}

// within returns the transaction on a connection.
func (s *Store) within(l *pool.Link) *tx {
	t := &txn.Tx{Link: l, Fail: s.fail}
	return &tx{s: s, Tx: t, Catalogue: catalogue.New(t, s.walk), Chunks: claims.New(t)}
}

// View runs read on one snapshot.
func (s *Store) View(ctx context.Context, read func(store.Reader) error) error {
	return s.owned(s.readers.Transact(ctx, "BEGIN DEFERRED", func(l *pool.Link) error {
		if err := s.inPlace(); err != nil {
			return err
		}
		if err := fresh.Read(l); err != nil {
			return err
		}
		err := read(s.within(l))
		if err == nil {
			err = fresh.Compare(ctx, l)
		}
		if now := s.inPlace(); errors.Is(now, store.ErrOverwritten) { // what was read may be of both
			return now
		}
		return err
	}))
}

// Update runs write in one transaction.
func (s *Store) Update(ctx context.Context, write func(store.Writer) error) error {
	if s.writer == nil {
		return fmt.Errorf("%s: %w", s.path, store.ErrReadOnly)
	}
	return s.owned(s.writer.Transact(ctx, "BEGIN IMMEDIATE", func(l *pool.Link) error {
		if err := s.inPlace(); err != nil {
			return err
		}
		if err := fresh.Write(l); err != nil {
			return err
		}
		t := s.within(l)
		if err := write(t); err != nil {
			return err
		}
		if err := t.Exec(ctx, markWrite, store.NewWrite()); err != nil {
			return err
		}
		return s.settle(ctx, l)
	}))
}

// settle ends a transaction that has changed pages. Where there is no log their sums are
// not kept: to know them is to write them, and that is the end of all readers.
func (s *Store) settle(ctx context.Context, l *pool.Link) error {
	if file.Journalled(s.path) {
		return fresh.Forget(ctx, l)
	}
	return fresh.Settle(ctx, l)
}

// owned says what kind of failure an error is, and names the archive in one that does not
// name it yet. A store that was
// closed because its file had been overwritten or replaced says that.
func (s *Store) owned(err error) error {
	if errors.Is(err, store.ErrClosed) {
		err = cmp.Or(s.inPlace(), err)
	}
	told := s.fail(err)
	if err != nil && !file.IsFailure(told) && strings.Contains(err.Error(), s.path) {
		return err
	}
	return told
}

// watch looks whether the archive has changed, on a connection of its own: the
// version of the file is counted by connection.
type watch struct {
	pool    *pool.Pool // of one connection, which guards what follows
	version int64      // of the file when moment was read; 0: it was not
	moment  store.Moment

	kept atomic.Pointer[since] // nil: nothing is known
}

// since is a moment and the header of the log's index as of which it holds.
type since struct {
	header overwrite.Header
	moment store.Moment
}

// Moment returns the moment that the archive is at. Unless the file, which may
// hold more than the archive, has been written to, this takes one look at the
// log beside it.
func (s *Store) Moment(ctx context.Context) (store.Moment, error) {
	w := &s.watch
	if k := w.kept.Load(); k != nil && s.inPlace() == nil {
		if now, ok := s.original.Header(); ok && now == k.header {
			return k.moment, nil
		}
	}
	l, err := w.pool.Take(ctx)
	if err != nil {
		return store.Moment{}, s.owned(err)
	}
	defer w.pool.Give(l, true)
	if err := s.inPlace(); err != nil {
		return store.Moment{}, err
	}
	// What is read now is at least as new as the header, and the connection, which is
	// kept, keeps the index where it is.
	header, known := s.original.Header()
	defer func() {
		if err == nil && known && s.original.Stands(s.path) {
			w.kept.Store(&since{header, w.moment})
		}
	}()
	var version int64
	err = l.Each(ctx, `PRAGMA data_version`, nil, func(r *sql.Rows) error { return r.Scan(&version) })
	if err != nil || version == w.version {
		return w.moment, s.owned(err)
	}
	m, err := moment(ctx, l)
	if err != nil {
		return store.Moment{}, s.owned(err)
	}
	w.version, w.moment = version, m
	return m, nil
}

// markWrite marks a transaction that writes to the archive by a number.
const markWrite = `INSERT INTO watermarks (category, at) VALUES ('', ?) ON CONFLICT (category) DO UPDATE SET at = excluded.at`

// moment reads the watermarks. The one of no category is the number of the
// transaction that wrote last.
func moment(ctx context.Context, l *pool.Link) (store.Moment, error) {
	m := store.Moment{Watermarks: map[market.Category]market.Instant{}}
	err := l.Each(ctx, `SELECT category, at FROM watermarks WHERE category NOT LIKE '#%'`, nil, func(r *sql.Rows) error {
		var c market.Category
		var at int64
		err := r.Scan(&c, &at)
		if c == "" {
			m.Write = at
		} else {
			m.Watermarks[c] = market.Instant(at)
		}
		return err
	})
	return m, err
}
