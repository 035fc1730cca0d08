package wslog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// Sink is where a log's content goes. Markets are named by the handle that
// Market returned, tokens by the index that Token returned.
type Sink interface {
	// Market takes what the log says of a market and returns its handle. Called
	// again for the same market it adds to what was said.
	Market(ctx context.Context, m market.Market) (handle int, err error)
	Token(handle int, t market.Token) (index int)
	Gap(handle, token int, g market.Gap)
	// Add takes a capture, in the order of the file. An error that wraps
	// block.ErrCapture rejects this capture alone.
	Add(handle int, c *market.Capture) error
	// Done says that nothing more of the market is expected. Market opens it
	// again, under a new handle, when there is.
	Done(ctx context.Context, handle int) error
	// Reject takes a line, or a message of it, that says nothing usable.
	Reject(line int64, text []byte, reason string)
}

// Reasons beside those of Reason.
const (
	reasonNoCapture   = "capture cannot be stored"
	reasonOtherMarket = "token belongs to another market"
	reasonTwoWinners  = "winner contradicts an earlier one"
)

// resetReach is how recent a token's last message must be for a reset that
// names no market to be recorded for it.
const resetReach = market.Minute

// A market is done when the log has gone on for idleAfter, by the receiver's
// clock, without a message of it, or when more than maxOpen are open and it is
// the one that has been silent longest. Both are looked at every lookEvery
// lines.
const (
	idleAfter = 10 * market.Minute
	maxOpen   = 512
	lookEvery = 4096
)

// Import reads a log to its end and puts what it says into to. It returns how
// many messages the log held, rejected ones included, and the error that ended
// it early: the context's, the sink's, or r's.
func Import(ctx context.Context, r io.Reader, to Sink) (messages int64, err error) {
	im := importer{to: to, in: NewReader(r), byMarket: map[string]*book{}, bySlug: map[string]*book{}, byAsset: map[string]*token{}}
	err = im.run(ctx)
	if endErr := im.finish(ctx); err == nil {
		err = endErr
	}
	return im.messages, err
}

type importer struct {
	to       Sink
	in       *Reader
	messages int64

	books    []*book // in the order in which the log names them
	byMarket map[string]*book
	bySlug   map[string]*book
	byAsset  map[string]*token

	lastAsset []byte
	last      *token
}

// book is one market of the log.
type book struct {
	handle int // -1: not open
	said   market.Market
	seen   market.Instant // receive time of its last message
	tokens []*token
	gaps   []lateGap // of the whole market
	winner *token    // nil: the log does not say
	paid   bool      // winner was put
}

// lateGap is a gap that waits until the tokens are known.
type lateGap struct {
	market.Gap
	line int64
	text string
}

// token is one token of a market of the log.
type token struct {
	of    *book
	index int
	said  market.Token
	seen  market.Instant // receive time of its last message
}

// checkEvery is how many lines are read between looks at the context.
const checkEvery = 256

func (im *importer) run(ctx context.Context) error {
	var now market.Instant
	for n := 1; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if n%lookEvery == 0 {
			if err := im.closeIdle(ctx, now); err != nil {
				return err
			}
		}
		msgs, err := im.in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range msgs {
			if msgs[i].Part == 0 {
				im.messages++
			}
			if msgs[i].Recv != 0 {
				now = msgs[i].Recv
			}
			if err := im.take(ctx, &msgs[i]); err != nil {
				return err
			}
		}
	}
}

func (im *importer) reject(reason string) {
	n, text := im.in.Line()
	im.to.Reject(n, text, reason)
}

func (im *importer) take(ctx context.Context, m *Message) error {
	if m.Reject != OK {
		im.reject(m.Reject.String())
		return nil
	}
	switch m.Type {
	case ResetMark:
		return im.reset(m)
	case GapMark, Listing, Resolved:
		return im.takeNote(ctx, m)
	}
	t := im.last
	if t == nil || !bytes.Equal(m.Asset, im.lastAsset) || len(m.Market) > 0 && string(m.Market) != t.of.said.VenueID {
		b, err := im.book(ctx, m)
		if err != nil {
			return err
		}
		if b == nil {
			im.reject(NoMarket.String())
			return nil
		}
		if t = im.token(b, m.Asset); t == nil {
			im.reject(reasonOtherMarket)
			return nil
		}
		im.last, im.lastAsset = t, append(im.lastAsset[:0], m.Asset...)
	}
	t.seen, t.of.seen = m.Recv, m.Recv
	c := market.Capture{Token: t.index, Recv: m.Recv, Exch: m.Exch}
	switch m.Type {
	case Book:
		c.Kind, c.Replace, c.Bids, c.Asks = market.KindBook, true, m.Bids, m.Asks
	case Change:
		c.Kind, c.Bids, c.Asks = market.KindChange, m.Bids, m.Asks
	case Trade:
		c.Kind, c.Trade = market.KindTrade, m.Trade
	case Tick:
		c.Kind, c.Trade = market.KindTick, m.Trade
	case Quote:
		c.Kind, c.Quote = market.KindQuote, m.Quote
	}
	return im.add(t, &c)
}

