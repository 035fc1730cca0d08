package market_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
)

func TestTop(t *testing.T) {
	t.Parallel()
	require.Equal(t, uintptr(16), unsafe.Sizeof(market.Top{}))
	one := market.SizeOne
	none := market.Level{Price: market.NoPrice}
	top := market.Top{Bid: 4000, Ask: 4100, Trade: int16(market.NoPrice), Least: [2]market.Least{market.LeastOf(3*one, 9*one), market.LeastOf(one/2, one)}}
	require.True(t, top.Known())
	require.Equal(t, market.Level{Price: 4000, Size: 2 * one}, top.BestBid(0))
	require.Equal(t, market.Level{Price: 5900}, top.BestBid(1))
	require.Equal(t, top.Quote().Mirror().Bid, top.BestBid(1))
	require.Equal(t, market.Mid(8100), top.Price())
	require.Equal(t, 8*one, top.Least[0].Near())
	top.Ask = int16(market.NoPrice)
	require.Equal(t, none, top.BestBid(1))
	require.Equal(t, market.Level{Price: market.NoPrice, Size: 0}, top.Quote().Ask)
	top.Bid, top.Ask = market.NoLadder, market.NoLadder
	require.False(t, top.Known())
	require.Equal(t, none, top.BestBid(0))
	require.Equal(t, market.NoPrice, top.Quote().Bid.Price)
	require.Equal(t, market.NoMid, top.Price())
}

func TestLeast(t *testing.T) {
	t.Parallel()
	one := market.SizeOne
	for s, want := range map[market.Size]market.Size{
		0: 0, 1: 0, one - 1: 0, one: one, 2*one - 1: one, 2 * one: 2 * one, 1023 * one: 512 * one,
		1024 * one: 1024 * one, 1 << 62: 1024 * one,
	} {
		require.Equal(t, want, market.LeastOf(s, 0).At(), "%s", s)
		require.Equal(t, want, market.LeastOf(0, s).Near(), "%s", s)
		require.Equal(t, market.LeastOf(s, s), market.LeastOf(want, want))
	}
	for a := range 256 {
		for b := range 256 {
			x, y := market.Least(a), market.Least(b)
			require.Equal(t, min(x.At(), y.At()), x.And(y).At())
			require.Equal(t, min(x.Near(), y.Near()), x.And(y).Near())
		}
	}
	require.Equal(t, 1024*one, market.Least(0xff).At(), "what is no bound of its own is the highest")
}
