package intake_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

const begun = market.Instant(1_783_700_000) * market.Instant(market.Second)

// opened is an intake into a new archive.
func opened(t *testing.T) (*intake.Intake, store.Store) {
	t.Helper()
	s := archivetest.Store(t, filepath.Join(t.TempDir(), "a.db"))
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return intake.New(s, intake.Config{}), s
}

func file(name string) store.Source {
	src := store.Source{Name: name, Format: "test", Authority: store.FromCaptures}
	copy(src.SHA256[:], name)
	return src
}

// game is a market that only its slug names.
func game() market.Market {
	return market.Market{Venue: market.PolymarketUS, Slug: "game", Category: market.Sports, Tokens: []market.Token{{Label: "Yes"}, {Label: "No"}}}
}

// quoteAt is a quote that was received some seconds after begun.
func quoteAt(seconds int, bid market.Price) *market.Capture {
	c := &market.Capture{Kind: market.KindQuote, Recv: begun + market.Instant(seconds)*market.Instant(market.Second)}
	c.Quote.Bid.Price, c.Quote.Ask.Price = bid, market.NoPrice
	return c
}

// captured returns how many captures of the market are seen; -1: there is no market.
func captured(t *testing.T, s store.Store) (n int64) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		rows, err := r.Markets(t.Context(), store.MarketQuery{})
		n = -1
		if len(rows) > 0 {
			n = rows[0].Stats.Captures
		}
		return err
	}))
	return n
}

// put imports captures as one file, or ends before Finish.
func put(ctx context.Context, t *testing.T, in *intake.Intake, src store.Source, finish bool, captures ...*market.Capture) store.Source {
	t.Helper()
	imp, err := in.Begin(ctx, src)
	require.NoError(t, err)
	defer func() { require.NoError(t, imp.Close()) }()
	m, err := imp.Market(ctx, game())
	require.NoError(t, err)
	for _, c := range captures {
		require.NoError(t, m.Add(c))
	}
	if !finish {
		return imp.Source()
	}
	done, err := imp.Finish(ctx, intake.End{Messages: int64(len(captures)), Rejected: map[string]int64{"odd": 2}})
	require.NoError(t, err)
	return done
}

// TestCapturesThatCannotBeKept: one that no market could have had is refused as such, and
// the import goes on without it.
func TestCapturesThatCannotBeKept(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	imp, err := in.Begin(t.Context(), file("a"))
	require.NoError(t, err)
	m, err := imp.Market(t.Context(), game())
	require.NoError(t, err)
	for name, change := range map[string]func(c *market.Capture){
		"token 2 of 2":             func(c *market.Capture) { c.Token = 2 },
		"token -1 of 2":            func(c *market.Capture) { c.Token = -1 },
		"kind 99":                  func(c *market.Capture) { c.Kind = 99 },
		"without receive time":     func(c *market.Capture) { c.Recv = 0 },
		"expected the full ladder": func(c *market.Capture) { c.Kind = market.KindBook },
	} {
		c := quoteAt(1, 4000)
		change(c)
		err := m.Add(c)
		require.ErrorIs(t, err, block.ErrCapture, name)
		require.ErrorContains(t, err, name)
	}
	require.NoError(t, m.Add(quoteAt(1, 4000)))
	require.NoError(t, m.Done(t.Context()))
	require.ErrorContains(t, m.Add(quoteAt(2, 4000)), "done")
	src, err := imp.Finish(t.Context(), intake.End{})
	require.NoError(t, err)
	require.EqualValues(t, 1, src.Counts.Captures)
	require.EqualValues(t, 1, captured(t, s))

	bad := file("b")
	bad.Authority = 0
	_, err = in.Begin(t.Context(), bad)
	require.ErrorContains(t, err, "authority 0: expected 1 to 3")
}

// TestEqualCapturesOfAFile: those of one receive time with equal content are one, however
// many stand between them; the same content later is another.
func TestEqualCapturesOfAFile(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	var all []*market.Capture
	const many = 300 // more than are compared one by one
	for range 2 {
		for i := range many {
			all = append(all, quoteAt(1, market.Price(100+i)))
		}
	}
	all = append(all, quoteAt(2, 100), quoteAt(3, 100))
	src := put(t.Context(), t, in, file("a"), true, all...)
	require.EqualValues(t, many, src.Counts.Duplicates)
	require.EqualValues(t, many+2, src.Counts.Captures)
	require.EqualValues(t, many+2, captured(t, s))
}

// TestImportIsSeenWhole: nothing is seen of an import that did not end; begun again it is
// completed, and once more it is there already.
func TestImportIsSeenWhole(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	put(t.Context(), t, in, file("a"), false, quoteAt(1, 4000), quoteAt(2, 4100))
	require.LessOrEqual(t, captured(t, s), int64(0))
	src := put(t.Context(), t, in, file("a"), true, quoteAt(1, 4000), quoteAt(2, 4100), quoteAt(1, 3900))
	require.True(t, src.Complete)
	require.Equal(t, map[string]int64{"odd": 2}, src.Counts.Rejected)
	require.EqualValues(t, 3, captured(t, s), "a late one is kept")

	again, err := in.Begin(t.Context(), file("a"))
	require.NoError(t, err)
	require.True(t, again.Complete())
	anew, err := in.BeginAnew(t.Context(), file("a"))
	require.NoError(t, err)
	require.False(t, anew.Complete())
	require.LessOrEqual(t, captured(t, s), int64(0), "what the file gave is gone")
}

// TestDeferredIsSeenWhenSettled: what files of metadata say together appears once they are
// settled, and counts as imported then.
func TestDeferredIsSeenWhenSettled(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	for _, name := range []string{"a", "b"} {
		src := file(name)
		src.Authority = store.FromExchange
		imp, err := in.Begin(t.Context(), src)
		require.NoError(t, err)
		imp.Defer()
		_, err = imp.Market(t.Context(), game())
		require.NoError(t, err)
		_, err = imp.Finish(t.Context(), intake.End{})
		require.NoError(t, err)
	}
	require.EqualValues(t, -1, captured(t, s))
	steps := 0
	require.NoError(t, in.Settle(t.Context(), func(done, all int) {
		require.LessOrEqual(t, done, all)
		steps++
	}))
	require.Positive(t, steps)
	require.EqualValues(t, 0, captured(t, s))
	again, err := in.Begin(t.Context(), file("a"))
	require.NoError(t, err)
	require.True(t, again.Complete())
}
