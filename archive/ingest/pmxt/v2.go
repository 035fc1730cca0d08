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

// Columns of version 2, by their place among those read.
const (
	v2Received = iota
	v2Timestamp
	v2Market
	v2Event
	v2Asset
	v2Bids
	v2Asks
	v2Price
	v2Size
	v2Side
	v2BestBid
	v2BestAsk
	v2NewTick
)

// NeedsV2 returns the columns that identify a file of version 2.
func NeedsV2() []rows.Want {
	want := rows.Needs("timestamp_received timestamp", rows.Times...)
	want = append(want, rows.Needs("market event_type asset_id bids asks", rows.Text)...)
	want = append(want, rows.Needs("price size", rows.Numbers...)...)
	want = append(want, rows.Needs("side", rows.Text)...)
	return append(want, rows.Needs("best_bid best_ask new_tick_size", rows.Numbers...)...)
}

// ImportV2 reads a file of version 2 to its end, as stream.Import does.
func ImportV2(ctx context.Context, p *rows.Parquet, to stream.Sink) (messages int64, err error) {
	t, err := p.Read(rows.Names(NeedsV2())...)
	if err != nil {
		return 0, err
	}
	return stream.Import(ctx, &v2{t: t}, to)
}

type v2 struct {
	t      rows.Table
	msgs   [1]stream.Message
	levels levels
	line   []byte
}

func (s *v2) Next() ([]stream.Message, error) {
	return stream.Row(s.t, s.read, &s.msgs)
}

func (s *v2) Line() (int64, []byte) {
	s.line = append(append(append(s.line[:0], s.t.Text(v2Market)...), ' '), s.t.Text(v2Asset)...)
	return s.t.Row(), s.line
}

func (s *v2) read(m *stream.Message) (r stream.Reason) {
	m.Market, m.Asset = s.t.Text(v2Market), s.t.Text(v2Asset)
	if !scalar.ID(m.Market) || !scalar.ID(m.Asset) {
		return stream.BadID
	}
	if m.Recv, r = rows.Received(s.t, v2Received); r != stream.OK {
		return r
	}
	if m.Exch, r = s.t.Time(v2Timestamp); r != stream.OK && r != stream.NoTime {
		return r
	}
	switch string(s.t.Text(v2Event)) {
	case "book":
		m.Type = stream.Book
		return s.book(m)
	case "price_change":
		m.Type = stream.Change
		return s.change(m)
	case "last_trade_price":
		m.Type = stream.Trade
		m.Trade, r = rows.Trade(s.t, v2Price, v2Size, v2Side)
		return r
	case "tick_size_change":
		m.Type = stream.Tick
		if m.Trade.Price, r = s.t.Price(v2NewTick); r == stream.OK && m.Trade.Price == 0 {
			r = stream.PriceRange
		}
		return r
	}
	return stream.UnknownEvent
}

func (s *v2) book(m *stream.Message) (r stream.Reason) {
	if s.t.Null(v2Bids) && s.t.Null(v2Asks) {
		return stream.NoLevels
	}
	s.levels.clear()
	if m.Bids, r = s.levels.side(s.t.Text(v2Bids), market.Bid); r != stream.OK {
		return r
	}
	m.Asks, r = s.levels.side(s.t.Text(v2Asks), market.Ask)
	return r
}

func (s *v2) change(m *stream.Message) stream.Reason {
	l, r := rows.Level(s.t, v2Price, v2Size)
	if r != stream.OK {
		return r
	}
	side, r := scalar.Side(s.t.Text(v2Side))
	if r != stream.OK {
		return r
	}
	s.levels.clear()
	s.levels.one(m, l, side)
	// What cannot be read as a best price states none.
	if p, r := s.t.Price(v2BestBid); r == stream.OK {
		m.Best.Bid.Price, m.BestBid = scalar.BestPrice(p, market.Bid), true
	}
	if p, r := s.t.Price(v2BestAsk); r == stream.OK {
		m.Best.Ask.Price, m.BestAsk = scalar.BestPrice(p, market.Ask), true
	}
	return stream.OK
}

// levels reads levels into a buffer of its own.
type levels struct {
	c   jsonlex.Cursor
	buf []market.Level
}

func (l *levels) clear() { l.buf = l.buf[:0] }

// side reads the JSON text of one side of a book; none is an empty side.
func (l *levels) side(text []byte, side market.Side) ([]market.Level, stream.Reason) {
	return ladder.Side(&l.buf, &l.c, text, side)
}

// one makes m the change of one level.
func (l *levels) one(m *stream.Message, v market.Level, side market.Side) {
	l.buf = append(l.buf, v)
	if side == market.Bid {
		m.Bids = l.buf[len(l.buf)-1:]
	} else {
		m.Asks = l.buf[len(l.buf)-1:]
	}
}
