package pmxt

import (
	"context"

	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// NeedsV1 returns the columns that identify a file of version 1.
func NeedsV1() []rows.Want {
	return append(rows.Needs("timestamp_received", rows.Times...), rows.Needs("market_id update_type data", rows.Text)...)
}

// maxData is the longest text of a row, in bytes.
const maxData = 16 << 20

// ImportV1 reads a file of version 1 to its end, as stream.Import does.
func ImportV1(ctx context.Context, p *rows.Parquet, to stream.Sink) (messages int64, err error) {
	t, err := p.Read("timestamp_received", "market_id", "update_type", "data")
	if err != nil {
		return 0, err
	}
	return stream.Import(ctx, &v1{t: t}, to)
}

type v1 struct {
	t      rows.Table
	msgs   [1]stream.Message
	levels levels
	c      jsonlex.Cursor
	buf    []market.Level
}

func (s *v1) Next() ([]stream.Message, error) {
	return stream.Row(s.t, s.read, &s.msgs)
}

func (s *v1) Line() (int64, []byte) { return s.t.Row(), s.t.Text(3) }

// v1Data is the JSON of a row as its members come in.
type v1Data struct {
	market, token, time             []byte
	price, size, side, bestBid, ask []byte
	bids, asks                      []market.Level
	hasBids, hasAsks                bool
	odd                             stream.Reason
}

func (s *v1) read(m *stream.Message) (r stream.Reason) {
	if len(s.t.Text(3)) > maxData {
		return stream.TooLong
	}
	var d v1Data
	s.c.Reset(s.t.Text(3))
	s.buf = s.buf[:0]
	s.members(&d)
	switch {
	case s.c.Bad || !s.c.AtEnd():
		return stream.BadJSON
	case d.odd != stream.OK:
		return d.odd
	}
	if r = s.name(m, &d); r != stream.OK {
		return r
	}
	switch string(s.t.Text(2)) {
	case "book_snapshot":
		m.Type = stream.Book
		if !d.hasBids && !d.hasAsks {
			return stream.NoLevels
		}
		m.Bids, m.Asks = ladder.Order(d.bids, market.Bid, true), ladder.Order(d.asks, market.Ask, true)
		return stream.OK
	case "price_change":
		m.Type = stream.Change
		return s.change(m, &d)
	}
	return stream.UnknownEvent
}

// name sets what m is of, and when.
func (s *v1) name(m *stream.Message, d *v1Data) (r stream.Reason) {
	m.Market, m.Asset = s.t.Text(1), d.token
	if len(m.Market) == 0 {
		m.Market = d.market
	}
	if len(d.market) > 0 && string(d.market) != string(m.Market) {
		return stream.OtherMarket
	}
	if !scalar.ID(m.Market) || !scalar.ID(m.Asset) {
		return stream.BadID
	}
	if len(d.time) > 0 {
		if m.Exch, r = scalar.Time(d.time); r != stream.OK {
			return r
		}
	}
	m.Recv, r = rows.Received(s.t, 0)
	return r
}

func (s *v1) change(m *stream.Message, d *v1Data) stream.Reason {
	l, r := ladder.Of(d.price, d.size)
	if r != stream.OK {
		return r
	}
	side, r := scalar.Side(d.side)
	if r != stream.OK {
		return r
	}
	s.levels.clear()
	s.levels.one(m, l, side)
	if p, r := scalar.Price(d.bestBid); r == stream.OK {
		m.Best.Bid.Price, m.BestBid = scalar.BestPrice(p, market.Bid), true
	}
	if p, r := scalar.Price(d.ask); r == stream.OK {
		m.Best.Ask.Price, m.BestAsk = scalar.BestPrice(p, market.Ask), true
	}
	return stream.OK
}

// members reads the object of a row.
func (s *v1) members(d *v1Data) {
	for key := range s.c.Members() {
		switch string(key) {
		case "market_id":
			d.market, _, _ = s.c.Scalar()
		case "token_id":
			d.token, _, _ = s.c.Scalar()
		case "timestamp":
			d.time, _, _ = s.c.Scalar()
		case "bids":
			d.bids, d.hasBids = s.side(&d.odd), true
		case "asks":
			d.asks, d.hasAsks = s.side(&d.odd), true
		case "change_price":
			d.price, _, _ = s.c.Scalar()
		case "change_size":
			d.size, _, _ = s.c.Scalar()
		case "change_side":
			d.side, _, _ = s.c.Scalar()
		case "best_bid":
			d.bestBid, _, _ = s.c.Scalar()
		case "best_ask":
			d.ask, _, _ = s.c.Scalar()
		default:
			s.c.Skip()
		}
	}
}

func (s *v1) side(odd *stream.Reason) []market.Level {
	from := len(s.buf)
	buf, r := ladder.Append(s.buf, &s.c, true)
	s.buf = buf
	if *odd == stream.OK {
		*odd = r
	}
	return buf[from:len(buf):len(buf)]
}
