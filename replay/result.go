package replay

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Result is the outcome of a replay. The same rounds, captures, strategy and
// options always give the same one.
type Result struct {
	Strategy strategy.Canonical
	Options  Options
	Funnel   Funnel
	Refusals Refusals
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

// Reason is why an entry order was refused.
type Reason uint8

// Reasons, in the order in which they are checked.
const (
	TooLate      Reason = iota // arrives at or after the end
	InGap                      // arrives in a gap that the source declares
	StaleBook                  // the market's last capture is too old
	Crossed                    // best bid above best ask
	NoLiquidity                // no ask, at the signal or at arrival
	Capped                     // no ask at or under the cap
	BelowMinSize               // under the market's smallest order, or under a Lot
	numReasons
)

// String returns the reason's name in reports.
func (r Reason) String() string {
	return [...]string{"too_late", "gap", "stale", "crossed", "no_liquidity", "capped", "below_min_size"}[r]
}

// Refusals counts entry orders by Reason. NoLiquidity also counts, once per
// market, an entry that held when there was no ask to send an order to.
type Refusals [numReasons]int

// Stream is the kind of data from which the engine knows a token's market.
type Stream uint8

// Streams, worst first. An order meets the best one with a capture at or before
// its arrival.
const (
	NoStream     Stream = iota
	PriceStream         // prices only
	QuoteStream         // best bid and ask
	LadderStream        // ladders
)

// Fill returns the kind of fill that the stream yields; empty for NoStream.
func (s Stream) Fill() fills.Kind {
	return [...]fills.Kind{"", fills.LastPrice, fills.BestQuote, fills.BookLadder}[s]
}

// MarketResult is what happened in one sampled round.
type MarketResult struct {
	Round     market.Round
	Signalled bool // the entry held at an instant
	Refusals  Refusals
	Trade     *Trade // nil: no entry was filled
	// Schedule is the fee schedule that applies to the market, even under
	// FeesNone. Known is false if the venue has none; then no fee is charged.
	Schedule fills.Schedule
}

// ExitReason is how a trade ended.
type ExitReason string

// Exit reasons. A trade that sold any share has the reason of the exit that
// triggered, even if the rest was settled.
const (
	TakeProfit  ExitReason = "take_profit"
	StopLoss    ExitReason = "stop_loss"     // the trailing stop too
	EndOfWindow ExitReason = "end_of_window" // a clock exit
	Expiry      ExitReason = "expiry"        // no share was sold: settled
)

// Trade is one entry and its exit.
type Trade struct {
	Market *market.Market
	Token  int // index in Market.Tokens of the token bought
	// Legs are the executions in order: one buy, then sales, then at most one
	// settlement.
	Legs []Leg

	Signal    market.Instant // that sent the entry
	EntryTime market.Instant // arrival of the entry
	ExitTime  market.Instant // the last leg's
	Reason    ExitReason
	ExitFill  fills.Kind // the last leg's

	Shares   market.Size
	Entry    fills.Average // exact, without the fee
	Exit     fills.Average // exact, over all exit legs, without the fees
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

	// Partial: everything at or below the cap was taken, and part of the budget
	// was left. CapBound: there were asks above the cap at that time.
	Partial  bool
	CapBound bool
}

// PnL returns Proceeds − Cost.
func (t *Trade) PnL() market.Cash { return t.Proceeds - t.Cost }

// EntryFill returns the kind of the entry's fill.
func (t *Trade) EntryFill() fills.Kind { return t.Legs[0].Kind }

// Action is what a leg did.
type Action string

// Actions.
const (
	Buy    Action = "buy"
	Sell   Action = "sell"
	Settle Action = "settle"
)

// Leg is one execution.
type Leg struct {
	Action Action
	// Signal is the instant that sent the order: of the buy and of the first
	// sale. Zero: a later try of an exit that stands, or the settlement.
	Signal market.Instant
	Time   market.Instant // of the execution
	// AsOf is the time of the market's last capture at or before Time. Zero for
	// the settlement, and where it was not looked up (Parallel.Undated).
	AsOf market.Instant
	Kind fills.Kind
	fills.Fill
}
