package market

import "math/bits"

const (
	gridSize  = int(PriceOne) + 1
	gridWords = (gridSize + 63) / 64
)

// half is one side of a ladder: a size per price of the grid, a bitmap of the
// prices that hold one, and a bitmap of the words of that bitmap that are not
// zero, so that the best price is two or three bit scans away.
type half struct {
	size    [gridSize]Size
	words   [gridWords]uint64
	summary [(gridWords + 63) / 64]uint64
	count   int
}

func (h *half) set(p Price, s Size) {
	had := h.size[p]
	h.size[p] = s
	if (had == 0) != (s == 0) {
		h.flip(p, s != 0)
	}
}

// apply sets levels. Most changes are of a size that stays one.
func (h *half) apply(levels []Level) {
	for _, l := range levels {
		had := h.size[l.Price]
		h.size[l.Price] = l.Size
		if (had == 0) != (l.Size == 0) {
			h.flip(l.Price, l.Size != 0)
		}
	}
}

// applyMirror sets the levels of the other side of the other token of a pair.
func (h *half) applyMirror(levels []Level) {
	for _, l := range levels {
		p := l.Price.Mirror()
		had := h.size[p]
		h.size[p] = l.Size
		if (had == 0) != (l.Size == 0) {
			h.flip(p, l.Size != 0)
		}
	}
}

// flip notes that a price holds a size now, or does not any more.
func (h *half) flip(p Price, holds bool) {
	w, b := uint(p)/64, uint64(1)<<(uint(p)%64)
	if holds {
		h.words[w] |= b
		h.summary[w/64] |= 1 << (w % 64)
		h.count++
		return
	}
	h.words[w] &^= b
	if h.words[w] == 0 {
		h.summary[w/64] &^= 1 << (w % 64)
	}
	h.count--
}

func (h *half) clear() {
	for si, s := range h.summary {
		for ; s != 0; s &= s - 1 {
			w := si*64 + bits.TrailingZeros64(s)
			for b := h.words[w]; b != 0; b &= b - 1 {
				h.size[w*64+bits.TrailingZeros64(b)] = 0
			}
			h.words[w] = 0
		}
		h.summary[si] = 0
	}
	h.count = 0
}

// above returns the lowest price ≥ p that holds a size, or NoPrice.
func (h *half) above(p Price) Price {
	if p < 0 {
		p = 0
	}
	if int(p) >= gridSize {
		return NoPrice
	}
	w := int(p) / 64
	if b := h.words[w] >> (uint(p) % 64); b != 0 {
		return p + Price(bits.TrailingZeros64(b))
	}
	w++
	for si := w / 64; si < len(h.summary); si++ {
		s := h.summary[si]
		if si == w/64 {
			s &= ^uint64(0) << (uint(w) % 64)
		}
		if s != 0 {
			w = si*64 + bits.TrailingZeros64(s)
			return Price(w*64 + bits.TrailingZeros64(h.words[w]))
		}
	}
	return NoPrice
}

// below returns the highest price ≤ p that holds a size, or NoPrice.
func (h *half) below(p Price) Price {
	if p < 0 {
		return NoPrice
	}
	if int(p) >= gridSize {
		p = PriceOne
	}
	w := int(p) / 64
	if b := h.words[w] << (63 - uint(p)%64); b != 0 {
		return p - Price(bits.LeadingZeros64(b))
	}
	w--
	if w < 0 {
		return NoPrice
	}
	for si := w / 64; si >= 0; si-- {
		s := h.summary[si]
		if si == w/64 {
			s &= ^uint64(0) >> (63 - uint(w)%64)
		}
		if s != 0 {
			w = si*64 + 63 - bits.LeadingZeros64(s)
			return Price(w*64 + 63 - bits.LeadingZeros64(h.words[w]))
		}
	}
	return NoPrice
}

// Book is a ladder on the price grid: what rests at each price, on both sides.
// Setting a level and finding the best one take constant time, however many
// levels there are. The zero value is an empty book. A Book is about 160 KB:
// reuse one with Clear rather than allocating one per market. It is not safe
// for concurrent use.
type Book struct {
	bids, asks half
}

func (b *Book) side(s Side) *half {
	if s == Bid {
		return &b.bids
	}
	return &b.asks
}

// Clear empties the book in time proportional to the levels it holds.
func (b *Book) Clear() {
	b.bids.clear()
	b.asks.clear()
}

// Set sets the size at price p on side s (Bid or Ask) to z; zero removes the
// level. p must be on the grid.
func (b *Book) Set(s Side, p Price, z Size) { b.side(s).set(p, z) }

// Apply applies a ladder capture from the point of view of its own token.
func (b *Book) Apply(c *Capture) {
	if c.Replace {
		b.Clear()
	}
	b.bids.apply(c.Bids)
	b.asks.apply(c.Asks)
}

// ApplyMirror applies a ladder capture of the other token of a mirrored pair:
// its bids at p are asks at 1 − p.
func (b *Book) ApplyMirror(c *Capture) {
	if c.Replace {
		b.Clear()
	}
	b.asks.applyMirror(c.Bids)
	b.bids.applyMirror(c.Asks)
}

// Size returns the size resting at p on side s, or zero.
func (b *Book) Size(s Side, p Price) Size { return b.side(s).size[p] }

// Levels returns the number of price levels on side s.
func (b *Book) Levels(s Side) int { return b.side(s).count }

// Best returns the best level of side s: the highest bid or the lowest ask. Its
// price is NoPrice when the side is empty.
func (b *Book) Best(s Side) Level {
	if s == Bid {
		return b.level(Bid, b.bids.below(PriceOne))
	}
	return b.level(Ask, b.asks.above(0))
}

// Next returns the level of side s beyond the price p: the next lower bid or
// the next higher ask. Its price is NoPrice when there is none.
func (b *Book) Next(s Side, p Price) Level {
	if s == Bid {
		return b.level(Bid, b.bids.below(p-1))
	}
	return b.level(Ask, b.asks.above(p+1))
}

func (b *Book) level(s Side, p Price) Level {
	if p == NoPrice {
		return Level{Price: NoPrice}
	}
	return Level{Price: p, Size: b.side(s).size[p]}
}

// Reach appends to dst the levels of side s whose prices are from p to at most reach
// behind it: lower for bids, higher for asks. They come in order of price, the lowest
// first.
func (b *Book) Reach(dst []Level, s Side, p, reach Price) []Level {
	if s == Bid {
		p -= reach
	}
	h, from, to := b.side(s), max(0, p), min(PriceOne, p+reach)
	for at := from &^ 63; at <= to; at += 64 {
		word := h.words[at/64]
		if at < from {
			word &= ^uint64(0) << uint(from-at)
		}
		if to-at < 63 {
			word &= 1<<uint(to-at+1) - 1
		}
		for ; word != 0; word &= word - 1 {
			p := at + Price(bits.TrailingZeros64(word))
			dst = append(dst, Level{Price: p, Size: h.size[p]})
		}
	}
	return dst
}

// Quote returns the top of the book.
func (b *Book) Quote() Quote { return Quote{Bid: b.Best(Bid), Ask: b.Best(Ask)} }

// Append appends the levels of side s to dst, best first.
func (b *Book) Append(dst []Level, s Side) []Level {
	for l := b.Best(s); l.Price != NoPrice; l = b.Next(s, l.Price) {
		dst = append(dst, l)
	}
	return dst
}
