package table

import "github.com/ladderback/ladderback/market"

// Aggressor is the name of a trade's side; empty: not known.
func Aggressor(s market.Side) string {
	switch s {
	case market.Bid:
		return "buy"
	case market.Ask:
		return "sell"
	}
	return ""
}

// Micros is v, in units of 1e-6, as the number nearest to it.
func Micros(v int64) float64 { return float64(v) / 1e6 }

// Price is a best price; nil: the side is empty.
func Price(p market.Price) *float64 {
	if p == market.NoPrice {
		return nil
	}
	return new(p.Float())
}

// Size is the size of a level; nil: there is no level, or the source gives no size.
func Size(l market.Level) *float64 {
	if l.Price == market.NoPrice || l.Size == 0 {
		return nil
	}
	return new(l.Size.Float())
}

// Sides hands out the levels of a book, bids first, levels counted from 1.
func Sides(bids, asks []market.Level, each func(side string, level int, v market.Level)) {
	for i, v := range bids {
		each("bid", i+1, v)
	}
	for i, v := range asks {
		each("ask", i+1, v)
	}
}
