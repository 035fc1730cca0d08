package tries_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/tries"
)

// stores runs a test over a file and over PostgreSQL.
func stores(t *testing.T, f func(t *testing.T, addr string)) {
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		f(t, filepath.Join(t.TempDir(), "real-tries.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, pgtest.Database(t))
	})
}

func open(t *testing.T, addr string) *tries.Store {
	t.Helper()
	s, err := tries.Open(t.Context(), addr, true)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func try(strategy string) *tries.One {
	return &tries.One{Coin: "BTC", Type: "15m", Side: "up", Strategy: strategy, Data: "d", Terms: "t", Variants: 1, First: 100, Last: 200}
}

func count(t *testing.T, s *tries.Store, x *tries.One) backtest.Tally {
	t.Helper()
	n, err := s.Count(t.Context(), "o", "a prompt", x)
	require.NoError(t, err)
	return n
}

func TestTriesAreCounted(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, addr string) {
		s := open(t, addr)
		require.Equal(t, backtest.Tally{Look: 1}, count(t, s, try("a")))
		require.Equal(t, backtest.Tally{Look: 2, Before: stats.One}, count(t, s, try("b")))

		// The same again is no other try, nor is it another look: whether the first came to an
		// end, crashed, failed or was cancelled, it counts once.
		require.NoError(t, s.End(t.Context(), "o", try("a").Identity(), stats.One))
		require.Equal(t, backtest.Tally{Look: 1}, count(t, s, try("a")))
		require.Equal(t, backtest.Tally{Look: 2, Before: stats.One}, count(t, s, try("b")))
		require.Equal(t, backtest.Tally{Look: 3, Before: 2 * stats.One}, count(t, s, try("c")))

		// Other rounds and other terms are other tries.
		other := try("a")
		other.Data = "e"
		require.Equal(t, 4, count(t, s, other).Look)
		other = try("a")
		other.Terms = "u"
		require.Equal(t, 5, count(t, s, other).Look)

		// The other side is of the same rounds, another length is not; all coins are of each.
		down, length, all := try("a2"), try("a3"), try("a4")
		down.Side, length.Type, all.Coin = "down", "5m", "ANY"
		require.Equal(t, 6, count(t, s, down).Look)
		require.Equal(t, backtest.Tally{Look: 1}, count(t, s, length))
		require.Equal(t, 7, count(t, s, all).Look)
		require.Equal(t, 8, count(t, s, try("f")).Look)

		// Another organization starts afresh.
		n, err := s.Count(t.Context(), "p", "x", try("a"))
		require.NoError(t, err)
		require.Equal(t, backtest.Tally{Look: 1}, n)

		r, err := s.Record(t.Context(), "o", "BTC", "15m")
		require.NoError(t, err)
		require.Len(t, r.Families, 2)
		require.Equal(t, 6, r.Families[1].Tries)
		require.Equal(t, 5, r.Families[1].Unfinished)
		require.Equal(t, "a prompt", r.Tries[0].Prompt)
	})
}

// TestASweepCountsAsIndependentTries: once it is over; until then, and for ever if it never
// is, each variant counts.
func TestASweepCountsAsIndependentTries(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, addr string) {
		s := open(t, addr)
		grid := try("grid")
		grid.Variants = 220
		require.Equal(t, backtest.Tally{Look: 1}, count(t, s, grid))
		require.Equal(t, backtest.Tally{Look: 2, Before: 220 * stats.One}, count(t, s, try("while it runs, or after it crashed")))
		require.NoError(t, s.End(t.Context(), "o", grid.Identity(), 7_250_000))
		require.Equal(t, backtest.Tally{Look: 3, Before: 8_250_000}, count(t, s, try("after it")))
		require.Equal(t, 220*stats.One, count(t, s, try("while it runs, or after it crashed")).Before, "what was said once stands")
		require.NoError(t, s.End(t.Context(), "o", grid.Identity(), 1))
		require.Equal(t, backtest.Tally{Look: 4, Before: 9_250_000}, count(t, s, try("it ends once")))
	})
}

