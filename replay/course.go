package replay

import (
	"context"
	"iter"
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/replay/tape"
)

// course is a round that is played by players: it takes the tape to one instant after the
// other at which they may do something. Where tops say that none will, captures are passed
// over, or not read at all. Each player is looked after ahead of the others, as far as tops
// say enough; then captures are read from the first instant on from which one needs them,
// for all that do, until none does, or the next one needed is so far ahead that beginning
// there is cheaper.
type course struct {
	round   *market.Round
	tape    *tape.Tape // of the captures
	tops    *tape.Tape // of the tops, as far ahead as the player at hand is looked after
	players []*orders.Player
	from    []market.Instant // when each needs captures next; market.Latest: not any more
	parted  []parted         // who left a player that is looked after
	history bool             // a condition looks back
	prints  *queue.Prints    // of a mirrored market
	undated bool             // see Parallel.Undated
	source  source           // nil: the tops are not known, and all captures are read
	whole   bool             // all captures have to be read next
	yield   func(instant) bool
	stopped bool // nobody wants to go on
	rests   bool // orders may rest in a mirrored market
}

// instant is one at which a player is taken through its steps: that of a capture, or one at
// which something is due.
type instant struct {
	at      market.Instant
	capture bool
	tape    *tape.Tape // by which it is known
	player  *orders.Player
}

// parted is a player that goes on alone from an instant.
type parted struct {
	*orders.Player
	instant
}

// instants yields the instants at which the players may do something, those of each in
// order; their tape stands at each as it is yielded.
func (c *course) instants(ctx context.Context, src plannedSource) iter.Seq2[instant, error] {
	return func(yield func(instant, error) bool) {
		c.yield = func(i instant) bool {
			c.stopped = c.stopped || !yield(i, nil)
			for _, d := range i.player.Parted() {
				c.parted = append(c.parted, parted{d, i})
			}
			return !c.stopped
		}
		if err := c.run(ctx, src); err != nil && !c.stopped {
			yield(instant{}, err)
		}
	}
}

func (c *course) run(ctx context.Context, src plannedSource) error {
	m := c.round.Market
	if err := c.look(ctx, src); err != nil {
		return err
	}
	c.from = slices.Repeat([]market.Instant{market.Earliest}, len(c.players))
	for i := range c.players {
		c.follow(i, market.Earliest, false)
	}
	if c.source == nil {
		return c.read(ctx, src.Captures(ctx, m), market.Earliest)
	}
	defer c.source.Close()
	for from := slices.Min(c.from); from < m.End && !c.stopped && c.source.Err() == nil; from = slices.Min(c.from) {
		c.tape.Ladders = c.undated && !c.whole && c.source.HasLadders() && !c.lacks()
		c.whole = false
		if err := c.read(ctx, c.source.Captures(ctx, from, c.tape.Ladders), from); err != nil {
			return err
		}
	}
	return c.source.Err()
}

// look asks for the tops, where all players make something of them.
func (c *course) look(ctx context.Context, src plannedSource) (err error) {
	m := c.round.Market
	if !m.Mirrored || len(m.Tokens) != 2 {
		return nil
	}
	if c.rests = slices.ContainsFunc(c.players, (*orders.Player).Rests); c.rests {
		c.prints.Reset()
	}
	if slices.ContainsFunc(c.players, func(d *orders.Player) bool { return !d.Takes() }) {
		return nil
	}
	if c.source, err = src.known(ctx, m); err != nil || c.source == nil {
		return err
	}
	c.tops.Load(c.round, false)
	if c.tops.Partial = true; c.history {
		c.tops.Frames[0].Past = c.source.Past()
	}
	return nil
}

// follow works out when a player, and those who leave it on the way, need captures next
// behind an instant.
func (c *course) follow(i int, at market.Instant, capture bool) {
	c.from[i] = c.wanted(c.players[i], at, capture)
	for len(c.parted) > 0 {
		f := c.parted[0]
		c.parted = c.parted[1:]
		c.players = append(c.players, f.Player)
		c.from = append(c.from, c.wanted(f.Player, f.at, f.capture || f.tape.Partial))
	}
}

