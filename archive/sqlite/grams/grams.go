// Package grams finds rows of the embedded store by what their text contains.
//
// Rows are numbered in the order in which they came. The numbers of each sheet of 16,384
// rows are kept in sets by four bytes that stand beside each other in their texts
// (grams). A set may hold rows that no longer have them, never lacks one that has: what
// is found has to be looked at. Of each page, a quarter of a sheet, the bounds of what
// lists are sorted by are kept, so that a list reads pages in its own order until it has
// enough.
package grams

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
)

const (
	pageRows   = sheetRows / sheetPages
	sheetPages = 4
	sheetRows  = short.SheetRows
	setBytes   = sheetRows / 8 // of a set as bits; shorter ones list two bytes a row
	width      = 4             // of a gram, in bytes
	// end follows each text, so that its last bytes begin a gram too. No search has it.
	end = "\x1f\x1f\x1f"
)

// set is rows of a sheet; nil: all of them.
type set [sheetRows / 64]uint64

func (s *set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s *set) drop(i int) { s[i/64] &^= 1 << (i % 64) }

func (s *set) has(i int16) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s *set) len() (n int) {
	if s == nil {
		return sheetRows
	}
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// keep leaves those rows that another set has too.
func (s *set) keep(other *set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// of returns those of a page of the sheet.
func (s *set) of(page int64) *set {
	var out set
	from := int(page%sheetPages) * len(out) / sheetPages
	copy(out[from:from+len(out)/sheetPages], s[from:])
	return &out
}

// addAll adds the rows of a set as it is stored.
func (s *set) addAll(stored []byte) {
	if len(stored) == setBytes {
		for i := range s {
			s[i] |= binary.LittleEndian.Uint64(stored[8*i:])
		}
		return
	}
	for ; len(stored) >= 2; stored = stored[2:] {
		s.add(int(binary.LittleEndian.Uint16(stored)) % sheetRows)
	}
}

// stored returns the set as it is stored.
func (s *set) stored() []byte {
	if 2*s.len() >= setBytes {
		b := make([]byte, 0, setBytes)
		for _, w := range s {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		return b
	}
	var b []byte
	s.each(func(i int) { b = binary.LittleEndian.AppendUint16(b, uint16(i)) })
	return b
}

func (s *set) each(f func(i int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(64*i + bits.TrailingZeros64(w))
		}
	}
}

// Row is a row that is new, or of which text or times have changed.
type Row struct {
	Number int64
	Text   string   // store.SearchText of it; empty: as it was
	Times  [3]int64 // what lists are sorted by, as in store.Sort
}

// Put takes up rows of a table.
func Put(ctx context.Context, l *pool.Link, kind store.ClaimKind, rows []Row) error {
	pages, sheets := map[int64][]Row{}, map[int64][]Row{}
	for _, r := range rows {
		pages[r.Number/pageRows] = append(pages[r.Number/pageRows], r)
		sheets[r.Number/sheetRows] = append(sheets[r.Number/sheetRows], r)
	}
	for page, rows := range pages {
		if err := putBounds(ctx, l, kind, page, rows); err != nil {
			return err
		}
	}
	for sheet, rows := range sheets {
		if err := putSets(ctx, l, kind, sheet, offsets(rows)); err != nil {
			return err
		}
	}
	return nil
}

// offsets returns which rows of a sheet have each gram.
func offsets(rows []Row) map[int64]*[]int16 {
	out := map[int64]*[]int16{}
	for _, r := range rows {
		if r.Text == "" {
			continue
		}
		text, row := r.Text+end, int16(r.Number%sheetRows)
		for i := range len(text) - width + 1 {
			g := termOf(text[i:]).from
			have := out[g]
			if have == nil {
				have = new([]int16)
				out[g] = have
			}
			if n := len(*have); n == 0 || (*have)[n-1] != row {
				*have = append(*have, row)
			}
		}
	}
	return out
}

// Check returns how many pages lack rows of a table. columns are its text and what lists
// are sorted by. Each row, and what more columns of it hold, is passed to each, which may be nil.
func Check(ctx context.Context, l *pool.Link, kind store.ClaimKind, table, columns string, more []string, each func(r Row, more [][]byte)) (wrong int, err error) {
	values := make([][]byte, len(more))
	query := `SELECT ` + strings.Join(append([]string{`number`, columns}, more...), ", ") + ` FROM ` + table + ` WHERE number BETWEEN ? AND ?`
	var last int64
	err = l.Each(ctx, `SELECT coalesce(max(number), 0) FROM `+table, nil, func(r *sql.Rows) error { return r.Scan(&last) })
	for page := int64(0); err == nil && page <= last/pageRows; page++ {
		var rows []Row
		err = l.EachRow(ctx, query, []any{page * pageRows, page*pageRows + pageRows - 1}, func(r *pool.Row) error {
			row := Row{Number: r.Int(), Text: r.Text(), Times: [3]int64{r.Int(), r.Int(), r.Int()}}
			for i := range values {
				values[i] = r.Bytes()
			}
			rows = append(rows, row)
			if each != nil {
				each(row, values)
			}
			return nil
		})
		if err != nil {
			break
		}
		var ok bool
		if ok, err = sound(ctx, l, kind, page, rows); err == nil && !ok {
			wrong++
		}
	}
	return wrong, err
}

// sound reports whether what is kept of a page has its rows.
func sound(ctx context.Context, l *pool.Link, kind store.ClaimKind, page int64, rows []Row) (bool, error) {
	missing := offsets(rows)
	err := l.EachRow(ctx, `SELECT gram, rows FROM grams WHERE kind = ? AND sheet = ?`, []any{int64(kind), page / sheetPages}, func(r *pool.Row) error {
		g, b := r.Int(), r.Bytes()
		if now := missing[g]; now != nil {
			var there set
			there.addAll(b)
			if *now = slices.DeleteFunc(*now, there.has); len(*now) == 0 {
				delete(missing, g)
			}
		}
		return nil
	})
	var from, to [3]int64
	known := false
	if err == nil {
		const bounds = `SELECT updated_from, updated_to, start_from, start_to, end_from, end_to FROM gram_pages WHERE kind = ? AND page = ?`
		err = l.Each(ctx, bounds, []any{int64(kind), page}, func(r *sql.Rows) error {
			known = true
			return r.Scan(&from[0], &to[0], &from[1], &to[1], &from[2], &to[2])
		})
	}
	outside := func(r Row) bool {
		for i, at := range r.Times {
			if at < from[i] || at > to[i] {
				return true
			}
		}
		return false
	}
	return len(missing) == 0 && (known || len(rows) == 0) && !slices.ContainsFunc(rows, outside), err
}

func putSets(ctx context.Context, l *pool.Link, kind store.ClaimKind, sheet int64, rows map[int64]*[]int16) error {
	grams := slices.Sorted(maps.Keys(rows)) // as the table has them
	was := map[int64][]byte{}
	const read = `SELECT gram, rows FROM json_each(?) CROSS JOIN grams WHERE kind = ? AND sheet = ? AND gram = value`
	err := l.Each(ctx, read, []any{list(grams), int64(kind), sheet}, func(r *sql.Rows) error {
		var g int64
		var b sql.RawBytes
		err := r.Scan(&g, &b)
		was[g] = bytes.Clone(b)
		return err
	})
	for _, g := range grams {
		if err != nil {
			return err
		}
		var next set
		next.addAll(was[g])
		before := next
		for _, i := range *rows[g] {
			next.add(int(i))
		}
		if next == before {
			continue
		}
		err = l.Exec(ctx, `INSERT OR REPLACE INTO grams (kind, sheet, gram, rows) VALUES (?, ?, ?, ?)`, int64(kind), sheet, g, next.stored())
	}
	return err
}

func putBounds(ctx context.Context, l *pool.Link, kind store.ClaimKind, page int64, rows []Row) error {
	least, most := rows[0].Times, rows[0].Times
	for _, r := range rows[1:] {
		for i, at := range r.Times {
			least[i], most[i] = min(least[i], at), max(most[i], at)
		}
	}
	const put = `INSERT INTO gram_pages (kind, page, updated_from, updated_to, start_from, start_to, end_from, end_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (kind, page) DO UPDATE SET
			updated_from = min(updated_from, excluded.updated_from), updated_to = max(updated_to, excluded.updated_to),
			start_from = min(start_from, excluded.start_from), start_to = max(start_to, excluded.start_to),
			end_from = min(end_from, excluded.end_from), end_to = max(end_to, excluded.end_to)
		WHERE excluded.updated_from < updated_from OR excluded.updated_to > updated_to OR excluded.start_from < start_from
			OR excluded.start_to > start_to OR excluded.end_from < end_from OR excluded.end_to > end_to`
	return l.Exec(ctx, put, int64(kind), page, least[0], most[0], least[1], most[1], least[2], most[2])
}
