package tops

import "github.com/ladderback/ladderback/market"

// Recorder derives the tops of a market with one book, that of a mirrored pair of two
// tokens, from its captures. Only ladders and trades have an effect. The zero value is
// ready for Begin; it holds a Book and is meant to be reused. It is not safe for concurrent
// use.
type Recorder struct {
	book       market.Book
	start, end market.Instant
	at         market.Instant // of the captures being collected
	open       bool           // there are any
	begun      bool           // an instant of the round has been noted
	known      bool           // a whole ladder has been received
	moved      [2]bool        // bids, asks: something changed at the best price, or near it
	best       [2]best        // of each, as of the last instant noted at which a ladder was known
	trade      market.Price
	noted      market.Price // trade as of the last instant noted
	seed       market.Top   // as of the last capture before the start; its At zero: none
	tops       []market.Top
}

// Begin prepares r for a market that runs from start to end.
func (r *Recorder) Begin(start, end market.Instant) {
	r.book.Clear()
	r.start, r.end, r.open, r.begun, r.known = start, end, false, false, false
	r.trade, r.moved = market.NoPrice, [2]bool{true, true}
	r.seed, r.tops = market.Top{Bid: market.NoLadder, Ask: market.NoLadder, Trade: int16(market.NoPrice)}, r.tops[:0]
}

// Add takes the next capture in receive order. It returns false when no later
// capture can make a difference.
func (r *Recorder) Add(c *market.Capture) bool {
	if c.Kind == market.KindReset {
		return true
	}
	if r.open && c.Recv != r.at {
		r.note()
	}
	if c.Recv >= r.end {
		r.open = false
		return false
	}
	r.at, r.open = c.Recv, true
	switch c.Kind {
	case market.KindBook, market.KindChange:
		r.move(c)
		if c.Token == 1 {
			r.book.ApplyMirror(c)
		} else {
			r.book.Apply(c)
		}
		r.known = r.known || c.Kind == market.KindBook || c.Replace
	case market.KindTrade:
		r.trade = c.Trade.Price
		if c.Token == 1 {
			r.trade = c.Trade.Price.Mirror()
		}
	}
	return true
}

// move notes which sides of the book a ladder capture moves at their best price, or near
// it, by the first level of each: most captures change none but others.
func (r *Recorder) move(c *market.Capture) {
	for i, levels := range [2][]market.Level{c.Bids, c.Asks} {
		if len(levels) == 0 && !c.Replace {
			continue
		}
		if c.Token == 1 {
			i = 1 - i
		}
		r.moved[i] = r.moved[i] || c.Replace || r.near(i, c.Token, levels[0].Price)
	}
}

// near reports whether the price of a token is not farther than TopReach behind the best
// price of a side of the book, as last noted.
func (r *Recorder) near(side, token int, p market.Price) bool {
	if token == 1 {
		p = p.Mirror()
	}
	if side == 0 {
		return p >= market.Price(r.best[0].price)-market.TopReach
	}
	return r.best[1].price < 0 || p <= market.Price(r.best[1].price)+market.TopReach
}

// note takes down an instant whose captures have all been added.
func (r *Recorder) note() {
	if r.begun && r.known && !r.moved[0] && !r.moved[1] && r.trade == r.noted {
		return // it shows what the instant before showed
	}
	r.noted = r.trade
	top := market.Top{At: r.at, Bid: market.NoLadder, Ask: market.NoLadder, Trade: int16(r.trade)}
	if r.known {
		for i, s := range [2]market.Side{market.Bid, market.Ask} {
			if r.moved[i] {
				r.best[i] = r.bestOf(s)
			}
		}
		r.moved = [2]bool{}
		top.Bid, top.Ask = r.best[0].price, r.best[1].price
		top.Least = [2]market.Least{r.best[0].least, r.best[1].least}
	}
	if r.at < r.start {
		r.seed = top
		return
	}
	if !r.begun {
		r.begun = true
		r.append(r.seed)
	} else if n := len(r.tops); n > 0 && same(&r.tops[n-1], &top) {
		last := &r.tops[n-1]
		for i := range top.Least {
			last.Least[i] = last.Least[i].And(top.Least[i])
		}
		return
	}
	r.append(top)
}

// best is what a top says of a side.
type best struct {
	price int16 // NoPrice: it is empty
	least market.Least
}

// nearMost is what stands near a price from which on no more is said.
var nearMost = market.Least(0xff).Near()

// bestOf returns what a top says of a side of the book.
func (r *Recorder) bestOf(s market.Side) best {
	at := r.book.Best(s)
	if at.Price == market.NoPrice {
		return best{price: int16(at.Price)}
	}
	low, high := max(0, at.Price-market.TopReach), at.Price
	if s == market.Ask {
		low, high = at.Price, min(market.PriceOne, at.Price+market.TopReach)
	}
	return best{int16(at.Price), market.LeastOf(at.Size, r.book.Within(s, low, high, nearMost))}
}

// same reports whether two tops differ in no more than what stands at their prices.
func same(a, b *market.Top) bool {
	return a.Bid == b.Bid && a.Ask == b.Ask && (a.Trade == b.Trade || a.Price() == b.Price())
}

// append takes a top down, unless nothing is known.
func (r *Recorder) append(top market.Top) {
	if top.Known() || top.At != 0 && top.Trade != int16(market.NoPrice) {
		r.tops = append(r.tops, top)
	}
}

// Tops returns the tops derived, as of market.Tops.Read. Instants at which nothing is known
// are left out. The result is valid until the next Begin.
func (r *Recorder) Tops() []market.Top {
	if r.open {
		r.note()
		r.open = false
	}
	if !r.begun {
		r.begun = true
		r.append(r.seed)
	}
	return r.tops
}
