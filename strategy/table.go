package strategy

import (
	"slices"

	"github.com/ladderback/ladderback/market"
)

// KnownCoin reports whether ticker is a known coin. Any is not.
func KnownCoin(ticker string) bool { return market.KnownCoin(ticker) }

// Length returns how long a market of the given type lasts; for Any, the longest
// length, one day. ok is false if the type is unknown.
func Length(marketType string) (d market.Span, ok bool) {
	seconds, ok := lengthSeconds(marketType)
	return market.Span(seconds) * market.Second, ok
}

func lengthSeconds(marketType string) (int, bool) {
	switch marketType {
	case "5m":
		return 300, true
	case "15m":
		return 900, true
	case "1h":
		return 3600, true
	case "4h":
		return 14_400, true
	case "1d", Any:
		return 86_400, true
	}
	return 0, false
}

// IsLevel reports whether t is a level type: read from the book or the last trade
// at an instant, usable with crossings, and with within_seconds as a bound on
// elapsed time.
func (t Type) IsLevel() bool {
	switch t {
	case Price, BestAsk, BestBid, Spread, AskDepth, BidDepth, Imbalance:
		return true
	}
	return false
}

// IsTime reports whether t depends only on the clock.
func (t Type) IsTime() bool { return t == TimeElapsed || t == TimeRemaining }

// IsCrossing reports whether c is one of the two crossings.
func (c Comparator) IsCrossing() bool { return c == CrossesAbove || c == CrossesBelow }

// IsLower reports whether c bounds from below; the others bound from above.
func (c Comparator) IsLower() bool { return c == GT || c == GTE || c == CrossesAbove }

// IsPrice reports whether t is a price of a token.
func (t Type) IsPrice() bool { return t == Price || t == BestAsk || t == BestBid }

// OfOrders reports whether t reads what is held, which conditions of orders can
// and those of an entry cannot.
func (t Type) OfOrders() bool { return t == HeldProfit || t == PairCost || t == SinceEntry }

// ReadsToken reports whether a condition of type t names a token.
func (t Type) ReadsToken() bool { return !t.IsTime() && t != PairCost && t != SinceEntry }

// isAmount reports whether thresholds of t are dollars or seconds, which have six
// decimals.
func (t Type) isAmount() bool {
	return t.IsTime() || t == SinceEntry || t == AskDepth || t == BidDepth
}

// Held returns how conditions of a strategy with side s name the token bought.
func (s Side) Held() Token {
	switch s {
	case Up:
		return TokenUp
	case Down:
		return TokenDown
	}
	return TokenSame
}

// Other returns how conditions of a strategy with side s name the token that
// is not bought.
func (s Side) Other() Token {
	switch s {
	case Up:
		return TokenDown
	case Down:
		return TokenUp
	}
	return TokenOpposite
}

// ConditionType describes one type of condition, for people and for clients
// that build strategies.
type ConditionType struct {
	Type Type   `json:"type"`
	Unit string `json:"unit"` // "price", "usd", "ratio" or "seconds"
	// Min and Max bound the threshold; nil: no bound. Whether the bounds
	// themselves are allowed is said by Open.
	Min  *Number `json:"min"`
	Max  *Number `json:"max"`
	Open bool    `json:"-"` // true: the threshold lies strictly between Min and Max
	// Decimals is how many decimals a threshold may have.
	Decimals    int          `json:"-"`
	Comparators []Comparator `json:"comparators"`
	Tokens      []Token      `json:"tokens"` // empty: the type reads no token
	Description string       `json:"description"`
}

// ConditionTypes returns every type of condition of an entry in canonical order.
// The caller owns the slice.
func ConditionTypes() []ConditionType {
	plain := []Comparator{LT, LTE, GT, GTE}
	level := []Comparator{LT, LTE, GT, GTE, CrossesAbove, CrossesBelow}
	tokens := []Token{TokenUp, TokenDown, TokenSame, TokenOpposite}
	zero, one, minus, day := Int(0).Ptr(), One.Ptr(), (-One).Ptr(), Int(86_400).Ptr()
	return []ConditionType{
		{Price, "price", zero, one, true, 4, level, tokens,
			"Price of the token: the mid of best bid and ask while the spread is at most 0.10, else the last trade moved into the quotes. Strictly between 0 and 1."},
		{BestAsk, "price", zero, one, true, 4, level, tokens,
			"Lowest price at which the token is offered; unknown when nothing is. Strictly between 0 and 1."},
		{BestBid, "price", zero, one, true, 4, level, tokens,
			"Highest price bid for the token; unknown when nothing is. Strictly between 0 and 1."},
		{Spread, "price", zero, one, false, 4, level, tokens,
			"Best ask minus best bid of the token; unknown when a side is empty."},
		{AskDepth, "usd", zero, nil, false, 6, level, tokens,
			"US dollars offered within 0.05 of the best ask: the sum of price times size."},
		{BidDepth, "usd", zero, nil, false, 6, level, tokens,
			"US dollars bid within 0.05 of the best bid: the sum of price times size."},
		{Imbalance, "ratio", zero, one, false, 4, level, tokens,
			"Bid depth divided by bid depth plus ask depth; unknown when both are 0."},
		{PriceChange, "price", minus, one, false, 4, plain, tokens,
			"Price now minus price within_seconds ago (required); unknown until that long after the market's start."},
		{TimeElapsed, "seconds", zero, day, false, 6, plain, []Token{},
			"Seconds since the market's start; at most the market's length."},
		{TimeRemaining, "seconds", zero, day, false, 6, plain, []Token{},
			"Seconds until the market's end; at most the market's length."},
	}
}

// OrderConditionTypes returns every type of condition of orders in canonical
// order: those of an entry, and those that read what is held. The caller owns the
// slice.
func OrderConditionTypes() []ConditionType {
	plain := []Comparator{LT, LTE, GT, GTE}
	all := ConditionTypes()
	for i := range all {
		if len(all[i].Tokens) > 0 {
			all[i].Tokens = []Token{TokenSame, TokenOpposite}
		}
	}
	return append(all,
		ConditionType{HeldProfit, "price", (-One).Ptr(), One.Ptr(), false, 4, plain, []Token{TokenSame, TokenOpposite},
			"Executable bid of the token minus its average entry price; unknown where none is held."},
		ConditionType{PairCost, "price", Int(0).Ptr(), Int(2).Ptr(), false, 4, plain, []Token{},
			"Average entry price of the token bought plus the best ask of the other; unknown where none is held."},
		ConditionType{SinceEntry, "seconds", Int(0).Ptr(), Int(86_400).Ptr(), false, 6, plain, []Token{},
			"Seconds since the first fill of what is held; at most the market's length; unknown where none is held."},
	)
}

// order gives the place of v in the canonical order of values, or −1.
func order[T comparable](v T, values ...T) int { return slices.Index(values, v) }

func typeOrder(t Type) int {
	return order(t, Price, BestAsk, BestBid, Spread, AskDepth, BidDepth, Imbalance, PriceChange, TimeElapsed, TimeRemaining,
		HeldProfit, PairCost, SinceEntry)
}

func tokenOrder(t Token) int {
	return order(t, TokenNone, TokenUp, TokenDown, TokenSame, TokenOpposite)
}

func comparatorOrder(c Comparator) int {
	return order(c, LT, LTE, GT, GTE, CrossesAbove, CrossesBelow)
}
