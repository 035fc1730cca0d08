package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// paged has n markets and claims, and gives them by pages.
type paged struct {
	store.Reader
	n, asked int
}

func (p *paged) Markets(_ context.Context, q store.MarketQuery) (out []store.MarketRow, _ error) {
	p.asked++
	for i := range p.n { // the newest end first
		row := store.MarketRow{Market: market.Market{Venue: "v", VenueID: "m", End: market.Instant(p.n - i)}}
		if len(out) < q.Limit && (q.After == nil || q.Compare(*q.After, row.Key(q.Sort)) < 0) {
			out = append(out, row)
		}
	}
	return out, nil
}

func (p *paged) ClaimsOf(_ context.Context, _ store.SourceID, after store.ClaimKey, limit int) (out []store.ClaimKey, _ error) {
	p.asked++
	for i := int(after.Owner) + 1; i <= p.n && len(out) < limit; i++ {
		out = append(out, store.ClaimKey{Owner: store.ID(i), Kind: store.MarketClaim})
	}
	return out, nil
}

// TestWalks see each row once, whether the last page is full, empty or neither.
func TestWalks(t *testing.T) {
	t.Parallel()
	for n, pages := range map[int]int{0: 1, 1: 1, store.PageRows - 1: 1, store.PageRows: 2, store.PageRows + 1: 2, 2 * store.PageRows: 3} {
		p := &paged{n: n}
		var seen []market.Instant
		require.NoError(t, store.EachMarket(t.Context(), p, store.MarketQuery{Page: store.Page{Sort: store.ByStart}}, func(rows []store.MarketRow) error {
			for i := range rows {
				seen = append(seen, rows[i].Market.End)
			}
			return nil
		}))
		require.Len(t, seen, n)
		require.Len(t, slices.Compact(seen), n)
		require.Equal(t, pages, p.asked, "%d rows", n)
	}
	few := &paged{n: 7}
	require.NoError(t, store.EachMarket(t.Context(), few, store.MarketQuery{Page: store.Page{Limit: 3}}, func([]store.MarketRow) error { return nil }))
	require.Equal(t, 3, few.asked)
	for _, n := range []int{0, 1, 999, 1000, 1001, 2000} {
		all, err := store.SourceClaims(t.Context(), &paged{n: n}, 1, nil)
		require.NoError(t, err)
		require.Len(t, all, n)
		odd, err := store.SourceClaims(t.Context(), &paged{n: n}, 1, func(k store.ClaimKey) bool { return k.Owner%2 == 1 })
		require.NoError(t, err)
		require.Len(t, odd, (n+1)/2)
	}
	mine, p := errors.New("of the caller"), &paged{n: 2 * store.PageRows}
	require.ErrorIs(t, store.EachMarket(t.Context(), p, store.MarketQuery{}, func([]store.MarketRow) error { return mine }), mine)
	require.Equal(t, 1, p.asked)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, store.EachMarket(ended, &paged{}, store.MarketQuery{}, nil), context.Canceled)
}

// TestStandingSaysWhatTheRowDoes of rows of every kind; what is in no list stands for none.
func TestStandingSaysWhatTheRowDoes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	rounds := 0
	for n := range 3000 {
		row := drawnRow(r, n)
		m, s := &row.Market, store.StandingOf(row)
		if m.Category == "" || !m.IsUpDown() {
			require.Zero(t, s)
			require.False(t, s.In(""))
			continue
		}
		rounds++
		require.Equal(t, m.Decided(), s.Basis())
		captured := row.Stats.Captured && m.Start < m.End
		require.Equal(t, captured, s.Captured())
		if captured {
			require.Equal(t, row.Stats.Coverage, s.Coverage())
		}
		require.True(t, s.In(""))
		require.Equal(t, m.Category == market.Crypto, s.In(market.Crypto))
		require.Equal(t, m.Category == market.Sports, s.In(market.Sports))
	}
	require.Greater(t, rounds, 1000)
}

// TestStandingsAddUp: what is added and taken away again leaves nothing; bytes that are none
// end, and add no more than they can say.
func TestStandingsAddUp(t *testing.T) {
	t.Parallel()
	a := drawnArchive(t, 7)
	var c store.StandingCounts
	for _, one := range a.tallies {
		c.Add(one.Rounds, 1)
	}
	require.NotZero(t, c)
	require.Positive(t, c.Decided[0])
	for _, one := range a.tallies {
		c.Add(one.Rounds, -1)
	}
	require.Zero(t, c)
	r := rand.New(rand.NewPCG(4, 4))
	for range 5000 {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		c.Add(store.Standings(b), 1)
	}
}
