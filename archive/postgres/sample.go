package postgres

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
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

// keys returns the keys of which a row that passes has all, and those of each of which it has
// any.
func (f *filter) keys() (all []int32, anyOf [][]int32) {
	tags, series := make([]int32, len(f.tags)), make([]int32, len(f.series))
	for i, tag := range f.tags {
		tags[i] = key(tag)
	}
	for i, id := range f.series {
		series[i] = key("series", strconv.FormatInt(id, 10))
	}
	if f.anyTag && len(tags) > 0 {
		anyOf = append(anyOf, tags)
	} else {
		all = tags
	}
	if f.series != nil {
		anyOf = append(anyOf, series)
	}
	if f.category != "" {
		all = append(all, key("category", f.category))
	}
	if f.open {
		all = append(all, key("status", "0"))
	}
	return all, anyOf
}

// sampled is one row of a sample: what filter asks about.
type sampled struct {
	search     string
	keys       []int32
	start, end int64
}

// passes returns what reports whether a row passes the filter.
func (f *filter) passes() func(*sampled) bool {
	all, anyOf := f.keys()
	d := &f.dates
	return func(r *sampled) bool {
		has := func(key int32) bool { return slices.Contains(r.keys, key) }
		return within(r.start, d.StartMin, d.StartMax) && within(r.end, d.EndMin, d.EndMax) && strings.Contains(r.search, f.search) &&
			!slices.ContainsFunc(all, func(key int32) bool { return !has(key) }) &&
			!slices.ContainsFunc(anyOf, func(keys []int32) bool { return !slices.ContainsFunc(keys, has) })
	}
}

// within reports whether an instant lies in [from, to]; zero bounds nothing, and
// an instant that is not known is within no bound.
func within(v int64, from, to market.Instant) bool {
	return (from == 0 || v != 0 && v >= int64(from)) && (to == 0 || v != 0 && v <= int64(to))
}

// sample is some rows of a table. It decides how a list is read, never what is
// in it.
type sample struct {
	rows  []sampled
	each  float64   // how many rows of the table one of them stands for
	until time.Time // when to take another
}

const (
	minSample     = windowRows // rows
	maxSample     = 4000
	samplePerPage = 4 // rows of a page are often alike: so many of one
	sampleFor     = 5 * time.Minute
	renewFor      = 5 * time.Second // no longer is waited for a sample
)

// sampleOfRows returns how many of the rows of a table a sample has: while that is not too many,
// each stands for half of the rows at which few says no, of a page of 50.
func sampleOfRows(n float64) float64 { return min(max(minSample, 4*math.Sqrt(n)), maxSample) }

// samples are the samples of a store, by table.
type samples struct {
	mu     sync.Mutex
	table  map[string]*sample
	taking sync.WaitGroup
	ended  bool // none is taken any more
}

// sampleOf returns a sample of a table. In place of one that is too old another is taken,
// for those who ask later.
func (t *tx) sampleOf(ctx context.Context, table string) (*sample, error) {
	all := &t.s.samples
	all.mu.Lock()
	known := all.table[table]
	if known != nil && !all.ended && time.Now().After(known.until) {
		known.until = time.Now().Add(sampleFor) // if taking another fails
		all.taking.Go(func() { t.s.renew(table) })
	}
	all.mu.Unlock()
	if known != nil {
		return known, nil
	}
	taken, err := t.take(ctx, table)
	if err != nil {
		return nil, err
	}
	all.keep(table, taken)
	return taken, nil
}

func (all *samples) keep(table string, s *sample) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.table == nil {
		all.table = map[string]*sample{}
	}
	all.table[table] = s
}

// end waits for the sample that is being taken; there is no other.
func (all *samples) end() {
	all.mu.Lock()
	all.ended = true
	all.mu.Unlock()
	all.taking.Wait()
}

// renew takes another sample of a table. Where that fails the one that there is stays.
func (s *Store) renew(table string) {
	ctx, cancel := context.WithTimeout(context.Background(), renewFor)
	defer cancel()
	_ = s.View(ctx, func(r store.Reader) error {
		taken, err := r.(*tx).take(ctx, table)
		if err == nil {
			s.samples.keep(table, taken)
		}
		return err
	})
}

