package ingest_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// event is what a generated file says at one instant: a whole book or a quote
// of one level a side, or a price. Texts stand in the file as they are.
type event struct {
	sec      string // after the round's start; empty: no time
	round    int    // 0 or 1: which of two rounds
	bid, ask string // empty: that side is empty
	size     string // of all levels
}

// subject is a format under the contract that every format of captures keeps.
type subject struct {
	format string
	file   string // the name that the file must have; empty: any
	// cols are the columns of a table, and row the cells that say e; what has no
	// columns has text, one line an event, in whole.
	cols []col
	csv  bool
	row  func(e event) []string
	text func(events []event) []byte

	sizes    bool // sizes are kept
	ladder   bool // whole books
	oneRound bool // a file is of one market
	// need are a time column and a column without which the format is another.
	time, need string
	typeOfTime cellType // a type that is no time
}

const condition0, condition1 = "0x" + "aa11111111111111111111111111111111111111111111111111111111111111", "0x" + "bb22222222222222222222222222222222222222222222222222222222222222"

var (
	conditions = [2]string{condition0, condition1}
	slugs      = [2]string{"btc-updown-5m-1776081600", "btc-updown-5m-1776081900"}
	ups        = [2]string{"71717171717171717171717171717171", "81818181818181818181818181818181"}
	downs      = [2]string{"72727272727272727272727272727272", "82828282828282828282828282828282"}
)

// list is a collector's list of the two rounds.
func list() []byte {
	var b strings.Builder
	for i := range 2 {
		fmt.Fprintf(&b, `{"slug":%q,"condition_id":%q,"coin":"BTC","market_type":"5m","start":%d,"end":%d,"up_token":%q,"down_token":%q,"winner":"up","winner_basis":"official"}`+"\n",
			slugs[i], conditions[i], start+300*i, start+300*i+300, ups[i], downs[i])
	}
	return []byte(b.String())
}

// at is the time of e in Unix seconds, as text; empty: it has none.
func (e event) at() string {
	if e.sec == "" {
		return ""
	}
	s, err := strconv.ParseFloat(e.sec, 64)
	if err != nil {
		return e.sec
	}
	return strconv.FormatFloat(float64(start)+300*float64(e.round)+s, 'f', -1, 64)
}

