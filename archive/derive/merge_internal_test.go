package derive

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// claim is what a source says of the market 0x1.
func claim(src store.SourceID, a store.Authority, m market.Market) said {
	m.Venue, m.VenueID = market.Polymarket, "0x1"
	return said{source: src, owner: 1, doc: NewMarketDoc(a, &m)}
}

// merge merges claims in every order drawn, which must not matter.
func merge(t *testing.T, claims ...said) *merged {
	t.Helper()
	want := mergeClaims(market.Polymarket, "0x1", claims)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		rnd.Shuffle(len(claims), func(i, j int) { claims[i], claims[j] = claims[j], claims[i] })
		require.Equal(t, want, mergeClaims(market.Polymarket, "0x1", claims))
	}
	return want
}

// TestWeight: the exchange's word counts before a list's, and that before what
// comes with captures; among equals the later update does.
func TestWeight(t *testing.T) {
	t.Parallel()
	m := merge(t,
		claim(3, store.FromCaptures, market.Market{Slug: "c", Question: "captures", Description: "only here", UpdatedAt: 9}),
		claim(2, store.FromList, market.Market{Slug: "l", Question: "late list", UpdatedAt: 5}),
		claim(1, store.FromList, market.Market{Slug: "e", Question: "early list", UpdatedAt: 4}),
		claim(9, store.FromExchange, market.Market{Slug: "exchange", UpdatedAt: 1}),
	).market
	require.Equal(t, []string{"exchange", "late list", "only here"}, []string{m.Slug, m.Question, m.Description})
	require.EqualValues(t, 9, m.UpdatedAt, "the newest of all")
}

// TestRound: coin, length and times of a round come out of its slug, and its
// tokens are Up and Down whoever names them how.
func TestRound(t *testing.T) {
	t.Parallel()
	m := merge(t,
		claim(1, store.FromCaptures, market.Market{Slug: "btc-updown-15m-1776081600", Tokens: []market.Token{{VenueID: "72"}, {VenueID: "71"}}}),
		claim(2, store.FromList, market.Market{Tokens: []market.Token{{VenueID: "71", Label: "yes"}}}),
	)
	k := m.market
	require.Equal(t, []any{"BTC", "15m", market.Crypto, true}, []any{k.Coin, k.Type, k.Category, k.Mirrored})
	require.Equal(t, 1_776_081_600*market.Second, k.Start)
	require.Equal(t, 15*market.Minute, k.End-k.Start)
	require.Equal(t, []string{"71", "72"}, []string{k.Tokens[0].VenueID, k.Tokens[1].VenueID}, "one by its label, the other by elimination")
	require.Equal(t, 1, m.place[tokenOf{1, 1, 0}])
}

// TestPayout: an official payout counts before an inferred one, one fraction of
// two is enough, and sources that contradict each other leave none.
func TestPayout(t *testing.T) {
	t.Parallel()
	tokens := []market.Token{{VenueID: "a", Label: "Hawks"}, {VenueID: "b", Label: "Bulls"}}
	pays := func(src store.SourceID, b market.Basis, first market.Cash) said {
		return claim(src, store.FromList, market.Market{Tokens: tokens, Payout: &market.Payout{Basis: b, Fractions: []market.Cash{first, market.CashOne - first}}})
	}
	m := merge(t, pays(1, market.Inferred, 0), pays(2, market.Official, market.CashOne))
	require.Equal(t, &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}}, m.market.Payout)
	require.True(t, m.market.Closed)
	m = merge(t, pays(1, market.Official, 0), pays(2, market.Official, market.CashOne), pays(3, market.Inferred, 0))
	require.Nil(t, m.market.Payout)
	require.True(t, m.disputed)
	exchange := func(src store.SourceID, updated market.Instant, first market.Cash) said {
		return claim(src, store.FromExchange, market.Market{Tokens: tokens, UpdatedAt: updated, Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{first, market.CashOne - first}}})
	}
	m = merge(t, pays(1, market.Official, 0), exchange(2, 5, market.CashOne), exchange(3, 4, 0), pays(4, market.Official, 0))
	require.Equal(t, []market.Cash{market.CashOne, 0}, m.market.Payout.Fractions, "the exchange's last word settles it")
	require.False(t, m.disputed)
	m = merge(t, exchange(2, 5, market.CashOne), exchange(3, 5, 0))
	require.Nil(t, m.market.Payout, "it says both at once")
	require.True(t, m.disputed)
	half := pays(1, market.Official, market.CashOne)
	half.doc.Payout.Fractions[1] = -1 // not known
	require.Equal(t, []market.Cash{market.CashOne, 0}, merge(t, half).market.Payout.Fractions)
}

