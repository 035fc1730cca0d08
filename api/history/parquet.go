package history

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// groupRows is how many rows a Parquet file has in a row group: what is held in
// memory until it is written.
const groupRows = 32 << 10

type priceRow struct {
	T       int64   `parquet:"t,timestamp(microsecond),delta"`
	TokenID string  `parquet:"token_id,dict"`
	Label   string  `parquet:"label,dict"`
	P       float64 `parquet:"p"`
}

type metricRow struct {
	T         int64   `parquet:"t,timestamp(microsecond),delta"`
	Liquidity float64 `parquet:"liquidity"`
	Spread    float64 `parquet:"spread"`
	Volume    float64 `parquet:"volume"`
}

type bookRow struct {
	T       int64   `parquet:"t,timestamp(microsecond),delta"`
	TokenID string  `parquet:"token_id,dict"`
	Label   string  `parquet:"label,dict"`
	Side    string  `parquet:"side,dict"`
	Level   int32   `parquet:"level"`
	Price   float64 `parquet:"price"`
	Size    float64 `parquet:"size"`
}

// quoteRow: null where a side is empty, or the source gives no size.
type quoteRow struct {
	T       int64    `parquet:"t,timestamp(microsecond),delta"`
	TokenID string   `parquet:"token_id,dict"`
	Label   string   `parquet:"label,dict"`
	Bid     *float64 `parquet:"bid,optional"`
	BidSize *float64 `parquet:"bid_size,optional"`
	Ask     *float64 `parquet:"ask,optional"`
	AskSize *float64 `parquet:"ask_size,optional"`
}

type tradeRow struct {
	T       int64    `parquet:"t,timestamp(microsecond),delta"`
	TokenID string   `parquet:"token_id,dict"`
	Label   string   `parquet:"label,dict"`
	Side    string   `parquet:"side,optional,dict"`
	Price   float64  `parquet:"price"`
	Size    *float64 `parquet:"size,optional"`
}

// parquetRows writes a Parquet file, row group by row group.
type parquetRows struct {
	f       *found
	prices  *parquet.GenericWriter[priceRow]
	metrics *parquet.GenericWriter[metricRow]
	books   *parquet.GenericWriter[bookRow]
	quotes  *parquet.GenericWriter[quoteRow]
	trades  *parquet.GenericWriter[tradeRow]
	rows    []bookRow
	n       int // rows of the group so far
}

func newParquetRows(w io.Writer, p history.Points, f *found) *parquetRows {
	x := &parquetRows{f: f}
	options := []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.CreatedBy("ladderback", "", "")}
	switch p {
	case history.PricePoints:
		x.prices = parquet.NewGenericWriter[priceRow](w, options...)
	case history.MetricPoints:
		x.metrics = parquet.NewGenericWriter[metricRow](w, options...)
	case history.QuotePoints:
		x.quotes = parquet.NewGenericWriter[quoteRow](w, options...)
	case TradePoints:
		x.trades = parquet.NewGenericWriter[tradeRow](w, options...)
	default:
		x.books = parquet.NewGenericWriter[bookRow](w, options...)
	}
	return x
}

func (x *parquetRows) price(t market.Instant, token int, p int64) error {
	if _, err := x.prices.Write([]priceRow{{int64(t), x.f.row.Market.Tokens[token].VenueID, x.f.labels[token], table.Micros(p)}}); err != nil {
		return err
	}
	return x.group(1, x.prices.Flush)
}

func (x *parquetRows) metric(t market.Instant, m history.Metric) error {
	if _, err := x.metrics.Write([]metricRow{{int64(t), table.Micros(m.Liquidity), table.Micros(m.Spread), table.Micros(m.Volume)}}); err != nil {
		return err
	}
	return x.group(1, x.metrics.Flush)
}

func (x *parquetRows) book(t market.Instant, token int, l *history.Ladder) error {
	x.rows = x.rows[:0]
	id, label := x.f.row.Market.Tokens[token].VenueID, x.f.labels[token]
	table.Sides(l.Bids, l.Asks, func(side string, level int, v market.Level) {
		x.rows = append(x.rows, bookRow{int64(t), id, label, side, int32(level), v.Price.Float(), v.Size.Float()})
	})
	if _, err := x.books.Write(x.rows); err != nil {
		return err
	}
	return x.group(len(x.rows), x.books.Flush)
}

func (x *parquetRows) quote(t market.Instant, token int, q market.Quote) error {
	row := quoteRow{
		int64(t), x.f.row.Market.Tokens[token].VenueID, x.f.labels[token],
		table.Price(q.Bid.Price), table.Size(q.Bid), table.Price(q.Ask.Price), table.Size(q.Ask),
	}
	if _, err := x.quotes.Write([]quoteRow{row}); err != nil {
		return err
	}
	return x.group(1, x.quotes.Flush)
}

func (x *parquetRows) trade(c *market.Capture) error {
	row := tradeRow{
		T: int64(c.Recv), TokenID: x.f.row.Market.Tokens[c.Token].VenueID, Label: x.f.labels[c.Token],
		Side: table.Aggressor(c.Trade.Side), Price: c.Trade.Price.Float(),
	}
	if c.Trade.Size != 0 {
		row.Size = new(c.Trade.Size.Float())
	}
	if _, err := x.trades.Write([]tradeRow{row}); err != nil {
		return err
	}
	return x.group(1, x.trades.Flush)
}

// group counts rows and ends the row group when it is full.
func (x *parquetRows) group(n int, flush func() error) error {
	if x.n += n; x.n < groupRows {
		return nil
	}
	x.n = 0
	return flush()
}

func (x *parquetRows) close() error {
	switch {
	case x.prices != nil:
		return x.prices.Close()
	case x.metrics != nil:
		return x.metrics.Close()
	case x.quotes != nil:
		return x.quotes.Close()
	case x.trades != nil:
		return x.trades.Close()
	}
	return x.books.Close()
}
