package strategy

import (
	"encoding/json"
	"slices"
)

// Order says how shares are bought or sold with a limit that rests where it does
// not meet the book. Exactly one of the three prices is set.
type Order struct {
	// RestAt is the limit as a price, strictly between 0 and 1.
	RestAt *Number `json:"rest_at,omitempty"`
	// RestFromBid is added to the best bid at the signal, RestFromAsk subtracted
	// from the best ask: strictly between −1 and 1, and above 0 from the far side,
	// which is the ask for a buy and the bid for a sell.
	RestFromBid *Number `json:"rest_from_bid,omitempty"`
	RestFromAsk *Number `json:"rest_from_ask,omitempty"`
	// PostOnly refuses a limit that the shown other side meets at its arrival.
	PostOnly bool `json:"post_only,omitempty"`
	// CancelAfterSeconds is how long after the arrival a cancel is sent; zero: unused.
	CancelAfterSeconds int `json:"cancel_after_seconds,omitempty"`
	// CancelWhen lists 1 to 4 conditions: a cancel is sent at the first instant,
	// from the arrival on, at which all hold. They name the tokens TokenSame and
	// TokenOpposite. Nil: unused.
	CancelWhen []Condition `json:"cancel_when,omitempty"`
}

// Action is what an order of Then does.
type Action string

// Actions.
const (
	Buy  Action = "buy"
	Sell Action = "sell"
)

// Trigger is what brings an order of Then to life.
type Trigger string

// Triggers, in canonical order. The last four are exits of the entry's token:
// alive from the instant at which such an exit sold the last of it, until the
// next entry.
const (
	OnEntry       Trigger = "entry" // from the entry's first fill until nothing is held and the entry no longer rests
	OnStart       Trigger = "start" // from the round's start on; side up or down alone
	OnTakeProfit  Trigger = "take_profit"
	OnStopLoss    Trigger = "stop_loss"
	OnEndOfWindow Trigger = "end_of_window"
	OnExit        Trigger = "exit" // any of the three before
)

// Then is a further order beside the entry. Exactly one of USD, Shares, Fraction
// and Match is set. Its conditions name the tokens TokenSame and TokenOpposite.
type Then struct {
	Do    Action
	Token Token   // TokenSame, the entry's, or TokenOpposite
	On    Trigger // empty stands for OnEntry, which a canonical strategy has
	// When lists at most 8 conditions that must all hold at one instant. Nil: sent
	// at once.
	When     []Condition
	USD      Number // of a buy, fee included; above 0, at most 1,000,000; zero: unused
	Shares   Number // above 0, at most 1,000,000; zero: unused
	Fraction Number // of a sell: of the shares bought since none were held, above 0, at most 1; zero: unused
	// Match buys the shares held of the other token beyond those held and coming
	// of this one.
	Match bool
	Order *Order // nil: it takes
	// Times is how often the order may be accepted, 1 to 20. Zero stands for 1,
	// which a canonical strategy has.
	Times        int
	AfterSeconds int // from one's end to the next's signal, at least 0
}

// Reason is how a round became flat, for Again.
type Reason string

// Reasons, in canonical order.
const (
	ReasonTakeProfit  Reason = "take_profit"
	ReasonStopLoss    Reason = "stop_loss"
	ReasonEndOfWindow Reason = "end_of_window"
	ReasonOrder       Reason = "order"  // a sell of Then
	ReasonMerged      Reason = "merged" // given back in pairs
	ReasonExpiry      Reason = "expiry"
	ReasonCancelled   Reason = "cancelled" // an entry ended unfilled
)

// Again lets a round be entered more than once: while it is flat for such a
// reason the entry is evaluated again.
type Again struct {
	MaxEntries   int `json:"max_entries"` // 2 to 20, the first included
	AfterSeconds int `json:"after_seconds,omitempty"`
	// After lists the reasons. Nil: all of them.
	After []Reason `json:"after,omitempty"`
}

// Follows reports whether the entry is evaluated again after a round became flat
// for r.
func (a *Again) Follows(r Reason) bool { return a.After == nil || slices.Contains(a.After, r) }

// Size is how much one entry buys. Exactly one field is set. BudgetPerTrade stays
// as the most that it spends.
type Size struct {
	Shares           Number `json:"shares,omitempty"`            // above 0, at most 1,000,000
	BankrollFraction Number `json:"bankroll_fraction,omitempty"` // of the equity at the signal, above 0, at most 1
	Kelly            *Kelly `json:"kelly,omitempty"`
}

// Kelly sizes an entry by the edge over a fair value.
type Kelly struct {
	Probability Number `json:"probability"` // of the token bought, strictly between 0 and 1
	Fraction    Number `json:"fraction"`    // of the full Kelly bet, above 0, at most 1
}

