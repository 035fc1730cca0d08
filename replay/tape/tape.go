package tape

import (
	"iter"
	"math/big"
	"sort"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
)

const (
	// depthWindow is how far from the best level depth reaches, inclusive.
	depthWindow market.Price = 500
)

// Tape is what had been received about one market by the instant at hand. It
// is shared by all that replay the market at a time, and knows nothing of them.
type Tape struct {
	Market *market.Market
	gaps   []market.TokenGap
	Frames []*frame // one for a mirrored market, else one per token
	Views  []view   // one per token, as of the last refresh

	Last    market.Instant // of the last capture
	Started bool           // a book, quote or price has been received
	dirty   bool           // captures were applied since the last refresh
	version int            // raised by each refresh that saw captures
	History bool           // keep the past of type price
	// Moves is raised, where it is Watched, as a best price, what stands there, type price,
	// the kind of captures or the tick changes.
	Moves   int
	Watched bool

	// Partial: it shows the best prices alone, with what stands there and near them at
	// least. Orders that arrive wait, but for those that this proves.
	Partial bool
	Near    [2]market.Size // then: what stands near the best bid of each token
	// Ladders: of the captures ladders alone are applied, so that Last may be too early.
	Ladders bool

	Tick market.Price // the market's step of prices; 0: not known
	// Held is asked for what is held, by the conditions that read it; nil: nothing is.
	Held Holdings

	pool   []*frame
	levels []market.Level // see depthOf
}

// Holdings is what conditions read of what is held of a token. Not known: nothing is,
// or the quote that it takes is missing.
type Holdings interface {
	// Profit is the executable bid less the average entry price, in USD.
	Profit(t *Tape, token int) (*big.Rat, bool)
	// PairCost is the average entry price plus the best ask of the other token, in USD.
	PairCost(t *Tape, token int) (*big.Rat, bool)
	// Since is the first fill since none was held.
	Since(token int) (market.Instant, bool)
}

// frame is one ladder, quote, price and last trade.
type frame struct {
	book   market.Book
	stream Stream // the best received so far
	quote  market.Quote
	price  market.Price // of a price stream
	trade  market.Price // the last trade's; NoPrice: none
	Past   []skim.Price // type price, in order of time

	// As of the last refresh:
	shows market.Quote // what orders meet first
	now   market.Mid   // type price
	kind  Stream
}

// view is what one token's market shows.
type view struct {
	frame  *frame
	mirror bool // the frame shows the other token
	Stream Stream
	// quote is what orders meet: a price stands for both sides. A side without
	// a price is empty, a size of 0 is not known.
	Quote market.Quote
	Price market.Mid

	depths [2]depth // bid, ask
}

// depth is a cached Σ price × size near the best of a side.
type depth struct {
	version int
	known   bool
	amount  fills.Amount
}

// Load empties the tape for a market.
func (t *Tape) Load(r *market.Round, history bool) {
	m := r.Market
	*t = Tape{
		Market: m, gaps: r.Gaps, History: history, pool: t.pool, levels: t.levels,
		Frames: t.Frames[:0], Views: t.Views[:0], version: 1, Tick: m.Tick, Moves: t.Moves + 1,
	}
	mirrored := m.Mirrored && len(m.Tokens) == 2
	for i := range m.Tokens {
		if i == 0 || !mirrored {
			if len(t.pool) <= i {
				t.pool = append(t.pool, new(frame))
			}
			t.pool[i].reset()
			t.Frames = append(t.Frames, t.pool[i])
		}
		f := t.Frames[len(t.Frames)-1]
		t.Views = append(t.Views, view{frame: f, mirror: mirrored && i == 1, Quote: noQuote, Price: market.NoMid})
	}
}

var noQuote = market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}

func (f *frame) reset() {
	f.book.Clear()
	f.stream, f.quote, f.trade, f.Past = NoStream, noQuote, market.NoPrice, f.Past[:0]
	f.shows, f.now, f.kind = noQuote, market.NoMid, NoStream
}

// Show sets a partial tape to a top; nil: nothing is known.
func (t *Tape) Show(top *market.Top) {
	t.version++
	up := &t.Views[0]
	if up.Stream = NoStream; top == nil {
		up.Quote, up.Price = noQuote, market.NoMid
		t.Started, t.Last, t.Near = false, market.Earliest, [2]market.Size{}
	} else {
		up.Quote = top.Quote()
		if t.Started = top.Known(); t.Started {
			up.Stream = LadderStream
		}
		up.Price = up.Quote.PriceWith(market.Price(top.Trade))
		t.Last = top.At // or later
		t.Near = [2]market.Size{top.Least[0].Near(), top.Least[1].Near()}
	}
	down := &t.Views[1]
	down.Stream, down.Quote, down.Price = up.Stream, up.Quote.Mirror(), up.Price.Mirror()
}

