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
// own, and those that exit leave it, with a player for each reason to. A sweep over targets
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
// Those that leave by the same exit sell the same from now on: one player goes on for them.
func (d *Player) part(t *tape.Tape, at market.Instant) {
	high := d.held[d.same].high
	for i := range d.flock {
		m := &d.flock[i]
		if m.held.trail > 0 {
			m.held.high = high
		}
		m.reason = d.triggered(t, at, d.same, &m.held)
	}
	for _, reason := range [...]ExitReason{StopLoss, TakeProfit, EndOfWindow} {
		stays := slices.IndexFunc(d.flock, func(m member) bool { return m.reason != reason }) >= 0
		first := slices.IndexFunc(d.flock, func(m member) bool { return m.reason == reason })
		if first < 0 {
			continue
		}
		f, all := d, d.flock
		if stays {
			f = d.twin()
			d.parted = append(d.parted, f)
		}
		f.become(&all[first])
		for _, m := range all[first+1:] {
			if m.reason == reason {
				f.who = append(f.who, m.variant)
			}
		}
		f.leave(t, at, f.same, reason)
		if f == d {
			return
		}
		f.plan(at)
		d.flock = slices.DeleteFunc(all, func(m member) bool { return m.reason == reason })
	}
	if len(d.flock) == 1 {
		d.become(&d.flock[0])
	} else {
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
	d.who, d.exit, d.held[d.same], d.flock = []int{m.variant}, d.Variants[m.variant].Exit, m.held, nil
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
	case d.who == nil:
		for _, v := range d.Variants {
			out = append(out, v.Case)
		}
	default:
		for _, v := range d.who {
			out = append(out, d.Variants[v].Case)
		}
	}
	return out
}
