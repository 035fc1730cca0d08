package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/catalogue"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// searched is an archive of more than two pages of rows, whose texts and times are like
// each other; some rows have been changed, some removed. It is made once: its file, and
// its rows.
var searched = sync.OnceValues(func() (file []byte, have map[store.ID]store.MarketRow) {
	dir, err := os.MkdirTemp("", "ladderback-test-")
	must(err)
	defer func() { must(os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "a.db")
	s, _, err := Create(context.Background(), path)
	must(err)
	have = fillSearched(s)
	must(s.Close())
	file, err = os.ReadFile(path)
	must(err)
	return file, have
})

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// openSearched opens a copy of searched.
func openSearched(t *testing.T, walk int) (*Store, map[store.ID]store.MarketRow) {
	t.Helper()
	file, have := searched()
	path := filepath.Join(t.TempDir(), "a.db")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	s, err := Open(t.Context(), path, func(s *settings) { s.walk = walk })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, have
}

func fillSearched(s *Store) map[store.ID]store.MarketRow {
	rnd, ctx := rand.New(rand.NewPCG(1, 2)), context.Background()
	text := func() string {
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteString([]string{"a", "B", "-", "ab", "up", "é", "down", "7", "I"}[rnd.IntN(9)])
		}
		return b.String()
	}
	row := func(i int) store.MarketRow {
		id := fmt.Sprint("0x", i)
		status := store.Closed
		if i%400 == 0 {
			status = store.Open
		}
		tags := []string{"all"}
		for _, one := range []int{2, 30, 3000} {
			if rnd.IntN(one) == 0 {
				tags = append(tags, fmt.Sprint("one of ", one))
			}
		}
		at := func() market.Instant { return market.Instant(i/100*100 + rnd.IntN(300) - 200) }
		return store.MarketRow{
			ID: store.MarketID(market.Polymarket, id), UpdatedAt: at(), Status: status,
			Market: market.Market{Venue: market.Polymarket, VenueID: id, Slug: text(), Question: text(), Start: at(), End: at(), Category: []market.Category{market.Crypto, market.Crypto, market.Sports}[rnd.IntN(3)], Tags: tags},
		}
	}
	have := map[store.ID]store.MarketRow{}
	put := func(c store.Changes) {
		must(s.Update(ctx, func(w store.Writer) error { return w.Apply(ctx, &c) }))
		for _, row := range c.Markets {
			have[row.ID] = row
		}
		for _, id := range c.DropMarkets {
			delete(have, id)
		}
	}
	for from := 0; from < 9000; from += 1500 {
		var c store.Changes
		for i := range 1500 {
			c.Markets = append(c.Markets, row(from+i))
		}
		put(c)
	}
	var c store.Changes
	for range 300 {
		if i := rnd.IntN(9000); rnd.IntN(3) > 0 {
			c.Markets = append(c.Markets, row(i))
		} else {
			c.DropMarkets = append(c.DropMarkets, row(i).ID)
		}
	}
	slices.SortFunc(c.Markets, func(a, b store.MarketRow) int { return cmp.Compare(a.ID, b.ID) })
	c.Markets = slices.CompactFunc(c.Markets, func(a, b store.MarketRow) bool { return a.ID == b.ID })
	drop := c.DropMarkets
	c.DropMarkets = nil
	put(c)
	put(store.Changes{DropMarkets: drop})
	last := store.Changes{Markets: []store.MarketRow{row(9001), row(9002)}}
	for _, c := range []market.Category{market.Crypto, market.Sports} { // not counted here, but there
		last.Tallies = append(last.Tallies, store.Tally{TallyKey: store.TallyKey{Kind: store.Kind{Category: c}, Day: store.AllDays}, Universe: store.Universe{Markets: 1}})
	}
	put(last)
	return have
}

// filtered adds filters to a query at random.
func filtered(rnd *rand.Rand, q store.MarketQuery) store.MarketQuery {
	some := func() bool { return rnd.IntN(4) == 0 }
	at := func() market.Instant { return market.Instant(1 + rnd.IntN(9000)) }
	if some() {
		q.Category = []market.Category{market.Crypto, market.Sports, "weather"}[rnd.IntN(3)]
	}
	if q.OpenOnly = some(); some() {
		q.Tags, q.AnyTag = [][]string{{"one of 2"}, {"one of 30"}, {"one of 30", "one of 2"}, {"one of 3000", "all"}, {"nothing"}}[rnd.IntN(5)], some()
	}
	if some() {
		q.EndFrom, q.EndTo = at(), at()+3000
	}
	if some() {
		q.StartMax = at()
	}
	if some() {
		q.EndMin = at()
	}
	return q
}

