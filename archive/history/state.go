package history

import (
	"sync"

	"github.com/ladderback/ladderback/market"
)

// halfTicks is the number of half price units in 1 USD: a mid of two prices is
// a whole number of them.
const halfTicks = int64(market.MidOne)

// Seed is what cannot be derived from the captures given to a walk because it
// lies further back. The zero value is for a walk from the first capture.
type Seed struct {
	// Spread is that of the last two-sided grid point before the window; negative
	// values are those of crossed books.
	Spread      market.Price
	SpreadKnown bool
	// NoSpread: it is known that there is no two-sided grid point before the
	// window.
	NoSpread bool
}

// state is the value of a market's step function: one book for a mirrored pair,
// from its first token's point of view, else one per token.
type state struct {
	mirrored bool
	// bare leaves out the sums that metrics alone need: what rests, what was traded.
	bare   bool
	books  []*book
	steps  func(book int, whole bool, bids, asks []market.Level) // that of Request
	levels []market.Level                                        // for steps
	volume wide
	pairs  pairs
	// What the source reports itself; NoMetric: it does not.
	reported market.Metric
}

// book is one step function of a ladder, a quote, a price and a trade.
type book struct {
	ladder    market.Book
	quote     market.Quote
	top       market.Quote // of the ladder, else the quote
	price     market.Price // KindPrice; NoPrice: none
	trade     market.Price // last trade; NoPrice: none
	hasLadder bool
	hasQuote  bool
	// resting is what the book adds to liquidity: Σ price × size over the bids,
	// and over the asks as bids of the other token when it is mirrored.
	resting wide
}

func newState(m *market.Market) *state {
	s := &state{
		mirrored: m.Mirrored,
		books:    make([]*book, len(m.Tokens)),
		reported: market.Metric{Liquidity: market.NoMetric, Volume: market.NoMetric},
	}
	if m.Mirrored {
		s.books = s.books[:1]
	}
	none := market.Level{Price: market.NoPrice}
	for i := range s.books {
		b := emptyBooks.Get().(*book)
		b.price, b.trade = market.NoPrice, market.NoPrice
		b.top = market.Quote{Bid: none, Ask: none}
		s.books[i] = b
	}
	return s
}

// emptyBooks keeps books, which are large, for other walks.
var emptyBooks = sync.Pool{New: func() any { return new(book) }}

// release gives the books back; s is not used afterwards.
func (s *state) release() {
	for _, b := range s.books {
		b.ladder.Clear()
		b.quote, b.hasLadder, b.hasQuote, b.resting = market.Quote{}, false, false, wide{}
		emptyBooks.Put(b)
	}
	s.books = nil
}

// apply takes in one capture.
func (s *state) apply(c *market.Capture) {
	b, flip := s.bookOf(c.Token)
	switch c.Kind {
	case market.KindBook, market.KindChange:
		if c.Kind == market.KindChange && !b.hasLadder {
			return // of a ladder that was never seen whole
		}
		if s.bare {
			b.applyBare(c, flip)
		} else {
			b.applyLadder(c, s.mirrored, flip)
		}
	case market.KindQuote:
		b.quote, b.hasQuote = c.Quote, true
		if flip {
			b.quote = c.Quote.Mirror()
		}
		b.settle(s.mirrored)
	case market.KindPrice:
		b.price = flipped(c.Trade.Price, flip)
	case market.KindTrade:
		b.trade = flipped(c.Trade.Price, flip)
		if !s.bare && (!s.mirrored || s.pairs.fresh(c)) {
			s.volume = s.volume.add(valueOf(c.Trade.Price, c.Trade.Size))
		}
	case market.KindMetric:
		if c.Metric.Liquidity != market.NoMetric {
			s.reported.Liquidity = c.Metric.Liquidity
		}
		if c.Metric.Volume != market.NoMetric {
			s.reported.Volume = c.Metric.Volume
		}
	}
}

// step takes in one capture and tells steps what it changes.
func (s *state) step(c *market.Capture) {
	at, flip := c.Token, false
	if s.mirrored {
		at, flip = 0, c.Token != 0
	}
	b := s.books[at]
	had := b.hasLadder
	s.apply(c)
	l := Ladder{Bids: c.Bids, Asks: c.Asks}
	whole := false
	switch {
	case c.IsLadder() && had && !c.Replace:
		if flip {
			var mirror Ladder
			s.levels = mirror.mirror(&l, s.levels[:0])
			l = mirror
		}
	case c.IsLadder() && b.hasLadder, c.Kind == market.KindQuote && !b.hasLadder:
		whole = true
		s.levels = b.fill(&l, s.levels[:0])
	default:
		return
	}
	s.steps(at, whole, l.Bids, l.Asks)
}

