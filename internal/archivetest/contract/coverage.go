package contract

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// testPair imports a round of which nothing is captured but the second halves of
// two pairs, which the rule for mirrored pairs leaves out: nothing was captured in
// it. What the rule leaves out is stored nevertheless.
func testPair(t *testing.T, open Open) {
	a := newArchive(t, open)
	s := &archivetest.Scenario{Markets: []market.Market{{Venue: market.Polymarket, VenueID: "0x1", Slug: "eth-updown-5m-1776081600", Tokens: upDown}}}
	f := s.Whole()
	add := func(token int, recv, exch market.Instant) {
		f.Messages = append(f.Messages, len(s.Messages))
		s.Messages = append(s.Messages, archivetest.Message{Capture: market.Capture{
			Token: token, Recv: archivetest.Start + recv, Exch: archivetest.Start + exch, Kind: market.KindBook, Replace: true,
			Bids: []market.Level{{Price: 4000, Size: market.SizeOne}},
		}})
	}
	add(0, -2, -9) // in µs around the start
	add(0, -1, -8)
	add(1, 0, -9)
	add(1, 300, -8)
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	row := find(t, a, "0x1")
	require.False(t, row.Stats.Captured)
	require.Equal(t, archivetest.Start-1, row.Stats.Last)
	require.EqualValues(t, 4, row.Stats.Captures)
	require.EqualValues(t, 301, row.Stats.PairLag)
	checkModel(t, a, s)
	requireSound(t, a)

	g := archivetest.File{Name: "one more.jsonl"} // another exchange time: it counts
	s.Messages[3].Capture.Exch++
	g.Messages = []int{3}
	require.NoError(t, archivetest.Put(t.Context(), a, s, &g))
	require.True(t, find(t, a, "0x1").Stats.Captured)
}