// TestSearch compares pages of lists and searches, most with filters, with what a look at
// every row gives.
func TestSearch(t *testing.T) {
	t.Parallel()
	for _, walk := range []int{0, 7, catalogue.WalkRows} {
		rnd := rand.New(rand.NewPCG(5, uint64(walk)))
		s, have := openSearched(t, walk)
		all := make([]store.MarketRow, 0, len(have))
		for _, row := range have {
			all = append(all, row)
		}
		slices.SortFunc(all, func(a, b store.MarketRow) int { return cmp.Compare(a.ID, b.ID) })
		found := 0
		for range 60 {
			of := all[rnd.IntN(len(all))].Market
			text := store.SearchText(of.Question, of.Slug)
			if at := rnd.IntN(len(text)); rnd.IntN(6) > 0 {
				text = text[at:min(len(text), at+1+rnd.IntN(9))]
			} else {
				text = "nothing has this"
			}
			text = strings.ToUpper(text)
			q := store.MarketQuery{Search: text, Page: store.Page{Sort: store.Sort(rnd.IntN(3)), Ascending: rnd.IntN(2) == 0, Limit: 1 + rnd.IntN(60)}}
			if rnd.IntN(5) > 0 {
				q = filtered(rnd, q)
			}
			if rnd.IntN(6) == 0 {
				q.Search = ""
			}
			want := matching(all, q)
			for page := 0; ; page++ {
				var got []store.MarketRow
				require.NoError(t, s.View(t.Context(), func(r store.Reader) (err error) {
					got, err = r.Markets(t.Context(), q)
					return err
				}))
				n := min(q.Limit, len(want))
				require.Equal(t, ids(want[:n]), ids(got), "%+v", q)
				found += n
				if want = want[n:]; n == 0 || page == 3 {
					break
				}
				key := got[n-1].Key(q.Sort)
				q.After = &key
			}
		}
		require.Greater(t, found, 1000)
	}
}

// TestSearchDamage sees that an index that lacks rows is told of.
func TestSearchDamage(t *testing.T) {
	t.Parallel()
	for statement, pages := range map[string]int{
		`DELETE FROM grams WHERE gram = (SELECT max(gram) FROM grams)`:   3,
		`DELETE FROM gram_pages WHERE page = 0`:                          1,
		`UPDATE gram_pages SET end_to = end_to - 1 WHERE page IN (0, 2)`: 2,
	} {
		s, _ := openSearched(t, catalogue.WalkRows)
		lines, err := s.Check(t.Context())
		require.NoError(t, err)
		require.Empty(t, lines)
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
			return w.(*tx).Exec(t.Context(), statement)
		}))
		lines, err = s.Check(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{fmt.Sprintf("table grams: %d pages of markets cannot be found by all of their text", pages)}, lines, statement)
	}
}

// matching returns the rows that a query selects, all of them, in its order.
func matching(all []store.MarketRow, q store.MarketQuery) []store.MarketRow {
	text, none := store.SearchFor(q.Search)
	out := slices.DeleteFunc(slices.Clone(all), func(row store.MarketRow) bool {
		m := &row.Market
		has := func(tag string) bool { return slices.Contains(m.Tags, tag) }
		tagged := !slices.ContainsFunc(q.Tags, func(tag string) bool { return !has(tag) }) || q.AnyTag && slices.ContainsFunc(q.Tags, has)
		return none || !strings.Contains(store.SearchText(m.Question, m.Slug), text) || !tagged ||
			q.Category != "" && m.Category != q.Category || q.OpenOnly && row.Status != store.Open ||
			q.EndFrom != 0 && m.End < q.EndFrom || q.EndTo != 0 && m.End >= q.EndTo ||
			q.StartMax != 0 && (m.Start == 0 || m.Start > q.StartMax) || q.EndMin != 0 && (m.End == 0 || m.End < q.EndMin)
	})
	slices.SortFunc(out, func(a, b store.MarketRow) int { return q.Compare(a.Key(q.Sort), b.Key(q.Sort)) })
	return out
}

func ids(rows []store.MarketRow) []store.ID {
	out := make([]store.ID, len(rows))
	for i := range rows {
		out[i] = rows[i].ID
	}
	return out
}
