package replay

import (
	"context"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/tape"
)

// A round of which a source says when what is watched changes is replayed so: each runner
// watches by itself, ahead of the others, as far as the source says enough. Then captures
// are read from the first instant on from which a runner needs them, for all that do, until
// none does, or the next one needed is so far ahead that beginning there is cheaper.

// watch replays a round by a source, and reads its captures where they matter.
func (e *engine) watch(ctx context.Context, s source, round *market.Round) error {
	defer s.Close()
	e.source = s
	e.tops.Load(round, false)
	e.tops.Partial = true
	if e.tape.History {
		e.tops.Frames[0].Past = s.Past()
	}
	n := len(e.runners)
	for _, r := range e.runners[:n] {
		e.follow(r, market.Earliest)
	}
	e.joined(n)
	for from := e.wanted(); from < round.Market.End; from = e.wanted() {
		if err := e.read(ctx, round, from); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	return ctx.Err()
}

// follow lets a runner watch from behind an instant on, until it needs captures,
// and notes from when on it does.
func (e *engine) follow(r *runner, at market.Instant) {
	switch {
	case r.settled(), r.entry.clock && r.phase == watching && at >= r.entry.closes:
		r.from = market.Latest
		return
	case r.entry.every && r.phase <= entering:
		r.from = max(at+1, r.start)
		return
	case e.proves:
	case r.entry.clock && r.phase == watching:
		r.from = max(at+1, r.entry.opens)
		return
	case r.entry.clock && r.phase == entering, r.phase == exiting:
		r.from = r.now.arrival
		return
	}
	if r.from = r.skim(e.source, &e.tops, at); r.from >= r.end || e.source.Err() != nil {
		r.from = market.Latest
	}
}

// resume decides how a runner goes on behind an instant at which it had the
// captures.
func (e *engine) resume(r *runner, at market.Instant) {
	switch {
	case r.settled():
		r.from = market.Latest
	case r.skims(&e.tape, at):
		e.follow(r, at)
	default:
		r.from = at + 1
	}
}

// joined lets the runners from the n-th on, which took over a position, go on from
// where they did. Others may join on the way.
func (e *engine) joined(n int) {
	for i := n; i < len(e.runners); i++ {
		e.resume(e.runners[i], e.runners[i].since)
	}
}

// wanted returns the first instant from which a runner needs the captures;
// market.Latest: none does.
func (e *engine) wanted() market.Instant {
	from := market.Latest
	for _, r := range e.runners {
		from = min(from, r.from)
	}
	return from
}

// passage is how far the captures from an instant on have been read.
type passage struct {
	from market.Instant
	next market.Instant // when a runner needs the captures next
	at   market.Instant // the instant being collected
	open bool           // it has not been evaluated
	cuts []market.Instant
	over bool // nothing more is needed, or it is elsewhere
}

// read gives captures to the runners that need them, from an instant on: until none
// needs any, or the next one needed is so far ahead that starting afresh there is
// cheaper.
func (e *engine) read(ctx context.Context, round *market.Round, from market.Instant) error {
	m := round.Market
	e.tape.Load(round, false)
	e.tape.Frames[0].Past = e.tops.Frames[0].Past
	e.tape.Ladders = e.bares && !e.whole && e.source.HasLadders() && e.ladders()
	e.whole = false
	defer func() { e.tape.Ladders = false }()
	p := passage{from: from, next: from, at: market.Earliest}
	for c, err := range e.source.Captures(ctx, from, e.tape.Ladders) {
		if err == nil {
			err = c.Follows(p.at, m)
		}
		if err != nil {
			return err
		}
		if c.Kind == market.KindReset {
			continue
		}
		if p.at == market.Earliest {
			p.cuts = e.source.Cuts()
		}
		if c.Recv != p.at {
			if !e.pass(&p, c.Recv, m.End) {
				break
			}
			p.at, p.open = c.Recv, true
		}
		e.apply(c)
	}
	if err := ctx.Err(); err != nil || p.over {
		return err
	}
	e.rest(&p, m.End)
	return nil
}

// rest does what is due behind the last capture.
func (e *engine) rest(p *passage, end market.Instant) {
	if p.open && p.at >= p.next {
		e.closeFor(p.at)
	}
	e.advanceFor(end)
	for i := 0; i < len(e.runners) && !e.lacking(); i++ {
		e.runners[i].from = market.Latest // there are no captures left
	}
}

// ladders reports whether the runners that need captures make nothing of any but
// ladders. With followers, of which the leader may be any, they are not told apart.
func (e *engine) ladders() bool {
	if len(e.all) != 1 {
		return false
	}
	for _, r := range e.runners {
		if r.from < market.Latest && !r.readsLadders() {
			return false
		}
	}
	return true
}

// lacking reports whether ladders alone are being read, and do not do any more.
func (e *engine) lacking() bool {
	if e.tape.Ladders && !e.whole {
		e.whole = !e.ladders()
	}
	return e.whole
}

// pass does what is due between the current instant and that of the next capture.
// It reports whether to go on with the captures of the latter.
func (e *engine) pass(p *passage, until, end market.Instant) bool {
	if p.open && p.at >= p.next {
		p.next = e.closeFor(p.at)
	}
	if p.open = false; until >= end {
		return false
	}
	if until > p.next {
		p.next = e.advanceFor(until)
	}
	p.over = e.lacking() || p.next >= end || p.at >= p.from && p.elsewhere(until)
	return !p.over
}

// elsewhere reports whether reading can begin again between the next capture and
// the instant at which captures are needed next.
func (p *passage) elsewhere(until market.Instant) bool {
	for len(p.cuts) > 0 && p.cuts[0] <= p.at {
		p.cuts = p.cuts[1:]
	}
	return len(p.cuts) > 0 && p.cuts[0] < p.next && until < p.cuts[0]
}

// closeFor evaluates an instant whose captures have all been applied, for the
// runners that need it, and returns when the captures are needed next.
func (e *engine) closeFor(at market.Instant) market.Instant {
	e.tape.Refresh()
	n := len(e.runners)
	for _, r := range e.runners[:n] {
		if r.from > at {
			continue
		}
		if r.phase == watching {
			r.again = false
		}
		r.step(&e.tape, at, true)
		e.resume(r, at)
	}
	e.joined(n)
	e.prune()
	return e.wanted()
}

// advanceFor does what is due before an instant for the runners that need the
// captures as they are now, and returns when those are needed next.
func (e *engine) advanceFor(until market.Instant) market.Instant {
	e.tape.Refresh()
	for i := 0; i < len(e.runners); i++ { // some may join on the way
		r := e.runners[i]
		for r.from < until && !e.lacking() {
			at := r.due()
			if at >= until {
				break
			}
			if r.dates(&e.tape, at) {
				r.from, e.whole = at, true
				break
			}
			if r.step(&e.tape, at, false); r.phase == watching {
				// What it waited for is still to come. It must not watch ahead to see: it
				// would come back to these captures with crossings armed by later ones.
				r.from = at + 1
				continue
			}
			e.resume(r, at)
		}
	}
	return e.wanted()
}

// dates reports whether what is due at an instant asks when the last capture was, and
// the ladders do not say that it was recent enough: an order arrives, or may be sent, and
// arrive at once.
func (r *runner) dates(t *tape.Tape, at market.Instant) bool {
	limit := r.options.staleAfter(t.Views[r.now.token].Stream == tape.LadderStream)
	sent := r.phase == entering || r.phase == exiting
	return t.Ladders && (sent || r.options.Latency() == 0) && limit > 0 && at-t.Last > limit
}
