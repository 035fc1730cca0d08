package history

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// maxTokens is how many tokens the answer for a whole market may have.
const maxTokens = 200

// asked is a request for history, as far as its parameters say.
type asked struct {
	Route
	id         string
	holder     identity.Holder // who asks
	category   market.Category
	window     history.Window
	resolution history.Resolution
	limit      int
	media      media
	cursor     *bucketCursor // nil: the first page
	digest     wire.Digest   // of route, window and resolution
}

// found is the market, or the token of a market, that a request is about.
type found struct {
	row    *store.Listing
	token  int // index of the token asked for; 0 on market routes
	known  history.Known
	labels []string // of each token, no two alike
}

// readHistory reads the parameters of a history request.
func readHistory(r *http.Request, route Route, id string) (*asked, error) {
	p := wire.ParamsOf(r)
	a := &asked{Route: route, media: mediaOf(r.Header)}
	a.id = p.Path(route.Parameter(), id)
	a.window.Start = p.Instant("start_ts", true)
	a.window.End = p.Instant("end_ts", true)
	a.resolution = resolutionOf(p)
	a.window.Resolution = a.resolution.Span
	a.limit = limitOf(p)
	a.category = p.Category()
	cursor, _ := p.Last("cursor")
	if a.media != mediaJSON {
		for _, name := range []string{"limit", "cursor"} {
			if _, ok := p.Last(name); ok {
				p.Refuse(wire.BadRequest("%s: not taken together with Accept: %s, which gives the whole window", name, a.media))
			}
		}
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	if a.window.Start >= a.window.End {
		return nil, wire.BadRequest("start_ts %s: expected a time before end_ts %s", a.window.Start, a.window.End)
	}
	a.digest = wire.DigestOf(route.String(), a.window.Start.String()+" "+a.window.End.String()+" "+a.window.Resolution.String())
	if cursor == "" {
		return a, nil
	}
	c, err := decodeBucket(a.digest, cursor)
	if err != nil {
		return nil, err
	}
	if c.at < a.window.First() || c.at >= a.window.End || c.at%a.window.Resolution != 0 {
		return nil, wire.ErrCursor
	}
	a.cursor = &c
	return a, nil
}

// Answer serves a history route for the market or token with that id, on behalf
// of the holder of a key. If it returns an error, nothing has been sent; a bulk
// answer that fails after it has begun panics with http.ErrAbortHandler.
func (h *Handler) Answer(w http.ResponseWriter, r *http.Request, route Route, id string, holder identity.Holder) error {
	a, err := readHistory(r, route, id)
	if err != nil {
		return err
	}
	a.holder = holder
	return h.begin(w, r, a)
}

// AnswerBetween serves a page of a history route as Answer does, to whoever asks, for
// windows that lie between two instants, both widened to whole buckets.
func (h *Handler) AnswerBetween(w http.ResponseWriter, r *http.Request, route Route, id string, first, last market.Instant) error {
	a, err := readHistory(r, route, id)
	if err != nil {
		return err
	}
	by := a.window.Resolution
	if first -= first % by; last%by != 0 {
		last += by - last%by
	}
	if a.window.Start < first || a.window.End > last {
		return wire.Forbidden("start_ts %s, end_ts %s: expected a window within %s and %s", a.window.Start, a.window.End, first, last)
	}
	a.media = mediaJSON
	a.holder.Plan = identity.Plan{Name: "none", Finest: a.resolution.Name, Prices: true, Books: true, Metrics: true}
	return h.begin(w, r, a)
}

// begin answers, and begins again while the archive changes beneath it.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request, a *asked) error {
	w.Header().Add("Vary", "Accept, Accept-Encoding")
	for try := 0; ; try++ {
		err := h.answer(w, r, a)
		if !errors.Is(err, store.ErrChanged) || try == maxTries {
			return err
		}
		select {
		case <-r.Context().Done():
			return err
		case <-time.After(firstPause << min(try, 5)):
		}
	}
}

// An answer is begun again up to maxTries times because what it is made of has
// changed meanwhile, each time after a pause twice as long, up to 32 of the first:
// two seconds in all.
const (
	maxTries   = 16
	firstPause = 5 * time.Millisecond
)

// answer looks up what a is about and answers. When it fails nothing has
// been sent.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, a *asked) error {
	ctx, end := wire.Within(r.Context(), h.cfg.RequestTimeout)
	defer end()
	f, err := h.lookUp(ctx, a)
	if err != nil {
		return err
	}
	if a.cursor != nil && a.cursor.of != f.digest() {
		return wire.ErrCursor
	}
	if err := fits(a, f); err != nil {
		return err
	}
	enc := wire.EncodingOf(r.Header)
	if a.media == mediaParquet {
		enc = wire.Identity // compressed inside
	}
	header := w.Header()
	header.Set("Cache-Control", "private, no-cache")
	tag := etagOf(a, f, enc)
	header.Set("ETag", tag)
	if noneMatch(r.Header, tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if a.media != mediaJSON {
		err = h.bulk(w, r, a, f, enc)
	} else {
		err = h.page(ctx, w, a, f, enc)
	}
	if err != nil {
		header.Del("ETag")
		header.Del("Cache-Control")
	}
	return err
}

func daysText(n int) string {
	if n == 1 {
		return "1 day"
	}
	return strconv.Itoa(n) + " days"
}

