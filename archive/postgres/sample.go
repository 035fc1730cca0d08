package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
)

// filter is what a list of markets or events is filtered by, but for names of
// rows. Texts are as columns hold them. Zero fields do not select.
type filter struct {
	search   string // in lower case
	tags     []string
	anyTag   bool
	category string
	series   []int64 // any of these; nil: any
	open     bool
	dates    store.Dates
}

// sampled is one row of a sample: what filter asks about.
type sampled struct {
	search, category string
	tags             []string
	series           int64
	status           int16
	start, end       int64
}

// passes reports whether a row passes the filter.
func (f *filter) passes(r *sampled) bool {
	within := func(v int64, from, to int64) bool {
		return (from == 0 || v != 0 && v >= from) && (to == 0 || v != 0 && v <= to)
	}
	has := func(tag string) bool { return slices.Contains(r.tags, tag) }
	tags := len(f.tags) == 0 || f.anyTag && slices.ContainsFunc(f.tags, has) ||
		!f.anyTag && !slices.ContainsFunc(f.tags, func(tag string) bool { return !has(tag) })
	d := &f.dates
	return tags && (f.category == "" || r.category == f.category) && (f.series == nil || slices.Contains(f.series, r.series)) &&
		(!f.open || r.status == 0) && within(r.start, int64(d.StartMin), int64(d.StartMax)) &&
		within(r.end, int64(d.EndMin), int64(d.EndMax)) && strings.Contains(r.search, f.search)
}

// sample is some rows of a table. It decides how a list is read, never what is
// in it.
type sample struct {
	rows  []sampled
	each  float64   // how many rows of the table one of them stands for
	until time.Time // when to take another
}

const (
	sampleRows  = 4000
	samplePages = 1000
	sampleFor   = 5 * time.Minute
)

// samples are the samples of a store, by table.
type samples struct {
	mu    sync.Mutex
	table map[string]*sample
}

// sampleOf returns a sample of a table.
func (t *tx) sampleOf(ctx context.Context, table string) (*sample, error) {
	all := &t.s.samples
	all.mu.Lock()
	known := all.table[table]
	all.mu.Unlock()
	if known != nil && time.Now().Before(known.until) {
		return known, nil
	}
	taken, err := t.take(ctx, table)
	if err != nil {
		return nil, err
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.table == nil {
		all.table = map[string]*sample{}
	}
	all.table[table] = taken
	return taken, nil
}

// take reads some rows of some pages of a table. Rows of one page are often
// alike, so of many pages a few each.
func (t *tx) take(ctx context.Context, table string) (*sample, error) {
	const size = `SELECT pg_relation_size(oid) / current_setting('block_size')::bigint, greatest(1, reltuples / greatest(1, relpages))::float8
		FROM pg_class WHERE oid = $1::text::regclass`
	var pages int64
	var perPage float64
	err := t.each(ctx, size, []any{table}, func(r pgx.Rows) error { return r.Scan(&pages, &perPage) })
	if err != nil {
		return nil, err
	}
	part := min(1, samplePages/float64(max(1, pages)))
	share := min(1, sampleRows/(part*float64(max(1, pages))*perPage))
	s := &sample{until: time.Now().Add(sampleFor)}
	query := fmt.Sprintf(`SELECT search, category, tags, series, status, start_at, end_at
		FROM %s TABLESAMPLE SYSTEM (%g) WHERE category <> '' AND random() < %g`, table, 100*part, share)
	err = t.each(ctx, query, nil, func(rows pgx.Rows) error {
		var r sampled
		err := rows.Scan(&r.search, &r.category, &r.tags, &r.series, &r.status, &r.start, &r.end)
		s.rows = append(s.rows, r)
		return err
	})
	seen := len(s.rows)
	s.rows = spread(s.rows, sampleRows)
	s.each = float64(seen) / float64(max(1, len(s.rows))) / part / share
	return s, err
}

// spread returns n of the items, evenly, or all when there are fewer.
func spread[T any](items []T, n int) []T {
	if len(items) <= n {
		return items
	}
	out := make([]T, n)
	for i := range out {
		out[i] = items[i*len(items)/n]
	}
	return out
}

// passing returns about how many rows of the table pass a filter.
func (s *sample) passing(f *filter) float64 {
	n := 0
	for i := range s.rows {
		if f.passes(&s.rows[i]) {
			n++
		}
	}
	return float64(n) * s.each
}

const (
	mostWindows = 4    // of a text to look up
	windowTries = 48   // of a text to choose from
	windowRows  = 1000 // of a sample to choose by
	// worthReading: to fetch a row takes as long as to read so many of a list.
	worthReading = 50
)

// windows returns up to mostWindows pieces of a text, three bytes each, that few
// rows have together, each with a trigram that the index knows. A row with the
// text has them all. To look up every trigram of a text takes long: the common
// ones are in half of the rows.
func (s *sample) windows(text string) []string {
	pieces := trigrams(text)
	rows := spread(s.rows, windowRows)
	left := make([]bool, len(rows))
	has, alone := make([][]bool, len(pieces)), make([]int, len(pieces))
	for i := range rows {
		left[i] = true
	}
	for p, piece := range pieces {
		has[p] = make([]bool, len(rows))
		for i := range rows {
			if strings.Contains(rows[i].search, piece) {
				has[p][i] = true
				alone[p]++
			}
		}
	}
	var out []string
	taken, before := make([]bool, len(pieces)), len(rows)
	for len(out) < min(mostWindows, len(pieces)) {
		best, fewest := -1, 0
		for p := range pieces {
			n := 0
			for i := range rows {
				if left[i] && has[p][i] {
					n++
				}
			}
			if !taken[p] && (best < 0 || n < fewest || n == fewest && alone[p] < alone[best]) {
				best, fewest = p, n
			}
		}
		if common := alone[best] > len(rows)/20; common && len(out) > 0 && (before-fewest)*worthReading < alone[best] {
			break // leaves out too little for what reading its list costs
		}
		for i := range rows {
			left[i] = left[i] && has[best][i]
		}
		taken[best], before = true, fewest
		out = append(out, pieces[best])
	}
	return out
}

// trigrams returns pieces of three bytes of a text, in which pg_trgm finds a
// trigram whatever stands around them: letters and digits, or the beginning or
// the end of a word with what is no part of it. Bytes that are not ASCII are in
// none: what pg_trgm takes them for depends on the database.
func trigrams(text string) []string {
	word := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' }
	var out []string
	seen := map[string]bool{}
	for i := 0; i+3 <= len(text); i++ {
		p := text[i : i+3]
		if seen[p] || max(p[0], p[1], p[2]) >= 0x80 || !word(p[1]) && !word(p[2]) {
			continue
		}
		seen[p] = true
		out = append(out, p)
	}
	return spread(out, windowTries)
}
