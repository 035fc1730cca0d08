package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/market"
)

// series is the points of one list of an answer, as JSON without its brackets.
type series struct{ *buffer }

// next begins another point.
func (s series) next() {
	if len(s.b) > 0 {
		s.b = append(s.b, ',')
	}
}

// pageOut collects the points of one page.
type pageOut struct {
	lists []series // one a token on market routes, else one
	count int
	room  int            // buckets that still fit
	more  market.Instant // time of the first bucket that does not fit
	full  bool
	clock clock
	stamp []byte
}

func newPageOut(lists, room int) *pageOut {
	p := &pageOut{lists: make([]series, lists), room: room}
	for i := range p.lists {
		p.lists[i] = series{takeBuffer()}
	}
	return p
}

func (p *pageOut) give() {
	for _, l := range p.lists {
		l.give()
	}
}

// bucket begins the bucket at t; false when it is of the next page.
func (p *pageOut) bucket(t market.Instant) bool {
	if p.room == 0 {
		p.full, p.more = true, t
		return false
	}
	p.room--
	p.stamp = p.clock.append(p.stamp[:0], t)
	return true
}

// point is where the next point of a list goes.
func (p *pageOut) point(list int) *buffer {
	p.count++
	p.lists[list].next()
	return p.lists[list].buffer
}

// page answers with a page of JSON.
func (s *Server) page(ctx context.Context, w http.ResponseWriter, a *asked, f *found, e encoding) error {
	lists, room := 1, a.limit
	if a.perToken() {
		lists = len(f.row.Market.Tokens)
		room = a.limit / max(1, lists)
	}
	p := newPageOut(lists, room)
	defer p.give()
	if err := s.walk(ctx, a, f, p.emitter(a, f)); err != nil {
		return err
	}
	s.metrics.points.WithLabelValues(string(a.point)).Add(float64(p.count))
	out := takeBuffer()
	defer out.give()
	out.b = p.appendAnswer(out.b, a, f)
	return send(w, out.b, e)
}

// emitter takes the walked buckets of a page.
type emitter struct {
	prices  func(t market.Instant, p []int64) bool
	metrics func(t market.Instant, m history.Metric) bool
	books   func(t market.Instant, b []history.Ladder) bool
}

// emitter returns what writes the points of a page.
func (p *pageOut) emitter(a *asked, f *found) emitter {
	first, last := 0, len(f.row.Market.Tokens)
	if a.token {
		first, last = f.token, f.token+1
	}
	return emitter{
		prices: func(t market.Instant, v []int64) bool {
			if a.token && v[first] == history.None {
				return true
			}
			if !p.bucket(t) {
				return false
			}
			for i := first; i < last; i++ {
				if v[i] != history.None {
					b := p.point(i - first)
					b.b = appendPrice(b.b, p.stamp, v[i])
				}
			}
			return true
		},
		books: func(t market.Instant, ladders []history.Ladder) bool {
			if a.token && !ladders[first].Known {
				return true
			}
			if !p.bucket(t) {
				return false
			}
			for i := first; i < last; i++ {
				if ladders[i].Known {
					b := p.point(i - first)
					b.b = appendBook(b.b, p.stamp, &ladders[i])
				}
			}
			return true
		},
		metrics: func(t market.Instant, m history.Metric) bool {
			if !p.bucket(t) {
				return false
			}
			b := p.point(0)
			b.b = appendMetric(b.b, p.stamp, m)
			return true
		},
	}
}

