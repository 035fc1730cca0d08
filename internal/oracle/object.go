package oracle

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
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
	Entry    []clause   `json:"entry"`
	EntryAny [][]clause `json:"entry_any"`
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
	Budget     decimal      `json:"budget_per_trade"`
	SampleSize int          `json:"sample_size"`
	Order      *limitObject `json:"order"`
	Then       []thenObject `json:"then"`
	Again      *againObject `json:"again"`
	Merge      bool         `json:"merge"`
	Size       *sizeObject  `json:"size"`
	Bankroll   *purseObject `json:"bankroll"`
}

type clause struct {
	Type       string  `json:"type"`
	Token      string  `json:"token"`
	Comparator string  `json:"comparator"`
	Threshold  decimal `json:"threshold"`
	Within     int64   `json:"within_seconds"`

	span market.Span // of a time: the threshold
}

// UnmarshalJSON reads a condition, and the time that it names.
func (c *clause) UnmarshalJSON(b []byte) error {
	type plain clause
	if err := json.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	switch c.Type {
	case "time_elapsed", "time_remaining", "since_entry":
		c.span = spanOf(c.Threshold.Rat)
	}
	return nil
}

type limitObject struct {
	RestAt             *decimal `json:"rest_at"`
	FromBid            *decimal `json:"rest_from_bid"`
	FromAsk            *decimal `json:"rest_from_ask"`
	PostOnly           bool     `json:"post_only"`
	CancelAfterSeconds int64    `json:"cancel_after_seconds"`
	CancelWhen         []clause `json:"cancel_when"`
}

type thenObject struct {
	Do       string       `json:"do"`
	Token    string       `json:"token"`
	On       string       `json:"on"`
	When     []clause     `json:"when"`
	USD      *decimal     `json:"usd"`
	Shares   *decimal     `json:"shares"`
	Fraction *decimal     `json:"fraction"`
	Match    bool         `json:"match"`
	Order    *limitObject `json:"order"`
	Times    int          `json:"times"`
	After    int64        `json:"after_seconds"`
}

type againObject struct {
	MaxEntries int      `json:"max_entries"`
	Seconds    int64    `json:"after_seconds"`
	After      []string `json:"after"`
}

type sizeObject struct {
	Shares   *decimal `json:"shares"`
	Fraction *decimal `json:"bankroll_fraction"`
	Kelly    *struct {
		Probability decimal `json:"probability"`
		Fraction    decimal `json:"fraction"`
	} `json:"kelly"`
}

type purseObject struct {
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

// ReadObject reads a strategy object. Rules for what is left out: an order of
// then has token same, on entry, times 1.
func ReadObject(text []byte) (*Object, error) {
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
	o, err := ReadObject(text)
	if err != nil {
		panic("oracle: " + err.Error())
	}
	return o
}

// Queue is the rule by which resting orders fill.
type Queue string

// The three rules.
const (
	Through Queue = "through"
	Back    Queue = "back"
	Front   Queue = "front"
)

// Queues are the three rules, from the fewest fills to the most.
func Queues() []Queue { return []Queue{Through, Back, Front} }

// same, opposite and up, down as tokens of the market m when the strategy's
// token is same.
func tokenOf(name string, m *market.Market, same int) int {
	switch strategy.Token(name) {
	case strategy.TokenUp:
		return m.TokenIndex(market.Up)
	case strategy.TokenDown:
		return m.TokenIndex(market.Down)
	case strategy.TokenOpposite:
		return 1 - same
	}
	return same
}

// tickUnknown is the step of prices where the market's is not known.
const tickUnknown market.Price = 100

// limitPrice is the price of a limit order.
//
// "Exactly one: the limit as a price; best bid at the signal + x; best ask − x.
// Moved to the market's tick (unknown: 0.01), a buy's down, a sell's up."
// A reason is no_liquidity where a quote that it needs is missing, and where only
// prices are captured; bad_limit outside (0, 1).
func limitPrice(l *limitObject, s shown, tick market.Price, sell bool) (market.Price, refusal) {
	if s.stream == prices || s.stream == noStream {
		return 0, "no_liquidity"
	}
	var at *big.Rat
	switch {
	case l.RestAt != nil:
		at = l.RestAt.Rat
	case l.FromBid != nil:
		if s.bestBid() == nil {
			return 0, "no_liquidity"
		}
		at = add(price(*s.bestBid()), l.FromBid.Rat)
	default:
		if s.bestAsk() == nil {
			return 0, "no_liquidity"
		}
		at = sub(price(*s.bestAsk()), l.FromAsk.Rat)
	}
	return onTick(at, tick, sell)
}

func onTick(at *big.Rat, tick market.Price, up bool) (market.Price, refusal) {
	if tick == 0 {
		tick = tickUnknown
	}
	steps := mul(at, big.NewRat(int64(market.PriceOne), int64(tick)))
	n := floorTo(steps, 1)
	if up {
		n = ceilTo(steps, 1)
	}
	p := market.Price(n.Num().Int64()) * tick
	if p <= 0 || p >= market.PriceOne {
		return 0, "bad_limit"
	}
	return p, ""
}

// makerFee is what an order owes for the shares that it gave while it rested.
//
// "The market's own schedule where the archive has one, else the dated table
// (Polymarket: none; Kalshi: 0.0175 for 0.07). Rounded once over the order."
func (w *watch) makerFee(o replay.Options) feeRule {
	m := w.market
	switch {
	case o.Fees == replay.FeesNone:
	case m.Fees != nil && !m.Fees.TakerOnly:
		return plain(big.NewRat(m.Fees.Rate, 1_000_000), m.Fees.Exponent).fee
	case m.Fees == nil && m.Venue == market.Kalshi:
		return upToTheCent(big.NewRat(175, 10_000)).fee
	}
	return noFee
}

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}
