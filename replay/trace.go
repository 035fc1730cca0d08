package replay

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/tape"
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
	// Resting is what became of the limit orders that were accepted, in time order: when
	// each began to rest, and each capture that did anything to it. Their Limit is an
	// index in Result.Limits.
	Resting []orders.Wear
}

// Evaluation is one evaluation of the entry or of an open position.
type Evaluation struct {
	At      market.Instant
	Capture bool        // a capture's instant; false: a named instant, or a fill's
	Token   int         // index in Market.Tokens: the candidate, or the token held
	Stream  tape.Stream // what the token's market is known by
	// Bid and Ask are what an order would have met: price NoPrice for an empty
	// side, size 0 where none was captured.
	Bid, Ask market.Level

	// Of an entry: one reading a condition, Entry first, then EntryAny group by
	// group; nil for a position.
	Conditions []tape.Reading
	Holds      bool // the entry held for Token

	// Of a position; nil for an entry.
	Position *PositionReading
}

// Reading is a condition's value at an instant.
type Reading = tape.Reading

// PositionReading is the state of an open position.
type PositionReading struct {
	// Whole is what selling the whole position would bring, shares that the
	// bids cannot take at 0: what take profit is judged on.
	Whole fills.Average
	// Takeable is what the bids can take: what stops are judged on; not Known
	// without bids.
	Takeable fills.Average
	// Profit and Stop are the prices that trigger, to the nearest millionth of a dollar, Stop
	// the higher of the fixed and the trailing one; not Known when unused, or for a trailing stop before
	// there was a bid.
	Profit, Stop fills.Average
	High         fills.Average  // the trailing stop's high water; not Known when unused
	Clock        market.Instant // when the clock exit is due; market.Latest: there is none
	Trigger      ExitReason     // empty: none
}

// Order is the arrival of an order, or a retry of an exit still pending.
type Order struct {
	Name    string // "entry", "exit" or "then.N"
	Action  Action
	Token   int
	Signal  market.Instant // that sent it, for every try
	Arrival market.Instant // the instant of this try
	Retry   bool           // a later attempt at a pending exit
	AsOf    market.Instant // time of the market's last capture at Arrival; zero: too late
	Stream  tape.Stream
	// Bids and Asks are what the token's market showed at arrival, best first;
	// one level each for quotes and prices, with size 0 where none was captured.
	Bids, Asks []market.Level
	// Taken is what the position's earlier sales had taken off the bids.
	Taken   []market.Level
	Cap     market.Price // of a buy: the highest price paid; of a limit order: its limit
	Rests   bool         // a limit order
	Refused bool         // nothing was exchanged
	Reason  Reason       // when Refused
	Leg     *Leg         // nil when Refused
}

// Explain replays c over one of the rounds, a strategy with a bankroll over all that
// begin before that one is settled, and records everything evaluated there.
func (s *Sample) Explain(ctx context.Context, src Source, round int, c Case) (*Trace, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	t := &Trace{}
	if c.Strategy.Bankroll() != nil {
		err := s.shared(ctx, src, Parallel{}, &c, t, round, func(i int, r MarketResult) {
			if i == round {
				t.Result = r
			}
		})
		if err != nil {
			return nil, fmt.Errorf("explain: %w", err)
		}
		return t, nil
	}
	e := &engine{trace: t}
	results, err := e.replay(ctx, plannedSource{Source: src}, &s.Rounds[round], []Case{c})
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	t.Result = results[0]
	return t, nil
}

// entry records a look at the entry.
func (t *Trace) entry(shown *tape.Tape, c *tape.Candidate, at market.Instant, capture, holds bool) {
	e := evaluation(shown, c.Token, at, capture)
	e.Holds = holds
	for _, tests := range append([][]tape.Test{c.All}, c.Any...) {
		for i := range tests {
			e.Conditions = append(e.Conditions, tests[i].Read(shown, at, capture))
		}
	}
	t.Evaluations = append(t.Evaluations, e)
}

func evaluation(t *tape.Tape, token int, at market.Instant, capture bool) Evaluation {
	v := &t.Views[token]
	return Evaluation{
		At: at, Capture: capture, Token: token, Stream: v.Stream,
		Bid: v.Quote.Bid, Ask: v.Quote.Ask,
	}
}

// orders returns what records in t what a player does.
func (t *Trace) orders() *orders.Trace {
	return &orders.Trace{
		Entry: t.entry,
		Position: func(p orders.Position, shown *tape.Tape) {
			e := evaluation(shown, p.Token, p.At, p.Capture)
			e.Position = &PositionReading{
				Whole: fills.Average{Value: p.Got.Value, Shares: p.Shares}, Takeable: p.Got,
				Profit: inMicros(p.Goal), Stop: inMicros(p.Stop), High: p.High, Clock: p.Clock, Trigger: p.Trigger,
			}
			t.Evaluations = append(t.Evaluations, e)
		},
		Order: func(a orders.Arrival, shown *tape.Tape) {
			o := Order{
				Name: a.Order, Action: Sell, Token: a.Token, Signal: a.Signal, Arrival: a.At, Retry: a.Retry, Rests: a.Rests,
				Cap: a.Limit, Refused: a.Refused, Reason: a.Reason, Leg: a.Leg, Taken: a.Taken,
			}
			if a.Buy {
				o.Action = Buy
			}
			if !a.Refused || a.Reason != TooLate { // else it met no book
				o.AsOf, o.Stream = shown.Last, shown.Views[a.Token].Stream
				o.Bids, o.Asks = shown.Showing(a.Token, market.Bid), shown.Showing(a.Token, market.Ask)
			}
			t.Orders = append(t.Orders, o)
		},
		Resting: func(w orders.Wear) { t.Resting = append(t.Resting, w) },
	}
}

// inMicros returns a price in USD, to the nearest millionth, half to even; nil is not Known.
func inMicros(v *big.Rat) fills.Average {
	if v == nil {
		return fills.Average{}
	}
	n := new(big.Int).Mul(v.Num(), big.NewInt(2*int64(market.CashOne)))
	n.Add(n, v.Denom())
	n, rest := n.DivMod(n, new(big.Int).Lsh(v.Denom(), 1), new(big.Int))
	if rest.Sign() == 0 && n.Bit(0) == 1 {
		n.Sub(n, big.NewInt(1))
	}
	return fills.PerShare(n.Int64())
}
