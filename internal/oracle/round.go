package oracle

import (
	"math/big"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/internal/oracle/seen"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Played is what became of one round.
type Played struct {
	MarketID     string
	Signalled    bool
	Refusals     map[string]int // of the entry
	ThenRefusals map[string]int // of every other order
	Orders       []*Life        // in the order in which they were sent; void ones are left out
	Item         *Item          // nil: nothing was bought
}

// Life is what became of one order.
type Life struct {
	Name    string // entry, exit, then.N
	Token   int
	Sell    bool
	Resting bool         // a limit order
	Limit   market.Price // of a limit order
	Size    market.Size  // of a limit order that was accepted: fixed at the signal, less what others took
	Signal  market.Instant
	Arrival market.Instant
	Ahead   market.Size // the queue ahead at the arrival; endless: −1
	Filled  market.Size
	End     string // refused: and why; filled, taken, cancelled, expired, sold
	Ended   market.Instant
}

// PlayOne plays a strategy over one round, whose payout is known.
func PlayOne(r *replaytest.Round, s *object.Object, o replay.Options, rule Queue) *Played {
	p := newPlay(seen.Of(r, seen.FramesOf(r)), s, o, rule, nil)
	pass(p)
	return p.out
}

// Together is what became of several rounds that share a purse.
type Together struct {
	Rounds          []*Played      // in the order given
	End, LowestCash *big.Rat       // USD
	RuinedAt        market.Instant // the first no_cash with nothing open; zero: none
}

// PlayTogether plays a strategy with a bankroll over rounds whose payouts are known.
func PlayTogether(rounds []*replaytest.Round, s *object.Object, o replay.Options, rule Queue) *Together {
	money := newPurse(s.Bankroll)
	var all []*play
	for _, r := range rounds {
		all = append(all, newPlay(seen.Of(r, seen.FramesOf(r)), s, o, rule, money))
	}
	pass(all...)
	out := &Together{End: money.cash, LowestCash: money.lowest, RuinedAt: money.ruinedAt}
	for _, p := range all {
		out.Rounds = append(out.Rounds, p.out)
	}
	return out
}

// pass lets time pass in all the rounds at once.
//
// "At one instant steps 1 and 2 of all, settlements, then step 3 by market id."
func pass(rounds ...*play) {
	byID := slices.Clone(rounds)
	slices.SortFunc(byID, func(a, b *play) int { return strings.Compare(a.Market.VenueID, b.Market.VenueID) })
	now := market.Earliest
	for {
		next, any := market.Instant(0), false
		for _, p := range byID {
			if t, ok := p.next(now); ok && (!any || t < next) {
				next, any = t, true
			}
		}
		if !any {
			return
		}
		now = next
		here := slices.DeleteFunc(slices.Clone(byID), func(p *play) bool { return !p.touches(now) })
		for _, p := range here {
			p.now = now
			p.world()
		}
		for _, p := range here {
			p.messages()
		}
		for _, p := range here {
			p.settlement()
		}
		for _, p := range here {
			p.evaluate()
		}
	}
}

// holding is what is held of one token.
type holding struct {
	shares market.Size
	bought market.Size    // since none was held
	since  market.Instant // the first fill since none was held
	price  *big.Rat       // average, without fees: "buys move it, sells leave it"
	cost   *big.Rat       // average, with fees
	high   *big.Rat       // of the stops' executable bid; nil: none known since none was held
}

// spot is a price on one side of a book. Of a mirrored pair there is one book, in
// the terms of the first token.
type spot struct {
	book  int
	price market.Price
	ask   bool
}

// play is one round being played.
type play struct {
	*seen.Watch
	s     *object.Object
	o     replay.Options
	rule  Queue
	purse *purse
	out   *Played
	now   market.Instant

	same  int // index of the entry's token; −1: none yet
	hold  [2]holding
	taken map[spot]market.Size
	owed  map[spot]market.Size // ask is always false: no side is used

	orders []*order
	entry  slot
	thens  []*slot
	target slot // of exit.rest_take_profit
	exits  [2]*order
	leaves market.Instant // when the withdrawal of a clock exit that holds nothing arrives; zero: none

	entries    int // accepted
	entryAlive bool
	soldLast   map[string]bool // reasons of exits that sold the last of same since the last entry
	flat       bool
	flatAt     market.Instant
	why        string // of the last thing that made nothing be held
	filledAt   market.Instant
	endedAt    market.Instant // when the last resting sell ended
	settled    bool
	legs       []PlayedLeg
}

// slot is what may have one order at a time.
type slot struct {
	index     int // in then; −1: entry or target
	spec      *object.Then
	live      *order // in flight or resting
	next      *order // of the target: in flight, to replace live
	accepted  int
	ended     market.Instant // of the last accepted order
	busyUntil market.Instant // evaluated again later than this
	dead      bool           // too_late: no more
	said      map[refusal]bool
}

type state int

const (
	inFlight state = iota
	resting
	standing // an exit that has not sold all
	over
)

// order is an order sent.
type order struct {
	name    string
	slot    *slot // nil: an exit that takes
	rank    int
	token   int
	sell    bool
	spec    *object.Limit // nil: it takes
	limit   market.Price
	most    *big.Rat    // a taking buy: the highest price; nil: none
	dollars *big.Rat    // a taking buy: what it may spend; nil: shares alone count
	size    market.Size // shares; endless: dollars alone count
	signal  market.Instant
	arrival market.Instant
	reason  string // of an exit
	touch   *market.Price

	state    state
	left     market.Size
	ahead    market.Size
	given    market.Size // shares filled while it rested
	makerFee *big.Rat    // charged
	cancel   market.Instant
	leaving  bool // a cancel was sent
	accepted bool
	held     *big.Rat
	life     *Life
	legs     int
}

// endless is a size that is not bounded.
const endless market.Size = -1

// Ranks of precedence: "exits, then in its order, the entry".
const (
	rankTarget = 10
	rankThen   = 100
	rankEntry  = 1_000_000
)

func newPlay(w *seen.Watch, s *object.Object, o replay.Options, rule Queue, money *purse) *play {
	p := &play{
		Watch: w, s: s, o: o, rule: rule, purse: money, same: -1, now: market.Earliest,
		taken: map[spot]market.Size{}, owed: map[spot]market.Size{}, soldLast: map[string]bool{}, filledAt: market.Earliest,
		entry:  slot{index: -1, busyUntil: market.Earliest, said: map[refusal]bool{}},
		target: slot{index: -1, busyUntil: market.Earliest, said: map[refusal]bool{}},
	}
	switch s.Side {
	case "up":
		p.same = p.Market.TokenIndex(market.Up)
	case "down":
		p.same = p.Market.TokenIndex(market.Down)
	}
	for i := range s.Then {
		p.thens = append(p.thens, &slot{index: i, spec: &s.Then[i], busyUntil: market.Earliest, said: map[refusal]bool{}, ended: market.Earliest})
	}
	if money != nil {
		money.rounds = append(money.rounds, p)
	}
	p.out = &Played{MarketID: p.Market.VenueID, Refusals: map[string]int{}, ThenRefusals: map[string]int{}}
	return p
}

// clock is the instant of the clock exit counted from the end.
func (p *play) clock() (market.Instant, bool) {
	switch e := p.s.Exit; {
	case e.ExitBefore != 0:
		return p.Market.End - market.Span(e.ExitBefore)*market.Second, true
	case !e.HoldToExpiry:
		return p.Market.End - market.Second - latency(p.o), true
	}
	return 0, false
}

func (p *play) lastCall() market.Instant { return p.Market.End - market.Second }

// closes is when the round's money is all back: "settlements at exit_time, not
// before the end".
func (p *play) closes() market.Instant { return max(p.Market.End, p.Market.ClosedAt) }

// next is the first instant after now at which anything of the round may happen.
func (p *play) next(now market.Instant) (market.Instant, bool) {
	best, any := market.Instant(0), false
	consider := func(t market.Instant) {
		if t > now && (!any || t < best) {
			best, any = t, true
		}
	}
	if i, _ := slices.BinarySearch(p.Captures, now+1); i < len(p.Captures) {
		consider(p.Captures[i])
	}
	for _, t := range p.agenda() {
		consider(t)
	}
	return best, any
}

// touches says whether anything of the round may happen at the instant.
func (p *play) touches(now market.Instant) bool {
	return p.CaptureIndex(now) >= 0 || slices.Contains(p.agenda(), now)
}

// agenda lists the instants, past and coming, that matter to the round beside its
// captures, as far as they are known now.
func (p *play) agenda() []market.Instant {
	all := []market.Instant{p.Market.Start, p.lastCall(), p.Market.End, p.closes(), p.leaves}
	if t, ok := p.clock(); ok {
		all = append(all, t)
	}
	all = append(all, p.entryTimes()...)
	for _, o := range p.live() {
		all = append(all, o.arrival, o.cancel)
		if o.spec != nil {
			all = append(all, o.arrival+market.Span(o.spec.CancelAfterSeconds)*market.Second)
			all = append(all, p.times(o.spec.CancelWhen)...)
		}
	}
	for _, s := range p.thens {
		all = append(all, p.slotTimes(s)...)
	}
	for _, h := range p.hold {
		if h.shares > 0 && p.s.Exit.MaxHold != 0 {
			all = append(all, h.since+market.Span(p.s.Exit.MaxHold)*market.Second)
		}
	}
	return all
}

// live are the orders in flight, resting or standing, in the order in which they were
// sent.
func (p *play) live() []*order {
	var out []*order
	for _, o := range p.orders {
		if o.state != over {
			out = append(out, o)
		}
	}
	return out
}

// times are the instants that conditions name: those of the clock, and
// since_entry's. "time_elapsed, time_remaining: start + N, end − N."
func (p *play) times(lists ...[]object.Clause) []market.Instant {
	var out []market.Instant
	for _, c := range slices.Concat(lists...) {
		after := c.Span
		switch c.Type {
		case "time_elapsed":
			out = append(out, p.Market.Start+after)
		case "time_remaining":
			out = append(out, p.Market.End-after)
		case "since_entry":
			if p.same >= 0 && p.hold[p.same].shares > 0 {
				out = append(out, p.hold[p.same].since+after)
			}
		}
	}
	return out
}

// entryTimes are the instants, beside the captures, at which the entry is evaluated.
//
// "The start, each start + N or end − N that a time condition names. Again: later
// than it became flat, by at least so many seconds (that moment is an instant)."
func (p *play) entryTimes() []market.Instant {
	all := append(p.times(append([][]object.Clause{p.s.Entry}, p.s.EntryAny...)...), p.Market.Start)
	if p.s.Again != nil && p.entries > 0 && p.flat {
		all = append(all, p.flatAt+market.Span(p.s.Again.Seconds)*market.Second)
	}
	return all
}

// slotTimes are the instants that an order of then names itself.
func (p *play) slotTimes(s *slot) []market.Instant {
	all := p.times(s.spec.When)
	if s.spec.On == "start" {
		all = append(all, p.Market.Start)
	}
	if s.accepted > 0 && s.live == nil {
		all = append(all, s.ended+market.Span(s.spec.After)*market.Second)
	}
	return all
}

func (p *play) isCapture() bool { return p.CaptureIndex(p.now) >= 0 }

// held says whether any share is held.
func (p *play) held() bool { return p.hold[0].shares > 0 || p.hold[1].shares > 0 }

func (p *play) entryRests() bool { return p.entry.live != nil && p.entry.live.state == resting }

// settle brings up to date what depends on what is held and rests.
//
// "Alive from the entry's first fill until nothing is held and the entry no longer
// rests." "Flat: nothing held, resting or in flight (the next entry apart)."
func (p *play) settle() {
	if !p.held() && !p.entryRests() {
		p.entryAlive = false
	}
	flat := !p.held()
	for _, o := range p.orders {
		if o.state != over && !(o.slot == &p.entry && o.state == inFlight) {
			flat = false
		}
	}
	if flat && !p.flat {
		p.flatAt = p.now
	}
	p.flat = flat
}

// evaluate is step 3. "Exits, then, entry, exits again. same before opposite."
// Nothing is evaluated before the first book, quote or price.
func (p *play) evaluate() {
	f := seen.AsOf(p.Frames, p.now)
	if !p.Within(p.now) || f == nil || !f.Data {
		return
	}
	for _, s := range p.thens {
		p.evaluateCancel(s.live, s)
	}
	p.evaluateCancel(p.entry.live, &p.entry)
	p.evaluateExits()
	p.evaluateThen()
	p.evaluateEntry()
	p.evaluateExits()
	for _, s := range p.thens { // of what was sold just now
		p.evaluateOrphan(s)
	}
}

// exiting says whether an exit was sent and has not sold all. "From an exit's
// signal until it has sold, nothing else is sent."
func (p *play) exiting() bool { return p.exits[0] != nil || p.exits[1] != nil }

// bySame are the tokens, the entry's first.
func (p *play) bySame() []int {
	if p.same == 1 {
		return []int{1, 0}
	}
	return []int{0, 1}
}

func (p *play) evaluateExits() {
	for _, token := range p.bySame() {
		if p.exits[token] != nil {
			continue
		}
		if reason := p.judge(token); reason != "" {
			bid := seen.AsOf(p.Frames, p.now).Tokens[token].BestBid()
			p.exits[token] = &order{name: "exit", rank: slices.Index(p.bySame(), token), token: token, sell: true, reason: reason, touch: bid}
			p.send(p.exits[token])
		}
	}
	// "A clock from the end withdraws also where nothing is held."
	if at, ok := p.clock(); ok && p.now >= at && !p.held() && p.leaves == 0 {
		p.leaves = p.now + latency(p.o)
		if p.leaves == p.now {
			p.withdraw()
		}
	}
	p.restTarget()
}

// judge says which exit of the token triggers.
//
// "Target, stop, trailing judge the entry's token: all held of it. Clock exits sell
// each token held, max_hold_seconds from its first fill since none was held." At one instant the stop comes
// before the target, that before the clock.
func (p *play) judge(token int) string {
	h, e := &p.hold[token], p.s.Exit
	if token == p.same && h.shares > 0 {
		value, there := p.executable(token)
		if there > 0 {
			bid := exact.Div(value, exact.Size(there))
			if h.high == nil || bid.Cmp(h.high) > 0 {
				h.high = bid
			}
			if e.StopLoss != nil && bid.Cmp(e.StopLoss.Rat) <= 0 ||
				e.StopLossOffset != nil && bid.Cmp(exact.Sub(h.price, e.StopLossOffset.Rat)) <= 0 ||
				e.TrailingStop != nil && bid.Cmp(exact.Sub(h.high, e.TrailingStop.Rat)) <= 0 {
				return "stop_loss"
			}
		}
		whole := exact.Div(value, exact.Size(h.shares))
		if at := p.targetPrice(); at != nil && !e.RestTakeProfit && whole.Cmp(at) >= 0 {
			return "take_profit"
		}
	}
	if h.shares > 0 && e.MaxHold != 0 && p.now >= h.since+market.Span(e.MaxHold)*market.Second {
		return "end_of_window"
	}
	if at, ok := p.clock(); ok && p.now >= at && h.shares > 0 {
		return "end_of_window"
	}
	return ""
}

// targetPrice is the take profit in force; nil: none.
func (p *play) targetPrice() *big.Rat {
	switch e := p.s.Exit; {
	case e.TakeProfit != nil:
		return e.TakeProfit.Rat
	case e.TakeProfitOffset != nil && p.hold[p.same].shares > 0:
		return exact.Add(p.hold[p.same].price, e.TakeProfitOffset.Rat)
	}
	return nil
}

// executable is what all shares held of a token would bring now, and how many of
// them the bids take. It is read of the book as shown: "conditions see the book without
// us", and held_profit reads it "as a stop" does.
func (p *play) executable(token int) (*big.Rat, market.Size) {
	return executable(seen.AsOf(p.Frames, p.now).Tokens[token].Bids, p.hold[token].shares)
}

// restTarget keeps the resting target at what it should be.
//
// "rest_take_profit rests for what no other resting sell has: less at once, in
// place; more or another price by a new order, sent at that instant, that replaces
// it at arrival with a new place in the queue. Under the market's minimum it is not
// sent."
func (p *play) restTarget() {
	s := &p.target
	if !p.s.Exit.RestTakeProfit || p.same < 0 || p.exiting() || s.next != nil || s.dead || p.now <= s.busyUntil || !p.isInstantOfExits() {
		return
	}
	at := p.targetPrice()
	want := p.hold[p.same].shares - p.promised(p.same, len(p.thens))
	if at == nil || want <= 0 || want < p.Market.MinSize {
		return
	}
	limit, why := onTick(at, p.tick(), true)
	st := seen.AsOf(p.Frames, p.now).Tokens[p.same].Stream
	if st == seen.Prices || st == seen.NoStream {
		why = "no_liquidity"
	}
	if s.live != nil && why == "" && s.live.limit == limit && s.live.left >= want {
		return
	}
	if why == "" && p.sentAll() {
		why = "too_many"
	}
	if why != "" {
		p.refuseAtSignal(s, why)
		return
	}
	p.send(&order{name: "exit", slot: s, rank: rankTarget, token: p.same, sell: true, limit: limit, size: want, spec: &object.Limit{}, reason: "take_profit"})
}

// isInstantOfExits says whether exits are evaluated now: at the captures and the
// instants that the entry and the clocks name, at fills, as the target arrives, and
// where a sell that rested ended.
// No order of then names an instant for them.
func (p *play) isInstantOfExits() bool {
	clock, ok := p.clock()
	if o := p.target.live; o != nil && o.arrival == p.now {
		return true
	}
	return p.isCapture() || p.filledAt == p.now || p.endedAt == p.now || ok && clock == p.now || slices.Contains(p.entryTimes(), p.now)
}

// promised are the shares of a token that resting sells of then before the given
// place have.
func (p *play) promised(token, before int) market.Size {
	n := market.Size(0)
	for _, s := range p.thens[:before] {
		if o := s.live; o != nil && o.state == resting && o.sell && o.token == token {
			n += o.left
		}
	}
	return n
}

// shrink takes shares from resting sells that are more than is held, "from
// rest_take_profit first, then from resting sells after it in then".
func (p *play) shrink(token int) {
	all := []*order{p.target.live}
	for _, s := range slices.Backward(p.thens) {
		all = append(all, s.live)
	}
	over := -p.hold[token].shares
	for _, o := range all {
		if o != nil && o.state == resting && o.sell && o.token == token {
			over += o.left
		}
	}
	for _, o := range all {
		if o == nil || o.state != resting || !o.sell || o.token != token || over <= 0 {
			continue
		}
		n := min(over, o.left)
		o.left -= n
		o.life.Size -= n
		over -= n
		if o.left == 0 {
			p.finish(o, "cancelled")
		}
	}
}
