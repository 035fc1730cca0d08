package replay

import (
	"context"
	"errors"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Trace is a replay of one round with everything that was looked at.
type Trace struct {
	Result MarketResult
	// Evaluations are in order of time: all of them, however far from a trigger.
	Evaluations []Evaluation
	// Orders are in order of time: entries refused and filled, and every try of
	// an exit.
	Orders []Order
}

// Evaluation is one look at the entry or at an open position.
type Evaluation struct {
	At      market.Instant
	Capture bool // a capture's instant; false: a named instant, or a fill's
	Token   int  // index in Market.Tokens: the candidate, or the token held
	Bid     market.Level
	Ask     market.Level // price NoPrice: that side is empty or not known

	// Of an entry: one reading a condition, Entry first, then EntryAny group by
	// group; nil for a position.
	Conditions []Reading
	Holds      bool // the entry held for Token

	// Of a position; nil for an entry.
	Position *PositionReading
}

// Reading is a condition's value at an instant.
type Reading struct {
	Condition strategy.Condition
	Known     bool
	// Value in the unit of the condition's type; a fraction for imbalance.
	// For output and drawing; conditions are compared exactly.
	Value float64
	Holds bool
}

// PositionReading is how an open position looked.
type PositionReading struct {
	// Whole is what selling the whole position would bring: Value ÷ Shares is
	// the executable bid that take profit is judged on.
	Whole fills.Average
	// Takeable is what the bids can take: its average is what stops are judged
	// on; not Known without bids.
	Takeable fills.Average
	High     fills.Average // the trailing stop's high water; not Known when unused
	Trigger  ExitReason    // empty: none
}

// Order is one order's arrival.
type Order struct {
	Action  Action
	Token   int
	Signal  market.Instant
	Arrival market.Instant
	Retry   bool // a later try of an exit that stands
	AsOf    market.Instant
	Stream  Stream
	// Bids and Asks are what the token's market showed at arrival, best first;
	// one level each for quotes and prices.
	Bids, Asks []market.Level
	Cap        market.Price // of an entry
	Refused    bool         // nothing was exchanged
	Reason     Reason       // when Refused
	Leg        *Leg         // nil when Refused
}

// Explain replays c over one round and records what was looked at.
func Explain(ctx context.Context, src Source, r market.Round, c Case) (*Trace, error) {
	return nil, errors.New("replay: not yet")
}
