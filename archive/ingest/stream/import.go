package stream

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// Source reads a file, in its order.
type Source interface {
	// Next returns the messages of the next line or row that holds any; io.EOF at
	// the end, or why it cannot go on. They are valid until the next call.
	Next() ([]Message, error)
	// Line returns the number, from 1, and the text of the line or row that Next
	// has read last.
	Line() (number int64, text []byte)
}

// Row reads the next row of a table as one message, the one in msgs; read says what it is, or
// why it is rejected.
func Row(t interface{ Next() error }, read func(*Message) Reason, msgs *[1]Message) ([]Message, error) {
	if err := t.Next(); err != nil {
		return nil, err
	}
	msgs[0] = Message{}
	if r := read(&msgs[0]); r != OK {
		msgs[0] = Message{Reject: r}
	}
	return msgs[:], nil
}

// Sink receives a file's contents. Markets are identified by the handle
// returned by Market, tokens by the index returned by Token.
type Sink interface {
	// Market takes what the file says of a market and returns its handle. Called
	// again for the same market it adds to what was said.
	Market(ctx context.Context, m market.Market) (handle int, err error)
	Token(handle int, t market.Token) (index int)
	Gap(handle, token int, g market.Gap)
	// Diverged takes a stretch in which the ladder of a token is not what the
	// source says it is: a gap that the file shows without declaring it.
	Diverged(handle, token int, g market.Gap)
	// Add takes a capture, in the order of the file. An error that wraps
	// block.ErrCapture rejects this capture alone.
	Add(handle int, c *market.Capture) error
	// Done says that nothing more of the market is expected. Market opens it
	// again, under a new handle, when there is.
	Done(ctx context.Context, handle int) error
	// Reject takes a line, or a message of it, that says nothing usable.
	Reject(line int64, text []byte, reason string)
}

// resetReach is how recent a token's last message must be for a reset that
// names no market to be recorded for it.
const resetReach = market.Minute

// A market is done when the file has gone on for idleAfter, by the receiver's
// clock, without a message of it, which is looked at every lookEvery lines; or
// when more than maxOpen are open: then those go that were silent longest, a
// quarter at once.
const (
	idleAfter = 10 * market.Minute
	lookEvery = 4096
	maxOpen   = 2048
)

// Bounds of what a file may name. Of the exchange's markets a day has some ten
// thousand, and each has two tokens.
const (
	maxMarkets  = 100_000
	maxTokens   = 64
	maxLateGaps = 10_000
	lateText    = 1 << 10 // bytes kept of a line whose gap waits
)

// Import reads src to its end and passes what it says to to. It returns the
// number of messages, rejected ones included, and the error that ended it
// early: the context's, the sink's, or src's.
func Import(ctx context.Context, src Source, to Sink) (messages int64, err error) {
	im := importer{
		to: to, in: src, byMarket: map[string]*book{}, bySlug: map[string]*book{}, byAlt: map[string]*book{},
		byAsset: map[string]*token{}, left: map[hash]past{}, named: map[hash]struct{}{},
	}
	err = im.run(ctx)
	if endErr := im.finish(ctx); err == nil {
		err = endErr
	}
	return im.messages, err
}

type importer struct {
	to       Sink
	in       Source
	messages int64

	open     []*book // in the order in which they were opened
	byMarket map[string]*book
	bySlug   map[string]*book
	byAlt    map[string]*book
	byAsset  map[string]*token
	// left is what is remembered of tokens whose market was closed, and named
	// the markets that the file has named.
	left  map[hash]past
	named map[hash]struct{}

	lastAsset []byte
	last      *token
	capture   market.Capture // what add was given last: one for all
}

// hash stands for a name that is remembered and not spelt out.
type hash [12]byte

func hashOf(name []byte) hash {
	sum := sha256.Sum256(name)
	return hash(sum[:12])
}

// past is a token of a market that was closed.
type past struct {
	of       hash           // of its market's name
	diverged market.Instant // since when its ladder is wrong; zero: unknown to be
}

// book is one open market of the file.
type book struct {
	handle  int
	said    market.Market
	seen    market.Instant // receive time of its last message
	touched int64          // the message it had last, counted in the file
	tokens  []*token
	gaps    []lateGap     // of the whole market
	winner  *market.Token // as the file calls it; nil: it does not say
	paid    bool          // winner was put
}

// name is what the file calls b, at best.
func (b *book) name() string { return cmp.Or(b.said.VenueID, b.said.Slug, b.said.AltID) }

