package replay

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/strategy"
)

// Result is the outcome of a replay. The same rounds, captures, strategy and
// options always give the same one.
type Result struct {
	Strategy strategy.Canonical
	Options  Options
	Funnel   Funnel
	Refusals Refusals
	// Then counts the refusals of all orders but the entry.
	Then Refusals
	// Bankroll is what became of the purse of all rounds; nil: there is none.
	Bankroll *orders.Facts
	// Inferred is that of the Sample.
	Inferred int
	// Markets are the sampled rounds in the order replayed: newest end first,
	// ties by market id.
	Markets []MarketResult
	// Trades are ordered by exit time, then market id.
	Trades []*Trade
}

// Funnel counts markets, each count a part of the one before it.
type Funnel struct {
	Universe  int `json:"universe"`  // of the coin and length, ending in [from, to)
	Resolved  int `json:"resolved"`  // of these, with a payout that counts
	Captured  int `json:"captured"`  // of these, with a capture in [start, end)
	Covered   int `json:"covered"`   // of these, covered for at least Options.MinCoverage of the round
	Sampled   int `json:"sampled"`   // of these, replayed
	Signalled int `json:"signalled"` // of these, the entry held at an instant
	Filled    int `json:"filled"`    // of these, the entry was filled
}

// Reason is why an order was refused.
type Reason = orders.Reason

// Reasons, in the order in which they are checked.
const (
	TooLate      = orders.TooLate
	InGap        = orders.InGap
	StaleBook    = orders.StaleBook
	Crossed      = orders.Crossed
	NoLiquidity  = orders.NoLiquidity
	Capped       = orders.Capped
	BelowMinSize = orders.BelowMinSize
)

// Refusals counts orders by Reason. NoLiquidity also counts, once per market, an entry
// that held when there was no ask to send an order to.
type Refusals = orders.Refusals

// MarketResult is what happened in one sampled round.
type MarketResult struct {
	Round     market.Round
	Signalled bool // the entry held at an instant
	Refusals  Refusals
	Trade     *Trade // nil: nothing was bought
	// Then counts the refusals of all orders but the entry.
	Then Refusals
	// Limits are the limit orders that were accepted, in that order.
	Limits []Limit
	// Bankroll is that of the whole replay; nil: there is none.
	Bankroll *orders.Facts
	// Schedule is the fee schedule that applies to the market, even under
	// FeesNone. Known is false if the venue has none; then no fee is charged.
	Schedule fills.Schedule
}

// Limit is a limit order that was accepted.
type Limit = orders.Limit

// ExitReason is how a trade ended.
type ExitReason = orders.ExitReason

// Exit reasons. A trade that sold any share has the reason of the exit that
// triggered, even if the rest was settled.
const (
	TakeProfit  = orders.TakeProfit
	StopLoss    = orders.StopLoss    // the trailing stop too
	EndOfWindow = orders.EndOfWindow // a clock exit
	ByOrder     = orders.ByOrder     // a sell beside the exits
	Merged      = orders.Merged      // given back in pairs
	Expiry      = orders.Expiry      // no share was sold: settled
)

// Trade is what was bought in one round, and what became of it: one entry and its exit,
// unless the strategy has further orders.
type Trade struct {
	Market *market.Market
	Token  int // index in Market.Tokens of the token bought
	// Legs are the executions in order, settlements last.
	Legs []Leg

	Signal    market.Instant // that sent the entry
	EntryTime market.Instant // arrival of the entry
	ExitTime  market.Instant // the last leg's
	Reason    ExitReason
	ExitFill  fills.Kind // the last leg's

	Shares   market.Size   // of all buys of Token
	Entry    fills.Average // of these, exact, without the fee
	Exit     fills.Average // of sales and settlement of Token, exact, without the fees; not Known: all was merged
	Cost     market.Cash   // paid, entry fee included
	Proceeds market.Cash   // received, exit fees taken off
	Fees     market.Cash   // of all legs
	// Slippage is shares × (entry average − best ask at the signal) + shares
	// sold × (best bid at the exit's signal − their average), exact; positive is
	// worse. A term without that quote is 0.
	Slippage fills.Amount

	// AskAtSignal is the best ask that the entry's signal saw, BidAtSignal the
	// best bid that the exit's signal saw; NoPrice: none, or no exit signalled.
	AskAtSignal market.Price
	BidAtSignal market.Price
	// Payout is what one share of the token pays, in units of 1e-6 USD.
	Payout market.Cash

	// Entries counts the entries that were filled, Opposite what was bought of the other
	// token.
	Entries  int
	Opposite Bought

	// Partial: everything at or below the cap was taken, and part of the budget
	// was left. CapBound: there were asks above the cap at that time.
	Partial  bool
	CapBound bool
}

// close sums up the legs.
func (t *Trade) close() {
	t.Shares, t.Entry, t.Reason = 0, fills.Average{}, Expiry
	for i := range t.Legs {
		l := &t.Legs[i]
		t.Fees += l.Fee
		if l.Action == Buy {
			t.Cost += l.Cash + l.Fee
			t.bought(l)
			continue
		}
		t.Proceeds += l.Cash - l.Fee
		if l.Action != Settle {
			t.Reason = l.Reason
		}
		if l.Token == t.Token && l.Action != Merge {
			t.Exit.Value = t.Exit.Value.Add(l.Value)
			t.Exit.Shares += l.Shares
		}
		if l.Action == Sell && l.Touch != market.NoPrice {
			t.Slippage = t.Slippage.Add(fills.Value(l.Touch, l.Shares)).Sub(l.Value)
		}
	}
	last := &t.Legs[len(t.Legs)-1]
	t.ExitTime, t.ExitFill = last.Time, last.Kind
}

// bought adds a leg that bought.
func (t *Trade) bought(l *Leg) {
	if l.Order == "entry" && l.Signal != 0 {
		t.Entries++
	}
	if l.Touch != market.NoPrice {
		t.Slippage = t.Slippage.Add(l.Value).Sub(fills.Value(l.Touch, l.Shares))
	}
	if l.Token != t.Token {
		t.Opposite.Average.Value = t.Opposite.Average.Value.Add(l.Value)
		t.Opposite.Average.Shares += l.Shares
		t.Opposite.Cost += l.Cash + l.Fee
		return
	}
	t.Shares += l.Shares
	t.Entry.Value = t.Entry.Value.Add(l.Value)
	t.Entry.Shares += l.Shares
}

// PnL returns Proceeds − Cost.
func (t *Trade) PnL() market.Cash { return t.Proceeds - t.Cost }

// EntryFill returns the kind of the entry's fill.
func (t *Trade) EntryFill() fills.Kind { return t.Legs[0].Kind }

// Bought is what was bought of a token.
type Bought struct {
	Average fills.Average // exact, without fees
	Cost    market.Cash   // with fees
}

// Action is what a leg did.
type Action = orders.Action

// Actions.
const (
	Buy    = orders.Buy
	Sell   = orders.Sell
	Merge  = orders.Merge // pairs of both tokens given back for $1
	Settle = orders.Settle
)

// Leg is one execution.
type Leg = orders.Leg
