package orders

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
	"github.com/ladderback/ladderback/replay/tape"
)

// evaluateExits looks at the exits of both tokens, and at the target that rests.
func (d *Player) evaluateExits(t *tape.Tape, at market.Instant, capture bool) {
	if at >= d.lastEntry && !d.clockSent {
		d.clockSent, d.changed = true, true
		if d.nothingHeld() {
			d.withdraw = at + d.Latency
			if d.Latency == 0 {
				d.withdraw = market.Latest
				d.withdrawAll(at)
			}
		}
	}
	for _, token := range d.tokens() {
		x := d.exits[token]
		if d.held[token].shares == 0 || x.flight != nil || x.rest != nil {
			continue
		}
		reason := d.triggered(t, at, token, &d.held[token])
		d.Trace.position(d, t, token, at, capture, reason)
		switch {
		case reason == "":
		case d.flock != nil:
			d.part(t, at)
		default:
			d.leave(t, at, token, reason)
		}
	}
	d.evaluateTarget(t, at)
}

// leave sends the exit of a token.
func (d *Player) leave(t *tape.Tape, at market.Instant, token int, reason ExitReason) {
	o := &order{slot: d.exits[token], token: token, reason: reason, touch: t.Views[token].Quote.Bid.Price}
	d.Outcome.BidAtSignal = o.touch
	d.dispatch(t, at, o)
}

// triggered returns the exit of a token that triggers at an instant: the stop before the
// profit, that before the clock. But for the clock exits judge the entry's token.
func (d *Player) triggered(t *tape.Tape, at market.Instant, token int, h *holding) ExitReason {
	if token == d.same && !d.quiet(t, h) {
		got := d.executable(t, token)
		switch {
		case got.Known() && h.stopped(got):
			return StopLoss
		case h.goal.used && !d.exit.RestTakeProfit && got.Known() && h.targeted(d.whole(t, got, h)):
			return TakeProfit
		}
	}
	if at >= h.clock {
		return EndOfWindow
	}
	return ""
}

// quiet reports whether the best bid alone tells that neither target nor stop triggers.
func (d *Player) quiet(t *tape.Tape, h *holding) bool {
	b := d.bounds(d.same, h)
	return b.Hold(t.Views[d.same].Quote.Bid, t.Near[d.same])
}

// bounds are those within which a best bid triggers neither target nor stop: what the bids
// take is at most the best of them, and just that where it holds all shares.
func (d *Player) bounds(token int, h *holding) skim.Bounds {
	b := skim.Bounds{Token: token, High: market.PriceOne + 1, Low: market.NoPrice, Size: h.shares}
	if h.goal.used && !d.exit.RestTakeProfit {
		b.High = h.goal.price
	}
	if h.trail > 0 {
		b.High = 0 // any bid moves it, or triggers
	}
	if h.stop.used {
		b.Low = h.stop.price
	}
	return b
}

// whole is what the bids pay for all that is held, a share: what they cannot take counts
// at 0.
func (d *Player) whole(t *tape.Tape, got fills.Average, h *holding) fills.Average {
	v := fills.Average{Value: got.Value, Shares: h.shares}
	if d.Seam != nil {
		v = d.Seam.Judges(v, t.Views[d.same].Quote.Bid)
	}
	return v
}

// exitArrives withdraws all that rests in the round, and sells all that is held of the
// token by then.
func (d *Player) exitArrives(t *tape.Tape, at market.Instant, o *order) {
	o.slot.flight = nil
	d.withdrawAll(at)
	if d.held[o.token].shares == 0 {
		d.settle(at)
		return // void
	}
	o.slot.rest = o
	d.sell(t, at, o, false)
}

