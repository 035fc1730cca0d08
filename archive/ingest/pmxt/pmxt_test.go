package pmxt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/pmxt"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/internal/ingesttest"
)

const at = 1776081600000000 // microseconds

// rowV1 is a row of version 1.
type rowV1 struct {
	Recv   *int64 `parquet:"timestamp_received,optional,timestamp(microsecond)"`
	Market string `parquet:"market_id"`
	Type   string `parquet:"update_type"`
	Data   string `parquet:"data"`
}

// rowV2 is a row of version 2.
type rowV2 struct {
	Recv    *int64   `parquet:"timestamp_received,optional,timestamp(microsecond)"`
	Exch    *int64   `parquet:"timestamp,optional,timestamp(microsecond)"`
	Market  string   `parquet:"market"`
	Event   string   `parquet:"event_type"`
	Asset   string   `parquet:"asset_id"`
	Bids    *string  `parquet:"bids,optional"`
	Asks    *string  `parquet:"asks,optional"`
	Price   *float64 `parquet:"price,optional"`
	Size    *float64 `parquet:"size,optional"`
	Side    *string  `parquet:"side,optional"`
	BestBid *float64 `parquet:"best_bid,optional"`
	BestAsk *float64 `parquet:"best_ask,optional"`
	NewTick *float64 `parquet:"new_tick_size,optional"`
}

// heard is what a file says, behind the market and the token.
func heard(t *testing.T, v1 []rowV1, v2 []rowV2) (captures, rejected []string) {
	t.Helper()
	h := &ingesttest.Heard{}
	var err error
	if v1 != nil {
		p := ingesttest.Parquet(t, v1)
		require.Empty(t, rows.Missing(p.Columns(), pmxt.NeedsV1()))
		_, err = pmxt.ImportV1(t.Context(), p, h)
	} else {
		p := ingesttest.Parquet(t, v2)
		require.Empty(t, rows.Missing(p.Columns(), pmxt.NeedsV2()))
		_, err = pmxt.ImportV2(t.Context(), p, h)
	}
	require.NoError(t, err)
	if len(h.Lines) > 0 {
		require.Equal(t, []string{`market "0xaa" ""`, `token "12" ""`}, h.Lines[:2])
		captures = h.Lines[2:]
	}
	return captures, h.Rejected
}

// v1 is a row of version 1 that was received n microseconds after at.
func v1(n int64, kind, data string) rowV1 { return rowV1{new(at + n), "0xaa", kind, data} }

// v2 is one of version 2, which the exchange sent a millisecond before.
func v2(n int64, event string) rowV2 {
	return rowV2{Recv: new(at + n), Exch: new(at + n - 1000), Market: "0xaa", Event: event, Asset: "12"}
}

// TestVersions: both versions say the same of the same: books with their levels in order, one
// level that changes on its side; the second has trades and ticks too.
func TestVersions(t *testing.T) {
	t.Parallel()
	book, change, trade, tick := v2(1, "book"), v2(2, "price_change"), v2(3, "last_trade_price"), v2(4, "tick_size_change")
	book.Bids, book.Asks = new(`[["0.39","5"],["0.40","10"]]`), new(`[["0.62","3"],["0.61","2"]]`)
	change.Price, change.Size, change.Side, change.BestBid, change.BestAsk = new(0.61), new(0.0), new("SELL"), new(0.40), new(0.62)
	trade.Price, trade.Size, trade.Side = new(0.41), new(7.5), new("BUY")
	tick.NewTick = new(0.001)
	second, rejected := heard(t, nil, []rowV2{book, change, trade, tick})
	require.Empty(t, rejected)
	first, rejected := heard(t, []rowV1{
		v1(1, "book_snapshot", `{"market_id":"0xaa","token_id":"12","timestamp":1776081599.999001,"bids":[["0.39","5"],["0.40","10"]],"asks":[["0.62","3"],["0.61","2"]]}`),
		v1(2, "price_change", `{"token_id":"12","timestamp":"1776081599.999002","change_price":"0.61","change_size":"0","change_side":"SELL","best_bid":"0.40","best_ask":"0.62","more":{}}`),
	}, nil)
	require.Empty(t, rejected)
	require.Equal(t, []string{
		"book of 0 at 1776081600000001, said 1776081599999001: [{0.4 10} {0.39 5}] [{0.61 2} {0.62 3}]",
		"change of 0 at 1776081600000002, said 1776081599999002: [] [{0.61 0}]",
		"trade of 0 at 1776081600000003, said 1776081599999003: 0.41 7.5 bid",
		"tick of 0 at 1776081600000004, said 1776081599999004: ",
	}, second)
	require.Equal(t, second[:2], first)
}

