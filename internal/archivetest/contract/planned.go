package contract

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// testPlanned compares what planned markets give with what each gives by itself:
// from several hands at once, in another order, asked twice, of a market that was
// not planned or is not there, and after a write in the middle.
func testPlanned(t *testing.T, open Open) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			ctx, s := t.Context(), archivetest.NewScenario(seed, 500)
			a := newArchive(t, open, intake.Config{BlockCaptures: 7})
			for _, f := range append(s.Split(seed, 2), archivetest.Metadata(s, seed, 1)...) {
				require.NoError(t, archivetest.Put(ctx, a, s, &f))
			}
			rows, err := a.Markets(ctx, store.MarketQuery{})
			require.NoError(t, err)
			require.Greater(t, len(rows), 1)
			markets := make([]*market.Market, len(rows))
			want := make([][]string, len(rows))
			for i := range rows {
				markets[i] = &rows[i].Market
				want[i], err = archivetest.Trace(markets[i], a.Captures(ctx, markets[i]))
				require.NoError(t, err)
			}

			nobody := &market.Market{Venue: "nowhere", VenueID: "nobody"}
			captures := a.Planned(append(slices.Clone(markets[:len(markets)-1]), nobody))
			for range 2 {
				got := make([][]string, len(rows))
				group, ctx := errgroup.WithContext(ctx)
				for i, m := range slices.Backward(markets) {
					group.Go(func() (err error) {
						got[i], err = archivetest.Trace(m, captures(ctx, m))
						return err
					})
				}
				require.NoError(t, group.Wait())
				require.Equal(t, want, got)
			}
			_, err = archivetest.Trace(nobody, captures(ctx, nobody))
			require.ErrorIs(t, err, store.ErrNotFound)

			// A source is removed when the first market was read.
			captures = a.Planned(markets)
			_, err = archivetest.Trace(markets[0], captures(ctx, markets[0]))
			require.NoError(t, err)
			sources, err := a.Sources(ctx)
			require.NoError(t, err)
			require.NoError(t, a.RemoveSource(ctx, sources[0].ID))
			for i, m := range markets[1:] {
				now, missing := archivetest.Trace(m, a.Captures(ctx, m))
				got, err := archivetest.Trace(m, captures(ctx, m))
				if err != nil { // all it had was of the source
					require.ErrorIs(t, missing, store.ErrNotFound)
					require.ErrorIs(t, err, store.ErrNotFound)
					continue
				}
				// As it was when it was planned, or as it is.
				require.NoError(t, err)
				if !slices.Equal(got, want[i+1]) {
					require.Equal(t, now, got)
				}
			}
		})
	}
}

// testListed compares what rounds give that were listed with what each gives by itself,
// before and after a write.
func testListed(t *testing.T, open Open) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			ctx, s := t.Context(), archivetest.NewScenario(seed, 500)
			a := newArchive(t, open, intake.Config{BlockCaptures: 7})
			same := func(captures func(context.Context, *market.Market) iter.Seq2[*market.Capture, error], markets []*market.Market) {
				for _, m := range markets {
					want, missing := archivetest.Trace(m, a.Captures(ctx, m))
					got, err := archivetest.Trace(m, captures(ctx, m))
					require.Equal(t, missing == nil, err == nil, "%v, %v", missing, err)
					require.Equal(t, want, got)
				}
			}
			files := append(archivetest.Metadata(s, seed, 1), s.Split(seed, 3)...)
			last := len(files) - 1
			for _, f := range files[:last] {
				require.NoError(t, archivetest.Put(ctx, a, s, &f))
			}
			rounds, err := a.Rounds(ctx, market.RoundFilter{})
			require.NoError(t, err)
			require.NotEmpty(t, rounds)
			markets := make([]*market.Market, len(rounds))
			for i := range rounds {
				markets[i] = rounds[i].Market
			}
			same(a.Planned(markets), markets)
			planned := a.Planned(markets)
			require.NoError(t, archivetest.Put(ctx, a, s, &files[last]))
			same(planned, markets)
		})
	}
}
