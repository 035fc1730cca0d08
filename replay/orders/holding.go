package orders

import (
	"math/big"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// holding is what is held of one token.
type holding struct {
	shares market.Size
	bought market.Size    // since none were held
	first  market.Instant // the first fill since none were held
	only   fills.Average  // the average entry price of one buy
	all    *big.Rat       // that of several in USD, which sales leave as it is; nil: there was one
	paid   market.Cash    // for one buy, with fees
	cost   *big.Rat       // of the shares held, at their average with fees, in USD; nil: paid

	// Its exits:
	clock market.Instant // when the clock exit is due; market.Latest: there is none
	goal  mark
	stop  mark
	trail int64         // of the trailing stop, in units of 1e-6 USD; 0: there is none
	high  fills.Average // its high water
}

// mark is a price at which an exit triggers.
type mark struct {
	used   bool
	at     int64        // in units of 1e-6 USD: of a target rounded up, of a stop down
	price  market.Price // on the grid, rounded likewise; of a stop negative: none
	offset int64        // from the average entry price, in units of 1e-6 USD; 0: it is at
}

func sharesRat(s market.Size) *big.Rat {
	return new(big.Rat).SetFrac64(int64(s), int64(market.SizeOne))
}
func usd(n int64) *big.Rat { return new(big.Rat).SetFrac64(n, int64(market.CashOne)) }

// buy adds shares bought at an instant. Its exits are to be set anew.
func (h *holding) buy(f *fills.Fill, at market.Instant) {
	if h.shares == 0 {
		*h = holding{
			first: at, shares: f.Shares, bought: f.Shares,
			only: fills.Average{Value: f.Value, Shares: f.Shares}, paid: f.Cash + f.Fee,
		}
		return
	}
	value := new(big.Rat).Mul(h.mean(), sharesRat(h.shares))
	value.Add(value, f.Value.Rat())
	h.cost = new(big.Rat).Add(h.costs(), usd(int64(f.Cash+f.Fee)))
	h.shares += f.Shares
	h.bought += f.Shares
	h.all = value.Quo(value, sharesRat(h.shares))
}

// mean returns the average entry price in USD.
func (h *holding) mean() *big.Rat {
	if h.all != nil {
		return h.all
	}
	return h.only.Rat()
}

// rounded returns the average entry price in units of 1e-6 USD, rounded down and up.
func (h *holding) rounded() (low, high int64) {
	if h.all != nil {
		high = ceil(h.all)
		if low = high; usd(low).Cmp(h.all) != 0 {
			low--
		}
		return low, high
	}
	low, up := h.only.Down()
	if high = low; up {
		high++
	}
	return low, high
}

// costs returns what the shares held cost, at their average with fees, in USD.
func (h *holding) costs() *big.Rat {
	if h.cost != nil {
		return h.cost
	}
	return usd(int64(h.paid))
}

// setExits sets the exits of what is held; last is when nothing is held any more.
func (h *holding) setExits(x *strategy.Exit, last market.Instant) {
	h.clock = last
	if x.MaxHoldSeconds > 0 {
		h.clock = min(last, h.first+seconds(x.MaxHoldSeconds))
	}
	if x.TrailingStop != nil {
		h.trail = int64(*x.TrailingStop)
	}
	h.goal, h.stop = mark{}, mark{}
	switch {
	case x.TakeProfit != nil:
		h.goal = mark{used: true, at: int64(*x.TakeProfit)}
	case x.TakeProfitOffset != nil:
		h.goal = mark{used: true, offset: int64(*x.TakeProfitOffset)}
		_, high := h.rounded()
		h.goal.at = high + h.goal.offset
	}
	h.goal.price = market.Price((h.goal.at + microsAPrice - 1) / microsAPrice)
	switch {
	case x.StopLoss != nil:
		h.stop = mark{used: true, at: int64(*x.StopLoss)}
	case x.StopLossOffset != nil:
		h.stop = mark{used: true, offset: -int64(*x.StopLossOffset)}
		low, _ := h.rounded()
		h.stop.at = low + h.stop.offset
	}
	if h.stop.price = market.Price(h.stop.at / microsAPrice); h.stop.at < 0 {
		h.stop.price = market.NoPrice
	}
}

// microsAPrice is a step of market.Price in units of 1e-6 USD.
const microsAPrice = 100

// exact returns the price of a mark in USD; nil: it is not used.
func (h *holding) exact(m mark) *big.Rat {
	switch {
	case !m.used:
		return nil
	case m.offset == 0:
		return usd(m.at)
	}
	return new(big.Rat).Add(h.mean(), usd(m.offset))
}

// targeted reports whether what the bids pay for all that is held reaches the target.
func (h *holding) targeted(v fills.Average) bool {
	switch {
	case v.Cmp(fills.PerShare(h.goal.at)) >= 0:
		return true
	case v.Cmp(fills.PerShare(h.goal.at-1)) <= 0:
		return false
	}
	return v.Rat().Cmp(h.exact(h.goal)) >= 0
}

// stopped moves the high water and reports whether a stop triggers on what the bids
// take.
func (h *holding) stopped(got fills.Average) bool {
	if h.stop.used && got.Cmp(fills.PerShare(h.stop.at+1)) < 0 &&
		(got.Cmp(fills.PerShare(h.stop.at)) <= 0 || got.Rat().Cmp(h.exact(h.stop)) <= 0) {
		return true
	}
	if h.trail == 0 {
		return false
	}
	if !h.high.Known() || got.Cmp(h.high) > 0 {
		h.high = got
	}
	return got.Cmp(h.high.Less(h.trail)) <= 0
}

// tighten takes over the exits of others who hold the same where these trigger before.
func (h *holding) tighten(m *holding) {
	h.clock = min(h.clock, m.clock)
	// A mark with an offset lies within its rounding, one without at it.
	if m.stop.used && (!h.stop.used || m.stop.at > h.stop.at || m.stop.at == h.stop.at && m.stop.offset != 0) {
		h.stop = m.stop
	}
	if m.goal.used && (!h.goal.used || m.goal.at < h.goal.at || m.goal.at == h.goal.at && m.goal.offset != 0) {
		h.goal = m.goal
	}
	if m.trail > 0 {
		h.high = m.high // the same for all that trail
		if h.trail == 0 || m.trail < h.trail {
			h.trail = m.trail
		}
	}
}

// ceil returns a price in USD, rounded up, in units of 1e-6 USD.
func ceil(v *big.Rat) int64 {
	n := new(big.Int).Mul(v.Num(), big.NewInt(int64(market.CashOne)))
	n.Add(n, new(big.Int).Sub(v.Denom(), big.NewInt(1)))
	return n.Div(n, v.Denom()).Int64()
}

// drop takes shares away, which the average does not notice.
func (h *holding) drop(n market.Size) {
	left := h.shares - n
	if left == 0 {
		*h = holding{}
		return
	}
	h.cost = new(big.Rat).Mul(h.costs(), new(big.Rat).SetFrac64(int64(left), int64(h.shares)))
	h.shares = left
}

// Holds reports whether shares are held.
func (d *Player) Holds() bool { return !d.nothingHeld() }

func (d *Player) nothingHeld() bool { return d.held[0].shares == 0 && d.held[1].shares == 0 }

// executable returns what selling all that is held of a token into the bids would
// bring, and how many shares they take; not Known without bids. It is read of the book as
// it is shown: conditions see the book without us.
func (d *Player) executable(t *tape.Tape, token int) fills.Average {
	left := d.held[token].shares
	var got fills.Average
	for l := range t.Best(token, market.Bid) {
		size := min(l.Size, left-got.Shares)
		got.Value = got.Value.Add(fills.Value(l.Price, size))
		if got.Shares += size; got.Shares == left {
			break
		}
	}
	return got
}

// Profit returns the executable bid of what is held of a token less its average entry
// price.
func (d *Player) Profit(t *tape.Tape, token int) (*big.Rat, bool) {
	if token < 0 || d.held[token].shares == 0 {
		return nil, false
	}
	got := d.executable(t, token)
	if !got.Known() {
		return nil, false
	}
	v := got.Rat()
	return v.Sub(v, d.held[token].mean()), true
}

// PairCost returns the average entry price of what is held of a token plus the best ask
// of the other.
func (d *Player) PairCost(t *tape.Tape, token int) (*big.Rat, bool) {
	if token < 0 || len(d.market.Tokens) < 2 || d.held[token].shares == 0 {
		return nil, false
	}
	v := &t.Views[1-token]
	if v.Stream < tape.QuoteStream || v.Quote.Ask.Price == market.NoPrice {
		return nil, false
	}
	return new(big.Rat).Add(d.held[token].mean(), usd(int64(v.Quote.Ask.Price)*100)), true
}

// Since returns the first fill of what is held of a token.
func (d *Player) Since(token int) (market.Instant, bool) {
	if token < 0 || d.held[token].shares == 0 {
		return 0, false
	}
	return d.held[token].first, true
}
