package oracle

import (
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
)

// stream is what a token's market is known by, worst first.
type stream int

const (
	noStream stream = iota
	prices
	quotes
	ladders
)

// fillKind is the kind of fill that each stream gives.
func (s stream) fillKind() string {
	return map[stream]string{prices: "last_price", quotes: "best_quote", ladders: "book_ladder"}[s]
}

// unlimited is the size of a level captured without one.
const unlimited market.Size = -1

// shown is what one token's market shows after a message.
type shown struct {
	stream     stream
	bids, asks []market.Level // best first; size unlimited: not captured
	trade      *market.Price  // last trade; nil: none known
}

func (s shown) bestBid() *market.Price { return best(s.bids) }
func (s shown) bestAsk() *market.Price { return best(s.asks) }

func best(levels []market.Level) *market.Price {
	if len(levels) == 0 {
		return nil
	}
	return &levels[0].Price
}

// frame is the market after one message.
type frame struct {
	at     market.Instant
	tokens [2]shown
	// data: a book, a quote or a price was received up to now.
	data bool
	// last: no later message has the same instant.
	last bool
}

// counted returns the captures of the round that count. Rule: of the ladder
// captures of a mirrored pair that have one exchange time, only those of the
// token received first. Without an exchange time nothing matches. That the
// recorder reconnected was not received from the market.
func counted(r *replaytest.Round) []market.Capture {
	var out []market.Capture
	for i, c := range r.Captures {
		dropped := c.Kind == market.KindReset
		if r.Market.Mirrored && isLadder(c) && c.Exch != 0 {
			for _, before := range r.Captures[:i] {
				if isLadder(before) && before.Exch == c.Exch {
					dropped = before.Token != c.Token
					break
				}
			}
		}
		if !dropped {
			out = append(out, c)
		}
	}
	return out
}

// covered is how much of [start, end) lies within 30 s behind a capture of a value:
// a book, a level change behind the first book, a quote or a price.
func covered(r *replaytest.Round) market.Span {
	seen, until, whole := market.Span(0), r.Market.Start, false
	for _, c := range counted(r) {
		whole = whole || c.Kind == market.KindBook
		if !isLadder(c) && c.Kind != market.KindQuote && c.Kind != market.KindPrice || c.Kind == market.KindChange && !whole {
			continue
		}
		from, to := max(c.Recv, until), min(c.Recv+30*market.Second, r.Market.End)
		if from < to {
			seen, until = seen+to-from, to
		}
	}
	return seen
}

func isLadder(c market.Capture) bool {
	return c.Kind == market.KindBook || c.Kind == market.KindChange
}

// mirrorOf returns the capture as the other token of a mirrored pair would have
// been sent it: a bid at p is an ask at 1 − p, a trade at p one at 1 − p.
func mirrorOf(c market.Capture) market.Capture {
	flip := func(l market.Level) market.Level {
		if l.Price == market.NoPrice {
			return l
		}
		return market.Level{Price: market.PriceOne - l.Price, Size: l.Size}
	}
	all := func(levels []market.Level) []market.Level {
		out := []market.Level{}
		for _, l := range levels {
			out = append(out, flip(l))
		}
		return out
	}
	c.Token = 1 - c.Token
	c.Bids, c.Asks = all(c.Asks), all(c.Bids)
	c.Quote.Bid, c.Quote.Ask = flip(c.Quote.Ask), flip(c.Quote.Bid)
	c.Trade.Price = market.PriceOne - c.Trade.Price
	return c
}

// knowledge is everything received about one token so far.
type knowledge struct {
	ladder, quote, price bool
	bids, asks           []market.Level // of the ladder, best first
	top                  market.Quote
	last                 market.Price // of a price stream
	trade                *market.Price
}

// take adds a message. Tick changes and metrics change nothing.
// The ladder is known from the first book on: changes of levels that nobody
// knows are no book.
func (k *knowledge) take(c market.Capture) {
	switch c.Kind {
	case market.KindBook, market.KindChange:
		k.ladder = k.ladder || c.Kind == market.KindBook
		if c.Replace {
			k.bids, k.asks = nil, nil
		}
		k.bids = changed(k.bids, c.Bids)
		k.asks = changed(k.asks, c.Asks)
		slices.SortFunc(k.bids, func(a, b market.Level) int { return int(b.Price - a.Price) })
		slices.SortFunc(k.asks, func(a, b market.Level) int { return int(a.Price - b.Price) })
	case market.KindQuote:
		k.quote, k.top = true, c.Quote
	case market.KindPrice:
		k.price, k.last = true, c.Trade.Price
	case market.KindTrade:
		p := c.Trade.Price
		k.trade = &p
	}
}

