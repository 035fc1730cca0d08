package replay

import (
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// phase is where a runner stands in a market.
type phase uint8

const (
	watching phase = iota // no position, no order: the entry is evaluated
	entering              // an entry order is in flight
	holding               // a position is open: its exits are evaluated
	exiting               // an exit order is in flight
	selling               // an exit stands: what is left is tried at each capture
	done                  // nothing more will happen, but for the settlement
)

// runner replays one case over one market. What had been received by an instant is handed
// to it as a tape, which it never changes: that of all captures, or of the tops.
type runner struct {
	exit     *strategy.Exit
	options  Options
	budget   market.Cash
	schedule fills.Schedule // what is charged
	seam     seam

	engine    *engine
	followers []int // cases that take the same position when the entry is filled
	flock     []int // of a guard: the cases it holds the position for

	market     *market.Market
	start, end market.Instant
	candidates []tape.Candidate
	named      []market.Instant // instants of evaluation to come that are not captures'
	lastEntry  market.Instant   // no entry is signalled at or after it

	phase   phase
	now     order // in flight, or standing
	noAsk   bool  // an entry that held with no ask has been counted
	open    position
	scratch []market.Level
	result  MarketResult

	entry entryWatch
	again bool           // an entry was refused, and is evaluated at the next capture
	since market.Instant // when it took over a position from another runner
	from  market.Instant // from which on it needs the captures; market.Latest: not any more
}

// order is an order in flight.
type order struct {
	token   int
	signal  market.Instant
	arrival market.Instant
	ask     market.Price // of an entry: best ask at the signal
	limit   market.Price // of an entry: the cap
}

// begin makes the runner ready for a market.
func (r *runner) begin(c *Case, round *market.Round, s fills.Schedule) {
	m := round.Market
	*r = runner{
		exit: c.Strategy.Exit(), options: c.Options, budget: c.budget(), schedule: s,
		seam: r.seam, engine: r.engine,
		market: m, start: m.Start, end: m.End,
		candidates: tape.MakeCandidates(c.Strategy, m, false),
		named:      tape.Named(c.Strategy, m),
		lastEntry:  orders.FromEnd(c.Strategy.Exit(), c.Options.Latency(), m.End),
		scratch:    r.scratch,
		entry:      entryWatch{bounds: r.entry.bounds},
		result:     MarketResult{Round: *round, Schedule: s},
	}
	if c.Options.Fees == FeesNone {
		r.schedule = s.Free()
	}
	if r.seam != nil {
		r.candidates = slices.DeleteFunc(r.candidates, func(c tape.Candidate) bool { return !r.seam.considers(m, c.Token) })
	}
	if len(r.candidates) == 0 {
		r.phase = done
	}
	r.entry = watchesOf(r.candidates, r.start, r.end, r.entry.bounds)
}

// due returns the next instant at which the runner has something to do though
// nothing is captured; market.Latest: none.
func (r *runner) due() market.Instant {
	switch r.phase {
	case watching:
		if len(r.named) > 0 {
			return r.named[0]
		}
	case entering, exiting:
		return r.now.arrival
	case holding:
		return r.open.clock
	}
	return market.Latest
}

// advance does what is due before an instant, on what a tape holds.
func (r *runner) advance(t *tape.Tape, until market.Instant) {
	for at := r.due(); at < until; at = r.due() {
		r.step(t, at, false)
	}
}

// step does everything that happens at one instant, by which t had been received; capture says whether there were any.
func (r *runner) step(t *tape.Tape, at market.Instant, capture bool) {
	for len(r.named) > 0 && r.named[0] <= at {
		r.named = r.named[1:]
	}
	for again := true; again; {
		again = r.act(t, at, capture)
	}
	if capture && r.phase <= entering {
		r.arm(t, at)
	}
}

// act does what the phase has to do at an instant. It reports whether there may
// be more to do at the same instant.
func (r *runner) act(t *tape.Tape, at market.Instant, capture bool) bool {
	switch r.phase {
	case watching:
		return r.watch(t, at, capture)
	case entering:
		return !t.Partial && r.enter(t, at)
	case holding:
		return r.hold(t, at, capture)
	case exiting:
		if at >= r.now.arrival && !t.Partial {
			r.phase = selling
			r.sell(t, at)
		}
	case selling:
		if capture {
			r.sell(t, at)
		}
	}
	return false
}

// arm notes the values that crossings come from.
func (r *runner) arm(t *tape.Tape, at market.Instant) {
	for i := range r.candidates {
		for _, x := range r.candidates[i].Crossings {
			x.Arm(t, at)
		}
	}
}

// watch evaluates the entry and sends an order when it holds. It reports
// whether the instant goes on.
func (r *runner) watch(t *tape.Tape, at market.Instant, capture bool) bool {
	if at >= r.lastEntry {
		r.phase = done
		return false
	}
	if !t.Started {
		return false
	}
	c := tape.Choose(r.candidates, t, at, capture, nil)
	if c == nil {
		return false
	}
	r.result.Signalled = true
	ask := t.Views[c.Token].Quote.Ask.Price
	if ask == market.NoPrice {
		if !r.noAsk {
			r.noAsk = true
			r.result.Refusals[NoLiquidity]++
		}
		return false
	}
	r.now = order{
		token: c.Token, signal: at, arrival: at + r.latency(Buy),
		ask: ask, limit: capOver(ask, r.options.MaxSlippage),
	}
	r.phase = entering
	if r.now.arrival >= r.end {
		r.refused(TooLate)
		r.phase = done
		return false
	}
	return r.now.arrival == at
}

// capOver returns the highest price on the grid that an entry pays.
func capOver(ask market.Price, s Slippage) market.Price {
	if s == NoCap {
		return fills.NoCap
	}
	return min(fills.NoCap, ask+market.Price(s/100))
}

// enter takes the entry order to the market when it arrives. It reports whether
// the instant goes on.
func (r *runner) enter(t *tape.Tape, at market.Instant) bool {
	if at < r.now.arrival {
		return false
	}
	p, reason, ok := r.buy(t, at)
	if !ok {
		r.refused(reason)
		r.phase = watching
		return false
	}
	leg := r.bought(t, at, p)
	r.lead(t, at, leg, p)
	r.take(leg, p)
	return true
}

// bought returns the leg of a purchase.
func (r *runner) bought(t *tape.Tape, at market.Instant, p fills.Purchase) Leg {
	return Leg{
		Action: Buy, Signal: r.now.signal, Time: at, AsOf: t.AsOf(),
		Token: r.now.token, Order: "entry", Touch: r.now.ask, Kind: t.Views[r.now.token].Stream.Fill(), Fill: p.Fill,
	}
}

// buy fills the entry order at its arrival, or says why not.
func (r *runner) buy(t *tape.Tape, at market.Instant) (p fills.Purchase, reason Reason, ok bool) {
	if reason, ok := r.blocked(t, r.now.token, at); !ok {
		return p, reason, false
	}
	r.scratch = t.Ladder(r.scratch[:0], r.now.token, market.Ask, r.now.limit)
	asks := r.meets(Buy, at, r.scratch)
	switch {
	case len(asks) == 0, asks[0] == market.Level{Size: fills.Unlimited}:
		return p, NoLiquidity, false // also: for nothing, and without a size
	case asks[0].Price > r.now.limit:
		return p, Capped, false
	}
	p = fills.Buy(asks, r.now.limit, r.budget, &r.schedule)
	p.Fill = r.pays(Buy, p.Fill)
	if p.Shares < max(r.market.MinSize, fills.Lot) {
		return p, BelowMinSize, false
	}
	return p, 0, true
}

// blocked says why no order can be filled at an instant whatever the ladder
// holds; ok: nothing stands in the way.
func (r *runner) blocked(t *tape.Tape, token int, at market.Instant) (reason Reason, ok bool) {
	v := &t.Views[token]
	limit := r.options.staleAfter(v.Stream == tape.LadderStream)
	bid, ask := v.Quote.Bid.Price, v.Quote.Ask.Price
	switch {
	case t.InGap(token, at):
		return InGap, false
	case limit > 0 && at-t.Last > limit:
		return StaleBook, false
	case bid != market.NoPrice && ask != market.NoPrice && bid > ask:
		return Crossed, false
	}
	return 0, true
}

// refused counts an entry order that was refused.
func (r *runner) refused(reason Reason) {
	r.again = true
	r.result.Refusals[reason]++
}
