// Package strategy defines the strict strategy object: what a trader's sentence
// becomes, what the engine replays and what is hashed and compared. It has the
// object's JSON form and JSON Schema, the rules beyond the schema, the canonical
// form, and a summary in English that the rules parser reads back.
//
// The package is pure: no clock, network, environment or randomness.
package strategy

// Strategy is an entry, an exit and a budget, and the orders beside them, for
// up/down markets of a coin and length. The zero value is invalid.
type Strategy struct {
	Market MarketSpec `json:"market"`
	Side   Side       `json:"side"`
	// Entry lists at most 8 conditions that must all hold at the same instant.
	// Empty: enter at the first instant with a book. It is never nil in a
	// canonical strategy, and thus written as [].
	Entry []Condition `json:"entry"`
	// EntryAny lists alternatives, 2 to 4 groups of 1 to 4 conditions: at least
	// one group must hold in addition to Entry. Nil: none.
	EntryAny [][]Condition `json:"entry_any,omitempty"`
	Exit     Exit          `json:"exit"`
	// BudgetPerTrade is the US dollars spent per entry, including fees: above 0,
	// at most 1,000,000.
	BudgetPerTrade Number `json:"budget_per_trade"`
	// SampleSize is how many resolved markets are replayed: 1 to 10,000.
	SampleSize int `json:"sample_size"`

	// Order is how the entry is bought. Nil: it takes what the book shows.
	Order *Order `json:"order,omitempty"`
	// Then lists 1 to 19 further orders by precedence. Nil: none.
	Then []Then `json:"then,omitempty"`
	// Again lets a round be entered more than once. Nil: one entry.
	Again *Again `json:"again,omitempty"`
	// Merge gives shares held of both tokens back in pairs, $1 each, at once.
	Merge bool `json:"merge,omitempty"`
	// Size is how much an entry buys, at most BudgetPerTrade. Nil: all of that.
	Size *Size `json:"size,omitempty"`
	// Bankroll is the one purse of all rounds. Nil: every round has its own money.
	Bankroll *Bankroll `json:"bankroll,omitempty"`
}

// MarketSpec says which markets are traded.
type MarketSpec struct {
	Coin string `json:"coin"`        // a known ticker such as "BTC", or Any
	Type string `json:"market_type"` // one of Types, or Any
}

// Any stands for every coin, or every length.
const Any = "ANY"

// Side is the token bought.
type Side string

// Sides.
const (
	Up     Side = "up"
	Down   Side = "down"
	Either Side = "either" // each token is a candidate; the first that satisfies the entry is bought
)

// Token names the token that a condition reads.
type Token string

// Tokens. TokenNone stands for null: time conditions read no token. TokenSame
// and TokenOpposite go with side either, and in the conditions of orders: the token bought, and the
// other.
const (
	TokenNone     Token = ""
	TokenUp       Token = "up"
	TokenDown     Token = "down"
	TokenSame     Token = "same"
	TokenOpposite Token = "opposite"
)

// Type is what a condition reads.
type Type string

// Condition types, in canonical order. The first seven are level types, the last
// three stand in the conditions of orders alone.
const (
	Price         Type = "price"          // (0, 1): mid, last or the side that exists
	BestAsk       Type = "best_ask"       // (0, 1)
	BestBid       Type = "best_bid"       // (0, 1)
	Spread        Type = "spread"         // 0..1
	AskDepth      Type = "ask_depth"      // USD ≥ 0 within 0.05 of the best ask
	BidDepth      Type = "bid_depth"      // USD ≥ 0 within 0.05 of the best bid
	Imbalance     Type = "imbalance"      // 0..1: bid depth ÷ (bid depth + ask depth)
	PriceChange   Type = "price_change"   // −1..1: price now − price within_seconds ago
	TimeElapsed   Type = "time_elapsed"   // seconds since the market's start
	TimeRemaining Type = "time_remaining" // seconds until the market's end
	HeldProfit    Type = "held_profit"    // −1..1: executable bid − average entry price of the token
	PairCost      Type = "pair_cost"      // 0..2: average entry price of same + best ask of opposite
	SinceEntry    Type = "since_entry"    // seconds since the first fill of what is held of same
)

// Comparator is how a value is compared with the threshold.
type Comparator string

// Comparators, in canonical order. The crossings go with level types only.
const (
	LT           Comparator = "lt"
	LTE          Comparator = "lte"
	GT           Comparator = "gt"
	GTE          Comparator = "gte"
	CrossesAbove Comparator = "crosses_above"
	CrossesBelow Comparator = "crosses_below"
)

// Condition is one test of a value known at an instant.
type Condition struct {
	Type       Type       `json:"type"`
	Token      Token      `json:"token"` // TokenNone is written as null
	Comparator Comparator `json:"comparator"`
	Threshold  Number     `json:"threshold"` // in the unit and range of Type
	// WithinSeconds bounds elapsed time for level types and is the look-back
	// window of price_change (required there). Zero is written as null.
	WithinSeconds int `json:"within_seconds"`
}

// Exit says when the position is sold. Nil and zero fields are unused.
type Exit struct {
	TakeProfit   *Number `json:"take_profit"` // absolute price of the held token
	StopLoss     *Number `json:"stop_loss"`   // absolute price of the held token
	HoldToExpiry bool    `json:"hold_to_expiry"`

	TakeProfitOffset  *Number `json:"take_profit_offset,omitempty"`  // above the average entry price
	StopLossOffset    *Number `json:"stop_loss_offset,omitempty"`    // below the average entry price; positive
	TrailingStop      *Number `json:"trailing_stop,omitempty"`       // below the highest executable bid since entry
	MaxHoldSeconds    int     `json:"max_hold_seconds,omitempty"`    // from the entry's fill; zero: unused
	ExitBeforeSeconds int     `json:"exit_before_seconds,omitempty"` // before the market's end; zero: unused

	// RestTakeProfit lets the target rest as a limit sell of all shares held.
	RestTakeProfit bool `json:"rest_take_profit,omitempty"`
}

// Aims reports whether there is a target.
func (e *Exit) Aims() bool { return e.TakeProfit != nil || e.TakeProfitOffset != nil }

// Stops reports whether there is a stop at a price, trailing or not.
func (e *Exit) Stops() bool {
	return e.StopLoss != nil || e.StopLossOffset != nil || e.TrailingStop != nil
}

// Sells reports whether a position may be sold at a price, or at a time that is named.
func (e *Exit) Sells() bool {
	return e.Aims() || e.Stops() || e.MaxHoldSeconds != 0 || e.ExitBeforeSeconds != 0
}

// Number is a decimal number in units of 1e-6, exact. Its JSON form is the
// shortest decimal: 0.35, 50, -0.02.
type Number int64

// One is the Number 1.
const One Number = 1_000_000
