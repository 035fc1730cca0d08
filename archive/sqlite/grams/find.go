package grams

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ladderback/ladderback/archive/sqlite/clause"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

// Query is what is looked for.
type Query struct {
	Kind  store.ClaimKind
	Table string // with its alias, as in FROM
	Alias string // "m."
	Text  string // an expression of SQL: the text that a row has
	Has   string // what must be in it: not empty, as of store.SearchFor
	// Cond is what else a row must satisfy, with its arguments.
	Cond string
	Args []any
	// Bounds are those that Cond imposes on what lists are sorted by, as in store.Sort,
	// inclusive.
	Bounds [3]Bounds
	// Only returns the numbers of rows, without which none satisfies Cond, unless they are
	// more than most; nil: there may be more.
	Only func(most int) ([]int64, error)
	Page store.Page // its limit is not 0
	// Walk looks at the rows of the list that follow its After, up to its limit.
	Walk func(store.Page) ([]Seen, error)
	// Rows is how many rows of the list are looked at together before the index is asked: what
	// many rows have is found so sooner. 0: none.
	Rows int
}

// Bounds are the least and the most of a number.
type Bounds struct{ From, To int64 }

// All are no bounds.
var All = Bounds{math.MinInt64, math.MaxInt64}

// Seen is a row of a list that was looked at.
type Seen struct {
	Number int64
	Key    store.Key
	Has    bool // the text, and satisfies the condition
}

// search finds rows in the order of a list.
type search struct {
	q      Query
	l      *pool.Link
	sign   int // of the order: −1 descending
	terms  []term
	only   map[int64]*set // by sheet: other rows do not satisfy Cond; nil: not known
	found  map[int64]*set // the same of those that may have the text, of sheets that are read
	pages  []page         // not read yet, in the order of their first rows
	sifted []page         // whose sets are known, before all of those, and not empty
	held   []Seen         // of those looked at, in order, but for what is in out
	out    []int64        // the rows that come first
	step   int            // how many sheets are read together
	most   int            // how many of them are looked at further that have the rarest term
}

// term is a range of grams, one of which a row must have.
type term struct{ from, to int64 }

// termOf returns that of the beginning of a text: of a shorter one than a gram those that
// begin with it.
func termOf(text string) term {
	var t term
	for i := range width {
		t.from, t.to = t.from<<8, t.to<<8|0xff
		if i < len(text) {
			t.from |= int64(text[i])
			t.to = t.from
		}
	}
	return t
}

// page is a page of rows: bounds of what the list is sorted by, in its order.
type page struct {
	number, first, last int64
	rows                *set // of its sheet, that may have the text; nil: not known yet
}

// dense reports whether the list has what is missing sooner than pages of which so many
// rows may have the text: two are looked at, as most begin before another ends.
func (s *search) dense(rows int) bool {
	return (s.q.Page.Limit-len(s.out))*pageRows <= 2*rows*rows
}

const (
	mostSheets = 64   // that are read together
	mostTerms  = 2    // sheets of which all terms are read at first
	fewLeft    = 4    // rows of a sheet that are looked at, whatever else they should have
	look       = 256  // rows that are looked at together, at least
	fewRows    = 8192 // numbers that are read ahead
)

// Find returns the numbers of the rows that come first in the list, up to the limit of its
// page, in order.
func Find(ctx context.Context, l *pool.Link, q Query) ([]int64, error) {
	s := &search{l: l, q: q, sign: -1, step: 1, most: mostTerms, found: map[int64]*set{}}
	if q.Page.Ascending {
		s.sign = 1
	}
	all := false
	for on := q.Rows > 0; on && !all && len(s.out) < q.Page.Limit; {
		var err error
		if all, on, err = s.walk(); err != nil {
			return nil, err
		}
	}
	if !all && len(s.out) < q.Page.Limit {
		if err := s.prepare(ctx); err != nil {
			return nil, err
		}
	}
	for len(s.out) < q.Page.Limit && len(s.rest())+len(s.held) > 0 {
		if err := s.next(ctx); err != nil {
			return nil, err
		}
	}
	return s.out[:min(len(s.out), q.Page.Limit)], nil
}

