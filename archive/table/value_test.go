package table_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// TestValues: what is not known is null, and what is known is the number nearest to it.
func TestValues(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"buy", "sell", ""}, []string{table.Aggressor(market.Bid), table.Aggressor(market.Ask), table.Aggressor(market.SideUnknown)})
	require.InDelta(t, 0.515, table.Micros(515_000), 0)
	require.Nil(t, table.Price(market.NoPrice))
	require.InDelta(t, 0.4, *table.Price(4000), 0)
	require.Nil(t, table.Size(market.Level{Price: market.NoPrice, Size: 5}))
	require.Nil(t, table.Size(market.Level{Price: 4000}))
	require.InDelta(t, 2.5, *table.Size(market.Level{Price: 4000, Size: 2_500_000}), 0)
	type row struct {
		side  string
		level int
		price market.Price
	}
	var got []row
	table.Sides([]market.Level{{Price: 4000}, {Price: 3900}}, []market.Level{{Price: 5000}}, func(side string, level int, v market.Level) {
		got = append(got, row{side, level, v.Price})
	})
	require.Equal(t, []row{{"bid", 1, 4000}, {"bid", 2, 3900}, {"ask", 1, 5000}}, got)
}
