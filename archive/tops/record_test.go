package tops_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/tops"
	"github.com/ladderback/ladderback/market"
)

// TestTops compares tops with the book after every capture: at each instant of the
// round they give its best prices and type price, and sizes that stand near them.
func TestTops(t *testing.T) {
	t.Parallel()
	var rec tops.Recorder
	instants, fewer, sized, further := 0, 0, 0, 0
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
		all := slices.Clone(rec.Tops())
		require.True(t, slices.IsSortedFunc(all, func(a, b market.Top) int { return int(a.At - b.At) }))
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
			for n < len(all) && all[n].At <= c.Recv {
				n++
			}
			now := market.Top{Bid: market.NoLadder, Ask: market.NoLadder, Trade: int16(market.NoPrice)}
			if n > 0 {
				now = all[n-1]
			}
			want := now.Quote()
			if require.Equal(t, known, now.Known()); known {
				want = book.Quote()
			}
			require.Equal(t, want.Bid.Price, now.Quote().Bid.Price, "seed %d, %d", seed, c.Recv)
			require.Equal(t, want.Ask.Price, now.Quote().Ask.Price)
			require.Equal(t, want.PriceWith(trade), now.Price())
			if known {
				for i, side := range []market.Side{market.Bid, market.Ask} {
					at, least := book.Best(side).Size, now.Least[i].At()
					require.LessOrEqual(t, least, at)
					require.LessOrEqual(t, now.Least[i].Near(), near(&book, side))
					require.LessOrEqual(t, least, now.Least[i].Near())
					if least > 0 {
						sized++
					}
					if now.Least[i].Near() > least {
						further++
					}
				}
			}
			instants++
			if n == 0 || all[n-1].At != c.Recv {
				fewer++
			}
		}
	}
	require.Greater(t, fewer, instants/10, "many instants change nothing")
	require.Greater(t, sized, instants/4, "many best prices are known to hold a share")
	require.Greater(t, further, instants/10, "much stands near them")
}

// TestTopsAreAsGoodAsTheyCanBe: the sizes of a top are those of the instant, until the
// next, at which the least stood there, rounded.
func TestTopsAreAsGoodAsTheyCanBe(t *testing.T) {
	t.Parallel()
	var rec tops.Recorder
	rec.Begin(100, 200)
	whole := func(at market.Instant, bid, behind, ask market.Size) {
		rec.Add(&market.Capture{Recv: at, Kind: market.KindBook, Replace: true,
			Bids: []market.Level{{Price: 4000, Size: bid}, {Price: 3500, Size: behind}, {Price: 3499, Size: 1 << 40}},
			Asks: []market.Level{{Price: 4100, Size: ask}}})
	}
	one := market.SizeOne
	whole(90, 100*one, 5*one, 3000*one)
	whole(110, 100*one, 29*one, 3000*one)
	whole(120, 64*one, 0, one)
	whole(130, 63*one+one-1, one, one-1)
	whole(140, 300*one, one, 0)
	none := int16(market.NoPrice)
	require.Equal(t, []market.Top{
		{At: 90, Bid: 4000, Ask: 4100, Trade: none, Least: [2]market.Least{market.LeastOf(64*one, 64*one), market.LeastOf(1024*one, 1024*one)}},
		{At: 110, Bid: 4000, Ask: 4100, Trade: none, Least: [2]market.Least{market.LeastOf(32*one, 64*one), 0}},
		{At: 140, Bid: 4000, Ask: none, Trade: none, Least: [2]market.Least{market.LeastOf(256*one, 256*one), 0}},
	}, rec.Tops())
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
			c.Bids = []market.Level{level(36, 48)}
			c.Asks = []market.Level{level(52, 64)}
		}
		out = append(out, c)
	}
	return out
}
