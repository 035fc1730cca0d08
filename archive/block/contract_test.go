package block_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

func level(p market.Price, s market.Size) market.Level { return market.Level{Price: p, Size: s} }

func ladderOf(recv market.Instant, bids, asks []market.Level) market.Capture {
	return market.Capture{Kind: market.KindBook, Recv: recv, Replace: true, Bids: bids, Asks: asks}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	bids, asks := []market.Level{level(5000, 1)}, []market.Level{level(5100, 1)}
	with := func(change func(*market.Capture)) market.Capture {
		c := ladderOf(1000, bids, asks)
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		stream  block.Stream
		capture market.Capture
		want    error
	}{
		"other stream":       {block.Quotes, with(func(*market.Capture) {}), block.ErrCapture},
		"no kind":            {block.Books, with(func(c *market.Capture) { c.Kind = 0 }), block.ErrCapture},
		"no receive time":    {block.Books, with(func(c *market.Capture) { c.Recv = 0 }), block.ErrCapture},
		"year 10000":         {block.Books, with(func(c *market.Capture) { c.Recv = 253402300800 * market.Second }), block.ErrCapture},
		"exchange time":      {block.Books, with(func(c *market.Capture) { c.Exch = -1 }), block.ErrCapture},
		"bids best last":     {block.Books, with(func(c *market.Capture) { c.Bids = []market.Level{level(1, 1), level(2, 1)} }), block.ErrCapture},
		"asks best last":     {block.Books, with(func(c *market.Capture) { c.Asks = []market.Level{level(2, 1), level(1, 1)} }), block.ErrCapture},
		"price twice":        {block.Books, with(func(c *market.Capture) { c.Asks = []market.Level{level(2, 1), level(2, 1)} }), block.ErrCapture},
		"price above 1":      {block.Books, with(func(c *market.Capture) { c.Bids = []market.Level{level(10001, 1)} }), block.ErrCapture},
		"price below 0":      {block.Books, with(func(c *market.Capture) { c.Bids = []market.Level{level(-1, 1)} }), block.ErrCapture},
		"size below 0":       {block.Books, with(func(c *market.Capture) { c.Bids = []market.Level{level(1, -1)} }), block.ErrCapture},
		"difference of none": {block.Books, with(func(c *market.Capture) { c.Replace = false }), block.ErrCapture},
		"change replacing":   {block.Books, with(func(c *market.Capture) { c.Kind = market.KindChange }), block.ErrCapture},
		"tick above 1":       {block.Books, market.Capture{Kind: market.KindTick, Recv: 1, Trade: market.Trade{Price: 10001}}, block.ErrCapture},
		"quote above 1":      {block.Quotes, market.Capture{Kind: market.KindQuote, Recv: 1, Quote: market.Quote{Ask: level(10001, 1)}}, block.ErrCapture},
		"quote below none":   {block.Quotes, market.Capture{Kind: market.KindQuote, Recv: 1, Quote: market.Quote{Bid: level(-2, 1)}}, block.ErrCapture},
		"price alone":        {block.Quotes, market.Capture{Kind: market.KindPrice, Recv: 1, Trade: market.Trade{Price: -1}}, block.ErrCapture},
		"trade's side":       {block.Trades, market.Capture{Kind: market.KindTrade, Recv: 1, Trade: market.Trade{Side: 3}}, block.ErrCapture},
		"trade's size":       {block.Trades, market.Capture{Kind: market.KindTrade, Recv: 1, Trade: market.Trade{Size: -1}}, block.ErrCapture},
		"metric":             {block.Metrics, market.Capture{Kind: market.KindMetric, Recv: 1, Metric: market.Metric{Volume: -2}}, block.ErrCapture},
	} {
		e, err := block.NewEncoder(c.stream, block.Options{})
		require.NoError(t, err)
		require.ErrorIs(t, e.Add(&c.capture), c.want, name)
		require.Zero(t, e.Len(), name)
	}
}