// scaled is at in units of 1/n second, whole.
func (e event) scaled(n float64) string {
	s, err := strconv.ParseFloat(e.at(), 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(s*n, 'f', 0, 64)
}

func (e event) objects(price string) string {
	if price == "" {
		return "[]"
	}
	return fmt.Sprintf(`[{"price":%q,"size":%q}]`, price, e.size)
}

func (e event) pairs(price string) string {
	if price == "" {
		return "[]"
	}
	return fmt.Sprintf(`[[%q,%q]]`, price, e.size)
}

func (e event) levels(price string) string {
	if price == "" {
		return ""
	}
	return price + ":" + e.size
}

func (e event) sizeOf(price string) string {
	if price == "" {
		return ""
	}
	return e.size
}

func (e event) message() string {
	return fmt.Sprintf(`{"event_type":"book","market":%q,"asset_id":%q,"bids":%s,"asks":%s}`,
		conditions[e.round], ups[e.round], e.objects(e.bid), e.objects(e.ask))
}

// subjects are all formats of captures.
func subjects() []subject {
	telonex := []col{
		{"timestamp_us", asInt}, {"local_timestamp_us", asInt}, {"exchange", asText}, {"market_id", asText}, {"slug", asText},
		{"asset_id", asText}, {"outcome", asText},
	}
	telonexRow := func(e event) []string {
		return []string{"", e.scaled(1e6), "polymarket", conditions[e.round], slugs[e.round], ups[e.round], "Up"}
	}
	return []subject{{
		format: "polymarket-ws", sizes: true, ladder: true,
		text: func(events []event) []byte {
			var b strings.Builder
			for _, e := range events {
				at := e.at()
				if at == "" {
					at = "null"
				}
				fmt.Fprintf(&b, `{"recv":%s,"slug":%q,"msg":%s}`+"\n", at, slugs[e.round], e.message())
			}
			return []byte(b.String())
		},
	}, {
		format: "polymarket-parquet", sizes: true, ladder: true, time: "timestamp", need: "raw_data", typeOfTime: asBool,
		cols: []col{{"timestamp", asReal}, {"slug", asText}, {"asset_id", asText}, {"bids", asText}, {"asks", asText}, {"raw_data", asText}},
		row: func(e event) []string {
			return []string{e.at(), slugs[e.round], ups[e.round], e.objects(e.bid), e.objects(e.ask), e.message()}
		},
	}, {
		format: "pmxt-v2", sizes: true, ladder: true, time: "timestamp_received", need: "event_type", typeOfTime: asBool,
		cols: []col{
			{"timestamp_received", asMillis}, {"timestamp", asMillis}, {"market", asFixed66}, {"event_type", asText},
			{"asset_id", asText}, {"bids", asText}, {"asks", asText}, {"price", asPrice9x4}, {"size", asSize18x6}, {"side", asText},
			{"best_bid", asPrice9x4}, {"best_ask", asPrice9x4}, {"fee_rate_bps", asInt}, {"transaction_hash", asText},
			{"old_tick_size", asPrice9x4}, {"new_tick_size", asPrice9x4},
		},
		row: func(e event) []string {
			return []string{e.at(), "", conditions[e.round], "book", ups[e.round], e.pairs(e.bid), e.pairs(e.ask), "", "", "", "", "", "", "", "", ""}
		},
	}, {
		format: "pmxt-v1", sizes: true, ladder: true, time: "timestamp_received", need: "data", typeOfTime: asBool,
		cols: []col{{"timestamp_received", asMicros}, {"timestamp_created_at", asMicros}, {"market_id", asText}, {"update_type", asText}, {"data", asText}},
		row: func(e event) []string {
			return []string{e.at(), "", conditions[e.round], "book_snapshot", fmt.Sprintf(
				`{"update_type":"book_snapshot","market_id":%q,"token_id":%q,"side":"YES","bids":%s,"asks":%s,"best_bid":null}`,
				conditions[e.round], ups[e.round], e.pairs(e.bid), e.pairs(e.ask))}
		},
	}, {
		format: "telonex-books", sizes: true, ladder: true, time: "local_timestamp_us", need: "asset_id", typeOfTime: asBool,
		cols: append(slices.Clip(telonex), col{"bids", asLevels}, col{"asks", asLevels}),
		row:  func(e event) []string { return append(telonexRow(e), e.levels(e.bid), e.levels(e.ask)) },
	}, {
		format: "telonex-best", sizes: true, ladder: true, time: "local_timestamp_us", need: "bid_size_0", typeOfTime: asBool,
		cols: append(slices.Clip(telonex), col{"bid_price_0", asText}, col{"bid_size_0", asText}, col{"ask_price_0", asText},
			col{"ask_size_0", asText}, col{"bid_price_1", asText}, col{"bid_size_1", asText}, col{"ask_price_1", asText}, col{"ask_size_1", asText}),
		row: func(e event) []string {
			return append(telonexRow(e), e.bid, e.sizeOf(e.bid), e.ask, e.sizeOf(e.ask), "", "", "", "")
		},
	}, {
		format: "telonex-quotes", sizes: true, time: "local_timestamp_us", need: "bid_price", typeOfTime: asBool,
		cols: append(slices.Clip(telonex), col{"bid_price", asReal}, col{"bid_size", asReal}, col{"ask_price", asReal}, col{"ask_size", asReal}),
		row:  func(e event) []string { return append(telonexRow(e), e.bid, e.sizeOf(e.bid), e.ask, e.sizeOf(e.ask)) },
	}, {
		format: "ladderback-captures", sizes: true, ladder: true, time: "t", need: "kind", typeOfTime: asBool,
		cols: []col{
			{"venue", asText}, {"category", asText}, {"market_id", asText}, {"slug", asText}, {"token_id", asText}, {"label", asText},
			{"seq", asInt}, {"t", asMicros}, {"exchange_t", asMicros}, {"kind", asText}, {"bids", asLevels}, {"asks", asLevels},
			{"bid", asReal}, {"bid_size", asReal}, {"ask", asReal}, {"ask_size", asReal}, {"price", asReal}, {"size", asReal}, {"side", asText},
			{"liquidity", asReal}, {"volume", asReal},
		},
		row: func(e event) []string {
			return []string{
				"polymarket", "crypto", conditions[e.round], slugs[e.round], ups[e.round], "Up", "1", e.at(), "", "book",
				e.levels(e.bid), e.levels(e.ask), "", "", "", "", "", "", "", "", "",
			}
		},
	}, {
		format: "ladderback-captures", sizes: true, ladder: true, // as JSON lines
		text: func(events []event) []byte {
			null := func(s string) string {
				if s == "" {
					return "null"
				}
				return s
			}
			levels := func(e event, price string) string {
				if price == "" {
					return "[]"
				}
				return fmt.Sprintf("[[%s,%s]]", price, e.size)
			}
			var b strings.Builder
			for i, e := range events {
				fmt.Fprintf(&b, `{"venue":"polymarket","category":"crypto","market_id":%q,"slug":%q,"token_id":%q,"label":"Up","seq":%d,"t":%s,"exchange_t":null,`+
					`"kind":"book","bids":%s,"asks":%s,"bid":null,"bid_size":null,"ask":null,"ask_size":null,"price":null,"size":null,"side":null,"liquidity":null,"volume":null}`+"\n",
					conditions[e.round], slugs[e.round], ups[e.round], i+1, null(e.at()), levels(e, e.bid), levels(e, e.ask))
			}
			return []byte(b.String())
		},
	}, {
		format: "marketlens", file: "history-0f1e.parquet", sizes: true, ladder: true, oneRound: true, time: "t", need: "side", typeOfTime: asBool,
		cols: []col{{"event_type", asText}, {"t", asInt}, {"price", asReal}, {"size", asReal}, {"side", asText}, {"is_reseed", asBool}, {"bids", asText}, {"asks", asText}, {"trade_id", asText}},
		row: func(e event) []string {
			return []string{"snapshot", e.scaled(1e3), "", "", "", "false", e.objects(e.bid), e.objects(e.ask), ""}
		},
	}, {
		format: "quotes-csv", file: "btc_20260413.csv", csv: true, need: "UpAsk",
		cols: []col{{"Timestamp", asText}, {"TargetTime", asText}, {"Expiration", asText}, {"UpBid", asText}, {"UpAsk", asText}, {"UpMid", asText}},
		row: func(e event) []string {
			zero := func(s string) string {
				if s == "" {
					return "0.0"
				}
				return s
			}
			at := ""
			if s, err := strconv.ParseFloat(e.at(), 64); err == nil {
				at = utc(s).Format("2006-01-02 15:04:05.999")
			}
			from := utc(float64(start + 300*e.round))
			return []string{at, from.Format("2006-01-02 15:04:05"), from.Add(300e9).Format("2006-01-02 15:04:05"), zero(e.bid), zero(e.ask), "0.0"}
		},
	}, {
		format: "price-history", file: ups[0] + ".json", oneRound: true,
		text: func(events []event) []byte {
			var points []string
			for _, e := range events {
				at := e.at()
				if at == "" {
					at = "null"
				}
				points = append(points, fmt.Sprintf(`{"t":%s,"p":%s}`, at, e.bid))
			}
			return []byte(`{"history":[` + strings.Join(points, ",") + `]}`)
		},
	}, {
		format: "prices-csv", csv: true, need: "p", cols: []col{{"t", asText}, {"p", asText}, {"asset_id", asText}},
		row: func(e event) []string { return []string{e.at(), e.bid, ups[e.round]} },
	}, {
		format: "prices-parquet", time: "t", need: "p", typeOfTime: asBool, cols: []col{{"t", asReal}, {"p", asReal}, {"token_id", asText}},
		row: func(e event) []string { return []string{e.at(), e.bid, ups[e.round]} },
	}}
}

// lensMarkets is Marketlens's markets.csv for the first round.
func lensMarkets() []byte {
	return []byte("market_id,condition_id,series,event,subtype,question,outcomes,winning_outcome,open_time,close_time,resolved_at,volume_usd,data_start,data_end,file\r\n" +
		"0f1e," + conditions[0] + ",btc-up-or-down-5m," + slugs[0] + ",,\"Bitcoin Up or Down, 5m?\",Up|Down,Up,2026-04-13T11:59:00Z,2026-04-13T12:05:00Z,2026-04-13T12:05:30Z,1,,,data/history-0f1e.parquet\r\n")
}

// make writes a file of the format.
func (s *subject) make(t testing.TB, events []event, options ...parquet.WriterOption) []byte {
	t.Helper()
	if s.text != nil {
		return s.text(events)
	}
	var rows [][]string
	for _, e := range events {
		rows = append(rows, s.row(e))
	}
	return s.table(t, s.cols, rows, options...)
}

func (s *subject) table(t testing.TB, cols []col, rows [][]string, options ...parquet.WriterOption) []byte {
	t.Helper()
	if s.csv {
		return csvTable(t, cols, rows)
	}
	return parquetTable(t, cols, rows, options...)
}

func (s *subject) parquet() bool { return s.text == nil && !s.csv }

func subjectNamed(t testing.TB, format string) subject {
	t.Helper()
	for _, s := range subjects() {
		if s.format == format {
			return s
		}
	}
	require.Fail(t, format)
	return subject{}
}
