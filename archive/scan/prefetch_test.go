package scan_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// counting counts what a store is asked.
type counting struct {
	store.Store
	views, reads atomic.Int64
}

func (c *counting) View(ctx context.Context, read func(store.Reader) error) error {
	c.views.Add(1)
	return c.Store.View(ctx, read)
}

func (c *counting) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	c.reads.Add(1)
	return c.Store.ReadBlocks(ctx, refs, each)
}

// asked returns the questions since the last call.
func (c *counting) asked() (views, reads int64) { return c.views.Swap(0), c.reads.Swap(0) }

// simulated returns an archive of so many five-minute rounds, with so many captures a
// second each, and its markets.
func simulated(t *testing.T, rounds int, rate float64) (*counting, []*market.Market) {
	t.Helper()
	opened, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	a := archive.New(opened)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	s, err := simulate.New(simulate.Config{Markets: rounds, Coins: []string{"BTC"}, Types: []string{"5m"}, Rate: rate, Seed: 4})
	require.NoError(t, err)
	_, err = s.Write(t.Context(), a, simulate.WriteOptions{})
	require.NoError(t, err)
	list, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	var markets []*market.Market
	for i := range list {
		markets = append(markets, list[i].Market)
	}
	return &counting{Store: opened}, markets
}

// TestPlannedTogether: captures of planned markets are those of each by itself; of small
// ones, places and blocks of several come with one question.
func TestPlannedTogether(t *testing.T) {
	t.Parallel()
	s, markets := simulated(t, 70, 0.2)
	require.Len(t, markets, 70)
	var want [][]string
	for _, m := range markets {
		want = append(want, lines(t, scan.Captures(t.Context(), s, m)))
	}
	alone, readAlone := s.asked()
	planned := scan.Planned(s, markets, nil)
	for i, m := range markets {
		require.Equal(t, want[i], lines(t, planned(t.Context(), m)), m.Slug)
	}
	views, reads := s.asked()
	require.EqualValues(t, 3, views, "70 markets in groups of 32")
	require.Less(t, reads, readAlone/4, "small blocks are read together")
	require.GreaterOrEqual(t, alone, int64(70))
	require.Equal(t, want[3], lines(t, planned(t.Context(), markets[3])), "again, by itself")
}

// TestPlannedTopsOnce: what was found of the tops of markets in a first pass is not asked
// for in the next, and orders find their ladders without a question about where they are.
func TestPlannedTopsOnce(t *testing.T) {
	t.Parallel()
	s, markets := simulated(t, 40, 2)
	known := scan.PlannedTops(s, markets, nil)
	var first [][]market.Top
	for pass := range 2 {
		for i, m := range markets {
			k, err := known(t.Context(), m)
			require.NoError(t, err)
			require.NotNil(t, k, m.Slug)
			all, more, err := k.Read(math.MaxInt)
			require.NoError(t, err)
			require.False(t, more)
			if pass == 0 {
				first = append(first, slices.Clone(all))
			}
			require.Equal(t, first[i], all, m.Slug)
			require.NotNil(t, k.Ladders, "of one source")
			middle := (m.Start + m.End) / 2
			for c, err := range k.Ladders(t.Context(), middle) {
				require.NoError(t, err)
				if c.Recv > middle {
					break
				}
			}
			k.Close()
		}
		views, reads := s.asked()
		require.Equal(t, []int64{2, 0}[pass], views, "pass %d: a question a group, at first", pass)
		require.EqualValues(t, len(markets), reads, "one block each")
	}
}

// TestLaddersAreThoseOfAllCaptures: ladders read by their place, and captures from an
// instant on, lead to the books that all captures do, at every instant from then on.
func TestLaddersAreThoseOfAllCaptures(t *testing.T) {
	t.Parallel()
	s, markets := simulated(t, 3, 10)
	known := scan.PlannedTops(s, markets, nil)
	for _, m := range markets {
		k, err := known(t.Context(), m)
		require.NoError(t, err)
		for part := range market.Span(7) {
			from := m.Start + (m.End-m.Start)*part/7
			var book market.Book
			want := map[market.Instant]market.Quote{}
			seed := book.Quote()
			for c, err := range scan.Captures(t.Context(), s, m) {
				require.NoError(t, err)
				if c.IsLadder() {
					apply(&book, c)
				}
				if c.Recv < from {
					seed = book.Quote()
				} else if c.IsLadder() {
					want[c.Recv] = book.Quote()
				}
			}
			for name, captures := range map[string]func(context.Context, market.Instant) captureSeq{
				"ladders": func(ctx context.Context, at market.Instant) captureSeq { return captureSeq(k.Ladders(ctx, at)) },
				"from":    func(ctx context.Context, at market.Instant) captureSeq { return captureSeq(k.From(ctx, at)) },
			} {
				var book market.Book
				got := map[market.Instant]market.Quote{}
				begun := false
				for c, err := range captures(t.Context(), from) {
					require.NoError(t, err)
					if c.Recv >= from && !begun {
						begun = true
						require.Equal(t, seed, book.Quote(), "%s before %s", name, from)
					}
					if c.IsLadder() {
						apply(&book, c)
						if begun {
							got[c.Recv] = book.Quote()
						}
					}
				}
				require.Equal(t, want, got, "%s from %s", name, from)
			}
		}
		require.True(t, slices.IsSorted(k.Cuts()))
		k.Close()
	}
}

type captureSeq func(func(*market.Capture, error) bool)

func apply(b *market.Book, c *market.Capture) {
	if c.Token == 1 {
		b.ApplyMirror(c)
	} else {
		b.Apply(c)
	}
}