// lateGap is a gap that waits until the tokens are known.
type lateGap struct {
	market.Gap
	line int64
	text string
}

// token is one token of a market of the file.
type token struct {
	of    *book
	index int
	said  market.Token
	seen  market.Instant // receive time of its last message
	check ladderCheck
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

func (im *importer) reject(r Reason) {
	n, text := im.in.Line()
	im.to.Reject(n, text, string(r))
}

func (im *importer) take(ctx context.Context, m *Message) error {
	if r := m.refused(); r != OK {
		im.reject(r)
		return nil
	}
	switch m.Type {
	case ResetMark:
		return im.reset(m)
	case GapMark, Listing, Resolved:
		return im.takeNote(ctx, m)
	}
	t, r, err := im.find(ctx, m)
	if err != nil {
		return err
	}
	if r != OK {
		im.reject(r)
		return nil
	}
	t.seen, t.of.seen, t.of.touched = m.Recv, m.Recv, im.messages
	c := &im.capture
	*c = market.Capture{Token: t.index, Recv: m.Recv, Exch: m.Exch}
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
	case Price:
		c.Kind, c.Trade = market.KindPrice, m.Trade
	}
	taken, err := im.add(t, c)
	if taken && c.IsLadder() {
		im.follow(t, m)
	}
	return err
}

// find returns the token that m is about, opening its market when need be. A
// message that is rejected opens none.
func (im *importer) find(ctx context.Context, m *Message) (*token, Reason, error) {
	if t := im.last; t != nil && bytes.Equal(m.Asset, im.lastAsset) && len(m.Asset) > 0 &&
		(len(m.Market) == 0 || string(m.Market) == t.of.said.VenueID) {
		return t, OK, nil
	}
	if len(m.Asset) > 0 && !im.mayHave(m, m.Asset) {
		return nil, OtherMarket, nil
	}
	b, r, err := im.book(ctx, m)
	if err != nil || r != OK {
		return nil, r, err
	}
	t := im.token(b, m)
	if t == nil {
		return nil, TooManyTokens, nil
	}
	im.last, im.lastAsset = t, append(im.lastAsset[:0], m.Asset...)
	return t, OK, nil
}

// add puts a capture, and reports whether it was taken.
func (im *importer) add(t *token, c *market.Capture) (taken bool, err error) {
	err = im.to.Add(t.of.handle, c)
	if errors.Is(err, block.ErrCapture) {
		im.reject(NoCapture)
		return false, nil
	}
	return err == nil, err
}

// mayHave reports whether the market that m names may have the token id: the
// file has not given it to another one.
func (im *importer) mayHave(m *Message, id []byte) bool {
	b := im.known(m)
	if t := im.byAsset[string(id)]; t != nil {
		return t.of == b || b == nil && len(m.Market) == 0 && len(m.Slug) == 0 && len(m.AltID) == 0
	}
	was, ok := im.left[hashOf(id)]
	if !ok {
		return true
	}
	for _, name := range [][]byte{m.Market, m.Slug, m.AltID} {
		if len(name) > 0 && was.of == hashOf(name) {
			return true
		}
	}
	return b != nil && was.of == hashOf([]byte(b.name()))
}

// known returns the open market that m names, or nil.
func (im *importer) known(m *Message) *book {
	if len(m.Market) > 0 {
		if b := im.byMarket[string(m.Market)]; b != nil {
			return b
		}
	}
	// A name that was used for another market before says nothing.
	if b := im.bySlug[string(m.Slug)]; b != nil && (len(m.Market) == 0 || b.said.VenueID == "") {
		return b
	}
	if b := im.byAlt[string(m.AltID)]; b != nil && (len(m.Market) == 0 || b.said.VenueID == "") {
		return b
	}
	return nil
}

// book finds the market that m names, or begins it.
func (im *importer) book(ctx context.Context, m *Message) (*book, Reason, error) {
	b := im.known(m)
	switch {
	case b != nil:
	case len(m.Market) > 0 || len(m.Slug) > 0 || len(m.AltID) > 0:
		b = &book{said: market.Market{Venue: market.Polymarket, Mirrored: true}, handle: -1}
	case im.byAsset[string(m.Asset)] != nil:
		b = im.byAsset[string(m.Asset)].of
	default:
		return nil, NoMarket, nil
	}
	news := false
	name := func(have *string, said []byte, of map[string]*book) {
		if *have == "" && len(said) > 0 && (of == nil || of[string(said)] == nil) {
			*have, news = string(said), true
			if of != nil {
				of[*have] = b
			}
		}
	}
	if b.handle < 0 {
		if r, err := im.openUp(ctx, b, m); err != nil || r != OK {
			return nil, r, err
		}
	}
	name(&b.said.VenueID, m.Market, im.byMarket)
	name(&b.said.Slug, m.Slug, im.bySlug)
	name(&b.said.AltID, m.AltID, im.byAlt)
	name(&b.said.Question, m.Question, nil)
	if news {
		return b, OK, im.begin(ctx, b)
	}
	return b, OK, nil
}

