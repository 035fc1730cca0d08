package care_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// round is a five-minute round that begins i rounds after begun.
func round(i int) market.Market {
	const length = 5 * market.Minute
	start := (begun/length + market.Instant(i)) * length
	return market.Market{
		Venue: market.Polymarket, VenueID: fmt.Sprintf("0x%064x", i+1), Slug: fmt.Sprintf("btc-updown-5m-%d", start/market.Second), Category: market.Crypto,
		Coin: "BTC", Type: "5m", Start: start, End: start + length, Mirrored: true,
		Tokens: []market.Token{{VenueID: fmt.Sprint(1000 + i), Label: "Up", Outcome: market.Up}, {VenueID: fmt.Sprint(2000 + i), Label: "Down", Outcome: market.Down}},
	}
}

// captured imports a file with captures of one market, at seconds after its start, and gaps.
func captured(t *testing.T, s store.Store, name string, m market.Market, gaps []market.TokenGap, captures ...market.Capture) store.SourceID {
	t.Helper()
	src := store.Source{Name: name, Format: "test", Authority: store.FromCaptures}
	copy(src.SHA256[:], name)
	imp, err := intake.New(s, intake.Config{}).Begin(t.Context(), src)
	require.NoError(t, err)
	to, err := imp.Market(t.Context(), m)
	require.NoError(t, err)
	for _, g := range gaps {
		to.Gap(g.Token, market.Gap{From: m.Start + g.From*market.Second, To: m.Start + g.To*market.Second})
	}
	for i := range captures {
		captures[i].Recv = m.Start + captures[i].Recv*market.Second
		require.NoError(t, to.Add(&captures[i]))
	}
	_, err = imp.Finish(t.Context(), intake.End{})
	require.NoError(t, err)
	return src.SourceID()
}

func ladder(at market.Instant, token int, bid, ask market.Price) market.Capture {
	c := market.Capture{Kind: market.KindBook, Token: token, Recv: at, Replace: true}
	if bid != 0 {
		c.Bids = []market.Level{{Price: bid, Size: market.SizeOne}}
	}
	if ask != 0 {
		c.Asks = []market.Level{{Price: ask, Size: market.SizeOne}}
	}
	return c
}

// TestCoverageByHand: of the 300 seconds of a round, those with one side, those crossed, and
// those that somebody missed: of both tokens at once they count once.
func TestCoverageByHand(t *testing.T) {
	t.Parallel()
	gap := func(token int, from, to market.Instant) market.TokenGap {
		return market.TokenGap{Token: token, Gap: market.Gap{From: from, To: to}}
	}
	sold := func(at market.Instant, z market.Size) market.Capture {
		return market.Capture{Kind: market.KindTrade, Recv: at, Exch: begun + at, Trade: market.Trade{Price: 5000, Size: z}}
	}
	change := market.Capture{Kind: market.KindChange, Recv: 1, Bids: []market.Level{{Price: 4000, Size: 5}}}
	for name, c := range map[string]struct {
		gaps              []market.TokenGap
		captures          []market.Capture
		gap               market.Span
		oneSided, crossed int64
		resets            int
		trades, sized     int64
	}{
		"a whole book all the time":     {captures: []market.Capture{ladder(-10, 0, 4000, 6000)}},
		"equal prices are not crossed":  {captures: []market.Capture{ladder(0, 0, 5000, 5000)}},
		"crossed for a third":           {captures: []market.Capture{ladder(0, 0, 4000, 6000), ladder(100, 0, 7000, 6000), ladder(200, 0, 4000, 6000)}, crossed: 333_333},
		"the other token in a mirror":   {captures: []market.Capture{ladder(0, 0, 4000, 6000), ladder(150, 1, 7000, 6000)}, crossed: 500_000},
		"one side, then none":           {captures: []market.Capture{ladder(0, 0, 4000, 6000), ladder(60, 0, 4000, 0), ladder(90, 0, 0, 0)}, oneSided: 800_000},
		"from the first book on":        {captures: []market.Capture{ladder(150, 0, 4000, 6000), ladder(200, 0, 0, 6000), ladder(225, 0, 4000, 6000)}, oneSided: 166_666},
		"not behind the end":            {captures: []market.Capture{ladder(0, 0, 4000, 6000), ladder(300, 0, 0, 0), ladder(400, 0, 9000, 1000)}},
		"changes of no ladder":          {captures: []market.Capture{change, ladder(290, 0, 4000, 6000)}},
		"no book":                       {captures: []market.Capture{sold(3, 5)}, oneSided: -1, crossed: -1, trades: 1, sized: 1},
		"a book behind the end":         {captures: []market.Capture{sold(3, 5), ladder(301, 0, 4000, 6000)}, oneSided: -1, crossed: -1, trades: 1, sized: 1},
		"trades within the round alone": {captures: []market.Capture{ladder(-5, 0, 4000, 6000), sold(-1, 5), sold(0, 5), sold(10, 0), sold(299, 7), sold(300, 5)}, trades: 3, sized: 2},
		"reconnections":                 {captures: []market.Capture{ladder(0, 0, 4000, 6000), {Kind: market.KindReset, Recv: 5}, {Kind: market.KindReset, Recv: 7}}, resets: 2},
		"a gap of both tokens":          {gaps: []market.TokenGap{gap(0, 10, 40), gap(1, 10, 40)}, captures: []market.Capture{ladder(0, 0, 4000, 6000)}, gap: 30},
		"gaps that overlap, touch, and lie apart": {
			gaps:     []market.TokenGap{gap(0, 10, 40), gap(1, 30, 50), gap(0, 50, 60), gap(1, 100, 110), gap(0, 102, 105)},
			captures: []market.Capture{ladder(0, 0, 4000, 6000)}, gap: 60,
		},
		"gaps over the start and the end, and beyond": {
			gaps:     []market.TokenGap{gap(1, -50, 20), gap(0, -10, 5), gap(0, 290, 400), gap(1, 300, 310), gap(0, -90, -80)},
			captures: []market.Capture{ladder(0, 0, 4000, 6000)}, gap: 30,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, n := empty(t), 0
			captured(t, s, name, round(0), c.gaps, c.captures...)
			require.NoError(t, care.CoverageOf(t.Context(), s, store.MarketQuery{UpDown: true}, func(got *care.Coverage) error {
				n++
				require.Equal(t, [2]int64{c.oneSided, c.crossed}, [2]int64{got.OneSided, got.Crossed}, "one-sided, crossed")
				require.Equal(t, c.resets, got.Resets)
				require.Equal(t, [2]int64{c.trades, c.sized}, [2]int64{got.Trades, got.Sized}, "trades, with sizes")
				require.Equal(t, c.gap*market.Second, got.Gap)
				return nil
			}))
			require.Equal(t, 1, n)
		})
	}
}

