package rows

import (
	"context"
	"errors"
	"io"

	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// checkEvery is how many rows are read between looks at the context.
const checkEvery = 4096

// Each has take look at every row to the end of t. It returns how many there were, and the
// error that ended it early: the context's, the table's or that of take.
func Each(ctx context.Context, t Table, take func() error) (n int64, err error) {
	for {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err := t.Next(); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
		if err := take(); err != nil {
			return n, err
		}
	}
}

// MarketSink receives what a file says of markets.
type MarketSink interface {
	// Market returns a handle for Done.
	Market(ctx context.Context, m market.Market) (handle int, err error)
	// Done says that the file has no more of the market here.
	Done(ctx context.Context, handle int) error
	// Reject takes a row or a line, by its number from 1, that says nothing usable.
	Reject(row int64, text []byte, reason string)
}

// CaptureSink receives captures too, of tokens by the index that Token gives.
type CaptureSink interface {
	MarketSink
	Token(handle int, t market.Token) (index int)
	Add(handle int, c *market.Capture) error
}

// Put passes on a market of which no more is said.
func Put(ctx context.Context, to MarketSink, m market.Market) error {
	h, err := to.Market(ctx, m)
	if err != nil {
		return err
	}
	return to.Done(ctx, h)
}

// Markets passes on the market of every row, as Each does. A row that of gives a reason
// for is rejected, under the text of the column name.
func Markets(ctx context.Context, t Table, to MarketSink, name int, of func(Table) (market.Market, scalar.Reason)) (int64, error) {
	return Each(ctx, t, func() error {
		m, r := of(t)
		if r != scalar.OK {
			to.Reject(t.Row(), t.Text(name), string(r))
			return nil
		}
		return Put(ctx, to, m)
	})
}

// Received reads when a row was received, which every row of captures says.
func Received(t Table, at int) (recv market.Instant, r scalar.Reason) {
	if recv, r = t.Time(at); r == scalar.OK && recv == 0 {
		r = scalar.NoTime
	}
	return recv, r
}

// Level reads a level, of which both price and size are there.
func Level(t Table, price, size int) (l market.Level, r scalar.Reason) {
	if l.Price, r = t.Price(price); r != scalar.OK {
		return l, r
	}
	l.Size, r = t.Size(size)
	return l, r
}

// Levels appends the levels of the row whose prices and sizes are the lists in the columns
// at and behind it, in their order.
func Levels(dst []market.Level, t Table, at int) ([]market.Level, scalar.Reason) {
	n := t.Len(at)
	if n != t.Len(at+1) {
		return dst, ladder.BadLevel
	}
	for k := range n {
		var l market.Level
		var r scalar.Reason
		if l.Price, r = t.PriceAt(at, k); r != scalar.OK {
			return dst, r
		}
		if l.Size, r = t.SizeAt(at+1, k); r != scalar.OK {
			return dst, r
		}
		dst = append(dst, l)
	}
	return dst, scalar.OK
}

// Trade reads a trade: its size and its side may be missing.
func Trade(t Table, price, size, side int) (v market.Trade, r scalar.Reason) {
	if v.Price, r = t.Price(price); r != scalar.OK {
		return v, r
	}
	if !t.Null(size) {
		if v.Size, r = t.Size(size); r != scalar.OK {
			return v, r
		}
	}
	if text := t.Text(side); len(text) > 0 {
		v.Side, r = scalar.Side(text)
	}
	return v, r
}
