package queue

import (
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// worst returns the worst price of a side.
func worst(side market.Side) market.Price {
	if side == market.Bid {
		return 0
	}
	return market.PriceOne
}

// pool is what the orders of one side share at one capture: each share fills one.
type pool struct {
	side   market.Side
	offers []market.Level // best first
	flow   []traded       // best price first
	fallen []market.Level // by price: what of the fall of a size is used
}

// traded is what traded at a price; of its shares the first so many have filled orders, or
// others who stood before them.
type traded struct {
	market.Level
	used market.Size
}

// Match fills the orders of a side from one capture instant, of which everything has
// been applied and noted, and calls done with each that it may have changed, in the
// order of their precedence. gap: nothing fills. Flow is dropped by Next.
func (b *Book) Match(side market.Side, shown Shown, gap bool, done func(Fill)) {
	orders := b.orders[index(side)]
	if len(orders) == 0 || b.still(side, shown.Best(side.Opposite())) {
		return
	}
	p := b.pool(side, shown)
	for _, o := range slices.Clone(orders) {
		f := b.get(&p, o, shown, gap)
		if f.Size > 0 {
			o.Left -= f.Size
			if o.Left == 0 {
				b.Remove(o)
			}
		}
		done(f)
	}
}

// Still reports whether nothing was traded or is offered that could reach an order, nor a
// size may have fallen that counts, where the book shows a quote.
func (b *Book) Still(q *market.Quote) bool {
	return (len(b.orders[0]) == 0 || b.still(market.Bid, q.Ask.Price)) && (len(b.orders[1]) == 0 || b.still(market.Ask, q.Bid.Price))
}

// still is Still for the orders of a side, of which there are some, and the best price
// of the other.
func (b *Book) still(side market.Side, best market.Price) bool {
	if b.Rule == Front && !b.traded {
		return false
	}
	own := b.orders[index(side)][0].Price
	for _, l := range b.flow {
		if !better(side, l.Price, own) {
			return false
		}
	}
	return best == market.NoPrice || better(side, best, own)
}

// Next ends an instant: what traded has been used or is lost.
func (b *Book) Next() { b.flow = b.flow[:0] }

func (b *Book) pool(side market.Side, shown Shown) pool {
	p := pool{side: side}
	if !shown.Crossed() {
		// The first order has the best price: up to it offers may be taken.
		best := b.orders[index(side)][0].Price
		p.offers = shown.Levels(nil, side.Opposite(), best)
		p.offers = slices.DeleteFunc(p.offers, func(l market.Level) bool { return better(side, l.Price, best) })
		b.Available(side.Opposite(), p.offers)
	}
	for _, t := range b.flow {
		i := slices.IndexFunc(p.flow, func(l traded) bool { return l.Price == t.Price })
		if i < 0 {
			p.flow = append(p.flow, traded{Level: t})
			continue
		}
		p.flow[i].Size += t.Size
	}
	// From the order's price on, away from the market.
	slices.SortFunc(p.flow, func(x, y traded) int {
		if better(side, x.Price, y.Price) {
			return -1
		}
		return 1
	})
	return p
}

// get works out what one order gets, takes it out of the pool, and moves its queue.
func (b *Book) get(p *pool, o *Order, shown Shown, gap bool) Fill {
	f := Fill{Order: o, Ahead: o.Ahead}
	for _, l := range p.offers {
		if !better(p.side, l.Price, o.Price) {
			f.Offers = plus(f.Offers, l.Size)
		}
	}
	below, own := market.Size(0), market.Size(0)
	for _, l := range p.flow {
		switch {
		case l.Price == o.Price:
			f.At, own = l.Size, b.beyond(o, &l)
		case better(p.side, o.Price, l.Price):
			f.Below += l.Size
			below += l.Size - l.used
		}
	}
	now := shown.Size(p.side, o.Price)
	if b.Rule == Front && !b.traded {
		own = p.fall(o, now)
	}
	if !gap {
		f.Size = min(o.Left, plus(f.Offers, below+own))
		f.Size -= f.Size % fills.Lot
	}
	b.use(p, o, f.Size, own)
	o.shown = now
	switch {
	case f.Below > 0:
		o.Ahead = 0
	case o.Ahead != Endless:
		o.Ahead = max(0, o.Ahead-f.At)
	}
	return f
}

// beyond returns what fills an order of what traded at its own price.
func (b *Book) beyond(o *Order, l *traded) market.Size {
	switch b.Rule {
	case Back:
		return max(0, l.Size-max(o.Ahead, l.used))
	case Front:
		return l.Size - l.used
	}
	return 0
}

// fall returns by how much the size shown at an order's price has fallen, beyond what that
// has filled.
func (p *pool) fall(o *Order, now market.Size) market.Size {
	if o.shown == Endless || now == Endless {
		return 0
	}
	fall := o.shown - now
	for _, l := range p.fallen {
		if l.Price == o.Price {
			fall -= l.Size
		}
	}
	return max(0, fall)
}

// use takes what filled an order out of the pool: offers first, best first, then what
// traded, from the order's price on.
func (b *Book) use(p *pool, o *Order, size, own market.Size) {
	for i := range p.offers {
		l := &p.offers[i]
		if size == 0 || better(p.side, l.Price, o.Price) {
			break
		}
		n := min(size, l.Size)
		if n == 0 {
			continue
		}
		b.Take(p.side.Opposite(), market.Level{Price: l.Price, Size: n})
		if l.Size != fills.Unlimited {
			l.Size -= n
		}
		size -= n
	}
	if b.Rule == Front && !b.traded {
		n := min(size, own)
		p.fallen = append(p.fallen, market.Level{Price: o.Price, Size: n})
		size -= n
		own = 0
	}
	for i := range p.flow {
		l := &p.flow[i]
		n := min(size, l.Size-l.used)
		switch {
		case n <= 0, better(p.side, l.Price, o.Price):
			continue
		case l.Price == o.Price && b.Rule == Back:
			l.used, n = max(o.Ahead, l.used), min(n, own)
		case l.Price == o.Price:
			n = min(n, own)
		}
		l.used += n
		size -= n
	}
}

// plus adds sizes of which the first may be unlimited.
func plus(a, b market.Size) market.Size {
	if a > fills.Unlimited-b {
		return fills.Unlimited
	}
	return a + b
}
