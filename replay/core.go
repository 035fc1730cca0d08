package replay

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// terms returns what cases that share their entry are played under, of which c is one, but
// for what a round charges.
func (c *Case) terms(who ...orders.Variant) *orders.Terms {
	o := c.Options
	return &orders.Terms{
		Strategy: c.Strategy, Budget: c.budget(), Latency: o.Latency(),
		Cap:   func(ask market.Price) market.Price { return capOver(ask, o.MaxSlippage) },
		Stale: o.staleAfter, Queue: o.rule(), Variants: who,
	}
}

// rates are what a market charges.
type rates struct{ taker, maker fills.Schedule }

func ratesOf(m *market.Market) (r rates, err error) {
	if r.taker, err = fills.ScheduleOf(m); err == nil {
		r.maker, err = fills.MakerOf(m)
	}
	return r, err
}

// charged returns terms with what is charged.
func (r *rates) charged(t orders.Terms, fees Fees) *orders.Terms {
	if t.Taker, t.Maker = r.taker, r.maker; fees == FeesNone {
		t.Taker, t.Maker = t.Taker.Free(), t.Maker.Free()
	}
	return &t
}

// capOver returns the highest price on the grid that an entry pays.
func capOver(ask market.Price, s Slippage) market.Price {
	if s == NoCap {
		return fills.NoCap
	}
	return min(fills.NoCap, ask+market.Price(s/100))
}

// entryKey is what determines an entry and its fill.
type entryKey struct {
	entry   string // the JSON of the strategy, of its exits those that end the entry
	options Options
	budget  market.Cash
}

// crowd returns the terms of cases, grouped by their entries, in the order of the first of
// each; with apart, each is a group by itself.
func crowd(cases []Case, apart bool) []*orders.Terms {
	var out []*orders.Terms
	at := make(map[entryKey]int)
	for i := range cases {
		c := &cases[i]
		s := c.Strategy.Strategy()
		s.Exit = strategy.Exit{HoldToExpiry: s.Exit.HoldToExpiry, ExitBeforeSeconds: s.Exit.ExitBeforeSeconds}
		b, err := json.Marshal(s)
		if err != nil {
			panic("replay: a canonical strategy that cannot be written: " + err.Error())
		}
		key := entryKey{string(b), c.Options, c.budget()}
		g, ok := at[key]
		if alone := apart || c.Strategy.Extended(); !ok || alone {
			g = len(out)
			out = append(out, c.terms())
			if !alone {
				at[key] = g
			}
		}
		out[g].Variants = append(out[g].Variants, orders.Variant{Case: i, Exit: c.Strategy.Exit()})
	}
	return out
}

// play plays the cases over one round and sets their results.
func (e *engine) play(ctx context.Context, src plannedSource, round *market.Round, cases []Case, out []MarketResult) error {
	if e.crowd == nil {
		e.crowd = crowd(cases, e.seam != nil)
		e.history = slices.ContainsFunc(cases, func(c Case) bool { return tape.UsesHistory(c.Strategy) })
	}
	c := &course{round: round, tape: &e.tape, tops: &e.tops, prints: &e.prints, history: e.history, undated: e.undated}
	r, err := ratesOf(round.Market)
	if err != nil {
		return err
	}
	for i, all := range e.crowd {
		t := r.charged(*all, cases[all.Variants[0].Case].Options.Fees)
		t.Undated, t.Trace, t.Seam = e.undated, e.ordersTrace(), e.seam
		if i == len(e.players) {
			e.players = append(e.players, new(orders.Player))
		}
		c.players = append(c.players, e.players[i].Begin(t, round.Market))
	}
	for i, err := range c.instants(ctx, src) {
		if err != nil {
			return err
		}
		if i.capture {
			i.player.World(i.tape, i.at)
		}
		i.player.Messages(i.tape, i.at, i.capture)
		i.player.Evaluate(i.tape, i.at, i.capture)
	}
	for _, d := range c.players {
		o := d.Finish()
		for _, k := range d.Cases() {
			out[k] = resultOf(round, r.taker, o)
		}
	}
	return nil
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
