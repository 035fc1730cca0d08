package intake_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// openedWith is an intake of a configuration into a new archive.
func openedWith(t *testing.T, c intake.Config) (*intake.Intake, store.Store) {
	t.Helper()
	s := archivetest.Store(t, filepath.Join(t.TempDir(), "a.db"))
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return intake.New(s, c), s
}

func tradeAt(seconds int, exch market.Instant, size market.Size) *market.Capture {
	return &market.Capture{Kind: market.KindTrade, Recv: begun + market.Instant(seconds)*market.Second, Exch: exch,
		Trade: market.Trade{Price: 5000, Size: size, Side: market.Bid}}
}

// rows are the markets of an archive.
func rows(t *testing.T, s store.Store) (list []store.MarketRow) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) (err error) {
		list, err = r.Markets(t.Context(), store.MarketQuery{Unlisted: true})
		return err
	}))
	return list
}

// said are the captures of the only market, each as one line, in the order of a replay.
func said(t *testing.T, s store.Store) (lines []string) {
	t.Helper()
	list := rows(t, s)
	require.Len(t, list, 1)
	for c, err := range scan.All(t.Context(), s, &list[0].Market) {
		require.NoError(t, err)
		lines = append(lines, line(c))
	}
	return lines
}

func line(c *market.Capture) string {
	return fmt.Sprintf("%d %d %x", c.Recv, c.Token, scan.AppendContent(nil, c))
}

// random are captures of a file: of two tokens and three streams, some of which were
// received before those that stand ahead of them, some of which are there twice.
func random(rng *rand.Rand, n int) (list []*market.Capture) {
	at := 10
	for range n {
		seconds := at
		switch rng.IntN(6) {
		case 0:
			seconds = at - rng.IntN(8)
		case 1, 2:
			at += rng.IntN(3)
			seconds = at
		}
		var c *market.Capture
		switch rng.IntN(3) {
		case 0:
			c = tradeAt(seconds, begun+market.Instant(rng.IntN(3)), market.Size(1+rng.IntN(2)))
		case 1:
			c = quoteAt(seconds, market.Price(4000+rng.IntN(2)))
		default:
			c = quoteAt(seconds, 0)
			c.Kind, c.Replace, c.Bids = market.KindBook, true, []market.Level{{Price: market.Price(4000 + rng.IntN(2)), Size: 5}}
		}
		c.Token = rng.IntN(2)
		list = append(list, c)
	}
	return list
}

// kept is what a file means: its captures in the order of their receive times, of one time
// in that of the file, without those that were there before with the same time and content.
func kept(list []*market.Capture) (lines []string) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *market.Capture) int { return int(a.Recv - b.Recv) })
	for _, c := range list {
		if l := line(c); !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	return lines
}

// TestAnyCuts: blocks, lanes of late captures, transactions and interruptions change
// nothing of what a file means, and nothing is seen before it is read to its end.
func TestAnyCuts(t *testing.T) {
	t.Parallel()
	for seed, config := range []intake.Config{{}, {BlockCaptures: 1}, {BlockCaptures: 3}, {Memory: 1}, {Memory: 400}, {BlockCaptures: 7, Memory: 2000}} {
		for again := range 2 {
			rng := rand.New(rand.NewPCG(uint64(seed), uint64(again)))
			list := random(rng, 60)
			in, s := openedWith(t, config)
			if again > 0 {
				put(t.Context(), t, in, file("a"), false, list[:rng.IntN(len(list))]...)
				require.LessOrEqual(t, captured(t, s), int64(0), "%+v: of what did not end nothing is seen", config)
			}
			src := put(t.Context(), t, in, file("a"), true, list...)
			require.True(t, src.Complete)
			require.Equal(t, kept(list), said(t, s), "%+v, run %d", config, again)
			require.EqualValues(t, len(kept(list)), captured(t, s), "%+v, run %d", config, again)
			require.EqualValues(t, len(list), src.Counts.Captures+src.Counts.Duplicates, "each is kept or there already")
			found, err := care.Verify(t.Context(), s, care.Check{})
			require.NoError(t, err)
			require.Empty(t, found.Damage)
		}
	}
}

