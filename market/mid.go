package market

// Mid is a price in units of 5e-5 USD, half the unit of Price, so that the
// midpoint of two prices is exact.
type Mid int32

const (
	// NoMid is the absence of a price.
	NoMid Mid = -1
	// MidOne is 1 USD.
	MidOne = 2 * Mid(PriceOne)
)

// tightSpread is the widest spread at which the midpoint is the price.
const tightSpread Price = 1000

// Mirror returns the price as seen from the other token of a mirrored pair.
func (m Mid) Mirror() Mid {
	if m == NoMid {
		return m
	}
	return MidOne - m
}

// Float returns m in USD, for statistics and output only.
func (m Mid) Float() float64 { return float64(m) / float64(MidOne) }

// PriceWith returns the price of a token whose top of book is q and whose last
// trade was at trade, NoPrice for none: the midpoint of best bid and ask when
// their spread is at most 0.10; otherwise the last trade, clamped to lie
// between them, where a missing side is no bound; with no trade known, the side
// that exists, or the midpoint of both. NoMid: neither a side nor a trade is
// known.
func (q Quote) PriceWith(trade Price) Mid {
	bid, ask := q.Bid.Price, q.Ask.Price
	both := bid != NoPrice && ask != NoPrice
	switch {
	case both && (trade == NoPrice || ask-bid <= tightSpread):
		return Mid(bid) + Mid(ask)
	case trade == NoPrice:
		trade = max(bid, ask) // the side that exists
	case bid != NoPrice && trade < bid:
		trade = bid
	case ask != NoPrice && trade > ask:
		trade = ask
	}
	if trade == NoPrice {
		return NoMid
	}
	return 2 * Mid(trade)
}
