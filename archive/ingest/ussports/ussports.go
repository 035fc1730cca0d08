package ussports

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// Kind is what a file holds.
type Kind uint8

// Kinds of file.
const (
	Quotes Kind = iota + 1
	Markets
	Labels
	// Watch is quotes of a few markets polled more often, in order of time.
	Watch
)

// Needs returns the columns that identify a file of the kind.
func Needs(k Kind) []rows.Want {
	switch k {
	case Quotes:
		want := append(rows.Needs("slug category", rows.Text), rows.Needs("ts", rows.Times...)...)
		want = append(want, rows.Needs("bid ask", rows.Numbers...)...)
		return append(want, rows.Needs("segment", rows.Integer)...)
	case Watch:
		want := append(rows.Needs("slug", rows.Text), rows.Needs("ts", rows.Times...)...)
		return append(want, rows.Needs("bid ask mid last_traded", rows.Numbers...)...)
	case Markets:
		want := rows.Needs("slug category question", rows.Text)
		want = append(want, rows.Needs("n_snaps", rows.Integer)...)
		return append(want, rows.Needs("first_ts last_ts", rows.Times...)...)
	}
	want := append(rows.Needs("slug", rows.Text), rows.Needs("y", rows.Integer)...)
	return append(want, rows.Needs("source", rows.Text)...)
}

// Reasons for not taking a row.
const (
	reasonSlug     = "id not understood"
	reasonTime     = "time not understood"
	reasonPrice    = "price outside 0 to 1, or finer than 0.0001"
	reasonLabel    = "outcome not understood"
	reasonCategory = "neither crypto nor sports"
	reasonCapture  = "capture cannot be stored"
)

// importer reads one file.
type importer struct {
	t    rows.Table
	to   rows.CaptureSink
	slug string // of the market at hand
	// handle of the market at hand; −1: none, or its rows are rejected.
	handle int
	yes    int // index of its Yes token
	reason string
	open   map[string]watched // by slug; of Watch alone
	// capture is what was added last: one for all.
	capture market.Capture
}

// watched is a market whose rows stand among those of others.
type watched struct{ handle, yes int }

// maxWatched is how many markets are open at a time.
const maxWatched = 2048

// Import reads a file of the given kind to its end and puts what it says into
// to. It returns how many rows it held, rejected ones included, and the error
// that ended it early: the context's, the sink's, or of the file.
func Import(ctx context.Context, kind Kind, p *rows.Parquet, to rows.CaptureSink) (n int64, err error) {
	im := &importer{to: to, handle: -1}
	take, columns := im.quote, []string{"slug", "category", "ts", "bid", "ask"}
	switch kind {
	case Markets:
		take, columns = im.market, []string{"slug", "category", "question"}
	case Watch:
		take, columns = im.watch, []string{"slug", "ts", "bid", "ask"}
		im.open = map[string]watched{}
	case Labels:
		take, columns = im.label, []string{"slug", "y", "source"}
	}
	if im.t, err = p.Read(columns...); err != nil {
		return 0, err
	}
	n, err = rows.Each(ctx, im.t, func() error { return take(ctx) })
	if err != nil {
		return n, err
	}
	return n, errors.Join(im.done(ctx), im.doneWatching(ctx))
}

func (im *importer) reject(reason string) error {
	im.to.Reject(im.t.Row(), []byte(im.slug), reason)
	return nil
}

// done ends the market at hand.
func (im *importer) done(ctx context.Context) error {
	if im.handle < 0 {
		return nil
	}
	h := im.handle
	im.handle = -1
	return im.to.Done(ctx, h)
}

// category returns the category of a row; one that says none is sports.
func category(text []byte) (market.Category, bool) {
	switch c := market.Category(text); c {
	case "":
		return market.Sports, true
	case market.Sports, market.Crypto:
		return c, true
	}
	return "", false
}

// listing is what every file says of a market.
func listing(slug string) market.Market {
	return market.Market{
		Venue: market.PolymarketUS, Slug: slug,
		Tokens: []market.Token{{Label: "Yes"}, {Label: "No"}},
	}
}

func (im *importer) quote(ctx context.Context) error {
	if slug := im.t.Text(0); string(slug) != im.slug || im.t.Row() == 1 {
		if err := im.begin(ctx, slug, im.t.Text(1)); err != nil {
			return err
		}
	}
	if im.handle < 0 {
		return im.reject(im.reason)
	}
	return im.add(2)
}