// TestWhatAFileCannotSay: each is refused with its file and what was expected, and leaves
// the import as it was.
func TestWhatAFileCannotSay(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	imp, err := in.Begin(t.Context(), file("a"))
	require.NoError(t, err)
	for want, m := range map[string]market.Market{
		"import a: market without venue or name":                                {Slug: "game"},
		"import a: market without venue or name ":                               {Venue: market.PolymarketUS, Question: "Who?"},
		"import a: market game: token without id, label or outcome":             {Venue: market.PolymarketUS, Slug: "game", Tokens: []market.Token{{Label: "Yes"}, {}}},
		"import a: market game: payout of 1 tokens: expected 2":                 {Venue: market.PolymarketUS, Slug: "game", Tokens: game().Tokens, Payout: &market.Payout{Fractions: []market.Cash{1}}},
		"import a: market game: token without id, label or outcome, or derived": {Venue: market.PolymarketUS, Slug: "game", Tokens: []market.Token{{VenueID: "made-up", Derived: true}}},
	} {
		_, err := imp.Market(t.Context(), m)
		require.Error(t, err)
		require.Contains(t, want, err.Error())
	}
	require.EqualError(t, imp.Series(t.Context(), market.Series{Slug: "daily"}), "import a: series without venue or id")
	require.EqualError(t, imp.Series(t.Context(), market.Series{Venue: market.Polymarket}), "import a: series without venue or id")
	require.EqualError(t, imp.Event(t.Context(), market.Event{Slug: "game"}), "import a: event without venue or id")
	require.NoError(t, imp.Series(t.Context(), market.Series{Venue: market.Polymarket, Slug: "daily"}), "a slug will do")
	require.NoError(t, imp.Event(t.Context(), market.Event{Venue: market.Polymarket, Slug: "game"}))
	src, err := imp.Finish(t.Context(), intake.End{})
	require.NoError(t, err)
	require.Zero(t, src.Counts.Markets)
	require.Empty(t, rows(t, s))
	for _, a := range []store.Authority{store.FromCaptures - 1, store.FromExchange + 1} {
		bad := file("b")
		bad.Authority = a
		_, err := in.Begin(t.Context(), bad)
		require.EqualError(t, err, fmt.Sprintf("import b: authority %d: expected 1 to 3", a))
	}
}

// TestTokenOfTwoMarkets: a file that gives one token to two markets loses the captures that
// come second, and says so.
func TestTokenOfTwoMarkets(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	imp, err := in.Begin(t.Context(), file("a"))
	require.NoError(t, err)
	var second error
	for _, id := range []string{"0x01", "0x02"} {
		m, err := imp.Market(t.Context(), market.Market{Venue: market.Polymarket, VenueID: id, Tokens: []market.Token{{VenueID: "77", Label: "Yes"}}})
		require.NoError(t, err)
		second = m.Add(quoteAt(1, 4000))
	}
	require.ErrorIs(t, second, block.ErrCapture)
	require.EqualError(t, second, "token 77 belongs to another market in this file: "+block.ErrCapture.Error())
	src, err := imp.Finish(t.Context(), intake.End{})
	require.NoError(t, err)
	require.EqualValues(t, 1, src.Counts.Captures)
	require.Len(t, rows(t, s), 2)
}

// TestMarketOpenedAgain: what is said later adds to what was said, whether or not the market
// was done in between; its captures go on behind those that were there.
func TestMarketOpenedAgain(t *testing.T) {
	t.Parallel()
	for _, between := range []string{"open", "done", "committed"} {
		in, s := openedWith(t, map[string]intake.Config{"open": {}, "done": {}, "committed": {Memory: 1}}[between])
		imp, err := in.Begin(t.Context(), file("a"))
		require.NoError(t, err)
		first := game()
		first.Question, first.Tick, first.Payout = "Who?", 100, &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}}
		m, err := imp.Market(t.Context(), first)
		require.NoError(t, err)
		require.NoError(t, m.Add(quoteAt(1, 4000)))
		require.NoError(t, m.Add(quoteAt(1, 4100)))
		m.Gap(0, market.Gap{From: begun, To: begun + market.Second})
		if between != "open" {
			require.NoError(t, m.Done(t.Context()))
			require.NoError(t, m.Done(t.Context()), "twice does nothing")
			require.EqualError(t, m.Add(quoteAt(2, 4000)), "import a: market game: market is done: open it again")
		}
		now, err := imp.Market(t.Context(), market.Market{Venue: market.PolymarketUS, Slug: "game", Tick: 10, Tokens: []market.Token{{Label: "No"}}})
		require.NoError(t, err)
		if between == "open" {
			require.Same(t, m, now)
		}
		require.Equal(t, 1, now.Token(market.Token{Label: "No"}), "tokens keep their places")
		require.NoError(t, now.Add(quoteAt(1, 4200)))
		require.NoError(t, now.Add(quoteAt(3, 4000)))
		src, err := imp.Finish(t.Context(), intake.End{})
		require.NoError(t, err)
		require.EqualValues(t, 4, src.Counts.Captures, between)

		list := rows(t, s)
		require.Len(t, list, 1, between)
		got := &list[0].Market
		require.Equal(t, "Who?", got.Question, "%s: what is not said again stays", between)
		require.Equal(t, market.Price(10), got.Tick, "%s: what is said again replaces", between)
		require.Len(t, got.Tokens, 2)
		require.NotNil(t, got.Payout, between)
		require.Equal(t, []market.TokenGap{{Token: 0, Gap: market.Gap{From: begun, To: begun + market.Second}}}, list[0].Gaps, between)
		require.Equal(t, kept([]*market.Capture{quoteAt(1, 4000), quoteAt(1, 4100), quoteAt(1, 4200), quoteAt(3, 4000)}), said(t, s), between)
	}
}

