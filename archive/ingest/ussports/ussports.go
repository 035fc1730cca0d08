package ussports

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// Sink is where the files' content goes.
type Sink interface {
	Market(ctx context.Context, m market.Market) (handle int, err error)
	Token(handle int, t market.Token) (index int)
	Add(handle int, c *market.Capture) error
	Done(ctx context.Context, handle int) error
	// Reject takes a row, by its number from 1, that says nothing usable.
	Reject(row int64, text []byte, reason string)
}

// Kind says what a file holds.
type Kind uint8

// Kinds of file.
const (
	Other Kind = iota
	Quotes
	Markets
	Labels
)

// KindOf tells a file of these by its columns.
func KindOf(r io.ReaderAt, size int64) Kind {
	f, err := open(r, size)
	switch {
	case err != nil:
		return Other
	case has(f, "ts", "slug", "category", "bid", "ask", "segment"):
		return Quotes
	case has(f, "slug", "question", "category", "n_snaps", "first_ts", "last_ts"):
		return Markets
	case has(f, "slug", "y", "source"):
		return Labels
	}
	return Other
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

// checkEvery is how many rows are read between looks at the context.
const checkEvery = 4096

// importer reads one file.
type importer struct {
	to   Sink
	row  int64
	slug string // of the market at hand
	// handle of the market at hand; −1: none, or its rows are rejected.
	handle int
	yes    int // index of its Yes token
	reason string
}

// Import reads a file of the given kind to its end and puts what it says into
// to. It returns how many rows it held, rejected ones included, and the error
// that ended it early: the context's, the sink's, or of the file.
func Import(ctx context.Context, kind Kind, r io.ReaderAt, size int64, to Sink) (n int64, err error) {
	f, err := open(r, size)
	if err != nil {
		return 0, err
	}
	im := &importer{to: to, handle: -1}
	take, columns := im.quote, []string{"slug", "category", "ts", "bid", "ask"}
	switch kind {
	case Markets:
		take, columns = im.market, []string{"slug", "category", "question"}
	case Labels:
		take, columns = im.label, []string{"slug", "y", "source"}
	}
	for _, g := range f.RowGroups() {
		if err := im.group(ctx, f, g, columns, take); err != nil {
			return im.row, err
		}
	}
	return im.row, im.done(ctx)
}

func (im *importer) group(ctx context.Context, f *parquet.File, g parquet.RowGroup, columns []string,
	take func(context.Context, []parquet.Value) error) (err error) {
	defer rescue(&err)
	in, err := newRows(f, g, columns)
	if err != nil {
		return err
	}
	defer in.close()
	row := make([]parquet.Value, len(columns))
	for {
		if im.row%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		more, err := in.next(row)
		if err != nil || !more {
			return err
		}
		im.row++
		if err := take(ctx, row); err != nil {
			return err
		}
	}
}

func (im *importer) reject(reason string) error {
	im.to.Reject(im.row, []byte(im.slug), reason)
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

// text returns the text of a value; null is empty.
func text(v parquet.Value) []byte {
	if v.IsNull() || v.Kind() != parquet.ByteArray {
		return nil
	}
	return v.ByteArray()
}

// number returns the value of an integer column.
func number(v parquet.Value) (int64, bool) {
	switch {
	case v.IsNull():
		return 0, false
	case v.Kind() == parquet.Int64:
		return v.Int64(), true
	case v.Kind() == parquet.Int32:
		return int64(v.Int32()), true
	}
	return 0, false
}

func validSlug(slug []byte) bool {
	if len(slug) == 0 || len(slug) > 200 {
		return false
	}
	for _, ch := range slug {
		if ch <= ' ' || ch > '~' {
			return false
		}
	}
	return true
}

// category returns the category of a row; one that says none is sports.
func category(v parquet.Value) (market.Category, bool) {
	switch c := market.Category(text(v)); c {
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

func (im *importer) quote(ctx context.Context, row []parquet.Value) error {
	if slug := text(row[0]); string(slug) != im.slug || im.row == 1 {
		if err := im.begin(ctx, slug, row[1]); err != nil {
			return err
		}
	}
	if im.handle < 0 {
		return im.reject(im.reason)
	}
	ts, ok := number(row[2])
	at := market.Instant(ts)
	if !ok || at <= 0 || at >= 4_102_444_800*market.Second {
		return im.reject(reasonTime)
	}
	c := market.Capture{Token: im.yes, Kind: market.KindQuote, Recv: at}
	var okBid, okAsk bool
	c.Quote.Bid.Price, okBid = price(row[3])
	c.Quote.Ask.Price, okAsk = price(row[4])
	if !okBid || !okAsk {
		return im.reject(reasonPrice)
	}
	err := im.to.Add(im.handle, &c)
	if errors.Is(err, block.ErrCapture) {
		return im.reject(reasonCapture)
	}
	return err
}

// begin turns to the market that the next rows are about.
func (im *importer) begin(ctx context.Context, slug []byte, cat parquet.Value) error {
	if err := im.done(ctx); err != nil {
		return err
	}
	im.slug, im.reason = string(slug), ""
	c, ok := category(cat)
	switch {
	case !validSlug(slug):
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

// price returns a price of the grid. Null and 0 mean that the side is empty.
func price(v parquet.Value) (market.Price, bool) {
	if v.IsNull() {
		return market.NoPrice, true
	}
	if v.Kind() != parquet.Double {
		return 0, false
	}
	x := v.Double()
	if x == 0 {
		return market.NoPrice, true
	}
	// A decimal of four places and the double nearest to it: dividing gives
	// that double again.
	units := math.Round(x * float64(market.PriceOne))
	if !(units > 0 && units <= float64(market.PriceOne)) || units/float64(market.PriceOne) != x {
		return 0, false
	}
	return market.Price(units), true
}

func (im *importer) market(ctx context.Context, row []parquet.Value) error {
	slug := text(row[0])
	im.slug = string(slug)
	c, ok := category(row[1])
	switch {
	case !validSlug(slug):
		return im.reject(reasonSlug)
	case !ok:
		return im.reject(reasonCategory)
	}
	m := listing(im.slug)
	m.Category, m.Question = c, string(text(row[2]))
	return im.put(ctx, m)
}

func (im *importer) put(ctx context.Context, m market.Market) error {
	h, err := im.to.Market(ctx, m)
	if err != nil {
		return err
	}
	return im.to.Done(ctx, h)
}

// officialSource is what the outcome's source is called when the exchange said
// so; any other is an inference of the recorder.
const officialSource = "api"

func (im *importer) label(ctx context.Context, row []parquet.Value) error {
	slug := text(row[0])
	im.slug = string(slug)
	y, ok := number(row[1])
	switch {
	case !validSlug(slug):
		return im.reject(reasonSlug)
	case !ok || y != 0 && y != 1:
		return im.reject(reasonLabel)
	}
	m := listing(im.slug)
	m.Payout = &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{0, market.CashOne}}
	if y == 1 {
		m.Payout.Fractions = []market.Cash{market.CashOne, 0}
	}
	if string(text(row[2])) == officialSource {
		m.Payout.Basis = market.Official
	}
	return im.put(ctx, m)
}
