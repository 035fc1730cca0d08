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
	flow   []market.Level // traded, the price that fills most orders last
	fallen []market.Level // by price: what of the fall of a size is used
}

// Match fills the orders of a side from one capture instant, of which everything has
// been applied and noted, and calls done with each that it may have changed, in the
// order of their precedence. gap: nothing fills. Flow is dropped by Next.
func (b *Book) Match(side market.Side, shown Shown, gap bool, done func(Fill)) {
	orders := b.orders[index(side)]
	if len(orders) == 0 {
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
		i := slices.IndexFunc(p.flow, func(l market.Level) bool { return l.Price == t.Price })
		if i < 0 {
			p.flow = append(p.flow, t)
			continue
		}
		p.flow[i].Size += t.Size
	}
	// From the order's price on, away from the market.
	slices.SortFunc(p.flow, func(x, y market.Level) int {
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
	for _, l := range p.flow {
		switch {
		case l.Price == o.Price:
			f.At += l.Size
		case better(p.side, o.Price, l.Price):
			f.Below += l.Size
		}
	}
	now := shown.Size(p.side, o.Price)
	own := b.own(p, o, &f, now)
	if !gap {
		f.Size = min(o.Left, plus(f.Offers, f.Below+own))
		f.Size -= f.Size % fills.Lot
	}
	b.use(p, o, f.Size, own)
	o.shown = now
	switch below := slices.ContainsFunc(b.flow, func(l market.Level) bool { return better(p.side, o.Price, l.Price) }); {
	case below:
		o.Ahead = 0
	case o.Ahead != Endless:
		o.Ahead = max(0, o.Ahead-f.At)
	}
	return f
}

// own returns what fills an order of what happened at its own price.
func (b *Book) own(p *pool, o *Order, f *Fill, now market.Size) market.Size {
	switch {
	case b.Rule == Back:
		return max(0, f.At-o.Ahead)
	case b.Rule == Front && b.traded:
		return f.At
	case b.Rule == Front && o.shown != Endless && now != Endless:
		fall := max(0, o.shown-now)
		for _, l := range p.fallen {
			if l.Price == o.Price {
				fall = max(0, fall-l.Size)
			}
		}
		return fall
	}
	return 0
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
		n := min(size, l.Size)
		switch {
		case better(p.side, l.Price, o.Price):
			continue
		case l.Price == o.Price:
			n = min(n, own)
		}
		l.Size -= n
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
