package grams

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

// Search finds the rows of a table that contain a text, in the order of a list.
type Search struct {
	l      *pool.Link
	kind   store.ClaimKind
	table  string
	has    string // an expression of SQL over the table as t: the text that a row has
	text   string
	column string // that the list is sorted by
	sign   int    // of the order: −1 descending
	terms  []term
	after  *int64  // of the column: where the list goes on
	pages  []page  // not read yet, in the order of their first rows
	held   []found // of those read, in order
	step   int     // how many pages are read together
}

// term is a range of grams, one of which a row must have.
type term struct{ from, to int64 }

// page is a page of rows: bounds of its column, in the order of the list.
type page struct{ number, first, last int64 }

type found struct {
	id store.ID
	at int64 // of the column
}

// mostPages bounds the pages that are read together.
const mostPages = 256

// Find begins a search for a text, which is not empty and as of store.SearchFor, among
// the rows of a table, called t in the expression of the text that a row has.
func Find(ctx context.Context, l *pool.Link, kind store.ClaimKind, table, has, text string, p store.Page) (*Search, error) {
	columns, _ := p.Order()
	s := &Search{l: l, kind: kind, table: table, has: has, text: text, column: columns[0], sign: -1, step: 1}
	if p.Ascending {
		s.sign = 1
	}
	if p.After != nil {
		at := int64(p.After.Value)
		s.after = &at
	}
	switch len(text) {
	case 1:
		s.terms = []term{{int64(text[0]) << 16, int64(text[0])<<16 | 0xffff}}
	case 2:
		at := int64(text[0])<<16 | int64(text[1])<<8
		s.terms = []term{{at, at | 0xff}}
	default:
		for i := range len(text) - 2 {
			at := int64(text[i])<<16 | int64(text[i+1])<<8 | int64(text[i+2])
			s.terms = append(s.terms, term{at, at})
		}
	}
	if err := s.readPages(ctx, [...]string{"updated", "start", "end"}[p.Sort]); err != nil {
		return nil, err
	}
	return s, s.order(ctx)
}

func (s *Search) readPages(ctx context.Context, bounds string) error {
	query := fmt.Sprintf(`SELECT page, %[1]s_from, %[1]s_to FROM gram_pages WHERE kind = ?`, bounds)
	err := s.l.Each(ctx, query, []any{int64(s.kind)}, func(r *sql.Rows) error {
		var p page
		err := r.Scan(&p.number, &p.first, &p.last)
		if s.sign < 0 {
			p.first, p.last = p.last, p.first
		}
		if s.after == nil || s.compare(p.last, *s.after) >= 0 {
			s.pages = append(s.pages, p)
		}
		return err
	})
	slices.SortFunc(s.pages, func(a, b page) int { return cmp.Or(s.compare(a.first, b.first), cmp.Compare(a.number, b.number)) })
	return err
}

func (s *Search) compare(a, b int64) int { return s.sign * cmp.Compare(a, b) }

// order puts first what few rows of the first page have: it tells most.
func (s *Search) order(ctx context.Context) error {
	if len(s.terms) == 1 || len(s.pages) == 0 {
		return nil
	}
	grams := make([]int64, len(s.terms))
	for i, t := range s.terms {
		grams[i] = t.from
	}
	bytes := map[int64]int{}
	const query = `SELECT gram, length(rows) FROM json_each(?) CROSS JOIN grams WHERE kind = ? AND page = ? AND gram = value`
	err := s.l.Each(ctx, query, []any{list(grams), int64(s.kind), s.pages[0].number}, func(r *sql.Rows) error {
		var g int64
		var n int
		err := r.Scan(&g, &n)
		bytes[g] = n
		return err
	})
	slices.SortFunc(s.terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(bytes[a.from], bytes[b.from]), cmp.Compare(a.from, b.from))
	})
	s.terms = slices.Compact(s.terms)
	return err
}

// Next returns the rows that come next, about n: those that are equal in what the list is
// sorted by come together. Empty: there are no more.
func (s *Search) Next(ctx context.Context, n int) ([]store.ID, error) {
	for {
		sure := len(s.held)
		if len(s.pages) > 0 {
			sure, _ = slices.BinarySearchFunc(s.held, s.pages[0].first, func(f found, at int64) int { return s.compare(f.at, at) })
		}
		if sure > 0 || len(s.pages) == 0 {
			last := min(n, sure)
			for last > 0 && last < sure && s.held[last].at == s.held[last-1].at {
				last++
			}
			out := make([]store.ID, last)
			for i := range out {
				out[i] = s.held[i].id
			}
			s.held = s.held[last:]
			return out, nil
		}
		if err := s.readMore(ctx); err != nil {
			return nil, err
		}
	}
}

// readMore reads the pages that come next.
func (s *Search) readMore(ctx context.Context) error {
	n := min(s.step, len(s.pages))
	s.step = min(2*s.step, mostPages)
	for len(s.held) > 0 && n < len(s.pages) && n < mostPages && s.compare(s.pages[n].first, s.held[0].at) <= 0 {
		n++
	}
	sets := make(map[int64]*set, n)
	for _, p := range s.pages[:n] {
		sets[p.number] = nil // all rows
	}
	s.pages = s.pages[n:]
	for _, t := range s.terms {
		if err := s.narrow(ctx, sets, t); err != nil {
			return err
		}
		rows := 0
		for _, of := range sets {
			rows += of.len()
		}
		if rows <= len(sets) { // looking at them costs no more
			break
		}
	}
	var numbers []int64
	for p, of := range sets {
		of.each(func(i int) { numbers = append(numbers, p*pageRows+int64(i)) })
	}
	if len(numbers) == 0 {
		return ctx.Err()
	}
	slices.Sort(numbers)
	query := `SELECT t.id, t.` + s.column + ` FROM json_each(?) CROSS JOIN ` + s.table + ` t WHERE t.number = value AND instr(` + s.has + `, ?) > 0`
	err := s.l.Each(ctx, query, []any{list(numbers), s.text}, func(r *sql.Rows) error {
		var f found
		err := r.Scan(&f.id, &f.at)
		if s.after == nil || s.compare(f.at, *s.after) >= 0 {
			s.held = append(s.held, f)
		}
		return err
	})
	slices.SortFunc(s.held, func(a, b found) int { return cmp.Or(s.compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	return err
}

// narrow leaves in the sets, and of them those, that a row of has the term.
func (s *Search) narrow(ctx context.Context, sets map[int64]*set, t term) error {
	pages := make([]int64, 0, len(sets))
	for p := range sets {
		pages = append(pages, p)
	}
	slices.Sort(pages)
	have := map[int64]*set{}
	const query = `SELECT page, rows FROM json_each(?) CROSS JOIN grams WHERE kind = ? AND page = value AND gram BETWEEN ? AND ?`
	err := s.l.Each(ctx, query, []any{list(pages), int64(s.kind), t.from, t.to}, func(r *sql.Rows) error {
		var p int64
		var b sql.RawBytes
		err := r.Scan(&p, &b)
		if have[p] == nil {
			have[p] = &set{}
		}
		have[p].addAll(b)
		return err
	})
	for p, of := range sets {
		now := have[p]
		if now != nil && of != nil {
			for i := range now {
				now[i] &= of[i]
			}
		}
		if now == nil || *now == (set{}) {
			delete(sets, p)
		} else {
			sets[p] = now
		}
	}
	return err
}

func list(numbers []int64) string {
	b, err := json.Marshal(numbers)
	if err != nil {
		panic(err) // numbers only
	}
	return string(b)
}