// TestResetsAreOnTheRecord: with a reason, of what is named alone.
func TestResetsAreOnTheRecord(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, addr string) {
		s := open(t, addr)
		count(t, s, try("a"))
		count(t, s, try("b"))
		_, err := s.Reset(t.Context(), "o", "BTC", "15m", " ")
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
		_, err = s.Reset(t.Context(), "o", "ANY", "15m", "why")
		require.Equal(t, market.CodeNotFound, market.CodeOf(err))
		n, err := s.Reset(t.Context(), "o", "BTC", "15m", "why")
		require.NoError(t, err)
		require.Equal(t, 2, n)
		require.Equal(t, backtest.Tally{Look: 1}, count(t, s, try("a")))
		r, err := s.Record(t.Context(), "o", "", "")
		require.NoError(t, err)
		require.Len(t, r.Resets, 1)
		require.Equal(t, "why", r.Resets[0].Reason)
		require.Equal(t, 2, r.Resets[0].Tries)
	})
}

func TestLockbox(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, addr string) {
		s := open(t, addr)
		h, err := s.HoldOut(t.Context(), "o")
		require.NoError(t, err)
		require.Nil(t, h)
		_, err = s.OpenLockbox(t.Context(), "o")
		require.Equal(t, market.CodeConflict, market.CodeOf(err))

		count(t, s, try("a")) // its last round ends at 200
		h, err = s.PutAside(t.Context(), "o", 200)
		require.NoError(t, err)
		require.True(t, h.Closed())
		require.Equal(t, market.Instant(200), h.From)
		require.Equal(t, 1, h.SeenBefore)
		_, err = s.PutAside(t.Context(), "o", 150)
		require.Equal(t, market.CodeConflict, market.CodeOf(err))

		count(t, s, try("b"))
		h, err = s.OpenLockbox(t.Context(), "o")
		require.NoError(t, err)
		require.False(t, h.Closed())
		require.Equal(t, 2, *h.Tries)
		opened := *h.OpenedAt
		require.NotZero(t, opened)
		_, err = s.OpenLockbox(t.Context(), "o")
		require.Equal(t, market.CodeConflict, market.CodeOf(err), "it is opened once")
		count(t, s, try("c"))
		h, err = s.HoldOut(t.Context(), "o")
		require.NoError(t, err)
		require.Equal(t, 2, *h.Tries, "as many as there were then")
		require.Equal(t, opened, *h.OpenedAt)

		_, err = s.PutAside(t.Context(), "o", 300)
		require.Equal(t, market.CodeConflict, market.CodeOf(err), "what was opened has been seen")
		h, err = s.PutAside(t.Context(), "o", opened+market.Hour)
		require.NoError(t, err)
		require.True(t, h.Closed())
		require.Zero(t, h.SeenBefore)
		h, err = s.HoldOut(t.Context(), "p")
		require.NoError(t, err)
		require.Nil(t, h, "of another organization")
	})
}

// TestTriesAtOnce: of many that begin at once, by several openers, every one is its own look.
func TestTriesAtOnce(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, addr string) {
		a, b := open(t, addr), open(t, addr)
		var seen sync.Map
		var wait sync.WaitGroup
		for i := range 24 {
			wait.Go(func() {
				s := a
				if i%2 == 1 {
					s = b
				}
				n, err := s.Count(context.Background(), "o", "p", try(strconv.Itoa(i/2))) // each twice
				if err != nil {
					t.Error(err)
				}
				seen.Store(n.Look, true)
			})
		}
		wait.Wait()
		for look := 1; look <= 12; look++ {
			_, ok := seen.Load(look)
			require.True(t, ok, "look %d", look)
		}
	})
}

func TestOpenMakesNothingUnasked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x-tries.db")
	_, err := tries.Open(t.Context(), path, false)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoFileExists(t, path)
}
