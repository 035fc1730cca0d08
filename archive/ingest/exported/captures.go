package exported

import (
	"context"
	"errors"
	"strings"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Sink receives captures.
type Sink interface {
	rows.CaptureSink
	Gap(handle, token int, g market.Gap)
}

// Columns that both tables of captures have, by position.
const (
	atVenue = iota
	atCategory
	atMarket
	atSlug
	atToken
	atLabel
	atSeq
	atT
	atExchange
	atKind
	atSide
	atPrice
	atSize
	atLiquidity
	atVolume
	ownColumns
)

const shared = "venue category market_id slug token_id label seq t exchange_t kind side price size liquidity volume"

func needs() []rows.Want {
	want := rows.Needs("venue category market_id slug token_id label kind side", rows.Text)
	want = append(want, rows.Needs("seq", rows.Text, rows.Integer)...)
	want = append(want, rows.Needs("t exchange_t", rows.Times...)...)
	return append(want, rows.Needs("price size liquidity volume", rows.Numbers...)...)
}

// NeedsCaptures returns the columns that identify captures with books as lists.
func NeedsCaptures() []rows.Want {
	want := append(needs(), rows.Needs("bids.price bids.size asks.price asks.size", rows.List)...)
	return append(want, rows.Needs("bid bid_size ask ask_size", rows.Numbers...)...)
}

// NeedsText returns those of the same table in CSV or JSON lines, where the books
// stand in one text a side.
func NeedsText() []rows.Want {
	want := append(needs(), rows.Needs("bids asks", rows.Text)...)
	return append(want, rows.Needs("bid bid_size ask ask_size", rows.Numbers...)...)
}

// NeedsLevels returns the columns that identify captures with one level per row.
func NeedsLevels() []rows.Want {
	return append(needs(), rows.Needs("level", rows.Text, rows.Integer)...)
}

// Reasons for rejecting a row, besides those of package scalar.
const (
	reasonVenue    = "no venue"
	reasonCategory = "neither crypto nor sports"
	reasonKind     = "kind not understood"
	reasonSeq      = "number of the capture not understood"
	reasonSplit    = "rows of one capture contradict each other"
)

// kindOf reads the name of a kind of capture.
func kindOf(name []byte) (market.Kind, bool) {
	for k := market.KindBook; k <= market.KindMetric; k++ {
		if string(name) == k.String() {
			return k, true
		}
	}
	return 0, false
}

// CaptureColumns returns the columns to read of a table of captures with books as
// lists, in the order in which Captures takes them.
// Captures and Levels take them in.
func CaptureColumns() []string {
	return strings.Fields(shared + " bids.price bids.size asks.price asks.size bid bid_size ask ask_size")
}

// LevelColumns returns those of a table with one level per row, for Levels.
func LevelColumns() []string { return strings.Fields(shared) }

// Captures reads captures with books as lists to the end of t and passes them to
// the sink. It returns the number of rows, rejected ones included, and the error
// that ended it early: the context's, the sink's, or the file's.
func Captures(ctx context.Context, t rows.Table, to Sink) (int64, error) {
	im := &importer{t: t, to: to, handle: -1}
	return im.run(ctx, im.capture)
}

// Levels is Captures for a table with one level per row. The rows of a capture are
// consecutive.
func Levels(ctx context.Context, t rows.Table, to Sink) (int64, error) {
	im := &importer{t: t, to: to, handle: -1}
	return im.run(ctx, im.level)
}

// importer reads one file.
type importer struct {
	t  rows.Table
	to Sink

	// The market at hand: its handle, −1: none; the indices of its tokens by id;
	// why its rows are rejected, empty: they are not.
	handle          int
	venue, id, slug string
	category        market.Category
	tokens          map[string]int
	refused         scalar.Reason

	// The capture at hand of a table of levels. open: there is one.
	c    market.Capture
	seq  int64
	open bool
	bad  bool // a row of it was rejected, and the rest with it

	bids, asks []market.Level
}

// run takes each row.
func (im *importer) run(ctx context.Context, take func() error) (int64, error) {
	n, err := rows.Each(ctx, im.t, func() error {
		if err := im.turn(ctx); err != nil {
			return err
		}
		if im.refused != scalar.OK {
			im.reject(im.refused)
			return nil
		}
		return take()
	})
	if err != nil {
		return n, err
	}
	return n, im.done(ctx)
}

func (im *importer) reject(r scalar.Reason) { im.to.Reject(im.t.Row(), im.t.Text(atSlug), string(r)) }

// done ends the market at hand.
func (im *importer) done(ctx context.Context) error {
	if im.handle < 0 {
		return nil
	}
	err := im.flush()
	h := im.handle
	im.handle = -1
	return errors.Join(err, im.to.Done(ctx, h))
}

// turn goes to the market of the row.
func (im *importer) turn(ctx context.Context) error {
	venue, id, slug := im.t.Text(atVenue), im.t.Text(atMarket), im.t.Text(atSlug)
	category := market.Category(im.t.Text(atCategory))
	if (im.handle >= 0 || im.refused != scalar.OK) && category == im.category &&
		string(venue) == im.venue && string(id) == im.id && string(slug) == im.slug {
		return nil
	}
	if err := im.done(ctx); err != nil {
		return err
	}
	im.venue, im.id, im.slug, im.category, im.tokens = string(venue), string(id), string(slug), category, map[string]int{}
	switch {
	case im.venue == "":
		im.refused = reasonVenue
	case !scalar.ID(id), len(slug) > 0 && !scalar.ID(slug):
		im.refused = scalar.BadID
	case !category.Valid():
		im.refused = reasonCategory
	default:
		im.refused = scalar.OK
		m := named(im.venue, im.id, im.slug)
		m.Category = category
		var err error
		im.handle, err = im.to.Market(ctx, m)
		return err
	}
	return nil
}

// named is a market by its names as exported: where no source gives an id, the
// slug stands for it.
func named(venue, id, slug string) market.Market {
	m := market.Market{Venue: market.Venue(venue), VenueID: id, Slug: slug}
	if id == slug {
		m.VenueID = ""
	}
	return m
}

// tokenOf is a token as exported: where no source gives its id, that is made from
// the market's and the outcome, and left open here.
func tokenOf(marketID, id, label string) market.Token {
	t := market.Token{VenueID: id, Label: strings.TrimSpace(strings.TrimSuffix(label, "("+id+")")), Outcome: stream.OutcomeOf(label)}
	if id == marketID+":"+strings.ToLower(strings.Join(strings.Fields(t.Label), "-")) {
		t.VenueID = ""
	}
	return t
}

// head reads what every row says.
func (im *importer) head(c *market.Capture) (r scalar.Reason) {
	*c = market.Capture{}
	kind, ok := kindOf(im.t.Text(atKind))
	if !ok {
		return reasonKind
	}
	c.Kind = kind
	id := im.t.Text(atToken)
	if !scalar.ID(id) {
		return scalar.BadID
	}
	if c.Token, ok = im.tokens[string(id)]; !ok {
		switch {
		case len(im.t.Text(atLabel)) > maxLabel:
			return scalar.BadID
		case len(im.tokens) == maxTokens:
			return stream.TooManyTokens
		}
		c.Token = im.to.Token(im.handle, tokenOf(im.id, string(id), string(im.t.Text(atLabel))))
		im.tokens[string(id)] = c.Token
	}
	if c.Recv, r = rows.Received(im.t, atT); r != scalar.OK {
		return r
	}
	if c.Exch, r = im.t.Time(atExchange); r != scalar.OK && r != scalar.NoTime {
		return r
	}
	c.Replace = kind == market.KindBook
	c.Quote = market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}
	return im.rest(c)
}

