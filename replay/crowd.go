package replay

import (
	"encoding/json"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// Cases that differ only in their exits behave alike until their entry is filled:
// they see the same, send the same orders, and are refused or filled alike. One of
// them, the leader, acts for all. Once it is filled the others hold the same
// position with exits of their own, and one more runner, the guard, holds it for
// them with the tightest of their exits: the highest stop, the lowest target, the
// closest trailing stop, the earliest clock. As long as the guard's exits do not
// trigger, no other does; when they do, each of the others checks its own, and
// those that exit leave the flock and go on alone. A sweep over targets and stops
// thus evaluates as many entries as it has thresholds, and as many positions.

// crowd says which cases of a replay share their entry: groups of indices of cases,
// each with the leader first, in the order of the leaders.
type crowd [][]int

// entryKey is what determines an entry and its fill.
type entryKey struct {
	entry   string // the JSON of the strategy, of its exits those that end the entry
	options Options
	budget  market.Cash
}

// newCrowd groups the cases by their entries; with apart, each is a group by
// itself.
func newCrowd(cases []Case, apart bool) crowd {
	var c crowd
	at := make(map[entryKey]int)
	for i := range cases {
		key := keyOf(&cases[i])
		g, ok := at[key]
		if !ok || apart {
			g = len(c)
			at[key] = g
			c = append(c, nil)
		}
		c[g] = append(c[g], i)
	}
	return c
}

func keyOf(c *Case) entryKey {
	s := c.Strategy.Strategy()
	s.Exit = strategy.Exit{HoldToExpiry: s.Exit.HoldToExpiry, ExitBeforeSeconds: s.Exit.ExitBeforeSeconds}
	b, err := json.Marshal(s)
	if err != nil {
		panic("replay: a canonical strategy that cannot be written: " + err.Error())
	}
	return entryKey{string(b), c.Options, c.budget()}
}

// begin prepares for a round: a runner for the leader of each group, and runners
// for the others, which wait for it.
func (e *engine) begin(round *market.Round, cases []Case, schedule fills.Schedule) {
	if e.crowd == nil {
		e.crowd = newCrowd(cases, e.off&Together != 0 || e.seam != nil)
		e.history = slices.ContainsFunc(cases, func(c Case) bool { return tape.UsesHistory(c.Strategy) })
		e.all = make([]runner, len(cases))
	}
	e.tape.Load(round, e.history)
	e.runners, e.guarding = e.runners[:0], 0
	for _, group := range e.crowd {
		leader := &e.all[group[0]]
		leader.seam, leader.engine = e.seam, e
		leader.begin(&cases[group[0]], round, schedule)
		leader.followers = group[1:]
		for _, i := range group[1:] {
			e.all[i].exit = cases[i].Strategy.Exit()
		}
		e.runners = append(e.runners, leader)
	}
}

// lead lets the followers of a runner whose entry is filled at an instant take over
// the same position, under a guard. It comes before the runner's own take.
func (r *runner) lead(t *tape.Tape, at market.Instant, leg Leg, p fills.Purchase) {
	if len(r.followers) == 0 {
		return
	}
	e := r.engine
	for _, i := range r.followers {
		f := &e.all[i]
		exit, scratch := f.exit, f.scratch
		*f = *r
		f.exit, f.scratch, f.followers = exit, scratch, nil
		f.take(leg, p)
	}
	g := e.guard()
	flock := append(g.flock[:0], r.followers...)
	*g = *r
	g.flock, g.followers, g.scratch = flock, nil, nil
	g.phase = holding
	g.from, g.since = at+1, at
	e.runners = append(e.runners, g)
	r.followers = nil
	g.tighten()
	for g.act(t, at, false) {
	}
}

// guard returns a runner for a flock.
func (e *engine) guard() *runner {
	if e.guarding == len(e.guards) {
		e.guards = append(e.guards, new(runner))
	}
	e.guarding++
	return e.guards[e.guarding-1]
}

// tighten gives a guard the tightest exits of its flock, which must not be empty.
func (r *runner) tighten() {
	all := r.engine.all
	first := &all[r.flock[0]].open
	r.open = position{trade: first.trade, left: first.left, clock: first.clock}
	o := &r.open
	for _, i := range r.flock {
		m := &all[i].open
		o.clock = min(o.clock, m.clock)
		if m.stop.Known() && (!o.stop.Known() || m.stop.Cmp(o.stop) > 0) {
			o.stop, o.stopTo = m.stop, m.stopTo
		}
		if m.profit.Known() && (!o.profit.Known() || m.profit.Cmp(o.profit) < 0) {
			o.profit, o.profitFrom = m.profit, m.profitFrom
		}
		if m.trail > 0 {
			o.high = m.high // the same for all that trail
			if o.trail == 0 || m.trail < o.trail {
				o.trail = m.trail
			}
		}
	}
}

// release lets each of the flock check its exits at an instant at which the guard's
// trigger. Those that exit go on alone.
func (r *runner) release(t *tape.Tape, at market.Instant, capture bool) {
	e := r.engine
	kept := r.flock[:0]
	for _, i := range r.flock {
		f := &e.all[i]
		if f.open.trail > 0 {
			f.open.high = r.open.high
		}
		for f.act(t, at, capture) {
		}
		if f.phase == holding {
			kept = append(kept, i)
			continue
		}
		f.from, f.since = at+1, at
		if t.Partial { // it has signalled, and needs the captures when it arrives
			f.from = f.now.arrival
			if f.from >= f.end {
				f.from = market.Latest
			}
		}
		e.runners = append(e.runners, f)
	}
	if r.flock = kept; len(kept) == 0 {
		r.phase = done
		return
	}
	r.tighten()
}

// prune drops the runners that are done.
func (e *engine) prune() {
	e.runners = slices.DeleteFunc(e.runners, func(r *runner) bool { return r.phase == done })
}

// finish returns the results of all cases, in their order.
func (e *engine) finish() []MarketResult {
	results := make([]MarketResult, len(e.all))
	for _, group := range e.crowd {
		leader := e.all[group[0]].finish()
		for _, i := range group {
			results[i] = leader
			if leader.Trade != nil && i != group[0] {
				results[i] = e.all[i].finish()
			}
		}
	}
	return results
}
