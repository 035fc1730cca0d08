package market

import "math/bits"

const (
	gridSize  = int(PriceOne) + 1
	gridWords = (gridSize + 63) / 64
)

// half is one side of a ladder: a size per price of the grid, and a bitmap of the
// prices that hold one. Levels are set without a branch, since whether a size comes,
// goes or stays cannot be foretold.
type half struct {
	size  [gridSize]Size
	words [gridWords]uint64
	// near is the word of the best price, or a better one: the search for the best
	// price begins there. 0 does for an empty side of either kind.
	near int
}

// set sets the size at p and returns its word.
func (h *half) set(p Price, s Size) int {
	h.size[p] = s
	w, at := uint(p)/64, uint(p)%64
	h.words[w] = h.words[w]&^(1<<at) | uint64(-s)>>63<<at
	return int(w)
}

// bids sets levels of the side whose best price is the highest.
func (h *half) bids(levels []Level) {
	near := h.near
	for i := range levels {
		near = max(near, h.set(levels[i].Price, levels[i].Size))
	}
	h.near = near
}

// asks sets levels of the side whose best price is the lowest.
func (h *half) asks(levels []Level) {
	near := h.near
	for i := range levels {
		near = min(near, h.set(levels[i].Price, levels[i].Size))
	}
	h.near = near
}

// mirrorBids is bids for asks of the other token of a pair.
func (h *half) mirrorBids(levels []Level) {
	near := h.near
	for i := range levels {
		near = max(near, h.set(levels[i].Price.Mirror(), levels[i].Size))
	}
	h.near = near
}

// mirrorAsks is asks for bids of the other token of a pair.
func (h *half) mirrorAsks(levels []Level) {
	near := h.near
	for i := range levels {
		near = min(near, h.set(levels[i].Price.Mirror(), levels[i].Size))
	}
	h.near = near
}

func (h *half) clear() {
	for w := range h.words {
		for b := h.words[w]; b != 0; b &= b - 1 {
			h.size[w*64+bits.TrailingZeros64(b)] = 0
		}
		h.words[w] = 0
	}
}

// highest returns the highest price that holds a size, or NoPrice, on the side of the
// bids.
func (h *half) highest() Price {
	for w := h.near; w >= 0; w-- {
		if b := h.words[w]; b != 0 {
			h.near = w
			return Price(w*64 + 63 - bits.LeadingZeros64(b))
		}
	}
	h.near = 0
	return NoPrice
}

// lowest returns the lowest price that holds a size, or NoPrice, on the side of the
// asks.
func (h *half) lowest() Price {
	for w := h.near; w < gridWords; w++ {
		if b := h.words[w]; b != 0 {
			h.near = w
			return Price(w*64 + bits.TrailingZeros64(b))
		}
	}
	h.near = gridWords - 1
	return NoPrice
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
	for w++; w < gridWords; w++ {
		if b := h.words[w]; b != 0 {
			return Price(w*64 + bits.TrailingZeros64(b))
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
	for w--; w >= 0; w-- {
		if b := h.words[w]; b != 0 {
			return Price(w*64 + 63 - bits.LeadingZeros64(b))
		}
	}
	return NoPrice
}

// Book is a ladder on the price grid: what rests at each price, on both sides.
// Setting a level takes constant time, finding the best one as much as the best
// price has moved, however many levels there are. The zero value is an empty book. A Book is about 160 KB:
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

// Clear empties the book, in time that grows with the levels it holds.
func (b *Book) Clear() {
	b.bids.clear()
	b.asks.clear()
}

// Set sets the size at price p on side s (Bid or Ask) to z; zero removes the
// level. p must be on the grid.
func (b *Book) Set(s Side, p Price, z Size) {
	one := [1]Level{{p, z}}
	if s == Bid {
		b.bids.bids(one[:])
		return
	}
	b.asks.asks(one[:])
}

// Apply applies a ladder capture from the point of view of its own token.
func (b *Book) Apply(c *Capture) {
	if c.Replace {
		b.Clear()
	}
	b.bids.bids(c.Bids)
	b.asks.asks(c.Asks)
}

// ApplyMirror applies a ladder capture of the other token of a mirrored pair:
// its bids at p are asks at 1 − p.
func (b *Book) ApplyMirror(c *Capture) {
	if c.Replace {
		b.Clear()
	}
	b.asks.mirrorAsks(c.Bids)
	b.bids.mirrorBids(c.Asks)
}

// Size returns the size resting at p on side s, or zero.
func (b *Book) Size(s Side, p Price) Size { return b.side(s).size[p] }

// Best returns the best level of side s: the highest bid or the lowest ask. Its
// price is NoPrice when the side is empty.
func (b *Book) Best(s Side) Level {
	if s == Bid {
		return b.level(Bid, b.bids.highest())
	}
	return b.level(Ask, b.asks.lowest())
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
		for word := h.word(at, from, to); word != 0; word &= word - 1 {
			p := at + Price(bits.TrailingZeros64(word))
			dst = append(dst, Level{Price: p, Size: h.size[p]})
		}
	}
	return dst
}

// word returns which of the 64 prices from at on have a size, of those from low to high.
func (h *half) word(at, low, high Price) uint64 {
	word := h.words[at/64]
	if at < low {
		word &= ^uint64(0) << uint(low-at)
	}
	if high-at < 63 {
		word &= 1<<uint(high-at+1) - 1
	}
	return word
}

// Within returns what stands on side s at prices from low to high, both inclusive and on
// the grid; where it reaches most, so much or more.
func (b *Book) Within(s Side, low, high Price, most Size) (sum Size) {
	h := b.side(s)
	for at := low &^ 63; at <= high; at += 64 {
		for word := h.word(at, low, high); word != 0; word &= word - 1 {
			if sum += h.size[int(at)+bits.TrailingZeros64(word)]; sum >= most {
				return sum
			}
		}
	}
	return sum
}

// Quote returns the top of the book.
func (b *Book) Quote() Quote {
	bid, ask := b.bids.highest(), b.asks.lowest()
	q := Quote{Bid: Level{Price: bid}, Ask: Level{Price: ask}}
	if bid != NoPrice {
		q.Bid.Size = b.bids.size[bid]
	}
	if ask != NoPrice {
		q.Ask.Size = b.asks.size[ask]
	}
	return q
}

// Append appends the levels of side s to dst, best first.
func (b *Book) Append(dst []Level, s Side) []Level {
	h := b.side(s)
	if s == Bid {
		for w := h.near; w >= 0; w-- {
			for word := h.words[w]; word != 0; {
				at := 63 - bits.LeadingZeros64(word)
				word &^= 1 << uint(at)
				p := w*64 + at
				dst = append(dst, Level{Price: Price(p), Size: h.size[p]})
			}
		}
		return dst
	}
	for w := h.near; w < gridWords; w++ {
		for word := h.words[w]; word != 0; word &= word - 1 {
			p := w*64 + bits.TrailingZeros64(word)
			dst = append(dst, Level{Price: Price(p), Size: h.size[p]})
		}
	}
	return dst
}