// wanted returns when a player, which has been taken up to an instant, needs captures next;
// market.Latest: not any more.
func (c *course) wanted(d *orders.Player, at market.Instant, capture bool) market.Instant {
	m, t := c.round.Market, c.tops
	switch {
	case d.Settled():
		return market.Latest
	case c.source == nil:
		return at + 1
	case d.Over(at + 1):
		return market.Latest
	}
	if from, ok := d.Needs(at); ok {
		d.PassTo(from - 1)
		return from
	}
	if at >= m.Start {
		if d.Blind() {
			return at + 1
		}
		if t.Show(c.source.By(at)); !d.Skims(t, at, capture) {
			return at + 1
		}
	}
	return c.ahead(d, max(at, m.Start-1))
}

// ahead takes a player on by the tops behind an instant, and returns when it needs captures;
// market.Latest: not any more.
func (c *course) ahead(d *orders.Player, at market.Instant) market.Instant {
	t := c.tops
	for {
		w, due := d.Watch(at), d.Due()
		change := c.source.Next(w)
		at = min(due, change, d.Passes(t, w.After))
		if at >= c.round.Market.End || d.Over(at) {
			return market.Latest
		}
		t.Show(c.source.By(at))
		switch named := at == due || at == change; {
		case d.Calm(t, at):
			d.Pass(t, at, at == change)
		case !d.Tells(t, at, named):
			return at
		default:
			if !c.yield(instant{at, at == change, t, d}) || d.Settled() {
				return market.Latest
			}
			if !d.Skims(t, at, true) {
				return at + 1
			}
		}
	}
}

// read takes captures from an instant on to the players that need them: until none does, or
// the next one needed is so far ahead that starting afresh there is cheaper.
func (c *course) read(ctx context.Context, captures iter.Seq2[*market.Capture, error], from market.Instant) error {
	bare := c.tape.Ladders
	c.tape.Load(c.round, c.history && c.source == nil)
	c.tape.Watched, c.tape.Ladders = true, bare
	if c.source != nil {
		c.tape.Frames[0].Past = c.tops.Frames[0].Past
	}
	defer func() { c.tape.Ladders = false }()
	m, p := c.round.Market, passage{from: from, next: slices.Min(c.from), at: market.Earliest}
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
	if !fresh {
		return
	}
	repeats := c.rests && x.Kind == market.KindTrade && c.prints.Repeats(x)
	for i, d := range c.players {
		if d.Minds() && c.from[i] < market.Latest {
			d.Saw(c.tape, x, repeats)
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

// takeTo takes the players to an instant who need what was captured by then, and works out
// when captures are needed next. It reports whether to go on, with what is being read.
func (c *course) takeTo(p *passage, at market.Instant, capture bool) bool {
	for i, n := 0, len(c.players); i < n; i++ {
		if d := c.players[i]; c.from[i] <= at && (capture || d.Due() <= at) {
			if capture && (c.source == nil && d.Idle(c.tape, at) || d.AwaitsDepth(c.tape, at)) {
				continue // needs the next one too
			}
			if !c.yield(instant{at, capture, c.tape, d}) {
				return false
			}
			c.follow(i, at, capture)
		}
	}
	p.next = slices.Min(c.from)
	c.whole = c.tape.Ladders && p.next < c.round.Market.End && c.lacks()
	p.over = c.whole
	return !c.whole
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

// passage is how far the captures from an instant on have been read.
type passage struct {
	from market.Instant
	next market.Instant // when a player needs the captures next
	at   market.Instant // the instant being collected
	open bool           // it has not been evaluated
	cuts []market.Instant
	over bool // nothing more is needed, or it is elsewhere
}

// elsewhere reports whether reading can begin again between the next capture and
// the instant at which captures are needed next.
func (p *passage) elsewhere(until market.Instant) bool {
	for len(p.cuts) > 0 && p.cuts[0] <= p.at {
		p.cuts = p.cuts[1:]
	}
	return len(p.cuts) > 0 && p.cuts[0] < p.next && until < p.cuts[0]
}
