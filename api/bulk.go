package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// bulkChunk is how many bytes of a bulk answer are gathered before they are sent.
const bulkChunk = 64 << 10

// rows writes the rows of a bulk answer in one of its forms. Each method takes
// the time of the bucket and the index of the token.
type rows interface {
	price(t market.Instant, token int, p int64) error
	metric(t market.Instant, m history.Metric) error
	book(t market.Instant, token int, l *history.Ladder) error
	// close ends the answer; nothing is written afterwards.
	close() error
}

// bulk answers with the whole window, as a stream.
func (s *Server) bulk(w http.ResponseWriter, r *http.Request, a *asked, f *found, e encoding) error {
	if r.Method == http.MethodHead {
		bulkHeader(w, a, e)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	logOf(r.Context()).long = true
	if err := unhurried(w); err != nil {
		return err
	}
	day := s.guard.Day()
	kept, err := s.reserve(r.Context(), a, f)
	if err != nil {
		return err
	}
	sent, begun, err := s.sendRows(w, r, a, f, e)
	if !begun {
		sent = 0
	}
	s.metrics.points.WithLabelValues(string(a.point)).Add(float64(sent))
	if kept > sent {
		// The client may have gone: what was not sent is given back all the same.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 5*time.Second)
		defer cancel()
		if back := s.guard.GiveBulk(ctx, holderOf(ctx), day, kept-sent); back != nil {
			err = errors.Join(err, back)
		}
	}
	if err != nil && begun {
		entry := logOf(r.Context())
		if entry.cut = clientGone(r.Context()); !entry.cut {
			s.log.WarnContext(r.Context(), "bulk answer cut off", "request_id", entry.id, "cause", err.Error())
		}
		panic(http.ErrAbortHandler) // the client must see that the answer is not whole
	}
	return err
}

func bulkHeader(w http.ResponseWriter, a *asked, e encoding) {
	h := w.Header()
	media := string(a.media)
	if a.media == mediaCSV {
		media += "; charset=utf-8; header=present"
	}
	h.Set("Content-Type", media)
	if e != identity {
		h.Set("Content-Encoding", string(e))
	}
}

// reserve counts the points of the window against the plan: as many as it can
// have at most, or, where those are more than the day has left, as many as it
// has.
func (s *Server) reserve(ctx context.Context, a *asked, f *found) (int64, error) {
	h := holderOf(ctx)
	if h.Plan.BulkPointsPerDay <= 0 {
		return 0, nil
	}
	most := mostPoints(a, f)
	wait, err := s.guard.TakeBulk(ctx, h, most)
	if err != nil {
		return 0, unavailable("the store of limits", err)
	}
	if wait == 0 {
		return most, nil
	}
	n, q := int64(0), f.query(a)
	err = history.Walk(ctx, s.catalogue, q, counter(q, func(points int64) bool {
		n += points
		return n <= h.Plan.BulkPointsPerDay
	}))
	if err != nil {
		return 0, err
	}
	if wait, err = s.guard.TakeBulk(ctx, h, n); err != nil {
		return 0, unavailable("the store of limits", err)
	}
	if wait == 0 {
		return n, nil
	}
	s.metrics.limited.WithLabelValues("bulk").Inc()
	over := market.Errorf(market.CodeRateLimited,
		"bulk points of the day used up: plan %s has %d a day, and this answer needs %d; try again in %d s, after midnight UTC",
		h.Plan.Name, h.Plan.BulkPointsPerDay, n, wait)
	over.RetryAfter = wait
	return 0, over
}

// mostPoints returns how many points the window can have.
func mostPoints(a *asked, f *found) int64 {
	res := a.window.Resolution
	first := max(a.window.First(), f.known.From/res*res)
	last := min(a.window.End, f.known.To)
	if last <= first {
		return 0
	}
	buckets := int64((last - first + res - 1) / res)
	if a.perToken() {
		return buckets * int64(len(f.row.Market.Tokens))
	}
	return buckets
}

// counter counts points bucket by bucket until count returns false.
func counter(q *history.Query, count func(points int64) bool) history.Emit {
	first, last := q.Tokens()
	return history.Emit{
		Prices: func(_ market.Instant, p []int64) bool {
			n := int64(0)
			for _, v := range p[first:last] {
				if v != history.None {
					n++
				}
			}
			return count(n)
		},
		Books: func(_ market.Instant, b []history.Ladder) bool {
			n := int64(0)
			for i := range b[first:last] {
				if b[first+i].Known {
					n++
				}
			}
			return count(n)
		},
		Metrics: func(market.Instant, history.Metric) bool { return count(1) },
	}
}

// sendRows sends the rows. begun says whether anything was sent.
func (s *Server) sendRows(w http.ResponseWriter, r *http.Request, a *asked, f *found, e encoding) (sent int64, begun bool, err error) {
	out := &bulkOut{w: w, rc: http.NewResponseController(w), wait: s.cfg.WriteTimeout, begin: func() { bulkHeader(w, a, e) }}
	z := newEncoder(e, out)
	dst := newRows(z, a, f)
	var failed error
	q := f.query(a)
	err = errors.Join(history.Walk(r.Context(), s.catalogue, q, rowEmitter(q, dst, &sent, &failed)), failed)
	if err == nil {
		err = dst.close()
	}
	if closing := z.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = out.flush()
	}
	return sent, out.begun, err
}

