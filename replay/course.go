package replay

import (
	"context"
	"iter"
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/skim"
	"github.com/ladderback/ladderback/replay/tape"
)

// course is a round that is played by players: it takes the tape to one instant after the
// other at which they may do something. Where tops say that none will, captures are passed
// over, or not read at all.
type course struct {
	round   *market.Round
	tape    *tape.Tape // of the captures
	tops    *tape.Tape // of the tops, as far ahead as the player at hand is looked after
	players []*orders.Player
	from    []market.Instant // when each needs captures next; market.Latest: not any more
	history bool             // a condition looks back
	bares   bool             // ladders are read without the captures between them where these say nothing
	source  source           // nil: the tops are not known, and all captures are read
	whole   bool             // all captures have to be read next
	yield   func(instant) bool
	stopped bool // nobody wants to go on
}

// instant is one at which players are taken through their steps: that of a capture, or one
// at which something is due.
type instant struct {
	at      market.Instant
	capture bool
	tape    *tape.Tape     // by which it is known
	only    *orders.Player // nil: whoever needs it
}

// instants yields the instants at which the players may do something, in order; their tape
// stands at each as it is yielded.
func (c *course) instants(ctx context.Context, src plannedSource) iter.Seq2[instant, error] {
	return func(yield func(instant, error) bool) {
		c.yield = func(i instant) bool {
			c.stopped = c.stopped || !yield(i, nil)
			return !c.stopped
		}
		if err := c.run(ctx, src); err != nil && !c.stopped {
			yield(instant{}, err)
		}
	}
}

func (c *course) run(ctx context.Context, src plannedSource) error {
	m := c.round.Market
	c.from = make([]market.Instant, len(c.players))
	mirrors := m.Mirrored && len(m.Tokens) == 2
	if mirrors && !slices.ContainsFunc(c.players, func(d *orders.Player) bool { return !d.Takes() }) {
		var err error
		if c.source, err = src.known(ctx, m); err != nil {
			return err
		}
	}
	if c.source == nil {
		return c.read(ctx, src.Captures(ctx, m), market.Earliest)
	}
	defer c.source.Close()
	c.tops.Load(c.round, false)
	c.tops.Partial = true
	for i, d := range c.players {
		c.from[i] = c.wanted(d, market.Earliest)
	}
	for from := slices.Min(c.from); from < m.End && !c.stopped && c.source.Err() == nil; from = slices.Min(c.from) {
		c.tape.Ladders = c.bares && !c.whole && c.source.HasLadders() && !c.lacks()
		c.whole = false
		if err := c.read(ctx, c.source.Captures(ctx, from, c.tape.Ladders), from); err != nil {
			return err
		}
	}
	return c.source.Err()
}

// wanted returns when a player, which has been taken up to an instant, needs captures next;
// market.Latest: not any more.
func (c *course) wanted(d *orders.Player, at market.Instant) market.Instant {
	m, t := c.round.Market, c.tops
	switch {
	case d.Settled():
		return market.Latest
	case c.source == nil:
		return at + 1
	case at >= m.Start:
		if t.Show(c.source.By(at)); !d.Calm(t, at) {
			return at + 1
		}
	}
	for at = max(at, m.Start-1); ; {
		due := d.Due()
		at = min(due, c.source.Next(d.Watch(at)))
		if at >= m.End || d.Over(at) {
			return market.Latest
		}
		switch t.Show(c.source.By(at)); {
		case d.Calm(t, at) && at == due:
			d.Pass(at)
		case d.Calm(t, at):
		case !c.bares || !d.Signals(t, at):
			return at
		default:
			change := c.source.Next(skim.Watch{After: at - 1, Until: at + 1}) == at
			if !c.yield(instant{at, change, t, d}) {
				return market.Latest
			}
			return d.Wants(at)
		}
	}
}