// TestGaps: stretches that touch or overlap are one, of each token.
func TestGaps(t *testing.T) {
	t.Parallel()
	c := claim(1, store.FromList, market.Market{Tokens: []market.Token{{VenueID: "a", Label: "A"}, {VenueID: "b", Label: "B"}}})
	c.doc.Gaps = []GapDoc{{0, 5, 9}, {0, 1, 5}, {1, 2, 3}, {0, 20, 20}, {0, 11, 12}}
	require.Equal(t, []market.TokenGap{
		{Token: 0, Gap: market.Gap{From: 1, To: 9}}, {Token: 0, Gap: market.Gap{From: 11, To: 12}}, {Token: 1, Gap: market.Gap{From: 2, To: 3}},
	}, merge(t, c).gaps)
}

// claims is a Reader of claims alone.
type claims struct {
	store.Reader
	list []store.Claim
}

func (c claims) Claims(context.Context, store.ClaimKind, []store.ID) ([]store.Claim, error) {
	return c.list, nil
}

// TestGroups: events are merged by the same weights, and go by their id when no
// source gives a slug. A document that cannot be read is damage.
func TestGroups(t *testing.T) {
	t.Parallel()
	say := func(owner store.ID, src store.SourceID, d EventDoc) store.Claim {
		return store.Claim{ClaimKey: store.ClaimKey{Kind: store.EventClaim, Owner: owner, Source: src}, Doc: Encode(&d)}
	}
	got, err := eventGroup.merge(t.Context(), claims{list: []store.Claim{
		say(1, 1, EventDoc{Authority: store.FromCaptures, Venue: "v", VenueID: "e1", Title: "weak", Start: 4, UpdatedAt: 9}),
		say(1, 2, EventDoc{Authority: store.FromExchange, Venue: "v", VenueID: "e1", Title: "strong", Tags: []string{"a"}}),
		say(2, 1, EventDoc{Authority: store.FromList, Venue: "v", VenueID: "e2", Slug: "two"}),
	}}, nil)
	require.NoError(t, err)
	require.Equal(t, map[store.ID]*market.Event{
		1: {Venue: "v", VenueID: "e1", Slug: "e1", Title: "strong", Start: 4, UpdatedAt: 9, Tags: []string{"a"}},
		2: {Venue: "v", VenueID: "e2", Slug: "two"},
	}, got)
	_, err = seriesGroup.merge(t.Context(), claims{list: []store.Claim{{Doc: []byte("{")}}}, nil)
	require.ErrorIs(t, err, store.ErrDamaged)
}

// TestSettle: a market closes when its end is passed by the watermark, unless the
// end is only that of its captures.
func TestSettle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row       store.MarketRow
		watermark market.Instant
		want      store.Status
	}{
		{store.MarketRow{Market: market.Market{End: 10}}, 9, store.Open},
		{store.MarketRow{Market: market.Market{End: 10}}, 10, store.Closed},
		{store.MarketRow{Market: market.Market{End: 10}, Undated: true}, 11, store.Open},
		{store.MarketRow{Market: market.Market{End: 10, Closed: true}}, 1, store.Closed},
		{store.MarketRow{Market: market.Market{End: 10, Payout: &market.Payout{Basis: market.Official}}}, 1, store.Resolved},
		{store.MarketRow{Market: market.Market{End: 10, Payout: &market.Payout{Basis: market.Inferred}}}, 1, store.Open},
	} {
		Settle(&c.row, c.watermark)
		require.Equal(t, c.want, c.row.Status, "%+v at %v", c.row.Market, c.watermark)
	}
}