// rowEmitter writes buckets as rows; what goes wrong with that is put in failed.
func rowEmitter(q *history.Query, dst rows, sent *int64, failed *error) history.Emit {
	first, last := q.Tokens()
	ok := func(err error) bool {
		*sent++
		if err != nil {
			*failed = err
		}
		return err == nil
	}
	return history.Emit{
		Prices: func(t market.Instant, p []int64) bool {
			for i := first; i < last; i++ {
				if p[i] != history.None && !ok(dst.price(t, i, p[i])) {
					return false
				}
			}
			return true
		},
		Books: func(t market.Instant, b []history.Ladder) bool {
			for i := first; i < last; i++ {
				if b[i].Known && !ok(dst.book(t, i, &b[i])) {
					return false
				}
			}
			return true
		},
		Metrics: func(t market.Instant, m history.Metric) bool { return ok(dst.metric(t, m)) },
	}
}

// bulkOut gathers bytes and sends them in chunks, each within a time limit of
// its own. The header goes with the first chunk: until then an error can still
// be answered as one.
type bulkOut struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	wait  time.Duration
	begin func()
	begun bool
	buf   bytes.Buffer
}

func (o *bulkOut) Write(p []byte) (int, error) {
	o.buf.Write(p)
	if o.buf.Len() < bulkChunk {
		return len(p), nil
	}
	return len(p), o.flush()
}

