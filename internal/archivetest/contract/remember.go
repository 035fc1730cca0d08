package contract

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// testRemember imports and removes sources while an archive that keeps what it
// reads, and too little room for all of it, is asked again and again, and
// compares its answers with those of one that keeps nothing.
func testRemember(t *testing.T, open Open) {
	for seed := range seeds(t, 3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := archivetest.NewScenario(seed, 150)
			under := open(t)
			keeps, plain := archivetest.New(under, intake.Config{BlockCaptures: 1 + int(seed)%4}), archivetest.New(under)
			t.Cleanup(func() { require.NoError(t, keeps.Close()) })
			keeps.Remember([]int{1 << 20, 20_000, 0}[seed%3])
			files := slices.Concat(s.Split(seed, 1+int(seed)%3), archivetest.Metadata(s, seed, 2))
			for i := range files {
				require.NoError(t, archivetest.Put(t.Context(), keeps, s, &files[i]))
				checkRemembered(t, keeps, plain)
				checkRemembered(t, keeps, plain)
			}
			sources, err := plain.Sources(t.Context())
			require.NoError(t, err)
			for _, src := range sources[:1+int(seed)%len(sources)] {
				require.NoError(t, plain.RemoveSource(t.Context(), src.ID))
				checkRemembered(t, keeps, plain)
			}
		})
	}
}

// testChanged takes away what a row sums up that was looked up before, with and
// without its blocks being known by then.
func testChanged(t *testing.T, open Open) {
	for _, known := range []bool{false, true} {
		for _, remove := range []string{"markets", "source"} {
			t.Run(fmt.Sprintf("%s, blocks known: %v", remove, known), func(t *testing.T) {
				ctx, s := t.Context(), archivetest.NewScenario(3, 150)
				a := newArchive(t, open, intake.Config{BlockCaptures: 3})
				a.Remember(1 << 20)
				files := s.Split(3, 1)
				require.NoError(t, archivetest.Put(ctx, a, s, &files[0]))
				list, err := a.Markets(ctx, store.MarketQuery{})
				require.NoError(t, err)
				i := slices.IndexFunc(list, func(l store.Listing) bool { return l.Stats.Captures > 20 })
				row, err := a.Market(ctx, list[i].Market.VenueID, "")
				require.NoError(t, err)
				read := func() error {
					for _, err := range a.CapturesFrom(ctx, row, row.Stats.First, market.Latest, scan.ForAll) {
						if err != nil {
							return err
						}
					}
					return nil
				}
				if known {
					require.NoError(t, read())
				}
				if remove == "markets" {
					require.NoError(t, a.RemoveMarkets(ctx, []store.ID{row.ID}))
				} else {
					sources, err := a.Sources(ctx)
					require.NoError(t, err)
					require.NoError(t, a.RemoveSource(ctx, sources[0].ID))
				}
				require.ErrorIs(t, read(), store.ErrChanged)
			})
		}
	}
}

// testMoment looks whether moments differ when what is there may: after a write,
// and in two archives that were written to as often. A write that fails makes
// none.
func testMoment(t *testing.T, open Open) {
	seen := map[int64]bool{}
	for range 2 {
		a := open(t)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		for range 3 {
			require.NoError(t, a.Update(t.Context(), func(store.Writer) error { return nil }))
			now, err := a.Moment(t.Context())
			require.NoError(t, err)
			require.False(t, seen[now.Write])
			seen[now.Write] = true
			require.ErrorIs(t, a.Update(t.Context(), func(store.Writer) error { return context.Canceled }), context.Canceled)
			again, err := a.Moment(t.Context())
			require.NoError(t, err)
			require.Equal(t, now, again)
		}
	}
}

// testGone removes a market while its captures are read.
func testGone(t *testing.T, open Open) {
	ctx, s := t.Context(), archivetest.NewScenario(3, 600)
	a := newArchive(t, open, intake.Config{BlockCaptures: 1})
	f := s.Whole()
	require.NoError(t, archivetest.Put(ctx, a, s, &f))
	list, err := a.Markets(ctx, store.MarketQuery{})
	require.NoError(t, err)
	refused := 0
	for i := range list {
		var failed error
		other := list[i].Market
		other.Tokens = other.Tokens[:len(other.Tokens)-1]
		for c, err := range a.Captures(ctx, &other) {
			if err == nil {
				require.Less(t, c.Token, max(1, len(other.Tokens)))
				continue
			}
			require.ErrorIs(t, err, store.ErrChanged)
			refused++
		}
		for _, err := range a.Captures(ctx, &list[i].Market) {
			if failed = err; failed == nil {
				require.NoError(t, a.RemoveMarkets(ctx, []store.ID{list[i].ID}))
			}
		}
		require.ErrorIs(t, failed, store.ErrChanged)
	}
	require.Positive(t, refused, "captures of a token that was not there")
}

