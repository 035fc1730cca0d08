package market

// Mid is a price in units of 5e-5 USD, twice as fine as Price, so that the mid of
// two prices is exact.
type Mid int32

const (
	// NoMid stands for a price that has no value.
	NoMid Mid = -1
	// MidOne is 1 USD.
	MidOne = 2 * Mid(PriceOne)
)

// tightSpread is the widest spread at which the mid is the price.
const tightSpread Price = 1000

// Mirror returns the same price as the other token of a mirrored pair sees it.
func (m Mid) Mirror() Mid {
	if m == NoMid {
		return m
	}
	return MidOne - m
}

// Float returns m in USD, for statistics and output only.
func (m Mid) Float() float64 { return float64(m) / float64(MidOne) }

// PriceWith returns the price of a token whose top of book is q and whose last
// trade was at the price trade, NoPrice for none: the mid of best bid and ask when
// their spread is at most 0.10; else the last trade moved between them, where a
// missing side does not bound; with no trade known, the side that exists, or the
// mid of both. NoMid: neither a side nor a trade is known.
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
