package history

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// sheet is a page with the text of its lists.
type sheet struct {
	history.Page
	// lists has, for each list of prices or books, these, with a comma behind each. Before the
	// first stands all that an answer has before it, and what follows is added to it.
	lists    [][]byte
	books    []table.Snapshots // those of Request.Steps
	mirrored bool
	clock    table.Clock
	at       market.Instant // of stamp
	stamp    []byte         // empty: none was written
}

// sheets keeps sheets for other answers.
var sheets = sync.Pool{New: func() any {
	s := &sheet{}
	s.Writer = s
	return s
}}

// Step implements history.Writer.
func (s *sheet) Step(book int, whole bool, bids, asks []market.Level) {
	if whole {
		s.books[book].Replace(bids, asks)
	} else {
		s.books[book].Set(bids, asks)
	}
}

// stampOf returns the text of the time of a bucket, which is mostly that of the point before.
func (s *sheet) stampOf(t market.Instant) []byte {
	if t != s.at || len(s.stamp) == 0 {
		s.at, s.stamp = t, s.clock.Append(s.stamp[:0], t)
	}
	return s.stamp
}

// Price implements history.Writer.
func (s *sheet) Price(list int, t market.Instant, p int64) {
	s.lists[list] = append(table.AppendPrice(s.lists[list], s.stampOf(t), p), ',')
}

// Book implements history.Writer.
func (s *sheet) Book(list, token int, t market.Instant) {
	stamp := s.stampOf(t)
	dst := s.lists[list]
	if s.mirrored {
		dst = s.books[0].Append(dst, stamp, token != 0)
	} else {
		dst = s.books[token].Append(dst, stamp, false)
	}
	s.lists[list] = append(dst, ',')
}

// give returns the sheet for reuse, unless it has grown large.
func (s *sheet) give() {
	n := s.Bytes()
	for _, b := range s.lists[:cap(s.lists)] {
		n += cap(b)
	}
	for i := range s.books[:cap(s.books)] {
		n += s.books[:cap(s.books)][i].Bytes()
	}
	if n <= wire.KeptBuffer {
		sheets.Put(s)
	}
}

// page answers with a page of JSON.
func (h *Handler) page(ctx context.Context, w http.ResponseWriter, a *asked, f *found, e wire.Encoding) error {
	s := sheets.Get().(*sheet)
	defer s.give()
	q := f.query(a)
	if err := s.read(ctx, h.cfg.Catalogue(ctx), q, a.resolution.Name); err != nil {
		return err
	}
	h.cfg.Served(a.point, int64(s.Count))
	next := ""
	if s.More {
		next = encodeBucket(a.digest, bucketCursor{f.digest(), s.Next})
	}
	return wire.Send(ctx, w, e, s.end(q, a.limit, next)...)
}

// WritePage writes what q asks for in the form of the history routes, without a cursor.
// limit is the limit stated in the answer.
func WritePage(ctx context.Context, w io.Writer, src history.Source, q *history.Query, resolution string, limit int) error {
	s := sheets.Get().(*sheet)
	defer s.give()
	if err := s.read(ctx, src, q, resolution); err != nil {
		return err
	}
	for _, p := range append(s.end(q, limit, ""), []byte("\n")) {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// read reads what q asks for, and begins the answer.
func (s *sheet) read(ctx context.Context, src history.Source, q *history.Query, resolution string) error {
	m, labels := &q.Row.Market, history.Labels(&q.Row.Market)
	n := max(1, len(m.Tokens)) // metrics are one list
	s.lists, s.books, s.mirrored = slices.Grow(s.lists[:0], n)[:n], slices.Grow(s.books[:0], n)[:n], m.Mirrored
	for i := range n {
		s.lists[i] = s.lists[i][:0]
		s.books[i].Clear()
	}
	dst := table.AppendString(append(s.lists[0], `{"market_id":`...), m.VenueID)
	if q.OneToken {
		dst = table.AppendString(append(dst, `,"token_id":`...), m.Tokens[q.Token].VenueID)
		dst = table.AppendString(append(dst, `,"token_label":`...), labels[q.Token])
	}
	dst = table.AppendString(append(dst, `,"resolution":`...), resolution)
	if q.PerToken() {
		dst = append(dst, `,"tokens":{`...)
		for i, t := range m.Tokens {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(table.AppendString(dst, labels[i]), ':')
			dst = table.AppendString(dst, t.VenueID)
		}
		dst = append(dst, '}')
	}
	switch dst = append(dst, `,"data":`...); {
	case !q.PerToken():
		dst = append(dst, '[')
	case len(labels) == 0:
		dst = append(dst, '{')
	default:
		dst = append(table.AppendString(append(dst, '{'), labels[0]), `:[`...)
	}
	s.lists[0] = dst
	return s.Read(ctx, src, q)
}

// longList is from how many bytes on a list is a part of an answer by itself.
const longList = 32 << 10

// end writes the answer from the first list on, and returns all of it, in parts.
func (s *sheet) end(q *history.Query, limit int, next string) [][]byte {
	var parts [][]byte
	dst, in := s.lists[0], 0
	if !q.PerToken() {
		dst = s.appendPoints(dst, &s.Lists[0])
	} else {
		labels := history.Labels(&q.Row.Market)
		for i := range s.Lists {
			if i > 0 {
				dst = append(table.AppendString(append(dst, ','), labels[i]), `:[`...)
				if len(s.lists[i]) < longList {
					dst = append(dst, s.lists[i]...)
				} else {
					s.lists[in], parts = dst, append(parts, dst)
					dst, in = s.lists[i], i
				}
			}
			dst = s.appendPoints(dst, &s.Lists[i])
		}
		dst = append(dst, '}')
	}
	dst = append(dst, `,"metadata":{"count":`...)
	dst = strconv.AppendInt(dst, int64(s.Count), 10)
	dst = append(dst, `,"limit":`...)
	dst = strconv.AppendInt(dst, int64(limit), 10)
	dst = append(dst, `,"next_cursor":`...)
	if next != "" {
		dst = append(append(append(dst, '"'), next...), '"')
	} else {
		dst = append(dst, "null"...)
	}
	s.lists[in] = append(dst, "}}"...)
	return append(parts, s.lists[in])
}

// appendPoints writes the points of a list but for prices and books, and its end.
func (s *sheet) appendPoints(dst []byte, l *history.List) []byte {
	for i := range l.Quotes {
		dst = append(table.AppendQuote(dst, s.stampOf(l.Quotes[i].T), l.Quotes[i].Quote), ',')
	}
	for i := range l.Metrics {
		m := &l.Metrics[i].Metric
		dst = append(table.AppendMetric(dst, s.stampOf(l.Metrics[i].T), m.Liquidity, m.Spread, m.Volume), ',')
	}
	if last := len(dst) - 1; dst[last] == ',' {
		dst = dst[:last]
	}
	return append(dst, ']')
}