// sell takes an exit to the market: at its arrival, or at a later capture. What cannot
// be sold stays.
func (d *Player) sell(t *tape.Tape, at market.Instant, o *order, retry bool) {
	if reason, ok := d.blocked(t, o.token, at); !ok {
		d.Trace.tried(d, t, o, at, retry, reason)
		return
	}
	f := d.pays(Sell, o.token, fills.Sell(d.offered(t, at, o), d.held[o.token].shares, &d.Taker))
	if f.Shares == 0 {
		d.Trace.tried(d, t, o, at, retry, NoLiquidity)
		return
	}
	over := f.Shares == d.held[o.token].shares
	if over {
		o.slot.rest = nil
	}
	d.took(t, at, o, f)
	if over {
		d.settle(at)
	}
}

// withdrawAll ends all that rests in the round.
func (d *Player) withdrawAll(at market.Instant) {
	for _, x := range d.slots {
		if x.rest != nil {
			d.finish(x, at, Withdrawn)
		}
	}
}

// evaluateTarget sends the target that rests where it is for less, or at another price,
// than what no other sell has.
func (d *Player) evaluateTarget(t *tape.Tape, at market.Instant) {
	if !d.mayTarget(at) {
		return
	}
	x := d.goal
	size := d.free(d.same, len(d.then))
	p, ok := d.goalPrice(t)
	switch {
	case x.rest != nil && x.rest.limit == p && x.rest.left() >= size, size < max(d.market.MinSize, fills.Lot):
		return
	case t.Views[d.same].Stream < tape.QuoteStream:
		d.refuseSignal(x, NoLiquidity)
		return
	case !ok:
		d.refuseSignal(x, BadLimit)
		return
	case d.sent >= MaxSent:
		d.refuseSignal(x, TooMany)
		return
	}
	d.dispatch(t, at, &order{
		slot: x, token: d.same, limit: p, rests: true, size: size, reason: TakeProfit, touch: t.Views[d.same].Quote.Bid.Price,
	})
}

// mayTarget reports whether the target that rests is looked at. Behind a refusal it is at
// an instant of evaluation, and where another sell gives back what it offered.
func (d *Player) mayTarget(at market.Instant) bool {
	x := d.goal
	if !d.exit.RestTakeProfit || d.same < 0 || !d.held[d.same].goal.used || x.over || x.flight != nil || d.exiting() {
		return false
	}
	return x.refused == market.Earliest || x.refused < at && (d.signalNow || d.filledAt == at || d.freedAt == at)
}

// goalPrice returns the target's price, moved up to the tick.
func (d *Player) goalPrice(t *tape.Tape) (market.Price, bool) {
	return d.onTick(t, d.held[d.same].goal.at, false)
}

// free returns the shares held of a token that the first so many further orders do not
// offer; the target's count as free.
func (d *Player) free(token, before int) market.Size {
	n := d.held[token].shares
	for _, x := range d.then[:before] {
		if o := x.rest; o != nil && !o.buy && o.token == token {
			n -= o.left()
		}
	}
	return n
}

// cutToFree cuts a sell that arrives to the shares that it may offer, and reports
// whether there are any.
func (d *Player) cutToFree(o *order) bool {
	before := len(d.then)
	for i, x := range d.then {
		if x == o.slot {
			before = i
		}
	}
	free := d.free(o.token, before)
	o.size = min(o.size, free)
	return free > 0
}

// fit cuts the sells that rest to what is held: the target first, then the last of the
// further orders.
func (d *Player) fit(at market.Instant) {
	for _, token := range d.tokens() {
		over := -d.free(token, len(d.then))
		if o := d.goal.rest; o != nil && o.token == token {
			over += o.left()
			over = d.cut(d.goal, at, over)
		}
		for i := len(d.then) - 1; i >= 0 && over > 0; i-- {
			if o := d.then[i].rest; o != nil && !o.buy && o.token == token {
				over = d.cut(d.then[i], at, over)
			}
		}
	}
}

// cut takes shares off an order that rests, in place, and returns what is left of them.
func (d *Player) cut(x *slot, at market.Instant, over market.Size) market.Size {
	o := x.rest
	n := min(max(0, over), o.left())
	if n == 0 {
		return over
	}
	o.own.Left -= n
	d.Outcome.Limits[o.record].Sent -= n
	if o.own.Left == 0 {
		d.finish(x, at, Cut)
	}
	return over - n
}