// walk hands the buckets of the window, from the cursor on, to e.
func (s *Server) walk(ctx context.Context, a *asked, f *found, e emitter) error {
	m := &f.row.Market
	q := history.Request{Market: m, Window: a.window, Known: f.known}
	if a.cursor != nil {
		q.Window.Start = a.cursor.at
	}
	q.Exact = max(q.Window.First(), f.known.From)
	if q.Exact >= min(q.Window.Stop(), f.known.To) || q.Window.First() >= q.Window.End {
		return nil
	}
	captures := func(use scan.Use) history.Captures {
		return s.catalogue.CapturesFrom(ctx, f.row, q.Exact, min(q.Window.Stop(), f.known.To), use)
	}
	switch a.point {
	case pricePoints:
		return s.catalogue.Prices(ctx, f.row, q, reach(a, f, q), e.prices)
	case bookPoints:
		return history.Books(q, captures(scan.ForBooks), e.books)
	}
	q.Exact -= history.Grid // mostly that is where the last spread is seen
	err := history.Metrics(q, captures(scan.ForAll), e.metrics)
	if !errors.Is(err, history.ErrSpread) {
		return err
	}
	if q.Seed, err = s.seed(ctx, f, q.Exact); err != nil {
		return err
	}
	return history.Metrics(q, captures(scan.ForAll), e.metrics)
}

// reach returns about how far a walk gets before the answer is full.
func reach(a *asked, f *found, q history.Request) market.Instant {
	stop := min(q.Window.Stop(), q.Known.To)
	if a.media != mediaJSON {
		return stop
	}
	room := a.limit
	if a.perToken() {
		room /= max(1, len(f.row.Market.Tokens))
	}
	first := max(q.Window.First(), q.Known.From)
	return min(stop, first+market.Instant(room+1)*q.Window.Resolution)
}

// seed looks for the last spread before to, in ever larger steps.
func (s *Server) seed(ctx context.Context, f *found, to market.Instant) (history.Seed, error) {
	m := &f.row.Market
	for step := market.Minute; to > f.known.From; step *= 4 {
		from := max(f.known.From, to-step)
		captures := s.catalogue.CapturesFrom(ctx, f.row, from, to, scan.ForBooks)
		spread, found, err := history.LastSpread(m, f.known, from, to, captures)
		if err != nil || found {
			return history.Seed{Spread: spread, SpreadKnown: true}, err
		}
		to = from
	}
	return history.Seed{NoSpread: true}, nil
}

// appendAnswer writes the whole answer.
func (p *pageOut) appendAnswer(dst []byte, a *asked, f *found) []byte {
	m := &f.row.Market
	dst = appendString(append(dst, `{"market_id":`...), m.VenueID)
	if a.token {
		dst = appendString(append(dst, `,"token_id":`...), m.Tokens[f.token].VenueID)
		dst = appendString(append(dst, `,"token_label":`...), f.labels[f.token])
	}
	dst = appendString(append(dst, `,"resolution":`...), a.resolution.Name)
	if a.perToken() {
		dst = append(dst, `,"tokens":{`...)
		for i, t := range m.Tokens {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, f.labels[i]), ':')
			dst = appendString(dst, t.VenueID)
		}
		dst = append(dst, `},"data":{`...)
		for i := range p.lists {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, f.labels[i]), ":["...)
			dst = append(append(dst, p.lists[i].b...), ']')
		}
		dst = append(dst, '}')
	} else {
		dst = append(append(append(dst, `,"data":[`...), p.lists[0].b...), ']')
	}
	dst = append(dst, `,"metadata":{"count":`...)
	dst = strconv.AppendInt(dst, int64(p.count), 10)
	dst = append(dst, `,"limit":`...)
	dst = strconv.AppendInt(dst, int64(a.limit), 10)
	dst = append(dst, `,"next_cursor":`...)
	if p.full {
		dst = append(append(append(dst, '"'), encodeBucket(a.digest, bucketCursor{f.digest(), p.more})...), '"')
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, "}}"...)
}

// send answers with JSON in an encoding.
func send(w http.ResponseWriter, body []byte, e encoding) error {
	h := w.Header()
	h.Set("Content-Type", string(mediaJSON))
	if e != identity {
		packed := takeBuffer()
		defer packed.give()
		z := newEncoder(e, packed)
		_, err := z.Write(body)
		if err = errors.Join(err, z.Close()); err != nil {
			return err
		}
		h.Set("Content-Encoding", string(e))
		body = packed.b
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
	return nil
}

// Write appends to the buffer; it never fails.
func (b *buffer) Write(p []byte) (int, error) {
	b.b = append(b.b, p...)
	return len(p), nil
}
