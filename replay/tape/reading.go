package tape

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Reading is a condition's value at an instant.
type Reading struct {
	Condition strategy.Condition
	Known     bool
	// Value in the unit of the condition's type; a fraction for imbalance. For
	// output and drawing: conditions are compared exactly.
	Value float64
	Holds bool
}

// Read returns what x says at an instant.
func (x *Test) Read(t *Tape, at market.Instant, capture bool) Reading {
	_, known := x.compare(t, at)
	rd := Reading{Condition: x.Condition, Known: known, Holds: x.Holds(t, at, capture)}
	if known {
		rd.Value = x.value(t, at)
	}
	return rd
}

// value returns the known value of x for people.
func (x *Test) value(t *Tape, at market.Instant) float64 {
	switch x.Type {
	case strategy.TimeElapsed:
		return float64(at-t.Market.Start) / float64(market.Second)
	case strategy.TimeRemaining:
		return float64(t.Market.End-at) / float64(market.Second)
	case strategy.HeldProfit, strategy.PairCost, strategy.SinceEntry:
		v, _ := x.heldValue(t, at)
		f, _ := v.Float64()
		return f
	}
	v := &t.Views[x.reads]
	switch x.Type {
	case strategy.Price:
		return v.Price.Float()
	case strategy.PriceChange:
		return (v.Price - t.priceAt(x.reads, at-x.Within, &x.past)).Float()
	case strategy.BestAsk:
		return v.Quote.Ask.Price.Float()
	case strategy.BestBid:
		return v.Quote.Bid.Price.Float()
	case strategy.Spread:
		return (v.Quote.Ask.Price - v.Quote.Bid.Price).Float()
	}
	bid, _ := t.depthOf(x.reads, market.Bid)
	ask, _ := t.depthOf(x.reads, market.Ask)
	switch x.Type {
	case strategy.BidDepth:
		return bid.Float()
	case strategy.AskDepth:
		return ask.Float()
	}
	return bid.Float() / bid.Add(ask).Float()
}

// Showing returns everything that a side of a token's market shows.
func (t *Tape) Showing(token int, side market.Side) []market.Level {
	limit := market.PriceOne
	if side == market.Bid {
		limit = 0
	}
	levels := t.Ladder(nil, token, side, limit)
	for i := range levels {
		if levels[i].Size == fills.Unlimited {
			levels[i].Size = 0
		}
	}
	return levels
}
