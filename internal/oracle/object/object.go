// Package object reads a strategy object as its pages write it, apart from the engine's own
// reading of it.
package object

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Object is the strategy object as its pages write it, read from JSON alone, so
// that nothing of the engine's own reading of it is shared.
type Object struct {
	Market struct {
		Coin string `json:"coin"`
		Type string `json:"market_type"`
	} `json:"market"`
	Side     string     `json:"side"`
	Entry    []Clause   `json:"entry"`
	EntryAny [][]Clause `json:"entry_any"`
	Exit     struct {
		TakeProfit       *decimal `json:"take_profit"`
		StopLoss         *decimal `json:"stop_loss"`
		HoldToExpiry     bool     `json:"hold_to_expiry"`
		TakeProfitOffset *decimal `json:"take_profit_offset"`
		StopLossOffset   *decimal `json:"stop_loss_offset"`
		TrailingStop     *decimal `json:"trailing_stop"`
		MaxHold          int64    `json:"max_hold_seconds"`
		ExitBefore       int64    `json:"exit_before_seconds"`
		RestTakeProfit   bool     `json:"rest_take_profit"`
	} `json:"exit"`
	Budget     decimal `json:"budget_per_trade"`
	SampleSize int     `json:"sample_size"`
	Order      *Limit  `json:"order"`
	Then       []Then  `json:"then"`
	Again      *Again  `json:"again"`
	Merge      bool    `json:"merge"`
	Size       *Size   `json:"size"`
	Bankroll   *Purse  `json:"bankroll"`
}

// Extended says whether the object has a field of the orders' page.
func (o *Object) Extended() bool {
	return o.Order != nil || len(o.Then) > 0 || o.Again != nil || o.Merge || o.Size != nil || o.Bankroll != nil || o.Exit.RestTakeProfit
}

type Clause struct {
	Type       string  `json:"type"`
	Token      string  `json:"token"`
	Comparator string  `json:"comparator"`
	Threshold  decimal `json:"threshold"`
	Within     int64   `json:"within_seconds"`

	Span market.Span // of a time: the threshold
}

// UnmarshalJSON reads a condition, and the time that it names.
func (c *Clause) UnmarshalJSON(b []byte) error {
	type plain Clause
	if err := json.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	switch c.Type {
	case "time_elapsed", "time_remaining", "since_entry":
		c.Span = exact.SpanOf(c.Threshold.Rat)
	}
	return nil
}

type Limit struct {
	RestAt             *decimal `json:"rest_at"`
	FromBid            *decimal `json:"rest_from_bid"`
	FromAsk            *decimal `json:"rest_from_ask"`
	PostOnly           bool     `json:"post_only"`
	CancelAfterSeconds int64    `json:"cancel_after_seconds"`
	CancelWhen         []Clause `json:"cancel_when"`
}

type Then struct {
	Do       string   `json:"do"`
	Token    string   `json:"token"`
	On       string   `json:"on"`
	When     []Clause `json:"when"`
	USD      *decimal `json:"usd"`
	Shares   *decimal `json:"shares"`
	Fraction *decimal `json:"fraction"`
	Match    bool     `json:"match"`
	Order    *Limit   `json:"order"`
	Times    int      `json:"times"`
	After    int64    `json:"after_seconds"`
}

type Again struct {
	MaxEntries int      `json:"max_entries"`
	Seconds    int64    `json:"after_seconds"`
	After      []string `json:"after"`
}

type Size struct {
	Shares   *decimal `json:"shares"`
	Fraction *decimal `json:"bankroll_fraction"`
	Kelly    *struct {
		Probability decimal `json:"probability"`
		Fraction    decimal `json:"fraction"`
	} `json:"kelly"`
}

type Purse struct {
	Start     *decimal `json:"start"`
	DailyLoss *decimal `json:"daily_loss"`
	MaxOpen   *decimal `json:"max_open"`
	MaxStreak int      `json:"max_losing_streak"`
}

// decimal is a number of the object, exact.
type decimal struct{ *big.Rat }

func (d *decimal) UnmarshalJSON(b []byte) error {
	r, ok := new(big.Rat).SetString(string(b))
	if !ok {
		return fmt.Errorf("%s: expected a number", b)
	}
	d.Rat = r
	return nil
}

// Parse reads a strategy object. Rules for what is left out: an order of
// then has token same, on entry, times 1.
func Parse(text []byte) (*Object, error) {
	s := &Object{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	for i := range s.Then {
		t := &s.Then[i]
		if t.Token == "" {
			t.Token = "same"
		}
		if t.On == "" {
			t.On = "entry"
		}
		if t.Times == 0 {
			t.Times = 1
		}
	}
	return s, nil
}

// Read reads a strategy as it is written.
func Read(s strategy.Canonical) *Object {
	text, err := json.Marshal(s)
	if err != nil {
		panic("oracle: " + err.Error())
	}
	o, err := Parse(text)
	if err != nil {
		panic("oracle: " + err.Error())
	}
	return o
}
