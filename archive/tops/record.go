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
	trade      market.Price
	seed       market.Top // as of the last capture before the start; its At zero: none
	tops       []market.Top
}

// Begin prepares r for a market that runs from start to end.
func (r *Recorder) Begin(start, end market.Instant) {
	r.book.Clear()
	r.start, r.end, r.open, r.begun, r.known = start, end, false, false, false
	r.trade = market.NoPrice
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

// note takes down an instant whose captures have all been added.
func (r *Recorder) note() {
	top := market.Top{At: r.at, Bid: market.NoLadder, Ask: market.NoLadder, Trade: int16(r.trade)}
	if r.known {
		q := r.book.Quote()
		top.Bid, top.Ask = int16(q.Bid.Price), int16(q.Ask.Price)
		top.Least = [2]market.Least{r.least(market.Bid, q.Bid), r.least(market.Ask, q.Ask)}
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

// nearMost is what stands near a price from which on no more is said.
var nearMost = market.Least(0xff).Near()

// least returns what a top says of the best level of a side.
func (r *Recorder) least(s market.Side, best market.Level) market.Least {
	sum := best.Size
	for l := best; l.Price != market.NoPrice && sum < nearMost; sum += l.Size {
		if l = r.book.Next(s, l.Price); l.Price == market.NoPrice || max(l.Price-best.Price, best.Price-l.Price) > market.TopReach {
			break
		}
	}
	return market.LeastOf(best.Size, sum)
}

// same reports whether two tops differ in no more than what stands at their prices.
func same(a, b *market.Top) bool {
	return a.Bid == b.Bid && a.Ask == b.Ask && a.Price() == b.Price()
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
