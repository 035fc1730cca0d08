package ingest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/market"
)

// kinds returns every capture of the first round as text: kind, outcome, seconds
// and, of a trade or a tick, what it says.
func kinds(t *testing.T, o ingest.Options) (*ingest.Result, []string) {
	t.Helper()
	a := newArchive(t)
	o.Markets = []string{write(t, "list.jsonl", list()), write(t, "markets.csv", lensMarkets())}
	res := run(t, a, o)
	var out []string
	r := firstRound(t, a)
	for c, err := range a.Captures(t.Context(), r.Market) {
		require.NoError(t, err)
		text := fmt.Sprintf("%v %v %g", c.Kind, r.Market.Tokens[c.Token].Outcome, float64(c.Recv-r.Market.Start)/float64(market.Second))
		if c.Kind == market.KindTrade || c.Kind == market.KindTick {
			text += fmt.Sprintf(" %v×%v %v", c.Trade.Price, c.Trade.Size, c.Trade.Side)
		}
		out = append(out, text)
	}
	return res, out
}

// TestTelonexTrades: a trade that stands in the files of both outcomes counts in
// that of the token that was traded.
func TestTelonexTrades(t *testing.T) {
	t.Parallel()
	best := subjectNamed(t, "telonex-quotes")
	cols := append(best.cols[:7:7], col{"price", asReal}, col{"size", asReal}, col{"side", asText}, col{"trade_id", asText}, col{"origin_asset_id", asText})
	row := func(token, label, sec, price, side, origin string) []string {
		cells := best.row(event{sec: sec})[:7]
		cells[5], cells[6] = token, label
		return append(cells, price, "3", side, "x", origin)
	}
	up := parquetTable(t, cols, [][]string{
		row(ups[0], "Up", "10", "0.4", "buy", ups[0]), row(ups[0], "Up", "20", "0.3", "sell", downs[0]), row(ups[0], "Up", "30", "0.4", "up", ups[0]),
	})
	down := parquetTable(t, cols, [][]string{
		row(downs[0], "Down", "10", "0.6", "sell", ups[0]), row(downs[0], "Down", "20", "0.7", "buy", downs[0]),
	})
	res, got := kinds(t, ingest.Options{Paths: []string{write(t, "up", up), write(t, "down", down)}})
	require.Empty(t, res.Failed())
	require.Equal(t, map[string]int64{"side not understood": 1}, res.Rejected)
	require.Equal(t, []string{"trade up 10 0.4×3 bid", "trade down 20 0.7×3 bid"}, got)
}

// TestPMXTEvents: trades and ticks of version 2, and what is none of its events.
func TestPMXTEvents(t *testing.T) {
	t.Parallel()
	s := subjectNamed(t, "pmxt-v2")
	row := func(sec, kind, price, size, side, tick string) []string {
		return []string{event{sec: sec}.at(), "", conditions[0], kind, ups[0], "", "", price, size, side, "", "", "", "", "0.01", tick}
	}
	data := parquetTable(t, s.cols, [][]string{
		row("10", "last_trade_price", "0.4", "2.5", "SELL", ""), row("20", "tick_size_change", "", "", "", "0.001"),
		row("30", "best_bid_ask", "", "", "", ""), row("40", "price_change", "0.4", "1", "", ""), row("50", "book", "", "", "", ""),
		row("60", "price_change", "", "1", "BUY", ""),
		row("70", "last_trade_price", "0", "5", "SELL", ""), row("80", "last_trade_price", "1", "5", "SELL", ""), // unknown to the feed
	})
	res, got := kinds(t, ingest.Options{Paths: []string{write(t, "hour", data)}})
	require.Empty(t, res.Failed())
	require.Equal(t, []string{"trade up 10 0.4×2.5 ask", "tick up 20 0.001×0 unknown"}, got)
	require.Equal(t, map[string]int64{
		"event type not known": 1, "side not understood": 1, "book without bids and asks": 1, "no price": 1, "trade at 0 or 1": 2,
	}, res.Rejected)
}

// TestMarketlensEvents: trades, and snapshots that begin anew after a loss.
func TestMarketlensEvents(t *testing.T) {
	t.Parallel()
	s := subjectNamed(t, "marketlens")
	at := func(sec string) string { return event{sec: sec}.scaled(1e3) }
	data := parquetTable(t, s.cols, [][]string{
		s.row(book0), {"trade", at("20"), "0.5", "2", "BUY", "false", "", "", "t1"},
		{"snapshot", at("30"), "", "", "", "true", `[{"price":"0.4000","size":"1.0000"}]`, "[]", ""},
		{"delta", at("40"), "0.4", "1", "", "false", "", "", ""}, {"pause", at("50"), "", "", "", "false", "", "", ""},
	})
	res, got := kinds(t, ingest.Options{Paths: []string{write(t, s.file, data)}})
	require.Empty(t, res.Failed())
	require.Equal(t, []string{"book up 10", "trade up 20 0.5×2 bid", "reset up 30", "book up 30"}, got)
	require.Equal(t, map[string]int64{"side not understood": 1, "event type not known": 1}, res.Rejected)
	// Under another name nothing says which market it is.
	res, got = kinds(t, ingest.Options{Paths: []string{write(t, "renamed.parquet", data)}})
	require.Empty(t, got)
	require.Equal(t, []string{"renamed.parquet"}, res.Undescribed)
}

// TestQuotesOfAnotherZone: rows whose clock is not that of their round are
// rejected, and taken once their zone is named; a coin has to be named.
func TestQuotesOfAnotherZone(t *testing.T) {
	t.Parallel()
	s := subjectNamed(t, "quotes-csv")
	data := string(s.make(t, good()))
	local := strings.NewReplacer("2026-04-13 12:00:10", "2026-04-13 14:00:10", "2026-04-13 12:00:20", "2026-04-13 14:00:20").Replace(data)
	res, got := kinds(t, ingest.Options{Paths: []string{write(t, s.file, []byte(local))}})
	require.Len(t, got, 3)
	require.Equal(t, map[string]int64{"time far from its round (another time zone? --timezone)": 2}, res.Rejected)
	zone := time.FixedZone("", 7200)
	all := strings.NewReplacer("2026-04-13 12:00:10", "2026-04-13 14:00:10", "2026-04-13 12:00:20", "2026-04-13 14:00:20",
		"2026-04-13 12:00:30", "2026-04-13 14:00:30", "2026-04-13 12:00:40", "2026-04-13 14:00:40", "2026-04-13 12:00:50", "2026-04-13 14:00:50").Replace(data)
	res, got = kinds(t, ingest.Options{Paths: []string{write(t, "market_data.csv", []byte(all))}, Zone: zone, Coin: "BTC"})
	require.Empty(t, res.Failed())
	require.Len(t, got, 5)
	res, got = kinds(t, ingest.Options{Paths: []string{write(t, "market_data.csv", []byte(all))}, Zone: zone})
	require.Empty(t, got)
	require.ErrorContains(t, res.Failed()[0].Err, "use --coin")
}
