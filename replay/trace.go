package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Trace is a replay of one round with a record of everything evaluated.
type Trace struct {
	Result MarketResult
	// Evaluations are complete and in time order, however far from a trigger. At
	// the same instant the candidates come in the order Up, Down.
	Evaluations []Evaluation
	// Orders are in time order: entries refused and filled, and every attempt at
	// an exit.
	Orders []Order
}

// Evaluation is one evaluation of the entry or of an open position.
type Evaluation struct {
	At      market.Instant
	Capture bool   // a capture's instant; false: a named instant, or a fill's
	Token   int    // index in Market.Tokens: the candidate, or the token held
	Stream  Stream // what the token's market is known by
	// Bid and Ask are what an order would have met: price NoPrice for an empty
	// side, size 0 where none was captured.
	Bid, Ask market.Level

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
	// Value in the unit of the condition's type; a fraction for imbalance. For
	// output and drawing: conditions are compared exactly.
	Value float64
	Holds bool
}

// PositionReading is the state of an open position.
type PositionReading struct {
	// Whole is what selling the whole position would bring, shares that the
	// bids cannot take at 0: what take profit is judged on.
	Whole fills.Average
	// Takeable is what the bids can take: what stops are judged on; not Known
	// without bids.
	Takeable fills.Average
	// Profit and Stop are the prices that trigger, Stop the higher of the fixed
	// and the trailing one; not Known when unused, or for a trailing stop before
	// there was a bid.
	Profit, Stop fills.Average
	High         fills.Average  // the trailing stop's high water; not Known when unused
	Clock        market.Instant // when the clock exit is due; market.Latest: there is none
	Trigger      ExitReason     // empty: none
}

// Order is the arrival of an order, or a retry of an exit still pending.
type Order struct {
	Action  Action
	Token   int
	Signal  market.Instant // that sent it, for every try
	Arrival market.Instant // the instant of this try
	Retry   bool           // a later attempt at a pending exit
	AsOf    market.Instant // time of the market's last capture at Arrival; zero: too late
	Stream  Stream
	// Bids and Asks are what the token's market showed at arrival, best first;
	// one level each for quotes and prices, with size 0 where none was captured.
	Bids, Asks []market.Level
	// Taken is what the position's earlier sales had taken off the bids.
	Taken   []market.Level
	Cap     market.Price // of an entry: the highest price paid
	Refused bool         // nothing was exchanged
	Reason  Reason       // when Refused
	Leg     *Leg         // nil when Refused
}

// Explain replays c over one round and records everything evaluated.
func Explain(ctx context.Context, src Source, round market.Round, c Case) (*Trace, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	t := &Trace{}
	e := &engine{trace: t}
	results, err := e.replay(ctx, plannedSource{Source: src}, &round, []Case{c})
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	t.Result = results[0]
	return t, nil
}

// entry records a look at the entry.
func (t *Trace) entry(shown *tape, c *candidate, at market.Instant, capture, holds bool) {
	e := evaluation(shown, c.token, at, capture)
	e.Holds = holds
	for _, tests := range append([][]test{c.all}, c.any...) {
		for i := range tests {
			e.Conditions = append(e.Conditions, tests[i].read(shown, at, capture))
		}
	}
	t.Evaluations = append(t.Evaluations, e)
}

func evaluation(t *tape, token int, at market.Instant, capture bool) Evaluation {
	v := &t.views[token]
	return Evaluation{
		At: at, Capture: capture, Token: token, Stream: v.stream,
		Bid: v.quote.Bid, Ask: v.quote.Ask,
	}
}

// read returns what x says at an instant.
func (x *test) read(t *tape, at market.Instant, capture bool) Reading {
	_, known := x.compare(t, at)
	rd := Reading{Condition: x.Condition, Known: known, Holds: x.holds(t, at, capture)}
	if known {
		rd.Value = x.value(t, at)
	}
	return rd
}