// TestRemoveBefore takes what ended at the instant, and nothing that ends behind it; what is
// named twice goes once.
func TestRemoveBefore(t *testing.T) {
	t.Parallel()
	s := empty(t)
	var sources []store.SourceID
	for i := range 4 {
		sources = append(sources, captured(t, s, fmt.Sprint("file ", i), round(i), nil, ladder(1, 0, 4000, 6000), ladder(2, 0, 4100, 6000)))
	}
	ids := func(r *care.Removal) (out []string) {
		for _, m := range r.Markets {
			out = append(out, m.ID)
		}
		return out
	}
	preview := func(sel care.Selection) *care.Removal {
		t.Helper()
		out, err := care.Preview(t.Context(), s, sel)
		require.NoError(t, err)
		return out
	}
	first, second := round(0), round(1)
	require.Empty(t, ids(preview(care.Selection{Before: first.End - 1})))
	require.Equal(t, []string{first.VenueID}, ids(preview(care.Selection{Before: first.End})))
	require.Equal(t, []string{first.VenueID}, ids(preview(care.Selection{Before: second.End - 1})))
	both := care.Selection{Before: second.End, Markets: []store.ID{store.MarketID(first.Venue, first.VenueID)}, Sources: []store.SourceID{sources[1], sources[1]}}
	out := preview(both)
	require.Equal(t, []string{first.VenueID, second.VenueID}, ids(out), "by their ends")
	require.EqualValues(t, 4, out.Captures, "those that are named twice count once")
	require.EqualValues(t, 2, out.Blocks)
	require.Len(t, out.Sources, 1)

	_, err := care.Remove(t.Context(), s, care.Selection{Before: second.End, Sources: []store.SourceID{sources[3], 77}})
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Len(t, ids(preview(care.Selection{Before: round(3).End})), 4, "nothing goes when a part of it is not there")

	out, err = care.Remove(t.Context(), s, both)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Equal(t, []string{first.VenueID, second.VenueID}, ids(out))
	left := preview(care.Selection{Before: round(3).End})
	require.Equal(t, []string{round(2).VenueID, round(3).VenueID}, ids(left))
	out, err = care.Remove(t.Context(), s, care.Selection{Before: second.End})
	require.NoError(t, err)
	require.Empty(t, ids(out), "a second time")
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for i, want := range []struct {
			there, complete bool
			removed         int64
		}{{true, false, 1}, {}, {true, true, 0}, {true, true, 0}} {
			found, err := r.Sources(t.Context(), []store.SourceID{sources[i]})
			require.NoError(t, err)
			require.Len(t, found, map[bool]int{true: 1}[want.there], "file %d", i)
			if want.there {
				require.Equal(t, want.complete, found[0].Complete, "file %d", i)
				require.Equal(t, want.removed, found[0].Removed, "file %d", i)
			}
		}
		return nil
	}))
}
