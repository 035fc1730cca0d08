package history

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/table"
)

// pages keeps pages for other answers.
var pages = sync.Pool{New: func() any { return new(history.Page) }}

// snapshots keeps what writes books: what it notes of levels takes 8 kB.
var snapshots = sync.Pool{New: func() any { return new(table.Snapshots) }}

// page answers with a page of JSON.
func (h *Handler) page(ctx context.Context, w http.ResponseWriter, a *asked, f *found, e wire.Encoding) error {
	p := pages.Get().(*history.Page)
	defer func() {
		if p.Bytes() <= wire.KeptBuffer {
			pages.Put(p)
		}
	}()
	q := f.query(a)
	if err := p.Read(ctx, h.cfg.Catalogue, q); err != nil {
		return err
	}
	h.cfg.Served(a.point, int64(p.Count))
	out := wire.TakeBuffer()
	defer out.Give()
	next := ""
	if p.More {
		next = encodeBucket(a.digest, bucketCursor{f.digest(), p.Next})
	}
	out.B = appendHistory(out.B, q, p, a.resolution.Name, a.limit, next)
	return wire.Send(w, out.B, e)
}

// WritePage writes a page in the form of the history routes, without a cursor.
// limit is the limit stated in the answer.
func WritePage(w io.Writer, q *history.Query, p *history.Page, resolution string, limit int) error {
	_, err := w.Write(append(appendHistory(nil, q, p, resolution, limit, ""), '\n'))
	return err
}

// appendHistory writes the whole answer.
func appendHistory(dst []byte, q *history.Query, p *history.Page, resolution string, limit int, next string) []byte {
	m, labels := &q.Row.Market, history.Labels(&q.Row.Market)
	var c table.Clock
	dst = table.AppendString(append(dst, `{"market_id":`...), m.VenueID)
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
		dst = append(dst, `},"data":{`...)
		for i := range p.Lists {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(table.AppendString(dst, labels[i]), ':')
			dst = appendList(&c, dst, &p.Lists[i])
		}
		dst = append(dst, '}')
	} else {
		dst = appendList(&c, append(dst, `,"data":`...), &p.Lists[0])
	}
	dst = append(dst, `,"metadata":{"count":`...)
	dst = strconv.AppendInt(dst, int64(p.Count), 10)
	dst = append(dst, `,"limit":`...)
	dst = strconv.AppendInt(dst, int64(limit), 10)
	dst = append(dst, `,"next_cursor":`...)
	if next != "" {
		dst = append(append(append(dst, '"'), next...), '"')
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, "}}"...)
}

// stampLen is the length of the longest time of a point.
const stampLen = len("2006-01-02T15:04:05.000Z")

// appendList writes the points of a list, of whichever kind they are.
func appendList(c *table.Clock, dst []byte, l *history.List) []byte {
	stamp := make([]byte, 0, stampLen)
	dst = append(dst, '[')
	from := len(dst)
	next := func() {
		if len(dst) > from {
			dst = append(dst, ',')
		}
	}
	for _, v := range l.Prices {
		next()
		stamp = c.Append(stamp[:0], v.T)
		dst = table.AppendPrice(dst, stamp, v.P)
	}
	if len(l.Books) > 0 {
		books := snapshots.Get().(*table.Snapshots)
		for i := range l.Books {
			next()
			stamp = c.Append(stamp[:0], l.Books[i].T)
			dst = books.Append(dst, stamp, l.Books[i].Bids, l.Books[i].Asks)
		}
		books.Begin()
		snapshots.Put(books)
	}
	for i := range l.Quotes {
		next()
		stamp = c.Append(stamp[:0], l.Quotes[i].T)
		dst = table.AppendQuote(dst, stamp, l.Quotes[i].Quote)
	}
	for i := range l.Metrics {
		next()
		stamp = c.Append(stamp[:0], l.Metrics[i].T)
		m := &l.Metrics[i].Metric
		dst = table.AppendMetric(dst, stamp, m.Liquidity, m.Spread, m.Volume)
	}
	return append(dst, ']')
}