// Bankroll is the one purse of all rounds, in US dollars. At least one field is
// set; zero fields are unused.
type Bankroll struct {
	Start           Number `json:"start,omitempty"` // needed by BankrollFraction and Kelly
	DailyLoss       Number `json:"daily_loss,omitempty"`
	MaxOpen         Number `json:"max_open,omitempty"`
	MaxLosingStreak int    `json:"max_losing_streak,omitempty"`
}

// MarshalJSON writes the fields in canonical order and leaves defaults out.
func (o Then) MarshalJSON() ([]byte, error) {
	if o.On == OnEntry {
		o.On = ""
	}
	if o.Times == 1 {
		o.Times = 0
	}
	return json.Marshal(struct {
		Do           Action      `json:"do"`
		Token        Token       `json:"token"`
		On           Trigger     `json:"on,omitempty"`
		When         []Condition `json:"when,omitempty"`
		USD          Number      `json:"usd,omitempty"`
		Shares       Number      `json:"shares,omitempty"`
		Fraction     Number      `json:"fraction,omitempty"`
		Match        bool        `json:"match,omitempty"`
		Order        *Order      `json:"order,omitempty"`
		Times        int         `json:"times,omitempty"`
		AfterSeconds int         `json:"after_seconds,omitempty"`
	}(o))
}

// Extended reports whether s uses any field of orders: what one entry that takes,
// and exits that take, cannot do.
func (s *Strategy) Extended() bool {
	return s.Order != nil || s.Exit.RestTakeProfit || len(s.Then) > 0 || s.Again != nil || s.Merge || s.Size != nil || s.Bankroll != nil
}

// Extended reports whether the strategy uses any field of orders.
func (c Canonical) Extended() bool { return c.object.Extended() }

// Rests reports whether the strategy sends orders that may rest.
func (c Canonical) Rests() bool {
	return c.object.Order != nil || c.object.Exit.RestTakeProfit ||
		slices.ContainsFunc(c.object.Then, func(t Then) bool { return t.Order != nil })
}

// Order returns how the entry is bought; nil: it takes.
func (c Canonical) Order() *Order { return c.object.Order }

// Then returns the further orders, by precedence; nil if there are none.
func (c Canonical) Then() []Then { return c.object.Then }

// Again returns when a round is entered again; nil: never.
func (c Canonical) Again() *Again { return c.object.Again }

// Merges reports whether shares held of both tokens are given back in pairs.
func (c Canonical) Merges() bool { return c.object.Merge }

// Size returns how much an entry buys; nil: the budget.
func (c Canonical) Size() *Size { return c.object.Size }

// Bankroll returns the purse of all rounds; nil: every round has its own money.
func (c Canonical) Bankroll() *Bankroll { return c.object.Bankroll }

// foldOrders brings the fields of orders into canonical form, and copies all that
// c shares: lists of conditions are folded as an entry's is, defaults are set,
// reasons are in their order.
func foldOrders(c *Strategy) {
	c.Order = foldOrder(c.Order)
	c.Then = slices.Clone(c.Then)
	for i := range c.Then {
		o := &c.Then[i]
		if o.On == "" {
			o.On = OnEntry
		}
		o.Times = max(o.Times, 1)
		o.When = foldIfAny(o.When)
		o.Order = foldOrder(o.Order)
	}
	if len(c.Then) == 0 {
		c.Then = nil
	}
	if c.Again != nil {
		a := *c.Again
		a.After = slices.Clone(a.After)
		slices.SortFunc(a.After, func(x, y Reason) int { return reasonOrder(x) - reasonOrder(y) })
		if a.After = slices.Compact(a.After); len(a.After) == len(reasons) {
			a.After = nil
		}
		c.Again = &a
	}
	c.Size = cloneSize(c.Size)
	if c.Bankroll != nil {
		b := *c.Bankroll
		c.Bankroll = &b
	}
}

func foldIfAny(list []Condition) []Condition {
	if len(list) == 0 {
		return nil
	}
	return Fold(list)
}

func foldOrder(o *Order) *Order {
	if o == nil {
		return nil
	}
	f := *o
	for _, p := range []**Number{&f.RestAt, &f.RestFromBid, &f.RestFromAsk} {
		if *p != nil {
			*p = (**p).Ptr()
		}
	}
	f.CancelWhen = foldIfAny(f.CancelWhen)
	return &f
}

func cloneSize(s *Size) *Size {
	if s == nil {
		return nil
	}
	c := *s
	if c.Kelly != nil {
		k := *c.Kelly
		c.Kelly = &k
	}
	return &c
}
