package table_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// TestWriteTrades: what a trade does not say is null, and no trades are an empty list.
func TestWriteTrades(t *testing.T) {
	t.Parallel()
	of := table.Token{ID: "u", Label: "Up & <Down>"}
	c := market.Capture{Recv: 1_775_044_800_000_000, Kind: market.KindTrade, Trade: market.Trade{Price: 4000}}
	trades := []table.Trade{table.TradeOf(&c, of)}
	c.Trade.Size, c.Trade.Side = 2_500_000, market.Bid
	trades = append(trades, table.TradeOf(&c, of))
	var out bytes.Buffer
	require.NoError(t, table.WriteTrades(&out, "m", trades))
	require.Equal(t, `{"market_id":"m","data":[`+
		`{"t":"2026-04-01T12:00:00Z","token_id":"u","label":"Up & <Down>","side":null,"price":0.4,"size":null},`+
		`{"t":"2026-04-01T12:00:00Z","token_id":"u","label":"Up & <Down>","side":"buy","price":0.4,"size":2.5}],"metadata":{"count":2}}`+"\n", out.String())
	out.Reset()
	require.NoError(t, table.WriteTrades(&out, "m", nil))
	require.Equal(t, `{"market_id":"m","data":[],"metadata":{"count":0}}`+"\n", out.String())
}
