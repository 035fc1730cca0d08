package history

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strconv"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// rows writes the rows of a bulk answer in one of its forms. Each method takes
// the time of the bucket and the index of the token.
type rows interface {
	price(t market.Instant, token int, p int64) error
	metric(t market.Instant, m history.Metric) error
	book(t market.Instant, token int, l *history.Ladder) error
	quote(t market.Instant, token int, q market.Quote) error
	trade(c *market.Capture) error
	// close ends the answer; nothing is written afterwards.
	close() error
}

// Form is a form of bulk answers.
type Form string

// Forms.
const (
	CSV     Form = Form(mediaCSV)
	NDJSON  Form = Form(mediaNDJSON)
	Parquet Form = Form(mediaParquet)
)

// WriteRows writes everything that q selects in a form of bulk answers. If it
// fails, what was written before stays written.
func WriteRows(ctx context.Context, w io.Writer, form Form, src history.Source, q *history.Query) error {
	f := &found{row: q.Row, token: q.Token, labels: history.Labels(&q.Row.Market)}
	out := bufio.NewWriterSize(w, bulkChunk)
	dst := newRows(out, &asked{media: media(form), Route: Route{q.Points, q.OneToken}}, f)
	var sent int64
	var failed error
	if err := errors.Join(history.Walk(ctx, src, q, rowEmitter(q, dst, &sent, &failed)), failed); err != nil {
		return err
	}
	return errors.Join(dst.close(), out.Flush())
}

// TradePoints are trades as they were made, not in buckets: no route has them.
const TradePoints history.Points = "trades"

