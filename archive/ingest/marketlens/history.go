// Package marketlens reads Marketlens's exports: the order-book history of a
// market, one Parquet file per market, and markets.csv, which says which market
// each file belongs to.
package marketlens

import (
	"context"
	"path"
	"slices"

	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Columns of a history, by their place among those read.
const (
	atEvent = iota
	atTime
	atPrice
	atSize
	atSide
	atBids
	atAsks
)

// NeedsHistory returns the columns that identify a history.
func NeedsHistory() []rows.Want {
	want := rows.Needs("event_type", rows.Text)
	want = append(want, rows.Needs("t", rows.Times...)...)
	want = append(want, rows.Needs("price size", rows.Numbers...)...)
	return append(want, rows.Needs("side bids asks", rows.Text)...)
}

// captured is the outcome whose book a history holds.
const captured = "Up"

// BadFile says that the history's name is none that markets.csv could say.
const BadFile stream.Reason = "file name not understood"

// ImportHistory reads a history to its end, as stream.Import does. file is its
// name, by which markets.csv refers to it; folders are ignored.
func ImportHistory(ctx context.Context, p *rows.Parquet, file string, to stream.Sink) (messages int64, err error) {
	names := rows.Names(NeedsHistory())
	s := &history{file: []byte(path.Base(file)), reseed: -1}
	if slices.ContainsFunc(p.Columns(), func(c rows.Column) bool { return c.Name == "is_reseed" }) {
		names, s.reseed = append(names, "is_reseed"), len(names)
	}
	if s.t, err = p.Read(names...); err != nil {
		return 0, err
	}
	return stream.Import(ctx, s, to)
}

type history struct {
	t      rows.Table
	file   []byte
	reseed int // place of is_reseed; -1: there is none
	msgs   []stream.Message
	c      jsonlex.Cursor
	buf    []market.Level
}

func (s *history) Next() ([]stream.Message, error) {
	if err := s.t.Next(); err != nil {
		return nil, err
	}
	m := stream.Message{AltID: s.file, Label: []byte(captured)}
	s.msgs = s.msgs[:0]
	if r := s.read(&m); r != stream.OK {
		return append(s.msgs, stream.Message{Reject: r}), nil
	}
	s.msgs = append(s.msgs, m)
	return s.msgs, nil
}

func (s *history) Line() (int64, []byte) { return s.t.Row(), s.t.Text(atEvent) }

func (s *history) read(m *stream.Message) (r stream.Reason) {
	if !scalar.ID(s.file) {
		return BadFile
	}
	if m.Recv, r = rows.Received(s.t, atTime); r != stream.OK {
		return r
	}
	switch string(s.t.Text(atEvent)) {
	case "snapshot":
		return s.snapshot(m)
	case "delta":
		m.Type = stream.Change
		l, side, r := s.level()
		if r == stream.OK && side == market.SideUnknown {
			r = stream.BadSide
		}
		s.buf = append(s.buf[:0], l)
		if side == market.Bid {
			m.Bids = s.buf
		} else {
			m.Asks = s.buf
		}
		return r
	case "trade":
		m.Type = stream.Trade
		l, side, r := s.level()
		m.Trade = market.Trade{Price: l.Price, Size: l.Size, Side: side}
		return r
	}
	return stream.UnknownEvent
}

// snapshot reads a whole book, and the reset before it where the feed had begun
// anew.
func (s *history) snapshot(m *stream.Message) (r stream.Reason) {
	m.Type = stream.Book
	if s.t.Null(atBids) && s.t.Null(atAsks) {
		return stream.NoLevels
	}
	s.buf = s.buf[:0]
	if m.Bids, r = ladder.Side(&s.buf, &s.c, s.t.Text(atBids), market.Bid); r == stream.OK {
		m.Asks, r = ladder.Side(&s.buf, &s.c, s.t.Text(atAsks), market.Ask)
	}
	if r == stream.OK && s.reseed >= 0 && s.t.Flag(s.reseed) {
		again := *m
		again.Type, again.Bids, again.Asks = stream.ResetMark, nil, nil
		s.msgs = append(s.msgs, again)
		m.Part = 1
	}
	return r
}

// level reads price, size and side of a row.
func (s *history) level() (l market.Level, side market.Side, r stream.Reason) {
	l, r = rows.Level(s.t, atPrice, atSize)
	if text := s.t.Text(atSide); r == stream.OK && len(text) > 0 {
		side, r = scalar.Side(text)
	}
	return l, side, r
}
