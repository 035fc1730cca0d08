package pool

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// Raw runs f with the connection itself: of very many rows package sql takes as long for each as SQLite.
// f must not use the link.
func (l *Link) Raw(ctx context.Context, f func(*sqlite3.Conn) error) error {
	return l.Conn.Raw(func(of any) error {
		raw, ok := of.(interface{ Raw() *sqlite3.Conn })
		if !ok {
			return fmt.Errorf("connection is a %T", of)
		}
		c := raw.Raw()
		defer c.SetInterrupt(c.SetInterrupt(ctx))
		err := f(c)
		if ended := ctx.Err(); ended != nil && errors.Is(err, sqlite3.INTERRUPT) {
			return ended
		}
		return err
	})
}

// Row is a row of which the columns are read one after another. One that is NULL, or out of range, is an
// error of the query.
type Row struct {
	st  *sqlite3.Stmt
	at  int
	err error // the first
}

// Int reads a column of whole numbers.
func (r *Row) Int() int64 {
	v := r.st.ColumnInt64(r.at)
	r.next(v == 0)
	return v
}

// Bool reads a column of 0 and 1.
func (r *Row) Bool() bool {
	v := r.Int()
	r.check(v&^1 == 0, v)
	return v != 0
}

// Small reads a column of whole numbers that T holds.
func Small[T ~int32 | ~uint8](r *Row) T {
	v := r.Int()
	r.check(int64(T(v)) == v, v)
	return T(v)
}

// check notes that the column before is out of range.
func (r *Row) check(within bool, v int64) {
	if !within && r.err == nil {
		r.err = fmt.Errorf("column %s: %d is out of range", r.st.ColumnName(r.at-1), v)
	}
}

// Bytes reads a column of text or bytes, which may be used until the next row.
func (r *Row) Bytes() []byte {
	b := r.st.ColumnRawBlob(r.at)
	r.next(len(b) == 0)
	return b
}

// Text reads a column of text.
func (r *Row) Text() string { return string(r.Bytes()) }

func (r *Row) next(none bool) {
	if none && r.err == nil && r.st.ColumnType(r.at) == sqlite3.NULL {
		r.err = fmt.Errorf("column %s is NULL", r.st.ColumnName(r.at))
	}
	r.at++
}

// EachRow runs a query and hands each row to scan, which must not use the link: Each in a third of the time.
func (l *Link) EachRow(ctx context.Context, query string, args []any, scan func(*Row) error) error {
	return l.Raw(ctx, func(c *sqlite3.Conn) (err error) {
		st := l.rows[query]
		if st == nil {
			if st, _, err = c.Prepare(query); err != nil {
				return fmt.Errorf("%s: %w", FirstWords(query), err)
			}
			if len(l.rows) >= maxStatements {
				defer st.Close()
			} else {
				l.rows[query] = st
			}
		}
		defer func() { err = cmp.Or(err, errors.Join(st.Reset(), st.ClearBindings())) }() // of a step that failed Reset tells again
		for i, arg := range args {
			if err := bind(st, i+1, arg); err != nil {
				return fmt.Errorf("%s: %w", FirstWords(query), err)
			}
		}
		row := Row{st: st}
		for err == nil && st.Step() {
			row.at = 0
			if err = scan(&row); err == nil {
				err = row.err
			}
		}
		return cmp.Or(err, st.Err())
	})
}

// bind binds an argument as package sql does.
func bind(st *sqlite3.Stmt, at int, arg any) error {
	v, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case int64:
		return st.BindInt64(at, v)
	case string:
		return st.BindText(at, v)
	case bool:
		return st.BindBool(at, v)
	case []byte:
		return st.BindBlob(at, v)
	case nil:
		return st.BindNull(at)
	}
	return fmt.Errorf("argument %d is a %T", at, arg)
}