// read takes captures from an instant on to the players that need them: until none does, or
// the next one needed is so far ahead that starting afresh there is cheaper.
func (c *course) read(ctx context.Context, captures iter.Seq2[*market.Capture, error], from market.Instant) error {
	bare := c.tape.Ladders
	c.tape.Load(c.round, c.history)
	c.tape.Watched, c.tape.Ladders = true, bare
	defer func() { c.tape.Ladders = false }()
	m, p := c.round.Market, passage{from: from, next: from, at: market.Earliest}
	for x, err := range captures {
		if err == nil {
			err = x.Follows(p.at, m)
		}
		if err != nil {
			return err
		}
		if x.Kind == market.KindReset {
			continue // says something about the recorder, nothing about the market
		}
		if p.at == market.Earliest && c.source != nil {
			p.cuts = c.source.Cuts()
		}
		if x.Recv != p.at {
			if !c.pass(&p, x.Recv) {
				break
			}
			p.at, p.open = x.Recv, true
		}
		c.take(x, x.Recv >= from)
	}
	if err := ctx.Err(); err != nil || c.stopped || p.over {
		return err
	}
	c.pass(&p, m.End)
	return nil
}

// take takes in one capture of the instant being collected; fresh: no player has seen it.
func (c *course) take(x *market.Capture, fresh bool) {
	c.tape.Apply(x)
	for i, d := range c.players {
		if fresh && c.from[i] < market.Latest {
			d.Saw(c.tape, x)
		}
	}
}

// pass does what there is between the captures of an instant and those of the next, and
// reports whether to go on with these. Before the start nothing is evaluated.
func (c *course) pass(p *passage, until market.Instant) bool {
	m := c.round.Market
	if !c.close(p) {
		return false
	}
	if p.at < m.Start && until >= m.Start {
		c.tape.Refresh()
		c.tape.Remember(p.at) // what the start is seeded with
	}
	for at := c.due(); at < until && until >= m.Start; at = c.due() {
		c.tape.Refresh()
		if c.whole = c.tape.Ladders && c.dates(at); c.whole || !c.takeTo(p, at, false) {
			p.over = true
			return false
		}
	}
	if until >= m.End {
		for i := range c.from {
			c.from[i] = market.Latest // there are no captures left
		}
		p.next = market.Latest
	}
	p.over = p.next >= m.End || p.at >= p.from && p.elsewhere(until) && c.forgets()
	return !p.over
}

// close takes the players to the instant that has been collected, and reports whether to go
// on.
func (c *course) close(p *passage) bool {
	open := p.open && p.at >= p.next && p.at >= c.round.Market.Start
	if p.open = false; !open {
		return true
	}
	c.tape.Refresh()
	c.tape.Remember(p.at)
	return c.takeTo(p, p.at, true)
}

// takeTo lets the players be taken to an instant, and works out when captures are needed
// next. It reports whether to go on, with what is being read.
func (c *course) takeTo(p *passage, at market.Instant, capture bool) bool {
	if !c.yield(instant{at, capture, c.tape, nil}) {
		return false
	}
	c.follow(p, at, capture)
	c.whole = c.tape.Ladders && p.next < c.round.Market.End && c.lacks()
	p.over = c.whole
	return !c.whole && !c.stopped
}

// follow works out when captures are needed next by the players that were taken to an
// instant, and by all.
func (c *course) follow(p *passage, at market.Instant, capture bool) {
	for i, d := range c.players {
		if capture && c.from[i] <= at || !capture && c.from[i] < market.Latest {
			c.from[i] = c.wanted(d, at)
		}
	}
	p.next = slices.Min(c.from)
}

// due returns the next instant at which something is due for a player.
func (c *course) due() market.Instant {
	at := market.Latest
	for i, d := range c.players {
		if c.from[i] < market.Latest {
			at = min(at, d.Due())
		}
	}
	return at
}

// forgets reports whether captures may be passed over that no player needs.
func (c *course) forgets() bool {
	return !slices.ContainsFunc(c.players, func(d *orders.Player) bool { return !d.Forgets() })
}

// lacks reports whether ladders alone do not say all that a player needs from now on.
func (c *course) lacks() bool {
	for i, d := range c.players {
		if c.from[i] < market.Latest && !d.ReadsLadders() {
			return true
		}
	}
	return false
}

// dates reports whether what is due at an instant may ask when the last capture was, and
// ladders do not say that it was recent enough.
func (c *course) dates(at market.Instant) bool {
	for _, d := range c.players {
		if limit := d.Stale(true); limit > 0 && at-c.tape.Last > limit {
			return true
		}
	}
	return false
}
