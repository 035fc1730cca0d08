package market_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/market"
)

// TestBookAgainstMaps applies random captures to a Book, to the Book of the
// other token of a mirrored pair, and to plain maps.
func TestBookAgainstMaps(t *testing.T) {
	t.Parallel()
	var book, mirror market.Book
	rapid.Check(t, func(t *rapid.T) {
		book.Clear()
		mirror.Clear()
		want := map[market.Side]map[market.Price]market.Size{market.Bid: {}, market.Ask: {}}
		levels := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) market.Level {
			return market.Level{
				Price: market.Price(rapid.IntRange(0, int(market.PriceOne)).Draw(t, "price")),
				Size:  market.Size(rapid.IntRange(0, 3).Draw(t, "size")),
			}
		}), 0, 30)
		for range rapid.IntRange(1, 8).Draw(t, "captures") {
			c := market.Capture{
				Kind: market.KindChange, Replace: rapid.IntRange(0, 5).Draw(t, "replace") == 0,
				Bids: levels.Draw(t, "bids"), Asks: levels.Draw(t, "asks"),
			}
			book.Apply(&c)
			mirror.ApplyMirror(&c)
			if c.Replace {
				clear(want[market.Bid])
				clear(want[market.Ask])
			}
			set := func(side market.Side, changes []market.Level) {
				for _, l := range changes {
					if l.Size == 0 {
						delete(want[side], l.Price)
					} else {
						want[side][l.Price] = l.Size
					}
				}
			}
			set(market.Bid, c.Bids)
			set(market.Ask, c.Asks)
			if rapid.IntRange(0, 3).Draw(t, "not looked at") == 0 {
				continue // the best price may move several times between two looks
			}

			for side, sizes := range want {
				ladder := make([]market.Level, 0, len(sizes))
				for p, z := range sizes {
					ladder = append(ladder, market.Level{Price: p, Size: z})
				}
				slices.SortFunc(ladder, func(a, b market.Level) int {
					if side == market.Bid {
						return int(b.Price - a.Price)
					}
					return int(a.Price - b.Price)
				})
				require.Equal(t, ladder, book.Append([]market.Level{}, side), "side %s", side)
				require.Len(t, book.Append(nil, side), len(ladder))
				from := market.Price(rapid.IntRange(0, int(market.PriceOne)).Draw(t, "from"))
				reach := rapid.SampledFrom([]market.Price{0, 1, 63, 64, 500, market.PriceOne}).Draw(t, "reach")
				within := []market.Level{}
				for _, l := range ladder {
					if behind := l.Price - from; side == market.Bid && 0 <= -behind && -behind <= reach || side == market.Ask && 0 <= behind && behind <= reach {
						within = append(within, l)
					}
				}
				slices.SortFunc(within, func(a, b market.Level) int { return int(a.Price - b.Price) })
				require.Equal(t, within, book.Reach([]market.Level{}, side, from, reach), "side %s", side)
				stands := func(low, high market.Price) (sum market.Size) {
					for p, z := range sizes {
						if low <= p && p <= high {
							sum += z
						}
					}
					return sum
				}
				for _, l := range ladder { // up to a level, and from one on, with it and without
					for by := range market.Price(2) {
						low, high := max(0, l.Price-reach), max(0, l.Price-by)
						require.Equal(t, stands(low, high), book.Within(side, low, high, market.SizeOne), "side %s", side)
						low, high = min(market.PriceOne, l.Price+by), min(market.PriceOne, l.Price+by+reach)
						require.Equal(t, stands(low, high), book.Within(side, low, high, market.SizeOne), "side %s", side)
						require.GreaterOrEqual(t, book.Within(side, low, high, 2), min(2, stands(low, high)), "side %s", side)
					}
				}
				other := mirror.Append([]market.Level{}, side.Opposite())
				for i := range other {
					other[i].Price = other[i].Price.Mirror()
				}
				require.Equal(t, ladder, other, "mirror of side %s", side)
			}
			require.Equal(t, book.Quote(), mirror.Quote().Mirror())
		}
	})
}

func TestEmptyBook(t *testing.T) {
	t.Parallel()
	var b market.Book
	empty := market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}
	require.Equal(t, empty, b.Quote())
	require.Equal(t, empty, b.Quote().Mirror())
	b.Set(market.Bid, 0, 1)
	b.Set(market.Ask, market.PriceOne, 2)
	require.Equal(t, market.Level{Price: 0, Size: 1}, b.Best(market.Bid))
	require.Equal(t, market.Level{Price: market.PriceOne, Size: 2}, b.Best(market.Ask))
	require.Equal(t, market.NoPrice, b.Next(market.Bid, 0).Price)
	require.Equal(t, market.NoPrice, b.Next(market.Ask, market.PriceOne).Price)
	b.Clear()
	require.Equal(t, empty, b.Quote())
}