// alone imports two quotes as the file of the only recorder, and returns the first error.
func alone(t *testing.T, in *intake.Intake, src store.Source, from, to int) error {
	t.Helper()
	imp, err := in.Begin(t.Context(), src)
	require.NoError(t, err)
	defer imp.Close()
	imp.Alone()
	m, err := imp.Market(t.Context(), game())
	require.NoError(t, err)
	for _, at := range []int{from, to} {
		if err := m.Add(quoteAt(at, 5000)); err != nil {
			return err
		}
	}
	_, err = imp.Finish(t.Context(), intake.End{})
	return err
}

// TestAlone: another file of the format with captures of the market between this one's first
// and last, both included, is refused, and leaves nothing; any other stands beside it.
func TestAlone(t *testing.T) {
	t.Parallel()
	for _, config := range []intake.Config{{}, {Memory: 1}} { // which writes each capture as it comes
		in, s := openedWith(t, config)
		put(t.Context(), t, in, file("a"), true, quoteAt(10, 4000), quoteAt(20, 4000))
		before := said(t, s)
		for _, span := range [][2]int{{20, 30}, {1, 10}, {12, 13}, {1, 30}} {
			err := alone(t, in, file("b"), span[0], span[1])
			require.ErrorIs(t, err, store.ErrTwice, span)
			if first, last := begun+market.Instant(span[0])*market.Second, begun+market.Instant(span[1])*market.Second; config.Memory == 0 {
				const layout = "2006-01-02T15:04:05Z"
				require.ErrorContains(t, err, fmt.Sprintf("%v: a has captures of the same markets between %s and %s",
					store.ErrTwice, first.Time().Format(layout), last.Time().Format(layout)))
			}
			require.Equal(t, before, said(t, s), "it leaves nothing")
			require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
				b := file("b")
				there, err := r.Sources(t.Context(), []store.SourceID{b.SourceID()})
				require.Empty(t, there, "it leaves nothing")
				return err
			}))
		}
		other := file("c")
		other.Format = "of another program"
		require.NoError(t, alone(t, in, other, 12, 13))
		require.NoError(t, alone(t, in, file("d"), 21, 30), "behind the first")
		require.NoError(t, alone(t, in, file("e"), 1, 9), "before it")
		require.Len(t, said(t, s), 8)
	}
}

// TestLateTwice: of those that were received before, equal ones are one as well.
func TestLateTwice(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	src := put(t.Context(), t, in, file("a"), true, quoteAt(9, 4000), quoteAt(5, 4000), quoteAt(3, 4000), quoteAt(5, 4000), quoteAt(5, 4100))
	require.EqualValues(t, 1, src.Counts.Duplicates)
	require.Equal(t, kept([]*market.Capture{quoteAt(3, 4000), quoteAt(5, 4000), quoteAt(5, 4100), quoteAt(9, 4000)}), said(t, s))
}

// TestTokenAfterThePayout: of a token that a file names after it gave the payout it has said
// nothing.
func TestTokenAfterThePayout(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	imp, err := in.Begin(t.Context(), file("a"))
	require.NoError(t, err)
	says := game()
	says.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{0, market.CashOne}}
	m, err := imp.Market(t.Context(), says)
	require.NoError(t, err)
	require.Equal(t, 2, m.Token(market.Token{Label: "Draw"}))
	require.Equal(t, 0, m.Token(market.Token{Label: "Yes"}))
	_, err = imp.Finish(t.Context(), intake.End{})
	require.NoError(t, err)
	got := rows(t, s)[0].Market
	require.Len(t, got.Tokens, 3)
	require.Nil(t, got.Payout, "what two of three pay is not what the market pays")
}

