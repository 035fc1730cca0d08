// Package quotecsv reads CSV files of an up/down round's best prices, taken once
// a second: Timestamp, TargetTime (the round's start), Expiration, UpBid, UpAsk
// and so on. The files name no coin.
package quotecsv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Columns, by their place among those read.
const (
	atTime = iota
	atStart
	atEnd
	atBid
	atAsk
)

// Needs returns the columns that identify these files.
func Needs() []rows.Want { return rows.Needs("Timestamp TargetTime Expiration UpBid UpAsk", rows.Text) }

// Reasons of this format.
const (
	badRound      stream.Reason = "round not understood"
	outsideWindow stream.Reason = "time far from its round (another time zone? --timezone)"
)

// ErrCoin says that nothing tells of which coin the rounds are.
var ErrCoin = errors.New("no coin given: use --coin, or name the file after the coin")

// Options supply what a file does not say.
type Options struct {
	// Coin is a ticker; empty: the one that the file's name has as a word.
	Coin string
	// Zone is the time zone of Timestamp; nil: UTC. The rounds' own times are UTC.
	Zone *time.Location
}

// Import reads a file to its end, as stream.Import does. file is its name.
func Import(ctx context.Context, r io.Reader, file string, o Options, to stream.Sink) (messages int64, err error) {
	coin := o.Coin
	if coin == "" {
		coin = coinOf(file)
	}
	if coin == "" {
		return 0, ErrCoin
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	f, err := rows.OpenCSV(r)
	if err != nil {
		return 0, err
	}
	t, err := f.Read(rows.Names(Needs())...)
	if err != nil {
		return 0, err
	}
	return stream.Import(ctx, &source{t: t, coin: strings.ToLower(coin), zone: o.Zone}, to)
}

// coinOf returns the ticker of the coin that the name of a file has as a word,
// or none.
func coinOf(file string) string {
	words := strings.FieldsFunc(filepath.Base(file), func(c rune) bool {
		return c != '$' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	})
	for _, w := range words {
		if coin, ok := market.CoinByName(w); ok {
			return coin
		}
	}
	return ""
}

type source struct {
	t    rows.Table
	coin string
	zone *time.Location
	msgs [1]stream.Message

	start, end string // of the round at hand, as written
	slug       []byte
	from, to   market.Instant
}

func (s *source) Next() ([]stream.Message, error) {
	return stream.Row(s.t, s.read, &s.msgs)
}

func (s *source) Line() (int64, []byte) { return s.t.Row(), s.t.Text(atTime) }

// margin is how far outside of its round a row may lie.
const margin = 10 * market.Minute

func (s *source) read(m *stream.Message) (r stream.Reason) {
	if r := s.round(); r != stream.OK {
		return r
	}
	if m.Recv, r = instant(s.t.Text(atTime), s.zone); r != stream.OK {
		return r
	}
	if m.Recv < s.from-margin || m.Recv > s.to+margin {
		return outsideWindow
	}
	m.Type, m.Slug, m.Label = stream.Quote, s.slug, []byte("Up")
	// Down is the mirror of Up, asked for in another request: one of them counts.
	if m.Quote.Bid.Price, r = s.best(atBid, market.Bid); r == stream.OK {
		m.Quote.Ask.Price, r = s.best(atAsk, market.Ask)
	}
	return r
}

// round turns to the round of the row at hand.
func (s *source) round() stream.Reason {
	start, end := s.t.Text(atStart), s.t.Text(atEnd)
	if s.slug != nil && string(start) == s.start && string(end) == s.end {
		return stream.OK
	}
	s.slug = nil
	from, r := instant(start, time.UTC)
	if r != stream.OK {
		return r
	}
	to, r := instant(end, time.UTC)
	if r != stream.OK {
		return r
	}
	minutes := int64((to - from) / market.Minute)
	typ, span, ok := market.ParseLength(strconv.FormatInt(minutes, 10) + "m")
	if !ok || span != to-from {
		return badRound
	}
	s.start, s.end, s.from, s.to = string(start), string(end), from, to
	s.slug = fmt.Appendf(nil, "%s-updown-%s-%d", s.coin, typ, from/market.Second)
	return stream.OK
}

// best reads a best price; an empty cell and 0 mean an empty side.
func (s *source) best(at int, side market.Side) (market.Price, stream.Reason) {
	p, r := s.t.Price(at)
	if r == scalar.NoPrice {
		return market.NoPrice, stream.OK
	}
	return scalar.BestPrice(p, side), r
}

// instant reads a date and time without a zone, or any time that has one.
func instant(text []byte, zone *time.Location) (market.Instant, stream.Reason) {
	if len(text) == 0 {
		return 0, stream.NoTime
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999"} {
		if at, err := time.ParseInLocation(layout, string(text), zone); err == nil {
			return scalar.Instant(at.UnixMicro())
		}
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999Z07:00", "2006-01-02 15:04:05.999999-07"} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			return scalar.Instant(at.UnixMicro())
		}
	}
	return scalar.Time(text)
}
