package replay

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/tape"
)

// position is what a filled entry left open, and its exits.
type position struct {
	trade *Trade
	left  market.Size    // shares not sold
	clock market.Instant // of the clock exit; market.Latest: none

	// Prices of the exits; without shares: unused.
	profit     fills.Average
	profitFrom market.Price  // the lowest price on the grid that is no lower than profit
	stop       fills.Average // fixed
	stopTo     market.Price  // the highest price on the grid that is no higher than stop; NoPrice: none
	trail      int64         // in units of 1e-6 USD; 0: no trailing stop
	high       fills.Average // highest executable bid of the stop since the fill

	// taken is what this position's sales took off the bids that is still
	// shown: level by level, at most what the last capture showed.
	taken []market.Level
}

// take opens the position of a filled entry.
func (r *runner) take(leg Leg, p fills.Purchase) {
	trade := &Trade{
		Market: r.market, Token: r.now.token, Legs: []Leg{leg},
		Signal: r.now.signal, EntryTime: leg.Time,
		Shares: leg.Shares, Entry: fills.Average{Value: leg.Value, Shares: leg.Shares},
		AskAtSignal: r.now.ask, BidAtSignal: market.NoPrice,
		Payout:  r.market.Payout.Fractions[r.now.token],
		Partial: p.Exhausted, CapBound: p.Exhausted && p.Beyond,
	}
	x := r.exit
	r.open = position{
		trade: trade, left: leg.Shares,
		clock: orders.FromEnd(r.exit, r.options.Latency(), r.end),
	}
	if x.MaxHoldSeconds > 0 {
		r.open.clock = min(r.open.clock, leg.Time+market.Span(x.MaxHoldSeconds)*market.Second)
	}
	// An exit whose instant has passed is sent at once.
	r.open.clock = max(r.open.clock, leg.Time)
	switch {
	case x.TakeProfit != nil:
		r.open.profit = fills.PerShare(int64(*x.TakeProfit))
	case x.TakeProfitOffset != nil:
		r.open.profit = trade.Entry.Less(-int64(*x.TakeProfitOffset))
	}
	switch {
	case x.StopLoss != nil:
		r.open.stop = fills.PerShare(int64(*x.StopLoss))
	case x.StopLossOffset != nil:
		r.open.stop = trade.Entry.Less(int64(*x.StopLossOffset))
	}
	if r.open.profit.Known() {
		r.open.profitFrom = r.open.profit.Ceil()
	}
	if r.open.stop.Known() {
		r.open.stopTo = r.open.stop.Floor()
	}
	if x.TrailingStop != nil {
		r.open.trail = int64(*x.TrailingStop)
	}
	r.result.Trade = trade
	r.phase = holding
}

// hold evaluates the exits and sends an order when one triggers. It reports
// whether the instant goes on.
func (r *runner) hold(t *tape.Tape, at market.Instant, capture bool) bool {
	reason := r.triggered(t, at)
	if reason == "" {
		return false
	}
	if r.flock != nil {
		r.release(t, at, capture)
		return false
	}
	token := r.open.trade.Token
	r.open.trade.Reason = reason
	r.open.trade.BidAtSignal = t.Views[token].Quote.Bid.Price
	r.now = order{token: token, signal: at, arrival: at + r.latency(Sell)}
	r.phase = exiting
	return r.now.arrival == at
}

// triggered returns the exit that triggers at an instant: the stop before the
// profit, that before the clock.
func (r *runner) triggered(t *tape.Tape, at market.Instant) ExitReason {
	o := &r.open
	best := t.Views[o.trade.Token].Quote.Bid
	if best.Price != market.NoPrice && o.within(best) {
		got := r.executable(t, best)
		switch {
		case r.stopped(got):
			return StopLoss
		case o.profit.Known() && r.brings(got, best).Cmp(o.profit) >= 0:
			return TakeProfit
		}
	}
	if at >= o.clock {
		return EndOfWindow
	}
	return ""
}

// within reports whether an exit may trigger, or the high water move, on a best
// bid. No average is above the best bid, so a take profit alone can wait until
// that is high enough.
func (o *position) within(best market.Level) bool {
	return o.stop.Known() || o.trail > 0 || o.profit.Known() && best.Price >= o.profitFrom
}

// executable returns what selling the whole position into the bids would bring,
// and how many shares they take. Nothing has been taken off the bids while a
// position is held.
func (r *runner) executable(t *tape.Tape, best market.Level) fills.Average {
	left := r.open.left
	v := &t.Views[r.open.trade.Token]
	if best.Size >= left || best.Size == 0 { // 0: in full, no size is captured
		return fills.Average{Value: fills.Value(best.Price, left), Shares: left}
	}
	var got fills.Average
	for l := best; l.Price != market.NoPrice && got.Shares < left; l = v.Next(market.Bid, l.Price) {
		size := min(l.Size, left-got.Shares)
		got.Value = got.Value.Add(fills.Value(l.Price, size))
		got.Shares += size
		if v.Stream != tape.LadderStream {
			break
		}
	}
	return got
}

