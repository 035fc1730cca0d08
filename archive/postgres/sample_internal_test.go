package postgres

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// TestFew: what few rows pass is gathered, unless a text that many have would be looked
// for in all of them, not in the few within bounds of time.
func TestFew(t *testing.T) {
	t.Parallel()
	s := &sample{each: 100}
	for i := range 1000 {
		tags := []string{"btc"}
		if i < 5 {
			tags = append(tags, "rare")
		}
		s.rows = append(s.rows, sampled{search: fmt.Sprint("btc-4h-", i), keys: listKeys(tags, market.Crypto, 7, store.Closed), start: int64(1 + i), end: int64(2 + i)})
	}
	last := store.Dates{StartMin: 996} // five rows
	for name, c := range map[string]struct {
		f     filter
		want  bool
		limit int // 0: 10,000
	}{
		"no filter":                    {filter{}, false, 0},
		"a rare text":                  {filter{search: "4h-777"}, true, 0},
		"a rare text, a short page":    {filter{search: "4h-777"}, true, 20},
		"a rare text, a row":           {filter{search: "4h-777"}, false, 10},
		"a text of some":               {filter{search: "4h-77"}, false, 0},
		"a text of all":                {filter{search: "4h-"}, false, 0},
		"a text of all, few times":     {filter{search: "4h-", dates: last}, false, 0},
		"a text of some, fewer times":  {filter{search: "4h-99", dates: store.Dates{EndMin: 960}}, false, 0},
		"a rarer text than times":      {filter{search: "4h-999", dates: last}, true, 0},
		"a text that no index knows":   {filter{search: "4h", dates: last}, true, 0},
		"few times, no text":           {filter{dates: last}, true, 0},
		"few times, a short page":      {filter{dates: last}, false, 50},
		"a text of all, another place": {filter{search: "4h-", category: "sports"}, true, 0},
		"a text and a place of all":    {filter{search: "4h-", category: "crypto"}, false, 0},
		"a tag of all":                 {filter{tags: []string{"btc"}}, false, 0},
		"a tag of all, and of some":    {filter{tags: []string{"btc", "rare"}}, true, 0},
		"a tag of all, or of some":     {filter{tags: []string{"btc", "rare"}, anyTag: true}, false, 0},
		"a series of all, or of none":  {filter{series: []int64{7, 8}}, false, 0},
		"series of none":               {filter{series: []int64{8, 9}}, true, 0},
		"no series":                    {filter{series: []int64{}}, true, 0},
		"none is open":                 {filter{open: true}, true, 0},
	} {
		require.Equal(t, c.want, s.few(&c.f, cmp.Or(c.limit, 10_000)), name)
	}
}

// TestSampleIsRenewedBeside: who asks for a sample that is too old has it all the same, who asks
// later another; once the store is closed, none is taken.
func TestSampleIsRenewedBeside(t *testing.T) {
	t.Parallel()
	s, _, err := Create(t.Context(), pgtest.Database(t))
	require.NoError(t, err)
	ask := func() (got *sample) {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) (err error) {
			got, err = r.(*tx).sampleOf(t.Context(), "markets")
			return err
		}))
		return got
	}
	age := func(of *sample) {
		s.samples.mu.Lock()
		defer s.samples.mu.Unlock()
		of.until = time.Now().Add(-time.Minute)
	}
	first := ask()
	require.Same(t, first, ask())
	age(first)
	require.Same(t, first, ask())
	s.samples.taking.Wait()
	second := ask()
	require.NotSame(t, first, second)
	s.samples.end()
	age(second)
	require.Same(t, second, ask())
	s.samples.taking.Wait()
	require.Same(t, second, ask())
	require.NoError(t, s.Close())
}