func (im *importer) add(t *token, c *market.Capture) error {
	err := im.to.Add(t.of.handle, c)
	if errors.Is(err, block.ErrCapture) {
		im.reject(reasonNoCapture)
		return nil
	}
	return err
}

// book finds the market that m names, or begins it. It returns nil when m
// names none that the log has named before.
func (im *importer) book(ctx context.Context, m *Message) (*book, error) {
	b := im.byMarket[string(m.Market)]
	slug := m.Slug
	if b == nil && len(slug) > 0 {
		b = im.bySlug[string(slug)]
		if b != nil && len(m.Market) > 0 && b.said.VenueID != "" {
			b, slug = nil, nil // the slug was used for another market before
		}
	}
	switch {
	case b != nil:
	case len(m.Market) > 0 || len(slug) > 0:
		b = &book{said: market.Market{Venue: market.Polymarket, Mirrored: true}, handle: -1}
		im.books = append(im.books, b)
	case im.byAsset[string(m.Asset)] != nil:
		b = im.byAsset[string(m.Asset)].of
	default:
		return nil, nil
	}
	news := false
	if b.said.VenueID == "" && len(m.Market) > 0 {
		b.said.VenueID, news = string(m.Market), true
		im.byMarket[b.said.VenueID] = b
	}
	if b.said.Slug == "" && len(slug) > 0 && im.bySlug[string(slug)] == nil {
		b.said.Slug, news = string(slug), true
		im.bySlug[b.said.Slug] = b
	}
	if b.said.Question == "" && len(m.Question) > 0 {
		b.said.Question, news = string(m.Question), true
	}
	if news || b.handle < 0 {
		return b, im.begin(ctx, b)
	}
	return b, nil
}

// begin opens b, or adds to what was said of it.
func (im *importer) begin(ctx context.Context, b *book) error {
	was := b.handle
	var err error
	if b.handle, err = im.to.Market(ctx, b.said); err != nil {
		return err
	}
	if was != b.handle {
		for _, t := range b.tokens {
			t.index = im.to.Token(b.handle, t.said)
		}
	}
	return nil
}

// closeIdle ends the markets that nothing more is expected of.
func (im *importer) closeIdle(ctx context.Context, now market.Instant) error {
	var open []*book
	for _, b := range im.books {
		switch {
		case b.handle < 0:
		case b.seen < now-idleAfter:
			if err := im.close(ctx, b); err != nil {
				return err
			}
		default:
			open = append(open, b)
		}
	}
	if len(open) <= maxOpen {
		return nil
	}
	slices.SortStableFunc(open, func(a, b *book) int { return cmp.Compare(a.seen, b.seen) })
	for _, b := range open[:len(open)-maxOpen] {
		if err := im.close(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) close(ctx context.Context, b *book) error {
	if err := im.settle(ctx, b); err != nil {
		return err
	}
	handle := b.handle
	b.handle = -1
	im.last = nil
	return im.to.Done(ctx, handle)
}

// token finds a token of b by its id, or begins it. It returns nil when the
// log gave the id to another market before.
func (im *importer) token(b *book, id []byte) *token {
	if t := im.byAsset[string(id)]; t != nil {
		if t.of != b {
			return nil
		}
		return t
	}
	return im.name(b, market.Token{VenueID: string(id)})
}

func (im *importer) name(b *book, said market.Token) *token {
	t := &token{of: b, said: said, index: im.to.Token(b.handle, said)}
	b.tokens = append(b.tokens, t)
	if said.VenueID != "" {
		im.byAsset[said.VenueID] = t
	}
	return t
}
