package oracle

import (
	"math/big"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// position is an open position.
type position struct {
	token  int
	shares market.Size
	entry  *big.Rat // average price
	filled market.Instant
	high   *big.Rat // highest executable bid of the stops since the fill; nil: none
	clock  market.Instant
	timed  bool // clock counts
}

// hold follows a position from its fill to its end and returns the trade.
func (w *watch) hold(s strategy.Strategy, o replay.Options, token int, buy Leg, ask market.Price) *Trade {
	t := &Trade{
		MarketID: w.market.VenueID, Token: token, Signal: buy.Signal, Legs: []Leg{buy},
		AskAtSignal: ask, BidAtSignal: market.NoPrice,
		Payout: w.market.Payout.Fractions[token], Reason: "expiry",
	}
	p := &position{token: token, shares: buy.Shares, entry: div(buy.Value, size(buy.Shares)), filled: buy.Time}

	// Rule: clock exits are sent at their instant: fill + max_hold_seconds, and
	// the one counted from the end; the first of them.
	p.clock, p.timed = w.clockFromEnd(s.Exit, o)
	more := []market.Instant{buy.Time}
	if s.Exit.MaxHoldSeconds != 0 {
		at := buy.Time + market.Span(s.Exit.MaxHoldSeconds)*market.Second
		more = append(more, at)
		if !p.timed || at < p.clock {
			p.clock, p.timed = at, true
		}
	}

	// Rule: a position is judged at the instant of its fill and at every instant
	// of evaluation after it, until an exit triggers; nothing is evaluated while
	// that order is in flight, and the exit stands.
	remaining := p.shares
	for _, at := range w.instants(s, o, more...) {
		if at < buy.Time {
			continue
		}
		trigger := p.judge(s.Exit, asOf(w.frames, at).tokens[token].bids, at)
		if trigger == "" {
			continue
		}
		if bid := asOf(w.frames, at).tokens[token].bestBid(); bid != nil {
			t.BidAtSignal = *bid
		}
		sales := w.sellAll(token, at, p.shares, o)
		for _, l := range sales {
			t.Legs = append(t.Legs, l)
			t.Reason = trigger // a trade that sold nothing is settled: expiry
			remaining -= l.Shares
		}
		break
	}

	// Rule: shares held at the end pay the token's payout, without a fee; the
	// time is when the market was closed, else its end.
	if remaining > 0 {
		value := mul(size(remaining), cash(t.Payout))
		at := w.market.End
		if w.market.ClosedAt != 0 {
			at = w.market.ClosedAt
		}
		t.Legs = append(t.Legs, Leg{
			Action: "settle", Time: at, Kind: "settlement", Shares: remaining,
			Value: value, Cash: cashOf(floorTo(value, 1_000_000)),
		})
	}
	t.finish()
	return t
}

// judge says which exit triggers at the instant, in this order: the stops, take
// profit, the clock; empty: none.
func (p *position) judge(e strategy.Exit, bids []market.Level, at market.Instant) string {
	value, there := executable(bids, p.shares)

	// Rule: stops are judged on as much as the bids can take; unknown with no
	// bids. The high water is that of the same executable bid, from the fill on.
	if there > 0 {
		bid := div(value, size(there))
		if p.high == nil || bid.Cmp(p.high) > 0 {
			p.high = bid
		}
		if p.stopped(e, bid) {
			return "stop_loss"
		}
	}
	// Rule: take profit is judged on the whole position; shares that the bids
	// cannot take count at 0.
	whole := div(value, size(p.shares))
	if e.TakeProfit != nil && whole.Cmp(number(*e.TakeProfit)) >= 0 ||
		e.TakeProfitOffset != nil && whole.Cmp(add(p.entry, number(*e.TakeProfitOffset))) >= 0 {
		return "take_profit"
	}
	// Rule: a position filled after the clock's instant is sold at once.
	if p.timed && at >= p.clock {
		return "end_of_window"
	}
	return ""
}

// stopped says whether the executable bid is at or under one of the stops.
func (p *position) stopped(e strategy.Exit, bid *big.Rat) bool {
	return e.StopLoss != nil && bid.Cmp(number(*e.StopLoss)) <= 0 ||
		e.StopLossOffset != nil && bid.Cmp(sub(p.entry, number(*e.StopLossOffset))) <= 0 ||
		e.TrailingStop != nil && bid.Cmp(sub(p.high, number(*e.TrailingStop))) <= 0
}

// sellAll executes an exit signalled at the instant: it arrives after the
// latency, and what is not sold then is tried again at each later capture until
// sold or the end. Each sale is a leg of its own.
func (w *watch) sellAll(token int, signal market.Instant, shares market.Size, o replay.Options) []Leg {
	a := signal + latency(o)
	if a >= w.market.End {
		return nil
	}
	var legs []Leg
	sold := taken{}
	try := func(at market.Instant) {
		l, ok := w.sell(token, at, shares, sold, o)
		if !ok {
			return
		}
		if len(legs) == 0 {
			l.Signal = signal
		}
		legs = append(legs, l)
		shares -= l.Shares
	}
	try(a)
	for _, f := range w.frames {
		if f.at <= a || f.at >= w.market.End || shares == 0 {
			continue
		}
		sold.after(f.tokens[token].bids)
		if f.last {
			try(f.at)
		}
	}
	return legs
}