// AsOf returns when the last capture was; zero: it is not known.
func (t *Tape) AsOf() market.Instant {
	if t.Partial || t.Ladders {
		return 0
	}
	return t.Last
}

// Apply takes one capture in. Captures come in receive order; Token must be one
// of the market's.
func (t *Tape) Apply(c *market.Capture) {
	v := &t.Views[c.Token]
	f := v.frame
	switch c.Kind {
	case market.KindBook, market.KindChange:
		if v.mirror {
			f.book.ApplyMirror(c)
		} else {
			f.book.Apply(c)
		}
		// Changes before the first whole ladder do not make a book.
		if c.Kind == market.KindBook || c.Replace {
			f.stream = LadderStream
		}
	case market.KindQuote:
		f.quote = market.Quote{Bid: c.Quote.Bid.Sided(), Ask: c.Quote.Ask.Sided()}
		if v.mirror {
			f.quote = f.quote.Mirror()
		}
		f.stream = max(f.stream, QuoteStream)
	case market.KindPrice:
		f.price = v.own(c.Trade.Price)
		f.stream = max(f.stream, PriceStream)
	case market.KindTrade:
		f.trade = v.own(c.Trade.Price)
	case market.KindTick:
		t.Tick = c.Trade.Price
		t.Moves++
	}
	t.Started = t.Started || f.stream != NoStream
	t.Last = c.Recv
	t.dirty = true
}

// own turns a price of v's token into one of the frame, and back.
func (v *view) own(p market.Price) market.Price {
	if v.mirror {
		return p.Mirror()
	}
	return p
}

// Refresh brings the views up to date with the captures applied.
func (t *Tape) Refresh() {
	if !t.dirty {
		return
	}
	t.dirty = false
	t.version++
	for _, f := range t.Frames {
		shows, now, kind := f.shows, f.now, f.kind
		f.shows = f.top()
		f.now, f.kind = f.typePrice(), f.stream
		if t.Watched && (f.shows != shows || f.now != now || f.kind != kind) {
			t.Moves++
		}
	}
	for i := range t.Views {
		v := &t.Views[i]
		v.Stream, v.Quote, v.Price = v.frame.stream, v.frame.shows, v.frame.now
		if v.mirror {
			v.Quote, v.Price = v.Quote.Mirror(), v.Price.Mirror()
		}
	}
}

// Remember notes type price from at on. It is called once per instant, after
// refresh.
func (t *Tape) Remember(at market.Instant) {
	if !t.History {
		return
	}
	for _, f := range t.Frames {
		if n := len(f.Past); n == 0 || f.Past[n-1].Price != f.now {
			f.Past = append(f.Past, skim.Price{At: at, Price: f.now})
		}
	}
}

// top returns what orders meet first.
func (f *frame) top() market.Quote {
	switch f.stream {
	case LadderStream:
		return f.book.Quote()
	case QuoteStream:
		return f.quote
	case PriceStream:
		l := market.Level{Price: f.price}
		return market.Quote{Bid: l, Ask: l}
	}
	return noQuote
}

// typePrice returns the value of type price; shows must be up to date.
func (f *frame) typePrice() market.Mid {
	if f.stream == PriceStream {
		return 2 * market.Mid(f.price)
	}
	return f.shows.PriceWith(f.trade)
}

// priceAt returns type price of a token as it was known at an instant not later
// than the one at hand. It needs history. guess is where the next call looks first.
func (t *Tape) priceAt(token int, at market.Instant, guess *int) market.Mid {
	v := &t.Views[token]
	past := v.frame.Past
	// The first entry after at, mostly the one before or the next; the past is long.
	i := *guess
	for n := 0; n < 4 && i < len(past) && past[i].At <= at; n++ {
		i++
	}
	if i > len(past) || i < len(past) && past[i].At <= at || i > 0 && past[i-1].At > at {
		i = sort.Search(len(past), func(i int) bool { return past[i].At > at })
	}
	if *guess = i; i == 0 {
		return market.NoMid
	}
	p := past[i-1].Price
	if v.mirror {
		p = p.Mirror()
	}
	return p
}

