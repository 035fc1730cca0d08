// Package indexes compares the indexes of the embedded store with the tables that they are of:
// in a third of the time that SQLite takes to look each row up in each of them.
package indexes

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
)

// sums are the aggregates by which indexes are compared with tables: equal sums are of the same
// rows, in whatever order. That of an index is nothing unless each of its entries comes after
// the one before it, by all of its columns, or without the last of them, the row's, where they
// are to be unique.
var sums = []struct {
	name          string
	sorted, whole bool
}{{"sum_rows", false, true}, {"sum_sorted", true, true}, {"sum_unique", true, false}}

// seed is of all sums: those that are compared have to have the same one.
var seed = maphash.MakeSeed()

// Register has statements of a connection sum rows up.
func Register(c *sqlite3.Conn) error {
	for _, s := range sums {
		begin := func() sqlite3.AggregateFunction { return &sum{sorted: s.sorted, whole: s.whole, ascending: true} }
		if err := c.CreateWindowFunction(s.name, -1, sqlite3.DETERMINISTIC|sqlite3.INNOCUOUS, begin); err != nil {
			return err
		}
	}
	return nil
}

type sum struct {
	sorted, whole, ascending bool
	total                    uint64
	row                      []byte
	before                   []byte // of the row before it, as far as that is compared; nil: none
}

// Step adds a row.
func (s *sum) Step(_ sqlite3.Context, values ...sqlite3.Value) {
	last := len(values) - 1
	s.row = s.row[:0]
	for _, v := range values[:last] {
		s.row = appendValue(s.row, v)
	}
	key := len(s.row)
	s.row = appendValue(s.row, values[last])
	s.total += maphash.Bytes(seed, s.row)
	if !s.sorted {
		return
	}
	if s.whole {
		key = len(s.row)
	}
	s.ascending = s.ascending && (s.before == nil || bytes.Compare(s.before, s.row[:key]) < 0)
	s.row, s.before = s.before, s.row[:key]
}

// appendValue appends a value so that bytes are in the order of values, as an index has them.
func appendValue(b []byte, v sqlite3.Value) []byte {
	switch v.Type() {
	case sqlite3.NULL:
		return append(b, 0)
	case sqlite3.INTEGER:
		return binary.BigEndian.AppendUint64(append(b, 1), uint64(v.Int64())^1<<63)
	case sqlite3.BLOB:
		return appendBytes(append(b, 3), v.RawBlob())
	default:
		return appendBytes(append(b, 2), v.RawText())
	}
}

// appendBytes appends bytes with an end that sorts before any of them.
func appendBytes(b, v []byte) []byte {
	for at := bytes.IndexByte(v, 0); at >= 0; at = bytes.IndexByte(v, 0) {
		b, v = append(append(b, v[:at]...), 0, 1), v[at+1:]
	}
	return append(append(b, v...), 0, 0)
}

// Value returns the sum; NULL of an index that is out of order.
func (s *sum) Value(ctx sqlite3.Context) {
	if s.ascending {
		ctx.ResultInt64(int64(s.total))
	}
}

// Sound reports whether each index has the rows of its table, and no others, in order.
func Sound(ctx context.Context, l *pool.Link) (bool, error) {
	statements, err := statements(ctx, l)
	sound := err == nil
	for _, query := range statements {
		var same sql.NullBool
		if err := l.Each(ctx, query, nil, func(r *sql.Rows) error { return r.Scan(&same) }); err != nil || !same.Bool {
			return false, err
		}
	}
	return sound, err
}

// statements returns one for each table with indexes, which says whether they have its rows.
func statements(ctx context.Context, l *pool.Link) (out []string, err error) {
	// An index has, beside its own columns, those that its table is sorted by.
	const query = `SELECT t.name, i.name, i."unique", coalesce(s.sql, ''), (SELECT group_concat(coalesce(x.name, 'rowid')) FROM pragma_index_xinfo(i.name) x)
		FROM pragma_table_list t, pragma_index_list(t.name) i JOIN sqlite_schema s ON s.name = i.name
		WHERE t.schema = 'main' AND NOT (t.wr AND i.origin = 'pk') ORDER BY t.name, i.name`
	var of string
	var from, rows []string
	end := func() {
		if of != "" {
			out = append(out, fmt.Sprintf(`SELECT (%s) = (SELECT %s FROM %s NOT INDEXED)`, strings.Join(from, ", "), strings.Join(rows, ", "), of))
		}
		from, rows = nil, nil
	}
	err = l.Each(ctx, query, nil, func(r *sql.Rows) error {
		var table, index, text, columns string
		var unique bool
		if err := r.Scan(&table, &index, &unique, &text, &columns); err != nil {
			return err
		}
		if table != of {
			end()
			of = table
		}
		name, where, some := "sum_sorted", "", ""
		if unique {
			name = "sum_unique"
		}
		if _, cond, partial := strings.Cut(text, " WHERE "); partial {
			where, some = " WHERE "+cond, " FILTER (WHERE "+cond+")"
		}
		from = append(from, fmt.Sprintf(`(SELECT %s(%s) FROM %s INDEXED BY %s%s)`, name, columns, table, index, where))
		rows = append(rows, fmt.Sprintf(`sum_rows(%s)%s`, columns, some))
		return nil
	})
	end()
	return out, err
}
