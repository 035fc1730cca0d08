package replay

import (
	"context"
	"iter"
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
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
}

// instant is one at which players are taken through their steps: that of a capture, or one
// at which something is due.
type instant struct {
	at      market.Instant
	capture bool
}

// instants yields the instants at which the players may do something, in order; the tape
// stands at each as it is yielded.
func (c *course) instants(ctx context.Context, src plannedSource) iter.Seq2[instant, error] {
	return func(yield func(instant, error) bool) {
		on := true
		err := c.run(ctx, src, func(i instant) bool {
			on = yield(i, nil)
			return on
		})
		if err != nil && on {
			yield(instant{}, err)
		}
	}
}

func (c *course) run(ctx context.Context, src plannedSource, yield func(instant) bool) error {
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
		_, err := c.read(ctx, src.Captures(ctx, m), market.Earliest, yield)
		return err
	}
	defer c.source.Close()
	c.tops.Load(c.round, false)
	c.tops.Partial = true
	for i, d := range c.players {
		c.from[i] = c.wanted(d, market.Earliest)
	}
	for from := slices.Min(c.from); from < m.End && c.source.Err() == nil; from = slices.Min(c.from) {
		c.tape.Ladders = c.bares && !c.whole && c.source.HasLadders() && !c.lacks()
		c.whole = false
		if on, err := c.read(ctx, c.source.Captures(ctx, from, c.tape.Ladders), from, yield); !on || err != nil {
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
		if t.Show(c.source.By(at)); !d.Calm(t, at) {
			return at
		}
		if at == due {
			d.Pass(at)
		}
	}
}

// read takes captures from an instant on to the players that need them: until none does, or
// the next one needed is so far ahead that starting afresh there is cheaper. on: whoever
// the instants are yielded to goes on.
func (c *course) read(ctx context.Context, captures iter.Seq2[*market.Capture, error], from market.Instant, yield func(instant) bool) (on bool, err error) {
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
			return true, err
		}
		if x.Kind == market.KindReset {
			continue // says something about the recorder, nothing about the market
		}
		if p.at == market.Earliest && c.source != nil {
			p.cuts = c.source.Cuts()
		}
		if x.Recv != p.at {
			if !c.pass(&p, x.Recv, yield) {
				break
			}
			p.at, p.open = x.Recv, true
		}
		c.take(x, x.Recv >= from)
	}
	if err := ctx.Err(); err != nil || p.stopped || p.over {
		return !p.stopped, err
	}
	c.pass(&p, m.End, yield)
	return !p.stopped, nil
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
func (c *course) pass(p *passage, until market.Instant, yield func(instant) bool) bool {
	m := c.round.Market
	open := p.open && p.at >= p.next && p.at >= m.Start
	if p.open = false; open {
		c.tape.Refresh()
		c.tape.Remember(p.at)
		if !c.takeTo(p, instant{p.at, true}, yield) {
			return false
		}
	}
	if p.at < m.Start && until >= m.Start {
		c.tape.Refresh()
		c.tape.Remember(p.at) // what the start is seeded with
	}
	for at := c.due(); at < until && until >= m.Start; at = c.due() {
		c.tape.Refresh()
		if c.whole = c.tape.Ladders && c.dates(at); c.whole || !c.takeTo(p, instant{at, false}, yield) {
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

// takeTo lets the players be taken to an instant, and works out when captures are needed
// next. It reports whether to go on, with what is being read.
func (c *course) takeTo(p *passage, i instant, yield func(instant) bool) bool {
	if p.stopped = !yield(i); p.stopped {
		return false
	}
	c.follow(p, i.at, i.capture)
	c.whole = c.tape.Ladders && p.next < c.round.Market.End && c.lacks()
	p.over = c.whole
	return !c.whole
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
