package replay

import (
	"context"
	"iter"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// A round whose tops are known is replayed by them; its ladders are read only where
// they matter. Each runner skims: it evaluates at every instant at which the top of
// the book changed, and at those that it names itself, as if there were no others.
// Between two of them nothing that it reads changes, so nothing can happen, with
// these exceptions, for which it asks for the captures themselves from an instant
// on, until it can skim again:
//
//   - an order arrives, and meets the ladder, unless the best price alone is known to
//     hold all of it (Proven);
//   - a position is open whose exits depend on more than the best bid is known to hold;
//   - an entry that waits for the depth of the book may hold;
//   - an entry may hold from an instant on at which nothing was captured, as when a
//     look-back leaves a price behind: it holds at the first capture from then on;
//   - an entry was refused, and is evaluated again at the next capture.

// skim replays a round by its tops, and reads its captures where they matter.
func (e *engine) skim(ctx context.Context, g *market.Tops, round *market.Round, history bool) error {
	if g.Close != nil {
		defer g.Close()
	}
	e.tops.load(round, g, history)
	e.failed = nil
	n := len(e.runners)
	for _, r := range e.runners[:n] {
		e.follow(r, market.Earliest)
	}
	e.joined(n)
	for from := e.wanted(); from < round.Market.End; from = e.wanted() {
		if err := e.read(ctx, g, round, from); err != nil {
			return err
		}
	}
	if e.failed != nil {
		return e.failed
	}
	return ctx.Err()
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

// read gives captures to the runners that need them, from an instant on: until none
// needs any, or the next one needed is so far ahead that starting afresh there is
// cheaper.
func (e *engine) read(ctx context.Context, g *market.Tops, round *market.Round, from market.Instant) error {
	m := round.Market
	e.tape.load(round, false)
	e.tape.frames[0].past = e.tops.past
	p := passage{from: from, next: from, at: market.Earliest}
	defer func() { e.bare = false }()
	for c, err := range e.captures(g)(ctx, from) {
		if err == nil {
			err = c.Follows(p.at, m)
		}
		if err != nil {
			return err
		}
		if c.Kind == market.KindReset {
			continue
		}
		if p.at == market.Earliest && g.Cuts != nil {
			p.cuts = g.Cuts()
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

// captures returns what yields the captures that the runners need next.
func (e *engine) captures(g *market.Tops) func(context.Context, market.Instant) iter.Seq2[*market.Capture, error] {
	e.bare = e.bares && !e.whole && g.Ladders != nil && e.ladders()
	if e.whole = false; e.bare {
		return g.Ladders
	}
	return g.From
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

// readsLadders reports whether a runner makes nothing of any capture but ladders: it has
// an order on its way, or a position, or waits for what ladders alone decide.
func (r *runner) readsLadders() bool {
	switch r.phase {
	case watching:
		return r.bookish && !r.again
	case entering:
		return !r.crosses
	}
	return r.phase == holding || r.phase == exiting
}

// lacking reports whether ladders alone are being read, and do not do any more.
func (e *engine) lacking() bool {
	if e.bare && !e.whole {
		e.whole = !e.ladders()
	}
	return e.whole
}

// dates reports whether what is due at an instant asks when the last capture was, and
// the ladders do not say that it was recent enough: an order arrives, or may be sent, and
// arrive at once.
func (r *runner) dates(at market.Instant) bool {
	t := r.tape
	limit := r.options.staleAfter(t.views[r.now.token].stream == LadderStream)
	sent := r.phase == entering || r.phase == exiting
	return r.engine.bare && (sent || r.options.Latency() == 0) && limit > 0 && at-t.last > limit
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
	e.tape.refresh()
	n := len(e.runners)
	for _, r := range e.runners[:n] {
		if r.from > at {
			continue
		}
		if r.phase == watching {
			r.again = false
		}
		r.step(at, true)
		e.resume(r, at)
	}
	e.joined(n)
	e.prune()
	return e.wanted()
}

// joined lets the runners from the n-th on, which took over a position, go on from
// where they did. Others may join on the way.
func (e *engine) joined(n int) {
	for i := n; i < len(e.runners); i++ {
		e.resume(e.runners[i], e.runners[i].since)
	}
}

// advanceFor does what is due before an instant for the runners that need the
// captures as they are now, and returns when those are needed next.
func (e *engine) advanceFor(until market.Instant) market.Instant {
	e.tape.refresh()
	for i := 0; i < len(e.runners); i++ { // some may join on the way
		r := e.runners[i]
		for r.from < until && !e.lacking() {
			at := r.due()
			if at >= until {
				break
			}
			if r.dates(at) {
				r.from, e.whole = at, true
				break
			}
			if r.step(at, false); r.phase == watching {
				// What it waited for is still to come. It must not skim ahead to see: it
				// would come back to these captures with crossings armed by later ones.
				r.from = at + 1
				continue
			}
			e.resume(r, at)
		}
	}
	return e.wanted()
}

// resume decides how a runner goes on behind an instant at which it had the
// captures.
func (e *engine) resume(r *runner, at market.Instant) {
	switch {
	case r.settled():
		r.from = market.Latest
	case r.skims(at):
		e.follow(r, at)
	default:
		r.from = at + 1
	}
}

// skims reports whether the tops say all that a runner needs behind an instant.
func (r *runner) skims(at market.Instant) bool {
	switch r.phase {
	case watching:
		return !r.every && !r.again && !(r.deep && r.mayHold(at, true))
	case entering:
		return !r.every
	}
	return r.phase == holding || r.phase == exiting
}

// enough reports whether the best bid, with what is known to stand there and near
// it, decides what the exits do until the next top. Below its stop it does, but for
// a guard, whose flock has other stops.
func (r *runner) enough() bool {
	o := &r.open
	best := r.tape.views[o.trade.Token].quote.Bid
	switch {
	case best.Price == market.NoPrice, best.Size >= o.left:
		return true
	case o.stop.Known() && best.Price <= o.stopTo:
		// It triggers, whatever stands behind the best; but a flock has other stops.
		return r.flock == nil
	case o.trail > 0, o.profit.Known() && best.Price >= o.profitFrom:
		return false
	case o.stop.Known():
		// All of it is sold no lower than that.
		return r.engine.tops.near[o.trade.Token] >= o.left && best.Price-market.TopReach > max(0, o.stopTo)
	}
	return true
}

// settled reports whether nothing that is captured changes what becomes of the
// market.
func (r *runner) settled() bool {
	o := &r.open
	return r.phase == done || r.phase == holding && r.trace == nil && r.engine.off&Early == 0 &&
		!o.stop.Known() && !o.profit.Known() && o.trail == 0 && o.clock >= r.end
}

// needTops reads the tops of the market, once; failed says why they cannot be read.
func (e *engine) needTops() {
	if err := e.tops.need(); err != nil {
		e.failed = err
	}
}

// follow lets a runner skim from behind an instant on, until it needs captures,
// and notes from when on it does.
func (e *engine) follow(r *runner, at market.Instant) {
	if e.tops.keep {
		e.needTops()
	}
	switch {
	case r.settled(), r.timed && r.phase == watching && at >= r.closes:
		r.from = market.Latest
		return
	case r.every && r.phase <= entering:
		r.from = max(at+1, r.start)
		return
	case e.proves:
	case r.timed && r.phase == watching:
		r.from = max(at+1, r.opens)
		return
	case r.timed && r.phase == entering, r.phase == exiting:
		r.from = r.now.arrival
		return
	}
	if e.needTops(); e.failed != nil {
		r.from = market.Latest
		return
	}
	r.tape, r.skimming = &e.tops.tape, true
	r.from = r.skim(&e.tops, at)
	r.tape, r.skimming = &e.tape, false
	if e.needTops(); r.from >= r.end || e.failed != nil {
		r.from = market.Latest
	}
}

// skim evaluates at the tops behind an instant. It returns the instant from
// which on the runner needs the captures, market.Latest when it does not need
// any more. Its tape is s.
func (r *runner) skim(s *skimmer, at market.Instant) market.Instant {
	n := s.after(at)
	s.show(n)
	for !r.settled() && r.phase != exiting {
		if r.arrives(s, n) {
			at = r.now.arrival
			if n = s.after(at); !r.entered(s, n, at) {
				return at
			}
			continue
		}
		if from, ends := r.ends(at); ends {
			return from
		}
		n, at = r.passes(s, n, at)
		change, due := s.at(n), r.due()
		if at = r.event(s, at, min(change, due)); at >= r.end {
			return market.Latest
		}
		capture := at == change
		if capture {
			n++
			s.show(n)
		}
		switch {
		case at < r.start:
		case r.needs(at, capture, due):
			return at
		case capture || at == due:
			r.step(at, capture)
		}
	}
	if r.phase == exiting && !r.sold(s) {
		return r.now.arrival
	}
	return market.Latest
}

// arrives reports whether an entry order does before the top behind the first n, or
// with it.
func (r *runner) arrives(s *skimmer, n int) bool {
	return r.phase == entering && r.now.arrival <= s.at(n)
}

// entered fills an entry order that arrives at an instant, up to which there are n
// tops, if these prove that the best ask holds all of it, and decide on the exits at
// once.
func (r *runner) entered(s *skimmer, n int, at market.Instant) bool {
	if !r.engine.proves || at >= r.end {
		return false
	}
	s.show(n)
	p, _, ok := r.buy(at)
	v := &r.tape.views[r.now.token]
	if !ok || p.Shares+fills.Lot > v.quote.Ask.Size {
		return false // one lot more must fail by the budget
	}
	leg, whole := r.bought(at, p), v.quote.Bid.Price == market.NoPrice || v.quote.Bid.Size >= p.Shares
	if len(r.followers) > 0 && !whole {
		return false
	}
	r.lead(at, leg, p)
	if r.take(leg, p); !r.enough() {
		r.open, r.result.Trade, r.phase = position{}, nil, entering
		return false
	}
	for r.act(at, false) {
	}
	return true
}

// sold fills the exit order on its way if the tops prove that the best bid holds all
// of it.
func (r *runner) sold(s *skimmer) bool {
	at := r.now.arrival
	if !r.engine.proves || at >= r.end {
		return false
	}
	s.show(s.after(at))
	bid := r.tape.views[r.now.token].quote.Bid
	if _, ok := r.blocked(r.now.token, at); !ok || bid.Price == market.NoPrice || bid.Size < r.open.left {
		return false
	}
	r.phase = selling
	r.sell(at, r.now.signal)
	return true
}

// passes goes on to behind the last instant, after n tops, of which it is known that
// nothing happens up to it.
func (r *runner) passes(s *skimmer, n int, at market.Instant) (int, market.Instant) {
	to := n
	if r.waits(at) {
		at = r.opens - 1
		to = s.after(at)
	} else if to = r.rests(s, n); to > n {
		at = s.tops[to-1].At
	}
	if to != n {
		s.show(to)
	}
	return to, at
}

// rests passes over the tops from the n-th on at which the exits of a position do
// nothing, without a look at what they show, and returns the next.
func (r *runner) rests(s *skimmer, n int) int {
	o := &r.open
	if r.phase != holding || o.trail > 0 {
		return n
	}
	from, stops, token := market.PriceOne+1, o.stop.Known(), o.trade.Token
	if o.profit.Known() {
		from = o.profitFrom
	}
	for ; s.at(n) < min(o.clock, r.end); n++ {
		top := &s.tops[n]
		bid := top.BestBid(token)
		switch {
		case bid.Price == market.NoPrice:
		case bid.Price >= from, stops && (bid.Price <= o.stopTo || bid.Size < o.left &&
			(bid.Price-market.TopReach <= max(0, o.stopTo) || top.Least[token].Near() < o.left)):
			return n
		}
	}
	return n
}

// ends reports whether skimming ends behind an instant, and from when on the
// captures are needed.
func (r *runner) ends(at market.Instant) (from market.Instant, ends bool) {
	if r.phase == holding && !r.enough() {
		return at + 1, true
	}
	return market.Latest, r.phase == watching && !r.crosses && at > r.closes
}

// waits reports whether the clock alone rules out the entry for more than an
// instant.
func (r *runner) waits(at market.Instant) bool {
	return r.phase == watching && !r.crosses && at < r.opens-1
}

// event returns the next instant after at to evaluate: next or earlier.
func (r *runner) event(s *skimmer, at, next market.Instant) market.Instant {
	if r.phase == watching && len(r.bounds) > 0 {
		return min(next, r.bound(s, at))
	}
	return next
}

// needs reports whether the captures are needed to evaluate an instant: that of a
// change of the top, that of something due, or one from which on an entry may
// hold.
func (r *runner) needs(at market.Instant, capture bool, due market.Instant) bool {
	switch r.phase {
	case watching:
		bare := !capture && at != due
		return (r.deep || bare) && r.mayHold(at, capture || bare)
	case holding:
		return !r.enough()
	}
	return false
}

// mayHold reports whether an entry would hold at an instant if all that it asks
// of the depth of the book were given.
func (r *runner) mayHold(at market.Instant, capture bool) bool {
	for i := range r.candidates {
		if r.candidates[i].mayHold(r.tape, at, capture) {
			return true
		}
	}
	return false
}

func (c *candidate) mayHold(t *tape, at market.Instant, capture bool) bool {
	if !allMayHold(c.all, t, at, capture) {
		return false
	}
	return len(c.any) == 0 || slices.ContainsFunc(c.any, func(group []test) bool { return allMayHold(group, t, at, capture) })
}

func allMayHold(tests []test, t *tape, at market.Instant, capture bool) bool {
	for i := range tests {
		if !tests[i].isDeep() && !tests[i].holds(t, at, capture) {
			return false
		}
	}
	return true
}

// isDeep reports whether a test reads more than the top of the book.
func (x *test) isDeep() bool { return x.cost() >= 3 }