// TestHeardTwice: the executions of another file are refused from half of them on. One that
// was received at the same time is the same capture, one without an exchange time may be
// another, and so is one of another size.
func TestHeardTwice(t *testing.T) {
	t.Parallel()
	exch := func(n int) market.Instant { return begun + market.Instant(n) }
	heard := []*market.Capture{tradeAt(1, exch(1), 1), tradeAt(3, exch(2), 1), tradeAt(5, exch(3), 1), tradeAt(7, exch(4), 1), tradeAt(8, 0, 1), tradeAt(9, 0, 1)}
	for _, c := range []struct {
		name    string
		second  []*market.Capture
		refused bool
		all     int // seen at the end, of both
	}{
		{"all of them, later", []*market.Capture{tradeAt(2, exch(1), 1), tradeAt(4, exch(2), 1), tradeAt(6, exch(3), 1)}, true, 6},
		{"half of those that it has", []*market.Capture{tradeAt(2, exch(2), 1), tradeAt(6, exch(9), 1)}, true, 6},
		{"less than half", []*market.Capture{tradeAt(2, exch(2), 1), tradeAt(4, exch(9), 1), tradeAt(8, exch(8), 1)}, false, 9},
		{"received at the same time", []*market.Capture{tradeAt(1, exch(1), 1), tradeAt(3, exch(2), 1), tradeAt(5, exch(3), 1)}, false, 6},
		{"of other sizes", []*market.Capture{tradeAt(2, exch(1), 2), tradeAt(4, exch(2), 2)}, false, 8},
		{"without an exchange time", []*market.Capture{tradeAt(2, 0, 1), tradeAt(10, 0, 1)}, false, 8},
		{"before the first has any", []*market.Capture{tradeAt(0, exch(1), 1), tradeAt(2, exch(9), 1)}, false, 8},
		{"of another span", []*market.Capture{tradeAt(20, exch(1), 1), tradeAt(21, exch(2), 1)}, false, 8},
		{"of a time in which the first heard none", []*market.Capture{tradeAt(0, exch(8), 1), tradeAt(2, exch(1), 1), tradeAt(60, exch(9), 1), tradeAt(61, exch(5), 1)}, true, 6},
		{"one between quotes", []*market.Capture{quoteAt(0, 4000), tradeAt(8, exch(4), 1), quoteAt(11, 4000)}, true, 6},
		{"one, behind the first", []*market.Capture{tradeAt(10, exch(4), 1), quoteAt(11, 4000)}, false, 8},
		{"of another token", []*market.Capture{of(1, tradeAt(2, exch(1), 1)), of(1, tradeAt(4, exch(2), 1))}, false, 8},
	} {
		in, s := opened(t)
		put(t.Context(), t, in, file("a"), true, heard...)
		imp, err := in.Begin(t.Context(), file("b"))
		require.NoError(t, err)
		m, err := imp.Market(t.Context(), game())
		require.NoError(t, err)
		for _, x := range c.second {
			require.NoError(t, m.Add(x))
		}
		_, err = imp.Finish(t.Context(), intake.End{})
		require.Equal(t, c.refused, err != nil, "%s: %v", c.name, err)
		if c.refused {
			require.ErrorIs(t, err, store.ErrTwice, c.name)
		}
		require.Len(t, said(t, s), c.all, c.name)
	}
}

// TestSeldomTraded: where two recorders listened at the same time a single trade that both
// heard is enough; of trades alone two, since one says nothing of the time around it.
func TestSeldomTraded(t *testing.T) {
	t.Parallel()
	late := func(all ...*market.Capture) (out []*market.Capture) {
		for _, c := range all {
			c := *c
			c.Recv += market.Instant(50 * market.Millisecond)
			out = append(out, &c)
		}
		return out
	}
	one, other := tradeAt(10, begun+1, 1), tradeAt(14, begun+2, 1)
	for name, c := range map[string]struct {
		heard   []*market.Capture
		refused bool
	}{
		"a trade among quotes":                   {[]*market.Capture{quoteAt(1, 4000), one, quoteAt(20, 4100)}, true},
		"two trades":                             {[]*market.Capture{one, other}, true},
		"a trade alone":                          {[]*market.Capture{one}, false},
		"a trade without an exchange's own time": {[]*market.Capture{quoteAt(1, 4000), tradeAt(10, 0, 1), quoteAt(20, 4100)}, false},
	} {
		in, s := opened(t)
		put(t.Context(), t, in, file("a"), true, c.heard...)
		before := said(t, s)
		imp, err := in.Begin(t.Context(), file("b"))
		require.NoError(t, err)
		m, err := imp.Market(t.Context(), game())
		require.NoError(t, err)
		for _, x := range late(c.heard...) {
			require.NoError(t, m.Add(x))
		}
		_, err = imp.Finish(t.Context(), intake.End{})
		if !c.refused {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, store.ErrTwice, name)
		require.Equal(t, before, said(t, s), name)
	}
}

