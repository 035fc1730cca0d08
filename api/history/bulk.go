package history

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// bulkChunk is how many bytes of a bulk answer are gathered before they are sent.
const bulkChunk = 64 << 10

// bulkForms are the forms of bulk answers.
var bulkForms = map[media]table.Format{mediaCSV: table.CSV, mediaNDJSON: table.NDJSON, mediaParquet: table.Parquet}

// bulk answers with the whole window, as a stream.
func (h *Handler) bulk(w http.ResponseWriter, r *http.Request, a *asked, f *found, e wire.Encoding) error {
	if r.Method == http.MethodHead {
		bulkHeader(w, a, e)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	if err := wire.Unhurried(w, r); err != nil {
		return err
	}
	day := h.cfg.Keys.Day()
	kept, err := h.reserve(r.Context(), a, f)
	if err != nil {
		return err
	}
	sent, begun, err := h.sendRows(w, r, a, f, e)
	if !begun {
		sent = 0
	}
	h.cfg.Served(a.point, sent)
	wire.LogOf(r.Context()).Bulk = sent
	if kept > sent {
		// The client may have gone: what was not sent is given back all the same.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 5*time.Second)
		defer cancel()
		if back := h.cfg.Keys.ReturnBulk(ctx, a.holder, day, kept-sent); back != nil {
			err = errors.Join(err, back)
		}
	}
	if err != nil && begun {
		entry := wire.LogOf(r.Context())
		if entry.Cut = wire.ClientGone(r.Context()); !entry.Cut {
			h.cfg.Log.WarnContext(r.Context(), "bulk answer cut off", "request_id", entry.ID, "cause", err.Error())
		}
		panic(http.ErrAbortHandler) // the client must see that the answer is not whole
	}
	return err
}

func bulkHeader(w http.ResponseWriter, a *asked, e wire.Encoding) {
	h := w.Header()
	media := string(a.media)
	if a.media == mediaCSV {
		media += "; charset=utf-8; header=present"
	}
	h.Set("Content-Type", media)
	if e != wire.Identity {
		h.Set("Content-Encoding", string(e))
	}
}

// reserve counts the points of the window against the plan: as many as it can
// have at most, or, where those are more than the day has left, as many as it
// has.
func (h *Handler) reserve(ctx context.Context, a *asked, f *found) (int64, error) {
	plan := &a.holder.Plan
	if plan.BulkPointsPerDay <= 0 {
		return 0, nil
	}
	points := maxPoints(a, f)
	wait, err := h.cfg.Keys.CountBulk(ctx, a.holder, points)
	if err != nil {
		return 0, wire.Unavailable("the store of limits", err)
	}
	if wait == 0 {
		return points, nil
	}
	n, q := int64(0), f.query(a)
	err = history.Walk(ctx, h.cfg.Catalogue(ctx), q, counter(q, func(points int64) bool {
		n += points
		return n <= plan.BulkPointsPerDay
	}))
	if err != nil {
		return 0, err
	}
	if wait, err = h.cfg.Keys.CountBulk(ctx, a.holder, n); err != nil {
		return 0, wire.Unavailable("the store of limits", err)
	}
	if wait == 0 {
		return n, nil
	}
	h.cfg.Limited()
	over := market.Errorf(market.CodeRateLimited,
		"daily bulk points used up: plan %s has %d per day, and this answer needs %d; try again in %d s, after midnight UTC",
		plan.Name, plan.BulkPointsPerDay, n, wait)
	over.RetryAfter = wait
	return 0, over
}

// maxPoints returns how many points the window can have at most.
func maxPoints(a *asked, f *found) int64 {
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
		Quotes: func(_ market.Instant, tops []history.Top) bool {
			n := int64(0)
			for _, v := range tops[first:last] {
				if v.Known {
					n++
				}
			}
			return count(n)
		},
		Metrics: func(market.Instant, history.Metric) bool { return count(1) },
	}
}

// sendRows sends the rows. begun says whether anything was sent.
func (h *Handler) sendRows(w http.ResponseWriter, r *http.Request, a *asked, f *found, e wire.Encoding) (sent int64, begun bool, err error) {
	out := &bulkOut{w: w, rc: http.NewResponseController(w), wait: h.cfg.WriteTimeout, begin: func() { bulkHeader(w, a, e) }}
	z := wire.NewEncoder(e, out)
	dst := newRows(z, bulkForms[a.media], a.point, f)
	var failed error
	q := f.query(a)
	err = errors.Join(history.Walk(r.Context(), h.cfg.Catalogue(r.Context()), q, rowEmitter(q, dst, &sent, &failed)), failed)
	if err == nil {
		err = dst.Close()
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
func rowEmitter(q *history.Query, dst table.Rows, sent *int64, failed *error) history.Emit {
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
				if p[i] != history.None && !ok(dst.Price(t, i, p[i])) {
					return false
				}
			}
			return true
		},
		Books: func(t market.Instant, b []history.Ladder) bool {
			for i := first; i < last; i++ {
				if b[i].Known && !ok(dst.Book(t, i, b[i].Bids, b[i].Asks)) {
					return false
				}
			}
			return true
		},
		Quotes: func(t market.Instant, tops []history.Top) bool {
			for i := first; i < last; i++ {
				if tops[i].Known && !ok(dst.Quote(t, i, tops[i].Quote)) {
					return false
				}
			}
			return true
		},
		Metrics: func(t market.Instant, m history.Metric) bool {
			return ok(dst.Metric(t, m.Liquidity, m.Spread, m.Volume))
		},
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