// lookUp finds what a is about, and judges the plan first.
func (h *Handler) lookUp(ctx context.Context, a *asked) (*found, error) {
	plan := &a.holder.Plan
	if err := allowed(a, plan); err != nil {
		return nil, err
	}
	f, err := h.find(ctx, a)
	missing := errors.Is(err, store.ErrNotFound)
	if err != nil && !missing {
		return nil, err
	}
	var watermark market.Instant
	if missing {
		marks, err := h.cfg.Catalogue(ctx).Watermarks(ctx, a.category)
		if err != nil {
			return nil, err
		}
		watermark = oldest(marks, a.category)
	} else {
		watermark = f.row.Watermark
		f.known = history.KnownOf(&f.row.MarketRow, watermark)
	}
	if days := market.Instant(plan.HistoryDays); days > 0 && watermark != 0 {
		if first := watermark - days*market.Day; a.window.Start < first {
			return nil, wire.Forbidden("start_ts %s is outside the history window of %s of plan %s; the earliest start_ts allowed is %s",
				a.window.Start, daysText(plan.HistoryDays), plan.Name, first)
		}
	}
	switch {
	case missing && a.token:
		return nil, wire.NotFound("token", a.id)
	case missing:
		return nil, wire.NotFound("market", a.id)
	}
	return f, nil
}

// allowed checks what the plan says of the kind of point and the resolution.
func allowed(a *asked, plan *identity.Plan) error {
	// The best level of a book is part of it.
	may := plan.Books
	switch a.point {
	case history.PricePoints:
		may = plan.Prices
	case history.MetricPoints:
		may = plan.Metrics
	}
	if !may {
		return wire.Forbidden("%s are not part of plan %s", a.point, plan.Name)
	}
	finest, ok := history.FindResolution(plan.Finest)
	if !ok {
		return fmt.Errorf("plan %s: finest resolution %q: unknown resolution", plan.Name, plan.Finest)
	}
	if a.resolution.Span < finest.Span {
		return wire.Forbidden("resolution %s is finer than plan %s allows; the finest allowed is %s", a.resolution.Name, plan.Name, finest.Name)
	}
	return nil
}

// oldest returns the oldest watermark among the categories asked; zero: none.
func oldest(marks map[market.Category]market.Instant, c market.Category) market.Instant {
	if c != "" {
		return marks[c]
	}
	var at market.Instant
	for _, m := range marks {
		if at == 0 || m < at {
			at = m
		}
	}
	return at
}

// find looks up the market or token; store.ErrNotFound when there is none.
func (h *Handler) find(ctx context.Context, a *asked) (*found, error) {
	if !utf8.ValidString(a.id) || strings.ContainsRune(a.id, 0) {
		return nil, store.ErrNotFound
	}
	f := &found{}
	var err error
	if a.token {
		f.row, f.token, err = h.cfg.Catalogue(ctx).Token(ctx, a.id, a.category)
	} else {
		f.row, err = h.cfg.Catalogue(ctx).Market(ctx, a.id, a.category)
	}
	if err != nil {
		return nil, err
	}
	f.labels = history.Labels(&f.row.Market)
	return f, nil
}

// fits checks that the market's tokens fit the answer and the limit.
func fits(a *asked, f *found) error {
	tokens := len(f.row.Market.Tokens)
	switch {
	case !a.perToken():
	case tokens > maxTokens:
		return wire.BadRequest("market %s has %d tokens, more than %d: ask for one token at a time, GET /v1/tokens/{token_id}/%s",
			f.row.Market.VenueID, tokens, maxTokens, a.point)
	case a.limit < tokens && a.media == mediaJSON:
		return wire.BadRequest("limit too small for this market. Minimum required: %d", tokens)
	}
	return nil
}

// query is what a asks of f. Bulk answers have no limit.
func (f *found) query(a *asked) *history.Query {
	q := &history.Query{Points: a.point, Row: f.row, OneToken: a.token, Token: f.token, Window: a.window}
	if a.cursor != nil {
		q.From = a.cursor.at
	}
	if a.media == mediaJSON {
		q.Limit = a.limit
	}
	return q
}

// digest stands for the market or token in cursors. That of a token is its
// place in the market: its id may become known later.
func (f *found) digest() wire.Digest {
	m := &f.row.Market
	return wire.DigestOf(string(m.Venue), m.VenueID, strconv.Itoa(f.token))
}

// limitOf reads the limit of a history page: 1 to 200, default 100.
func limitOf(p *wire.Params) int {
	return p.Number("limit", 100, 200, func(text string) {
		p.Refuse(wire.BadRequest("limit too large. Requested: %s, Maximum: 200", wire.Brief(strings.TrimPrefix(text, "+"))))
	})
}

// resolutionOf reads the size of buckets, which is required.
func resolutionOf(p *wire.Params) history.Resolution {
	v, ok := p.Last("resolution")
	if !ok {
		p.Fail("missing", "Field required", "query", "resolution")
		return history.Resolution{}
	}
	r, ok := history.FindResolution(v)
	if !ok {
		all := history.Resolutions()
		names := make([]string, len(all))
		for i := range all {
			names[i] = all[i].Name
		}
		p.Fail("enum", "Unsupported resolution '"+wire.Brief(v)+"'. Allowed: "+strings.Join(names, ", "), "query", "resolution")
	}
	return r
}
