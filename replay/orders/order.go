package orders

import (
	"slices"
	"strconv"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// slot is an order of the strategy, of which one at a time is sent.
type slot struct {
	name string
	spec *strategy.Order // nil: it takes
	then *strategy.Then  // nil: the entry, the target, or an exit
	rank int             // precedence: lower goes first

	flight *order // on its way
	rest   *order // that rests; of an exit that is watched: that stands

	accepted int
	ended    market.Instant // of the last that was accepted
	refused  market.Instant // it is evaluated from the first instant after
	over     bool           // too late: it is evaluated no more
	counted  [NumReasons]bool

	*asks // nil: it asks for nothing
}

// asks are the conditions of a slot.
type asks struct {
	// By the token that is the entry's: what must hold to send it, and to cancel it.
	when, pull [2][]tape.Test
	named      [2][]market.Instant // instants that these name
	crosses    bool                // one of them is a crossing
	since      bool                // one of them counts from the entry
}

func thenName(i int) string { return "then." + strconv.Itoa(i) }

// order is an order that was sent.
type order struct {
	slot            *slot
	token           int
	buy             bool
	signal, arrival market.Instant
	limit           market.Price // of a limit order; of a buy that takes its cap
	rests           bool         // a limit order
	touch           market.Price // best price at the signal on the side that it takes from
	size            market.Size  // most shares; Unlimited: what the money pays
	money           market.Cash  // the most that a buy spends, fee included
	reason          ExitReason   // of a sale
	legs            int

	// hold is what a purse keeps for it.
	hold market.Cash

	// Of one that rests:
	own    *queue.Order
	made   market.Size // filled as it rested
	fee    market.Cash // the maker's so far
	cancel market.Instant
	record int // index in Outcome.Limits
}

// side is the side of its book that an order of a token rests on, its price there.
func (d *Player) side(token int, buy bool, p market.Price) (book int, side market.Side, price market.Price) {
	side = market.Ask
	if buy {
		side = market.Bid
	}
	if book = d.book(token); book != token {
		return book, side.Opposite(), p.Mirror()
	}
	return book, side, p
}

// left returns the shares of an order that rests which are not filled.
func (o *order) left() market.Size { return o.own.Left }

// refuseSignal counts an order that is not sent: once a round, order and reason.
func (d *Player) refuseSignal(x *slot, reason Reason) {
	d.changed = true // there may be cash by the next capture
	if x.counted[reason] {
		return
	}
	x.counted[reason] = true
	d.count(x, reason)
}

func (d *Player) count(x *slot, reason Reason) {
	if x == d.entry {
		d.Outcome.Refusals[reason]++
		return
	}
	d.Outcome.Then[reason]++
}

// refuse ends an order that arrived and was refused.
func (d *Player) refuse(t *tape.Tape, at market.Instant, o *order, reason Reason) {
	x := o.slot
	x.flight, x.refused = nil, at
	d.count(x, reason)
	d.Purse.release(o)
	d.Trace.refused(d, t, o, at, reason)
	d.settle(at)
}

// tooLate refuses an order that will arrive too late. Until then it is on its way.
func (d *Player) tooLate(t *tape.Tape, at market.Instant, o *order) {
	o.slot.over = true
	d.count(o.slot, TooLate)
	d.Purse.postpone(o)
	d.Trace.refused(d, t, o, o.arrival, TooLate)
	if o.arrival == at {
		d.arrive(t, at, o)
	}
}

// limitOf works out the limit of an order at its signal, or why there is none. Nothing
// rests where only prices are captured.
func (d *Player) limitOf(t *tape.Tape, spec *strategy.Order, token int, buy bool) (p market.Price, reason Reason, ok bool) {
	v := &t.Views[token]
	if v.Stream < tape.QuoteStream {
		return 0, NoLiquidity, false
	}
	bid, ask := v.Quote.Bid.Price, v.Quote.Ask.Price
	var at int64 // in units of 1e-6 USD
	switch {
	case spec.RestAt != nil:
		at = int64(*spec.RestAt)
	case spec.RestFromBid != nil && bid == market.NoPrice, spec.RestFromAsk != nil && ask == market.NoPrice:
		return 0, NoLiquidity, false
	case spec.RestFromBid != nil:
		at = int64(bid)*100 + int64(*spec.RestFromBid)
	default:
		at = int64(ask)*100 - int64(*spec.RestFromAsk)
	}
	p, ok = d.onTick(t, at, buy)
	return p, BadLimit, ok
}

// onTick moves a price in units of 1e-6 USD to the market's tick: a buy's down, a sell's
// up. ok: it lies between 0 and 1.
func (d *Player) onTick(t *tape.Tape, at int64, buy bool) (p market.Price, ok bool) {
	tick := int64(t.Tick)
	if tick <= 0 {
		tick = int64(usualTick)
	}
	tick *= 100
	steps := at / tick
	if at < 0 {
		return 0, false
	}
	if !buy && steps*tick < at {
		steps++
	}
	at = steps * tick / 100
	return market.Price(at), at > 0 && at < int64(market.PriceOne)
}

// evaluateEntry looks at the entry and sends it when it holds.
func (d *Player) evaluateEntry(t *tape.Tape, at market.Instant, capture bool) {
	if !d.mayEnter(at) {
		return
	}
	if at >= d.lastEntry {
		d.finished = true
		return
	}
	if !t.Started {
		return
	}
	c := tape.Choose(d.candidates, t, at, capture, d.Trace.look(t, at, capture))
	if c == nil {
		return
	}
	d.Outcome.Signalled = true
	o := &order{slot: d.entry, token: c.Token, buy: true, size: fills.Unlimited, money: d.Budget}
	if z := d.Strategy.Size(); z != nil && z.Shares != 0 {
		o.size = market.Size(d.scaled(z.Shares))
	}
	d.send(t, at, o)
}

// mayEnter reports whether the entry is evaluated at an instant.
func (d *Player) mayEnter(at market.Instant) bool {
	x := d.entry
	again := d.again(at)
	named := d.signalNow || again && at == d.flatAt+seconds(d.Strategy.Again().AfterSeconds)
	return named && !d.finished && !x.over && x.flight == nil && x.rest == nil && x.refused < at &&
		!d.exiting() && (x.accepted == 0 || again)
}

// again reports whether the entry is evaluated once more.
func (d *Player) again(at market.Instant) bool {
	a := d.Strategy.Again()
	return a != nil && d.entry.accepted > 0 && d.entry.accepted < a.MaxEntries &&
		d.flat && at > d.flatAt && at >= d.flatAt+seconds(a.AfterSeconds) && a.Follows(strategy.Reason(d.closing))
}

// exiting reports whether an exit has been signalled that has not sold.
func (d *Player) exiting() bool {
	for _, x := range d.exits {
		if x.flight != nil || x.rest != nil {
			return true
		}
	}
	return false
}

// stands reports whether an exit stands, which is tried again at every capture.
func (d *Player) stands() bool { return d.exits[0].rest != nil || d.exits[1].rest != nil }

// evaluateThen looks at a further order: sends it when its trigger holds.
func (d *Player) evaluateThen(t *tape.Tape, at market.Instant, x *slot, capture bool) {
	o := x.then
	switch {
	case x.over, x.flight != nil, x.rest != nil, x.refused >= at, x.accepted >= o.Times, d.exiting(), !d.lives(x), d.same < 0, !t.Started:
		return
	case o.Do == strategy.Buy && at >= d.lastEntry:
		return
	case x.accepted > 0 && at < x.ended+seconds(o.AfterSeconds):
		return
	case !capture && d.filledAt != at && !d.names(x, x.when[d.same], 0, at) &&
		!(x.accepted > 0 && at == x.ended+seconds(o.AfterSeconds)):
		return
	case !tape.AllHold(x.when[d.same], t, at, capture):
		return
	}
	token := d.same
	if o.Token == strategy.TokenOpposite {
		token = 1 - d.same
	}
	if token >= len(d.market.Tokens) {
		return
	}
	d.sendThen(t, at, x, token)
}

// names reports whether an instant is one that a slot's tests name, or the round's
// start.
func (d *Player) names(x *slot, tests []tape.Test, list int, at market.Instant) bool {
	for _, i := range x.named[list] {
		if i == at {
			return true
		}
	}
	if first, ok := d.Since(d.same); ok {
		for i := range tests {
			if tests[i].Type == strategy.SinceEntry && first+market.Span(tests[i].Threshold) == at {
				return true
			}
		}
	}
	return at == d.start
}

// lives reports whether a further order is alive.
func (d *Player) lives(x *slot) bool {
	switch x.then.On {
	case strategy.OnEntry:
		return d.alive
	case strategy.OnStart:
		return true
	case strategy.OnExit:
		return len(d.soldBy) > 0
	}
	return slices.Contains(d.soldBy, ExitReason(x.then.On))
}

// sendThen sends a further order of the size that it has at its signal.
func (d *Player) sendThen(t *tape.Tape, at market.Instant, x *slot, token int) {
	w := x.then
	o := &order{slot: x, token: token, buy: w.Do == strategy.Buy, size: fills.Unlimited, money: unbounded, reason: ByOrder}
	h := &d.held[token]
	switch {
	case !o.buy && h.shares == 0:
		return // nothing to sell
	case w.USD != 0:
		o.money = market.Cash(d.scaled(w.USD))
	case w.Shares != 0:
		o.size = market.Size(d.scaled(w.Shares))
	case w.Fraction != 0:
		o.size = fraction(h.bought, w.Fraction)
	default:
		if o.size = d.held[1-token].shares - h.shares - d.coming(token); o.size < fills.Lot {
			return // nothing to match
		}
	}
	d.send(t, at, o)
}

// fraction returns a part of shares, rounded down to a Lot.
func fraction(s market.Size, f strategy.Number) market.Size {
	a := fills.Scaled(int64(f), s) // in units of 1e-12 share
	n := market.Size(a.Floor())
	return n - n%fills.Lot
}

// coming returns the shares of a token that buys on their way or resting may bring. Of
// a buy that takes for dollars it is what they pay at the touch.
func (d *Player) coming(token int) market.Size {
	n := market.Size(0)
	for _, x := range d.slots {
		if o := x.rest; o != nil && o.buy && o.token == token {
			n += o.left()
		}
		if o := x.flight; o != nil && o.buy && o.token == token {
			size := o.size
			if size == fills.Unlimited {
				size = most(o.touch, o.money, size, &d.Taker)
			}
			n += size
		}
	}
	return n
}

// send sends an order at its signal, or says why not.
func (d *Player) send(t *tape.Tape, at market.Instant, o *order) {
	x := o.slot
	q := &t.Views[o.token].Quote
	if o.touch = q.Bid.Price; o.buy {
		o.touch = q.Ask.Price
	}
	if reason, ok := d.price(t, o); !ok {
		d.refuseSignal(x, reason)
		return
	}
	if d.sent >= MaxSent && d.Strategy.Extended() {
		d.refuseSignal(x, TooMany)
		return
	}
	if o.buy {
		if reason, ok := d.Purse.admit(d, o, at); !ok {
			d.refuseSignal(x, reason)
			return
		}
	}
	if o.rests && o.buy {
		o.size = most(o.limit, o.money, o.size, d.owes(x.spec))
	}
	o.size -= o.size % fills.Lot * boolean(o.size != fills.Unlimited)
	if o.buy {
		d.Purse.keep(d, o)
	}
	d.dispatch(t, at, o)
}

func boolean(b bool) market.Size {
	if b {
		return 1
	}
	return 0
}

// price sets the limit or the cap of an order.
func (d *Player) price(t *tape.Tape, o *order) (reason Reason, ok bool) {
	switch {
	case o.slot.spec != nil:
		o.rests = true
		o.limit, reason, ok = d.limitOf(t, o.slot.spec, o.token, o.buy)
		return reason, ok
	case o.rests: // a target, which has its price
	case o.touch == market.NoPrice:
		return NoLiquidity, false
	case !o.buy:
		o.limit = 0
	default:
		o.limit = d.Cap(o.touch)
	}
	return 0, true
}

// dispatch sends an order on its way.
func (d *Player) dispatch(t *tape.Tape, at market.Instant, o *order) {
	d.sent++
	d.changed = true
	o.signal, o.arrival, o.cancel = at, at+d.travels(o), market.Latest
	o.slot.flight = o
	d.flat = d.flat && o.slot == d.entry // what is on its way may hold again
	last := d.end
	if o.rests {
		last -= lastCall
	}
	switch {
	case o.arrival >= last && (o.slot == d.entry || o.slot.then != nil || o.rests):
		d.tooLate(t, at, o)
	case o.arrival == at && !t.Partial: // else it waits to be proved, or for captures
		d.arrive(t, at, o)
	}
}

// evaluateCancels sends the cancels that are due at an instant.
func (d *Player) evaluateCancels(t *tape.Tape, at market.Instant, capture bool) {
	for _, x := range d.slots {
		if x.rest != nil {
			d.evaluateCancel(t, at, x, capture)
		}
	}
	d.cancelOrphans(at)
}

// cancelOrphans sends cancels to the orders on the entry that rest once all is over.
func (d *Player) cancelOrphans(at market.Instant) {
	if !d.over() {
		return
	}
	for _, x := range d.then {
		if o := x.rest; o != nil && x.then.On == strategy.OnEntry && o.cancel > at+d.Latency {
			d.changed = true
			if o.cancel = at + d.Latency; d.Latency == 0 {
				d.finish(x, at, Cancelled)
			}
		}
	}
}

// evaluateCancel sends a cancel to an order that rests when its conditions hold.
func (d *Player) evaluateCancel(t *tape.Tape, at market.Instant, x *slot, capture bool) {
	o := x.rest
	works := at + d.Latency
	if x.spec == nil || len(x.spec.CancelWhen) == 0 || o.cancel <= works || d.exiting() {
		return
	}
	same := o.token
	if x.then != nil {
		same = d.same
	}
	tests := x.pull[same]
	named := capture || d.filledAt == at || at == o.own.Arrived || d.names(x, tests, 1, at)
	if !named || !tape.AllHold(tests, t, at, capture) {
		return
	}
	d.changed = true
	if o.cancel = works; works == at {
		d.finish(x, at, Cancelled)
	}
}
