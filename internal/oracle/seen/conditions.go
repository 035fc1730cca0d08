package seen

import (
	"math/big"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// priceOf is the value of type price; nil: unknown.
//
// Rule: the mid of best bid and ask when both exist and the spread is at most
// 0.10; else the last trade moved into [best bid, best ask], where a missing
// side does not bound; with no trade known, the side that exists, or the mid of
// both. Where only prices are captured, the price captured.
func priceOf(s Shown) *big.Rat {
	bid, ask := s.BestBid(), s.BestAsk()
	both := bid != nil && ask != nil
	switch {
	case s.Stream == Prices:
		return exact.Price(*bid)
	case both && *ask-*bid <= 1000:
		return exact.Div(exact.Add(exact.Price(*bid), exact.Price(*ask)), big.NewRat(2, 1))
	case s.trade != nil:
		p := *s.trade
		if bid != nil && p < *bid {
			p = *bid
		}
		if ask != nil && p > *ask {
			p = *ask
		}
		return exact.Price(p)
	case both:
		return exact.Div(exact.Add(exact.Price(*bid), exact.Price(*ask)), big.NewRat(2, 1))
	case bid != nil:
		return exact.Price(*bid)
	case ask != nil:
		return exact.Price(*ask)
	}
	return nil
}

// depthOf is the sum of price × size over the levels within 0.05 of the best of
// their side, inclusive: 0 for an empty side; nil where a size was not captured.
func depthOf(levels []market.Level) *big.Rat {
	sum := new(big.Rat)
	for _, l := range levels {
		away := l.Price - levels[0].Price
		if away < 0 {
			away = -away
		}
		if away > 500 {
			continue
		}
		if l.Size == Unlimited {
			return nil
		}
		sum = exact.Add(sum, exact.Mul(exact.Price(l.Price), exact.Size(l.Size)))
	}
	return sum
}

// levelValue is the value of a level type; nil: unknown. Rule: where only prices
// are captured all level types but price are unknown, and a token without any
// capture has no value at all.
func levelValue(kind strategy.Type, s Shown) *big.Rat {
	if kind == strategy.Price {
		return priceOf(s)
	}
	if s.Stream == Prices || s.Stream == NoStream {
		return nil
	}
	switch kind {
	case strategy.BestBid:
		return known(s.BestBid())
	case strategy.BestAsk:
		return known(s.BestAsk())
	case strategy.Spread: // unknown when one-sided
		if bid, ask := s.BestBid(), s.BestAsk(); bid != nil && ask != nil {
			return exact.Sub(exact.Price(*ask), exact.Price(*bid))
		}
	case strategy.AskDepth:
		return depthOf(s.Asks)
	case strategy.BidDepth:
		return depthOf(s.Bids)
	case strategy.Imbalance: // bid depth ÷ both, unknown when both are 0
		b, a := depthOf(s.Bids), depthOf(s.Asks)
		if b != nil && a != nil && exact.Add(a, b).Sign() > 0 {
			return exact.Div(b, exact.Add(a, b))
		}
	}
	return nil
}

// known is a price as a fraction; nil: unknown.
func known(p *market.Price) *big.Rat {
	if p == nil {
		return nil
	}
	return exact.Price(*p)
}

// number is a threshold as a fraction.
func number(n strategy.Number) *big.Rat { return big.NewRat(int64(n), int64(strategy.One)) }

// Satisfies says whether a value that compares with the threshold as cmp (−1, 0,
// 1) is on the side that the comparator asks for.
func Satisfies(cmp int, c strategy.Comparator) bool {
	switch c {
	case strategy.LT:
		return cmp < 0
	case strategy.LTE:
		return cmp <= 0
	case strategy.GT:
		return cmp > 0
	case strategy.GTE:
		return cmp >= 0
	}
	panic("oracle: comparator " + string(c))
}

// Crosses says whether the value crosses the threshold at the instant.
//
// Rule: only at the instant of a capture, when the previous known value was at
// or under the threshold and this one is over it (or the mirror of that). The
// previous known value is that of the captures at or after the start, not of
// the seed, whether or not an order was in flight.
func (w *Watch) Crosses(c strategy.Condition, token int, at market.Instant, value *big.Rat) bool {
	i := w.CaptureIndex(at)
	if i < 0 {
		return false
	}
	for i--; i >= 0; i-- {
		before := w.ValueAt(c.Type, token, w.Captures[i])
		if before == nil {
			continue
		}
		if c.Comparator == strategy.CrossesAbove {
			return before.Cmp(number(c.Threshold)) <= 0 && value.Cmp(number(c.Threshold)) > 0
		}
		return before.Cmp(number(c.Threshold)) >= 0 && value.Cmp(number(c.Threshold)) < 0
	}
	return false
}

// ValueAt is the value of a level type as of an instant: last value carried.
func (w *Watch) ValueAt(kind strategy.Type, token int, at market.Instant) *big.Rat {
	f := AsOf(w.Frames, at)
	if f == nil {
		return nil
	}
	return levelValue(kind, f.Tokens[token])
}
