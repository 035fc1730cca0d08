package orders

import (
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// Player plays one strategy over one round. What had been received by an instant is
// handed to it as a tape, which it never changes but for what conditions read of it.
type Player struct {
	*Terms
	market     *market.Market
	start, end market.Instant
	exit       *strategy.Exit
	candidates []tape.Candidate
	named      []market.Instant // instants of the entry's evaluation that are not captures'
	lastEntry  market.Instant   // no buy is signalled at or after it

	books []queue.Book // one a ladder
	held  [2]holding
	same  int // the entry's token; −1: not known yet
	entry *slot
	exits [2]*slot // by token: those that are watched
	goal  *slot    // the target that rests
	then  []*slot
	slots []*slot // all, by precedence

	withdraw  market.Instant // a withdrawal on its way for which nothing was held
	clockSent bool
	sent      int          // orders
	signalNow bool         // the instant is one of the entry's evaluation
	alive     bool         // orders on the entry are
	soldBy    []ExitReason // exits that sold the last of same since the last entry
	flat      bool
	flatAt    market.Instant
	closing   ExitReason // how it became flat, or would
	filledAt  market.Instant
	freedAt   market.Instant // a sell that rested ended: what it offered is free
	due       market.Instant
	changed   bool           // something that due depends on has, since it was worked out
	rests     bool           // an order of the strategy may rest
	remembers bool           // something was taken that may be met again
	steady    bool           // see isSteady
	plain     bool           // one entry that takes, once, and one exit that does
	ahead     tape.Ahead     // of one that is plain
	who       []int          // of Variants, whom it plays; nil: all
	flock     []member       // that hold the same, and are told apart as their exits trigger
	parted    []*Player      // who left the flock, until Parted is asked
	calm      bool           // nothing happened at the last capture that was evaluated
	moves     int            // of the tape then
	tick      market.Price   // of the tape then
	listens   bool           // see listening
	finished  bool           // the entry is evaluated no more
	seen      market.Instant // the last capture that was evaluated
	// entryUnfilled: an entry was accepted of which nothing has been filled.
	entryUnfilled bool
	proof         proof // the last
	scratch       []market.Level
	shown         [2]shown // by book, for World
	Outcome       Outcome

	own     [4]slot       // room for the exits, the target and the entry
	ladders [2]queue.Book // room for books
}

// New returns a player for a round.
func New(t *Terms, m *market.Market) *Player { return new(Player).Begin(t, m) }

// Begin makes a player one for another round, and returns it: nothing of the round before is
// left but the legs and limits of its outcome, which are who has them's.
func (d *Player) Begin(t *Terms, m *market.Market) *Player {
	s, exit := t.Strategy, t.Variants[0].Exit
	*d = Player{
		Terms: t, market: m, start: m.Start, end: m.End, exit: exit,
		candidates: tape.MakeCandidates(s, m, t.Trace != nil),
		named:      tape.Named(s, m),
		lastEntry:  FromEnd(exit, t.Latency, m.End),
		same:       -1, flat: true, withdraw: market.Latest, changed: true, rests: s.Rests(),
		Outcome: Outcome{AskAtSignal: market.NoPrice, BidAtSignal: market.NoPrice},
	}
	if t.Seam != nil {
		d.candidates = slices.DeleteFunc(d.candidates, func(c tape.Candidate) bool { return !t.Seam.Considers(m, c.Token) })
	}
	d.finished = len(d.candidates) == 0
	if len(d.candidates) == 1 && s.Side() != strategy.Either {
		d.same = d.candidates[0].Token
	}
	d.ladders[0].Rule, d.ladders[1].Rule = t.Queue, t.Queue
	if d.books = d.ladders[:len(m.Tokens)]; mirrors(m) {
		d.books = d.ladders[:1]
	}
	d.makeSlots()
	d.steady = d.isSteady()
	if d.plain = !d.rests && len(d.then) == 0 && s.Again() == nil; d.plain {
		d.ahead = tape.AheadOf(d.candidates, m)
	}
	d.plan(market.Earliest)
	return d
}

func mirrors(m *market.Market) bool { return m.Mirrored && len(m.Tokens) == 2 }

// makeSlots makes a slot for each order that may be sent.
func (d *Player) makeSlots() {
	s := d.Strategy
	d.slots = make([]*slot, 0, 2+len(s.Then()))
	d.goal = d.slot(&d.own[2], "exit", nil, nil)
	for i := range d.exits {
		d.own[i].name = "exit"
		d.exits[i] = &d.own[i]
	}
	for i := range s.Then() {
		o := &s.Then()[i]
		d.then = append(d.then, d.slot(new(slot), thenName(i), o.Order, o))
	}
	d.entry = d.slot(&d.own[3], "entry", s.Order(), nil)
}

func (d *Player) slot(x *slot, name string, spec *strategy.Order, then *strategy.Then) *slot {
	*x = slot{name: name, spec: spec, then: then, rank: len(d.slots), ended: market.Earliest, refused: market.Earliest}
	d.slots = append(d.slots, x)
	if spec == nil && then == nil {
		return x
	}
	x.asks = &asks{}
	lists := [2][]strategy.Condition{}
	if then != nil {
		lists[0] = then.When
	}
	if spec != nil {
		lists[1] = spec.CancelWhen
	}
	for token := range d.market.Tokens {
		x.when[token] = tape.MakeTests(lists[0], d.market, token)
		x.pull[token] = tape.MakeTests(lists[1], d.market, token)
	}
	for _, c := range slices.Concat(lists[0], lists[1]) {
		x.crosses = x.crosses || c.Comparator.IsCrossing()
		x.since = x.since || c.Type == strategy.SinceEntry
	}
	x.named[0], x.named[1] = tape.NamedBy(lists[0], d.market), tape.NamedBy(lists[1], d.market)
	return x
}

// Due returns the next instant at which something is due though nothing is captured;
// market.Latest: none.
func (d *Player) Due() market.Instant { return d.due }

// Minds reports whether a player may have to take note of captures: something rests, or what
// was taken is remembered.
func (d *Player) Minds() bool { return d.rests || d.remembers }

// Rests reports whether an order of the strategy may rest.
func (d *Player) Rests() bool { return d.rests }

// Saw takes note of a capture that the tape has just applied; repeats: of a trade that was
// noted before.
func (d *Player) Saw(t *tape.Tape, c *market.Capture, repeats bool) {
	if c.Kind == market.KindTrade && d.rests && !repeats {
		b, price := d.book(c.Token), c.Trade.Price
		if b != c.Token {
			price = price.Mirror()
		}
		d.books[b].Traded(price, c.Trade.Size)
		for i := range d.books {
			d.books[i].Seen()
		}
	}
	for i := range d.books {
		b := &d.books[i]
		if b.Untouched() {
			continue
		}
		b.Captured(func(side market.Side, p market.Price) market.Size { return t.Views[i].Shown(side, p) })
	}
}

// book returns the index of the book of a token, which is that of the token whose
// prices it has.
func (d *Player) book(token int) int {
	if len(d.books) == 1 {
		return 0
	}
	return token
}

// World fills what rests from the captures of an instant, which all have been applied.
func (d *Player) World(t *tape.Tape, at market.Instant) {
	if !d.rests {
		return
	}
	done := func(f queue.Fill) { d.filled(t, at, f) }
	order := d.tokens()
	for _, token := range order[:len(d.books)] {
		b, buys := d.book(token), market.Bid
		if d.books[b].Empty() {
			continue
		}
		d.shown[b] = shown{t, b}
		if b != token {
			buys = market.Ask
		}
		for _, side := range []market.Side{buys, buys.Opposite()} {
			d.books[b].Match(side, &d.shown[b], t.InGap(token, at), done)
		}
	}
	for i := range d.books {
		d.books[i].Next()
	}
}

// Messages does what is due at an instant: cancels, then orders by precedence, exits
// that stand first.
func (d *Player) Messages(t *tape.Tape, at market.Instant, capture bool) {
	for len(d.named) > 0 && d.named[0] < at {
		d.named = d.named[1:]
	}
	if at < d.due && !d.stands() {
		return
	}
	d.changed = true
	d.cancelsWork(at)
	for _, token := range d.tokens() {
		if o := d.exits[token].rest; o != nil && capture {
			d.sell(t, at, o, true)
		}
	}
	if d.withdraw <= at {
		d.withdraw = market.Latest
		d.withdrawAll(at)
	}
	for _, token := range d.tokens() {
		d.arriving(t, at, d.exits[token])
	}
	for _, x := range d.slots {
		d.arriving(t, at, x)
	}
}

// cancelsWork ends what rests and is to be cancelled by an instant, or expires.
func (d *Player) cancelsWork(at market.Instant) {
	for _, x := range d.slots {
		switch o := x.rest; {
		case o == nil:
		case o.cancel <= at:
			d.finish(x, at, Cancelled)
		case at >= d.end-lastCall:
			d.finish(x, at, Expired)
		}
	}
}

func (d *Player) arriving(t *tape.Tape, at market.Instant, x *slot) {
	if o := x.flight; o != nil && o.arrival <= at && o.arrival < d.end {
		d.arrive(t, at, o)
	}
}

// tokens returns the tokens in the order in which they come: the entry's first.
func (d *Player) tokens() [2]int {
	if d.same == 1 {
		return [2]int{1, 0}
	}
	return [2]int{0, 1}
}

// Evaluate looks at the triggers at an instant: cancels, as they are due before orders,
// then exits, further orders, the entry, exits again.
func (d *Player) Evaluate(t *tape.Tape, at market.Instant, capture bool) {
	if at >= d.start && at < d.end && !d.unmoved(t, at, capture) {
		t.Held = d
		d.signalNow = capture || len(d.named) > 0 && d.named[0] == at
		d.triggers(t, at, capture)
		if capture {
			d.arm(t, at)
			d.seen = at
		}
		t.Held = nil
		d.calm, d.moves = capture && d.steady && d.Trace == nil && !d.changed && !t.Partial, t.Moves
		d.tick = t.Tick
	}
	d.plan(at)
}

// triggers sends and cancels what is triggered.
func (d *Player) triggers(t *tape.Tape, at market.Instant, capture bool) {
	if d.rests {
		d.evaluateCancels(t, at, capture)
	}
	d.evaluateExits(t, at, capture)
	sent := d.sent
	for _, x := range d.then {
		d.evaluateThen(t, at, x, capture)
	}
	d.evaluateEntry(t, at, capture)
	if d.Latency == 0 && d.sent > sent { // else nothing has arrived since
		d.evaluateExits(t, at, capture)
	}
	if d.rests {
		d.cancelOrphans(at)
	}
}

// arm notes the values that crossings come from.
func (d *Player) arm(t *tape.Tape, at market.Instant) {
	for i := range d.candidates {
		d.candidates[i].Arm(t, at)
	}
	for _, x := range d.slots {
		if x.asks == nil || !x.crosses {
			continue
		}
		for token := range x.when {
			tape.ArmAll(x.when[token], t, at)
			tape.ArmAll(x.pull[token], t, at)
		}
	}
}

// plan works out the next instant at which something is due.
func (d *Player) plan(at market.Instant) {
	if at < d.due && !d.changed {
		return
	}
	d.due, d.changed, d.listens = market.Latest, false, d.listening()
	next := func(i market.Instant) {
		if i > at && i < d.end {
			d.due = min(d.due, i)
		}
	}
	for _, i := range d.named {
		next(i)
	}
	next(d.withdraw)
	next(d.lastEntry)
	if a := d.Strategy.Again(); a != nil && d.flat && d.flatAt > 0 {
		next(d.flatAt + seconds(a.AfterSeconds))
	}
	for token := range d.held {
		if h := &d.held[token]; h.shares > 0 {
			next(h.clock)
		}
		d.planFlight(d.exits[token], at)
	}
	for _, x := range d.slots {
		d.planSlot(x, at, next)
	}
}

// planFlight plans the arrival of an order, which on tops may be that of its signal.
func (d *Player) planFlight(x *slot, at market.Instant) {
	if o := x.flight; o != nil && o.arrival >= at && o.arrival < d.end {
		d.due = min(d.due, o.arrival)
	}
}

func (d *Player) planSlot(x *slot, at market.Instant, next func(market.Instant)) {
	d.planFlight(x, at)
	if x.rest != nil {
		next(x.rest.cancel)
		next(d.end - lastCall)
	}
	if x.asks == nil {
		return
	}
	for _, list := range x.named {
		if i, _ := slices.BinarySearch(list, at+1); i < len(list) {
			next(list[i])
		}
	}
	if x.then != nil && x.accepted > 0 {
		next(x.ended + seconds(x.then.AfterSeconds))
	}
	if x.since && d.same >= 0 && d.held[d.same].shares > 0 {
		for _, tests := range [][]tape.Test{x.when[d.same], x.pull[d.same]} {
			for i := range tests {
				if tests[i].Type == strategy.SinceEntry {
					next(d.held[d.same].first + market.Span(tests[i].Threshold))
				}
			}
		}
	}
}

func seconds(n int) market.Span { return market.Span(n) * market.Second }

// Settled reports whether nothing that is captured changes what becomes of the round.
func (d *Player) Settled() bool {
	if d.plain {
		return d.Holds() && !d.exiting() && d.held[d.same].idles(d.end) || !d.Holds() && (d.finished || d.entry.over || d.entry.accepted > 0)
	}
	a := d.Strategy.Again()
	most := 1
	if a != nil {
		most = a.MaxEntries
	}
	over := d.finished || d.entry.over || d.entry.accepted >= most
	return (over && len(d.then) == 0 || d.clockSent) && d.nothingHeld() && d.idle(true)
}

// idle reports whether nothing rests or is on its way; but for the entry on its way,
// unless entry says so.
func (d *Player) idle(entry bool) bool {
	for _, x := range d.exits {
		if x.flight != nil || x.rest != nil {
			return false
		}
	}
	for _, x := range d.slots {
		if x.rest != nil || x.flight != nil && (x != d.entry || entry) {
			return false
		}
	}
	return true
}

// over reports whether nothing is held and the entry does not rest.
func (d *Player) over() bool { return d.nothingHeld() && d.entry.rest == nil }

// settle looks whether the round has become flat.
func (d *Player) settle(at market.Instant) {
	if !d.over() {
		return
	}
	d.alive = false
	if !d.flat && d.idle(false) {
		d.flat, d.flatAt, d.changed = true, at, true
	}
}

// Finish settles what is held and returns what became of the round.
func (d *Player) Finish() *Outcome {
	for _, x := range d.slots {
		if x.rest != nil {
			d.finish(x, d.end-lastCall, Expired)
		}
	}
	at := d.SettledAt()
	for _, token := range d.tokens() {
		h := &d.held[token]
		f := d.pays(Settle, token, fills.Settle(h.shares, d.market.Payout.Fractions[token]))
		if f.Shares == 0 {
			continue
		}
		d.Outcome.Legs = append(d.Outcome.Legs, Leg{
			Action: Settle, Token: token, Time: at, Touch: market.NoPrice, Kind: fills.Settlement, Fill: f,
		})
		*h = holding{}
		d.Purse.received(f.Cash)
	}
	return &d.Outcome
}

// SettledAt returns the instant of the settlement.
func (d *Player) SettledAt() market.Instant {
	if d.market.ClosedAt != 0 {
		return d.market.ClosedAt
	}
	return d.end
}