// rest reads what the kinds without levels say.
func (im *importer) rest(c *market.Capture) (r scalar.Reason) {
	switch c.Kind {
	case market.KindTrade:
		c.Trade, r = rows.Trade(im.t, atPrice, atSize, atSide)
	case market.KindPrice, market.KindTick:
		c.Trade.Price, r = im.t.Price(atPrice)
	case market.KindMetric:
		c.Metric = market.Metric{Liquidity: market.NoMetric, Volume: market.NoMetric}
		for i, v := range []*market.Cash{&c.Metric.Liquidity, &c.Metric.Volume} {
			if im.t.Null(atLiquidity + i) {
				continue
			}
			amount, r := im.t.Size(atLiquidity + i) // of the same scale
			if r != scalar.OK {
				return r
			}
			*v = market.Cash(amount)
		}
	}
	return r
}

// capture takes a row that is a whole capture.
func (im *importer) capture() error {
	r := im.head(&im.c)
	if r == scalar.OK {
		switch im.c.Kind {
		case market.KindBook, market.KindChange:
			whole := im.c.Kind == market.KindBook
			if im.bids, r = im.list(im.bids[:0], ownColumns, market.Bid, whole); r == scalar.OK {
				im.asks, r = im.list(im.asks[:0], ownColumns+2, market.Ask, whole)
			}
			im.c.Bids, im.c.Asks = im.bids, im.asks
		case market.KindQuote:
			if im.c.Quote.Bid, r = im.top(ownColumns + 4); r == scalar.OK {
				im.c.Quote.Ask, r = im.top(ownColumns + 6)
			}
		}
	}
	if r != scalar.OK {
		im.reject(r)
		return nil
	}
	return im.add()
}