// testCoverage works out a round of five minutes by hand: 10 s without a book,
// 60 s with both sides, 30 s without asks, 20 s crossed, then a silence to the
// end, of which a minute is declared as missing.
func testCoverage(t *testing.T, open Open) {
	a := newArchive(t, open)
	f := archivetest.File{Name: "hand.jsonl"}
	m := market.Market{Venue: market.Polymarket, VenueID: "0x1", Slug: "btc-updown-5m-1776081600", Tokens: upDown}
	imp, err := a.Begin(t.Context(), f.Source())
	require.NoError(t, err)
	mi, err := imp.Market(t.Context(), m)
	require.NoError(t, err)
	level := func(p market.Price) []market.Level { return []market.Level{{Price: p, Size: market.SizeOne}} }
	for _, c := range []market.Capture{
		{Recv: archivetest.Start + 10*market.Second, Kind: market.KindBook, Bids: level(4000), Asks: level(5000)},
		{Recv: archivetest.Start + 40*market.Second, Kind: market.KindBook, Bids: level(4000), Asks: level(5100)},
		{Recv: archivetest.Start + 40*market.Second, Kind: market.KindTrade, Trade: market.Trade{Price: 5000, Size: market.SizeOne}},
		{Recv: archivetest.Start + 70*market.Second, Kind: market.KindBook, Bids: level(4000)},
		{Recv: archivetest.Start + 90*market.Second, Kind: market.KindReset},
		{Recv: archivetest.Start + 100*market.Second, Kind: market.KindBook, Bids: level(6000), Asks: level(5900)},
		{Recv: archivetest.Start + 120*market.Second, Kind: market.KindBook, Token: 1, Bids: level(3000), Asks: level(3100)},
		{Recv: archivetest.Start + 120*market.Second, Kind: market.KindTrade, Token: 1, Trade: market.Trade{Price: 3100}},
		{Recv: archivetest.Start + 500*market.Second, Kind: market.KindBook},
		{Recv: archivetest.Start + 500*market.Second, Kind: market.KindTrade, Trade: market.Trade{Price: 5000, Size: market.SizeOne}},
	} {
		c.Replace = c.Kind == market.KindBook
		require.NoError(t, mi.Add(&c))
	}
	mi.Gap(1, market.Gap{From: archivetest.Start + 200*market.Second, To: archivetest.Start + 260*market.Second})
	mi.Gap(1, market.Gap{From: archivetest.Start + 280*market.Second, To: archivetest.Start + 900*market.Second})
	require.NoError(t, mi.Done(t.Context()))
	_, err = imp.Finish(t.Context(), intake.End{Messages: 10})
	require.NoError(t, err)

	var got []*care.Coverage
	require.NoError(t, a.Coverage(t.Context(), store.MarketQuery{}, func(c *care.Coverage) error {
		got = append(got, c)
		return nil
	}))
	require.Len(t, got, 1)
	c := got[0]
	// Fresh from 10 s to 100 s without a break, to 120 s, and 30 s after that.
	require.EqualValues(t, 140*1_000_000/300, c.Stats.Coverage)
	require.Equal(t, 180*market.Second, c.Stats.Silence)
	require.EqualValues(t, 30*1_000_000/290, c.OneSided)
	require.EqualValues(t, 20*1_000_000/290, c.Crossed)
	require.Equal(t, 80*market.Second, c.Gap)
	require.Equal(t, 1, c.Resets)
	require.EqualValues(t, 10, c.Stats.Captures)
	require.EqualValues(t, 2, c.Trades)
	require.EqualValues(t, 1, c.Sized)
	require.True(t, c.Stats.Captured)
	require.Equal(t, archivetest.Start+500*market.Second, c.Stats.Last)

	rounds, err := a.Rounds(t.Context(), market.RoundFilter{Coin: "BTC", Type: "5m", From: archivetest.Start + 5*market.Minute, To: archivetest.Start + 5*market.Minute + 1})
	require.NoError(t, err)
	require.Len(t, rounds, 1)
	require.Equal(t, []market.TokenGap{
		{Token: 1, Gap: market.Gap{From: archivetest.Start + 200*market.Second, To: archivetest.Start + 260*market.Second}},
		{Token: 1, Gap: market.Gap{From: archivetest.Start + 280*market.Second, To: archivetest.Start + 900*market.Second}},
	}, rounds[0].Gaps)
	require.Equal(t, c.Stats.Content, rounds[0].Content)
	for _, f := range []market.RoundFilter{
		{Coin: "ETH"}, {Type: "15m"}, {From: archivetest.Start + 5*market.Minute + 1}, {To: archivetest.Start + 5*market.Minute},
	} {
		none, err := a.Rounds(t.Context(), f)
		require.NoError(t, err)
		require.Empty(t, none, "%+v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = a.Rounds(ctx, market.RoundFilter{})
	require.ErrorIs(t, err, context.Canceled)
}

// testUnlistedRounds puts rounds that no source describes, and one without a category,
// beside another: they are counted, and found, and no sign of damage.
func testUnlistedRounds(t *testing.T, open Open) {
	a, ctx := newArchive(t, open), t.Context()
	put(t, a, "a", store.FromList, market.Market{Venue: market.Polymarket, VenueID: "0x1", Slug: "btc-updown-5m-1776081600", Tokens: upDown})
	put(t, a, "b", store.FromCaptures, market.Market{Venue: market.Polymarket, VenueID: "0x2", Slug: "eth-updown-5m-1776081600", Tokens: upDown}, archivetest.Start)
	put(t, a, "c", store.FromCaptures, market.Market{Venue: market.Polymarket, VenueID: "0x3", Tokens: []market.Token{{VenueID: "91"}}}, archivetest.Start)
	require.NoError(t, a.Store().Update(ctx, func(w store.Writer) error {
		row := store.MarketRow{ID: store.MarketID(market.Polymarket, "0x4"), Market: market.Market{
			Venue: market.Polymarket, VenueID: "0x4", Slug: "four", Question: "Four?", Coin: "BTC", Type: "5m", Start: archivetest.Start, End: archivetest.Start + 5*market.Minute,
		}}
		seen := store.Seen{Is: &row}
		keys, from, to := store.Touched([]store.Seen{seen})
		kept, err := w.Tallies(ctx, store.TallyQuery{Keys: keys})
		if err != nil {
			return err
		}
		days, err := w.Days(ctx, from, to)
		if err != nil {
			return err
		}
		tallies, c := store.NewTallies(kept, days), &store.Changes{Markets: []store.MarketRow{row}}
		tallies.Change(nil, &row)
		for _, total := range []bool{false, true} {
			changed, err := tallies.Changed(total, nil) // none has become less
			if err != nil {
				return err
			}
			c.Tallies = append(c.Tallies, changed...)
			if total {
				seal, err := w.Seal(ctx)
				if err != nil {
					return err
				}
				c.Seal = new(tallies.Seal(seal, changed))
			}
		}
		c.Days = tallies.ChangedDays()
		return w.Apply(ctx, c)
	}))
	unlisted, err := a.Markets(ctx, store.MarketQuery{UpDown: true, Unlisted: true})
	require.NoError(t, err)
	require.Len(t, unlisted, 3)

	for f, want := range map[market.RoundFilter][]string{
		{}:                                   {"0x1", "0x2"},
		{Coin: "BTC"}:                        {"0x1"},
		{Coin: "BTC", Type: "5m"}:            {"0x1"},
		{From: 1, To: market.Latest}:         {"0x1", "0x2"},
		{Coin: "BTC", To: archivetest.Start}: nil,
		{Type: "5m", From: market.Latest}:    nil,
	} {
		rounds, err := a.Rounds(ctx, f)
		require.NoError(t, err, "%+v", f)
		var got []string
		for i := range rounds {
			got = append(got, rounds[i].Market.VenueID)
		}
		require.Equal(t, want, got, "%+v", f)
	}
	n := 0
	require.NoError(t, a.Coverage(ctx, store.MarketQuery{UpDown: true, Page: store.Page{Sort: store.ByEnd}}, func(*care.Coverage) error { n++; return nil }))
	require.Equal(t, 2, n)
}
