// Package dome reads the order books that Dome's API answers with: pages of
// snapshots, one page a line or one after another,
//
//	{"snapshots": [{"assetId": …, "market": …, "timestamp": <ms>, "bids": [{"price", "size"}], "asks": […], …}], "pagination": …}
//
// or the snapshots alone, in an array. timestamp is the exchange's clock
// and counts as the receive time: when Dome indexed a snapshot (indexedAt) may be hours
// later.
package dome

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Recognise reports whether prefix, the beginning of a file, is of such snapshots.
func Recognise(prefix []byte) bool {
	head := bytes.TrimSpace(bytes.TrimPrefix(prefix, bom))
	return len(head) > 0 && (head[0] == '{' || head[0] == '[') &&
		bytes.Contains(head, []byte(`"assetId"`)) && bytes.Contains(head, []byte(`"bids"`))
}

var bom = []byte("\xef\xbb\xbf")

// maxSnapshot is how much is read for one snapshot, in bytes.
const maxSnapshot = 16 << 20

// Import reads snapshots to their end, as stream.Import does.
func Import(ctx context.Context, r io.Reader, to stream.Sink) (messages int64, err error) {
	s := &source{left: io.LimitedReader{R: skipBOM(r), N: maxSnapshot}}
	s.d = json.NewDecoder(&s.left)
	return stream.Import(ctx, s, to)
}

func skipBOM(r io.Reader) io.Reader {
	var head [3]byte
	n, _ := io.ReadFull(r, head[:])
	return io.MultiReader(bytes.NewReader(bytes.TrimPrefix(head[:n], bom)), r)
}

// source reads one snapshot at a time.
type source struct {
	left io.LimitedReader
	d    *json.Decoder
	in   bool // an array of snapshots
	open int  // objects around it
	n    int64
	raw  json.RawMessage
	msgs [1]stream.Message
	c    jsonlex.Cursor
	buf  []market.Level
}

func (s *source) Line() (int64, []byte) { return s.n, s.raw }

func (s *source) Next() ([]stream.Message, error) {
	if err := s.next(); err != nil {
		if s.left.N <= 0 {
			return nil, fmt.Errorf("a snapshot of more than %d bytes", maxSnapshot)
		}
		return nil, err
	}
	s.left.N = maxSnapshot
	s.n++
	s.msgs[0] = stream.Message{}
	if r := s.read(&s.msgs[0]); r != stream.OK {
		s.msgs[0] = stream.Message{Reject: r}
	}
	return s.msgs[:], nil
}

// next reads the next snapshot. It goes over the members of pages until it comes to
// their snapshots.
func (s *source) next() error {
	for {
		if s.in {
			if s.d.More() {
				return unexpected(s.d.Decode(&s.raw))
			}
			if _, err := s.d.Token(); err != nil {
				return unexpected(err)
			}
			s.in = false
			continue
		}
		t, err := s.d.Token()
		switch {
		case err != nil && s.open > 0:
			return unexpected(err)
		case err != nil:
			return err
		case t == json.Delim('['):
			s.in = true
		case t == json.Delim('{'):
			s.open++
		case t == json.Delim('}'):
			s.open--
		}
	}
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// read takes the snapshot at hand.
func (s *source) read(m *stream.Message) (r stream.Reason) {
	m.Type = stream.Book
	s.c.Reset(s.raw)
	if s.c.Peek() != '{' {
		return stream.NotAMessage
	}
	at, has, odd := s.members(m)
	switch {
	case s.c.Bad || !s.c.AtEnd():
		return stream.BadJSON
	case odd != stream.OK:
		return odd
	case len(m.Asset) == 0:
		return stream.NoToken
	case !scalar.ID(m.Asset) || len(m.Market) > 0 && !scalar.ID(m.Market):
		return stream.BadID
	case !has:
		return stream.NoLevels
	case len(at) == 0:
		return stream.NoTime
	}
	m.Bids, m.Asks = ladder.Order(m.Bids, market.Bid, true), ladder.Order(m.Asks, market.Ask, true)
	m.Exch, r = scalar.Time(at)
	m.Recv = m.Exch
	return r
}

// members reads the members of the snapshot at hand: its time, whether it has a side,
// and what is wrong with a level.
func (s *source) members(m *stream.Message) (at []byte, has bool, odd stream.Reason) {
	s.buf = s.buf[:0]
	for key := range s.c.Members() {
		switch string(key) {
		case "assetId":
			m.Asset, _, _ = s.c.Scalar()
		case "market":
			m.Market, _, _ = s.c.Scalar()
		case "timestamp":
			at, _, _ = s.c.Scalar()
		case "bids":
			m.Bids, has = s.side(&odd), true
		case "asks":
			m.Asks, has = s.side(&odd), true
		default:
			s.c.Skip()
		}
	}
	return at, has, odd
}

func (s *source) side(odd *stream.Reason) []market.Level {
	from := len(s.buf)
	buf, r := ladder.Append(s.buf, &s.c, true)
	if s.buf = buf; *odd == stream.OK {
		*odd = r
	}
	return buf[from:len(buf):len(buf)]
}
