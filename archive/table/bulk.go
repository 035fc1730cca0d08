package table

import (
	"bytes"
	"encoding/csv"
	"io"
	"strconv"

	"github.com/ladderback/ladderback/market"
)

// Kind is a kind of rows.
type Kind string

// Kinds, by the names that routes and commands have for them.
const (
	Prices  Kind = "prices"
	Books   Kind = "books"
	Quotes  Kind = "quotes"
	Metrics Kind = "metrics"
	Trades  Kind = "trades"
)

// Format is a form of rows.
type Format string

// Formats.
const (
	CSV     Format = "csv"
	NDJSON  Format = "ndjson" // an object a line
	Parquet Format = "parquet"
)

// Token is what rows say of a token.
type Token struct{ ID, Label string }

// Rows writes rows of one kind about one market: what bulk answers hold. t is the time of
// the bucket, token an index into the tokens. The method is that of the kind; amounts and
// prices in buckets are in units of 1e-6.
type Rows interface {
	Price(t market.Instant, token int, p int64) error
	Metric(t market.Instant, liquidity, spread, volume int64) error
	Book(t market.Instant, token int, bids, asks []market.Level) error
	Quote(t market.Instant, token int, q market.Quote) error
	Trade(c *market.Capture) error
	// Close ends the rows; nothing is written afterwards. It does not close what they
	// are written to.
	Close() error
}

// NewRows makes a writer of rows; CSV begins with a header line.
func NewRows(w io.Writer, f Format, k Kind, tokens []Token) Rows {
	switch f {
	case CSV:
		return newCSVRows(w, k, tokens)
	case Parquet:
		return newParquetRows(w, k, tokens)
	}
	return newNDJSONRows(w, tokens)
}

// names are the constant parts of a row, one per token.
type textRows struct {
	w     io.Writer
	names [][]byte
	clock Clock
	t     []byte
	line  []byte
}

func (x *textRows) Close() error { return nil }

func (x *textRows) stamp(t market.Instant) []byte {
	x.t = x.clock.Append(x.t[:0], t)
	return x.t
}

func (x *textRows) send() error {
	_, err := x.w.Write(x.line)
	return err
}

// csvRows writes CSV with a header line.
type csvRows struct{ textRows }

// csvHeader are the columns of each kind of row.
var csvHeader = map[Kind]string{
	Prices:  "t,token_id,label,p\n",
	Metrics: "t,liquidity,spread,volume\n",
	Books:   "t,token_id,label,side,level,price,size\n",
	Quotes:  "t,token_id,label,bid,bid_size,ask,ask_size\n",
	Trades:  "t,token_id,label,side,price,size\n",
}

func newCSVRows(w io.Writer, k Kind, tokens []Token) *csvRows {
	x := &csvRows{textRows{w: w}}
	for _, t := range tokens {
		var b bytes.Buffer
		c := csv.NewWriter(&b)
		_ = c.Write([]string{t.ID, t.Label}) // to memory
		c.Flush()
		x.names = append(x.names, append([]byte{','}, bytes.TrimRight(b.Bytes(), "\n")...))
	}
	x.line = append(x.line, csvHeader[k]...)
	_ = x.send() // into a buffer; should it be sent, the next row fails
	return x
}

func (x *csvRows) Price(t market.Instant, token int, p int64) error {
	x.line = append(append(x.line[:0], x.stamp(t)...), x.names[token]...)
	x.line = append(appendDecimal(append(x.line, ','), p, 6), '\n')
	return x.send()
}

func (x *csvRows) Metric(t market.Instant, liquidity, spread, volume int64) error {
	x.line = append(append(x.line[:0], x.stamp(t)...), ',')
	x.line = append(appendDecimal(x.line, liquidity, 6), ',')
	x.line = append(appendDecimal(x.line, spread, 6), ',')
	x.line = append(appendDecimal(x.line, volume, 6), '\n')
	return x.send()
}

func (x *csvRows) Book(t market.Instant, token int, bids, asks []market.Level) error {
	x.line = x.line[:0]
	stamp := x.stamp(t)
	Sides(bids, asks, func(side string, level int, v market.Level) {
		x.line = append(append(x.line, stamp...), x.names[token]...)
		x.line = append(append(append(x.line, ','), side...), ',')
		x.line = append(strconv.AppendInt(x.line, int64(level), 10), ',')
		x.line = append(appendDecimal(x.line, int64(v.Price), 4), ',')
		x.line = append(appendDecimal(x.line, int64(v.Size), 6), '\n')
	})
	return x.send()
}

