package backtest

import (
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
)

// Lives are the limit orders of a round that were accepted, in the order of their
// arrival, under each rule by which what rests fills.
type Lives struct {
	Through []Life `json:"through"`
	Back    []Life `json:"back"`
	Front   []Life `json:"front"`
}

// Life is what became of one limit order.
type Life struct {
	Order    string        `json:"order"` // "entry", "exit", or "then.N" with N from 0
	Action   replay.Action `json:"action"`
	Token    string        `json:"token"` // "up" or "down"
	Price    stats.Decimal `json:"price"`
	Signal   Time          `json:"signal"`
	Accepted Time          `json:"accepted"`
	Ended    Time          `json:"ended"`
	// End is "filled", "cancelled", "withdrawn" (by an exit), "replaced" (by a target of
	// another size or price), "cut" (what it offered went elsewhere) or "expired".
	End    string        `json:"end"`
	Shares stats.Decimal `json:"shares"` // as accepted; less where it was cut
	Taken  stats.Decimal `json:"taken"`  // at its arrival
	Filled stats.Decimal `json:"filled"` // with what it took
	// Ahead is what stood before it as it came to rest; nil where that is not shown, and of
	// an order that did not come to rest.
	Ahead *stats.Decimal `json:"ahead"`
	// Wear are the captures that filled it, or wore off what stood before it.
	Wear []Wear `json:"wear"`
}

// Wear is what one capture did to an order that rests.
type Wear struct {
	Time Time `json:"time"`
	// Before and Ahead are the queue before the capture and behind it; nil: not shown.
	Before *stats.Decimal `json:"before"`
	Ahead  *stats.Decimal `json:"ahead"`
	// Offered are the shares shown within the limit (nil: without a size), Below those
	// traded beyond it, At those traded at it.
	Offered *stats.Decimal `json:"offered"`
	Below   stats.Decimal  `json:"below"`
	At      stats.Decimal  `json:"at"`
	Filled  stats.Decimal  `json:"filled"`
}

// Rules returns the lives under each rule, by its name, from the one that fills least.
func (l *Lives) Rules() (names []queue.Rule, lives [][]Life) {
	return queue.Rules, [][]Life{l.Through, l.Back, l.Front}
}

// livesOf replays the round of a trace under the other rules too; nil where nothing rests.
func livesOf(replayed func(replay.Case) (*replay.Trace, error), own *replay.Trace, c replay.Case) (*Lives, error) {
	if !c.Strategy.Rests() {
		return nil, nil
	}
	out := &Lives{}
	into := map[queue.Rule]*[]Life{queue.Through: &out.Through, queue.Back: &out.Back, queue.Front: &out.Front}
	for _, rule := range queue.Rules {
		trace := own
		if rule != c.Options.Queue {
			other := c
			other.Options.Queue = rule
			var err error
			if trace, err = replayed(other); err != nil {
				return nil, err
			}
		}
		*into[rule] = livesIn(trace)
	}
	return out, nil
}

func livesIn(t *replay.Trace) []Life {
	out := []Life{}
	for i := range t.Result.Limits {
		l := &t.Result.Limits[i]
		out = append(out, Life{
			Order: l.Order, Action: l.Action, Token: t.Result.Round.Market.Tokens[l.Token].Outcome.String(), Price: priceOf(l.Price),
			Signal: l.Signal, Accepted: l.Accepted, Ended: l.Ended, End: string(l.End),
			Shares: stats.Decimal(l.Sent), Taken: stats.Decimal(l.Taken), Filled: stats.Decimal(l.Filled()), Wear: []Wear{},
		})
	}
	for _, w := range t.Resting {
		l := &out[w.Limit]
		if w.At == l.Accepted {
			l.Ahead = shownSize(w.Ahead)
			continue
		}
		l.Wear = append(l.Wear, Wear{
			Time: w.At, Before: shownSize(w.Ahead), Ahead: shownSize(w.After), Offered: shownSize(w.Offers),
			Below: stats.Decimal(w.Below), At: stats.Decimal(w.AtPrice), Filled: stats.Decimal(w.Filled),
		})
	}
	return out
}

// shownSize returns shares; nil where no size is shown.
func shownSize(n market.Size) *stats.Decimal {
	if n == fills.Unlimited {
		return nil
	}
	return new(stats.Decimal(n))
}