// stopped moves the high water and reports whether a stop triggers on what the
// bids take.
func (r *runner) stopped(got fills.Average) bool {
	o := &r.open
	if !got.Known() {
		return false
	}
	if o.stop.Known() && got.Cmp(o.stop) <= 0 {
		return true
	}
	if o.trail == 0 {
		return false
	}
	if !o.high.Known() || got.Cmp(o.high) > 0 {
		o.high = got
	}
	return got.Cmp(o.high.Less(o.trail)) <= 0
}

// sell takes an exit order to the market: on its arrival, or at a later capture. What
// cannot be sold stays.
func (r *runner) sell(t *tape.Tape, at market.Instant) {
	o := &r.open
	token := o.trade.Token
	if _, ok := r.blocked(t, token, at); !ok {
		return
	}
	r.scratch = t.Ladder(r.scratch[:0], token, market.Bid, 0)
	o.without(r.scratch)
	bids := r.meets(Sell, at, r.scratch)
	f := r.pays(Sell, fills.Sell(bids, o.left, &r.schedule))
	if f.Shares == 0 {
		return
	}
	leg := Leg{
		Action: Sell, Token: token, Order: "exit", Reason: o.trade.Reason, Touch: o.trade.BidAtSignal, Time: at, AsOf: t.AsOf(),
		Kind: t.Views[token].Stream.Fill(), Fill: f,
	}
	if len(o.trade.Legs) == 1 {
		leg.Signal = r.now.signal
	}
	o.trade.Legs = append(o.trade.Legs, leg)
	o.left -= f.Shares
	for _, l := range f.Levels {
		o.remember(l)
	}
	if o.left == 0 {
		r.phase = done
	}
}

// without takes off the bids what the position's sales took.
func (o *position) without(bids []market.Level) {
	for _, t := range o.taken {
		for i := range bids {
			if bids[i].Price == t.Price && bids[i].Size != fills.Unlimited {
				bids[i].Size = max(0, bids[i].Size-t.Size)
			}
		}
	}
}

// remember notes that a level was taken.
func (o *position) remember(l market.Level) {
	for i := range o.taken {
		if o.taken[i].Price == l.Price {
			o.taken[i].Size += l.Size
			return
		}
	}
	o.taken = append(o.taken, l)
}

// captured brings what is remembered up to date with a capture: no more of a
// level is taken than it shows.
func (r *runner) captured(t *tape.Tape) {
	taken := r.open.taken
	for i := range taken {
		v := &t.Views[r.open.trade.Token]
		taken[i].Size = min(taken[i].Size, v.Shown(market.Bid, taken[i].Price))
	}
}

// finish settles what is left at the end and closes the books of the market.
func (r *runner) finish() MarketResult {
	o := &r.open
	if o.trade == nil {
		return r.result
	}
	if f := r.pays(Settle, fills.Settle(o.left, o.trade.Payout)); f.Shares > 0 {
		at := r.market.End
		if r.market.ClosedAt != 0 {
			at = r.market.ClosedAt
		}
		o.trade.Legs = append(o.trade.Legs, Leg{
			Action: Settle, Token: o.trade.Token, Touch: market.NoPrice, Time: at, Kind: fills.Settlement,
			Fill: f,
		})
	}
	o.trade.close()
	return r.result
}

// close sums up the legs.
func (t *Trade) close() {
	t.Shares, t.Entry, t.Reason = 0, fills.Average{}, Expiry
	for i := range t.Legs {
		l := &t.Legs[i]
		t.Fees += l.Fee
		if l.Action == Buy {
			t.Cost += l.Cash + l.Fee
			t.bought(l)
			continue
		}
		t.Proceeds += l.Cash - l.Fee
		if l.Action != Settle {
			t.Reason = l.Reason
		}
		if l.Token == t.Token && l.Action != Merge {
			t.Exit.Value = t.Exit.Value.Add(l.Value)
			t.Exit.Shares += l.Shares
		}
		if l.Action == Sell && l.Touch != market.NoPrice {
			t.Slippage = t.Slippage.Add(fills.Value(l.Touch, l.Shares)).Sub(l.Value)
		}
	}
	last := &t.Legs[len(t.Legs)-1]
	t.ExitTime, t.ExitFill = last.Time, last.Kind
}

// bought adds a leg that bought.
func (t *Trade) bought(l *Leg) {
	if l.Order == "entry" && l.Signal != 0 {
		t.Entries++
	}
	if l.Touch != market.NoPrice {
		t.Slippage = t.Slippage.Add(l.Value).Sub(fills.Value(l.Touch, l.Shares))
	}
	if l.Token != t.Token {
		t.Opposite.Average.Value = t.Opposite.Average.Value.Add(l.Value)
		t.Opposite.Average.Shares += l.Shares
		t.Opposite.Cost += l.Cash + l.Fee
		return
	}
	t.Shares += l.Shares
	t.Entry.Value = t.Entry.Value.Add(l.Value)
	t.Entry.Shares += l.Shares
}
