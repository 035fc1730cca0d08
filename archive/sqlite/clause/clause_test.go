package clause_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/clause"
	"github.com/ladderback/ladderback/archive/sqlite/grams"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlitetest"
	"github.com/ladderback/ladderback/market"
)

// row is a row of the table of these tests.
type row struct {
	number int64
	key    store.Key // by update
	text   string
	flag   bool
	tags   []string
}

// filled is a table of rows that are often equal in what they are sorted by, and their tags.
func filled(t *testing.T) (*txn.Tx, []row) {
	t.Helper()
	tx := sqlitetest.New(t)
	require.NoError(t, tx.Exec(t.Context(), `CREATE TABLE things (number INTEGER, category TEXT, venue TEXT, venue_id TEXT, updated_at INTEGER, text TEXT, flag INTEGER)`))
	rnd := rand.New(rand.NewPCG(3, 4))
	var rows []row
	own, other := grams.NewTags(store.EventClaim), grams.NewTags(store.MarketClaim)
	for n := range int64(90) {
		r := row{number: n, text: []string{"it's", `"it"`, "IT", ""}[rnd.IntN(4)], flag: rnd.IntN(2) == 0}
		r.key = store.Key{Value: market.Instant(rnd.IntN(4)), VenueID: fmt.Sprint(rnd.IntN(9)), Venue: market.Venue(fmt.Sprint("v", n))}
		require.NoError(t, tx.Exec(t.Context(), `INSERT INTO things VALUES (?, 'crypto', ?, ?, ?, ?, ?)`, n, string(r.key.Venue), r.key.VenueID, int64(r.key.Value), r.text, r.flag))
		for _, tag := range []string{"a", "b", "c'"} {
			if rnd.IntN(2) == 0 {
				r.tags = append(r.tags, tag)
				own.Gain(n, market.Crypto, []string{tag})
			}
			// Tags of another kind or category are none of its own.
			other.Gain(n, market.Crypto, []string{tag})
			own.Gain(n, market.Sports, []string{tag})
		}
		rows = append(rows, r)
	}
	require.NoError(t, own.Put(t.Context(), tx.Link))
	require.NoError(t, other.Put(t.Context(), tx.Link))
	return tx, rows
}

// numbers runs a query with what follows the table, and returns the numbers in its order.
func numbers(t *testing.T, tx *txn.Tx, rest string, args []any) []int64 {
	t.Helper()
	out := []int64{}
	require.NoError(t, tx.Each(t.Context(), "SELECT number FROM things x"+rest, args, func(r *sql.Rows) error {
		var n int64
		err := r.Scan(&n)
		out = append(out, n)
		return err
	}))
	return out
}