// checkRemembered compares what two archives over one store say of each market.
func checkRemembered(t *testing.T, keeps, plain *archivetest.Archive) {
	t.Helper()
	ctx := t.Context()
	rows, err := plain.Markets(ctx, store.MarketQuery{})
	require.NoError(t, err)
	marks, err := keeps.Watermarks(ctx, "")
	require.NoError(t, err)
	wantMarks, err := plain.Watermarks(ctx, "")
	require.NoError(t, err)
	require.Equal(t, wantMarks, marks)
	for i := range rows {
		m := &rows[i].Market
		got, err := keeps.Market(ctx, m.VenueID, "")
		require.NoError(t, err)
		want, err := plain.Market(ctx, m.VenueID, "")
		require.NoError(t, err)
		require.Equal(t, want.MarketRow, got.MarketRow)
		require.Equal(t, want.Watermark, got.Watermark)
		for _, token := range m.Tokens { // which another market may name too
			row, at, err := keeps.Token(ctx, token.VenueID, m.Category)
			require.NoError(t, err)
			want, wantAt, err := plain.Token(ctx, token.VenueID, m.Category)
			require.NoError(t, err)
			require.Equal(t, wantAt, at)
			require.Equal(t, want.MarketRow, row.MarketRow)
		}
		checkPages(ctx, t, keeps, plain, got)
	}
	_, err = keeps.Market(ctx, "there is none", "")
	require.ErrorIs(t, err, store.ErrNotFound)
}

// checkPages compares the prices and books of windows of a market, read from
// their start, with those that its captures from the first give.
func checkPages(ctx context.Context, t *testing.T, keeps, plain *archivetest.Archive, row *store.Listing) {
	t.Helper()
	if row.Stats.Captures == 0 {
		return
	}
	m, s := &row.Market, row.Stats
	for n, at := range []market.Instant{s.First - market.Second, s.First + (s.Last-s.First)/3, s.Last - market.Second} {
		w := history.Window{Start: at, End: at + []market.Span{market.Second, market.Minute, market.Hour}[n], Resolution: history.Grid}
		q := history.Request{Market: m, Window: w, Known: history.KnownOf(&row.MarketRow, row.Watermark)}
		all := plain.Captures(ctx, m)
		var want, got []string
		prices := func(out *[]string) func(at market.Instant, p []int64) bool {
			return func(at market.Instant, p []int64) bool {
				*out = append(*out, fmt.Sprint(at, p))
				return len(*out) < 100
			}
		}
		require.NoError(t, history.Prices(q, all, prices(&want)))
		require.NoError(t, keeps.Prices(ctx, row, q, w.Start+100*history.Grid, prices(&got)))
		require.Equal(t, want, got, "prices of %s from %s", m.VenueID, at)
		got = nil
		require.NoError(t, keeps.Prices(ctx, row, q, market.Latest, prices(&got)))
		require.Equal(t, want, got, "prices of %s from %s, read anew", m.VenueID, at)
		books := func(out *[]string) func(at market.Instant, b []history.Ladder) bool {
			*out = nil
			return func(at market.Instant, b []history.Ladder) bool {
				*out = append(*out, fmt.Sprint(at, b))
				return len(*out) < 100
			}
		}
		require.NoError(t, history.Books(q, all, books(&want)))
		for _, read := range []string{"read", "read anew"} {
			require.NoError(t, keeps.Books(ctx, row, q, w.Start+100*history.Grid, books(&got)))
			require.Equal(t, want, got, "books of %s from %s, %s", m.VenueID, at, read)
		}
		q.Exact = max(q.Window.First(), q.Known.From)
		some := keeps.CapturesFrom(ctx, row, q.Exact, min(w.Stop(), q.Known.To), scan.ForBooks)
		require.NoError(t, history.Books(q, some, books(&got)))
		require.Equal(t, want, got, "books of %s from %s", m.VenueID, at)
	}
}