func TestOrderIsKeptAcrossBlocks(t *testing.T) {
	t.Parallel()
	e, err := block.NewEncoder(block.Books, block.Options{})
	require.NoError(t, err)
	now, earlier := ladderOf(2000, nil, nil), ladderOf(1999, nil, nil)
	require.NoError(t, e.Add(&now))
	require.ErrorIs(t, e.Add(&earlier), block.ErrOrder)
	_, err = e.Finish(nil)
	require.NoError(t, err)
	require.ErrorIs(t, e.Add(&earlier), block.ErrOrder)
	e.Reset(block.Books)
	require.NoError(t, e.Add(&earlier))
}

// TestAnchors holds what a block says of the ladder before its first capture.
func TestAnchors(t *testing.T) {
	t.Parallel()
	e, err := block.NewEncoder(block.Books, block.Options{})
	require.NoError(t, err)
	change := func(recv market.Instant) *market.Capture {
		return &market.Capture{Kind: market.KindChange, Recv: recv, Bids: []market.Level{level(4900, 5)}}
	}
	finish := func() block.Header {
		b, err := e.Finish(nil)
		require.NoError(t, err)
		var d block.Decoder
		require.NoError(t, d.Reset(b.Data))
		bids, asks := d.Keyframe()
		if b.Header.Keyframe {
			require.Equal(t, []market.Level{level(5000, 1), level(4900, 5)}, bids)
			require.Equal(t, []market.Level{level(5100, 1)}, asks)
		} else {
			require.Empty(t, bids)
		}
		h, err := block.ReadHeader(b.Data)
		require.NoError(t, err)
		require.Equal(t, b.Header, h)
		return h
	}
	require.NoError(t, e.Add(change(10)))
	h := finish()
	require.Zero(t, h.Anchor, "nothing is known yet")
	require.False(t, h.Keyframe)

	whole := ladderOf(20, []market.Level{level(5000, 1), level(4800, 0)}, []market.Level{level(5100, 1)})
	require.NoError(t, e.Add(&whole))
	require.NoError(t, e.Add(change(30)))
	h = finish()
	require.Equal(t, market.Instant(20), h.Anchor)
	require.False(t, h.Keyframe)
	require.Equal(t, 3, h.Changes, "a level without a size is none")

	require.NoError(t, e.Add(&market.Capture{Kind: market.KindReset, Recv: 40}))
	h = finish()
	require.Equal(t, market.Instant(20), h.Anchor)
	require.True(t, h.Keyframe)

	e.Reset(block.Books)
	require.NoError(t, e.Add(change(50)))
	require.Zero(t, finish().Anchor, "Reset forgets the ladder")
}

func TestFull(t *testing.T) {
	t.Parallel()
	e, err := block.NewEncoder(block.Trades, block.Options{})
	require.NoError(t, err)
	trade := market.Capture{Kind: market.KindTrade, Recv: 1}
	for !e.Full() {
		require.NoError(t, e.Add(&trade))
	}
	require.Equal(t, block.MaxCaptures, e.Len())
	require.ErrorIs(t, e.Add(&trade), block.ErrFull)
	b, err := e.Finish(nil)
	require.NoError(t, err)
	require.Less(t, len(b.Data), 200, "nothing changes in it")

	// Level changes fill a block too, the largest capture at the end included.
	var d block.Decoder
	require.NoError(t, d.Reset(largest(t)))
	require.Equal(t, block.MaxCaptures, d.Header().Captures)
	require.LessOrEqual(t, d.Header().Changes, block.MaxChanges)
	bids, asks := d.Keyframe()
	require.Len(t, bids, 10_001)
	require.Len(t, asks, 10_001)
}

func TestNewEncoderStreams(t *testing.T) {
	t.Parallel()
	for s, name := range map[block.Stream]string{0: "unknown", block.Tops: "tops", 6: "unknown"} {
		_, err := block.NewEncoder(s, block.Options{})
		require.Error(t, err)
		require.Equal(t, name, s.String())
	}
	require.Equal(t, "books quotes trades metrics", block.Books.String()+" "+block.Quotes.String()+" "+block.Trades.String()+" "+block.Metrics.String())
	require.Zero(t, block.StreamOf(0))
	require.Zero(t, block.StreamOf(9))
}