// bookOf returns the book that serves a token, and whether as its mirror.
func (s *state) bookOf(token int) (*book, bool) {
	if s.mirrored {
		return s.books[0], token != 0
	}
	return s.books[token], false
}

// known reports whether a whole ladder or a quote was captured.
func (b *book) known() bool { return b.hasLadder || b.hasQuote }

func flipped(p market.Price, flip bool) market.Price {
	if flip {
		return p.Mirror()
	}
	return p
}

func (b *book) applyLadder(c *market.Capture, mirrored, flip bool) {
	if !b.hasLadder {
		b.hasLadder, b.resting = true, wide{} // a ladder takes the place of the quote
	}
	if c.Replace {
		b.ladder.Clear()
		b.resting = wide{}
	}
	bids, asks := c.Bids, c.Asks
	if flip {
		bids, asks = asks, bids
	}
	for _, l := range bids {
		p := flipped(l.Price, flip)
		b.rest(p, b.ladder.Size(market.Bid, p), l.Size)
		b.ladder.Set(market.Bid, p, l.Size)
	}
	for _, l := range asks {
		p := flipped(l.Price, flip)
		if mirrored {
			b.rest(p.Mirror(), b.ladder.Size(market.Ask, p), l.Size)
		}
		b.ladder.Set(market.Ask, p, l.Size)
	}
	b.top = b.ladder.Quote()
}

// applyBare is applyLadder without what rests.
func (b *book) applyBare(c *market.Capture, flip bool) {
	b.hasLadder = true
	if flip {
		b.ladder.ApplyMirror(c)
	} else {
		b.ladder.Apply(c)
	}
	b.top = b.ladder.Quote()
}

// rest replaces the size before at a bid p by the size after in resting.
func (b *book) rest(p market.Price, before, after market.Size) {
	b.resting = b.resting.add(valueOf(p, after)).sub(valueOf(p, before))
}

// settle takes the top of book from the quote where there is no ladder.
func (b *book) settle(mirrored bool) {
	if b.hasLadder {
		return
	}
	b.top, b.resting = b.quote, wide{}
	if b.quote.Bid.Price != market.NoPrice {
		b.resting = valueOf(b.quote.Bid.Price, b.quote.Bid.Size)
	}
	if mirrored && b.quote.Ask.Price != market.NoPrice {
		b.resting = b.resting.add(valueOf(b.quote.Ask.Price.Mirror(), b.quote.Ask.Size))
	}
}

// mid returns the price in half price units: that of top of book and last trade;
// where neither ladder nor quote was captured the price captured, else the last
// trade. Both sides known to be empty: none.
func (b *book) mid() (int64, bool) {
	if !b.known() {
		if b.price != market.NoPrice {
			return 2 * int64(b.price), true
		}
		return 2 * int64(b.trade), b.trade != market.NoPrice
	}
	if b.top.Bid.Price == market.NoPrice && b.top.Ask.Price == market.NoPrice {
		return 0, false
	}
	return int64(b.top.PriceWith(b.trade)), true
}

// spread returns best ask − best bid of the market's first token.
func (s *state) spread() (market.Price, bool) {
	top := s.books[0].top
	if top.Bid.Price == market.NoPrice || top.Ask.Price == market.NoPrice {
		return 0, false
	}
	return top.Ask.Price - top.Bid.Price, true
}

// liquidity returns what rests in the market, in units of 1e-10 USD.
func (s *state) liquidity() wide {
	if s.reported.Liquidity != market.NoMetric {
		return wideOf(s.reported.Liquidity)
	}
	var sum wide
	for i := range s.books {
		sum = sum.add(s.books[i].resting)
	}
	return sum
}

// traded returns the volume since the market's start, in units of 1e-10 USD.
func (s *state) traded() wide {
	if s.reported.Volume != market.NoMetric {
		return wideOf(s.reported.Volume)
	}
	return s.volume
}

// pairs finds trades that the source logged for both tokens of a mirrored pair:
// the same exchange time and size, and prices that add up to 1. Of each such
// pair the one received first counts. Trades without an exchange time are never
// paired.
type pairs struct {
	single map[pairKey]int
}

type pairKey struct {
	exch  market.Instant
	size  market.Size
	price market.Price // as the first token sees it
	token int
}

// fresh reports whether the trade counts.
func (p *pairs) fresh(c *market.Capture) bool {
	if c.Exch == 0 {
		return true
	}
	k := pairKey{c.Exch, c.Trade.Size, flipped(c.Trade.Price, c.Token != 0), c.Token}
	twin := k
	twin.token = 1 - c.Token
	if p.single[twin] > 0 {
		p.single[twin]--
		return false
	}
	if p.single == nil {
		p.single = map[pairKey]int{}
	}
	p.single[k]++
	return true
}
