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
	mean   *big.Rat       // average entry price in USD, which sales leave as it is
	cost   *big.Rat       // of the shares held, at their average with fees, in USD
	high   fills.Average  // of the trailing stop
	goal   *big.Rat       // prices of the target and of the stop, in USD; nil: unused
	stop   *big.Rat
	ask    int64 // the target rounded up and the stop rounded down, in units of 1e-6 USD
	floor  int64
}

func sharesRat(s market.Size) *big.Rat {
	return new(big.Rat).SetFrac64(int64(s), int64(market.SizeOne))
}
func usd(n int64) *big.Rat { return new(big.Rat).SetFrac64(n, int64(market.CashOne)) }

// buy adds shares bought at an instant.
func (h *holding) buy(f *fills.Fill, at market.Instant, x *strategy.Exit) {
	if h.shares == 0 {
		*h = holding{first: at, mean: new(big.Rat), cost: new(big.Rat)}
	}
	value := new(big.Rat).Mul(h.mean, sharesRat(h.shares))
	value.Add(value, f.Value.Rat())
	h.shares += f.Shares
	h.bought += f.Shares
	h.mean = value.Quo(value, sharesRat(h.shares))
	h.cost = new(big.Rat).Add(h.cost, usd(int64(f.Cash+f.Fee)))
	h.goal, h.stop = nil, nil
	switch {
	case x.TakeProfit != nil:
		h.goal = usd(int64(*x.TakeProfit))
	case x.TakeProfitOffset != nil:
		h.goal = new(big.Rat).Add(h.mean, usd(int64(*x.TakeProfitOffset)))
	}
	if h.goal != nil {
		h.ask = ceil(h.goal)
	}
	switch {
	case x.StopLoss != nil:
		h.stop = usd(int64(*x.StopLoss))
	case x.StopLossOffset != nil:
		h.stop = new(big.Rat).Sub(h.mean, usd(int64(*x.StopLossOffset)))
	}

	if h.stop != nil {
		h.floor = -ceil(new(big.Rat).Neg(h.stop))
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
	h.cost = new(big.Rat).Mul(h.cost, new(big.Rat).SetFrac64(int64(left), int64(h.shares)))
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
	return v.Sub(v, d.held[token].mean), true
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
	return new(big.Rat).Add(d.held[token].mean, usd(int64(v.Quote.Ask.Price)*100)), true
}

// Since returns the first fill of what is held of a token.
func (d *Player) Since(token int) (market.Instant, bool) {
	if token < 0 || d.held[token].shares == 0 {
		return 0, false
	}
	return d.held[token].first, true
}
