package simulate

import (
	"math/bits"

	"github.com/ladderback/ladderback/market"
)

// Prices of a ladder stand on a grid of fineTick: index i is the price
// i × fineTick.
const (
	coarseTick = market.Price(100)
	fineTick   = market.Price(10)
	coarse     = int(coarseTick / fineTick)
	gridEnd    = int(market.PriceOne / fineTick)
	gridWords  = gridEnd/64 + 1
	cent       = one / 100
)

// half is one side of a ladder on the grid.
type half struct {
	size    [gridEnd + 1]market.Size
	held    [gridWords]uint64 // indices with a size
	touched [gridWords]uint64 // indices that changed since they were last handed out
	count   int
}

func (h *half) set(i int, s market.Size) {
	if h.size[i] == s {
		return
	}
	w, b := i/64, uint64(1)<<(i%64)
	switch {
	case h.size[i] == 0:
		h.held[w] |= b
		h.count++
	case s == 0:
		h.held[w] &^= b
		h.count--
	}
	h.size[i] = s
	h.touched[w] |= b
}

// lowest and highest return the first and the last index that has a size, −1
// when there is none.
func (h *half) lowest() int {
	for w, v := range h.held {
		if v != 0 {
			return w*64 + bits.TrailingZeros64(v)
		}
	}
	return -1
}

func (h *half) highest() int {
	for w := gridWords - 1; w >= 0; w-- {
		if v := h.held[w]; v != 0 {
			return w*64 + 63 - bits.LeadingZeros64(v)
		}
	}
	return -1
}

// appendLevels appends the levels of the indices in set, best first.
func (h *half) appendLevels(dst []market.Level, set *[gridWords]uint64, bid bool) []market.Level {
	add := func(i int) {
		dst = append(dst, market.Level{Price: market.Price(i) * fineTick, Size: h.size[i]})
	}
	if bid {
		for w := gridWords - 1; w >= 0; w-- {
			for v := set[w]; v != 0; {
				i := 63 - bits.LeadingZeros64(v)
				v &^= 1 << i
				add(w*64 + i)
			}
		}
		return dst
	}
	for w, v := range set {
		for ; v != 0; v &= v - 1 {
			add(w*64 + bits.TrailingZeros64(v))
		}
	}
	return dst
}

// ladder is the ladder of Up that makers keep.
type ladder struct {
	dice   dice
	levels int   // per side, at most
	depth  int64 // percent
	fair   bool  // never quote past the fair value

	sides  [2]half // bids, asks
	tick   int     // in steps of the grid
	width  int     // ticks between bid and ask
	absent bool    // nobody quotes the side that is all but lost
	thin   int64   // percent of the usual size, by the time left
}

// quotes returns the best bid and ask for a value, as indices of the grid: 0 for
// no bid, gridEnd for no ask.
func (l *ladder) quotes(value int64) (bid, ask int) {
	step := int64(l.tick) * (one / int64(gridEnd))
	below := int(value/step) * l.tick
	bid = below - (l.width-1)/2*l.tick
	ask = below + (1+l.width/2)*l.tick
	last := gridEnd - l.tick
	switch {
	case bid >= l.tick && ask <= last:
	case l.fair || l.absent:
		if bid < l.tick {
			bid = 0
		}
		if ask > last {
			ask = gridEnd
		}
		bid, ask = min(bid, last), max(ask, l.tick)
	case ask > last:
		bid, ask = last-l.tick, last
	default:
		bid, ask = l.tick, 2*l.tick
	}
	return bid, ask
}

// quote moves the ladder to a value: what stands past the new quotes goes, what
// is missing before them comes, then some levels change their size.
func (l *ladder) quote(value int64) {
	if l.dice.in(1, 12) {
		l.width = 1
		if l.dice.in(1, 7) {
			l.width = int(l.dice.between(2, 3))
			if l.dice.in(1, 6) {
				l.width = int(l.dice.between(4, 6))
			}
		}
	}
	bid, ask := l.quotes(value)
	bids, asks := &l.sides[0], &l.sides[1]
	for i := bids.highest(); i > bid; i = bids.highest() {
		bids.set(i, 0)
	}
	for i := asks.lowest(); i >= 0 && i < ask; i = asks.lowest() {
		asks.set(i, 0)
	}
	l.fill(bids, bid, -1)
	l.fill(asks, ask, 1)
	for n := l.dice.between(2, 12); n > 0; n-- {
		if l.dice.in(1, 2) {
			l.change(bids, bid, -1)
		} else {
			l.change(asks, ask, 1)
		}
	}
}

