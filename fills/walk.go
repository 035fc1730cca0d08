package fills

import (
	"slices"

	"github.com/ladderback/ladderback/market"
)

// NoCap is a cap that never binds.
const NoCap = market.PriceOne

// Purchase is a buy and what stopped it.
type Purchase struct {
	Fill
	// Exhausted: everything at or under the cap was taken (but for less than a
	// Lot), and the budget would have paid for one more Lot at the last price.
	Exhausted bool
	// Beyond: there are asks above the cap.
	Beyond bool
}

// Buy walks up the asks, given best first, to the cap (inclusive) and takes the
// largest multiple of Lot whose cost, rounded up, plus fee fits the budget, but at
// most so many shares: with all of them it is not Exhausted. The asks may include
// levels beyond the cap. Levels of Unlimited size at a price of zero are skipped: no
// budget could bound them.
func Buy(asks []market.Level, limit market.Price, budget market.Cash, most market.Size, s *Schedule) Purchase {
	within := slices.IndexFunc(asks, func(l market.Level) bool { return l.Price > limit })
	p := Purchase{Beyond: within >= 0}
	if within >= 0 {
		asks = asks[:within]
	}
	bounded := false
	if most != Unlimited {
		asks, bounded = upTo(asks, lots(most))
	}
	w := walk{schedule: s}
	shares := w.affordable(asks, budget)
	p.Fill = take(asks, shares)
	p.Fee = s.Fee(p.Levels)
	p.Cash = p.Value.Ceil()
	p.Exhausted = w.exhausted && !bounded
	return p
}

// upTo returns the first levels that hold so many shares, and whether they do.
func upTo(levels []market.Level, shares market.Size) ([]market.Level, bool) {
	var out []market.Level
	for _, l := range levels {
		l.Size = min(l.Size, shares)
		if l.Size > 0 {
			out = append(out, l)
		}
		if shares -= l.Size; shares == 0 {
			return out, true
		}
	}
	return out, shares == 0
}

// walk sums up the levels taken whole so far.
type walk struct {
	schedule  *Schedule
	shares    market.Size
	value     Amount
	fee       uint256
	exhausted bool
}

// with returns w with size more at p.
func (w walk) with(p market.Price, size market.Size) walk {
	w.shares += size
	w.value = w.value.Add(Value(p, size))
	if w.schedule.Rate != 0 {
		w.fee = w.fee.plus(w.schedule.exact(p, size))
	}
	return w
}

// fits reports whether cost and fee fit the budget. More shares never fit
// where fewer do not: both grow with the size.
func (w *walk) fits(budget market.Cash) bool {
	cost := w.value.Ceil()
	return cost <= budget && (w.schedule.Rate == 0 || w.schedule.round(w.fee) <= budget-cost)
}

// affordable returns the largest multiple of Lot, up to what asks hold, that
// fits the budget.
func (w *walk) affordable(asks []market.Level, budget market.Cash) market.Size {
	last := market.Price(0)
	for _, l := range asks {
		if l.Size == Unlimited && l.Price == 0 {
			continue
		}
		size := min(l.Size, Unlimited-w.shares)
		whole := w.with(l.Price, size)
		if l.Size == Unlimited || !whole.fits(budget) {
			return w.search(l.Price, size, budget)
		}
		*w, last = whole, l.Price
	}
	more := w.with(last, Lot)
	w.exhausted = more.fits(budget)
	return lots(w.shares)
}

// search returns the largest multiple of Lot that fits the budget and takes at
// most size at p beyond the levels taken whole, which fit.
func (w *walk) search(p market.Price, size market.Size, budget market.Cash) market.Size {
	low, high := w.shares/Lot, (w.shares+size)/Lot // low fits
	for low < high {
		mid := low + (high-low+1)/2
		if try := w.with(p, mid*Lot-w.shares); try.fits(budget) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low * Lot
}

// lots returns s rounded down to a multiple of Lot.
func lots(s market.Size) market.Size { return s - s%Lot }

// take takes shares off the levels, best first; they must hold as many. It sets
// neither the fee nor the money.
func take(levels []market.Level, shares market.Size) Fill {
	f := Fill{Shares: shares}
	for _, l := range levels {
		size := min(l.Size, shares)
		if size == 0 {
			continue
		}
		f.Levels = append(f.Levels, market.Level{Price: l.Price, Size: size})
		f.Value = f.Value.Add(Value(l.Price, size))
		shares -= size
	}
	return f
}

// Sell walks down the bids, given best first, and sells as many of the shares
// as they take, in whole Lots.
func Sell(bids []market.Level, shares market.Size, s *Schedule) Fill {
	held := market.Size(0)
	for _, l := range bids {
		held += min(l.Size, shares-held)
	}
	f := take(bids, lots(held))
	f.Fee = s.Fee(f.Levels)
	f.Cash = f.Value.Floor()
	return f
}

// Settle pays the payout, in units of 1e-6 USD per share, for the shares.
func Settle(shares market.Size, payout market.Cash) Fill {
	f := Fill{Shares: shares, Value: Scaled(int64(payout), shares)}
	f.Cash = f.Value.Floor()
	return f
}
