package market

import "math/bits"

// Top is what the one book of a mirrored pair shows from an instant until the next Top,
// seen from the market's first token, in sixteen bytes: a round has thousands.
type Top struct {
	At Instant
	// Bid and Ask are the best prices, as of Price: NoPrice for an empty side; both are
	// NoLadder before a whole ladder has been received.
	Bid, Ask int16
	// Trade is a price for which Quote.PriceWith gives type price; NoPrice: none.
	Trade int16
	Least [2]Least // of the bid and of the ask
}

// NoLadder is the price of either side of a Top of which no whole ladder is known.
const NoLadder = int16(NoPrice) - 1

// TopReach is the distance from the best price within which levels count as near it,
// inclusive.
const TopReach Price = 500

// Least is two lower bounds that hold at every instant until the next Top: of what stands
// at a price, and of what stands within TopReach of it, the price itself included. Each is
// a power of two of shares in four bits: 0 is less than one share, n > 0 is 2ⁿ⁻¹ shares,
// and 11, the highest, 1,024 shares or more. The bound at the price is in the upper bits.
type Least uint8

const (
	leastBits = 4
	leastMask = 1<<leastBits - 1
	leastMost = 11
)

// LeastOf returns the bounds for sizes, rounded down.
func LeastOf(at, near Size) Least { return Least(powerOf(at)<<leastBits | powerOf(near)) }

func powerOf(s Size) int { return min(leastMost, bits.Len64(uint64(s/SizeOne))) }

// At returns what stands at the price, at least.
func (l Least) At() Size { return leastSizes[l>>leastBits] }

// Near returns what stands near the price, at least.
func (l Least) Near() Size { return leastSizes[l&leastMask] }

// And returns bounds that hold where both do.
func (l Least) And(m Least) Least {
	return min(l>>leastBits, m>>leastBits)<<leastBits | min(l&leastMask, m&leastMask)
}

// leastSizes are the sizes of all that four bits can say.
var leastSizes = func() (sizes [1 << leastBits]Size) {
	for i := 1; i < len(sizes); i++ {
		sizes[i] = SizeOne << (min(leastMost, i) - 1)
	}
	return sizes
}()

// Known reports whether a whole ladder has been received.
func (t *Top) Known() bool { return t.Ask != NoLadder }

// BestBid returns the best bid of a token, with what stands there at least: that of the
// second token mirrors the ask. It is empty where no ladder is known.
func (t *Top) BestBid(token int) Level {
	switch p := Price(t.Bid); {
	case token == 1 && t.Ask >= 0:
		return Level{Price: PriceOne - Price(t.Ask), Size: t.Least[1].At()}
	case token == 0 && p >= 0:
		return Level{Price: p, Size: t.Least[0].At()}
	}
	return Level{Price: NoPrice}
}

// Quote returns the best bid and ask of the first token, with what stands there at least.
// Both sides are empty where no ladder is known.
func (t *Top) Quote() Quote {
	return Quote{
		Bid: Level{Price: max(NoPrice, Price(t.Bid)), Size: t.Least[0].At()},
		Ask: Level{Price: max(NoPrice, Price(t.Ask)), Size: t.Least[1].At()},
	}
}

// Price returns type price of the first token.
func (t *Top) Price() Mid { return t.Quote().PriceWith(Price(t.Trade)) }