// prepare reads what the search is to look at.
func (s *search) prepare(ctx context.Context) error {
	for i := range max(1, len(s.q.Has)-width+1) {
		s.terms = append(s.terms, termOf(s.q.Has[i:]))
	}
	few, err := s.q.Only(fewRows)
	if err != nil {
		return err
	}
	if few != nil {
		s.only = map[int64]*set{}
	}
	for _, n := range few {
		if s.only[n/sheetRows] == nil {
			s.only[n/sheetRows] = &set{}
		}
		s.only[n/sheetRows].add(int(n % sheetRows))
	}
	if err := s.readPages(ctx); err != nil {
		return err
	}
	return s.order(ctx)
}

func (s *search) readPages(ctx context.Context) error {
	const query = `SELECT page, updated_from, updated_to, start_from, start_to, end_from, end_to FROM gram_pages WHERE kind = ?`
	err := s.l.Each(ctx, query, []any{int64(s.q.Kind)}, func(r *sql.Rows) error {
		var number int64
		var at [3]Bounds
		err := r.Scan(&number, &at[0].From, &at[0].To, &at[1].From, &at[1].To, &at[2].From, &at[2].To)
		for i, b := range s.q.Bounds {
			if at[i].To < b.From || at[i].From > b.To {
				return err
			}
		}
		if _, ok := s.only[number/sheetPages]; s.only != nil && !ok {
			return err
		}
		p := page{number: number, first: at[s.q.Page.Sort].From, last: at[s.q.Page.Sort].To}
		if s.sign < 0 {
			p.first, p.last = p.last, p.first
		}
		if after := s.q.Page.After; after == nil || s.compare(p.last, int64(after.Value)) >= 0 {
			s.pages = append(s.pages, p)
		}
		return err
	})
	slices.SortFunc(s.pages, func(a, b page) int { return cmp.Or(s.compare(a.first, b.first), cmp.Compare(a.number, b.number)) })
	return err
}

func (s *search) compare(a, b int64) int { return s.sign * cmp.Compare(a, b) }

