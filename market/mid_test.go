package market_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
)

// TestPriceWith works prices out by hand, in USD.
func TestPriceWith(t *testing.T) {
	t.Parallel()
	const no = market.NoPrice
	for _, c := range []struct {
		bid, ask, trade market.Price
		want            market.Mid
	}{
		{4000, 4100, no, 8100},
		{4000, 4101, no, 8101},     // exact: 0.40505
		{4000, 5000, 9000, 9000},   // a spread of 0.10 is tight
		{4000, 5001, 9000, 10_002}, // the trade moved to the ask
		{4000, 5001, 1000, 8000},   // to the bid
		{4000, 5001, 4500, 9000},
		{4000, 5001, no, 9001},
		{5100, 5000, 100, 10_100}, // crossed
		{4000, no, no, 8000},
		{no, 4000, no, 8000},
		{4000, no, 3000, 8000},
		{4000, no, 6000, 12_000}, // no ask bounds it
		{no, 4000, 6000, 8000},
		{no, 4000, 3000, 6000},
		{no, no, 3000, 6000},
		{no, no, no, market.NoMid},
		{0, 0, no, 0},
	} {
		q := market.Quote{Bid: market.Level{Price: c.bid}, Ask: market.Level{Price: c.ask}}
		require.Equal(t, c.want, q.PriceWith(c.trade), "%+v", c)
		if c.trade != no {
			c.trade = c.trade.Mirror()
		}
		require.Equal(t, c.want.Mirror(), q.Mirror().PriceWith(c.trade), "mirror of %+v", c)
	}
}