// openUp takes b, which m names, among the open markets.
func (im *importer) openUp(ctx context.Context, b *book, m *Message) (Reason, error) {
	if !im.mayName(m) {
		return TooManyMarkets, nil
	}
	if len(im.open) >= maxOpen {
		if err := im.makeRoom(ctx); err != nil {
			return OK, err
		}
	}
	im.open = append(im.open, b)
	return OK, nil
}

// mayName reports whether the file may name the market of m besides those that
// it has named.
func (im *importer) mayName(m *Message) bool {
	key := hashOf([]byte(cmp.Or(string(m.Market), string(m.Slug), string(m.AltID))))
	if _, ok := im.named[key]; ok {
		return true
	}
	if len(im.named) == maxMarkets {
		return false
	}
	im.named[key] = struct{}{}
	return true
}

// begin opens b, or adds to what was said of it.
func (im *importer) begin(ctx context.Context, b *book) error {
	handle, err := im.to.Market(ctx, b.said)
	if err != nil {
		return err
	}
	if b.handle != handle {
		b.handle = handle
		for _, t := range b.tokens {
			t.index = im.to.Token(b.handle, t.said)
		}
	}
	return nil
}

// closeIdle ends the markets that nothing more is expected of.
func (im *importer) closeIdle(ctx context.Context, now market.Instant) error {
	return im.closeAll(ctx, func(b *book) bool { return b.seen < now-idleAfter })
}

// makeRoom ends the markets that were silent longest.
func (im *importer) makeRoom(ctx context.Context) error {
	touched := make([]int64, len(im.open))
	for i, b := range im.open {
		touched[i] = b.touched
	}
	slices.Sort(touched)
	limit := touched[len(touched)/4]
	return im.closeAll(ctx, func(b *book) bool { return b.touched <= limit })
}

func (im *importer) closeAll(ctx context.Context, which func(*book) bool) error {
	kept := im.open[:0]
	for i, b := range im.open {
		if !which(b) {
			kept = append(kept, b)
			continue
		}
		if err := im.close(ctx, b); err != nil {
			im.open = append(kept, im.open[i:]...)
			return err
		}
	}
	clear(im.open[len(kept):])
	im.open = kept
	return nil
}

// close ends b and remembers no more of it than what later lines are held
// against.
func (im *importer) close(ctx context.Context, b *book) error {
	im.settleLadders(b)
	if err := im.settle(ctx, b); err != nil {
		return err
	}
	im.last = nil
	of := hashOf([]byte(b.name()))
	for _, t := range b.tokens {
		if t.said.VenueID != "" {
			delete(im.byAsset, t.said.VenueID)
			im.left[hashOf([]byte(t.said.VenueID))] = past{of: of, diverged: t.check.diverged}
		}
	}
	delete(im.byMarket, b.said.VenueID)
	delete(im.byAlt, b.said.AltID)
	if im.bySlug[b.said.Slug] == b {
		delete(im.bySlug, b.said.Slug)
	}
	return im.to.Done(ctx, b.handle)
}

// token finds the token of b that m is about, or begins it; nil when b has too
// many already.
func (im *importer) token(b *book, m *Message) *token {
	if len(m.Asset) == 0 {
		return im.describe(b, market.Token{Label: string(m.Label)})
	}
	t := im.byAsset[string(m.Asset)]
	if t == nil || len(m.Label) > 0 && t.said.Label == "" {
		t = im.describe(b, market.Token{VenueID: string(m.Asset), Label: string(m.Label)})
	}
	return t
}

func (im *importer) name(b *book, said market.Token) *token {
	if len(b.tokens) == maxTokens {
		return nil
	}
	t := &token{of: b, said: said, index: im.to.Token(b.handle, said)}
	b.tokens = append(b.tokens, t)
	if said.VenueID != "" {
		im.byAsset[said.VenueID] = t
		key := hashOf([]byte(said.VenueID))
		t.check.diverged = im.left[key].diverged
		delete(im.left, key)
	}
	return t
}
