package grams_test

import (
	"database/sql"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/grams"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlitetest"
	"github.com/ladderback/ladderback/market"
)

// TestTags: rows that gain tags and lose them, few of a sheet and most of it, are in the sets of
// those that they carry, and in no others; a tag that nothing carries is gone.
func TestTags(t *testing.T) {
	t.Parallel()
	l := sqlitetest.New(t).Link
	rnd := rand.New(rand.NewPCG(7, 8))
	names := []string{"", "it's", "all"}
	has := map[string]map[int64]bool{}
	for _, tag := range names {
		has[tag] = map[int64]bool{}
	}
	look := func(step string) {
		t.Helper()
		got := map[string][]int64{}
		require.NoError(t, l.Each(t.Context(), `SELECT tag, sheet, rows FROM tags WHERE kind = 1 AND category = 'crypto' ORDER BY tag, sheet`, nil, func(r *sql.Rows) error {
			var tag string
			var sheet int64
			var rows sql.RawBytes
			err := r.Scan(&tag, &sheet, &rows)
			some := grams.Numbers(sheet, rows)
			require.NotEmpty(t, some, step)
			got[tag] = append(got[tag], some...)
			return err
		}))
		for _, tag := range names {
			var want []int64
			for n, ok := range has[tag] {
				if ok {
					want = append(want, n)
				}
			}
			slices.Sort(want)
			require.Equal(t, want, got[tag], "%s, %s", step, tag)
		}
		const found = `SELECT EXISTS (SELECT 1 FROM tags WHERE tag = ?1 AND category = 'crypto' AND kind = 1 AND sheet = ?2 / ?3 AND in_rows(rows, ?2))`
		for range 200 {
			n, tag := rnd.Int64N(3*short.SheetRows), names[rnd.IntN(3)]
			var in bool
			require.NoError(t, l.Each(t.Context(), found, []any{tag, n, short.SheetRows}, func(r *sql.Rows) error { return r.Scan(&in) }))
			require.Equal(t, has[tag][n], in, "%s, %s %d", step, tag, n)
		}
	}
	change := func(f func(*grams.Tags)) {
		t.Helper()
		all, others := grams.NewTags(store.MarketClaim), grams.NewTags(store.EventClaim)
		f(all)
		others.Gain(rnd.Int64N(9), market.Crypto, names) // of another kind, and of another category
		all.Gain(rnd.Int64N(9), market.Sports, names)
		require.NoError(t, all.Put(t.Context(), l))
		require.NoError(t, others.Put(t.Context(), l))
	}
	few := func(most int64) (tags []string, n int64) {
		return slices.DeleteFunc(slices.Clone(names), func(string) bool { return rnd.IntN(2) == 0 }), rnd.Int64N(most)
	}
	for range 3 {
		change(func(all *grams.Tags) {
			for range 500 {
				tags, n := few(3 * short.SheetRows)
				gain := rnd.IntN(3) > 0
				if gain {
					all.Gain(n, market.Crypto, tags)
				} else {
					all.Lose(n, market.Crypto, tags)
				}
				for _, tag := range tags {
					has[tag][n] = gain
				}
			}
		})
		look("few")
	}
	change(func(all *grams.Tags) {
		for n := range int64(2 * short.SheetRows) {
			all.Gain(n, market.Crypto, names[2:])
			has["all"][n] = true
		}
	})
	look("most")
	change(func(all *grams.Tags) {
		for n := range int64(3 * short.SheetRows) {
			all.Lose(n, market.Crypto, names)
		}
		clear(has["all"])
		clear(has[""])
		clear(has["it's"])
	})
	look("none")
}
