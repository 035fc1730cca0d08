package orders

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Reason is why an order was refused.
type Reason uint8

// Reasons, in the order in which they are checked: those of an arrival, then those of
// a signal.
const (
	TooLate      Reason = iota // arrives at or after the end; a limit order from a second before it
	InGap                      // arrives in a gap that the source declares
	StaleBook                  // the market's last capture is too old
	Crossed                    // best bid above best ask
	NoLiquidity                // a quote is missing, at the signal or at arrival
	Capped                     // no ask at or under the cap
	WouldCross                 // a limit that posts only meets the other side
	BelowMinSize               // under the market's smallest order, or under a Lot
	SelfCross                  // meets an own order that rests
	BadLimit                   // a limit outside (0, 1)
	TooMany                    // 100 orders were sent
	NoCash                     // less to spend than 0.01 share costs
	NoEdge                     // the Kelly fraction is 0
	DailyLoss                  // the day's loss is reached
	LosingStreak               // the day's last trades lost
	NumReasons                 // how many there are
)

// String returns the reason's name in reports.
func (r Reason) String() string {
	return [...]string{
		"too_late", "gap", "stale", "crossed", "no_liquidity", "capped", "would_cross", "below_min_size", "self_cross",
		"bad_limit", "too_many", "no_cash", "no_edge", "daily_loss", "losing_streak",
	}[r]
}

// Refusals counts orders by Reason. Those that are refused at their signal, as none is
// sent, count once per market and order.
type Refusals [NumReasons]int

// ExitReason is how a trade ended.
type ExitReason string

// Exit reasons. A trade that sold or merged any share has the reason of the last leg
// that did, even if the rest was settled.
const (
	TakeProfit  ExitReason = "take_profit"
	StopLoss    ExitReason = "stop_loss"     // the trailing stop too
	EndOfWindow ExitReason = "end_of_window" // a clock exit
	ByOrder     ExitReason = "order"         // a sell beside the exits
	Merged      ExitReason = "merged"        // given back in pairs
	Expiry      ExitReason = "expiry"        // nothing was sold or merged: settled

	cancelled = ExitReason(strategy.ReasonCancelled) // of a round that is flat: an entry ended unfilled
)

// Action is what a leg did.
type Action string

// Actions.
const (
	Buy    Action = "buy"
	Sell   Action = "sell"
	Merge  Action = "merge" // pairs of both tokens given back for $1
	Settle Action = "settle"
)

// Leg is one execution.
type Leg struct {
	Action Action
	Token  int // index in Market.Tokens; of a merge the entry's
	// Order names the order: "entry", "exit", or "then.N" with N from 0. Empty for the
	// settlement and a merge.
	Order string
	// Reason is that of a sale or merge; empty for others.
	Reason ExitReason
	// Signal is the instant that sent the order: of the first leg of each. Zero: a later
	// leg, a merge or the settlement.
	Signal market.Instant
	Time   market.Instant // of the execution
	// AsOf is the time of the market's last capture at or before Time. Zero for
	// a merge and the settlement, and where it was not looked up.
	AsOf market.Instant
	// Touch is, of a leg that took, the best price at its signal on the side that it took
	// from; NoPrice: there was none, or the leg did not take.
	Touch market.Price
	Kind  fills.Kind
	fills.Fill
}

// Limit is a limit order that was accepted.
type Limit struct {
	Order    string // as Leg.Order
	Token    int
	Action   Action // Buy or Sell
	Price    market.Price
	Signal   market.Instant
	Accepted market.Instant
	Ended    market.Instant // filled, cancelled, replaced or expired
	End      End
	Sent     market.Size // as accepted; less where a target was cut
	Taken    market.Size // at its arrival
	Rested   market.Size // filled as it rested
	Rank     int         // precedence: lower goes first
	Heard    bool        // the market had a trade message before it ended
}

// Filled returns the shares that the order got.
func (l *Limit) Filled() market.Size { return l.Taken + l.Rested }

// End is how a limit order ended.
type End string

// Ends.
const (
	Filled    End = "filled"
	Cancelled End = "cancelled" // by its own cancel, or because nothing was held any more
	Withdrawn End = "withdrawn" // by an exit
	Replaced  End = "replaced"  // by a target of another size or price
	Cut       End = "cut"       // the shares that it offered were sold or merged elsewhere
	Expired   End = "expired"   // a second before the end
)

// Outcome is what became of a round.
type Outcome struct {
	Signalled bool // the entry held at an instant
	Refusals  Refusals
	Then      Refusals // of all orders but the entry
	Entries   int      // entries that were accepted
	Legs      []Leg
	Limits    []Limit
	// AskAtSignal is the best ask that the first buy's signal saw.
	AskAtSignal market.Price
	// BidAtSignal is the best bid that the last exit's signal saw; NoPrice: none.
	BidAtSignal market.Price
	// Partial: an order that takes took everything at or below its cap, and part of its
	// money was left. CapBound: there were asks above the cap at that time.
	Partial, CapBound bool
}
