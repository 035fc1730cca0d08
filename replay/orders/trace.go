package orders

import (
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/replay/tape"
)

// Trace records what a player does. A nil Trace records nothing.
type Trace struct {
	// Entry is called with each look at a candidate.
	Entry func(t *tape.Tape, c *tape.Candidate, at market.Instant, capture, holds bool)
	// Position is called with each look at what is held of a token.
	Position func(Position, *tape.Tape)
	// Order is called with each order that arrives, and each later try of an exit, before
	// what was taken is remembered.
	Order func(Arrival, *tape.Tape)
	// Resting is called when an order rests, and at each capture that did anything to it.
	Resting func(Wear)
}

// Position is a look at what is held of a token.
type Position struct {
	At      market.Instant
	Capture bool
	Token   int
	Shares  market.Size
	Got     fills.Average // what the bids take
	High    fills.Average // of the trailing stop; not Known when unused
	// Goal and Stop are the prices of the exits in USD; nil: unused.
	// Stop is the higher of the fixed and the trailing one.
	Goal, Stop *big.Rat
	Clock      market.Instant // when the clock exit is due; market.Latest: there is none
	Trigger    ExitReason
}

// Arrival is an order that arrived, or tried again.
type Arrival struct {
	Order   string
	Buy     bool
	Token   int
	Signal  market.Instant
	At      market.Instant
	Retry   bool
	Rests   bool
	Limit   market.Price
	Size    market.Size // fills.Unlimited: what the money pays
	Refused bool
	Reason  Reason
	Taken   []market.Level // what had been taken before from the side that it meets
	Leg     *Leg           // what it took; nil: nothing
}

// Wear is what a capture did to an order that rests.
type Wear struct {
	Limit int // index in Outcome.Limits
	At    market.Instant
	// Ahead is the queue before it, and what is left of it: queue.Endless where it is not
	// shown. Offers, Below and At are the shares offered within its limit, traded beyond
	// it, and at it; Filled is what it got.
	Ahead, After, Offers, Below, AtPrice, Filled market.Size
}

// look returns what is told of each candidate; nil: nobody is.
func (x *Trace) look(t *tape.Tape, at market.Instant, capture bool) func(c *tape.Candidate, holds bool) {
	if x == nil {
		return nil
	}
	return func(c *tape.Candidate, holds bool) { x.Entry(t, c, at, capture, holds) }
}

// position records a look at captures, at a fill or as the clock exit is due: at other
// instants it is as it was.
func (x *Trace) position(d *Player, t *tape.Tape, token int, at market.Instant, capture bool, trigger ExitReason) {
	if x == nil {
		return
	}
	h := &d.held[token]
	p := Position{
		At: at, Capture: capture, Token: token, Shares: h.shares, Got: d.executable(t, token),
		Clock: max(h.clock, h.first), Trigger: trigger,
	}
	if !capture && d.filledAt != at && at < p.Clock {
		return
	}
	if token == d.same {
		p.High, p.Goal, p.Stop = h.high, h.exact(h.goal), h.exact(h.stop)
		if h.trail > 0 && h.high.Known() {
			if stop := h.high.Less(h.trail).Rat(); p.Stop == nil || stop.Cmp(p.Stop) > 0 {
				p.Stop = stop
			}
		}
	}
	x.Position(p, t)
}

func (d *Player) arrival(o *order, at market.Instant) Arrival {
	b, side, _ := d.side(o.token, o.buy, 0)
	taken := slices.Clone(d.books[b].Taken(side.Opposite()))
	if b != o.token {
		flip(taken)
	}
	return Arrival{
		Taken: taken,
		Order: o.slot.name, Buy: o.buy, Token: o.token, Signal: o.signal, At: at, Rests: o.rests, Limit: o.limit, Size: o.size,
	}
}

func (x *Trace) refused(d *Player, t *tape.Tape, o *order, at market.Instant, reason Reason) {
	if x == nil {
		return
	}
	a := d.arrival(o, at)
	a.Refused, a.Reason = true, reason
	x.Order(a, t)
}

// tried records a try of an exit that sold nothing.
func (x *Trace) tried(d *Player, t *tape.Tape, o *order, at market.Instant, retry bool, reason Reason) {
	if x == nil {
		return
	}
	a := d.arrival(o, at)
	a.Refused, a.Reason, a.Retry = true, reason, retry
	x.Order(a, t)
}

// filled records what an order took; what it got as it rested is no arrival.
func (x *Trace) filled(d *Player, t *tape.Tape, o *order, at market.Instant, leg Leg) {
	if x == nil || leg.Kind == fills.Resting {
		return
	}
	a := d.arrival(o, at)
	a.Leg, a.Retry = &leg, o.arrival < at
	x.Order(a, t)
}

func (x *Trace) rested(o *order, at market.Instant) {
	if x != nil {
		x.Resting(Wear{Limit: o.record, At: at, Ahead: o.own.Ahead, After: o.own.Ahead})
	}
}

func (x *Trace) wore(o *order, at market.Instant, f queue.Fill) {
	if x == nil || f.Size == 0 && f.Below == 0 && f.At == 0 && f.Ahead == o.own.Ahead {
		return
	}
	x.Resting(Wear{
		Limit: o.record, At: at, Ahead: f.Ahead, After: o.own.Ahead,
		Offers: f.Offers, Below: f.Below, AtPrice: f.At, Filled: f.Size,
	})
}
