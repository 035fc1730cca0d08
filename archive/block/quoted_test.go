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
			require.True(t, sameQuotes(t, b.Data))
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

// sameQuotes compares both readers of a block and reports whether it is sound.
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
		var less []block.Quoted
		if without {
			less = bare.NextQuotes()
		}
		for i, q := range some {
			c := slow.Next()
			require.NotNil(t, c)
			want := block.Quoted{Recv: c.Recv, Bid: c.Quote.Bid.Price, Ask: c.Quote.Ask.Price, BidSize: c.Quote.Bid.Size, AskSize: c.Quote.Ask.Size, Alone: market.NoPrice}
			if c.Kind == market.KindPrice {
				want, q = block.Quoted{Recv: c.Recv, Alone: c.Trade.Price}, block.Quoted{Recv: q.Recv, Alone: q.Alone}
			}
			require.Equal(t, want, q)
			if c.Kind == market.KindQuote && i < len(less) {
				want.BidSize, want.AskSize = 0, 0
				require.Equal(t, want, less[i])
			}
		}
	}
	if fast.Err() == nil {
		require.Nil(t, slow.Next())
		require.NoError(t, slow.Err())
		return true
	}
	for slow.Next() != nil {
	}
	require.ErrorIs(t, slow.Err(), block.ErrCorrupt)
	return false
}
