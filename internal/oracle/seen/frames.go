// Package seen is what was received of a round, and what its market shows as of any instant:
// the streams, the rule for mirrored pairs, and the value of every level type.
package seen

import (
	"slices"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
)

// Stream is what a token's market is known by, worst first.
type Stream int

// The streams.
const (
	NoStream Stream = iota
	Prices
	Quotes
	Ladders
)

// FillKind is the kind of fill that each stream gives.
func (s Stream) FillKind() string {
	return map[Stream]string{Prices: "last_price", Quotes: "best_quote", Ladders: "book_ladder"}[s]
}

// Unlimited is the size of a level captured without one.
const Unlimited market.Size = -1

// Shown is what one token's market shows after a message.
type Shown struct {
	Stream     Stream
	Bids, Asks []market.Level // best first; size Unlimited: not captured
	trade      *market.Price  // last trade; nil: none known
}

// BestBid and BestAsk are nil where the side is empty.
func (s Shown) BestBid() *market.Price { return best(s.Bids) }
func (s Shown) BestAsk() *market.Price { return best(s.Asks) }

func best(levels []market.Level) *market.Price {
	if len(levels) == 0 {
		return nil
	}
	return &levels[0].Price
}

// Frame is the market after one message.
type Frame struct {
	At     market.Instant
	Tokens [2]Shown
	// Data: a book, a quote or a price was received up to now.
	Data bool
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

// Covered is how much of [start, end) lies within 30 s behind a capture of a value:
// a book, a level change behind the first book, a quote or a price.
func Covered(r *replaytest.Round) market.Span {
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
func (k *knowledge) shows() Shown {
	s := Shown{trade: k.trade}
	side := func(l market.Level) []market.Level {
		if l.Price == market.NoPrice {
			return nil
		}
		if l.Size == 0 {
			l.Size = Unlimited
		}
		return []market.Level{l}
	}
	switch {
	case k.ladder:
		s.Stream, s.Bids, s.Asks = Ladders, k.bids, k.asks
	case k.quote:
		s.Stream, s.Bids, s.Asks = Quotes, side(k.top.Bid), side(k.top.Ask)
	case k.price:
		l := market.Level{Price: k.last, Size: Unlimited}
		s.Stream, s.Bids, s.Asks = Prices, []market.Level{l}, []market.Level{l}
	}
	return s
}

// FramesOf applies the captures that count, one by one. Rule: the two tokens of
// a mirrored market have one book, so each message is also one of the other
// token; otherwise a token knows nothing but its own messages.
func FramesOf(r *replaytest.Round) []Frame {
	var out []Frame
	var known [2]knowledge
	data := false
	for _, c := range counted(r) {
		known[c.Token].take(c)
		if r.Market.Mirrored {
			known[1-c.Token].take(mirrorOf(c))
		}
		data = data || c.Kind == market.KindBook || c.Kind == market.KindQuote || c.Kind == market.KindPrice
		if n := len(out); n > 0 && out[n-1].At == c.Recv {
			out[n-1].last = false
		}
		out = append(out, Frame{
			At: c.Recv, Tokens: [2]Shown{known[0].shows(), known[1].shows()}, Data: data, last: true,
		})
	}
	return out
}

// AsOf returns the last frame at or before t; nil when there is none. Rule: the
// messages of one instant are applied together before anything is evaluated.
func AsOf(frames []Frame, t market.Instant) *Frame {
	n, _ := slices.BinarySearchFunc(frames, t, func(f Frame, t market.Instant) int {
		if f.At <= t {
			return -1
		}
		return 1
	})
	if n == 0 {
		return nil
	}
	return &frames[n-1]
}