// fill puts levels from the best price outwards to where levels stand already,
// and takes away the worst beyond the most that there may be.
func (l *ladder) fill(h *half, best, way int) {
	if best <= 0 || best >= gridEnd {
		return
	}
	run := 0
	for n := range l.levels {
		i := best + way*n*l.tick
		if i <= 0 || i >= gridEnd {
			break
		}
		if h.size[i] == 0 {
			h.set(i, l.fresh(n))
			run = 0
		} else if run++; run >= 4 && h.count >= l.levels/2 {
			break
		}
	}
	for h.count > l.levels {
		if way < 0 {
			h.set(h.lowest(), 0)
		} else {
			h.set(h.highest(), 0)
		}
	}
}

// usual returns how many shares stand n ticks from the best price at most times.
func (l *ladder) usual(n int) int64 {
	near := [...]int64{120, 240, 320, 370, 400}
	shares := int64(410)
	if n < len(near) {
		shares = near[n]
	}
	return shares * l.depth / 100 * l.thin / 100
}

// fresh draws the size of a new level n ticks from the best price.
func (l *ladder) fresh(n int) market.Size {
	shares := l.usual(n)
	if n < 2 {
		shares = shares * l.dice.between(8, 300) / 100
	} else {
		shares = shares * l.dice.between(40, 180) / 100
	}
	if n >= 15 && l.dice.in(1, 14) {
		shares *= l.dice.between(4, 30)
	}
	size := market.Size(5+shares/5*5) * market.SizeOne
	if l.dice.in(1, 4) {
		size += market.Size(l.dice.between(1, 499)) * market.SizeOne / 100
	}
	return size
}

// change changes the size of one level, rather a near one than a far one.
func (l *ladder) change(h *half, best, way int) {
	if best <= 0 || best >= gridEnd {
		return
	}
	n := int(l.dice.below(int64(l.levels)) * l.dice.below(int64(l.levels)) / int64(l.levels))
	i := best + way*n*l.tick
	if i <= 0 || i >= gridEnd || h.size[i] == 0 && h.count >= l.levels {
		return
	}
	size := h.size[i]
	switch l.dice.below(16) {
	case 0:
		size = 0
	case 1, 2:
		size = l.fresh(n)
	case 3, 4, 5:
		size += market.Size(l.dice.between(-9_999, 9_999)) * market.SizeOne / 100
	default:
		lots := [...]int64{5, 5, 5, 10, 10, 20, 50, 100}
		lot := market.Size(lots[l.dice.below(int64(len(lots)))]) * market.SizeOne
		// Orders come and go; more go where much stands already.
		out := int64(2)
		if int64(size/market.SizeOne) > l.usual(n) {
			out = 3
		}
		if l.dice.in(out, 5) {
			lot = -lot
		}
		size += lot
	}
	if size <= 0 {
		size = 0
		if i == best {
			size = 5 * market.SizeOne
		}
	}
	h.set(i, size)
}

// hand makes c the ladder as it stands, whole or as what changed since the last
// time.
func (l *ladder) hand(c *market.Capture, whole bool) {
	c.Kind, c.Replace = market.KindChange, false
	bids, asks := &l.sides[0], &l.sides[1]
	inBids, inAsks := &bids.touched, &asks.touched
	if whole {
		c.Kind, c.Replace = market.KindBook, true
		inBids, inAsks = &bids.held, &asks.held
	}
	c.Bids = bids.appendLevels(c.Bids[:0], inBids, true)
	c.Asks = asks.appendLevels(c.Asks[:0], inAsks, false)
	clear(bids.touched[:])
	clear(asks.touched[:])
}
