package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Moment returns the moment that the archive is at, in one question to the
// server.
func (s *Store) Moment(ctx context.Context) (store.Moment, error) {
	var m store.Moment
	err := s.fresh(ctx, func(c *pgxpool.Conn) (err error) {
		if m, err = moment(ctx, c); err == nil {
			c.Release()
		}
		return err
	})
	return m, s.owned(ctx, err)
}

// markWrite marks a transaction that writes to the archive by a number.
const markWrite = `INSERT INTO watermarks (category, at) VALUES ('', $1)
	ON CONFLICT (category) DO UPDATE SET at = excluded.at`

// sealRow is the row among the watermarks that has the seal of the tallies.
const sealRow = "#tallies"

// moment reads the watermarks. The one of no category is the number of the
// transaction that wrote last.
func moment(ctx context.Context, q querier) (store.Moment, error) {
	m := store.Moment{Watermarks: map[market.Category]market.Instant{}}
	err := each(ctx, q, `SELECT category, at FROM watermarks WHERE category <> $1`, []any{sealRow}, func(r pgx.Rows) error {
		var c string
		var at int64
		err := r.Scan(&c, &at)
		if c == "" {
			m.Write = at
		} else {
			m.Watermarks[market.Category(c)] = market.Instant(at)
		}
		return err
	})
	if err != nil {
		return store.Moment{}, fmt.Errorf("watermarks: %w", err)
	}
	return m, nil
}
