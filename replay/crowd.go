package replay

import (
	"encoding/json"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Cases that differ in their exits alone do the same until their entry is filled:
// they see the same, send the same orders, and are refused or filled alike. One of
// them, the leader, does it for all; when it is filled the others go on from there
// as copies with exits of their own. A sweep over targets and stops thus evaluates
// as many entries as it has thresholds.

// crowd says which cases of a replay share their entry: groups of indices of
// cases, each the leader first, in the order of the leaders.
type crowd [][]int

// entryKey is what decides over an entry and its fill.
type entryKey struct {
	entry   string // the JSON of the strategy, of its exits those that end the entry
	options Options
	budget  market.Cash
}

// newCrowd groups the cases by their entries; apart: each is a group by itself.
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

// begin makes ready for a round: a runner for the leader of each group, and those
// of the others where they wait for it.
func (e *engine) begin(round *market.Round, cases []Case, schedule fills.Schedule) {
	if e.crowd == nil {
		e.crowd = newCrowd(cases, e.apart || e.seam != nil || e.trace != nil)
		e.history = slices.ContainsFunc(cases, func(c Case) bool { return usesHistory(c.Strategy) })
		e.all = make([]runner, len(cases))
	}
	e.tape.load(round, e.history)
	e.runners = e.runners[:0]
	for _, group := range e.crowd {
		leader := &e.all[group[0]]
		leader.seam, leader.trace, leader.engine = e.seam, e.trace, e
		leader.begin(&cases[group[0]], &e.tape, round, schedule)
		leader.followers = group[1:]
		for _, i := range group[1:] {
			e.all[i].exit = cases[i].Strategy.Exit()
		}
		e.runners = append(e.runners, leader)
	}
}

// lead lets the followers of a runner whose entry is filled at an instant take the
// same position, do what their own exits do at once, and go on by themselves. It
// stands before the runner's own take.
func (r *runner) lead(at market.Instant, leg Leg, p fills.Purchase) {
	e := r.engine
	for _, i := range r.followers {
		f := &e.all[i]
		exit, scratch := f.exit, f.scratch
		*f = *r
		f.exit, f.scratch, f.followers = exit, scratch, nil
		f.take(leg, p)
		for f.act(at, false) {
		}
		f.from = at + 1
		e.runners = append(e.runners, f)
	}
	r.followers = nil
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
