package history_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// TestMidsAreThePrices reads the prices of random windows from chunks, each made
// by itself or together with its neighbours, and compares with a walk.
func TestMidsAreThePrices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, r, captures := drawAround(t, history.Chunk)
		type bucket struct {
			t market.Instant
			p []int64
		}
		stop := rapid.IntRange(1, 200).Draw(t, "stop")
		collect := func(into *[]bucket) func(market.Instant, []int64) bool {
			return func(t market.Instant, p []int64) bool {
				*into = append(*into, bucket{t, slices.Clone(p)})
				return len(*into) < stop
			}
		}
		var want, got []bucket
		require.NoError(t, history.Prices(r, sequence(captures), collect(&want)))
		together := rapid.IntRange(1, 3).Draw(t, "chunks together")
		made := map[market.Instant]*history.Mids{}
		chunk := func(from market.Instant) (*history.Mids, error) {
			require.Equal(t, from, history.ChunkOf(from))
			if made[from] == nil {
				all, err := history.ReadMids(m, from, together, sequence(captures))
				require.NoError(t, err)
				for i, c := range all {
					made[from+market.Instant(i)*history.Chunk] = c
				}
			}
			return made[from], nil
		}
		require.NoError(t, history.PricesOf(r, chunk, collect(&got)))
		require.Equal(t, want, got)
	})
}

// drawAround draws a request for a market whose captures lie around the boundary of two
// spans of a length.
func drawAround(t *rapid.T, length market.Span) (*market.Market, history.Request, []market.Capture) {
	m, captures := drawMarket(t)
	w, known := drawWindow(t, captures)
	shift := 3*length - market.Instant(rapid.IntRange(0, 4000).Draw(t, "shift"))*market.Millisecond
	for i := range captures {
		captures[i].Recv += shift
	}
	w.Start, w.End, known.From, known.To = w.Start+shift, w.End+shift, known.From+shift, known.To+shift
	w.Resolution *= market.Span(rapid.SampledFrom([]int{1, 1, 1, 3600}).Draw(t, "coarser"))
	return m, history.Request{Market: m, Window: w, Known: known}, captures
}

// TestDepthsAreTheBooks reads the books of random windows from depths, each made by itself
// or together with its neighbours, and compares with a walk: as ladders, and built from
// what both tell of changes.
func TestDepthsAreTheBooks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, r, captures := drawAround(t, history.DepthSpan)
		stop := rapid.IntRange(1, 200).Draw(t, "stop")
		together := rapid.IntRange(1, 3).Draw(t, "depths together")
		made := map[market.Instant]*history.Depth{}
		depth := func(from market.Instant) (*history.Depth, error) {
			require.Zero(t, from%history.DepthSpan)
			if made[from] == nil {
				all, err := history.ReadDepths(m, from, together, sequence(captures))
				require.NoError(t, err)
				require.Len(t, all, together)
				for i, d := range all {
					made[from+market.Instant(i)*history.DepthSpan] = d
				}
			}
			return made[from], nil
		}
		walked := func(r history.Request, emit func(market.Instant, []history.Ladder) bool) error {
			return history.Books(r, sequence(captures), emit)
		}
		kept := func(r history.Request, emit func(market.Instant, []history.Ladder) bool) error {
			return history.BooksOf(r, depth, emit)
		}
		all := r // the grid points around the boundary
		all.Window = history.Window{Start: 3*history.DepthSpan - 2*market.Second, End: 3*history.DepthSpan + 2*market.Second, Resolution: history.Grid}
		all.Known.To = all.Window.End
		for _, r := range []history.Request{r, all} {
			want := shownBy(t, r, stop, false, walked)
			require.Equal(t, want, shownBy(t, r, stop, false, kept))
			require.Equal(t, want, shownBy(t, r, stop, true, walked))
			require.Equal(t, want, shownBy(t, r, stop, true, kept))
		}
	})
}

// shownBy returns what books shows in up to so many buckets, as it is, or built from steps.
func shownBy(t *rapid.T, r history.Request, stop int, steps bool, books func(history.Request, func(market.Instant, []history.Ladder) bool) error) []string {
	built := make([]market.Book, len(r.Market.Tokens))
	if steps {
		r.Steps = func(book int, whole bool, bids, asks []market.Level) {
			built[book].Apply(&market.Capture{Replace: whole, Bids: bids, Asks: asks})
		}
	}
	var out []string
	require.NoError(t, books(r, func(at market.Instant, all []history.Ladder) bool {
		for i, l := range all {
			switch {
			case !steps || !l.Known:
			case i > 0 && r.Market.Mirrored:
				for _, v := range built[0].Append(nil, market.Ask) {
					l.Bids = append(l.Bids, market.Level{Price: v.Price.Mirror(), Size: v.Size})
				}
				for _, v := range built[0].Append(nil, market.Bid) {
					l.Asks = append(l.Asks, market.Level{Price: v.Price.Mirror(), Size: v.Size})
				}
			default:
				l.Bids, l.Asks = built[i].Append(nil, market.Bid), built[i].Append(nil, market.Ask)
			}
			out = append(out, fmt.Sprint(at, i, l.Known, l.Bids, l.Asks))
		}
		return len(out) < stop
	}))
	return out
}
