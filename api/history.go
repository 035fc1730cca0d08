package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/api/access"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// historyRoute is one of the five history routes.
type historyRoute struct {
	point history.Points
	token bool // of one token, not of a market
}

func (h historyRoute) String() string {
	if h.token {
		return "token " + string(h.point)
	}
	return "market " + string(h.point)
}

// perToken reports whether a bucket has a point per token.
func (h historyRoute) perToken() bool { return !h.token && h.point != history.MetricPoints }

// mostTokens is how many tokens the answer for a whole market may have.
const mostTokens = 200

// asked is a request for history, as far as its parameters say.
type asked struct {
	historyRoute
	id         string
	category   market.Category
	window     history.Window
	resolution history.Resolution
	limit      int
	media      media
	cursor     *bucketCursor // nil: the first page
	digest     digest        // of route, window and resolution
}

// found is the market, or the token of a market, that a request is about.
type found struct {
	row    *store.Listing
	token  int // index of the token asked for; 0 on market routes
	known  history.Known
	labels []string // of each token, no two alike
}

// readHistory reads the parameters of a history request.
func readHistory(r *http.Request, h historyRoute) (*asked, error) {
	p := paramsOf(r)
	a := &asked{historyRoute: h, media: mediaOf(r.Header)}
	name := "id_or_slug"
	if h.token {
		name = "token_id"
	}
	a.id = p.path(name, pathParam(r, name))
	a.window.Start = p.instant("start_ts", true)
	a.window.End = p.instant("end_ts", true)
	a.resolution = p.resolution()
	a.window.Resolution = a.resolution.Span
	a.limit = p.historyLimit()
	a.category = p.category()
	cursor, _ := p.last("cursor")
	if a.media != mediaJSON {
		for _, name := range []string{"limit", "cursor"} {
			if _, ok := p.last(name); ok {
				p.refuse(badRequest("%s: not taken together with Accept: %s, which gives the whole window", name, a.media))
			}
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	if a.window.Start >= a.window.End {
		return nil, badRequest("start_ts %s: expected a time before end_ts %s", a.window.Start, a.window.End)
	}
	a.digest = digestOf(h.String(), fmt.Sprint(a.window.Start, a.window.End, a.window.Resolution))
	if cursor == "" {
		return a, nil
	}
	c, err := decodeBucket(a.digest, cursor)
	if err != nil {
		return nil, err
	}
	if c.at < a.window.First() || c.at >= a.window.End || c.at%a.window.Resolution != 0 {
		return nil, errCursor
	}
	a.cursor = &c
	return a, nil
}

// history answers one of the history routes.
func (s *Server) history(h historyRoute) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		a, err := readHistory(r, h)
		if err != nil {
			return err
		}
		w.Header().Add("Vary", "Accept, Accept-Encoding")
		for try := 0; ; try++ {
			err = s.answerHistory(w, r, a)
			if !errors.Is(err, store.ErrChanged) || try == mostTries {
				return err
			}
		}
	}
}

// mostTries is how often an answer is begun again because what it is made of
// has changed meanwhile.
const mostTries = 3

// answerHistory looks up what a is about and answers. When it fails nothing has
// been sent.
func (s *Server) answerHistory(w http.ResponseWriter, r *http.Request, a *asked) error {
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
	defer cancel()
	f, err := s.lookUp(ctx, a, holderOf(ctx).Plan)
	if err != nil {
		return err
	}
	if a.cursor != nil && a.cursor.of != f.digest() {
		return errCursor
	}
	if err := fits(a, f); err != nil {
		return err
	}
	enc := encodingOf(r.Header)
	if a.media == mediaParquet {
		enc = identity // compressed inside
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
		err = s.bulk(w, r, a, f, enc)
	} else {
		err = s.page(ctx, w, a, f, enc)
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
func (s *Server) lookUp(ctx context.Context, a *asked, plan access.Plan) (*found, error) {
	if err := allowed(a, plan); err != nil {
		return nil, err
	}
	f, err := s.find(ctx, a)
	missing := errors.Is(err, store.ErrNotFound)
	if err != nil && !missing {
		return nil, err
	}
	var watermark market.Instant
	if missing {
		marks, err := s.catalogue.Watermarks(ctx, a.category)
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
			return nil, forbidden("start_ts %s is outside the history window of %s of plan %s; the earliest start_ts allowed is %s",
				a.window.Start, daysText(plan.HistoryDays), plan.Name, first)
		}
	}
	switch {
	case missing && a.token:
		return nil, notFound("token", a.id)
	case missing:
		return nil, notFound("market", a.id)
	}
	return f, nil
}

// allowed checks what the plan says of the kind of point and the resolution.
func allowed(a *asked, plan access.Plan) error {
	points := map[history.Points]bool{history.PricePoints: plan.Prices, history.BookPoints: plan.Books, history.MetricPoints: plan.Metrics}
	if !points[a.point] {
		return forbidden("%s are not part of plan %s", a.point, plan.Name)
	}
	finest, ok := history.FindResolution(plan.Finest)
	if !ok {
		return fmt.Errorf("plan %s: finest resolution %q is none", plan.Name, plan.Finest)
	}
	if a.resolution.Span < finest.Span {
		return forbidden("resolution %s is finer than plan %s allows; the finest allowed is %s", a.resolution.Name, plan.Name, finest.Name)
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
func (s *Server) find(ctx context.Context, a *asked) (*found, error) {
	if !utf8.ValidString(a.id) || strings.ContainsRune(a.id, 0) {
		return nil, store.ErrNotFound
	}
	f := &found{}
	var err error
	if a.token {
		f.row, f.token, err = s.catalogue.Token(ctx, a.id, a.category)
	} else {
		f.row, err = s.catalogue.Market(ctx, a.id, a.category)
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
	case tokens > mostTokens:
		return badRequest("market %s has %d tokens, more than %d: ask for one token at a time, GET /v1/tokens/{token_id}/%s",
			f.row.Market.VenueID, tokens, mostTokens, a.point)
	case a.limit < tokens && a.media == mediaJSON:
		return badRequest("limit too small for this market. Minimum required: %d", tokens)
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
func (f *found) digest() digest {
	m := &f.row.Market
	return digestOf(string(m.Venue), m.VenueID, fmt.Sprint(f.token))
}
