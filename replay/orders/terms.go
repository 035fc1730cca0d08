package orders

import (
	"math"
	"math/big"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

const (
	// MaxSent is how many orders a round sends.
	MaxSent = 100
	// lastCall is how long before the end nothing rests any more.
	lastCall = market.Second
	// unbounded is more money than there is.
	unbounded market.Cash = math.MaxInt64
	// usualTick is the step of prices where the market's is not known.
	usualTick market.Price = 100
)

// Terms are what a strategy is played under.
type Terms struct {
	Strategy strategy.Canonical
	// Budget is the most that an entry spends. What it is beside the strategy's own is
	// what all other amounts of dollars and shares are multiplied by, but for the
	// bankroll's start.
	Budget  market.Cash
	Latency market.Span
	// Cap returns the highest price that an order pays that takes, from the best ask.
	Cap func(ask market.Price) market.Price
	// Stale returns the age from which on a ladder, or another stream, is stale; 0: never.
	Stale        func(ladder bool) market.Span
	Queue        queue.Rule
	Taker, Maker fills.Schedule
	Purse        *Purse // nil: every round has its own money
	Undated      bool   // nobody asks for Leg.AsOf
	Trace        *Trace // nil: nothing is recorded
	Seam         Seam   // nil: nothing is broken
	// Variants are who plays the strategy, at least one: with its exits, or, where nothing
	// of it rests and nothing comes behind its entry, with others.
	Variants []Variant
}

// Variant is one of those who share an entry.
type Variant struct {
	Case int // whose it is
	Exit *strategy.Exit
}

// FromEnd returns the instant of the clock exit that is counted from the end of a
// market; market.Latest: there is none.
func FromEnd(e *strategy.Exit, latency market.Span, end market.Instant) market.Instant {
	switch {
	case e.ExitBeforeSeconds > 0:
		return end - market.Span(e.ExitBeforeSeconds)*market.Second
	case !e.HoldToExpiry:
		return end - market.Second - latency
	}
	return market.Latest
}

// scaled returns an amount of dollars or shares under the budget at hand, rounded down.
func (t *Terms) scaled(n strategy.Number) int64 {
	own := int64(t.Strategy.BudgetPerTrade())
	if int64(t.Budget) == own {
		return int64(n)
	}
	v := big.NewInt(int64(n))
	v.Mul(v, big.NewInt(int64(t.Budget))).Quo(v, big.NewInt(own))
	return v.Int64()
}

// most returns the largest multiple of a Lot whose cost at a price, with the fee that
// it might owe, fits the money; at most so many shares.
func most(p market.Price, money market.Cash, shares market.Size, s *fills.Schedule) market.Size {
	if money == unbounded {
		return shares - shares%fills.Lot
	}
	return fills.Buy([]market.Level{{Price: p, Size: fills.Unlimited}}, p, money, shares, s).Shares
}

// costs returns what shares cost at a price, with the fee.
func costs(p market.Price, shares market.Size, s *fills.Schedule) market.Cash {
	l := []market.Level{{Price: p, Size: shares}}
	return fills.Value(p, shares).Ceil() + s.Fee(l)
}

// owes is the schedule that a limit order might owe at most: the taker's, unless it
// posts only.
func (t *Terms) owes(o *strategy.Order) *fills.Schedule {
	if o != nil && o.PostOnly {
		return &t.Maker
	}
	return &t.Taker
}
