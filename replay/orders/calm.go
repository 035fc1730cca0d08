package orders

import (
	"slices"

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
		for token := range x.when {
			if !tape.Steady(x.when[token], d.market, false) || !tape.Steady(x.pull[token], d.market, false) {
				return false
			}
		}
	}
	return true
}

// unmoved reports whether nothing has changed since the last evaluation, at which nothing
// happened.
func (d *Player) unmoved(t *tape.Tape, at market.Instant, capture bool) bool {
	return d.calm && capture && !d.changed && at < d.due && t.Moves == d.moves && (d.nothingHeld() || d.heldQuietly(t))
}

// heldQuietly reports whether the best bid tells that no exit of the entry's token triggers
// but by the clock.
func (d *Player) heldQuietly(t *tape.Tape) bool {
	return d.same < 0 || d.held[d.same].shares == 0 || d.quiet(t, &d.held[d.same])
}

// Takes reports whether tops say ahead where something may happen, as Calm does: nothing of
// the strategy rests, and nothing that it reads changes without them.
func (d *Player) Takes() bool { return d.steady && !d.rests && d.Trace == nil }

// Calm reports whether nothing happens at an instant by which a tape of tops stands, nor
// behind it until the next top or Due.
func (d *Player) Calm(t *tape.Tape, at market.Instant) bool {
	if d.withdraw < market.Latest || !d.idle(true) || !d.heldQuietly(t) {
		return false
	}
	for i := range d.held {
		if h := &d.held[i]; h.shares > 0 && at >= d.clock(h) {
			return false
		}
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
	if d.same < 0 || d.held[d.same].shares == 0 || len(d.then) > 0 {
		return w
	}
	h := &d.held[d.same]
	w.Bounded = true
	w.Bid = skim.Bounds{Token: d.same, High: market.PriceOne + 1, Low: market.NoPrice, Size: h.shares}
	if h.goal != nil {
		w.Bid.High = market.Price((h.ask + 99) / 100)
	}
	if h.stop != nil && h.floor >= 0 {
		w.Bid.Low = market.Price(h.floor / 100)
	}
	return w
}

// Over reports whether the clock exit has come with nothing held or on its way: nothing is
// bought any more.
func (d *Player) Over(at market.Instant) bool {
	return at >= d.lastEntry && d.nothingHeld() && d.idle(true)
}

// Pass goes behind an instant that was due, and Calm.
func (d *Player) Pass(at market.Instant) {
	d.changed = true
	d.plan(at)
}

// Forgets reports whether no order to come meets what is remembered as taken: captures
// that tell how much of it is left need not be seen.
func (d *Player) Forgets() bool {
	if len(d.then) == 0 && d.Strategy.Again() == nil {
		return true // the entry's buy and the exit's sell meet different sides
	}
	for _, b := range d.books {
		for _, side := range [2]market.Side{market.Bid, market.Ask} {
			if slices.ContainsFunc(b.Taken(side), func(l market.Level) bool { return l.Size > 0 }) {
				return false
			}
		}
	}
	return true
}

// Signals reports whether tops say all of an instant that is not Calm: of one entry and one
// exit that take, one is sent, and arrives later.
func (d *Player) Signals(t *tape.Tape, at market.Instant) bool {
	if len(d.then) > 0 || d.Strategy.Again() != nil || d.Latency == 0 || !d.idle(true) || d.entry.refused > market.Earliest ||
		d.entry.counted != [NumReasons]bool{} {
		return false
	}
	if d.nothingHeld() {
		return at < d.lastEntry
	}
	return d.heldQuietly(t) || t.Views[d.same].Quote.Bid.Size >= d.held[d.same].shares
}

// Wants returns when captures are needed behind an instant that Signals: as the order arrives
// that was sent, or, where none was, from the next one on.
func (d *Player) Wants(at market.Instant) market.Instant {
	for _, x := range [...]*slot{d.entry, d.exits[0], d.exits[1]} {
		if x.flight != nil {
			return x.flight.arrival
		}
	}
	return at + 1
}

// ReadsLadders reports whether the player makes nothing of any capture but ladders: of one
// entry and one exit that take, neither reads type price, and none is tried again at every
// capture.
func (d *Player) ReadsLadders() bool {
	x := d.entry
	if len(d.then) > 0 || d.Strategy.Again() != nil || x.refused > market.Earliest || x.counted != [NumReasons]bool{} {
		return false
	}
	waits := x.accepted == 0 && x.flight == nil
	return !(waits && d.readsPrice()) && d.exits[0].rest == nil && d.exits[1].rest == nil
}

// readsPrice reports whether a trade may say that the entry holds, or of which token.
func (d *Player) readsPrice() bool {
	if len(d.candidates) != 1 {
		return true
	}
	c := &d.candidates[0]
	return slices.ContainsFunc(slices.Concat(append(c.Any, c.All)...), func(x tape.Test) bool { return x.Type == strategy.Price })
}
