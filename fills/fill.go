package fills

import "github.com/ladderback/ladderback/market"

// Kind says what a fill was taken against.
type Kind string

// Kinds of fill, best first.
const (
	BookLadder Kind = "book_ladder" // the ladder
	BestQuote  Kind = "best_quote"  // the best bid or ask alone
	LastPrice  Kind = "last_price"  // a price alone
	Settlement Kind = "settlement"  // held to the end: the token's payout
	Resting    Kind = "resting"     // an own order that rested, at its limit
	Merge      Kind = "merge"       // pairs of both tokens given back for $1
)

// Lot is the step of an order's size: 0.01 share.
const Lot market.Size = 10_000

// Unlimited stands for the size of a quote or price that was captured without
// one: orders are filled in full against it.
const Unlimited market.Size = 1<<63 - 1

// Fill is what one order, or the settlement, exchanged.
type Fill struct {
	// Levels are the prices taken, best first, with the size taken at each. A
	// settlement has none.
	Levels []market.Level
	Shares market.Size // a multiple of Lot; 0: nothing was exchanged
	Value  Amount      // Σ price × size, exact, without the fee
	Fee    market.Cash // ≥ 0, rounded once as the schedule says
	// Cash is the money that changed hands, ≥ 0 without the fee: the value
	// rounded up for a buy, down for a sale or a settlement.
	Cash market.Cash
}
