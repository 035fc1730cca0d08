package table

import (
	"io"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/ladderback/ladderback/market"
)

// Row groups of a Writer end with a market once they hold groupFrom values, and within one at
// groupTo. This bounds how much of an unfinished file is held in memory.
const (
	groupFrom = 1 << 18
	groupTo   = 1 << 21
)

// maxDictionary is up to how many bytes a column's dictionary may have in a row
// group; beyond that its values are written plainly.
const maxDictionary = 1 << 20

type parquetWriter[T any] struct {
	w      *parquet.GenericWriter[T]
	values int
}

func newParquet[T any](w io.Writer) *parquetWriter[T] {
	var sorted []parquet.SortingColumn
	schema := schemaOf[T]()
	for _, name := range []string{"slug", "t"} {
		if _, ok := schema.Lookup(name); ok {
			sorted = append(sorted, parquet.Ascending(name))
		}
	}
	return &parquetWriter[T]{w: parquet.NewGenericWriter[T](w, schema,
		parquet.Compression(&parquet.Zstd), parquet.CreatedBy("ladderback", "", ""),
		parquet.DictionaryMaxBytes(maxDictionary),
		parquet.SortingWriterConfig(parquet.SortingColumns(sorted...)),
	)}
}

// schemaOf returns the schema of rows of type T, which is called priceRow for those of
// prices, whether in one market or in many.
func schemaOf[T any]() *parquet.Schema {
	name := reflect.TypeFor[T]().Name()
	if short := strings.TrimPrefix(name, "Market"); short != "Row" {
		name = short
	}
	return parquet.NewSchema(strings.ToLower(name[:1])+name[1:], parquet.SchemaOf(new(T)))
}

// sized is a row that counts for more than one value.
type sized interface{ values() int }

func (p *parquetWriter[T]) Write(rows []T) error {
	for i := range rows {
		if s, ok := any(&rows[i]).(sized); ok {
			p.values += s.values()
		} else {
			p.values++
		}
	}
	if _, err := p.w.Write(rows); err != nil {
		return err
	}
	if p.values < groupTo {
		return nil
	}
	return p.group()
}

func (p *parquetWriter[T]) group() error {
	p.values = 0
	return p.w.Flush()
}

func (p *parquetWriter[T]) EndMarket() error {
	if p.values < groupFrom {
		return nil
	}
	return p.group()
}

func (p *parquetWriter[T]) Close() error { return p.w.Close() }

// groupRows is how many rows a row group of Rows has: what is held in memory until it is
// written.
const groupRows = 32 << 10

// parquetRows writes a Parquet file, row group by row group.
type parquetRows struct {
	tokens []Token
	to     interface { // a parquet.GenericWriter of the kind's rows
		Flush() error
		Close() error
	}
	rows []bookRow
	n    int // rows of the group so far
}

func newParquetRows(w io.Writer, k Kind, tokens []Token) *parquetRows {
	x := &parquetRows{tokens: tokens}
	options := []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.CreatedBy("ladderback", "", "")}
	switch k {
	case Prices:
		x.to = parquet.NewGenericWriter[PriceRow](w, append(options, schemaOf[PriceRow]())...)
	case Metrics:
		x.to = parquet.NewGenericWriter[MetricRow](w, append(options, schemaOf[MetricRow]())...)
	case Quotes:
		x.to = parquet.NewGenericWriter[quoteRow](w, options...)
	case Trades:
		x.to = parquet.NewGenericWriter[tradeRow](w, options...)
	default:
		x.to = parquet.NewGenericWriter[bookRow](w, options...)
	}
	return x
}

// putRows writes rows of the kind, and ends the row group when it is full.
func putRows[T any](x *parquetRows, rows ...T) error {
	if _, err := x.to.(*parquet.GenericWriter[T]).Write(rows); err != nil {
		return err
	}
	if x.n += len(rows); x.n < groupRows {
		return nil
	}
	x.n = 0
	return x.to.Flush()
}

func (x *parquetRows) Price(t market.Instant, token int, p int64) error {
	return putRows(x, PriceRow{int64(t), x.tokens[token].ID, x.tokens[token].Label, Micros(p)})
}

func (x *parquetRows) Metric(t market.Instant, liquidity, spread, volume int64) error {
	return putRows(x, MetricRow{int64(t), Micros(liquidity), Micros(spread), Micros(volume)})
}

func (x *parquetRows) Book(t market.Instant, token int, bids, asks []market.Level) error {
	x.rows = x.rows[:0]
	k := x.tokens[token]
	Sides(bids, asks, func(side string, level int, v market.Level) {
		x.rows = append(x.rows, bookRow{int64(t), k.ID, k.Label, side, int32(level), v.Price.Float(), v.Size.Float()})
	})
	return putRows(x, x.rows...)
}

func (x *parquetRows) Quote(t market.Instant, token int, q market.Quote) error {
	k := x.tokens[token]
	return putRows(x, quoteRow{int64(t), k.ID, k.Label, Price(q.Bid.Price), Size(q.Bid), Price(q.Ask.Price), Size(q.Ask)})
}

func (x *parquetRows) Trade(c *market.Capture) error {
	k := x.tokens[c.Token]
	row := tradeRow{T: int64(c.Recv), TokenID: k.ID, Label: k.Label, Side: Aggressor(c.Trade.Side), Price: c.Trade.Price.Float()}
	if c.Trade.Size != 0 {
		row.Size = new(c.Trade.Size.Float())
	}
	return putRows(x, row)
}

func (x *parquetRows) Close() error { return x.to.Close() }
