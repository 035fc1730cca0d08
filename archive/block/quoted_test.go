package block_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// TestNextQuotes: quotes that are read some at a time are those read one by one, with
// their sizes and without.
func TestNextQuotes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		captures := drawCaptures(t, block.Quotes, 300) // more than are read together
		small := rapid.Bool().Draw(t, "small")
		for i := range captures {
			for _, l := range []*market.Level{&captures[i].Quote.Bid, &captures[i].Quote.Ask} {
				if small {
					l.Size &= 255
				}
			}
		}
		if rapid.Bool().Draw(t, "both sides") {
			for i := range captures {
				c := &captures[i]
				c.Kind, c.Trade = market.KindQuote, market.Trade{}
				for _, l := range []*market.Level{&c.Quote.Bid, &c.Quote.Ask} {
					l.Price = max(l.Price, 0)
				}
				if rapid.Bool().Draw(t, "no exchange time") {
					c.Exch, c.Ord = 0, 0
				}
			}
		}
		for _, b := range encode(t, block.Quotes, block.Options{}, captures, rapid.SampledFrom([]int{5, 128, 129, 300}).Draw(t, "block length")) {
			require.True(t, sameQuotes(t, b.Data) || !small)
		}
	})
}

// TestDamagedQuotes: of a forged block that nothing else gives away both readers find
// the same, up to where it is found out.
func TestDamagedQuotes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 7))
	refused, taken := 0, 0
	for _, good := range samples(t) {
		var d block.Decoder
		if require.NoError(t, d.Reset(good)); d.Header().Stream != block.Quotes {
			continue
		}
		good = withSmallLeast(t, &d)
		for range 3000 {
			data := append([]byte(nil), good...)
			for range 1 + r.IntN(3) {
				data[r.IntN(len(data))] = byte(r.Uint32())
			}
			if sameQuotes(t, sealed(data)) {
				taken++
			} else {
				refused++
			}
		}
	}
	require.Positive(t, refused)
	require.Positive(t, taken)
}

// withSmallLeast returns the block that a decoder has opened with sizes as tops have them.
func withSmallLeast(t *testing.T, d *block.Decoder) []byte {
	t.Helper()
	e, err := block.NewEncoder(block.Quotes, block.Options{})
	require.NoError(t, err)
	for c := d.Next(); c != nil; c = d.Next() {
		small := *c
		small.Quote.Bid.Size &= 255
		small.Quote.Ask.Size &= 255
		require.NoError(t, e.Add(&small))
	}
	b, err := e.Finish(nil)
	require.NoError(t, err)
	return b.Data
}

// sameQuotes compares both readers of a block and reports whether it is sound, for the
// faster one too: its sizes are small.
func sameQuotes(t require.TestingT, data []byte) bool {
	var slow, fast, bare block.Decoder
	bare.Prices = true
	err := slow.Open(data)
	require.Equal(t, err == nil, fast.Open(data) == nil)
	if err != nil || slow.Header().Stream != block.Quotes {
		return false
	}
	without := bare.Open(data) == nil
	for {
		some := fast.NextQuotes()
		if len(some) == 0 {
			break
		}
		var less []market.Top
		if without {
			less = bare.NextQuotes()
		}
		for i, q := range some {
			c := slow.Next()
			require.NotNil(t, c)
			want := shown(c)
			require.Equal(t, want, q)
			if c.Kind == market.KindQuote && i < len(less) {
				want.Least = [2]market.Least{}
				require.Equal(t, want, less[i])
			}
		}
	}
	if fast.Err() == nil {
		require.Nil(t, slow.Next())
		require.NoError(t, slow.Err())
		return true
	}
	large := false
	for c := slow.Next(); c != nil; c = slow.Next() {
		large = large || (c.Quote.Bid.Size|c.Quote.Ask.Size)>>8 != 0
	}
	require.True(t, large || slow.Err() != nil)
	return false
}

// shown returns a quote, or a price alone, as a top.
func shown(c *market.Capture) market.Top {
	if c.Kind == market.KindPrice {
		return market.Top{At: c.Recv, Bid: market.NoLadder, Ask: market.NoLadder, Trade: int16(c.Trade.Price)}
	}
	return market.Top{
		At: c.Recv, Bid: int16(c.Quote.Bid.Price), Ask: int16(c.Quote.Ask.Price), Trade: int16(market.NoPrice),
		Least: [2]market.Least{market.Least(c.Quote.Bid.Size), market.Least(c.Quote.Ask.Size)},
	}
}
