package block_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// TestSkip: behind the captures before an instant, the last of them and the ladder are
// those that reading them one by one gives, and so is all that follows.
func TestSkip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom([]block.Stream{block.Books, block.Books, block.Quotes, block.Trades, block.Metrics}).Draw(t, "stream")
		captures := drawCaptures(t, s, 300) // more than are read together
		every := rapid.SampledFrom([]int{5, 128, 129, 300}).Draw(t, "block length")
		for _, b := range encode(t, s, block.Options{}, captures, every) {
			before := b.Header.First + market.Instant(rapid.Int64Range(-1, int64(b.Header.Last-b.Header.First)+2).Draw(t, "before"))
			requireSkip(t, b.Data, before)
		}
	})
}

func requireSkip(t require.TestingT, data []byte, before market.Instant) {
	var slow, fast block.Decoder
	require.NoError(t, slow.Reset(data))
	require.NoError(t, fast.Open(data))
	var ladder pair
	bids, asks := slow.Keyframe()
	ladder.apply(&market.Capture{Kind: market.KindBook, Replace: true, Bids: bids, Asks: asks})
	var last *market.Capture
	c := slow.Next()
	for ; c != nil && c.Recv < before; c = slow.Next() {
		if ladder.apply(c); last == nil || last.Kind == market.KindReset || c.Kind != market.KindReset {
			own := *c
			own.Bids, own.Asks, own.Replace = nil, nil, false
			if own.IsLadder() || own.Kind == market.KindTick || own.Kind == market.KindReset {
				own.Trade = market.Trade{} // a tick of the books says no more than when it came
			}
			last = &own
		}
	}
	got := fast.Skip(before)
	if last == nil {
		require.Nil(t, got)
	} else {
		require.NotNil(t, got)
		if last.Kind != market.KindReset {
			require.Equal(t, *last, *got)
		}
		if h := fast.Header(); h.Stream == block.Books && h.Anchor != 0 {
			bids, asks := fast.Ladder()
			require.Equal(t, ladder, pair{append([]market.Level{}, bids...), append([]market.Level{}, asks...)})
		}
	}
	for ; c != nil; c = slow.Next() {
		next := fast.Next()
		require.NotNil(t, next)
		require.Equal(t, [...]any{c.Kind, c.Recv, c.Exch, c.Ord, c.Replace}, [...]any{next.Kind, next.Recv, next.Exch, next.Ord, next.Replace})
		require.Equal(t, [...]any{c.Quote, c.Trade, c.Metric}, [...]any{next.Quote, next.Trade, next.Metric})
		require.Equal(t, append([]market.Level{}, c.Bids...), append([]market.Level{}, next.Bids...))
		require.Equal(t, append([]market.Level{}, c.Asks...), append([]market.Level{}, next.Asks...))
	}
	require.Nil(t, fast.Next())
	require.NoError(t, fast.Err())
}
