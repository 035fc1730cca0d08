package orders

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/replay/tape"
)

// shown is one ladder as a tape shows it, with the prices of the token whose it is.
type shown struct {
	t     *tape.Tape
	token int
}

// Size returns what rests at a price: Endless under what the stream shows, which of a
// quote is its best price alone.
func (s shown) Size(side market.Side, p market.Price) market.Size {
	v := &s.t.Views[s.token]
	best, next := v.Quote.Bid.Price, p+1
	if side == market.Ask {
		best, next = v.Quote.Ask.Price, p-1
	}
	worse := best != market.NoPrice && (side == market.Bid && p < best || side == market.Ask && p > best)
	if worse && (v.Stream == tape.QuoteStream || v.Next(side, next).Price == market.NoPrice) {
		return queue.Endless
	}
	return v.Shown(side, p)
}

// Levels appends what rests on a side, best first, up to and with a price.
func (s shown) Levels(dst []market.Level, side market.Side, to market.Price) []market.Level {
	dst = s.t.Ladder(dst, s.token, side, to)
	if n := len(dst); n > 0 && (side == market.Ask && dst[n-1].Price > to || side == market.Bid && dst[n-1].Price < to) {
		dst = dst[:n-1]
	}
	return dst
}

// Best returns the best price of a side; NoPrice: nothing is there.
func (s shown) Best(side market.Side) market.Price {
	if side == market.Bid {
		return s.t.Views[s.token].Quote.Bid.Price
	}
	return s.t.Views[s.token].Quote.Ask.Price
}

// Crossed reports whether the best bid is above the best ask.
func (s shown) Crossed() bool { return crossed(&s.t.Views[s.token].Quote) }

func crossed(q *market.Quote) bool {
	return q.Bid.Price != market.NoPrice && q.Ask.Price != market.NoPrice && q.Bid.Price > q.Ask.Price
}

// arrive takes an order to the market.
func (d *Player) arrive(t *tape.Tape, at market.Instant, o *order) {
	switch {
	case o.slot == d.exits[0], o.slot == d.exits[1]:
		d.exitArrives(t, at, o)
		return
	case o.slot.over, !o.buy && !d.cutToFree(o): // too late, or void
		o.slot.flight, o.slot.refused = nil, at
		d.settle(at)
		return
	}
	reason, ok := d.blocked(t, o.token, at)
	if ok && o.rests {
		reason, ok = d.admits(t, o)
	}
	switch {
	case !ok:
		d.refuse(t, at, o, reason)
	case o.rests:
		d.accept(at, o)
		d.rest(t, at, o)
	case o.buy:
		d.takeAsks(t, at, o)
	default:
		d.takeBids(t, at, o)
	}
}

// blocked says why no order can be filled or rest at an instant whatever the ladder
// holds; ok: nothing stands in the way.
func (d *Player) blocked(t *tape.Tape, token int, at market.Instant) (reason Reason, ok bool) {
	v := &t.Views[token]
	limit := d.Stale(v.Stream == tape.LadderStream)
	switch {
	case t.InGap(token, at):
		return InGap, false
	case limit > 0 && at-t.Last > limit:
		return StaleBook, false
	case crossed(&v.Quote):
		return Crossed, false
	}
	return 0, true
}

// admits says why a limit order may not rest.
func (d *Player) admits(t *tape.Tape, o *order) (reason Reason, ok bool) {
	q := &t.Views[o.token].Quote
	b, side, price := d.side(o.token, o.buy, o.limit)
	meets := o.buy && q.Ask.Price != market.NoPrice && q.Ask.Price <= o.limit ||
		!o.buy && q.Bid.Price != market.NoPrice && q.Bid.Price >= o.limit
	switch {
	case meets && o.slot.spec != nil && o.slot.spec.PostOnly:
		return WouldCross, false
	case o.size < max(d.market.MinSize, fills.Lot):
		return BelowMinSize, false
	case d.books[b].Meets(side.Opposite(), price):
		return SelfCross, false
	}
	return 0, true
}

// accept notes that an order is accepted.
func (d *Player) accept(at market.Instant, o *order) {
	x := o.slot
	x.flight, x.refused = nil, market.Earliest
	x.accepted++
	x.ended = at
	d.flat = false
	if x == d.entry {
		d.Outcome.Entries++
		d.same, d.soldBy = o.token, nil
		d.entryUnfilled = true
	}
}

// takeAsks fills a buy at its arrival, or refuses it.
func (d *Player) takeAsks(t *tape.Tape, at market.Instant, o *order) {
	asks := d.offered(t, at, o)
	switch {
	case len(asks) == 0, asks[0] == market.Level{Size: fills.Unlimited}:
		d.refuse(t, at, o, NoLiquidity) // also: for nothing, and without a size
		return
	case asks[0].Price > o.limit:
		d.refuse(t, at, o, Capped)
		return
	}
	p := d.proof.bought
	if !t.Partial || d.proof.of != o {
		p = fills.Buy(asks, o.limit, o.money, o.size, &d.Taker)
	}
	p.Fill = d.pays(Buy, o.token, p.Fill)
	if p.Shares < max(d.market.MinSize, fills.Lot) {
		d.refuse(t, at, o, BelowMinSize)
		return
	}
	if cut, own := d.apart(o, asks); own {
		p = fills.Buy(cut, o.limit, o.money, o.size, &d.Taker)
		if p.Shares == 0 {
			d.refuse(t, at, o, SelfCross)
			return
		} else if p.Shares < d.market.MinSize {
			d.refuse(t, at, o, BelowMinSize)
			return
		}
	}
	d.Outcome.Partial = d.Outcome.Partial || p.Exhausted
	d.Outcome.CapBound = d.Outcome.CapBound || p.Exhausted && p.Beyond
	d.accept(at, o)
	d.took(t, at, o, p.Fill)
	d.Purse.release(o)
	d.settle(at)
}

