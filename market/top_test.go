package market_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
)

// TestTops compares tops with the book after every capture: at each instant of the
// round they give its best prices and type price, and sizes that stand near them.
func TestTops(t *testing.T) {
	t.Parallel()
	var rec market.TopRecorder
	instants, fewer := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		start, end := market.Instant(100), market.Instant(400)
		captures := randomCaptures(r)
		rec.Begin(start, end)
		for i := range captures {
			if !rec.Add(&captures[i]) {
				break
			}
		}
		tops := slices.Clone(rec.Tops())
		require.True(t, slices.IsSortedFunc(tops, func(a, b market.Top) int { return int(a.At - b.At) }))
		var book market.Book
		trade, known := market.NoPrice, false
		for i := range captures {
			c := &captures[i]
			switch {
			case c.Kind == market.KindTrade && c.Token == 1:
				trade = c.Trade.Price.Mirror()
			case c.Kind == market.KindTrade:
				trade = c.Trade.Price
			case c.Token == 1:
				book.ApplyMirror(c)
			default:
				book.Apply(c)
			}
			known = known || c.Kind == market.KindBook
			last := i+1 == len(captures) || captures[i+1].Recv != c.Recv
			if !last || c.Recv < start || c.Recv >= end {
				continue
			}
			n := 0
			for n < len(tops) && tops[n].At <= c.Recv {
				n++
			}
			now := market.Top{Quote: market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}, Trade: market.NoPrice}
			if n > 0 {
				now = tops[n-1]
			}
			want := now.Quote
			if require.Equal(t, known, now.Known); known {
				want = book.Quote()
			}
			require.Equal(t, want.Bid.Price, now.Quote.Bid.Price, "seed %d, %d", seed, c.Recv)
			require.Equal(t, want.Ask.Price, now.Quote.Ask.Price)
			require.Equal(t, want.PriceWith(trade), now.Price())
			if known {
				require.LessOrEqual(t, now.Quote.Bid.Size, near(&book, market.Bid))
				require.LessOrEqual(t, now.Quote.Ask.Size, near(&book, market.Ask))
			}
			instants++
			if n == 0 || tops[n-1].At != c.Recv {
				fewer++
			}
		}
	}
	require.Greater(t, fewer, instants/10, "many instants change nothing")
}

// near sums up what stands within TopReach of the best.
func near(b *market.Book, s market.Side) market.Size {
	best, sum := b.Best(s).Price, market.Size(0)
	for _, l := range b.Append(nil, s) {
		if l.Price-best <= market.TopReach && best-l.Price <= market.TopReach {
			sum += l.Size
		}
	}
	return sum
}

// randomCaptures draws ladders, changes and trades of both tokens, before, in and
// behind a round.
func randomCaptures(r *rand.Rand) []market.Capture {
	var out []market.Capture
	level := func(low, high int) market.Level {
		return market.Level{Price: market.Price(100 * (low + r.IntN(high-low))), Size: market.Size(r.IntN(40)) * market.SizeOne / 4}
	}
	for at := market.Instant(80); at < 420; at += market.Instant(r.IntN(9)) {
		c := market.Capture{Recv: at, Token: r.IntN(2), Kind: market.KindChange}
		switch r.IntN(6) {
		case 0:
			c.Kind, c.Trade.Price = market.KindTrade, market.Price(100*(1+r.IntN(98)))
		case 1:
			c.Kind, c.Replace = market.KindBook, true
		}
		if c.IsLadder() && r.IntN(5) > 0 {
			c.Bids = []market.Level{level(45, 48)}
			c.Asks = []market.Level{level(52, 64)}
		}
		out = append(out, c)
	}
	return out
}