// TestConditions: statements select the rows that satisfy all conditions, bound or written
// out, and no others.
func TestConditions(t *testing.T) {
	t.Parallel()
	tx, rows := filled(t)
	type has func(*row) bool
	for name, one := range map[string]struct {
		make func(*clause.Where)
		has  has
	}{
		"none": {func(*clause.Where) {}, func(*row) bool { return true }},
		"a rule of a text": {func(w *clause.Where) {
			w.All("x.", []store.Condition{{Column: "text", Op: store.Equal, Value: "it's", Rule: true}})
		}, func(r *row) bool { return r.text == "it's" }},
		"a text": {func(w *clause.Where) {
			w.All("x.", []store.Condition{{Column: "text", Op: store.Equal, Value: `"it"`}})
		}, func(r *row) bool { return r.text == `"it"` }},
		"rules of a number and of neither": {func(w *clause.Where) {
			w.All("x.", []store.Condition{{Column: "updated_at", Op: store.AtLeast, Value: int64(2), Rule: true}, {Column: "flag", Op: store.Equal, Value: false, Rule: true}})
		}, func(r *row) bool { return r.key.Value >= 2 && !r.flag }},
		"bounds": {func(w *clause.Where) {
			w.All("x.", []store.Condition{{Column: "updated_at", Op: store.Above, Value: int64(0)}, {Column: "updated_at", Op: store.Below, Value: int64(3)}, {Column: "flag", Op: store.Equal, Value: true, Rule: true}})
		}, func(r *row) bool { return r.key.Value > 0 && r.key.Value < 3 && r.flag }},
		"no tags":                   {func(w *clause.Where) { w.Tags("x.", 2, nil, true) }, func(*row) bool { return true }},
		"a tag":                     {func(w *clause.Where) { w.Tags("x.", 2, []string{"c'"}, false) }, func(r *row) bool { return slices.Contains(r.tags, "c'") }},
		"any of tags":               {func(w *clause.Where) { w.Tags("x.", 2, []string{"a", "c'"}, true) }, func(r *row) bool { return slices.Contains(r.tags, "a") || slices.Contains(r.tags, "c'") }},
		"all tags":                  {func(w *clause.Where) { w.Tags("x.", 2, []string{"a", "c'"}, false) }, func(r *row) bool { return slices.Contains(r.tags, "a") && slices.Contains(r.tags, "c'") }},
		"a tag of no row among all": {func(w *clause.Where) { w.Tags("x.", 2, []string{"a", "z"}, false) }, func(*row) bool { return false }},
		"a search":                  {func(w *clause.Where) { w.Search("lower(x.text)", "IT'") }, func(r *row) bool { return r.text == "it's" }},
		"a search for nothing":      {func(w *clause.Where) { w.Search("lower(x.text)", "") }, func(*row) bool { return true }},
		"a search over both texts":  {func(w *clause.Where) { w.Search("lower(x.text)", store.SearchText("it", "s")) }, func(*row) bool { return false }},
	} {
		w := &clause.Where{}
		one.make(w)
		want := []int64{}
		for i := range rows {
			if one.has(&rows[i]) {
				want = append(want, rows[i].number)
			}
		}
		require.Equal(t, want, numbers(t, tx, w.String()+" ORDER BY number", w.Args), name)
		require.Equal(t, want, numbers(t, tx, " WHERE "+w.Cond()+" ORDER BY number", w.Args), "%s, as one condition", name)
	}
}

// TestPages: pages that go on where the last one ended have every row once, in order.
func TestPages(t *testing.T) {
	t.Parallel()
	tx, rows := filled(t)
	for _, ascending := range []bool{false, true} {
		for _, limit := range []int{1, 7, 89, 90, 91} {
			p := store.Page{Ascending: ascending, Limit: limit}
			want := slices.Clone(rows)
			slices.SortFunc(want, func(a, b row) int { return p.Compare(a.key, b.key) })
			var got []int64
			for pages := 0; ; pages++ {
				require.LessOrEqual(t, pages, len(rows))
				w := &clause.Where{}
				tail := w.Page("x.", p)
				page := numbers(t, tx, w.String()+tail, w.Args)
				if got = append(got, page...); len(page) < limit {
					break
				}
				p.After = &rows[page[len(page)-1]].key
			}
			require.Len(t, got, len(want))
			for i := range want {
				require.Equal(t, want[i].number, got[i], "%t %d", ascending, limit)
			}
		}
	}
}

// TestPagesOfEqualRows: of rows known to be equal in the first column the others alone say
// where a page goes on.
func TestPagesOfEqualRows(t *testing.T) {
	t.Parallel()
	tx, rows := filled(t)
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.key.Value != 2 })
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.key.VenueID, b.key.VenueID), cmp.Compare(a.key.Venue, b.key.Venue))
	})
	require.Greater(t, len(rows), 10)
	for i := range rows {
		w := &clause.Where{}
		w.Add("x.updated_at = ?", 2)
		tail := w.PageOf("x.", store.Page{Ascending: true, After: &rows[i].key}, 1)
		want := []int64{}
		for _, r := range rows[i+1:] {
			want = append(want, r.number)
		}
		require.Equal(t, want, numbers(t, tx, w.String()+tail, w.Args))
	}
}
