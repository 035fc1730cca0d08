package derive

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// drawnClaim is a claim that may contradict others, and itself.
func drawnClaim(r *rand.Rand, src store.SourceID, round bool) said {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	m := market.Market{Slug: pick("", "a-game"), Question: pick("", "Who?"), Category: market.Category(pick("", "sports", "chess")), UpdatedAt: market.Instant(r.IntN(3))}
	if round {
		m.Slug = pick("", "btc-updown-15m-1776081600")
	}
	ids, labels := r.Perm(4), r.Perm(5) // no source has two tokens of one id, or of one label
	for i := range r.IntN(4) {
		m.Tokens = append(m.Tokens, market.Token{
			VenueID: []string{"", "71", "72", "73"}[ids[i]], Label: []string{"", "Up", "down", "Yes", "Team A"}[labels[i]],
			Outcome: []market.Outcome{market.OutcomeOther, market.Up, market.Down}[r.IntN(3)],
		})
	}
	if r.IntN(2) == 0 {
		m.Payout = &market.Payout{Basis: []market.Basis{market.Official, market.Inferred}[r.IntN(2)]}
		for range m.Tokens {
			m.Payout.Fractions = append(m.Payout.Fractions, []market.Cash{0, market.CashOne, market.CashOne / 2, unknown}[r.IntN(4)])
		}
	}
	c := claim(src, []store.Authority{store.FromCaptures, store.FromList, store.FromExchange}[r.IntN(3)], m)
	for i := range m.Tokens {
		at := market.Instant(r.IntN(20))
		c.doc.Gaps = append(c.doc.Gaps, GapDoc{i, at, at + market.Instant(r.IntN(5))}, GapDoc{i, at + 2, at + 3})
	}
	return c
}

// unknown is what a source does not say of a token's payout.
const unknown market.Cash = -1

// TestMergedMarketsAreWhole: whatever sources say, in whichever order, tokens are told apart
// by their ids, each has its place, a payout says what all of them pay, and gaps of a token
// do not touch; who says nothing changes nothing.
func TestMergedMarketsAreWhole(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	paid, disputed, placed := 0, 0, 0
	for range 1500 {
		var claims []said
		round := r.IntN(2) == 0
		for src := range 1 + r.IntN(4) {
			claims = append(claims, drawnClaim(r, store.SourceID(src+1), round))
		}
		m := merge(t, claims...)
		k := &m.market
		var ids []string
		for _, tok := range k.Tokens {
			require.NotEmpty(t, tok.VenueID)
			ids = append(ids, tok.VenueID)
		}
		slices.Sort(ids)
		require.Len(t, slices.Compact(slices.Clone(ids)), len(ids), "%v of %+v", ids, claims)
		for _, at := range m.place {
			require.Less(t, at, len(k.Tokens))
			require.GreaterOrEqual(t, at, 0)
			placed++
		}
		if p := k.Payout; p != nil {
			paid++
			require.False(t, m.disputed)
			require.Len(t, p.Fractions, len(k.Tokens))
			for _, f := range p.Fractions {
				require.True(t, f >= 0 && f <= market.CashOne, "%v", p.Fractions)
			}
			require.True(t, k.Closed, "whoever names a payout says that it is closed")
		}
		if m.disputed {
			disputed++
		}
		require.True(t, k.Category.Valid() || k.Category == "", "%q", k.Category)
		for i, g := range m.gaps {
			require.Less(t, g.From, g.To)
			if i > 0 && m.gaps[i-1].Token == g.Token {
				require.Less(t, m.gaps[i-1].To, g.From)
			}
		}
		require.Equal(t, m, mergeClaims(market.Polymarket, "0x1", append(claims, claim(99, store.FromExchange, market.Market{}))))
	}
	require.Greater(t, paid, 200)
	require.Greater(t, disputed, 20)
	require.Greater(t, placed, 1000)
}
