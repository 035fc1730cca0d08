package oracle

import (
	"math/big"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// priceOf is the value of type price; nil: unknown.
//
// Rule: the mid of best bid and ask when both exist and the spread is at most
// 0.10; else the last trade moved into [best bid, best ask], where a missing
// side does not bound; with no trade known, the side that exists, or the mid of
// both. Where only prices are captured, the price captured.
func priceOf(s shown) *big.Rat {
	bid, ask := s.bestBid(), s.bestAsk()
	both := bid != nil && ask != nil
	switch {
	case s.stream == prices:
		return price(*bid)
	case both && *ask-*bid <= 1000:
		return div(add(price(*bid), price(*ask)), big.NewRat(2, 1))
	case s.trade != nil:
		p := *s.trade
		if bid != nil && p < *bid {
			p = *bid
		}
		if ask != nil && p > *ask {
			p = *ask
		}
		return price(p)
	case both:
		return div(add(price(*bid), price(*ask)), big.NewRat(2, 1))
	case bid != nil:
		return price(*bid)
	case ask != nil:
		return price(*ask)
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
		if l.Size == unlimited {
			return nil
		}
		sum = add(sum, mul(price(l.Price), size(l.Size)))
	}
	return sum
}

// levelValue is the value of a level type; nil: unknown. Rule: where only prices
// are captured all level types but price are unknown, and a token without any
// capture has no value at all.
func levelValue(kind strategy.Type, s shown) *big.Rat {
	if kind == strategy.Price {
		return priceOf(s)
	}
	if s.stream == prices || s.stream == noStream {
		return nil
	}
	switch kind {
	case strategy.BestBid:
		return known(s.bestBid())
	case strategy.BestAsk:
		return known(s.bestAsk())
	case strategy.Spread: // unknown when one-sided
		if bid, ask := s.bestBid(), s.bestAsk(); bid != nil && ask != nil {
			return sub(price(*ask), price(*bid))
		}
	case strategy.AskDepth:
		return depthOf(s.asks)
	case strategy.BidDepth:
		return depthOf(s.bids)
	case strategy.Imbalance: // bid depth ÷ both, unknown when both are 0
		b, a := depthOf(s.bids), depthOf(s.asks)
		if b != nil && a != nil && add(a, b).Sign() > 0 {
			return div(b, add(a, b))
		}
	}
	return nil
}

// known is a price as a fraction; nil: unknown.
func known(p *market.Price) *big.Rat {
	if p == nil {
		return nil
	}
	return price(*p)
}

// number is a threshold as a fraction.
func number(n strategy.Number) *big.Rat { return big.NewRat(int64(n), int64(strategy.One)) }

func seconds(d market.Span) *big.Rat { return big.NewRat(int64(d), int64(market.Second)) }

// satisfies says whether a value that compares with the threshold as cmp (−1, 0,
// 1) is on the side that the comparator asks for.
func satisfies(cmp int, c strategy.Comparator) bool {
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

// crosses says whether the value crosses the threshold at the instant.
//
// Rule: only at the instant of a capture, when the previous known value was at
// or under the threshold and this one is over it (or the mirror of that). The
// previous known value is that of the captures at or after the start, not of
// the seed, whether or not an order was in flight.
func (w *watch) crosses(c strategy.Condition, token int, at market.Instant, value *big.Rat) bool {
	i := w.captureIndex(at)
	if i < 0 {
		return false
	}
	for i--; i >= 0; i-- {
		before := w.valueAt(c.Type, token, w.captures[i])
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

// valueAt is the value of a level type as of an instant: last value carried.
func (w *watch) valueAt(kind strategy.Type, token int, at market.Instant) *big.Rat {
	f := asOf(w.frames, at)
	if f == nil {
		return nil
	}
	return levelValue(kind, f.tokens[token])
}