// takeBids fills a sell at its arrival, or refuses it.
func (d *Player) takeBids(t *tape.Tape, at market.Instant, o *order) {
	bids := d.offered(t, at, o)
	f := fills.Sell(bids, o.size, &d.Taker)
	cut, own := d.apart(o, bids)
	least := max(d.market.MinSize, fills.Lot)
	switch {
	case len(bids) == 0:
		d.refuse(t, at, o, NoLiquidity)
		return
	case f.Shares < least:
		d.refuse(t, at, o, BelowMinSize)
		return
	case own:
		if f = fills.Sell(cut, o.size, &d.Taker); f.Shares == 0 {
			d.refuse(t, at, o, SelfCross)
			return
		} else if f.Shares < least {
			d.refuse(t, at, o, BelowMinSize)
			return
		}
	}
	d.accept(at, o)
	d.took(t, at, o, f)
	d.settle(at)
}

// offered returns what an order meets, best first, with the first level beyond its
// limit, less what was taken. It is valid until the next call.
func (d *Player) offered(t *tape.Tape, at market.Instant, o *order) []market.Level {
	side := market.Bid
	if o.buy {
		side = market.Ask
	}
	d.scratch = t.Ladder(d.scratch[:0], o.token, side, o.limit)
	return d.meets(o, at, d.available(d.scratch, o.token, side))
}

// available takes off levels of a token what was taken.
func (d *Player) available(levels []market.Level, token int, side market.Side) []market.Level {
	b := d.book(token)
	if b == token {
		d.books[b].Available(side, levels)
		return levels
	}
	flip(levels)
	d.books[b].Available(side.Opposite(), levels)
	flip(levels)
	return levels
}

func flip(levels []market.Level) {
	for i := range levels {
		levels[i].Price = levels[i].Price.Mirror()
	}
}

// apart returns the levels before the first own order that rests, and whether one cuts
// any off.
func (d *Player) apart(o *order, levels []market.Level) (before []market.Level, cut bool) {
	b, side, _ := d.side(o.token, o.buy, 0)
	best, ok := d.books[b].Best(side.Opposite())
	if !ok {
		return levels, false
	}
	if b != o.token {
		best = best.Mirror()
	}
	for i, l := range levels {
		if o.buy && l.Price >= best || !o.buy && l.Price <= best {
			return levels[:i], true
		}
	}
	return levels, false
}

// rest lets a limit order rest once it has taken what is there within its limit.
func (d *Player) rest(t *tape.Tape, at market.Instant, o *order) {
	x := o.slot
	b, side, price := d.side(o.token, o.buy, o.limit)
	o.own = &queue.Order{Side: side, Price: price, Left: o.size, Arrived: at, Rank: x.rank}
	if x.rest != nil {
		d.drop(x, at, Replaced)
	}
	x.rest = o
	action := Sell
	if o.buy {
		action = Buy
	}
	o.record = len(d.Outcome.Limits)
	d.Outcome.Limits = append(d.Outcome.Limits, Limit{
		Order: x.name, Token: o.token, Action: action, Price: o.limit, Signal: o.signal, Accepted: at, Sent: o.size, Rank: x.rank,
	})
	if x.spec != nil && x.spec.CancelAfterSeconds > 0 {
		o.cancel = at + seconds(x.spec.CancelAfterSeconds) + d.Latency
	}
	if f := d.within(t, at, o); f.Shares > 0 {
		d.took(t, at, o, f)
		if o.own.Left == 0 {
			d.finish(x, at, Filled)
			return
		}
	}
	if x.rest == o { // else what it sold was merged
		d.books[b].Rest(o.own, shown{t, b})
		d.Trace.rested(o, at)
		d.fit(at)
		d.settle(at)
	}
}

// within returns what a limit order takes at its arrival.
func (d *Player) within(t *tape.Tape, at market.Instant, o *order) fills.Fill {
	levels := d.offered(t, at, o)
	if n := len(levels); n > 0 && (o.buy && levels[n-1].Price > o.limit || !o.buy && levels[n-1].Price < o.limit) {
		levels = levels[:n-1]
	}
	if o.buy {
		return fills.Buy(levels, o.limit, unbounded, o.size, &d.Taker).Fill
	}
	return fills.Sell(levels, o.size, &d.Taker)
}

