package orders

import (
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Purse is the money that the rounds of one replay share. A nil Purse holds back
// nothing. It is not safe for concurrent use.
type Purse struct {
	start, cash market.Cash // without a start there is no end to the cash
	limited     bool
	dailyLoss   market.Cash // 0: no bound
	maxOpen     market.Cash // 0: no bound
	streak      int         // 0: no bound

	players []*Player // whose rounds have begun and are not settled
	holds   market.Cash
	late    []*order // too late, but not arrived: they hold money
	facts   Facts
	peak    *big.Rat
	day     market.Instant // whose closed trades are counted
	sum     market.Cash
	losses  int
	stop    Reason // until the next day; NumReasons: buys may be sent
}

// Facts are what became of a purse, in USD.
type Facts struct {
	Limited     bool // it had a start
	Start, End  market.Cash
	LowestCash  market.Cash
	MaxDrawdown *big.Rat // of equity, from its peak so far
	Share       *big.Rat // of the peak that this was
	MostOpen    *big.Rat
	RuinedAt    market.Instant // of the first buy with no cash while nothing was open; zero: none
}

const oneDay = 24 * 3600 * market.Second

// NewPurse returns the purse of a strategy under a budget; nil: it has none.
func NewPurse(s strategy.Canonical, budget market.Cash) *Purse {
	b, t := s.Bankroll(), Terms{Strategy: s, Budget: budget}
	if b == nil {
		return nil
	}
	p := &Purse{
		start: market.Cash(b.Start), cash: market.Cash(b.Start), limited: b.Start != 0,
		dailyLoss: market.Cash(t.scaled(b.DailyLoss)), maxOpen: market.Cash(t.scaled(b.MaxOpen)), streak: b.MaxLosingStreak,
		day: market.Earliest, stop: NumReasons,
	}
	p.peak = usd(int64(p.start))
	p.facts = Facts{Limited: p.limited, Start: p.start, LowestCash: p.start, MaxDrawdown: new(big.Rat), Share: new(big.Rat), MostOpen: new(big.Rat)}
	return p
}

// Join lets a round take part, Leave ends that.
func (p *Purse) Join(d *Player) { p.players = append(p.players, d) }

// Leave ends that a round takes part, once it is settled.
func (p *Purse) Leave(d *Player) {
	p.players = slices.DeleteFunc(p.players, func(x *Player) bool { return x == d })
	p.mark()
}

// Facts returns what became of the purse once all is over.
func (p *Purse) Facts() Facts {
	p.Reach(market.Latest)
	f := p.facts
	f.End = p.cash
	return f
}

// open returns what orders hold and the shares held, at average cost with fees.
func (p *Purse) open() *big.Rat {
	v := usd(int64(p.holds))
	for _, d := range p.players {
		for i := range d.held {
			if d.held[i].shares > 0 {
				v.Add(v, d.held[i].costs())
			}
		}
	}
	return v
}

// mark notes how things stand behind a change.
func (p *Purse) mark() {
	open := p.open()
	if open.Cmp(p.facts.MostOpen) > 0 {
		p.facts.MostOpen = open
	}
	if !p.limited {
		return
	}
	p.facts.LowestCash = min(p.facts.LowestCash, p.cash)
	equity := new(big.Rat).Add(open, usd(int64(p.cash)))
	if equity.Cmp(p.peak) > 0 {
		p.peak = equity
	}
	if down := new(big.Rat).Sub(p.peak, equity); down.Cmp(p.facts.MaxDrawdown) > 0 {
		p.facts.MaxDrawdown, p.facts.Share = down, new(big.Rat).Quo(down, p.peak)
	}
}

// Closed counts the pnl of a round that has ended and is settled at an instant.
func (p *Purse) Closed(at market.Instant, pnl market.Cash) {
	p.turn(at)
	p.sum += pnl
	if p.losses++; pnl >= 0 {
		p.losses = 0
	}
	switch {
	case p.stop != NumReasons:
	case p.dailyLoss > 0 && p.sum <= -p.dailyLoss:
		p.stop = DailyLoss
	case p.streak > 0 && p.losses >= p.streak:
		p.stop = LosingStreak
	}
}

// turn begins the UTC day of an instant.
func (p *Purse) turn(at market.Instant) {
	day := at - (at%oneDay+oneDay)%oneDay
	if day != p.day {
		p.day, p.sum, p.losses, p.stop = day, 0, 0, NumReasons
	}
}

// admit sets what a buy may spend at its signal, or says why it is not sent.
func (p *Purse) admit(d *Player, o *order, at market.Instant) (Reason, bool) {
	if p == nil {
		return 0, true
	}
	if p.turn(at); p.stop != NumReasons {
		return p.stop, false
	}
	price := o.touch
	if o.rests {
		price = o.limit
	}
	open := p.open()
	if o.slot == d.entry {
		f, sized := p.fraction(d, price)
		if sized && f.Sign() <= 0 {
			return NoEdge, false
		}
		if sized {
			equity := new(big.Rat).Add(open, usd(int64(p.cash)))
			o.money = min(o.money, floor(f.Mul(f, equity)))
		}
	}
	if p.limited {
		o.money = min(o.money, p.cash)
	}
	if p.maxOpen > 0 {
		left := usd(int64(p.maxOpen))
		o.money = min(o.money, floor(left.Sub(left, open)))
	}
	if most(price, o.money, fills.Lot, d.owes(o.slot.spec)) < fills.Lot {
		if p.facts.RuinedAt == 0 && open.Sign() == 0 {
			p.facts.RuinedAt = at
		}
		return NoCash, false
	}
	return 0, true
}

// fraction returns the part of the equity that an entry's size is; sized: it is one.
func (p *Purse) fraction(d *Player, price market.Price) (f *big.Rat, sized bool) {
	z := d.Strategy.Size()
	switch {
	case z == nil || z.Shares != 0:
		return nil, false
	case z.Kelly == nil:
		return usd(int64(z.BankrollFraction)), true
	}
	one := big.NewRat(1, 1)
	cost := usd(int64(price) * 100)
	cost.Add(cost, d.Taker.PerShare(price))
	odds := new(big.Rat).Sub(one, cost)
	if odds.Sign() <= 0 {
		return new(big.Rat), true
	}
	f = usd(int64(z.Kelly.Probability))
	f.Sub(f, cost).Quo(f, odds)
	return f.Mul(f, usd(int64(z.Kelly.Fraction))), true
}

// floor rounds an amount down to a millionth of a dollar; what is below 0 is 0.
func floor(v *big.Rat) market.Cash {
	if v.Sign() <= 0 {
		return 0
	}
	n := new(big.Int).Mul(v.Num(), big.NewInt(int64(market.CashOne)))
	return market.Cash(n.Quo(n, v.Denom()).Int64())
}

// keep holds the most that a buy may cost, from its signal.
func (p *Purse) keep(d *Player, o *order) {
	if p == nil {
		return
	}
	if o.hold = o.money; o.size != fills.Unlimited {
		o.hold = min(o.money, costs(o.limit, o.size, d.owes(o.slot.spec)))
	}
	o.money = o.hold
	p.cash -= o.hold
	p.holds += o.hold
	p.mark()
}

// paid takes what a leg of a buy cost from what is held for it.
func (p *Purse) paid(o *order, cost market.Cash) {
	if p == nil {
		return
	}
	held := min(o.hold, cost)
	o.hold -= held
	p.holds -= held
	p.cash -= cost - held
	if p.limited {
		p.facts.LowestCash = min(p.facts.LowestCash, p.cash)
	}
}

// received takes in the proceeds of a leg.
func (p *Purse) received(c market.Cash) {
	if p == nil {
		return
	}
	p.cash += c
	p.mark()
}

// postpone gives back what a buy held that is known to be too late: at its arrival, as
// Reach is told of it.
func (p *Purse) postpone(o *order) {
	if p == nil || o.arrival == o.signal {
		p.release(o)
		return
	}
	p.late = append(p.late, o)
}

// Reach says that time has come to an instant.
func (p *Purse) Reach(at market.Instant) {
	p.late = slices.DeleteFunc(p.late, func(o *order) bool {
		if o.arrival <= at {
			p.release(o)
		}
		return o.arrival <= at
	})
}

// release gives back what a buy that has ended does not need.
func (p *Purse) release(o *order) {
	if p == nil || o.hold == 0 {
		return
	}
	p.cash += o.hold
	p.holds -= o.hold
	o.hold = 0
	p.mark()
}
