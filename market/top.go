package market

import "math/bits"

// Top is what the one book of a market shows from an instant until the next Top,
// seen from the market's first token.
type Top struct {
	At Instant
	// Quote is the best bid and ask; both sides are empty before a ladder is known.
	// A size is a lower bound: at least that much stands at the price at every
	// instant until the next Top. It is that of a Rough.
	Quote Quote
	// Near are lower bounds likewise, of the bid and of the ask: what stands within
	// TopReach of the price, the price itself included.
	Near [2]Rough
	// Trade is a price for which Quote.PriceWith gives type price; NoPrice: none.
	Trade Price
	Known bool // a whole ladder has been received
}

// TopReach is the distance from the best price within which levels count towards
// Near of a Top, inclusive.
const TopReach Price = 500

// Rough is a size rounded down to a power of two of shares, and to 1,024 of them:
// 0 is less than a share, n > 0 is 2ⁿ⁻¹ shares. It is at most MostRough.
type Rough uint8

// MostRough is the highest Rough, that of 1,024 shares or more.
const MostRough Rough = 11

// Roughly rounds a size.
func Roughly(s Size) Rough { return min(MostRough, Rough(bits.Len64(uint64(s/SizeOne)))) }

// Size returns r as a size.
func (r Rough) Size() Size {
	if r == 0 {
		return 0
	}
	return SizeOne << (r - 1)
}

// Price returns type price.
func (t *Top) Price() Mid { return t.Quote.PriceWith(t.Trade) }

// TopRecorder derives the tops of a market with one book, that of a mirrored pair
// of two tokens, from its captures. Only ladders and trades have an effect. The
// zero value is ready for Begin; it holds a Book and is meant to be reused. It is
// not safe for concurrent use.
type TopRecorder struct {
	book       Book
	start, end Instant
	at         Instant // of the captures being collected
	open       bool    // there are any
	begun      bool    // an instant of the round has been noted
	now        Top
	seed       Top // as of the last capture before the start; its At zero: none
	tops       []Top
}

// Begin prepares r for a market that runs from start to end.
func (r *TopRecorder) Begin(start, end Instant) {
	r.book.Clear()
	r.start, r.end, r.open, r.begun = start, end, false, false
	r.now = Top{Quote: Quote{Bid: Level{Price: NoPrice}, Ask: Level{Price: NoPrice}}, Trade: NoPrice}
	r.seed, r.tops = Top{}, r.tops[:0]
}

// Add takes the next capture in receive order. It returns false when no later
// capture can make a difference.
func (r *TopRecorder) Add(c *Capture) bool {
	if c.Kind == KindReset {
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
	case KindBook, KindChange:
		if c.Token == 1 {
			r.book.ApplyMirror(c)
		} else {
			r.book.Apply(c)
		}
		r.now.Known = r.now.Known || c.Kind == KindBook || c.Replace
	case KindTrade:
		r.now.Trade = c.Trade.Price
		if c.Token == 1 {
			r.now.Trade = c.Trade.Price.Mirror()
		}
	}
	return true
}

// note takes down an instant whose captures have all been added.
func (r *TopRecorder) note() {
	top := r.now
	top.At = r.at
	if top.Known {
		top.Quote = r.book.Quote()
		top.Near = [2]Rough{r.near(Bid, top.Quote.Bid), r.near(Ask, top.Quote.Ask)}
		for _, l := range []*Level{&top.Quote.Bid, &top.Quote.Ask} {
			l.Size = Roughly(l.Size).Size()
		}
	}
	if r.at < r.start {
		r.seed = top
		return
	}
	first := !r.begun
	if first {
		r.begun = true
		r.append(r.seed)
	}
	if n := len(r.tops); n > 0 && !first {
		if last := &r.tops[n-1]; last.same(&top) {
			last.Quote.Bid.Size = min(last.Quote.Bid.Size, top.Quote.Bid.Size)
			last.Quote.Ask.Size = min(last.Quote.Ask.Size, top.Quote.Ask.Size)
			for i, n := range top.Near {
				last.Near[i] = min(last.Near[i], n)
			}
			return
		}
	}
	r.append(top)
}

// near rounds what stands within TopReach of the best level of a side.
func (r *TopRecorder) near(s Side, best Level) Rough {
	sum := best.Size
	for l := best; l.Price != NoPrice && sum < MostRough.Size(); sum += l.Size {
		if l = r.book.Next(s, l.Price); l.Price == NoPrice || max(l.Price-best.Price, best.Price-l.Price) > TopReach {
			break
		}
	}
	return Roughly(sum)
}

// same reports whether two tops differ in no more than sizes.
func (t *Top) same(u *Top) bool {
	return t.Quote.Bid.Price == u.Quote.Bid.Price && t.Quote.Ask.Price == u.Quote.Ask.Price &&
		t.Known == u.Known && t.Price() == u.Price()
}

func (r *TopRecorder) append(top Top) {
	if top.Known || top.At != 0 && top.Trade != NoPrice {
		r.tops = append(r.tops, top)
	}
}

// Tops returns the tops derived: what the book showed before the start, as of the
// last capture before it; then each instant of a capture in [start, end) at which
// the best bid, the best ask, type price or Known changed, and always the first
// such instant. Instants at which nothing is known are left out. The result is
// valid until the next Begin.
func (r *TopRecorder) Tops() []Top {
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