func (o *bulkOut) flush() error {
	if !o.begun {
		o.begun = true
		o.begin()
		o.w.WriteHeader(http.StatusOK)
	}
	if err := o.rc.SetWriteDeadline(time.Now().Add(o.wait)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	_, err := o.w.Write(o.buf.Bytes())
	o.buf.Reset()
	return err
}

// WriteHistoryCSV writes all that q asks for as the bulk answer in CSV does. What
// was written before an error stays.
func WriteHistoryCSV(ctx context.Context, w io.Writer, src history.Source, q *history.Query) error {
	f := &found{row: q.Row, token: q.Token, labels: history.Labels(&q.Row.Market)}
	out := bufio.NewWriterSize(w, bulkChunk)
	dst := newCSVRows(out, q.Points, f)
	var sent int64
	var failed error
	if err := errors.Join(history.Walk(ctx, src, q, rowEmitter(q, dst, &sent, &failed)), failed); err != nil {
		return err
	}
	return errors.Join(dst.close(), out.Flush())
}

// newRows makes the writer for the form that a asks for.
func newRows(w io.Writer, a *asked, f *found) rows {
	switch a.media {
	case mediaCSV:
		return newCSVRows(w, a.point, f)
	case mediaParquet:
		return newParquetRows(w, a.point, f)
	}
	return newNDJSONRows(w, f)
}

// names are the constant parts of a row, one a token.
type textRows struct {
	w     io.Writer
	names [][]byte
	clock clock
	t     []byte
	line  []byte
}

func (x *textRows) close() error { return nil }

func (x *textRows) stamp(t market.Instant) []byte {
	x.t = x.clock.append(x.t[:0], t)
	return x.t
}

func (x *textRows) send() error {
	_, err := x.w.Write(x.line)
	return err
}

// csvRows writes CSV with a header line.
type csvRows struct{ textRows }

// csvHeader are the columns of each kind of row.
var csvHeader = map[history.Points]string{
	history.PricePoints:  "t,token_id,label,p\n",
	history.MetricPoints: "t,liquidity,spread,volume\n",
	history.BookPoints:   "t,token_id,label,side,level,price,size\n",
}

func newCSVRows(w io.Writer, p history.Points, f *found) *csvRows {
	x := &csvRows{textRows{w: w}}
	for i, t := range f.row.Market.Tokens {
		var b bytes.Buffer
		c := csv.NewWriter(&b)
		_ = c.Write([]string{t.VenueID, f.labels[i]}) // to memory
		c.Flush()
		x.names = append(x.names, append([]byte{','}, bytes.TrimRight(b.Bytes(), "\n")...))
	}
	x.line = append(x.line, csvHeader[p]...)
	_ = x.send() // into a buffer; should it be sent, the next row fails
	return x
}

func (x *csvRows) price(t market.Instant, token int, p int64) error {
	x.line = append(append(x.line[:0], x.stamp(t)...), x.names[token]...)
	x.line = append(appendDecimal(append(x.line, ','), p, 6), '\n')
	return x.send()
}

func (x *csvRows) metric(t market.Instant, m history.Metric) error {
	x.line = append(append(x.line[:0], x.stamp(t)...), ',')
	x.line = append(appendDecimal(x.line, m.Liquidity, 6), ',')
	x.line = append(appendDecimal(x.line, m.Spread, 6), ',')
	x.line = append(appendDecimal(x.line, m.Volume, 6), '\n')
	return x.send()
}

func (x *csvRows) book(t market.Instant, token int, l *history.Ladder) error {
	x.line = x.line[:0]
	stamp := x.stamp(t)
	sides(l, func(side string, level int, v market.Level) {
		x.line = append(append(x.line, stamp...), x.names[token]...)
		x.line = append(append(append(x.line, ','), side...), ',')
		x.line = append(strconv.AppendInt(x.line, int64(level), 10), ',')
		x.line = append(appendDecimal(x.line, int64(v.Price), 4), ',')
		x.line = append(appendDecimal(x.line, int64(v.Size), 6), '\n')
	})
	return x.send()
}

// sides hands out the levels of a book, bids first, levels counted from 1.
func sides(l *history.Ladder, each func(side string, level int, v market.Level)) {
	for i, v := range l.Bids {
		each("bid", i+1, v)
	}
	for i, v := range l.Asks {
		each("ask", i+1, v)
	}
}

// ndjsonRows writes a JSON object a line.
type ndjsonRows struct{ textRows }

func newNDJSONRows(w io.Writer, f *found) *ndjsonRows {
	x := &ndjsonRows{textRows{w: w}}
	for i, t := range f.row.Market.Tokens {
		name := appendString([]byte(`","token_id":`), t.VenueID)
		x.names = append(x.names, appendString(append(name, `,"label":`...), f.labels[i]))
	}
	return x
}

func (x *ndjsonRows) head(t market.Instant) []byte {
	return append(append(x.line, `{"t":"`...), x.stamp(t)...)
}

func (x *ndjsonRows) price(t market.Instant, token int, p int64) error {
	x.line = x.line[:0]
	x.line = append(append(x.head(t), x.names[token]...), `,"p":`...)
	x.line = append(appendDecimal(x.line, p, 6), "}\n"...)
	return x.send()
}

func (x *ndjsonRows) metric(t market.Instant, m history.Metric) error {
	x.line = append(appendMetric(x.line[:0], x.stamp(t), m), '\n')
	return x.send()
}

func (x *ndjsonRows) book(t market.Instant, token int, l *history.Ladder) error {
	x.line = x.line[:0]
	sides(l, func(side string, level int, v market.Level) {
		x.line = append(append(x.head(t), x.names[token]...), `,"side":"`...)
		x.line = strconv.AppendInt(append(append(x.line, side...), `","level":`...), int64(level), 10)
		x.line = appendDecimal(append(x.line, `,"price":`...), int64(v.Price), 4)
		x.line = append(appendDecimal(append(x.line, `,"size":`...), int64(v.Size), 6), "}\n"...)
	})
	return x.send()
}
