package simulate

import (
	"iter"

	"github.com/ladderback/ladderback/market"
)

// Captures yields the captures of the round in receive order. Within one
// receive time, Ord counts from 0. Ladders are those of Up, the first token;
// trades are of either token. The capture and its levels are valid until the
// next iteration. Every sequence starts over and gives the same captures.
func (r *Round) Captures() iter.Seq[*market.Capture] {
	return func(yield func(*market.Capture) bool) {
		t := traits(r.pair.Coin)
		m := &maker{
			round: r, yield: yield, trades: newDice(r.config.Seed, r.Market.Slug, "trades"),
			ladder: ladder{
				dice: newDice(r.config.Seed, r.Market.Slug, "ladder"), levels: r.config.Levels,
				depth: t.depth, fair: r.config.Fair, tick: coarse, width: 1,
			},
		}
		m.refines = !r.config.Fair && m.trades.in(1, 8)
		for i := range r.steps {
			if !m.step(&r.steps[i]) {
				return
			}
		}
	}
}

// Values yields the receive time of each ladder capture and the probability of
// Up from then until the next one, in units of 1e-9. After the end it is 0 or
// 1e9.
func (r *Round) Values() iter.Seq2[market.Instant, int64] {
	return func(yield func(market.Instant, int64) bool) {
		for i := range r.steps {
			if !yield(r.steps[i].recv, r.steps[i].fair) {
				return
			}
		}
	}
}

// maker makes the captures of a round.
type maker struct {
	round   *Round
	yield   func(*market.Capture) bool
	trades  dice
	ladder  ladder
	refines bool // the tick shrinks near the end, if Up is all but decided
	began   bool
	capture market.Capture
	bids    []market.Level // of the ladder handed out last
	asks    []market.Level
}

// step hands out the captures of one step. It reports false when no more are
// wanted.
func (m *maker) step(s *step) bool {
	l := &m.ladder
	left := m.round.Market.End - s.recv
	ord := uint32(0)
	send := func(c market.Capture) bool {
		c.Recv, c.Exch, c.Ord = s.recv, s.exch, ord
		if c.Kind == market.KindReset {
			c.Exch = 0
		}
		ord++
		m.capture = c
		return m.yield(&m.capture)
	}
	if s.fresh && m.began && !send(market.Capture{Kind: market.KindReset}) {
		return false
	}
	if m.refined(s.quoted, left) {
		l.tick = 1
		if !send(market.Capture{Kind: market.KindTick, Trade: market.Trade{Price: fineTick}}) {
			return false
		}
	}
	m.mood(left)
	l.quote(s.quoted)
	whole := s.fresh || m.trades.in(1, 64)
	if left > 0 && m.trades.in(15, 100) {
		if trade, ok := m.trade(); ok {
			whole = true // as the exchange does: the whole ladder after a trade
			if !send(trade) {
				return false
			}
		}
	}
	m.began = true
	c := market.Capture{Bids: m.bids, Asks: m.asks}
	l.hand(&c, whole)
	m.bids, m.asks = c.Bids, c.Asks
	return send(c)
}

// refined reports whether the tick shrinks now: near the end of a round that is
// all but decided.
func (m *maker) refined(quoted int64, left market.Span) bool {
	certain := quoted > 96*cent || quoted < 4*cent
	return m.refines && certain && left > 0 && left < market.Minute && m.ladder.tick == coarse
}

// mood sets how much makers show with so much time left.
func (m *maker) mood(left market.Span) {
	l := &m.ladder
	if left <= 0 {
		l.absent = true
		return
	}
	l.thin = min(100, 30+70*root(int64(left), int64(m.round.pair.span))/65536)
	if left < 4*market.Minute {
		if l.absent {
			l.absent = !m.trades.in(1, 10)
		} else {
			l.absent = m.trades.in(1, 35)
		}
	}
}

// trade lets a taker take from the best price of a side. Half of the takers who
// sell Up do so by buying Down, and vice versa.
func (m *maker) trade() (market.Capture, bool) {
	l := &m.ladder
	buys := m.trades.in(1, 2)
	h, i := &l.sides[0], l.sides[0].highest()
	if buys {
		h, i = &l.sides[1], l.sides[1].lowest()
	}
	if i < 0 {
		return market.Capture{}, false
	}
	size := min(h.size[i], market.Size(m.trades.between(5, 120))*market.SizeOne)
	h.set(i, h.size[i]-size)
	c := market.Capture{Kind: market.KindTrade, Trade: market.Trade{Price: market.Price(i) * fineTick, Size: size, Side: market.Ask}}
	if buys {
		c.Trade.Side = market.Bid
	}
	if m.trades.in(9, 20) {
		c.Token, c.Trade.Price, c.Trade.Side = 1, c.Trade.Price.Mirror(), c.Trade.Side.Opposite()
	}
	return c, true
}