// took books what an order took from what was shown.
func (d *Player) took(t *tape.Tape, at market.Instant, o *order, f fills.Fill) {
	b, side, _ := d.side(o.token, o.buy, 0)
	if o.own != nil {
		o.own.Left -= f.Shares
		d.Outcome.Limits[o.record].Taken += f.Shares
	}
	d.enter(t, at, o, Leg{Touch: o.touch, Kind: t.Views[o.token].Stream.Fill(), Fill: f})
	if d.plain && !(o.slot.rest == o) {
		return // an exit meets another side than the entry, and itself where it stands
	}
	d.remembers = true
	for _, l := range f.Levels {
		if b != o.token {
			l.Price = l.Price.Mirror()
		}
		d.books[b].Take(side.Opposite(), l)
	}
}

// filled books what an order that rests got at a capture.
func (d *Player) filled(t *tape.Tape, at market.Instant, f queue.Fill) {
	x := d.slotOf(f.Order)
	if x == nil {
		return
	}
	o := x.rest
	d.Trace.wore(o, at, f)
	if f.Size == 0 {
		return
	}
	o.made += f.Size
	d.Outcome.Limits[o.record].Rested += f.Size
	// The maker's fee is rounded once over the order: a leg has the growth.
	fee := d.Maker.Fee([]market.Level{{Price: o.limit, Size: o.made}})
	leg := fills.Fill{
		Levels: []market.Level{{Price: o.limit, Size: f.Size}}, Shares: f.Size, Value: fills.Value(o.limit, f.Size), Fee: fee - o.fee,
	}
	o.fee = fee
	if leg.Cash = leg.Value.Floor(); o.buy {
		leg.Cash = leg.Value.Ceil()
	}
	over := o.own.Left == 0
	d.enter(t, at, o, Leg{Touch: market.NoPrice, Kind: fills.Resting, Fill: leg})
	if over && x.rest == o {
		d.finish(x, at, Filled)
	}
	d.settle(at)
}

func (d *Player) slotOf(own *queue.Order) *slot {
	for _, x := range d.slots {
		if x.rest != nil && x.rest.own == own {
			return x
		}
	}
	return nil
}

// enter books a leg: what is held, what was paid, and what follows at once.
func (d *Player) enter(t *tape.Tape, at market.Instant, o *order, leg Leg) {
	x := o.slot
	leg.Action, leg.Token, leg.Order, leg.Time, leg.AsOf = Buy, o.token, x.name, at, t.AsOf()
	if o.legs == 0 {
		leg.Signal = o.signal
	}
	o.legs++
	d.filledAt, d.flat, d.changed = at, false, true
	h := &d.held[o.token]
	if o.buy {
		if len(d.Outcome.Legs) == 0 {
			d.Outcome.AskAtSignal = o.touch
		}
		d.Purse.paid(o, leg.Cash+leg.Fee)
		h.buy(&leg.Fill, at)
		h.setExits(d.exit, d.lastEntry)
		if x == d.entry {
			d.alive, d.entryUnfilled = true, false
			d.gather(h)
		}
		d.Outcome.Legs = append(d.Outcome.Legs, leg)
		d.Trace.filled(d, t, o, at, leg)
		d.pairOff(at)
		return
	}
	leg.Action, leg.Reason = Sell, o.reason
	d.Outcome.Legs = append(d.Outcome.Legs, leg)
	d.Trace.filled(d, t, o, at, leg)
	h.drop(leg.Shares)
	d.closing = o.reason
	d.Purse.received(leg.Cash - leg.Fee)
	if o.token == d.same && h.shares == 0 && x.then == nil {
		d.soldBy = append(d.soldBy, o.reason)
	}
	d.fit(at)
}

// pairOff gives shares held of both tokens back in pairs.
func (d *Player) pairOff(at market.Instant) {
	n := min(d.held[0].shares, d.held[1].shares)
	if !d.Strategy.Merges() || n == 0 {
		return
	}
	f := fills.Settle(n, market.CashOne)
	f.Levels = []market.Level{{Price: market.PriceOne, Size: n}}
	d.Outcome.Legs = append(d.Outcome.Legs, Leg{
		Action: Merge, Token: d.same, Reason: Merged, Time: at, Touch: market.NoPrice, Kind: fills.Merge, Fill: f,
	})
	d.held[0].drop(n)
	d.held[1].drop(n)
	d.closing = Merged
	d.Purse.received(f.Cash)
	d.fit(at)
}

// finish ends an order that rests.
func (d *Player) finish(x *slot, at market.Instant, end End) {
	o := x.rest
	d.drop(x, at, end)
	if x == d.entry && d.entryUnfilled {
		d.closing, d.entryUnfilled = cancelled, false
	}
	d.Purse.release(o)
	d.settle(at)
}

// drop takes an order that rests out of its book.
func (d *Player) drop(x *slot, at market.Instant, end End) {
	o := x.rest
	b, _, _ := d.side(o.token, o.buy, 0)
	d.books[b].Remove(o.own)
	x.rest, x.ended, d.changed = nil, at, true
	if !o.buy {
		d.freedAt = at
	}
	l := &d.Outcome.Limits[o.record]
	l.Ended, l.End, l.Heard = at, end, d.books[b].Heard()
}