// WriteTrades writes trades of a market as rows in the form of bulk answers: t,
// token_id, label, side (buy or sell, of who took; absent where the source does
// not say), price, size. each passes the trades to its argument until that
// returns false. Output written before an error stays.
func WriteTrades(w io.Writer, form Form, row *store.Listing, each func(func(c *market.Capture) bool) error) error {
	f := &found{row: row, labels: history.Labels(&row.Market)}
	out := bufio.NewWriterSize(w, bulkChunk)
	dst := newRows(out, &asked{media: media(form), Route: Route{point: TradePoints}}, f)
	var failed error
	err := each(func(c *market.Capture) bool {
		failed = dst.trade(c)
		return failed == nil
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return errors.Join(dst.close(), out.Flush())
}

// newRows makes the writer for the form that a asks for.
func newRows(w io.Writer, a *asked, f *found) rows {
	switch a.media {
	case mediaCSV:
		return newCSVRows(w, a.point, f)
	case mediaParquet:
		return newParquetRows(w, a.point, f)
	}
	return newNDJSONRows(w, f)
}

// names are the constant parts of a row, one per token.
type textRows struct {
	w     io.Writer
	names [][]byte
	clock clock
	t     []byte
	line  []byte
}

func (x *textRows) close() error { return nil }

func (x *textRows) stamp(t market.Instant) []byte {
	x.t = x.clock.append(x.t[:0], t)
	return x.t
}

func (x *textRows) send() error {
	_, err := x.w.Write(x.line)
	return err
}

// csvRows writes CSV with a header line.
type csvRows struct{ textRows }

// csvHeader are the columns of each kind of row.
var csvHeader = map[history.Points]string{
	history.PricePoints:  "t,token_id,label,p\n",
	history.MetricPoints: "t,liquidity,spread,volume\n",
	history.BookPoints:   "t,token_id,label,side,level,price,size\n",
	history.QuotePoints:  "t,token_id,label,bid,bid_size,ask,ask_size\n",
	TradePoints:          "t,token_id,label,side,price,size\n",
}

func newCSVRows(w io.Writer, p history.Points, f *found) *csvRows {
	x := &csvRows{textRows{w: w}}
	for i, t := range f.row.Market.Tokens {
		var b bytes.Buffer
		c := csv.NewWriter(&b)
		_ = c.Write([]string{t.VenueID, f.labels[i]}) // to memory
		c.Flush()
		x.names = append(x.names, append([]byte{','}, bytes.TrimRight(b.Bytes(), "\n")...))
	}
	x.line = append(x.line, csvHeader[p]...)
	_ = x.send() // into a buffer; should it be sent, the next row fails
	return x
}

func (x *csvRows) price(t market.Instant, token int, p int64) error {
	x.line = append(append(x.line[:0], x.stamp(t)...), x.names[token]...)
	x.line = append(appendDecimal(append(x.line, ','), p, 6), '\n')
	return x.send()
}

func (x *csvRows) metric(t market.Instant, m history.Metric) error {
	x.line = append(append(x.line[:0], x.stamp(t)...), ',')
	x.line = append(appendDecimal(x.line, m.Liquidity, 6), ',')
	x.line = append(appendDecimal(x.line, m.Spread, 6), ',')
	x.line = append(appendDecimal(x.line, m.Volume, 6), '\n')
	return x.send()
}

func (x *csvRows) book(t market.Instant, token int, l *history.Ladder) error {
	x.line = x.line[:0]
	stamp := x.stamp(t)
	table.Sides(l.Bids, l.Asks, func(side string, level int, v market.Level) {
		x.line = append(append(x.line, stamp...), x.names[token]...)
		x.line = append(append(append(x.line, ','), side...), ',')
		x.line = append(strconv.AppendInt(x.line, int64(level), 10), ',')
		x.line = append(appendDecimal(x.line, int64(v.Price), 4), ',')
		x.line = append(appendDecimal(x.line, int64(v.Size), 6), '\n')
	})
	return x.send()
}

func (x *csvRows) quote(t market.Instant, token int, q market.Quote) error {
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

func (x *csvRows) trade(c *market.Capture) error {
	x.line = append(append(x.line[:0], c.Recv.String()...), x.names[c.Token]...)
	x.line = append(append(append(x.line, ','), table.Aggressor(c.Trade.Side)...), ',')
	x.line = append(appendDecimal(x.line, int64(c.Trade.Price), 4), ',')
	if c.Trade.Size != 0 {
		x.line = appendDecimal(x.line, int64(c.Trade.Size), 6)
	}
	x.line = append(x.line, '\n')
	return x.send()
}

// ndjsonRows writes a JSON object a line.
type ndjsonRows struct{ textRows }

func newNDJSONRows(w io.Writer, f *found) *ndjsonRows {
	x := &ndjsonRows{textRows{w: w}}
	for i, t := range f.row.Market.Tokens {
		name := wire.AppendString([]byte(`","token_id":`), t.VenueID)
		x.names = append(x.names, wire.AppendString(append(name, `,"label":`...), f.labels[i]))
	}
	return x
}

func (x *ndjsonRows) head(t market.Instant) []byte {
	return append(append(x.line, `{"t":"`...), x.stamp(t)...)
}

func (x *ndjsonRows) price(t market.Instant, token int, p int64) error {
	x.line = x.line[:0]
	x.line = append(append(x.head(t), x.names[token]...), `,"p":`...)
	x.line = append(appendDecimal(x.line, p, 6), "}\n"...)
	return x.send()
}

func (x *ndjsonRows) metric(t market.Instant, m history.Metric) error {
	x.line = append(appendMetric(x.line[:0], x.stamp(t), m), '\n')
	return x.send()
}

func (x *ndjsonRows) book(t market.Instant, token int, l *history.Ladder) error {
	x.line = x.line[:0]
	table.Sides(l.Bids, l.Asks, func(side string, level int, v market.Level) {
		x.line = append(append(x.head(t), x.names[token]...), `,"side":"`...)
		x.line = strconv.AppendInt(append(append(x.line, side...), `","level":`...), int64(level), 10)
		x.line = appendDecimal(append(x.line, `,"price":`...), int64(v.Price), 4)
		x.line = append(appendDecimal(append(x.line, `,"size":`...), int64(v.Size), 6), "}\n"...)
	})
	return x.send()
}

func (x *ndjsonRows) quote(t market.Instant, token int, q market.Quote) error {
	x.line = x.line[:0]
	x.line = append(x.head(t), x.names[token]...)
	x.line = append(appendQuoteFields(x.line, q), "}\n"...)
	return x.send()
}

func (x *ndjsonRows) trade(c *market.Capture) error {
	x.line = append(append(x.line[:0], `{"t":"`...), c.Recv.String()...)
	x.line = append(append(x.line, x.names[c.Token]...), `,"side":`...)
	if side := table.Aggressor(c.Trade.Side); side != "" {
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