// take reads some rows of some pages of a table.
func (t *tx) take(ctx context.Context, table string) (*sample, error) {
	const size = `SELECT pg_relation_size(oid) / current_setting('block_size')::bigint, greatest(1, reltuples / greatest(1, relpages))::float8
		FROM pg_class WHERE oid = $1::text::regclass`
	var pages int64
	var perPage float64
	err := t.each(ctx, size, []any{table}, func(r pgx.Rows) error { return r.Scan(&pages, &perPage) })
	if err != nil {
		return nil, err
	}
	n := float64(max(1, pages))
	most := sampleOfRows(n * perPage)
	part := min(1, most/samplePerPage/n)
	share := min(1, most/(part*n*perPage))
	s := &sample{until: time.Now().Add(sampleFor)}
	query := fmt.Sprintf(`SELECT search, keys, start_at, end_at FROM %s TABLESAMPLE SYSTEM (%g) WHERE random() < %g AND category <> ''`, table, 100*part, share)
	err = t.each(ctx, query, nil, func(rows pgx.Rows) error {
		var r sampled
		err := rows.Scan(&r.search, &r.keys, &r.start, &r.end)
		s.rows = append(s.rows, r)
		return err
	})
	seen := len(s.rows)
	s.rows = spread(s.rows, maxSample)
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
	n, passes := 0, f.passes()
	for i := range s.rows {
		if passes(&s.rows[i]) {
			n++
		}
	}
	return float64(n) * s.each
}

// worthText is how many rows within bounds of time cost less, in the index for lists, than
// one row with a text costs that is gathered.
const worthText = 4

const (
	// worthNear is how many rows of the index for lists are read by distance in the time
	// that one is gathered in.
	worthNear = 200
	// shortTable is how many rows take no time in any way.
	shortTable = 20_000
)

// few reports whether the rows that pass a filter are to be gathered: so few that all of them
// take less than to read the index until the page is full. Not if many more have the text
// than are within the bounds of time: all of these are fewer.
func (s *sample) few(f *filter, limit int) bool {
	if f.dates.Any() && trigrams(f.search) != nil && s.passing(&filter{dates: f.dates}) <= worthText*s.passing(&filter{search: f.search}) {
		return false
	}
	n, most, all := s.passing(f), float64(limit), s.each*float64(len(s.rows))
	return worthNear*n*max(n, most) <= most*max(all, shortTable)
}

const (
	maxWindows  = 4    // of a text to look up
	windowTries = 48   // of a text to choose from
	windowRows  = 1000 // of a sample to choose by
	// worthReading: to fetch a row takes as long as to read so many of a list.
	worthReading = 50
)

// windows returns up to maxWindows pieces of a text, three bytes each, that few
// rows have together, each with a trigram that the index knows. A row with the
// text has them all. To look up every trigram of a text takes long: the common
// ones are in half of the rows.
func (s *sample) windows(text string) []string {
	c := choiceOf(spread(s.rows, windowRows), trigrams(text))
	var out []string
	for before := len(c.left); len(out) < min(maxWindows, len(c.pieces)); {
		best, fewest := c.best()
		if common := c.alone[best] > len(c.left)/20; common && len(out) > 0 && (before-fewest)*worthReading < c.alone[best] {
			break // leaves out too little for what reading its list costs
		}
		c.take(best)
		before = fewest
		out = append(out, c.pieces[best])
	}
	return out
}

// choice is a choice of pieces of a text by the rows that have them.
type choice struct {
	pieces []string
	taken  []bool   // by piece
	has    [][]bool // by piece and row
	alone  []int    // by piece: how many rows have it
	left   []bool   // by row: it has every piece taken
}

func choiceOf(rows []sampled, pieces []string) *choice {
	c := &choice{pieces, make([]bool, len(pieces)), make([][]bool, len(pieces)), make([]int, len(pieces)), make([]bool, len(rows))}
	for i := range rows {
		c.left[i] = true
	}
	for p, piece := range pieces {
		c.has[p] = make([]bool, len(rows))
		for i := range rows {
			if strings.Contains(rows[i].search, piece) {
				c.has[p][i] = true
				c.alone[p]++
			}
		}
	}
	return c
}

// best returns the piece, of those not taken, that leaves the fewest rows, and
// how many; of equals the rarer one. There must be one.
func (c *choice) best() (best, fewest int) {
	best = -1
	for p := range c.pieces {
		if c.taken[p] {
			continue
		}
		n := 0
		for i, left := range c.left {
			if left && c.has[p][i] {
				n++
			}
		}
		if best < 0 || n < fewest || n == fewest && c.alone[p] < c.alone[best] {
			best, fewest = p, n
		}
	}
	return best, fewest
}

func (c *choice) take(p int) {
	c.taken[p] = true
	for i := range c.left {
		c.left[i] = c.left[i] && c.has[p][i]
	}
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