// value returns the known value of x for people.
func (x *test) value(t *tape, at market.Instant) float64 {
	switch x.Type {
	case strategy.TimeElapsed:
		return float64(at-t.market.Start) / float64(market.Second)
	case strategy.TimeRemaining:
		return float64(t.market.End-at) / float64(market.Second)
	}
	v := &t.views[x.token]
	switch x.Type {
	case strategy.Price:
		return v.price.Float()
	case strategy.PriceChange:
		return (v.price - t.priceAt(x.token, at-x.within)).Float()
	case strategy.BestAsk:
		return v.quote.Ask.Price.Float()
	case strategy.BestBid:
		return v.quote.Bid.Price.Float()
	case strategy.Spread:
		return (v.quote.Ask.Price - v.quote.Bid.Price).Float()
	}
	bid, _ := t.depthOf(x.token, market.Bid)
	ask, _ := t.depthOf(x.token, market.Ask)
	switch x.Type {
	case strategy.BidDepth:
		return bid.Float()
	case strategy.AskDepth:
		return ask.Float()
	}
	return bid.Float() / bid.Add(ask).Float()
}

// position records a look at an open position, behind its evaluation.
func (t *Trace) position(r *runner, shown *tape, at market.Instant, capture bool, trigger ExitReason) {
	o := &r.open
	e := evaluation(shown, o.trade.Token, at, capture)
	var got fills.Average
	if e.Bid.Price != market.NoPrice {
		got = r.executable(shown, e.Bid)
	}
	p := &PositionReading{
		Whole:    fills.Average{Value: got.Value, Shares: o.left},
		Takeable: got, Profit: o.profit, Stop: o.stop, High: o.high,
		Clock: o.clock, Trigger: trigger,
	}
	if o.trail > 0 && o.high.Known() {
		if trailing := o.high.Less(o.trail); !p.Stop.Known() || trailing.Cmp(p.Stop) > 0 {
			p.Stop = trailing
		}
	}
	e.Position = p
	t.Evaluations = append(t.Evaluations, e)
}

// filled records an order that exchanged something, before the book of the
// position is brought up to date. A nil Trace records nothing.
func (t *Trace) filled(r *runner, shown *tape, at market.Instant, a Action, retry bool, leg Leg) {
	if t == nil {
		return
	}
	o := t.order(r, shown, at, a, retry)
	o.Leg = &leg
	t.Orders = append(t.Orders, o)
}

// refused records an order that exchanged nothing. A nil Trace records nothing.
func (t *Trace) refused(r *runner, shown *tape, a Action, at market.Instant, retry bool, reason Reason) {
	if t == nil {
		return
	}
	o := t.order(r, shown, at, a, retry)
	o.Refused, o.Reason = true, reason
	if reason == TooLate { // it met no book
		o.AsOf, o.Stream, o.Bids, o.Asks = 0, NoStream, nil, nil
	}
	t.Orders = append(t.Orders, o)
}

func (t *Trace) order(r *runner, shown *tape, at market.Instant, a Action, retry bool) Order {
	v := &shown.views[r.now.token]
	o := Order{
		Action: a, Token: r.now.token, Signal: r.now.signal, Arrival: at, Retry: retry,
		AsOf: shown.last, Stream: v.stream,
		Bids: shown.showing(r.now.token, market.Bid),
		Asks: shown.showing(r.now.token, market.Ask),
	}
	if a == Buy {
		o.Cap = r.now.limit
	} else {
		o.Taken = slices.Clone(r.open.taken)
	}
	return o
}

// showing returns everything that a side of a token's market shows.
func (t *tape) showing(token int, side market.Side) []market.Level {
	limit := market.PriceOne
	if side == market.Bid {
		limit = 0
	}
	levels := t.ladder(nil, token, side, limit)
	for i := range levels {
		if levels[i].Size == fills.Unlimited {
			levels[i].Size = 0
		}
	}
	return levels
}
