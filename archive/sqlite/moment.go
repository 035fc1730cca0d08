package sqlite

import (
	"context"
	"database/sql"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// watch looks whether the archive has changed, on a connection of its own: the
// version of the file is counted by connection.
type watch struct {
	pool    *pool // of one connection, which guards what follows
	version int64 // of the file when moment was read; 0: it was not
	moment  store.Moment
}

// Moment returns the moment that the archive is at. Unless the file, which may
// hold more than the archive, has been written to, this takes one look at the
// log beside it.
func (s *Store) Moment(ctx context.Context) (store.Moment, error) {
	w := &s.watch
	l, err := w.pool.take(ctx)
	if err != nil {
		return store.Moment{}, s.owned(err)
	}
	defer w.pool.give(l, true)
	if err := s.inPlace(); err != nil {
		return store.Moment{}, err
	}
	var version int64
	err = l.each(ctx, `PRAGMA data_version`, nil, func(r *sql.Rows) error { return r.Scan(&version) })
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
func moment(ctx context.Context, l *link) (store.Moment, error) {
	m := store.Moment{Watermarks: map[market.Category]market.Instant{}}
	err := l.each(ctx, `SELECT category, at FROM watermarks`, nil, func(r *sql.Rows) error {
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
