package oracle

import (
	"math/big"
	"slices"
	"sort"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/internal/oracle/seen"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// mightOwe is the most that an order of so many shares at its limit may be charged:
// a post-only order the maker's fee, any other what is larger.
func (p *play) mightOwe(l *object.Limit, at market.Price, n market.Size) *big.Rat {
	levels := []market.Level{{Price: at, Size: n}}
	maker := p.makerFee()(levels)
	if l != nil && l.PostOnly {
		return maker
	}
	return exact.Larger(maker, p.takerFee()(levels))
}

// costAt is what n shares cost at a price, with the fee that they might owe.
func (p *play) costAt(l *object.Limit, at market.Price, n market.Size) *big.Rat {
	return exact.Add(exact.Ceil(exact.Mul(exact.Price(at), exact.Size(n)), 1_000_000), p.mightOwe(l, at, n))
}

// lotsWithin is the largest multiple of 0.01 share that fits.
func lotsWithin(fits func(n market.Size) bool) market.Size {
	const most = 200_000_000_000_000
	return market.Size(sort.Search(most, func(n int) bool { return !fits(market.Size(n+1) * lot) })) * lot
}

// funds are what a buy may spend; nil: no bound.
type funds struct {
	dollars *big.Rat
	shares  market.Size // endless: no bound
}

// sendEntry sends the entry for a token, or says why not.
func (p *play) sendEntry(token int) {
	s, st := &p.entry, seen.AsOf(p.Frames, p.now).Tokens[token]
	o := &order{name: "entry", slot: s, rank: rankEntry, token: token, spec: p.s.Order}
	f := funds{dollars: p.s.Budget.Rat, shares: endless}
	at, why := p.priced(o, st)
	if why == "" && p.s.Size != nil && !p.stopped() {
		why = p.sized(&f, o, at)
	}
	p.sendBuy(o, st, f, at, why)
}

// stopped says whether no buy is sent until midnight.
func (p *play) stopped() bool { return p.purse != nil && p.purse.closedFor(p.now) != "" }

// priced sets the limit or the cap of an order and returns the price that money is
// counted at: the limit, or the touch.
func (p *play) priced(o *order, st seen.Shown) (market.Price, refusal) {
	o.touch = st.BestAsk()
	if o.sell {
		o.touch = st.BestBid()
	}
	if o.spec != nil {
		limit, why := limitPrice(o.spec, st, p.tick(), o.sell)
		o.limit = limit
		return limit, why
	}
	if o.touch == nil {
		return 0, "no_liquidity"
	}
	// "Buys with the cap (best ask at their signal + max_slippage), sells without."
	if !o.sell && p.o.MaxSlippage != replay.NoCap {
		o.most = exact.Add(exact.Price(*o.touch), exact.Cash(market.Cash(p.o.MaxSlippage)))
	}
	return *o.touch, ""
}

// tick is the market's step of prices: that of its last message of it, else as listed;
// 0: unknown.
func (p *play) tick() market.Price {
	tick := p.Market.Tick
	for i := range p.Round.Captures {
		if c := &p.Round.Captures[i]; c.Kind == market.KindTick && c.Recv <= p.now {
			tick = c.Trade.Price
		}
	}
	return tick
}

// sized bounds an entry by the size rule.
//
// "bankroll_fraction f: f × equity at the signal. kelly: f = fraction × max(0,
// (p − c) ÷ (1 − c)), c = best ask (a limit order: the limit) + the taker's fee of
// one share there, unrounded; 0: no_edge."
func (p *play) sized(f *funds, o *order, at market.Price) refusal {
	z := p.s.Size
	switch {
	case z.Shares != nil:
		f.shares = lotsOf(z.Shares.Rat)
	case z.Fraction != nil:
		f.dollars = exact.Smaller(f.dollars, exact.Mul(z.Fraction.Rat, p.purse.equity()))
	case z.Kelly != nil:
		c := exact.Add(exact.Price(at), p.exactFee(at))
		one := big.NewRat(1, 1)
		if z.Kelly.Probability.Cmp(c) <= 0 || c.Cmp(one) >= 0 {
			return "no_edge"
		}
		share := exact.Mul(z.Kelly.Fraction.Rat, exact.Div(exact.Sub(z.Kelly.Probability.Rat, c), exact.Sub(one, c)))
		f.dollars = exact.Smaller(f.dollars, exact.Mul(share, p.purse.equity()))
	}
	return ""
}

// exactFee is the taker's fee of one share, before it is rounded.
func (p *play) exactFee(at market.Price) *big.Rat {
	return p.schedule().Exact([]market.Level{{Price: at, Size: market.SizeOne}})
}

// sendThen sends an order of then.
func (p *play) sendThen(s *slot) {
	x := s.spec
	o := &order{
		name: "then." + itoa(s.index), slot: s, rank: rankThen + s.index, token: tokenOf(x.Token, p.Market, p.same),
		sell: x.Do == "sell", spec: x.Order,
	}
	st := seen.AsOf(p.Frames, p.now).Tokens[o.token]
	if o.sell {
		p.sendSell(o, st)
		return
	}
	if at, ok := p.clock(); ok && p.now >= at { // "from it on no buy is sent"
		return
	}
	at, why := p.priced(o, st)
	f := funds{shares: endless}
	switch {
	case x.USD != nil:
		f.dollars = x.USD.Rat
	case x.Shares != nil:
		f.shares = lotsOf(x.Shares.Rat)
	default:
		if f.shares = p.unmatched(o.token); f.shares <= 0 {
			return
		}
	}
	p.sendBuy(o, st, f, at, why)
}

// unmatched are "the shares held of the other token beyond those held and coming of
// this one".
func (p *play) unmatched(token int) market.Size {
	n := p.hold[1-token].shares - p.hold[token].shares
	for _, o := range p.orders {
		if o.state == over || o.sell || o.token != token {
			continue
		}
		switch {
		case o.state == resting:
			n -= o.left
		case o.size != endless:
			n -= o.size
		default: // dollars in flight: what they buy at the touch
			n -= lotsWithin(func(z market.Size) bool { return p.costAt(nil, *o.touch, z).Cmp(o.dollars) <= 0 })
		}
	}
	return n / lot * lot
}

func lotsOf(shares *big.Rat) market.Size {
	return market.Size(exact.Floor(exact.Mul(shares, big.NewRat(100, 1)), 1).Num().Int64()) * lot
}

// sendSell sends a sell of then. "shares, or a fraction of the shares bought since
// none were held." Where none is held nothing is sent.
func (p *play) sendSell(o *order, st seen.Shown) {
	h, x := &p.hold[o.token], o.slot.spec
	if x.Shares != nil {
		o.size = lotsOf(x.Shares.Rat)
	} else {
		o.size = lotsOf(exact.Mul(x.Fraction.Rat, exact.Size(h.bought)))
	}
	if h.shares == 0 {
		return
	}
	_, why := p.priced(o, st)
	if why == "" && p.sentAll() {
		why = "too_many"
	}
	if why != "" {
		p.refuseAtSignal(o.slot, why)
		return
	}
	p.send(o)
}

// sendBuy sends a buy with what it may spend, or says why not.
//
// "To spend: the least of budget_per_trade (a then buy: its own size), the size rule,
// cash, max_open − open; under 0.01 share at the limit or best ask: no_cash."
func (p *play) sendBuy(o *order, st seen.Shown, f funds, at market.Price, why refusal) {
	if why == "" && p.sentAll() {
		why = "too_many"
	}
	if why == "" && p.purse != nil {
		if why = p.purse.closedFor(p.now); why == "" {
			f.dollars = p.purse.bound(f.dollars)
			if f.dollars != nil { // money has six decimals
				f.dollars = exact.Floor(f.dollars, 1_000_000)
			}
			if f.dollars != nil && p.costAt(o.spec, at, lot).Cmp(f.dollars) > 0 {
				why = "no_cash"
				p.purse.ruined(p.now)
			}
		}
	}
	if why != "" {
		p.refuseAtSignal(o.slot, why)
		return
	}
	if o.spec != nil {
		// "The largest multiple of 0.01 share whose cost at the limit with the fee it
		// might owe fits, is fixed at the signal."
		o.size = f.shares
		if f.dollars != nil {
			n := lotsWithin(func(z market.Size) bool { return p.costAt(o.spec, at, z).Cmp(f.dollars) <= 0 })
			if o.size == endless || n < o.size {
				o.size = n
			}
		}
		if p.purse != nil {
			o.held = p.costAt(o.spec, at, o.size)
		}
	} else {
		o.size, o.dollars = f.shares, f.dollars
		if p.purse != nil {
			o.held = p.mostOf(o)
			o.dollars = o.held
		}
	}
	p.send(o)
}

// mostOf is the most that a taking buy may cost: "dollars; shares × cap or 1, with
// fee".
func (p *play) mostOf(o *order) *big.Rat {
	if o.size == endless {
		return o.dollars
	}
	at := market.PriceOne
	if o.most != nil {
		units := exact.Floor(exact.Mul(o.most, big.NewRat(int64(market.PriceOne), 1)), 1)
		at = min(at, market.Price(units.Num().Int64()))
	}
	most := p.costAt(nil, at, o.size)
	if o.dollars == nil {
		return most
	}
	return exact.Smaller(most, o.dollars)
}

// send sends an order: it arrives after the latency, at once without any.
func (p *play) send(o *order) {
	o.signal, o.arrival = p.now, p.now+latency(p.o)
	o.makerFee = new(big.Rat)
	o.life = &Life{
		Name: o.name, Token: o.token, Sell: o.sell, Resting: o.spec != nil, Limit: o.limit, Signal: o.signal, Arrival: o.arrival,
	}
	p.out.Orders = append(p.out.Orders, o.life)
	p.orders = append(p.orders, o)
	if o.held != nil {
		p.purse.move(new(big.Rat).Neg(o.held))
	}
	switch {
	case o.slot == &p.target:
		p.target.next = o
	case o.slot != nil:
		o.slot.live = o
	}
	p.settle()
	if latency(p.o) == 0 {
		p.arrive(o)
	}
}

// messages is step 2. "Our messages that are due: cancels, then orders by precedence:
// exits (standing ones first), then in its order, the entry." What rests expires one
// second before the end.
func (p *play) messages() {
	for _, o := range slices.Clone(p.orders) {
		switch {
		case o.state == resting && o.cancel != 0 && o.cancel == p.now:
			p.finish(o, "cancelled")
		case o.state == resting && p.now == p.lastCall():
			p.finish(o, "expired")
		}
	}
	if p.leaves == p.now {
		p.withdraw()
	}
	for _, token := range p.bySame() {
		if o := p.exits[token]; o != nil && o.state == standing && p.isCapture() {
			p.sellOut(o)
		}
	}
	due := slices.Clone(p.orders)
	slices.SortStableFunc(due, func(a, b *order) int { return a.rank - b.rank })
	for _, o := range due {
		if o.state == inFlight && o.arrival == p.now {
			p.arrive(o)
		}
	}
}

// arrive executes an order that arrives now.
func (p *play) arrive(o *order) {
	switch {
	case o.slot == nil:
		p.arriveExit(o)
	case o.sell:
		p.arriveSell(o)
	default:
		p.arriveBuy(o)
	}
	p.settle()
}

// refuse ends an order at its arrival. "Then the trigger is evaluated from the first
// instant after (too_late: no more)."
func (p *play) refuse(o *order, why refusal) {
	p.count(o.slot, why)
	o.slot.busyUntil = p.now
	if why == "too_late" {
		o.slot.dead = true
	}
	p.finish(o, "refused "+string(why))
}

// void ends an order that has nothing to do.
func (p *play) void(o *order) {
	p.out.Orders = slices.DeleteFunc(p.out.Orders, func(l *Life) bool { return l == o.life })
	if o.slot != nil {
		o.slot.busyUntil = p.now
	}
	p.finish(o, "void")
}

// accept counts an order as accepted.
func (p *play) accept(o *order) {
	if o.slot == &p.entry {
		p.entries++
		p.same = o.token
		p.soldLast = map[string]bool{}
		p.why = ""
	}
	o.accepted = true
	o.slot.accepted++
	if o.slot == &p.target {
		if p.target.live != nil {
			p.finish(p.target.live, "replaced")
		}
		p.target.next, p.target.live = nil, o
	}
	o.left = o.size
	o.life.Size = o.size
}

// finish ends an order and gives back what it held.
func (p *play) finish(o *order, how string) {
	if o.state == resting && o.sell {
		p.endedAt = p.now
	}
	o.state, o.life.End, o.life.Ended = over, how, p.now
	if o.held != nil {
		p.purse.move(o.held)
		o.held = nil
	}
	if s := o.slot; s != nil {
		if s.live == o {
			s.live = nil
			if o.accepted {
				s.ended = p.now
			}
		}
		if s.next == o {
			s.next = nil
		}
		if s == &p.entry && o.life.Filled == 0 && (how == "cancelled" || how == "expired") {
			p.why = "cancelled"
		}
	} else {
		p.exits[o.token] = nil
	}
	p.settle()
}

// arriveExit withdraws and sells.
//
// "As it arrives, all that rests in the round is withdrawn, and it sells all held by
// then; none: void."
func (p *play) arriveExit(o *order) {
	if p.now >= p.Market.End {
		p.void(o)
		return
	}
	p.withdraw()
	if p.hold[o.token].shares == 0 {
		p.void(o)
		return
	}
	o.state = standing
	p.sellOut(o)
}

func (p *play) withdraw() {
	for _, o := range slices.Clone(p.orders) {
		if o.state == resting {
			p.finish(o, "cancelled")
		}
	}
}

// sellOut sells what the bids take. What is not sold is tried again at each later
// capture, without further latency, until sold or the end.
func (p *play) sellOut(o *order) {
	if p.now >= p.Market.End || p.unfit(o.token, p.now) != "" {
		return
	}
	bids := p.available(o.token, false)
	_, there := walk(bids, p.hold[o.token].shares)
	if n := there / lot * lot; n > 0 {
		p.takeLeg(o, bids, n)
	}
	if p.hold[o.token].shares == 0 {
		p.finish(o, "sold")
	}
}

// wrongAtArrival is why an order is refused as it arrives, up to what its levels say:
// too_late, gap, stale, crossed. "For a limit with too_late from end − 1 s on."
func (p *play) wrongAtArrival(o *order) refusal {
	if p.tooLate(o) {
		return "too_late"
	}
	return p.unfit(o.token, p.now)
}

func (p *play) tooLate(o *order) bool {
	return p.now >= p.Market.End || o.spec != nil && p.now >= p.lastCall()
}

func (p *play) tooSmall(n market.Size) bool { return n < lot || n < p.Market.MinSize }

// arriveSell executes a sell of then, or the resting target.
//
// "Sells are of shares held. A then sell takes them, at arrival, from
// rest_take_profit first, then from resting sells after it in then, never from
// earlier ones; nothing free: void."
func (p *play) arriveSell(o *order) {
	if p.tooLate(o) {
		p.refuse(o, "too_late")
		return
	}
	before := len(p.thens)
	if o.slot != &p.target {
		before = o.slot.index
	}
	free := p.hold[o.token].shares - p.promised(o.token, before)
	if free <= 0 {
		p.void(o)
		return
	}
	o.size = min(o.size, free)
	if why := p.unfit(o.token, p.now); why != "" {
		p.refuse(o, why)
		return
	}
	if o.spec != nil {
		p.arriveLimit(o)
		return
	}
	all := p.available(o.token, false)
	_, there := walk(all, o.size)
	if len(all) == 0 { // "no_liquidity (no ask)": of a sell no bid
		p.refuse(o, "no_liquidity")
		return
	}
	if p.tooSmall(there / lot * lot) {
		p.refuse(o, "below_min_size")
		return
	}
	mine := p.beforeOwn(o, all)
	_, there = walk(mine, o.size)
	n := there / lot * lot
	if p.tooSmall(n) { // what an own order leaves
		p.refuse(o, map[bool]refusal{true: "self_cross", false: "below_min_size"}[n == 0])
		return
	}
	p.accept(o)
	p.takeLeg(o, mine, n)
	p.finish(o, "taken")
	p.shrink(o.token)
}

// arriveBuy executes the entry or a buy of then.
func (p *play) arriveBuy(o *order) {
	if why := p.wrongAtArrival(o); why != "" {
		p.refuse(o, why)
		return
	}
	if o.spec != nil {
		p.arriveLimit(o)
		return
	}
	if len(seen.AsOf(p.Frames, p.now).Tokens[o.token].Asks) == 0 {
		p.refuse(o, "no_liquidity")
		return
	}
	shownWithin := slices.ContainsFunc(seen.AsOf(p.Frames, p.now).Tokens[o.token].Asks, func(l market.Level) bool {
		return o.most == nil || exact.Price(l.Price).Cmp(o.most) <= 0
	})
	if !shownWithin {
		p.refuse(o, "capped")
		return
	}
	var within []market.Level
	for _, l := range p.available(o.token, true) {
		if o.most == nil || exact.Price(l.Price).Cmp(o.most) <= 0 {
			within = append(within, l)
		}
	}
	if p.tooSmall(p.affordable(o, within)) {
		p.refuse(o, "below_min_size")
		return
	}
	mine := p.beforeOwn(o, within)
	n := p.affordable(o, mine)
	if p.tooSmall(n) { // what an own order leaves
		p.refuse(o, map[bool]refusal{true: "self_cross", false: "below_min_size"}[n == 0])
		return
	}
	p.accept(o)
	p.takeLeg(o, mine, n)
	p.finish(o, "taken")
}

// affordable is the largest multiple of 0.01 share that the levels hold, that was
// asked for, and whose cost, rounded up to 1e-6, and fee fit what may be spent.
func (p *play) affordable(o *order, levels []market.Level) market.Size {
	fee := p.takerFee()
	return lotsWithin(func(n market.Size) bool {
		taken, there := walk(levels, n)
		if there < n || o.size != endless && n > o.size {
			return false
		}
		return o.dollars == nil || exact.Add(exact.Ceil(exact.ValueOf(taken), 1_000_000), fee(taken)).Cmp(o.dollars) <= 0
	})
}

// arriveLimit lets a limit order take what is there, and rest.
//
// "post_only: a limit that the shown other side meets at arrival is refused
// (would_cross, before below_min_size; then self_cross). Absent: what is there within
// the limit is taken (a taking leg), the rest rests."
func (p *play) arriveLimit(o *order) {
	st := seen.AsOf(p.Frames, p.now).Tokens[o.token]
	best := st.BestAsk()
	if o.sell {
		best = st.BestBid()
	}
	if o.spec.PostOnly && best != nil && p.meets(o, *best) {
		p.refuse(o, "would_cross")
		return
	}
	if p.tooSmall(o.size) {
		p.refuse(o, "below_min_size")
		return
	}
	if p.meetsOwn(o) {
		p.refuse(o, "self_cross")
		return
	}
	p.accept(o)
	o.state = resting
	if n := o.spec.CancelAfterSeconds; n != 0 { // "a cancel is sent this long after the arrival"
		o.cancel = p.now + market.Span(n)*market.Second + latency(p.o)
	}
	var within []market.Level
	for _, l := range p.available(o.token, !o.sell) {
		if p.meets(o, l.Price) {
			within = append(within, l)
		}
	}
	_, there := walk(within, o.size)
	if n := there / lot * lot; n > 0 {
		p.takeLeg(o, within, n)
	}
	if o.sell {
		p.shrink(o.token)
	}
	if o.left == 0 {
		return
	}
	o.ahead = p.queueAhead(o)
	o.life.Ahead = o.ahead
	// "Never more than a later own order's at P."
	for _, other := range p.orders {
		if other != o && other.state == resting && p.sameQueue(other, o) {
			other.ahead = lessOf(other.ahead, o.ahead)
		}
	}
}

// meets says whether a price of the other side is within the limit.
func (p *play) meets(o *order, at market.Price) bool {
	if o.sell {
		return at >= o.limit
	}
	return at <= o.limit
}

// inBook returns the spot of an order's limit: the book, the price in it, and the
// side. "A mirrored book is one book: an order on Down at p is one on Up's other side
// at 1 − p."
func (p *play) inBook(token int, at market.Price, ask bool) spot {
	if p.Market.Mirrored && token == 1 {
		return spot{book: 0, price: market.PriceOne - at, ask: !ask}
	}
	if p.Market.Mirrored {
		token = 0
	}
	return spot{book: token, price: at, ask: ask}
}

func (p *play) place(o *order) spot { return p.inBook(o.token, o.limit, o.sell) }

func (p *play) sameQueue(a, b *order) bool { return p.place(a) == p.place(b) }

// meetsOwn says whether a limit meets an own resting order. "Own orders never meet."
func (p *play) meetsOwn(o *order) bool {
	mine := p.place(o)
	for _, other := range p.orders {
		if other.state != resting {
			continue
		}
		its := p.place(other)
		if its.book == mine.book && its.ask != mine.ask &&
			(mine.ask && its.price >= mine.price || !mine.ask && its.price <= mine.price) {
			return true
		}
	}
	return false
}

// beforeOwn are the levels that a taking order may take: "no level at or beyond an
// own resting order".
func (p *play) beforeOwn(o *order, levels []market.Level) []market.Level {
	var out []market.Level
	for _, l := range levels {
		at := p.inBook(o.token, l.Price, !o.sell) // where the level stands
		blocked := slices.ContainsFunc(p.orders, func(other *order) bool {
			if other.state != resting {
				return false
			}
			its := p.place(other)
			return its.book == at.book && its.ask == at.ask &&
				(at.ask && its.price <= at.price || !at.ask && its.price >= at.price)
		})
		if !blocked {
			out = append(out, l)
		}
	}
	return out
}

// available are the levels shown on one side of a token, less what is taken. "One
// memory of what was taken, for both tokens."
func (p *play) available(token int, ask bool) []market.Level {
	s := seen.AsOf(p.Frames, p.now).Tokens[token]
	levels := s.Bids
	if ask {
		levels = s.Asks
	}
	var out []market.Level
	for _, l := range levels {
		if l.Size != seen.Unlimited {
			l.Size = max(0, l.Size-p.taken[p.inBook(token, l.Price, ask)])
		}
		out = append(out, l)
	}
	return out
}

// takeLeg takes n shares from the levels.
func (p *play) takeLeg(o *order, levels []market.Level, n market.Size) {
	taken, _ := walk(levels, n)
	for _, l := range taken {
		p.take(p.inBook(o.token, l.Price, !o.sell), l.Size)
	}
	f := seen.AsOf(p.Frames, p.now)
	p.fill(o, PlayedLeg{
		Kind: f.Tokens[o.token].Stream.FillKind(), AsOf: f.At, Levels: taken, Shares: n, Value: exact.ValueOf(taken),
		Fee: exact.CashOf(p.takerFee()(taken)),
	})
}

// take remembers shares taken from the shown. "Shares that we took from the shown
// (resting or taking) are owed."
func (p *play) take(at spot, n market.Size) {
	p.taken[at] += n
	p.owed[spot{book: at.book, price: at.price}] += n
}

// fill books a leg of an order.
func (p *play) fill(o *order, l PlayedLeg) {
	l.Order, l.Token, l.Time = o.name, o.token, p.now
	l.Action, l.Cash = "buy", exact.CashOf(exact.Ceil(l.Value, 1_000_000))
	if o.sell {
		l.Action, l.Cash = "sell", exact.CashOf(exact.Floor(l.Value, 1_000_000))
	}
	if !o.sell || o.legs == 0 {
		l.Signal = o.signal
	}
	o.legs++
	o.life.Filled += l.Shares
	p.filledAt = p.now
	reason := o.reason
	if reason == "" {
		reason = "order"
	}
	if o.sell {
		l.Reason = reason
	}
	p.book(l)
	h := &p.hold[o.token]
	if !o.sell {
		h.buy(l, p.now)
		p.pay(o, exact.Add(exact.Cash(l.Cash), exact.Cash(l.Fee)))
	} else {
		h.give(l.Shares)
		p.receive(exact.Sub(exact.Cash(l.Cash), exact.Cash(l.Fee)))
		p.why = reason
		if o.name == "exit" && o.token == p.same && h.shares == 0 {
			p.soldLast[reason] = true
		}
	}
	if o.slot == &p.entry {
		p.entryAlive = true
	}
	if o.spec != nil {
		o.left -= l.Shares
	}
	if o.state == resting && o.left == 0 {
		p.finish(o, "filled")
	}
	p.merge()
	p.settle()
}

func (h *holding) buy(l PlayedLeg, now market.Instant) {
	if h.shares == 0 {
		*h = holding{since: now, price: new(big.Rat), cost: new(big.Rat)}
	}
	all := exact.Size(h.shares + l.Shares)
	h.price = exact.Div(exact.Add(exact.Mul(h.price, exact.Size(h.shares)), l.Value), all)
	h.cost = exact.Div(exact.Add(exact.Mul(h.cost, exact.Size(h.shares)), exact.Add(exact.Cash(l.Cash), exact.Cash(l.Fee))), all)
	h.shares += l.Shares
	h.bought += l.Shares
}

func (h *holding) give(n market.Size) {
	h.shares -= n
	if h.shares < 0 {
		panic("oracle: sold more than is held")
	}
	if h.shares == 0 {
		*h = holding{}
	}
}

// merge gives back pairs. "Shares held of both tokens are at once given back in pairs
// for $1, no fee."
func (p *play) merge() {
	n := min(p.hold[0].shares, p.hold[1].shares)
	if !p.s.Merge || n == 0 {
		return
	}
	p.book(PlayedLeg{
		Action: "merge", Kind: "merge", Reason: "merged", Token: -1, Time: p.now, Shares: n,
		Value: exact.Size(n), Cash: market.Cash(n), Levels: []market.Level{{Price: market.PriceOne, Size: n}},
	})
	p.why = "merged"
	for token := range p.hold {
		p.hold[token].give(n)
	}
	p.receive(exact.Size(n))
	for token := range p.hold {
		p.shrink(token)
	}
}

// pay takes what a leg costs out of what its order holds, and beyond that out of cash.
func (p *play) pay(o *order, amount *big.Rat) {
	if p.purse == nil {
		return
	}
	paid := exact.Smaller(o.held, amount)
	o.held = exact.Sub(o.held, paid)
	p.purse.move(exact.Sub(paid, amount))
}

func (p *play) receive(amount *big.Rat) {
	if p.purse != nil {
		p.purse.move(amount)
	}
}
