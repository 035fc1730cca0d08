package intake_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestUndatedAmongDated: a file of markets that say nothing of their time, some of
// which have one by another source, some captures by another file, is summed up as it
// comes in like what reading all captures again gives.
func TestUndatedAmongDated(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, _, err := sqlite.Create(ctx, filepath.Join(t.TempDir(), "undated.db"))
	require.NoError(t, err)
	defer s.Close()
	const start = 1_783_700_000 * market.Second
	listing := func(n int) market.Market {
		return market.Market{Venue: market.PolymarketUS, Slug: fmt.Sprintf("game-%02d", n), Category: market.Sports,
			Tokens: []market.Token{{Label: "Yes"}, {Label: "No"}}}
	}
	in := intake.New(s, intake.Config{})
	put := func(name string, markets []int, dated bool, captures int) {
		imp, err := in.Begin(ctx, store.Source{SHA256: [32]byte([]byte(fmt.Sprintf("%-32s", name))), Name: name, Format: "test", Authority: store.FromCaptures})
		require.NoError(t, err)
		for _, n := range markets {
			m := listing(n)
			if dated {
				m.Start, m.End = market.Instant(start), market.Instant(start+30*market.Second)
			}
			mi, err := imp.Market(ctx, m)
			require.NoError(t, err)
			for i := range captures + n%3 {
				c := market.Capture{Token: 0, Kind: market.KindQuote, Recv: market.Instant(start + market.Span(len(name)+n+7*i)*market.Second)}
				c.Quote.Bid.Price, c.Quote.Ask.Price = market.Price(1000+100*i), market.NoPrice
				require.NoError(t, mi.Add(&c))
			}
			require.NoError(t, mi.Done(ctx))
		}
		_, err = imp.Finish(ctx, intake.End{})
		require.NoError(t, err)
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	put("times", []int{0, 5, 6, 11}, true, 0)
	put("first", all, false, 6)
	put("second, of some", []int{3, 6, 7}, false, 4)
	found, err := care.Verify(ctx, s, care.Check{})
	require.NoError(t, err)
	require.Empty(t, found.Damage)
	require.NoError(t, s.View(ctx, func(r store.Reader) error {
		rows, err := r.Markets(ctx, store.MarketQuery{IDs: nil, Unlisted: true})
		require.Len(t, rows, len(all))
		undated := 0
		for i := range rows {
			require.NotZero(t, rows[i].Stats.Captures)
			if rows[i].Undated {
				undated++
			}
		}
		require.Equal(t, 8, undated)
		return err
	}))
}