func (x *csvRows) Quote(t market.Instant, token int, q market.Quote) error {
	x.line = append(append(x.line[:0], x.stamp(t)...), x.names[token]...)
	for _, l := range [...]market.Level{q.Bid, q.Ask} {
		x.line = append(x.line, ',')
		if l.Price != market.NoPrice {
			x.line = appendDecimal(x.line, int64(l.Price), 4)
		}
		x.line = append(x.line, ',')
		if l.Price != market.NoPrice && l.Size != 0 {
			x.line = appendDecimal(x.line, int64(l.Size), 6)
		}
	}
	x.line = append(x.line, '\n')
	return x.send()
}

func (x *csvRows) Trade(c *market.Capture) error {
	x.line = append(append(x.line[:0], c.Recv.String()...), x.names[c.Token]...)
	x.line = append(append(append(x.line, ','), Aggressor(c.Trade.Side)...), ',')
	x.line = append(appendDecimal(x.line, int64(c.Trade.Price), 4), ',')
	if c.Trade.Size != 0 {
		x.line = appendDecimal(x.line, int64(c.Trade.Size), 6)
	}
	x.line = append(x.line, '\n')
	return x.send()
}

// ndjsonRows writes a JSON object a line.
type ndjsonRows struct{ textRows }

func newNDJSONRows(w io.Writer, tokens []Token) *ndjsonRows {
	x := &ndjsonRows{textRows{w: w}}
	for _, t := range tokens {
		name := AppendString([]byte(`","token_id":`), t.ID)
		x.names = append(x.names, AppendString(append(name, `,"label":`...), t.Label))
	}
	return x
}

func (x *ndjsonRows) head(t market.Instant) []byte {
	return append(append(x.line, `{"t":"`...), x.stamp(t)...)
}

func (x *ndjsonRows) Price(t market.Instant, token int, p int64) error {
	x.line = x.line[:0]
	x.line = append(append(x.head(t), x.names[token]...), `,"p":`...)
	x.line = append(appendDecimal(x.line, p, 6), "}\n"...)
	return x.send()
}

func (x *ndjsonRows) Metric(t market.Instant, liquidity, spread, volume int64) error {
	x.line = append(AppendMetric(x.line[:0], x.stamp(t), liquidity, spread, volume), '\n')
	return x.send()
}

func (x *ndjsonRows) Book(t market.Instant, token int, bids, asks []market.Level) error {
	x.line = x.line[:0]
	Sides(bids, asks, func(side string, level int, v market.Level) {
		x.line = append(append(x.head(t), x.names[token]...), `,"side":"`...)
		x.line = strconv.AppendInt(append(append(x.line, side...), `","level":`...), int64(level), 10)
		x.line = appendDecimal(append(x.line, `,"price":`...), int64(v.Price), 4)
		x.line = append(appendDecimal(append(x.line, `,"size":`...), int64(v.Size), 6), "}\n"...)
	})
	return x.send()
}

func (x *ndjsonRows) Quote(t market.Instant, token int, q market.Quote) error {
	x.line = x.line[:0]
	x.line = append(x.head(t), x.names[token]...)
	x.line = append(appendQuoteFields(x.line, q), "}\n"...)
	return x.send()
}

func (x *ndjsonRows) Trade(c *market.Capture) error {
	x.line = append(append(x.line[:0], `{"t":"`...), c.Recv.String()...)
	x.line = append(append(x.line, x.names[c.Token]...), `,"side":`...)
	if side := Aggressor(c.Trade.Side); side != "" {
		x.line = append(append(append(x.line, '"'), side...), '"')
	} else {
		x.line = append(x.line, "null"...)
	}
	x.line = appendDecimal(append(x.line, `,"price":`...), int64(c.Trade.Price), 4)
	x.line = append(x.line, `,"size":`...)
	if c.Trade.Size != 0 {
		x.line = appendDecimal(x.line, int64(c.Trade.Size), 6)
	} else {
		x.line = append(x.line, "null"...)
	}
	x.line = append(x.line, "}\n"...)
	return x.send()
}
