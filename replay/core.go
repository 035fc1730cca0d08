package replay

import (
	"context"
	"iter"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/desk"
	"github.com/ladderback/ladderback/replay/tape"
)

// usesCore reports whether a case is played by the core of orders: all that the runners,
// who know one entry that takes and one exit, cannot play.
func (c *Case) usesCore(off Shortcuts) bool { return off&Runners != 0 || c.Strategy.Extended() }

// terms returns what a case plays a round under.
func (c *Case) terms(taker, maker fills.Schedule, p *desk.Purse, x *desk.Trace) *desk.Terms {
	o := c.Options
	if o.Fees == FeesNone {
		taker, maker = taker.Free(), maker.Free()
	}
	return &desk.Terms{
		Strategy: c.Strategy, Budget: c.budget(), Latency: o.Latency(),
		Cap:   func(ask market.Price) market.Price { return capOver(ask, o.MaxSlippage) },
		Stale: o.staleAfter, Queue: o.rule(), Taker: taker, Maker: maker, Purse: p, Trace: x,
	}
}

// table is a round that is played at desks, which share what is known of it.
type table struct {
	tape  *tape.Tape
	desks []*desk.Desk
	at    market.Instant // the instant being collected
	open  bool           // it has not been evaluated
}

// desksOf returns a desk for each case.
func desksOf(cases []Case, round *market.Round, x *desk.Trace, s seam) ([]*desk.Desk, fills.Schedule, error) {
	taker, err := fills.ScheduleOf(round.Market)
	if err != nil {
		return nil, taker, err
	}
	maker, err := fills.MakerOf(round.Market)
	if err != nil {
		return nil, taker, err
	}
	var out []*desk.Desk
	for i := range cases {
		out = append(out, newDesk(cases[i].terms(taker, maker, nil, x), round.Market, s))
	}
	return out, taker, nil
}

func newDesk(t *desk.Terms, m *market.Market, s seam) *desk.Desk {
	return desk.New(t, m, func(token int) bool { return s == nil || s.considers(m, token) })
}

// core plays cases over one round at desks and returns one result per case.
func (e *engine) core(ctx context.Context, src Source, round *market.Round, cases []Case) ([]MarketResult, error) {
	desks, schedule, err := desksOf(cases, round, e.deskTrace(), e.seam)
	if err != nil {
		return nil, err
	}
	history := slices.ContainsFunc(cases, func(c Case) bool { return tape.UsesHistory(c.Strategy) })
	e.tape.Load(round, history)
	b := &table{tape: &e.tape, desks: desks, at: market.Earliest}
	if err := b.play(ctx, src.Captures(ctx, round.Market), round.Market); err != nil {
		return nil, err
	}
	out := make([]MarketResult, len(cases))
	for i, d := range desks {
		out[i] = resultOf(round, schedule, d.Finish())
	}
	return out, nil
}

// play takes the captures of the market to the desks, instant by instant, up to its end.
func (b *table) play(ctx context.Context, captures iter.Seq2[*market.Capture, error], m *market.Market) error {
	for c, err := range captures {
		if err == nil {
			err = c.Follows(b.at, m)
		}
		if err != nil {
			return err
		}
		if c.Kind == market.KindReset {
			continue // says something about the recorder, nothing about the market
		}
		if c.Recv != b.at {
			b.close()
			if c.Recv >= m.End || !slices.ContainsFunc(b.desks, func(d *desk.Desk) bool { return !d.Settled() }) {
				break
			}
			b.advance(c.Recv)
			b.at, b.open = c.Recv, true
		}
		b.take(c)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b.close()
	b.advance(m.End)
	return nil
}

// take takes in one capture of the instant being collected.
func (b *table) take(c *market.Capture) {
	b.tape.Apply(c)
	for _, d := range b.desks {
		d.Saw(b.tape, c)
	}
}

// close evaluates the instant that has been collected. Before the start nothing is
// evaluated.
func (b *table) close() {
	if !b.open || b.at < b.tape.Market.Start {
		return
	}
	b.open = false
	b.tape.Refresh()
	b.tape.Remember(b.at)
	for _, d := range b.desks {
		step(b.tape, d, b.at, true)
	}
}

// advance does what is due before an instant, on what was received so far.
func (b *table) advance(until market.Instant) {
	start := b.tape.Market.Start
	if until < start {
		return
	}
	b.tape.Refresh()
	if b.at < start {
		b.tape.Remember(b.at) // what the start is seeded with
	}
	for _, d := range b.desks {
		for at := d.Due(); at < until; at = d.Due() {
			step(b.tape, d, at, false)
		}
	}
}

// step takes a desk through the three steps of an instant.
func step(t *tape.Tape, d *desk.Desk, at market.Instant, capture bool) {
	if capture {
		d.World(t, at)
	}
	d.Messages(t, at, capture)
	d.Evaluate(t, at, capture)
}

// resultOf returns what became of a round at a desk.
func resultOf(round *market.Round, s fills.Schedule, o *desk.Outcome) MarketResult {
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

// deskTrace returns what records what a desk does; nil: nobody asks.
func (e *engine) deskTrace() *desk.Trace {
	if e.trace == nil {
		return nil
	}
	return e.trace.desk()
}