// add takes the quote of a row, whose time, bid and ask stand in columns from at on.
func (im *importer) add(column int) error {
	at, r := rows.Received(im.t, column)
	if r != scalar.OK {
		return im.reject(reasonTime)
	}
	c := &im.capture
	*c = market.Capture{Token: im.yes, Kind: market.KindQuote, Recv: at}
	var okBid, okAsk bool
	c.Quote.Bid.Price, okBid = im.price(column + 1)
	c.Quote.Ask.Price, okAsk = im.price(column + 2)
	if !okBid || !okAsk {
		return im.reject(reasonPrice)
	}
	err := im.to.Add(im.handle, c)
	if errors.Is(err, block.ErrCapture) {
		return im.reject(reasonCapture)
	}
	return err
}

// watch takes a row of Watch. It says no category: other files do.
func (im *importer) watch(ctx context.Context) error {
	slug := im.t.Text(0)
	im.slug = string(slug)
	w, ok := im.open[im.slug]
	if !ok {
		if !scalar.ID(slug) {
			return im.reject(reasonSlug)
		}
		if len(im.open) == maxWatched {
			if err := im.doneWatching(ctx); err != nil {
				return err
			}
		}
		m := listing(im.slug)
		h, err := im.to.Market(ctx, m)
		if err != nil {
			return err
		}
		w = watched{h, im.to.Token(h, m.Tokens[0])}
		im.open[im.slug] = w
	}
	im.handle, im.yes = w.handle, w.yes
	err := im.add(1)
	im.handle = -1
	return err
}

func (im *importer) doneWatching(ctx context.Context) error {
	for _, slug := range slices.Sorted(maps.Keys(im.open)) {
		if err := im.to.Done(ctx, im.open[slug].handle); err != nil {
			return err
		}
	}
	clear(im.open)
	return nil
}

// begin turns to the market that the next rows are about.
func (im *importer) begin(ctx context.Context, slug, cat []byte) error {
	if err := im.done(ctx); err != nil {
		return err
	}
	im.slug, im.reason = string(slug), ""
	c, ok := category(cat)
	switch {
	case !scalar.ID(slug):
		im.reason = reasonSlug
	case !ok:
		im.reason = reasonCategory
	}
	if im.reason != "" {
		return nil
	}
	m := listing(im.slug)
	m.Category = c
	var err error
	if im.handle, err = im.to.Market(ctx, m); err != nil {
		im.handle = -1
		return err
	}
	im.yes = im.to.Token(im.handle, m.Tokens[0])
	return nil
}

// price returns a best price. Null and 0 mean that the side is empty.
func (im *importer) price(i int) (market.Price, bool) {
	p, r := im.t.Price(i)
	if r == scalar.NoPrice || r == scalar.OK && p == 0 {
		return market.NoPrice, true
	}
	return p, r == scalar.OK
}

func (im *importer) market(ctx context.Context) error {
	slug := im.t.Text(0)
	im.slug = string(slug)
	c, ok := category(im.t.Text(1))
	switch {
	case !scalar.ID(slug):
		return im.reject(reasonSlug)
	case !ok:
		return im.reject(reasonCategory)
	}
	m := listing(im.slug)
	m.Category, m.Question = c, string(im.t.Text(2))
	return rows.Put(ctx, im.to, m)
}

// officialSource is what the outcome's source is called when the exchange said
// so; any other is an inference of the recorder.
const officialSource = "api"

func (im *importer) label(ctx context.Context) error {
	slug := im.t.Text(0)
	im.slug = string(slug)
	y, ok := im.t.Int(1)
	switch {
	case !scalar.ID(slug):
		return im.reject(reasonSlug)
	case !ok || y != 0 && y != 1:
		return im.reject(reasonLabel)
	}
	m := listing(im.slug)
	m.Payout = &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{0, market.CashOne}}
	if y == 1 {
		m.Payout.Fractions = []market.Cash{market.CashOne, 0}
	}
	if string(im.t.Text(2)) == officialSource {
		m.Payout.Basis = market.Official
	}
	return rows.Put(ctx, im.to, m)
}