// changed returns a new ladder side in which each level given has its new size,
// and those of size zero are gone.
func changed(side, news []market.Level) []market.Level {
	sizes := map[market.Price]market.Size{}
	for _, l := range side {
		sizes[l.Price] = l.Size
	}
	for _, l := range news {
		sizes[l.Price] = l.Size
	}
	var out []market.Level
	for p, z := range sizes {
		if z != 0 {
			out = append(out, market.Level{Price: p, Size: z})
		}
	}
	return out
}

// shows returns what the token's market shows. Rule: the best stream with a
// capture up to now counts: the ladder; else the quote, whose sizes may be
// missing; else the price, which stands for best bid and best ask.
func (k *knowledge) shows() shown {
	s := shown{trade: k.trade}
	side := func(l market.Level) []market.Level {
		if l.Price == market.NoPrice {
			return nil
		}
		if l.Size == 0 {
			l.Size = unlimited
		}
		return []market.Level{l}
	}
	switch {
	case k.ladder:
		s.stream, s.bids, s.asks = ladders, k.bids, k.asks
	case k.quote:
		s.stream, s.bids, s.asks = quotes, side(k.top.Bid), side(k.top.Ask)
	case k.price:
		l := market.Level{Price: k.last, Size: unlimited}
		s.stream, s.bids, s.asks = prices, []market.Level{l}, []market.Level{l}
	}
	return s
}

// framesOf applies the captures that count, one by one. Rule: the two tokens of
// a mirrored market have one book, so each message is also one of the other
// token; otherwise a token knows nothing but its own messages.
func framesOf(r *replaytest.Round) []frame {
	var out []frame
	var known [2]knowledge
	data := false
	for _, c := range counted(r) {
		known[c.Token].take(c)
		if r.Market.Mirrored {
			known[1-c.Token].take(mirrorOf(c))
		}
		data = data || c.Kind == market.KindBook || c.Kind == market.KindQuote || c.Kind == market.KindPrice
		if n := len(out); n > 0 && out[n-1].at == c.Recv {
			out[n-1].last = false
		}
		out = append(out, frame{
			at: c.Recv, tokens: [2]shown{known[0].shows(), known[1].shows()}, data: data, last: true,
		})
	}
	return out
}

// asOf returns the last frame at or before t; nil when there is none. Rule: the
// messages of one instant are applied together before anything is evaluated.
func asOf(frames []frame, t market.Instant) *frame {
	n, _ := slices.BinarySearchFunc(frames, t, func(f frame, t market.Instant) int {
		if f.at <= t {
			return -1
		}
		return 1
	})
	if n == 0 {
		return nil
	}
	return &frames[n-1]
}

func price(p market.Price) *big.Rat { return big.NewRat(int64(p), int64(market.PriceOne)) }
func size(s market.Size) *big.Rat   { return big.NewRat(int64(s), int64(market.SizeOne)) }
func cash(c market.Cash) *big.Rat   { return big.NewRat(int64(c), int64(market.CashOne)) }

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func div(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

// floorTo and ceilTo round to a multiple of 1/per.
func floorTo(x *big.Rat, per int64) *big.Rat {
	scaled := mul(x, big.NewRat(per, 1))
	q := new(big.Int)
	q.Div(scaled.Num(), scaled.Denom()) // the denominator is positive: towards −∞
	return new(big.Rat).SetFrac(q, big.NewInt(per))
}

func ceilTo(x *big.Rat, per int64) *big.Rat {
	return new(big.Rat).Neg(floorTo(new(big.Rat).Neg(x), per))
}

// cashOf returns x, a multiple of 1e-6 USD, as Cash.
func cashOf(x *big.Rat) market.Cash {
	scaled := mul(x, big.NewRat(int64(market.CashOne), 1))
	if !scaled.IsInt() {
		panic("oracle: not rounded to 1e-6: " + x.String())
	}
	return market.Cash(scaled.Num().Int64())
}
