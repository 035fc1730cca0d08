package replay_test

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// naiveBook is one token's market, rebuilt from captures in maps, with what a
// trade has taken off its bids.
type naiveBook struct {
	captures           []*market.Capture
	token              int
	mirrored           bool
	bids, asks         map[market.Price]market.Size
	taken              map[market.Price]market.Size
	ladder, quote      bool
	unsized, lastPrice bool // what is shown has no size; a price stands for both sides
	asOf               market.Instant
}

func newNaiveBook(r *replaytest.Round, token int) *naiveBook {
	return &naiveBook{
		captures: slices.Collect(r.Counted()), token: token, mirrored: r.Market.Mirrored,
		bids: map[market.Price]market.Size{}, asks: map[market.Price]market.Size{}, taken: map[market.Price]market.Size{},
	}
}

// to applies the captures up to and with an instant.
func (b *naiveBook) to(at market.Instant) {
	for ; len(b.captures) > 0 && b.captures[0].Recv <= at; b.captures = b.captures[1:] {
		c := b.captures[0]
		if c.Kind == market.KindReset {
			continue
		}
		b.asOf = c.Recv
		if c.Token == b.token || b.mirrored {
			b.apply(c)
		}
		for p, s := range b.taken {
			b.taken[p] = min(s, b.bids[p])
		}
	}
}

func (b *naiveBook) apply(c *market.Capture) {
	bids, asks := c.Bids, c.Asks
	q, price := c.Quote, c.Trade.Price
	if c.Token != b.token {
		bids, asks = flip(c.Asks), flip(c.Bids)
		q, price = q.Mirror(), price.Mirror()
	}
	switch {
	case c.IsLadder():
		if !c.Replace && !b.ladder {
			return // changes before a whole ladder make no book
		}
		if c.Replace {
			clear(b.bids)
			clear(b.asks)
		}
		b.ladder = true
		b.unsized, b.lastPrice = false, false
		set(b.bids, bids)
		set(b.asks, asks)
	case c.Kind == market.KindQuote && !b.ladder:
		b.quote, b.lastPrice = true, false
		b.unsized = q.Bid.Size == 0 && q.Ask.Size == 0
		b.show(q.Bid, q.Ask)
	case c.Kind == market.KindPrice && !b.ladder && !b.quote:
		b.lastPrice, b.unsized = true, true
		l := market.Level{Price: price}
		b.show(l, l)
	}
}

func (b *naiveBook) show(bid, ask market.Level) {
	clear(b.bids)
	clear(b.asks)
	for side, l := range map[*map[market.Price]market.Size]market.Level{&b.bids: bid, &b.asks: ask} {
		if l.Price >= 0 {
			(*side)[l.Price] = l.Size
			if b.unsized {
				(*side)[l.Price] = fills.Unlimited
			}
		}
	}
}

func set(side map[market.Price]market.Size, levels []market.Level) {
	for _, l := range levels {
		if side[l.Price] = l.Size; l.Size == 0 {
			delete(side, l.Price)
		}
	}
}

func flip(levels []market.Level) []market.Level {
	var out []market.Level
	for _, l := range levels {
		out = append(out, market.Level{Price: l.Price.Mirror(), Size: l.Size})
	}
	return out
}

// take checks a leg against what the book shows and takes it.
func (b *naiveBook) take(l *replay.Leg) error {
	kind := fills.BestQuote
	switch {
	case b.ladder:
		kind = fills.BookLadder
	case b.lastPrice:
		kind = fills.LastPrice
	}
	if l.Kind != kind || l.AsOf != b.asOf {
		return fmt.Errorf("%s as of %s: want %s as of %s", l.Kind, l.AsOf, kind, b.asOf)
	}
	side, best := b.asks, market.PriceOne+1
	for p := range b.asks {
		best = min(best, p)
	}
	if l.Action == replay.Sell {
		side, best = b.bids, -1
		for p := range b.bids {
			best = max(best, p)
		}
	}
	for _, level := range l.Levels {
		shown := side[level.Price]
		if l.Action == replay.Sell && shown != fills.Unlimited {
			shown -= b.taken[level.Price]
			b.taken[level.Price] += level.Size
		}
		if level.Size > shown {
			return fmt.Errorf("took %s at %s where %s is left", level.Size, level.Price, shown)
		}
	}
	top := fills.Value(best, l.Shares)
	if l.Action == replay.Buy && l.Value.Cmp(top) < 0 || l.Action == replay.Sell && l.Value.Cmp(top) > 0 {
		return fmt.Errorf("%s %s shares for %s, the best price is %s", l.Action, l.Shares, l.Value.Rat(), best)
	}
	return nil
}

func priceRat(p market.Price) *big.Rat { return big.NewRat(int64(p), int64(market.PriceOne)) }
func sizeRat(s market.Size) *big.Rat   { return big.NewRat(int64(s), int64(market.SizeOne)) }
func cashRat(c market.Cash) *big.Rat   { return big.NewRat(int64(c), int64(market.CashOne)) }

// floor rounds down to a millionth of a dollar.
func floor(x *big.Rat) market.Cash {
	n := new(big.Int).Mul(x.Num(), big.NewInt(int64(market.CashOne)))
	return market.Cash(n.Div(n, x.Denom()).Int64())
}

// feeByFormula is the fee of a leg in exact fractions.
func feeByFormula(s fills.Schedule, levels []market.Level) market.Cash {
	sum, one := new(big.Rat), big.NewRat(1, 1)
	for _, l := range levels {
		p := priceRat(l.Price)
		x := new(big.Rat).Mul(sizeRat(l.Size), big.NewRat(s.Rate, 1_000_000))
		for range s.PricePower {
			x.Mul(x, p)
		}
		for range s.Exponent {
			x.Mul(x, p).Mul(x, new(big.Rat).Sub(one, p))
		}
		sum.Add(sum, x)
	}
	steps := func(perDollar int64, add *big.Rat) market.Cash {
		n := new(big.Rat).Mul(sum, big.NewRat(perDollar, 1))
		n.Add(n, add)
		return market.Cash(new(big.Int).Div(n.Num(), n.Denom()).Int64())
	}
	switch s.Rounding {
	case fills.Nearest1e4:
		if fee := 100 * steps(10_000, big.NewRat(1, 2)); fee > 0 || sum.Sign() == 0 {
			return fee
		}
		return 100
	case fills.UpCent:
		sum.Neg(sum)
		return -10_000 * steps(100, new(big.Rat))
	default:
		return 10 * steps(100_000, new(big.Rat))
	}
}
