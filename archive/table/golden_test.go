package table_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

var update = flag.Bool("update", false, "write the recorded rows anew")

const noon = market.Instant(1_776_081_600_000_000)

// written writes some rows of a kind: known and unknown values, empty sides, names with
// every sign that a form gives a meaning to.
func written(t *testing.T, f table.Format, k table.Kind) []byte {
	t.Helper()
	var out bytes.Buffer
	w := table.NewRows(&out, f, k, []table.Token{{ID: "71", Label: "Up"}, {ID: "7,2", Label: "Do\"wn\n<é>"}})
	level := func(p market.Price, s market.Size) market.Level { return market.Level{Price: p, Size: s} }
	for i := range 2 {
		at := noon + market.Instant(i)*250*market.Millisecond
		switch k {
		case table.Prices:
			require.NoError(t, w.Price(at, i, 515_000+int64(i)))
		case table.Metrics:
			require.NoError(t, w.Metric(at, 12_345_678_900_000, 10_000*int64(i), 1))
		case table.Books:
			require.NoError(t, w.Book(at, i, []market.Level{level(4000, 1), level(3900, 2_500_000)}, []market.Level{level(10_000, 1<<40)}))
			require.NoError(t, w.Book(at, i, nil, nil))
		case table.Quotes:
			require.NoError(t, w.Quote(at, i, market.Quote{Bid: level(4000, 7_000_000), Ask: level(market.NoPrice, 0)}))
			require.NoError(t, w.Quote(at, i, market.Quote{Bid: level(market.NoPrice, 3), Ask: level(9990, 0)}))
		case table.Trades:
			for _, side := range []market.Side{market.Bid, market.Ask, market.SideUnknown} {
				size := market.Size(side) * market.SizeOne / 3
				require.NoError(t, w.Trade(&market.Capture{Kind: market.KindTrade, Recv: at + 1, Token: i, Trade: market.Trade{Price: 4010, Size: size, Side: side}}))
			}
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// recorded requires that text is what is recorded under a name.
func recorded(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, text, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(text))
}

// TestRows: rows about a market are those recorded, byte for byte; Parquet, whose bytes
// are its library's, has the same columns and values.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, k := range []table.Kind{table.Prices, table.Books, table.Quotes, table.Metrics, table.Trades} {
		recorded(t, string(k)+".csv", written(t, table.CSV, k))
		recorded(t, string(k)+".ndjson", written(t, table.NDJSON, k))
		recorded(t, string(k)+".parquet.txt", said(t, written(t, table.Parquet, k)))
	}
}

// said is a Parquet file as text: its schema, and each value with its levels.
func said(t *testing.T, data []byte) []byte {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	var out bytes.Buffer
	fmt.Fprintln(&out, f.Schema())
	for _, g := range f.RowGroups() {
		fmt.Fprintln(&out, "sorted by", len(g.SortingColumns()))
		rows := g.Rows()
		buf := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				fmt.Fprintf(&out, "%+v\n", row)
			}
			if err != nil || n == 0 {
				break
			}
		}
		require.NoError(t, rows.Close())
	}
	return out.Bytes()
}

// TestFiles: so are rows of files that hold many markets.
func TestFiles(t *testing.T) {
	t.Parallel()
	in := table.InMarket{MarketID: "0xaa", Slug: "btc, \"up\""}
	fileOf(t, "captures", []table.CaptureRow{
		{Venue: "polymarket", MarketID: "0xaa", Label: "Up", Seq: 1, T: int64(noon), Kind: "book", Bids: []table.Level{{Price: 0.4, Size: 1e-6}}},
		{Seq: 2, T: int64(noon) + 1, ExchangeT: int64(noon), Kind: "trade", Price: new(0.401), Size: new(1.0 / 3), Side: "buy"},
	}, table.NDJSON)
	fileOf(t, "levels", []table.LevelRow{{Seq: 1, T: int64(noon), Kind: "book", Side: "bid", Level: 1, Price: new(0.4), Size: new(12345678.25)}, {Seq: 2, T: int64(noon), Kind: "reset"}})
	fileOf(t, "market-quotes", []table.MarketQuoteRow{{MarketID: "0xaa", T: int64(noon), Bid: new(0.0)}})
	fileOf(t, "market-trades", []table.MarketTradeRow{{MarketID: "0xaa", T: int64(noon), Price: 1}})
	fileOf(t, "market-prices", []table.MarketPriceRow{{in, table.PriceRow{T: int64(noon), TokenID: "71", Label: "Up", P: 0.515}}})
	fileOf(t, "market-metrics", []table.MarketMetricRow{{in, table.MetricRow{T: int64(noon), Liquidity: 1, Spread: 0.01}}})
	fileOf(t, "market-books", []table.MarketBookRow{{InMarket: in, T: int64(noon), Side: "ask", Level: 2, Price: 0.5, Size: 3}})
	fileOf(t, "markets", []table.MarketRow{{Venue: "polymarket", Slug: "a", Question: "Who?\nWe.", Undated: true, Tick: new(0.01), FeeExponent: new(int64(0)), FeeTakerOnly: new(false)}, {}})
	fileOf(t, "tokens", []table.TokenRow{{Position: 1, TokenID: "71"}})
	fileOf(t, "payouts", []table.PayoutRow{{Basis: "official", Pays: 0.5}})
	fileOf(t, "gaps", []table.GapRow{{From: int64(noon), To: int64(noon) + 5}})
	fileOf(t, "events", []table.EventRow{{Tags: "a,b", Markets: 2}})
	fileOf(t, "series", []table.SeriesRow{{Recurrence: "daily"}})
}

// fileOf requires that rows are those recorded, in these formats and Parquet; of none, in
// CSV and JSON lines.
func fileOf[T any](t *testing.T, name string, rows []T, formats ...table.Format) {
	t.Helper()
	if formats == nil {
		formats = []table.Format{table.CSV, table.NDJSON}
	}
	for _, f := range append(formats, table.Parquet) {
		var out bytes.Buffer
		w := table.NewWriter[T](&out, f)
		require.NoError(t, w.Write(rows))
		require.NoError(t, w.EndMarket())
		require.NoError(t, w.Close())
		if f == table.Parquet {
			recorded(t, "file-"+name+".parquet.txt", said(t, out.Bytes()))
			continue
		}
		recorded(t, "file-"+name+"."+string(f), out.Bytes())
	}
}
