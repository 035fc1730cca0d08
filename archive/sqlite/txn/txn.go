// Package txn runs the statements of one transaction of the embedded store, and finds rows
// by their ids.
package txn

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

// Tx is a transaction on a connection, for one goroutine.
type Tx struct {
	Link *pool.Link
	Fail func(error) error // says of an error which archive it is about, and what kind it is; nil of nil
}

// Tables are the tables of which an id is of one row.
var Tables = map[store.ClaimKind]string{store.MarketClaim: "markets", store.EventClaim: "events", store.SeriesClaim: "series"}

// Exec runs a statement.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) error {
	_, err := t.Insert(ctx, query, args...)
	return err
}

// Insert runs a statement, and returns the number of the row that it put.
func (t *Tx) Insert(ctx context.Context, query string, args ...any) (number int64, err error) {
	number, err = t.Link.Insert(ctx, query, args...)
	return number, t.Fail(err)
}

// Each runs a query and hands each row to scan, until that fails.
func (t *Tx) Each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	if err := t.Link.Each(ctx, query, args, scan); err != nil {
		return t.Fail(err)
	}
	return nil
}

// EachRow is Each for many rows, of which scan must not ask for more.
func (t *Tx) EachRow(ctx context.Context, query string, args []any, scan func(*pool.Row) error) error {
	if err := t.Link.EachRow(ctx, query, args, scan); err != nil {
		return t.Fail(err)
	}
	return nil
}

// Has asks whether there is something.
func (t *Tx) Has(ctx context.Context, query string, args ...any) (bool, error) {
	return One[bool](ctx, t, query, args...)
}

// One returns the only value that a query gives; zero when it gives none.
func One[T any](ctx context.Context, t *Tx, query string, args ...any) (v T, err error) {
	err = t.Each(ctx, query, args, func(r *sql.Rows) error { return r.Scan(&v) })
	return v, err
}

// List writes numbers as the JSON array that json_each takes apart.
func List[T ~int64](ids []T) string {
	b := make([]byte, 0, 2+20*len(ids))
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(append(b, ']'))
}

// IDs runs a query of one column of ids.
func (t *Tx) IDs(ctx context.Context, query string, args ...any) ([]store.ID, error) {
	return pool.Collect(ctx, t, query, args, func(r *sql.Rows, id *store.ID) error { return r.Scan(id) })
}
