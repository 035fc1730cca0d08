// Package fresh tells pages of an archive's file that are as they were before a later
// write, which is sound in itself and so held by no checksum: a write was lost.
//
// The table pages has a sum of each page as it was last written, changed in the
// transaction that writes the page. A snapshot that has read a page of another sum is
// of a damaged file. Pages that hold the table itself are not in it.
package fresh

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

const (
	perRow   = 256 // sums
	sumBytes = 4
	// tablesRow is the row among the watermarks that has the version of the file's tables
	// that the sums are of.
	tablesRow = "#pages"
)

// Track has the sums of what a connection reads and writes kept.
func Track(c *sqlite3.Conn) error {
	_, err := sqlstore.Track(c)
	return err
}

// on calls f with a connection and what it has read and written.
func on(l *pool.Link, f func(*sqlite3.Conn, *sqlstore.Pages) error) error {
	return l.Conn.Raw(func(c any) error {
		raw := c.(driver.Conn).Raw()
		p, err := sqlstore.Track(raw)
		if err != nil {
			return err
		}
		return f(raw, p)
	})
}

// Read makes a connection, whose transaction has just begun, forget pages that it has
// read outside of any that was compared.
func Read(l *pool.Link) error {
	return on(l, func(c *sqlite3.Conn, p *sqlstore.Pages) error {
		if len(p.Read) == 0 {
			return nil
		}
		clear(p.Read)
		return c.ReleaseMemory()
	})
}

// Write makes a connection, whose transaction to write has just begun, forget what earlier
// ones have written, and what they have read: nothing of that is compared.
func Write(l *pool.Link) error {
	return on(l, func(_ *sqlite3.Conn, p *sqlstore.Pages) error {
		clear(p.Read)
		clear(p.Written)
		return nil
	})
}

// Compare compares the pages that a snapshot has read with the sums in it. One that is as
// it was before is store.ErrDamaged.
func Compare(ctx context.Context, l *pool.Link) error {
	var have map[uint32]uint32
	err := on(l, func(_ *sqlite3.Conn, p *sqlstore.Pages) error {
		have, p.Read = p.Read, map[uint32]uint32{}
		return nil
	})
	if err != nil || len(have) == 0 {
		return err
	}
	want, err := sums(ctx, l, have)
	if err != nil {
		return err
	}
	for _, number := range slices.Sorted(maps.Keys(have)) { // the first is told
		if expected := at(want[int64(number)/perRow], number); expected != 0 && expected != have[number] {
			return fmt.Errorf("page %d is not as it was last written: %w", number, store.ErrDamaged)
		}
	}
	return on(l, func(_ *sqlite3.Conn, p *sqlstore.Pages) error {
		clear(p.Read) // pages of the table
		return nil
	})
}

// Settle writes the sums of the pages that a transaction has changed, before it commits.
func Settle(ctx context.Context, l *pool.Link) error {
	if err := begun(ctx, l); err != nil {
		return err
	}
	for first := true; ; first = false {
		var changed map[uint32]uint32
		err := on(l, func(c *sqlite3.Conn, p *sqlstore.Pages) error {
			err := c.CacheFlush()
			changed, p.Written = p.Written, map[uint32]uint32{}
			return err
		})
		if err != nil {
			return err
		}
		if !first { // they hold the table: its own sums cannot be in it
			for number := range changed {
				changed[number] = 0
			}
		}
		if more, err := put(ctx, l, changed); err != nil || !more {
			return err
		}
	}
}

// Forget removes all sums: pages are about to change, or have, without them.
func Forget(ctx context.Context, l *pool.Link) error { return l.Exec(ctx, `DELETE FROM pages`) }

// begun removes sums of other tables than those that there are now: whoever changes
// tables may move any page.
func begun(ctx context.Context, l *pool.Link) error {
	const (
		forget = `DELETE FROM pages WHERE NOT EXISTS (SELECT 1 FROM watermarks JOIN pragma_schema_version ON at = schema_version WHERE category = ?)`
		keep   = `INSERT OR REPLACE INTO watermarks (category, at) SELECT ?1, schema_version FROM pragma_schema_version
			WHERE NOT EXISTS (SELECT 1 FROM watermarks WHERE category = ?1 AND at = schema_version)`
	)
	if err := l.Exec(ctx, forget, tablesRow); err != nil {
		return err
	}
	return l.Exec(ctx, keep, tablesRow)
}

// sums returns the rows of the table that pages are in, by the row's number. There are
// none if they are not of the tables as they are now.
func sums(ctx context.Context, l *pool.Link, of map[uint32]uint32) (map[int64][]byte, error) {
	const query = `SELECT number, sums FROM pages WHERE number IN (SELECT value FROM json_each(?))
		AND EXISTS (SELECT 1 FROM watermarks JOIN pragma_schema_version ON at = schema_version WHERE category = ?)`
	rows := map[int64]bool{}
	for number := range of {
		rows[int64(number)/perRow] = true
	}
	asked, err := json.Marshal(slices.Sorted(maps.Keys(rows)))
	if err != nil {
		return nil, err
	}
	out := map[int64][]byte{}
	err = l.Each(ctx, query, []any{string(asked), tablesRow}, func(r *sql.Rows) error {
		var number int64
		var raw sql.RawBytes
		err := r.Scan(&number, &raw)
		out[number] = bytes.Clone(raw)
		return err
	})
	return out, err
}

// at returns the sum of a page in the row that it is in; 0: it is not known.
func at(row []byte, number uint32) uint32 {
	i := int(number%perRow) * sumBytes
	if i+sumBytes > len(row) {
		return 0
	}
	return binary.LittleEndian.Uint32(row[i:])
}

// put changes sums, and reports whether any differed.
func put(ctx context.Context, l *pool.Link, changed map[uint32]uint32) (more bool, err error) {
	rows, err := sums(ctx, l, changed)
	if err != nil {
		return false, err
	}
	different := map[int64]bool{}
	for number, sum := range changed {
		n := int64(number) / perRow
		row := rows[n]
		if row == nil {
			row = make([]byte, perRow*sumBytes)
			rows[n] = row
		}
		if at(row, number) != sum {
			binary.LittleEndian.PutUint32(row[int(number%perRow)*sumBytes:], sum)
			different[n] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(different)) {
		if err := l.Exec(ctx, `INSERT OR REPLACE INTO pages (number, sums) VALUES (?, ?)`, n, rows[n]); err != nil {
			return false, err
		}
	}
	return len(different) > 0, nil
}