// TestRejected: each row that says nothing usable is named with what is wrong, and costs no
// other.
func TestRejected(t *testing.T) {
	t.Parallel()
	const names = `"market_id":"0xaa","token_id":"12"`
	good := v1(0, "book_snapshot", `{`+names+`,"bids":[],"asks":[["0.61","2"]]}`)
	late := good
	late.Recv = nil
	never := good
	never.Recv = new(int64(0))
	for why, row := range map[string]rowV1{
		"not valid JSON":             v1(1, "book_snapshot", `{`+names+`,"bids":[],"asks":[]`),
		"not valid JSON ":            v1(1, "book_snapshot", `{`+names+`,"bids":[],"asks":[]} {}`),
		"another market":             v1(1, "book_snapshot", `{"market_id":"0xbb","token_id":"12","bids":[],"asks":[]}`),
		"event type":                 v1(1, "heartbeat", `{`+names+`}`),
		"book without bids and asks": v1(1, "book_snapshot", `{`+names+`}`),
		"price outside 0 to 1":       v1(1, "book_snapshot", `{`+names+`,"bids":[["1.4","5"]],"asks":[]}`),
		"price not a number":         v1(1, "price_change", `{`+names+`,"change_size":"5","change_side":"BUY"}`),
		"side":                       v1(1, "price_change", `{`+names+`,"change_price":"0.4","change_size":"5","change_side":"up"}`),
		"time not understood":        v1(1, "book_snapshot", `{`+names+`,"timestamp":"noon","bids":[],"asks":[]}`),
		"id":                         v1(1, "book_snapshot", `{"market_id":"0xaa","bids":[],"asks":[]}`),
		"no time":                    late,
		"no time (that of nobody)":   never,
	} {
		captures, rejected := heard(t, []rowV1{good, row, good}, nil)
		require.Len(t, captures, 2, why)
		require.Len(t, rejected, 1, why)
		why, _, _ = strings.Cut(why, " (")
		require.Contains(t, rejected[0], strings.TrimSpace(why))
	}
	sound := v2(0, "last_trade_price")
	sound.Price = new(0.5)
	for why, change := range map[string]func(*rowV2){
		"id":                          func(r *rowV2) { r.Asset = "1 2" },
		"event type":                  func(r *rowV2) { r.Event = "heartbeat" },
		"no time":                     func(r *rowV2) { r.Recv = nil },
		"no time (that of nobody)":    func(r *rowV2) { r.Recv = new(int64(0)) },
		"price":                       func(r *rowV2) { r.Price = nil },
		"price outside 0 to 1":        func(r *rowV2) { r.Price = new(1.5) },
		"side":                        func(r *rowV2) { r.Side = new("up") },
		"book without bids and asks":  func(r *rowV2) { r.Event = "book" },
		"not valid JSON":              func(r *rowV2) { r.Event, r.Bids = "book", new(`[["0.4","5"]`) },
		"price outside 0 to 1 (tick)": func(r *rowV2) { r.Event, r.NewTick = "tick_size_change", new(0.0) },
		"size":                        func(r *rowV2) { r.Size = new(-1.0) },
	} {
		row := sound
		change(&row)
		captures, rejected := heard(t, nil, []rowV2{sound, row, sound})
		require.Len(t, captures, 2, why)
		require.Len(t, rejected, 1, why)
		why, _, _ = strings.Cut(why, " (")
		require.Contains(t, rejected[0], why)
	}
	free := sound
	free.Exch = nil
	captures, rejected := heard(t, nil, []rowV2{free})
	require.Empty(t, rejected, "what the exchange does not date is dated by who received it")
	require.Len(t, captures, 1)
}
