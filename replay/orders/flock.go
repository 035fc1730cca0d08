package orders

import (
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/tape"
)

// Variants that differ only in their exits behave alike until their entry is filled: they
// see the same, send the same orders, and are refused or filled alike. One player acts for
// all. Once it is filled it holds the position for them with the tightest of their exits:
// the highest stop, the lowest target, the closest trailing stop, the earliest clock. As
// long as these do not trigger, no other does; when they do, each of the flock checks its
// own, and those that exit leave it, each with a player of its own. A sweep over targets
// and stops thus evaluates as many entries as it has thresholds, and as many positions.

// member is one of a flock.
type member struct {
	variant int // in Terms.Variants
	held    holding
	reason  ExitReason // why it leaves; empty: it stays
}

// gather lets all variants hold what has been bought.
func (d *Player) gather(h *holding) {
	if len(d.Variants) == 1 {
		return
	}
	d.flock = make([]member, len(d.Variants))
	for i, v := range d.Variants {
		d.flock[i] = member{variant: i, held: *h}
		d.flock[i].held.setExits(v.Exit, d.lastEntry)
	}
	d.tighten()
}

// tighten holds the position with the tightest exits of the flock.
func (d *Player) tighten() {
	h := &d.held[d.same]
	*h = d.flock[0].held
	for i := range d.flock[1:] {
		h.tighten(&d.flock[1+i].held)
	}
}

// part lets each of the flock check its exits at an instant at which the tightest trigger.
// Those that exit go on alone.
func (d *Player) part(t *tape.Tape, at market.Instant) {
	high, leave := d.held[d.same].high, []member(nil)
	for i := range d.flock {
		m := &d.flock[i]
		if m.held.trail > 0 {
			m.held.high = high
		}
		if m.reason = d.triggered(t, at, d.same, &m.held); m.reason != "" {
			leave = append(leave, *m)
		}
	}
	d.flock = slices.DeleteFunc(d.flock, func(m member) bool { return m.reason != "" })
	kept := len(d.flock)
	for i := range leave {
		f := d
		if kept > 0 || i+1 < len(leave) {
			f = d.twin()
			d.parted = append(d.parted, f)
		}
		f.become(&leave[i])
		f.leave(t, at, f.same, leave[i].reason)
		if f != d {
			f.plan(at)
		}
	}
	switch {
	case kept == 1:
		d.become(&d.flock[0])
	case kept > 1:
		d.tighten()
	}
}

// twin returns another player that stands where this one does, and holds the same.
func (d *Player) twin() *Player {
	f := *d
	f.flock, f.parted, f.scratch = nil, nil, nil
	f.exits = [2]*slot{&f.own[0], &f.own[1]}
	f.books = f.ladders[:len(d.books)]
	f.Outcome.Legs = slices.Clip(f.Outcome.Legs)
	d.Outcome.Legs = slices.Clip(d.Outcome.Legs)
	return &f
}

// become lets a player be one of the flock alone.
func (d *Player) become(m *member) {
	d.variant, d.exit, d.held[d.same], d.flock = m.variant, d.Variants[m.variant].Exit, m.held, nil
}

// Parted returns players that go on alone from the instant at which this one was taken
// through its steps, in which they took part: once.
func (d *Player) Parted() []*Player {
	out := d.parted
	d.parted = nil
	return out
}

// Cases returns whose the outcome is.
func (d *Player) Cases() []int {
	var out []int
	switch {
	case d.flock != nil:
		for i := range d.flock {
			out = append(out, d.Variants[d.flock[i].variant].Case)
		}
	case d.variant < 0:
		for _, v := range d.Variants {
			out = append(out, v.Case)
		}
	default:
		out = append(out, d.Variants[d.variant].Case)
	}
	return out
}
