package block_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// encode encodes captures, finishing a block where it is full and after every
// every-th capture.
func encode(t require.TestingT, s block.Stream, o block.Options, captures []market.Capture, every int) []block.Block {
	e, err := block.NewEncoder(s, o)
	require.NoError(t, err)
	var out []block.Block
	finish := func() {
		b, err := e.Finish(nil)
		require.NoError(t, err)
		out = append(out, b)
	}
	for i := range captures {
		require.NoError(t, e.Add(&captures[i]), "capture %d: %+v", i, captures[i])
		if e.Full() || e.Len() == every {
			finish()
		}
	}
	if e.Len() > 0 {
		finish()
	}
	return out
}

// side is a ladder that captures are applied to, in the simplest way.
type pair struct {
	bids, asks []market.Level
}

func (p *pair) apply(c *market.Capture) {
	if !c.IsLadder() {
		return
	}
	if c.Replace {
		p.bids, p.asks = nil, nil
	}
	p.bids, p.asks = changed(p.bids, c.Bids, true), changed(p.asks, c.Asks, false)
}

// requireSame requires that blocks hold the captures: the same times and
// content, and for whole ladders the same ladder.
func requireSame(t require.TestingT, want []market.Capture, blocks []block.Block) {
	var d block.Decoder
	var sent, got pair
	at := 0
	for _, b := range blocks {
		require.NoError(t, d.Reset(b.Data))
		require.Equal(t, b.Header, d.Header())
		requireHeader(t, want[at:], b.Header)
		if d.Header().Keyframe {
			bids, asks := d.Keyframe()
			require.Equal(t, sent.bids, append([]market.Level{}, bids...), "keyframe")
			require.Equal(t, sent.asks, append([]market.Level{}, asks...), "keyframe")
		}
		books, changes := 0, 0
		for c := d.Next(); c != nil; c = d.Next() {
			w := &want[at]
			at++
			sent.apply(w)
			got.apply(c)
			changes += len(c.Bids) + len(c.Asks)
			require.Equal(t, [...]any{w.Kind, w.Recv, w.Exch, w.Ord}, [...]any{c.Kind, c.Recv, c.Exch, c.Ord})
			require.Equal(t, [...]any{w.Quote, w.Trade, w.Metric}, [...]any{c.Quote, c.Trade, c.Metric})
			switch c.Kind {
			case market.KindChange:
				require.False(t, c.Replace)
				require.Equal(t, append([]market.Level{}, w.Bids...), append([]market.Level{}, c.Bids...))
				require.Equal(t, append([]market.Level{}, w.Asks...), append([]market.Level{}, c.Asks...))
			case market.KindBook:
				require.Equal(t, books == 0, c.Replace, "only the first book of a block is whole")
				books++
				require.Equal(t, sent, got)
			}
		}
		require.Equal(t, d.Header().Changes, changes)
		require.Nil(t, d.Next())
	}
	require.Len(t, want, at)
}

func requireHeader(t require.TestingT, rest []market.Capture, h block.Header) {
	require.Equal(t, rest[0].Recv, h.First)
	require.Equal(t, rest[h.Captures-1].Recv, h.Last)
	if rest[0].Kind == market.KindBook {
		require.Equal(t, h.First, h.Anchor)
		require.False(t, h.Keyframe)
	}
	require.Equal(t, h.Keyframe, h.Anchor != 0 && rest[0].Kind != market.KindBook)
}

func checkRoundTrip(t *rapid.T) {
	s := rapid.SampledFrom([]block.Stream{block.Books, block.Quotes, block.Trades, block.Metrics}).Draw(t, "stream")
	o := block.Options{NoCompression: rapid.Bool().Draw(t, "plain")}
	captures := drawCaptures(t, s, 60)
	every := rapid.IntRange(1, 70).Draw(t, "block length")
	blocks := encode(t, s, o, captures, every)
	requireSame(t, captures, blocks)
	again := encode(t, s, o, captures, every)
	for i := range blocks {
		require.Equal(t, blocks[i], again[i], "the same captures give the same bytes")
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, checkRoundTrip)
}

// FuzzRoundTrip draws captures from the fuzzer's bytes.
func FuzzRoundTrip(f *testing.F) {
	r := rand.NewChaCha8([32]byte{1})
	for n := range 8 {
		seed := make([]byte, 512<<n)
		_, err := r.Read(seed)
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(checkRoundTrip))
}

// TestDecodedEncodesAgain: what a decoder hands out, an encoder takes, and
// makes the same bytes of it.
func TestDecodedEncodesAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		captures := drawCaptures(t, block.Books, 60)
		every := rapid.IntRange(1, 30).Draw(t, "block length")
		e, err := block.NewEncoder(block.Books, block.Options{})
		require.NoError(t, err)
		var d block.Decoder
		for _, b := range encode(t, block.Books, block.Options{}, captures, every) {
			require.NoError(t, d.Reset(b.Data))
			for c := d.Next(); c != nil; c = d.Next() {
				require.NoError(t, e.Add(c))
			}
			again, err := e.Finish(nil)
			require.NoError(t, err)
			require.Equal(t, b, again)
		}
	})
}

func TestFinishAppends(t *testing.T) {
	t.Parallel()
	e, err := block.NewEncoder(block.Trades, block.Options{})
	require.NoError(t, err)
	_, err = e.Finish(nil)
	require.ErrorContains(t, err, "nothing added")
	trade := market.Capture{Kind: market.KindTrade, Recv: 5, Trade: market.Trade{Price: 100, Size: 1, Side: market.Bid}}
	require.NoError(t, e.Add(&trade))
	first, err := e.Finish([]byte("before"))
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(first.Data, []byte("LB")))
	require.Equal(t, 0, e.Len())
	var d block.Decoder
	d.Token = 3
	require.NoError(t, d.Reset(first.Data))
	require.Equal(t, 3, d.Next().Token)
	d.Rewind()
	require.Equal(t, market.Bid, d.Next().Trade.Side)
	require.Nil(t, d.Next())
}
