package oracle

import (
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/internal/oracle/seen"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// mostOrders is how many orders are sent a round, by what an object without extensions does
// not know.
const mostOrders = 100

func (p *play) sentAll() bool { return p.s.Extended() && len(p.orders) >= mostOrders }

// refuseAtSignal counts a reason for which nothing is sent: "counted once a round,
// order and reason".
func (p *play) refuseAtSignal(s *slot, why refusal) {
	if s.said[why] {
		return
	}
	s.said[why] = true
	p.count(s, why)
}

// count counts a refusal. "refusals counts the entry's; then_refusals the others'."
func (p *play) count(s *slot, why refusal) {
	if s == &p.entry {
		p.out.Refusals[string(why)]++
	} else {
		p.out.ThenRefusals[string(why)]++
	}
}

// evaluateThen sends the orders of then that are due.
func (p *play) evaluateThen() {
	for _, s := range p.thens {
		if s.live != nil || p.exiting() || s.dead || s.accepted >= s.spec.Times || p.now <= s.busyUntil || !p.alive(s) || !p.isInstantOf(s) {
			continue
		}
		// "after_seconds from one's end to the next's signal."
		if s.accepted > 0 && p.now < s.ended+market.Span(s.spec.After)*market.Second {
			continue
		}
		if p.all(s.spec.When, p.same) {
			p.sendThen(s)
		}
	}
}

// alive says whether the order may be sent now.
func (p *play) alive(s *slot) bool {
	switch on := s.spec.On; on {
	case "start":
		return true
	case "entry":
		return p.entryAlive
	case "exit":
		return len(p.soldLast) > 0
	default:
		return p.soldLast[on]
	}
}

// isInstantOf says whether an order of then is evaluated now. "At captures, at fills
// of the round and at instants that they themselves name."
func (p *play) isInstantOf(s *slot) bool {
	return p.isCapture() || p.filledAt == p.now || slices.Contains(p.slotTimes(s), p.now)
}

// evaluateCancel sends a cancel for a resting order where it is due.
//
// "cancel_after_seconds: a cancel is sent this long after the arrival. cancel_when:
// a cancel is sent at the first instant, from the arrival on, at which all hold."
// "When nothing is held and the entry does not rest, cancels go to all that rests
// with on entry."
func (p *play) evaluateCancel(o *order, s *slot) {
	if o == nil || o.state != resting || o.leaving {
		return
	}
	c := o.spec
	named := p.isCapture() || p.filledAt == p.now || o.arrival == p.now || slices.Contains(p.times(c.CancelWhen), p.now)
	if len(c.CancelWhen) > 0 && named && p.all(c.CancelWhen, p.same) {
		p.leave(o)
		return
	}
	p.evaluateOrphan(s)
}

// evaluateOrphan sends a cancel for what rests with on entry, where nothing is held and
// the entry does not rest.
func (p *play) evaluateOrphan(s *slot) {
	o := s.live
	if s.spec != nil && s.spec.On == "entry" && o != nil && o.state == resting && !o.leaving && !p.held() && !p.entryRests() {
		p.leave(o)
	}
}

// leave sends a cancel.
func (p *play) leave(o *order) {
	o.leaving = true
	if t := p.now + latency(p.o); o.cancel == 0 || t < o.cancel {
		o.cancel = t
	}
	if latency(p.o) == 0 {
		p.finish(o, "cancelled")
	}
}

// evaluateEntry sends the entry where it holds.
//
// "No entry is signalled at or after the instant of a clock exit counted from the
// end." "An accepted entry is not tried again", but by again: "while flat for such a
// reason, the entry is evaluated again: later than it became so, by at least so many
// seconds".
func (p *play) evaluateEntry() {
	s := &p.entry
	if s.live != nil {
		return
	}
	if p.exiting() || s.dead || p.now <= s.busyUntil || !p.isCapture() && !slices.Contains(p.entryTimes(), p.now) {
		return
	}
	if at, ok := p.clock(); ok && p.now >= at {
		return
	}
	if p.entries > 0 && !p.mayEnterAgain() {
		return
	}
	if token := p.entryToken(); token >= 0 {
		p.out.Signalled = true
		p.sendEntry(token)
	}
}

func (p *play) mayEnterAgain() bool {
	a := p.s.Again
	return a != nil && p.entries < a.MaxEntries && p.flat &&
		(len(a.After) == 0 || slices.Contains(a.After, p.why)) &&
		p.now > p.flatAt && p.now >= p.flatAt+market.Span(a.Seconds)*market.Second
}

// entryToken is the token whose entry holds now, or −1.
func (p *play) entryToken() int {
	up, down := p.Market.TokenIndex(market.Up), p.Market.TokenIndex(market.Down)
	enters := func(token int) bool {
		if !p.all(p.s.Entry, token) {
			return false
		}
		return len(p.s.EntryAny) == 0 || slices.ContainsFunc(p.s.EntryAny, func(g []object.Clause) bool { return p.all(g, token) })
	}
	if p.s.Side != "either" {
		if !enters(p.same) {
			return -1
		}
		return p.same
	}
	switch u, d := enters(up), enters(down); {
	case u && !d:
		return up
	case d && !u:
		return down
	case !u:
		return -1
	}
	cmp := exact.Compare(p.ValueAt(strategy.Price, up, p.now), p.ValueAt(strategy.Price, down, p.now))
	if cmp > 0 || cmp == 0 && p.Market.Tokens[up].VenueID < p.Market.Tokens[down].VenueID {
		return up
	}
	return down
}

// all says whether every condition holds now, where same is the token of that name.
func (p *play) all(list []object.Clause, same int) bool {
	return !slices.ContainsFunc(list, func(c object.Clause) bool { return !p.holdsNow(c, same) })
}

// holdsNow says whether one condition holds now. An unknown value never satisfies one.
func (p *play) holdsNow(c object.Clause, same int) bool {
	token := tokenOf(c.Token, p.Market, same)
	kind := strategy.Type(c.Type)
	within := market.Span(c.Within) * market.Second
	elapsed := p.now - p.Market.Start
	var value *big.Rat
	switch c.Type {
	case "time_elapsed":
		value = exact.Seconds(elapsed)
	case "time_remaining":
		value = exact.Seconds(p.Market.End - p.now)
	case "price_change":
		if elapsed >= within {
			now, then := p.ValueAt(strategy.Price, token, p.now), p.ValueAt(strategy.Price, token, p.now-within)
			if now != nil && then != nil {
				value = exact.Sub(now, then)
			}
		}
	case "held_profit":
		value = p.heldProfit(token)
	case "pair_cost":
		value = p.pairCost(same)
	case "since_entry":
		if p.hold[same].shares > 0 {
			value = exact.Seconds(p.now - p.hold[same].since)
		}
	default:
		if c.Within != 0 && elapsed > within {
			return false
		}
		value = p.ValueAt(kind, token, p.now)
	}
	if value == nil {
		return false
	}
	if c.Comparator == "crosses_above" || c.Comparator == "crosses_below" {
		return p.Crosses(strategy.Condition{
			Type: kind, Comparator: strategy.Comparator(c.Comparator),
			Threshold: strategy.Number(exact.Mul(c.Threshold.Rat, big.NewRat(int64(strategy.One), 1)).Num().Int64()),
		}, token, p.now, value)
	}
	return seen.Satisfies(value.Cmp(c.Threshold.Rat), strategy.Comparator(c.Comparator))
}

// heldProfit is "executable bid, as a stop reads it, − average entry price of token";
// "unknown where it is not held".
func (p *play) heldProfit(token int) *big.Rat {
	if p.hold[token].shares == 0 {
		return nil
	}
	value, there := p.executable(token)
	if there == 0 {
		return nil
	}
	return exact.Sub(exact.Div(value, exact.Size(there)), p.hold[token].price)
}

// pairCost is "average entry price of same + best ask of opposite, no fees".
func (p *play) pairCost(same int) *big.Rat {
	if p.hold[same].shares == 0 {
		return nil
	}
	other := p.ValueAt(strategy.BestAsk, 1-same, p.now)
	if other == nil {
		return nil
	}
	return exact.Add(p.hold[same].price, other)
}
