package market

// Shown is a Top in sixteen bytes. Prices are those of Price, which fit.
type Shown struct {
	At       Instant
	Bid, Ask int16 // both NotKnown: no whole ladder has been received
	Trade    int16
	Sizes    [2]Roughs // of the bid and of the ask
}

// NotKnown is the price of a side of a ladder that is not known.
const NotKnown = int16(NoPrice) - 1

// Roughs are two lower bounds beside each other, both of at most MostRough: what stands
// at a price, and what stands near it.
type Roughs uint8

const roughBits = 4

// RoughsOf rounds a size, and puts it beside another.
func RoughsOf(at Size, near Rough) Roughs { return Roughs(Roughly(at))<<roughBits | Roughs(near) }

// At returns what stands at the price, at least.
func (r Roughs) At() Size { return roughSizes[r>>roughBits] }

// Near returns what stands near it, at least, up to MostRough.
func (r Roughs) Near() Rough { return min(MostRough, Rough(r&(1<<roughBits-1))) }

// NearSize returns the same as a size.
func (r Roughs) NearSize() Size { return roughSizes[r&(1<<roughBits-1)] }

// roughSizes are the sizes of all that a half of Roughs has room for.
var roughSizes = func() (sizes [1 << roughBits]Size) {
	for i := range sizes {
		sizes[i] = min(MostRough, Rough(i)).Size()
	}
	return sizes
}()

// Known reports whether a whole ladder has been received.
func (s *Shown) Known() bool { return s.Ask != NotKnown }

// Best returns the best bid of a token: that of the second mirrors the ask. It is empty
// where no ladder is known.
func (s *Shown) Best(token int) Level {
	switch p := Price(s.Bid); {
	case token == 1 && s.Ask >= 0:
		return Level{Price: PriceOne - Price(s.Ask), Size: s.Sizes[1].At()}
	case token == 0 && p >= 0:
		return Level{Price: p, Size: s.Sizes[0].At()}
	}
	return Level{Price: NoPrice}
}

// Quote returns the best bid and ask, seen from the first token.
func (s *Shown) Quote() Quote {
	return Quote{
		Bid: Level{Price: max(NoPrice, Price(s.Bid)), Size: s.Sizes[0].At()},
		Ask: Level{Price: max(NoPrice, Price(s.Ask)), Size: s.Sizes[1].At()},
	}
}

// Price returns type price.
func (s *Shown) Price() Mid { return s.Quote().PriceWith(Price(s.Trade)) }

// Top returns the same at length.
func (s *Shown) Top() Top {
	return Top{At: s.At, Quote: s.Quote(), Near: [2]Rough{s.Sizes[0].Near(), s.Sizes[1].Near()}, Trade: Price(s.Trade), Known: s.Known()}
}

// Shown returns t in sixteen bytes.
func (t *Top) Shown() Shown {
	s := Shown{At: t.At, Bid: NotKnown, Ask: NotKnown, Trade: int16(t.Trade)}
	if t.Known {
		s.Bid, s.Ask = int16(t.Quote.Bid.Price), int16(t.Quote.Ask.Price)
		s.Sizes = [2]Roughs{RoughsOf(t.Quote.Bid.Size, t.Near[0]), RoughsOf(t.Quote.Ask.Size, t.Near[1])}
	}
	return s
}
