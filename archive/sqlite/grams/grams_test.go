package grams_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/grams"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlitetest"
	"github.com/ladderback/ladderback/market"
)

// row is a row of the table that is searched.
type row struct {
	number, id int64
	text       string
	times      [3]int64
}

// opened is a connection to an archive, with a table of texts.
func opened(t *testing.T) *pool.Link {
	t.Helper()
	l := sqlitetest.New(t).Link
	require.NoError(t, l.Exec(t.Context(), `CREATE TABLE texts (number INTEGER PRIMARY KEY, id INTEGER, venue_id TEXT, venue TEXT, text TEXT, updated_at INTEGER, start_at INTEGER, end_at INTEGER)`))
	return l
}

const kind = store.MarketClaim

// put puts rows, or changes them; a text that is as it was is not said again.
func put(t *testing.T, l *pool.Link, have map[int64]row, rows ...row) {
	t.Helper()
	var noted []grams.Row
	require.NoError(t, l.Exec(t.Context(), `BEGIN`))
	for _, r := range rows {
		require.NoError(t, l.Exec(t.Context(), `INSERT OR REPLACE INTO texts VALUES (?, ?, ?, 'v', ?, ?, ?, ?)`, r.number, r.id, fmt.Sprint("m", r.id), r.text, r.times[0], r.times[1], r.times[2]))
		one := grams.Row{Number: r.number, Text: r.text, Times: r.times}
		if was, ok := have[r.number]; ok && was.text == r.text {
			one.Text = ""
		}
		have[r.number] = r
		noted = append(noted, one)
	}
	require.NoError(t, grams.Put(t.Context(), l, kind, noted))
	require.NoError(t, l.Exec(t.Context(), `COMMIT`))
}

// TestFind holds searches to a look at every row: texts of every length, each order, from
// the start and from behind a place, with conditions and bounds, of rows that stand in pages
// with many rows, few, and none; whether or not the list itself is looked at first, and
// the rows that satisfy the condition are known.
func TestFind(t *testing.T) {
	t.Parallel()
	l, r := opened(t), rand.New(rand.NewPCG(2, 2))
	have := map[int64]row{}
	letters := []string{"a", "b", "c", "é", " ", "up", "down"}
	drawn := func() row {
		page := []int64{0, 0, 0, 1, 2, 5, 9, 13, 17, 21, 25, 29}[r.IntN(12)] // eight sheets
		x := row{number: page*4096 + int64(r.IntN(1000)), times: [3]int64{int64(r.IntN(40)), int64(r.IntN(40)) - 5, 1000 - page*300 + int64(r.IntN(20))}}
		x.id = x.number * 7919 % 1_000_003                   // in another order, and each its own
		if old, ok := have[x.number]; ok && r.IntN(2) == 0 { // another time, the same text
			x.text = old.text
			return x
		}
		for range r.IntN(9) {
			x.text += letters[r.IntN(len(letters))]
		}
		if x.times[0] < 20 { // behind half of a list
			x.text += "early"
		}
		return x
	}
	for range 5 {
		var some []row
		for range 800 {
			some = append(some, drawn())
		}
		slices.SortFunc(some, func(a, b row) int { return cmp.Compare(a.number, b.number) })
		put(t, l, have, slices.CompactFunc(some, func(a, b row) bool { return a.number == b.number })...)
	}
	put(t, l, have, row{number: 16383, id: 1, text: "the last of its page", times: [3]int64{50, 50, 5000}}, row{number: 16384, id: 2, text: "the first of its page", times: [3]int64{-50, -50, -5000}})
	all := slices.Collect(maps.Values(have))
	key := func(x row, p store.Page) store.Key {
		return store.Key{Value: market.Instant(x.times[p.Sort]), VenueID: fmt.Sprint("m", x.id), Venue: "v"}
	}
	sorted := map[store.Page][]row{}
	// list is what a list has behind the place that a page begins at.
	list := func(p store.Page, has func(row) bool) (out []grams.Seen) {
		order := store.Page{Sort: p.Sort, Ascending: p.Ascending}
		if sorted[order] == nil {
			sorted[order] = slices.SortedFunc(slices.Values(all), func(a, b row) int { return p.Compare(key(a, p), key(b, p)) })
		}
		for _, x := range sorted[order] {
			if k := key(x, p); p.After == nil || p.Compare(k, *p.After) > 0 {
				out = append(out, grams.Seen{Number: x.number, Key: k, Has: has(x)})
			}
		}
		return out
	}
	found, walked := 0, 0
	texts := []string{"a", "é", "c", "ab", "p ", "up", "aba", "abc", "up up", "downup", "caébc", "its page", "the first of its page", "nothing has this", "\x1f", "early", "early", "cearly", "pearly"}
	for range 300 {
		p := store.Page{Sort: store.Sort(r.IntN(3)), Ascending: r.IntN(2) == 0, Limit: []int{1, 3, 50, 400, 4000}[r.IntN(5)]}
		if r.IntN(2) == 0 {
			k := key(all[r.IntN(len(all))], p)
			k.Value += market.Instant(r.IntN(3) - 1)
			p.After = &k
		}
		q := grams.Query{
			Kind: kind, Table: "texts t", Alias: "t.", Text: "t.text", Has: texts[r.IntN(len(texts))], Cond: "true",
			Bounds: [3]grams.Bounds{grams.All, grams.All, grams.All}, Page: p, Rows: []int{0, 0, 4, 64}[r.IntN(4)],
		}
		within := func(row) bool { return true }
		switch r.IntN(4) {
		case 0:
			of := int64(1 + r.IntN(4))
			q.Cond, q.Args = "t.id % ? = 0", []any{of}
			within = func(x row) bool { return x.id%of == 0 }
		case 1:
			n, b := r.IntN(3), grams.Bounds{From: int64(r.IntN(40)), To: int64(r.IntN(1000))}
			q.Bounds[n] = b
			q.Cond, q.Args = fmt.Sprintf("t.%s BETWEEN ? AND ?", []string{"updated_at", "start_at", "end_at"}[n]), []any{b.From, b.To}
			within = func(x row) bool { return b.From <= x.times[n] && x.times[n] <= b.To }
		}
		has := func(x row) bool { return within(x) && strings.Contains(x.text, q.Has) }
		knows := r.IntN(3) == 0
		q.Only = func(most int) (out []int64, _ error) {
			if !knows {
				return nil, nil
			}
			out = []int64{}
			for _, x := range all {
				if within(x) {
					out = append(out, x.number)
				}
			}
			slices.Sort(out)
			return out, nil
		}
		q.Walk = func(p store.Page) ([]grams.Seen, error) {
			walked++
			rows := list(p, has)
			return rows[:min(len(rows), p.Limit)], nil
		}
		want := []int64{}
		for _, x := range list(p, has) {
			if x.Has && len(want) < p.Limit {
				want = append(want, x.Number)
			}
		}
		got, err := grams.Find(t.Context(), l, q)
		require.NoError(t, err)
		require.Equal(t, want, append([]int64{}, got...), "%q %+v, %s %v, %d rows first, knows %v", q.Has, p, q.Cond, q.Args, q.Rows, knows)
		found += len(got)
	}
	require.Greater(t, found, 2000)
	require.Greater(t, walked, 60)
}

