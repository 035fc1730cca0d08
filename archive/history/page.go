package history

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Points is what a history has in each bucket.
type Points string

// Kinds of points. Metrics are those of the whole market; prices, books and
// quotes are those of a token.
const (
	PricePoints  Points = "prices"
	BookPoints   Points = "books"
	QuotePoints  Points = "quotes"
	MetricPoints Points = "metrics"
)

// Source is what a history is read from, implemented by *archive.Archive and
// *archive.Union.
type Source interface {
	CapturesFrom(ctx context.Context, row *store.Listing, from, to market.Instant, use scan.Use) Captures
	Prices(ctx context.Context, row *store.Listing, q Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error
	Books(ctx context.Context, row *store.Listing, q Request, until market.Instant, emit func(t market.Instant, books []Ladder) bool) error
}

// Query asks for the history of a market, or of one of its tokens.
type Query struct {
	Points Points
	Row    *store.Listing // as the source found it, with its watermark
	// OneToken: of the token with the index Token alone.
	OneToken bool
	Token    int
	Window   Window
	// From is the time of the first bucket that is wanted; zero: the window's first.
	From market.Instant
	// Limit bounds the points; zero: no bound. A bucket counts as many as the
	// market has tokens where each may have a point in it, and is given whole or
	// not at all.
	Limit int
}

// PerToken reports whether a bucket has a point for each token of the market.
func (q *Query) PerToken() bool { return !q.OneToken && q.Points != MetricPoints }

// Known says at which grid points there is a value.
func (q *Query) Known() Known { return KnownOf(&q.Row.MarketRow, q.Row.Watermark) }

// Tokens returns the tokens asked for: those with first ≤ index < last.
func (q *Query) Tokens() (first, last int) {
	if q.OneToken {
		return q.Token, q.Token + 1
	}
	return 0, len(q.Row.Market.Tokens)
}

// buckets returns how many buckets fit the limit; negative: all.
func (q *Query) buckets() int {
	switch {
	case q.Limit <= 0:
		return -1
	case q.PerToken():
		return q.Limit / max(1, len(q.Row.Market.Tokens))
	}
	return q.Limit
}

// Labels returns a unique name for each token of a market: its label, with the
// token's id added if the label is empty or shared by another token.
func Labels(m *market.Market) []string {
	out := make([]string, len(m.Tokens))
	var seen map[string]bool // of many
	if len(out) > 8 {
		seen = make(map[string]bool, len(out))
	}
	for i := range m.Tokens {
		t := &m.Tokens[i]
		out[i] = t.Label
		if t.Label == "" || seen[t.Label] || seen == nil && slices.Contains(out[:i], t.Label) {
			out[i] = strings.TrimSpace(t.Label + " (" + t.VenueID + ")")
		}
		if seen != nil {
			seen[out[i]] = true
		}
	}
	return out
}

// Emit takes the buckets of a walk, in order; each returns false to stop it.
// Values are those of all tokens of the market, and slices are valid during the
// call.
type Emit struct {
	Prices  func(t market.Instant, p []int64) bool
	Books   func(t market.Instant, b []Ladder) bool
	Quotes  func(t market.Instant, q []Top) bool
	Metrics func(t market.Instant, m Metric) bool
	// Steps is that of Request.
	Steps func(book int, whole bool, bids, asks []market.Level)
}

// Walk passes the non-empty buckets to e, from q.From on, ignoring the limit.
// q.Points decides which function of e is called.
func Walk(ctx context.Context, src Source, q *Query, e Emit) error {
	r := Request{Market: &q.Row.Market, Window: q.Window, Known: q.Known(), Steps: e.Steps}
	if q.From != 0 {
		r.Window.Start = q.From
	}
	r.Exact = max(r.Window.First(), r.Known.From)
	stop := min(r.Window.Stop(), r.Known.To)
	if r.Exact >= stop || r.Window.First() >= r.Window.End {
		return nil
	}
	until := stop
	if n := q.buckets(); n >= 0 {
		until = min(stop, r.Exact+market.Instant(n+1)*r.Window.Resolution)
	}
	captures := func(use scan.Use) Captures { return src.CapturesFrom(ctx, q.Row, r.Exact, stop, use) }
	switch q.Points {
	case PricePoints:
		return src.Prices(ctx, q.Row, r, until, e.Prices)
	case BookPoints:
		return src.Books(ctx, q.Row, r, until, e.Books)
	case QuotePoints:
		return Quotes(r, captures(scan.ForBooks), e.Quotes)
	}
	r.Exact -= Grid // mostly that is where the last spread is seen
	err := Metrics(r, captures(scan.ForAll), e.Metrics)
	if !errors.Is(err, ErrSpread) {
		return err
	}
	if r.Seed, err = seed(ctx, src, q, r.Exact); err != nil {
		return err
	}
	return Metrics(r, captures(scan.ForAll), e.Metrics)
}

// seed looks for the last spread before to, in ever larger steps.
func seed(ctx context.Context, src Source, q *Query, to market.Instant) (Seed, error) {
	known := q.Known()
	for step := market.Minute; to > known.From; step *= 4 {
		from := max(known.From, to-step)
		captures := src.CapturesFrom(ctx, q.Row, from, to, scan.ForBooks)
		spread, found, err := LastSpread(&q.Row.Market, known, from, to, captures)
		if err != nil || found {
			return Seed{Spread: spread, SpreadKnown: true}, err
		}
		to = from
	}
	return Seed{NoSpread: true}, nil
}

// Page is the result of a Query: lists of points, each in time order.
type Page struct {
	// Lists has one list for each token asked for, or, of metrics, a single one.
	Lists []List
	Count int // points in all lists
	// More: the window has another bucket, beyond the limit. Next is its time.
	More bool
	Next market.Instant

	// Writer, if not nil, writes prices and books; lists have none then.
	Writer Writer
}

// Writer writes the prices and books of a page.
type Writer interface {
	// Price has a price written as a point of a list.
	Price(list int, t market.Instant, p int64)
	// Step is Request.Steps.
	Step(book int, whole bool, bids, asks []market.Level)
	// Book has the book of a token written, as it is by now, as a point of a list.
	Book(list, token int, t market.Instant)
}

// List is points of one kind. The others are empty.
type List struct {
	Prices  []PriceAt
	Books   []BookAt
	Quotes  []QuoteAt
	Metrics []MetricAt
}

// PriceAt is the price of a token in a bucket, in units of 1e-6.
type PriceAt struct {
	T market.Instant
	P int64
}

// BookAt is the book of a token in a bucket, best first on both sides.
type BookAt struct {
	T          market.Instant
	Bids, Asks []market.Level
}

// QuoteAt is the top of book of a token in a bucket. A side without a price is
// empty; a size of zero means that the source gives none.
type QuoteAt struct {
	T market.Instant
	market.Quote
}

// MetricAt is the metrics of a market in a bucket.
type MetricAt struct {
	T market.Instant
	Metric
}

// Read reads what q asks for into p. It reuses the memory of p, so the points
// of an earlier Read are no longer valid. After an error, p holds a partial
// result.
func (p *Page) Read(ctx context.Context, src Source, q *Query) error {
	first, last := q.Tokens()
	p.reset(last - first)
	if q.Points == MetricPoints {
		p.reset(1)
	}
	room := q.buckets()
	// fits takes a bucket; false: it is beyond the limit.
	fits := func(t market.Instant) bool {
		if room == 0 {
			p.More, p.Next = true, t
			return false
		}
		room--
		return true
	}
	// bucket takes a bucket of the tokens asked for, of which one has a point
	// where has says so and which take then adds.
	bucket := func(t market.Instant, has func(token int) bool, take func(l *List, token int)) bool {
		if q.OneToken && !has(first) {
			return true
		}
		if !fits(t) {
			return false
		}
		for i := first; i < last; i++ {
			if has(i) {
				take(&p.Lists[i-first], i)
				p.Count++
			}
		}
		return true
	}
	e := Emit{}
	switch q.Points {
	case PricePoints:
		e.Prices = func(t market.Instant, v []int64) bool {
			return bucket(t, func(i int) bool { return v[i] != None },
				func(l *List, i int) {
					if p.Writer != nil {
						p.Writer.Price(i-first, t, v[i])
						return
					}
					l.Prices = append(l.Prices, PriceAt{t, v[i]})
				})
		}
	case BookPoints:
		if p.Writer != nil {
			e.Steps = p.Writer.Step
		}
		e.Books = func(t market.Instant, b []Ladder) bool {
			return bucket(t, func(i int) bool { return b[i].Known },
				func(l *List, i int) {
					if p.Writer != nil {
						p.Writer.Book(i-first, i, t)
						return
					}
					l.Books = append(l.Books, BookAt{t, slices.Clone(b[i].Bids), slices.Clone(b[i].Asks)})
				})
		}
	case QuotePoints:
		e.Quotes = func(t market.Instant, tops []Top) bool {
			return bucket(t, func(i int) bool { return tops[i].Known },
				func(l *List, i int) { l.Quotes = append(l.Quotes, QuoteAt{t, tops[i].Quote}) })
		}
	default:
		e.Metrics = func(t market.Instant, m Metric) bool {
			if !fits(t) {
				return false
			}
			p.Lists[0].Metrics = append(p.Lists[0].Metrics, MetricAt{t, m})
			p.Count++
			return true
		}
	}
	return Walk(ctx, src, q, e)
}

// reset empties p and makes room for n lists.
func (p *Page) reset(n int) {
	p.Lists = slices.Grow(p.Lists[:0], n)[:n]
	for i := range p.Lists {
		l := &p.Lists[i]
		l.Prices, l.Books, l.Quotes, l.Metrics = l.Prices[:0], l.Books[:0], l.Quotes[:0], l.Metrics[:0]
	}
	p.Count, p.More, p.Next = 0, false, 0
}

// Bytes returns the approximate memory footprint of p, for use by caches.
func (p *Page) Bytes() int {
	n := 0
	for _, l := range p.Lists[:cap(p.Lists)] {
		n += 16*cap(l.Prices) + 56*cap(l.Books) + 40*cap(l.Quotes) + 32*cap(l.Metrics)
	}
	return n
}
