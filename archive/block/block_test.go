package block_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

func TestFirstBookWholeThenDifferences(t *testing.T) {
	t.Parallel()
	e, err := block.NewEncoder(block.Books, block.Options{})
	require.NoError(t, err)
	l := func(p market.Price, s market.Size) market.Level { return market.Level{Price: p, Size: s} }
	book := market.Capture{Kind: market.KindBook, Recv: 1000, Exch: 1005, Replace: true,
		Bids: []market.Level{l(5000, 10), l(4900, 20)}, Asks: []market.Level{l(5100, 7)}}
	require.NoError(t, e.Add(&book))
	next := market.Capture{Kind: market.KindBook, Recv: 1001, Replace: true,
		Bids: []market.Level{l(5000, 10), l(4800, 20)}, Asks: []market.Level{l(5100, 8)}}
	require.NoError(t, e.Add(&next))
	b, err := e.Finish(nil)
	require.NoError(t, err)

	var d block.Decoder
	d.Token = 1
	require.NoError(t, d.Reset(b.Data))
	require.Equal(t, b.Header, d.Header())
	c := d.Next()
	require.True(t, c.Replace)
	require.Equal(t, 1, c.Token)
	require.Equal(t, book.Bids, c.Bids)
	require.Equal(t, book.Asks, c.Asks)
	c = d.Next()
	require.False(t, c.Replace)
	require.Equal(t, market.Instant(0), c.Exch)
	require.Equal(t, []market.Level{l(4900, 0), l(4800, 20)}, c.Bids)
	require.Equal(t, []market.Level{l(5100, 8)}, c.Asks)
	require.Nil(t, d.Next())
}