func of(token int, c *market.Capture) *market.Capture {
	c.Token = token
	return c
}

// TestCancelled: an import that is cancelled says so and is completed by the next one; the
// file counts as imported once.
func TestCancelled(t *testing.T) {
	t.Parallel()
	in, s := openedWith(t, intake.Config{Memory: 1})
	ctx, cancel := context.WithCancel(t.Context())
	imp, err := in.Begin(ctx, file("a"))
	require.NoError(t, err)
	m, err := imp.Market(ctx, game())
	require.NoError(t, err)
	require.NoError(t, m.Add(quoteAt(1, 4000)))
	cancel()
	require.ErrorIs(t, m.Add(quoteAt(2, 4000)), context.Canceled)
	_, err = imp.Finish(ctx, intake.End{})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, imp.Close())
	require.NoError(t, imp.Close(), "twice does nothing")
	require.Zero(t, captured(t, s), "what was written belongs to a market, and is not seen")
	put(t.Context(), t, in, file("a"), true, quoteAt(1, 4000), quoteAt(2, 4000))
	first := put(t.Context(), t, in, file("a"), true)
	require.EqualValues(t, 2, first.Counts.Captures, "there is nothing to do")
	require.Len(t, said(t, s), 2)
}

// TestDeferredUntilCaptures: an import that comes to captures settles what it was told first;
// one that was cancelled before it was settled begins again; a file that waits to be settled
// is not read twice.
func TestDeferredUntilCaptures(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	imp, err := in.Begin(t.Context(), file("a"))
	require.NoError(t, err)
	imp.Defer()
	first := game()
	first.Question = "Who?"
	m, err := imp.Market(t.Context(), first)
	require.NoError(t, err)
	require.NoError(t, m.Done(t.Context()))
	_, err = imp.Finish(t.Context(), intake.End{})
	require.NoError(t, err)
	again, err := in.Begin(t.Context(), file("a"))
	require.NoError(t, err)
	require.True(t, again.Complete(), "it has been read")
	require.Empty(t, rows(t, s))

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, in.Settle(gone, nil), context.Canceled)
	require.Empty(t, rows(t, s))

	with, err := in.Begin(t.Context(), file("b"))
	require.NoError(t, err)
	with.Defer()
	m, err = with.Market(t.Context(), game())
	require.NoError(t, err)
	require.NoError(t, m.Add(quoteAt(1, 4000)))
	_, err = with.Finish(t.Context(), intake.End{})
	require.NoError(t, err)
	require.Len(t, said(t, s), 1)
	require.Equal(t, "Who?", rows(t, s)[0].Market.Question, "what waited is settled as well")
	require.NoError(t, in.Settle(t.Context(), func(int, int) { t.Error("there is nothing left") }))
}

// TestMarketOfADeferredFile: a market that is opened again within a file that is deferred goes
// on from what the file said of it, not from what another one did.
func TestMarketOfADeferredFile(t *testing.T) {
	t.Parallel()
	in, s := opened(t)
	var files []*intake.Import
	for i, name := range []string{"a", "b"} {
		imp, err := in.Begin(t.Context(), file(name))
		require.NoError(t, err)
		imp.Defer()
		says := []market.Market{game(), {Venue: market.PolymarketUS, Slug: "game", Question: "Who?"}}[i]
		m, err := imp.Market(t.Context(), says)
		require.NoError(t, err)
		require.NoError(t, m.Done(t.Context()))
		files = append(files, imp)
	}
	m, err := files[0].Market(t.Context(), market.Market{Venue: market.PolymarketUS, Slug: "game", Tick: 10})
	require.NoError(t, err)
	require.Equal(t, 1, m.Token(market.Token{Label: "No"}), "as it was told before")
	for _, imp := range files {
		_, err := imp.Finish(t.Context(), intake.End{})
		require.NoError(t, err)
	}
	var last, all int
	require.NoError(t, in.Settle(t.Context(), func(d, n int) { last, all = d, n }))
	require.Equal(t, all, last, "all are through")
	require.Equal(t, 3, all)
	got := rows(t, s)[0].Market
	require.Equal(t, market.Price(10), got.Tick)
	require.Equal(t, "Who?", got.Question)
}
