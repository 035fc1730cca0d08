package wslog

import (
	"slices"

	"github.com/ladderback/ladderback/market"
)

// order puts the levels of one side in order, best first, with the last of
// those that share a price, and returns what is left of l. Levels of size zero
// are taken out when whole is true. The exchange sends them best last; that and
// best first are the cheap cases.
func order(l []market.Level, side market.Side, whole bool) []market.Level {
	rising, falling, zeros := true, true, false
	for i := range l {
		zeros = zeros || l[i].Size == 0
		if i > 0 {
			rising = rising && l[i-1].Price < l[i].Price
			falling = falling && l[i-1].Price > l[i].Price
		}
	}
	if !rising && !falling {
		l = sortRising(l)
		rising = true
	}
	if whole && zeros {
		l = slices.DeleteFunc(l, func(v market.Level) bool { return v.Size == 0 })
	}
	if rising == (side == market.Bid) {
		slices.Reverse(l)
	}
	return l
}

// sortRising sorts by price and keeps the last of each price.
func sortRising(l []market.Level) []market.Level {
	slices.SortStableFunc(l, func(a, b market.Level) int { return int(a.Price - b.Price) })
	n := 0
	for i := range l {
		if i+1 < len(l) && l[i+1].Price == l[i].Price {
			continue
		}
		l[n] = l[i]
		n++
	}
	return l[:n]
}
