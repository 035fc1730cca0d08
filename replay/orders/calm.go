package orders

import (
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// Mostly nothing happens at a capture, and where no best price, trade or clock did anything
// nothing can: such an instant is not evaluated. Where nothing of a strategy rests, tops of
// the book alone say so ahead, and what was captured up to then need not be read.

// isSteady reports whether what triggers orders changes only as tape.Steady says.
func (d *Player) isSteady() bool {
	two := len(d.candidates) > 1
	for i := range d.candidates {
		c := &d.candidates[i]
		for _, tests := range append([][]tape.Test{c.All}, c.Any...) {
			if !tape.Steady(tests, d.market, two) {
				return false
			}
		}
	}
	for _, x := range d.slots {
		if x.asks == nil {
			continue
		}
		for token := range x.when {
			if !tape.Steady(x.when[token], d.market, false) || !tape.Steady(x.pull[token], d.market, false) {
				return false
			}
		}
	}
	return true
}

// listening reports whether the market may do more, until something changes, than fill what
// rests and trigger exits: the entry, a further order or a cancel waits for its conditions.
func (d *Player) listening() bool {
	waits := func(x *slot, most int) bool {
		return !x.over && x.flight == nil && x.rest == nil && x.accepted < most
	}
	entries := 1
	if a := d.Strategy.Again(); a != nil {
		entries = a.MaxEntries
	}
	return !d.finished && waits(d.entry, entries) || slices.ContainsFunc(d.then, func(x *slot) bool { return waits(x, x.then.Times) && d.lives(x) }) ||
		slices.ContainsFunc(d.slots, func(x *slot) bool { return x.rest != nil && x.spec != nil && len(x.spec.CancelWhen) > 0 })
}

// unmoved reports whether nothing has changed since the last evaluation, at which nothing
// happened. Tops count moves of their own: they are evaluated where they changed.
func (d *Player) unmoved(t *tape.Tape, at market.Instant, capture bool) bool {
	return d.calm && capture && !t.Partial && !d.changed && at < d.due &&
		(t.Moves == d.moves || !d.listens && t.Tick == d.tick) && (d.nothingHeld() || d.heldQuietly(t))
}

// Idle reports whether nothing happens at the instant of a capture, by which a tape stands,
// to a player that has seen all captures: it need not be taken through its steps.
func (d *Player) Idle(t *tape.Tape, at market.Instant) bool {
	if d.stands() || !d.unmoved(t, at, true) {
		return false
	}
	for i := range d.books {
		if !d.books[i].Still(&t.Views[i].Quote) {
			return false
		}
	}
	for i := range d.books {
		d.books[i].Next()
	}
	return true
}

// AwaitsDepth reports whether nothing happens at the instant of a capture, by which a tape stands,
// to a plain player, and that it needs the next one too: all that its entry asks of the top
// and the clock is given, and what it asks of depth is not.
func (d *Player) AwaitsDepth(t *tape.Tape, at market.Instant) bool {
	w := &d.ahead
	if !d.plain || !w.Deep || w.Crosses || at >= d.due || d.changed || !t.Started || d.Trace != nil || !d.waits() || d.entry.refused >= at {
		return false
	}
	for i := range d.candidates {
		if !d.candidates[i].LacksDepth(t, at) {
			return false
		}
	}
	d.seen = at
	return true
}

// heldQuietly reports whether the best bid tells that no exit of the entry's token triggers
// but by the clock.
func (d *Player) heldQuietly(t *tape.Tape) bool {
	return d.same < 0 || d.held[d.same].shares == 0 || d.quiet(t, &d.held[d.same])
}

// Takes reports whether tops say ahead where something may happen, as Calm does: nothing of
// the strategy rests, and nothing that it reads of what is held changes without them.
func (d *Player) Takes() bool {
	return !d.rests && d.Trace == nil && d.Seam == nil && (d.plain || d.steady)
}

// waits reports whether the entry of a plain player may still be sent.
func (d *Player) waits() bool {
	x := d.entry
	return !d.finished && !x.over && x.accepted == 0 && x.flight == nil
}

// travelling returns the order of a plain player that is on its way; nil: none is.
func (d *Player) travelling() *order {
	for _, x := range [...]*slot{d.entry, d.exits[0], d.exits[1]} {
		if x.flight != nil {
			return x.flight
		}
	}
	return nil
}

// may reports whether the entry would hold if all that it asks of depth were given.
func (d *Player) may(t *tape.Tape, at market.Instant) bool {
	for i := range d.candidates {
		if t.Started && d.candidates[i].May(t, at) {
			return true
		}
	}
	return false
}

// Calm reports whether nothing happens at an instant by which a tape of tops stands, nor
// behind it until the next top or Due.
func (d *Player) Calm(t *tape.Tape, at market.Instant) bool {
	if d.plain {
		return d.calmly(t, at)
	}
	if d.withdraw < market.Latest || !d.idle(true) || !d.restful(t, at) {
		return false
	}
	if !t.Started {
		return true
	}
	t.Held = d
	calm := !d.entryMay(at) || tape.Choose(d.candidates, t, at, true, nil) == nil
	for i := 0; i < len(d.then) && calm; i++ {
		x := d.then[i]
		calm = !d.thenMay(x, at) || !tape.AllHold(x.when[d.same], t, at, true)
	}
	t.Held = nil
	return calm
}

// calmly is Calm for a plain player.
func (d *Player) calmly(t *tape.Tape, at market.Instant) bool {
	switch o := d.travelling(); {
	case o != nil:
		return o.arrival > at
	case d.Holds():
		return d.restful(t, at)
	}
	return !d.entryMay(at) || !d.may(t, at)
}

// restful reports whether no exit of what is held triggers.
func (d *Player) restful(t *tape.Tape, at market.Instant) bool {
	for i := range d.held {
		if h := &d.held[i]; h.shares > 0 && at >= h.clock {
			return false
		}
	}
	return d.heldQuietly(t)
}

// entryMay reports whether the entry may be evaluated at an instant or soon behind it.
func (d *Player) entryMay(at market.Instant) bool {
	x, a := d.entry, d.Strategy.Again()
	again := a != nil && x.accepted < a.MaxEntries && d.flat && at >= d.flatAt+seconds(a.AfterSeconds) &&
		a.Follows(strategy.Reason(d.closing))
	return !d.finished && !x.over && at < d.lastEntry && (x.accepted == 0 || again)
}

// thenMay reports whether a further order that takes may be evaluated at an instant or soon
// behind it.
func (d *Player) thenMay(x *slot, at market.Instant) bool {
	o := x.then
	switch {
	case x.over, x.accepted >= o.Times, !d.lives(x), d.same < 0:
		return false
	case x.accepted > 0 && at < x.ended+seconds(o.AfterSeconds):
		return false
	case o.Do == strategy.Buy:
		return at < d.lastEntry
	}
	return !d.nothingHeld()
}

// Watch says what tops are watched for behind an instant until Due: while shares are held and
// nothing but their exits is to come, whether the best bid leaves the bounds of these.
func (d *Player) Watch(at market.Instant) skim.Watch {
	w := skim.Watch{After: at, Until: d.due}
	if d.plain && d.waits() && !d.ahead.Crosses {
		w.After = max(at, d.ahead.Opens-1) // the clock alone rules out the entry
		w.Gates = d.ahead.Gates
		return w
	}
	if d.same < 0 || d.held[d.same].shares == 0 || len(d.then) > 0 {
		return w
	}
	w.Bid, w.Bounded = d.bounds(d.same, &d.held[d.same]), true
	return w
}

// Passes returns the next instant behind at from which the entry of a plain player may hold
// although nothing changes; market.Latest: none.
func (d *Player) Passes(t *tape.Tape, at market.Instant) market.Instant {
	if !d.plain || !d.waits() {
		return market.Latest
	}
	return d.ahead.Passes(t, at)
}

// Over reports whether nothing is bought any more from an instant on, with nothing held or
// on its way.
func (d *Player) Over(at market.Instant) bool {
	over := at >= d.lastEntry || d.plain && d.waits() && !d.ahead.Crosses && at > d.ahead.Closes
	return over && d.nothingHeld() && d.idle(true)
}

// Pass goes behind an instant that is Calm, at which a top changed or something was due.
func (d *Player) Pass(t *tape.Tape, at market.Instant, change bool) {
	if change && d.plain && d.ahead.Crosses && d.entry.accepted == 0 {
		d.arm(t, at)
	}
	if at >= d.due {
		d.PassTo(at)
	}
}

// PassTo goes behind an instant up to which nothing that was due does anything.
func (d *Player) PassTo(at market.Instant) {
	d.changed = true
	d.calm = false // the last evaluation, before that instant, does not say what holds by now
	d.plan(at)
}

// Forgets reports whether no order to come meets what is remembered as taken: captures
// that tell how much of it is left need not be seen.
func (d *Player) Forgets() bool {
	if d.plain {
		return true // the entry's buy and the exit's sell meet different sides
	}
	for i := range d.books {
		b := &d.books[i]
		for _, side := range [2]market.Side{market.Bid, market.Ask} {
			if slices.ContainsFunc(b.Taken(side), func(l market.Level) bool { return l.Size > 0 }) {
				return false
			}
		}
	}
	return true
}

// Needs returns from when on captures are needed behind an instant, whatever tops say; ok:
// there is such an instant.
func (d *Player) Needs(at market.Instant) (from market.Instant, ok bool) {
	o := d.travelling()
	switch {
	case !d.plain:
		return 0, false
	case d.ahead.Every && d.entry.accepted == 0:
		return max(at+1, d.start), true
	case d.Undated, !d.waits() && o == nil, d.entry.accepted == 0 && !d.ahead.Clock:
		return 0, false
	case o != nil:
		return o.arrival, true
	}
	return max(at+1, d.ahead.Opens), true
}

// Blind reports whether tops say nothing of what the entry waits for.
func (d *Player) Blind() bool { return d.plain && d.ahead.Blind && d.waits() }

// Skims reports whether tops, of which a tape shows that by an instant, say what happens
// behind it. capture: the instant is one of a capture.
func (d *Player) Skims(t *tape.Tape, at market.Instant, capture bool) bool {
	switch x := d.entry; {
	case !d.plain:
		return d.Calm(t, at)
	case d.stands():
		return false // it is tried again at every capture
	case d.waits():
		// Behind a refusal, and for want of cash, it is tried at the next capture. What it
		// waits for at an instant that is no capture's is still to come: tops ahead would come
		// back to these captures with crossings armed by later ones.
		return capture && x.refused < at && !((d.ahead.Deep || d.Purse != nil) && d.may(t, at))
	case d.Holds() && d.travelling() == nil:
		return d.enough(t, d.same, &d.held[d.same])
	}
	return true
}

// Tells reports whether tops say all of an instant that is not Calm; named: it is that of a
// change, or of something due.
func (d *Player) Tells(t *tape.Tape, at market.Instant, named bool) bool {
	o := d.travelling()
	switch {
	case !d.plain, d.Latency == 0 && d.Purse != nil: // the orders of others come between
		return false
	case o != nil:
		return d.Undated && d.proved(t, at, o)
	case d.Holds():
		return d.enough(t, d.same, &d.held[d.same])
	}
	return named && !d.ahead.Deep
}

// enough reports whether the best bid, with what is known to stand there and near it,
// decides what the exits of what is held do until the next top.
func (d *Player) enough(t *tape.Tape, token int, h *holding) bool {
	bid, b := t.Views[token].Quote.Bid, d.bounds(token, h)
	return bid.Price == market.NoPrice || bid.Size >= h.shares || b.Hold(bid, t.Near[token]) ||
		d.flock == nil && bid.Price <= b.Low // triggers, whatever stands behind the best; a flock has other stops
}

// proof is what a top proves: what an order buys that arrives while it stands.
type proof struct {
	of     *order
	bought fills.Purchase
}

// proved reports whether the top proves that the best price fills the order that arrives,
// and decides on the exits at once.
func (d *Player) proved(t *tape.Tape, at market.Instant, o *order) bool {
	if _, ok := d.blocked(t, o.token, at); !ok {
		return false
	}
	bid, ask := t.Views[o.token].Quote.Bid, t.Views[o.token].Quote.Ask
	if !o.buy {
		return bid.Price != market.NoPrice && bid.Size >= d.held[o.token].shares
	}
	asks := d.offered(t, at, o)
	if len(asks) == 0 || asks[0].Price > o.limit {
		return false
	}
	p := fills.Buy(asks, o.limit, o.money, o.size, &d.Taker)
	d.proof = proof{o, p}
	if p.Shares < max(d.market.MinSize, fills.Lot) || p.Shares+fills.Lot > ask.Size {
		return false // one lot more must fail by the budget
	}
	if bid.Price == market.NoPrice || bid.Size >= p.Shares || len(d.Variants) > 1 {
		return bid.Price == market.NoPrice || bid.Size >= p.Shares
	}
	var h holding
	h.buy(&p.Fill, at)
	h.setExits(d.exit, d.lastEntry)
	return d.enough(t, o.token, &h)
}

// idles reports whether no exit sells before an end.
func (h *holding) idles(end market.Instant) bool {
	return !h.goal.used && !h.stop.used && h.trail == 0 && h.clock >= end
}

// ReadsLadders reports whether the player makes nothing of any capture but ladders: of one
// entry and one exit that take, neither reads type price, and none is tried again at every
// capture.
func (d *Player) ReadsLadders() bool {
	switch x := d.entry; {
	case !d.plain, d.stands():
		return false
	case d.waits():
		return d.ahead.Ladders && x.refused < d.seen && !(d.Purse != nil && x.counted != [NumReasons]bool{})
	case x.flight != nil:
		return !d.ahead.Crosses
	}
	return true
}