// list reads the levels of one side from the lists of their prices and sizes.
func (im *importer) list(dst []market.Level, at int, side market.Side, whole bool) ([]market.Level, scalar.Reason) {
	dst, r := rows.Levels(dst, im.t, at)
	if r != scalar.OK {
		return dst, r
	}
	return ladder.Order(dst, side, whole), scalar.OK
}

// top reads a price and the size in the column behind it.
func (im *importer) top(at int) (l market.Level, r scalar.Reason) {
	l.Price = market.NoPrice
	if im.t.Null(at) {
		return l, scalar.OK
	}
	if l.Price, r = im.t.Price(at); r == scalar.OK && !im.t.Null(at+1) {
		l.Size, r = im.t.Size(at + 1)
	}
	return l, r
}

// level takes a row that is a level, or a capture without any.
func (im *importer) level() error {
	seq, ok := im.t.Int(atSeq)
	if !ok {
		im.reject(reasonSeq)
		return nil
	}
	if im.open && seq != im.seq {
		if err := im.flush(); err != nil {
			return err
		}
	}
	var r scalar.Reason
	if !im.open {
		im.open, im.bad, im.seq = true, false, seq
		im.bids, im.asks = im.bids[:0], im.asks[:0]
		r = im.head(&im.c)
	} else if !im.bad {
		r = im.further()
	}
	if r == scalar.OK && !im.bad {
		r = im.one()
	}
	if r != scalar.OK {
		im.reject(r)
		im.bad = true
	}
	return nil
}

// further checks that the row belongs to the capture at hand.
func (im *importer) further() scalar.Reason {
	var c market.Capture
	if r := im.head(&c); r != scalar.OK {
		return r
	}
	if c.Kind != im.c.Kind || c.Token != im.c.Token || c.Recv != im.c.Recv || c.Exch != im.c.Exch ||
		!c.IsLadder() && c.Kind != market.KindQuote {
		return reasonSplit
	}
	return scalar.OK
}

// one takes the level of the row, if it has one.
func (im *importer) one() scalar.Reason {
	if !im.c.IsLadder() && im.c.Kind != market.KindQuote || im.t.Null(atSide) {
		return scalar.OK
	}
	side, r := scalar.Side(im.t.Text(atSide))
	if r != scalar.OK {
		return r
	}
	var l market.Level
	if l.Price, r = im.t.Price(atPrice); r != scalar.OK {
		return r
	}
	if !im.t.Null(atSize) || im.c.Kind != market.KindQuote {
		if l.Size, r = im.t.Size(atSize); r != scalar.OK {
			return r
		}
	}
	switch {
	case im.c.Kind == market.KindQuote && side == market.Bid:
		im.c.Quote.Bid = l
	case im.c.Kind == market.KindQuote:
		im.c.Quote.Ask = l
	case side == market.Bid:
		im.bids = append(im.bids, l)
	default:
		im.asks = append(im.asks, l)
	}
	return scalar.OK
}

// flush ends the capture at hand.
func (im *importer) flush() error {
	if !im.open || im.bad {
		im.open = false
		return nil
	}
	im.open = false
	if im.c.IsLadder() {
		whole := im.c.Kind == market.KindBook
		im.c.Bids, im.c.Asks = ladder.Order(im.bids, market.Bid, whole), ladder.Order(im.asks, market.Ask, whole)
	}
	return im.add()
}

func (im *importer) add() error {
	err := im.to.Add(im.handle, &im.c)
	if errors.Is(err, block.ErrCapture) {
		im.reject(stream.NoCapture)
		return nil
	}
	return err
}