// order puts first what few rows of the first sheet have: it tells most.
func (s *search) order(ctx context.Context) error {
	if len(s.terms) == 1 || len(s.pages) == 0 {
		return nil
	}
	grams := make([]int64, len(s.terms))
	for i, t := range s.terms {
		grams[i] = t.from
	}
	bytes := map[int64]int{}
	const query = `SELECT gram, length(rows) FROM json_each(?) CROSS JOIN grams WHERE kind = ? AND sheet = ? AND gram = value`
	err := s.l.Each(ctx, query, []any{list(grams), int64(s.q.Kind), s.pages[0].number / sheetPages}, func(r *sql.Rows) error {
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

// walk looks at the next rows of the list. all: there are no more; dense: the list is to be
// looked at further.
func (s *search) walk() (all, dense bool, err error) {
	page := s.q.Page
	page.Limit = s.q.Rows
	seen, err := s.q.Walk(page)
	before := len(s.out)
	for _, row := range seen {
		if row.Has {
			s.out = append(s.out, row.Number)
		}
	}
	if all = len(seen) < page.Limit; !all {
		s.q.Page.After = &seen[len(seen)-1].Key
	}
	return all, s.dense((len(s.out) - before) * pageRows / page.Limit), err
}

// next takes what is known to come next, or else looks at more.
func (s *search) next(ctx context.Context) error {
	sure, rest := len(s.held), s.rest()
	if len(rest) > 0 {
		sure, _ = slices.BinarySearchFunc(s.held, rest[0].first, func(row Seen, at int64) int { return s.compare(int64(row.Key.Value), at) })
	}
	for _, row := range s.held[:sure] {
		s.out = append(s.out, row.Number)
	}
	s.held = s.held[sure:]
	switch {
	case sure > 0:
		return nil
	case len(s.sifted) == 0:
		return s.sift(ctx)
	}
	return s.readMore(ctx)
}

// rest returns the pages that come next: no row is before the first of them.
func (s *search) rest() []page {
	if len(s.sifted) > 0 {
		return s.sifted
	}
	return s.pages
}

// readMore looks at rows of the pages whose sets come next.
func (s *search) readMore(ctx context.Context) error {
	n, rows := 0, 0
	for n < len(s.sifted) && rows < look && (n == 0 || !s.dense(s.sifted[n].rows.len())) {
		rows += s.sifted[n].rows.len()
		n++
	}
	numbers := make([]int64, 0, rows)
	for _, p := range s.sifted[:n] {
		p.rows.each(func(i int) { numbers = append(numbers, p.number/sheetPages*sheetRows+int64(i)) })
	}
	s.sifted = s.sifted[n:]
	if len(numbers) == 0 {
		return ctx.Err()
	}
	slices.Sort(numbers)
	before, most := len(s.held), s.q.Page.Limit-len(s.out)
	columns, _ := s.q.Page.Order()
	w, page := &clause.Where{}, s.q.Page
	page.Limit = 0
	order := w.Page(s.q.Alias, page)
	if before >= most { // what comes behind the last that is missing is not
		w.Page(s.q.Alias, store.Page{Sort: page.Sort, Ascending: !page.Ascending, After: &s.held[most-1].Key})
	}
	query := fmt.Sprintf(`SELECT %[1]snumber, %[1]s%[2]s, %[1]svenue_id, %[1]svenue FROM json_each(?) CROSS JOIN %[3]s WHERE %[1]snumber = value AND %[4]s AND %[5]s AND instr(%[6]s, ?) > 0%[7]s LIMIT ?`,
		s.q.Alias, columns[0], s.q.Table, w.Cond(), s.q.Cond, s.q.Text, order)
	args := slices.Concat([]any{list(numbers)}, w.Args, s.q.Args, []any{s.q.Has, most})
	err := s.l.Each(ctx, query, args, func(r *sql.Rows) error {
		f := Seen{Has: true}
		err := r.Scan(&f.Number, &f.Key.Value, &f.Key.VenueID, &f.Key.Venue)
		s.held = append(s.held, f)
		return err
	})
	slices.SortFunc(s.held, func(a, b Seen) int { return s.q.Page.Compare(a.Key, b.Key) })
	return err
}

// sift finds which rows of the pages that come next may have the text, of twice as many
// sheets as before: those had too few.
func (s *search) sift(ctx context.Context) error {
	sets, n := map[int64]*set{}, 0
	for ; n < len(s.pages); n++ {
		sheet := s.pages[n].number / sheetPages
		if _, ok := sets[sheet]; ok || s.found[sheet] != nil {
			continue
		}
		if len(sets) == s.step {
			break
		}
		sets[sheet] = s.only[sheet] // nil: all rows
	}
	for i, t := range s.terms {
		if err := s.narrow(ctx, sets, t); err != nil {
			return err
		}
		if i == 0 && len(s.terms) > 1 {
			n = s.cut(sets, n)
		}
	}
	maps.Copy(s.found, sets)
	for _, p := range s.pages[:n] {
		if p.rows = s.found[p.number/sheetPages].of(p.number); p.rows.len() > 0 {
			s.sifted = append(s.sifted, p)
		}
	}
	s.pages, s.step = s.pages[n:], min(2*s.step, mostSheets)
	return nil
}

// cut leaves out, of so many pages, those that come after enough sheets with the rarest term:
// they are read again if these do not fill the list, twice as many.
func (s *search) cut(sets map[int64]*set, pages int) int {
	first := map[int64]bool{}
	for n, p := range s.pages[:pages] {
		sheet := p.number / sheetPages
		if of, ok := sets[sheet]; !ok || first[sheet] || of.len() <= fewLeft {
			continue
		}
		if len(first) == s.most {
			s.most *= 2
			maps.DeleteFunc(sets, func(sheet int64, of *set) bool { return of.len() > fewLeft && !first[sheet] })
			return n
		}
		first[sheet] = true
	}
	return pages
}

// narrow leaves in the sets what has the term. Sets of few rows stay as they are: looking
// at those costs no more.
func (s *search) narrow(ctx context.Context, sets map[int64]*set, t term) error {
	var sheets []int64
	have := map[int64]*set{}
	for sheet, of := range sets {
		if of.len() > fewLeft {
			sheets = append(sheets, sheet)
			have[sheet] = &set{}
		}
	}
	if len(sheets) == 0 {
		return nil
	}
	slices.Sort(sheets)
	const query = `SELECT sheet, rows FROM json_each(?) CROSS JOIN grams WHERE kind = ? AND sheet = value AND gram BETWEEN ? AND ?`
	err := s.l.Each(ctx, query, []any{list(sheets), int64(s.q.Kind), t.from, t.to}, func(r *sql.Rows) error {
		var sheet int64
		var b sql.RawBytes
		err := r.Scan(&sheet, &b)
		have[sheet].addAll(b)
		return err
	})
	for sheet, now := range have {
		if of := sets[sheet]; of != nil {
			now.keep(of)
		}
		sets[sheet] = now
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
