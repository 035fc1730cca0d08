package oracle

import (
	"math/big"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/market"
)

// purse is the money of all rounds.
type purse struct {
	spec   *object.Purse
	cash   *big.Rat
	rounds []*play
	closed []closedRound // in the order in which they closed

	lowest   *big.Rat
	ruinedAt market.Instant // zero: never
}

type closedRound struct {
	at  market.Instant
	pnl market.Cash
}

func newPurse(spec *object.Purse) *purse {
	m := &purse{spec: spec, cash: new(big.Rat)}
	if spec.Start != nil {
		m.cash = spec.Start.Rat
	}
	m.lowest = m.cash
	return m
}

// move adds to the cash, or takes from it.
func (m *purse) move(amount *big.Rat) {
	m.cash = exact.Add(m.cash, amount)
	m.lowest = exact.Smaller(m.lowest, m.cash)
}

// open is "what orders hold + the shares held at average cost with fees".
func (m *purse) open() *big.Rat {
	sum := new(big.Rat)
	for _, p := range m.rounds {
		for _, o := range p.orders {
			if o.held != nil {
				sum = exact.Add(sum, o.held)
			}
		}
		if p.settled {
			continue
		}
		for _, h := range p.hold {
			if h.shares > 0 {
				sum = exact.Add(sum, exact.Mul(exact.Size(h.shares), h.cost))
			}
		}
	}
	return sum
}

// equity is "cash + open".
func (m *purse) equity() *big.Rat { return exact.Add(m.cash, m.open()) }

// bound is the least of what a buy may spend otherwise, cash, and max_open − open.
// The purse has no bound of cash without a start.
func (m *purse) bound(dollars *big.Rat) *big.Rat {
	less := func(x *big.Rat) {
		if dollars == nil || x.Cmp(dollars) < 0 {
			dollars = x
		}
	}
	if m.spec.Start != nil {
		less(m.cash)
	}
	if m.spec.MaxOpen != nil {
		less(exact.Sub(m.spec.MaxOpen.Rat, m.open()))
	}
	return dollars
}

// ruined notes the first no_cash with nothing open.
func (m *purse) ruined(now market.Instant) {
	if m.ruinedAt == 0 && m.open().Sign() == 0 {
		m.ruinedAt = now
	}
}

// closedFor is why no buy is sent until midnight; empty: buys are sent.
//
// "A round's pnl is closed when it has ended and settled, and counts for the UTC day
// of that instant. When a day's sum is ≤ −daily_loss, or its last max_losing_streak
// trades lost, no buy is sent until midnight."
func (m *purse) closedFor(now market.Instant) refusal {
	const day = 24 * 60 * 60 * market.Second
	sum, streak := market.Cash(0), 0
	for _, c := range m.closed {
		if c.at/day != now/day {
			continue
		}
		sum += c.pnl
		streak++
		if c.pnl >= 0 {
			streak = 0
		}
		// What comes back later that day changes nothing: "until midnight".
		if m.spec.DailyLoss != nil && exact.Cash(sum).Cmp(new(big.Rat).Neg(m.spec.DailyLoss.Rat)) <= 0 {
			return "daily_loss"
		}
		if m.spec.MaxStreak > 0 && streak >= m.spec.MaxStreak {
			return "losing_streak"
		}
	}
	return ""
}

// settlement pays what is held once the round has ended and was closed.
func (p *play) settlement() {
	// "A round's pnl is closed when it has ended and settled": what is not held needs no
	// settlement.
	if p.settled || p.now < p.Market.End || p.now < p.closes() && p.held() {
		return
	}
	p.settled = true
	for _, o := range p.live() {
		o.life.End, o.life.Ended = "unsold", p.now
	}
	p.out.Item = p.item()
	if p.purse == nil {
		return
	}
	for _, l := range p.legs {
		if l.Action == "settle" {
			p.receive(exact.Cash(l.Cash))
		}
	}
	if p.out.Item != nil {
		p.purse.closed = append(p.purse.closed, closedRound{at: p.now, pnl: p.out.Item.PnL})
	}
}
