package replay

import (
	"context"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/tape"
)

// usesCore reports whether a case is played by the core of orders: all that the runners,
// who know one entry that takes and one exit, cannot play.
func (c *Case) usesCore(off Shortcuts) bool { return off&Runners != 0 || c.Strategy.Extended() }

// terms returns what a case plays a round under.
func (c *Case) terms(taker, maker fills.Schedule, p *orders.Purse, x *orders.Trace) *orders.Terms {
	o := c.Options
	if o.Fees == FeesNone {
		taker, maker = taker.Free(), maker.Free()
	}
	return &orders.Terms{
		Strategy: c.Strategy, Budget: c.budget(), Latency: o.Latency(),
		Cap:   func(ask market.Price) market.Price { return capOver(ask, o.MaxSlippage) },
		Stale: o.staleAfter, Queue: o.rule(), Taker: taker, Maker: maker, Purse: p, Trace: x,
	}
}

// playersOf returns a player for each case.
func playersOf(cases []Case, round *market.Round, x *orders.Trace, s seam) ([]*orders.Player, fills.Schedule, error) {
	taker, err := fills.ScheduleOf(round.Market)
	if err != nil {
		return nil, taker, err
	}
	maker, err := fills.MakerOf(round.Market)
	if err != nil {
		return nil, taker, err
	}
	var out []*orders.Player
	for i := range cases {
		out = append(out, newPlayer(cases[i].terms(taker, maker, nil, x), round.Market, s))
	}
	return out, taker, nil
}

func newPlayer(t *orders.Terms, m *market.Market, s seam) *orders.Player {
	return orders.New(t, m, func(token int) bool { return s == nil || s.considers(m, token) })
}

// core plays cases over one round at players and returns one result per case. Tops are asked
// for once a round: where runners have asked, all captures are read.
func (e *engine) core(ctx context.Context, src plannedSource, round *market.Round, cases []Case) ([]MarketResult, error) {
	players, schedule, err := playersOf(cases, round, e.ordersTrace(), e.seam)
	if err != nil {
		return nil, err
	}
	c := &course{round: round, tape: &e.tape, tops: &e.tops, players: players, bares: e.bares}
	c.history = slices.ContainsFunc(cases, func(c Case) bool { return tape.UsesHistory(c.Strategy) })
	if len(e.plain.cases) > 0 {
		src.tops = nil
	}
	for i, err := range c.instants(ctx, src) {
		if err != nil {
			return nil, err
		}
		for k, d := range players {
			if i.only == d || i.only == nil && (!i.capture || c.from[k] <= i.at) {
				step(i.tape, d, i.at, i.capture)
			}
		}
	}
	out := make([]MarketResult, len(cases))
	for i, d := range players {
		out[i] = resultOf(round, schedule, d.Finish())
	}
	return out, nil
}

// step takes a player through the three steps of an instant.
func step(t *tape.Tape, d *orders.Player, at market.Instant, capture bool) {
	if !capture && d.Due() > at {
		return // it is another's
	}
	if capture {
		d.World(t, at)
	}
	d.Messages(t, at, capture)
	d.Evaluate(t, at, capture)
}

// resultOf returns what became of a round.
func resultOf(round *market.Round, s fills.Schedule, o *orders.Outcome) MarketResult {
	r := MarketResult{
		Round: *round, Signalled: o.Signalled, Refusals: o.Refusals, Then: o.Then, Limits: o.Limits, Schedule: s,
	}
	if len(o.Legs) == 0 {
		return r
	}
	first := &o.Legs[0]
	t := &Trade{
		Market: round.Market, Token: first.Token, Legs: o.Legs, Signal: first.Signal, EntryTime: first.Time,
		AskAtSignal: o.AskAtSignal, BidAtSignal: o.BidAtSignal, Payout: round.Market.Payout.Fractions[first.Token],
		Partial: o.Partial, CapBound: o.CapBound,
	}
	t.close()
	r.Trade = t
	return r
}

// ordersTrace returns what records what a player does; nil: nobody asks.
func (e *engine) ordersTrace() *orders.Trace {
	if e.trace == nil {
		return nil
	}
	return e.trace.orders()
}