// depthOf returns Σ price × size near the best of a side of a token, and
// whether it is known: sizes may not be captured.
func (t *Tape) depthOf(token int, side market.Side) (fills.Amount, bool) {
	v := &t.Views[token]
	d := &v.depths[side-market.Bid]
	if d.version == t.version {
		return d.amount, d.known
	}
	*d = depth{version: t.version}
	best := v.best(side)
	switch {
	case v.Stream < QuoteStream:
	case best.Price == market.NoPrice:
		d.known = true // an empty side has no depth
	case v.Stream == QuoteStream:
		d.known = best.Size > 0
		d.amount = fills.Value(best.Price, best.Size)
	default:
		d.known = true
		t.levels = v.reach(t.levels[:0], side, best.Price)
		for _, l := range t.levels {
			d.amount = d.amount.Add(fills.Value(v.own(l.Price), l.Size))
		}
	}
	return d.amount, d.known
}

// reach appends to dst the levels of the frame's ladder that count towards the depth
// of a side of v's token, whose best price is given, in no order.
func (v *view) reach(dst []market.Level, side market.Side, best market.Price) []market.Level {
	if v.mirror {
		side, best = side.Opposite(), best.Mirror()
	}
	return v.frame.book.Reach(dst, side, best, depthWindow)
}

// best returns the first level that an order meets on a side.
func (v *view) best(side market.Side) market.Level {
	if side == market.Bid {
		return v.Quote.Bid
	}
	return v.Quote.Ask
}

// Next returns the level of the ladder behind p on a side of v's token.
func (v *view) Next(side market.Side, p market.Price) market.Level {
	if !v.mirror {
		return v.frame.book.Next(side, p)
	}
	l := v.frame.book.Next(side.Opposite(), p.Mirror())
	if l.Price != market.NoPrice {
		l.Price = l.Price.Mirror()
	}
	return l
}

// Shown returns what rests at p on a side of v's token by the captures applied,
// also those since the last refresh: Unlimited where a quote has no size, or there is
// but a price, which stands for both sides; 0 when nothing does.
func (v *view) Shown(side market.Side, p market.Price) market.Size {
	f := v.frame
	p = v.own(p)
	if v.mirror {
		side = side.Opposite()
	}
	switch f.stream {
	case LadderStream:
		return f.book.Size(side, p)
	case QuoteStream:
		l := f.quote.Bid
		if side == market.Ask {
			l = f.quote.Ask
		}
		if l.Price == p && l.Size == 0 {
			return fills.Unlimited // the quote says no size
		}
		if l.Price == p {
			return l.Size
		}
	case PriceStream:
		if f.price == p {
			return fills.Unlimited
		}
	}
	return 0
}

// Ladder appends to dst what an order meets on a side of a token, best first,
// up to and with the first level beyond the limit. Where no size was captured
// it is Unlimited.
func (t *Tape) Ladder(dst []market.Level, token int, side market.Side, limit market.Price) []market.Level {
	v := &t.Views[token]
	l := v.best(side)
	if v.Stream != LadderStream {
		if l.Price != market.NoPrice {
			if l.Size == 0 {
				l.Size = fills.Unlimited
			}
			dst = append(dst, l)
		}
		return dst
	}
	for ; l.Price != market.NoPrice; l = v.Next(side, l.Price) {
		dst = append(dst, l)
		if side == market.Ask && l.Price > limit || side == market.Bid && l.Price < limit {
			break
		}
	}
	return dst
}

// Best gives what Ladder does, as far as somebody reads. Of a top it is the best price: who
// asks has made sure that what stands there, which may be too little to be known, decides.
func (t *Tape) Best(token int, side market.Side) iter.Seq[market.Level] {
	return func(yield func(market.Level) bool) {
		v := &t.Views[token]
		l := v.best(side)
		if v.Stream != LadderStream || t.Partial {
			if l.Price != market.NoPrice {
				if l.Size == 0 {
					l.Size = fills.Unlimited
				}
				yield(l)
			}
			return
		}
		for l.Price != market.NoPrice && yield(l) {
			l = v.Next(side, l.Price)
		}
	}
}

// InGap reports whether at lies in a gap that the source declares. The gaps of
// both tokens of a mirrored pair are gaps of its one book.
func (t *Tape) InGap(token int, at market.Instant) bool {
	for _, g := range t.gaps {
		shared := g.Token >= 0 && g.Token < len(t.Views) && t.Views[g.Token].frame == t.Views[token].frame
		if shared && g.Covers(at) {
			return true
		}
	}
	return false
}
