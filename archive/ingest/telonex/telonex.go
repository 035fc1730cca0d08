// Package telonex reads Telonex's Parquet files, one per token, channel and
// day: full books, books of the best few levels, quotes and trades
// (https://telonex.io/docs).
package telonex

import (
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Channel is what a file holds.
type Channel uint8

// Channels.
const (
	Books  Channel = iota + 1 // the whole ladder a row
	Best                      // the best levels of each side, in columns of their own
	Quotes                    // best bid and ask, with sizes
	Trades
)

// Columns that every channel has, by their place.
const (
	atExch = iota
	atRecv
	atMarket
	atSlug
	atAsset
	atOutcome
	ownColumns
)

// Needs returns the columns that identify a file of the channel.
func Needs(c Channel) []rows.Want {
	want := rows.Needs("timestamp_us local_timestamp_us", rows.Times...)
	want = append(want, rows.Needs("market_id slug asset_id outcome", rows.Text)...)
	switch c {
	case Books:
		return append(want, rows.Needs("bids.price bids.size asks.price asks.size", rows.List)...)
	case Best:
		return append(want, rows.Needs("bid_price_0 bid_size_0 ask_price_0 ask_size_0", rows.Numbers...)...)
	case Quotes:
		return append(want, rows.Needs("bid_price bid_size ask_price ask_size", rows.Numbers...)...)
	}
	want = append(want, rows.Needs("price size", rows.Numbers...)...)
	return append(want, rows.Needs("side origin_asset_id", rows.Text)...)
}

// Import reads a file to its end, as stream.Import does.
func Import(ctx context.Context, c Channel, p *rows.Parquet, to stream.Sink) (messages int64, err error) {
	s := &source{channel: c}
	names := rows.Names(Needs(c))
	if c == Best {
		have := p.Columns()
		for s.depth = 1; s.depth < maxDepth; s.depth++ {
			further := rows.Needs(fmt.Sprintf("bid_price_%[1]d bid_size_%[1]d ask_price_%[1]d ask_size_%[1]d", s.depth), rows.Numbers...)
			if len(rows.Missing(have, further)) > 0 {
				break
			}
			names = append(names, rows.Names(further)...)
		}
	}
	if s.t, err = p.Read(names...); err != nil {
		return 0, err
	}
	return stream.Import(ctx, s, to)
}

// maxDepth is the maximum number of levels per side of a file of best levels.
const maxDepth = 100

type source struct {
	t       rows.Table
	channel Channel
	depth   int
	msgs    [1]stream.Message
	buf     []market.Level
}

func (s *source) Next() ([]stream.Message, error) {
	for {
		if err := s.t.Next(); err != nil {
			return nil, err
		}
		// A trade stands in the files of both outcomes; it counts in that of the
		// token that was traded.
		if s.channel == Trades {
			if of := s.t.Text(ownColumns + 3); len(of) > 0 && !slices.Equal(of, s.t.Text(atAsset)) {
				continue
			}
		}
		s.msgs[0] = stream.Message{}
		if r := s.read(&s.msgs[0]); r != stream.OK {
			s.msgs[0] = stream.Message{Reject: r}
		}
		return s.msgs[:], nil
	}
}

func (s *source) Line() (int64, []byte) { return s.t.Row(), s.t.Text(atAsset) }

func (s *source) read(m *stream.Message) (r stream.Reason) {
	m.Market, m.Slug, m.Asset, m.Label = s.t.Text(atMarket), s.t.Text(atSlug), s.t.Text(atAsset), s.t.Text(atOutcome)
	for _, id := range [][]byte{m.Market, m.Slug, m.Asset} {
		if len(id) > 0 && !scalar.ID(id) {
			return stream.BadID
		}
	}
	switch {
	case len(m.Asset) == 0:
		return stream.NoToken
	case len(m.Label) > scalar.MaxID:
		return stream.BadOutcome
	}
	if m.Exch, r = s.t.Time(atExch); r != stream.OK && r != stream.NoTime {
		return r
	}
	switch m.Recv, r = s.t.Time(atRecv); r {
	case stream.OK:
	case stream.NoTime:
		m.Recv = m.Exch
	default:
		return r
	}
	if m.Recv == 0 {
		return stream.NoTime
	}
	switch s.channel {
	case Books:
		return s.book(m)
	case Best:
		return s.best(m)
	case Quotes:
		return s.quote(m)
	}
	m.Type = stream.Trade
	m.Trade, r = rows.Trade(s.t, ownColumns, ownColumns+1, ownColumns+2)
	return r
}

func (s *source) book(m *stream.Message) (r stream.Reason) {
	m.Type = stream.Book
	s.buf = s.buf[:0]
	if m.Bids, r = s.side(ownColumns, market.Bid); r != stream.OK {
		return r
	}
	m.Asks, r = s.side(ownColumns+2, market.Ask)
	return r
}

func (s *source) side(at int, side market.Side) (_ []market.Level, r stream.Reason) {
	from := len(s.buf)
	if s.buf, r = rows.Levels(s.buf, s.t, at); r != stream.OK {
		return nil, r
	}
	return ladder.Order(s.buf[from:len(s.buf):len(s.buf)], side, true), stream.OK
}

func (s *source) best(m *stream.Message) stream.Reason {
	m.Type = stream.Book
	s.buf = s.buf[:0]
	for i, side := range [...]market.Side{market.Bid, market.Ask} {
		from := len(s.buf)
		for k := range s.depth {
			l, ok, r := s.level(ownColumns + 4*k + 2*i)
			if r != stream.OK {
				return r
			}
			if ok {
				s.buf = append(s.buf, l)
			}
		}
		levels := ladder.Order(s.buf[from:len(s.buf):len(s.buf)], side, true)
		if side == market.Bid {
			m.Bids = levels
		} else {
			m.Asks = levels
		}
	}
	return stream.OK
}

// level reads a price and the size in the column behind it; not ok: there is no
// such level.
func (s *source) level(at int) (l market.Level, ok bool, r stream.Reason) {
	l.Price = market.NoPrice
	if s.t.Null(at) {
		return l, false, stream.OK
	}
	p, r := s.t.Price(at)
	if r != stream.OK || p == 0 {
		return l, false, r
	}
	l.Price = p
	l.Size, r = s.t.Size(at + 1)
	return l, r == stream.OK, r
}

func (s *source) quote(m *stream.Message) (r stream.Reason) {
	m.Type = stream.Quote
	if m.Quote.Bid, _, r = s.level(ownColumns); r != stream.OK {
		return r
	}
	m.Quote.Ask, _, r = s.level(ownColumns + 2)
	return r
}