// TestCheck counts the pages that lack something: a row in a set, a set, the bounds of one
// time, all bounds. What a set has too much is no fault.
func TestCheck(t *testing.T) {
	t.Parallel()
	const columns = `text, updated_at, start_at, end_at`
	for what, c := range map[string]struct {
		spoil string
		want  int
	}{
		"nothing":                  {`SELECT 1`, 0},
		"a set":                    {`DELETE FROM grams WHERE sheet = 1 AND gram = (SELECT min(gram) FROM grams WHERE sheet = 1)`, 1},
		"a set of two pages":       {`DELETE FROM grams WHERE sheet = 0 AND gram = (SELECT min(gram) FROM grams WHERE sheet = 0)`, 2},
		"a row of a set":           {`UPDATE grams SET rows = substr(rows, 3) WHERE sheet = 0 AND gram = (SELECT gram FROM grams WHERE sheet = 0 AND length(rows) > 2 LIMIT 1)`, 1},
		"all bounds of a page":     {`DELETE FROM gram_pages WHERE page = 0`, 1},
		"an update before it":      {`UPDATE gram_pages SET updated_from = updated_from + 1`, 3},
		"an end behind it":         {`UPDATE gram_pages SET end_to = end_to - 1 WHERE page = 4`, 1},
		"a start behind it":        {`UPDATE gram_pages SET start_to = start_from - 1 WHERE page = 4`, 1},
		"wider bounds":             {`UPDATE gram_pages SET end_to = end_to + 100, start_from = start_from - 100`, 0},
		"a row that is gone":       {`DELETE FROM texts WHERE number = 5`, 0},
		"a row that nobody put":    {`INSERT INTO texts VALUES (6, 6, 'm6', 'v', 'never put', 20, 20, 20)`, 1},
		"a row behind the last":    {`INSERT INTO texts VALUES (20480, 7, 'm7', 'v', 'x', 20, 20, 20)`, 1},
		"another kind is no fault": {`DELETE FROM grams WHERE kind <> 1`, 0},
	} {
		l, have := opened(t), map[int64]row{}
		for _, page := range []int64{0, 1, 4} { // two of a sheet, and one of the next
			for i := range int64(5) {
				put(t, l, have, row{number: page*4096 + i, id: page*10 + i, text: fmt.Sprint("text ", i), times: [3]int64{10 + i, 20 + i, 30 + i}})
			}
		}
		require.NoError(t, l.Exec(t.Context(), c.spoil))
		wrong, err := grams.Check(t.Context(), l, kind, "texts", columns, nil, nil)
		require.NoError(t, err)
		require.Equal(t, c.want, wrong, what)
	}
	l := opened(t)
	wrong, err := grams.Check(t.Context(), l, kind, "texts", columns, nil, nil)
	require.NoError(t, err)
	require.Zero(t, wrong, "an empty table")
}
