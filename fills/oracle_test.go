package fills_test

import (
	"math/big"

	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// What the package does in integers is done here again in exact fractions of
// USD and shares, step by step and without regard to time.

func priceRat(p market.Price) *big.Rat { return big.NewRat(int64(p), int64(market.PriceOne)) }
func sizeRat(s market.Size) *big.Rat   { return big.NewRat(int64(s), int64(market.SizeOne)) }
func cashRat(c market.Cash) *big.Rat   { return big.NewRat(int64(c), int64(market.CashOne)) }

func mul(xs ...*big.Rat) *big.Rat {
	p := big.NewRat(1, 1)
	for _, x := range xs {
		p.Mul(p, x)
	}
	return p
}

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

// valueOf is Σ price × size.
func valueOf(levels []market.Level) *big.Rat {
	sum := new(big.Rat)
	for _, l := range levels {
		sum = add(sum, mul(priceRat(l.Price), sizeRat(l.Size)))
	}
	return sum
}

// floorTo rounds x ≥ 0 down to a multiple of step.
func floorTo(x, step *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(x, step)
	n := new(big.Int).Quo(q.Num(), q.Denom())
	return mul(new(big.Rat).SetInt(n), step)
}

func ceilTo(x, step *big.Rat) *big.Rat {
	f := floorTo(x, step)
	if f.Cmp(x) < 0 {
		f = add(f, step)
	}
	return f
}

// feeOf is the fee of a leg by its formula.
func feeOf(s *fills.Schedule, levels []market.Level) *big.Rat {
	sum := new(big.Rat)
	one := big.NewRat(1, 1)
	for _, l := range levels {
		p := priceRat(l.Price)
		x := mul(sizeRat(l.Size), big.NewRat(s.Rate, 1_000_000))
		for range s.PricePower {
			x = mul(x, p)
		}
		for range s.Exponent {
			x = mul(x, p, new(big.Rat).Sub(one, p))
		}
		sum = add(sum, x)
	}
	switch s.Rounding {
	case fills.Nearest1e4:
		step := big.NewRat(1, 10_000)
		r := floorTo(add(sum, big.NewRat(1, 20_000)), step)
		if sum.Sign() > 0 && r.Sign() == 0 {
			return step
		}
		return r
	case fills.UpCent:
		return ceilTo(sum, big.NewRat(1, 100))
	default:
		return floorTo(sum, big.NewRat(1, 100_000))
	}
}

var micro = big.NewRat(1, 1_000_000)

// bought takes shares up the asks, one level after the other.
func bought(asks []market.Level, shares market.Size) []market.Level {
	var got []market.Level
	for _, l := range asks {
		if size := min(l.Size, shares); size > 0 {
			got = append(got, market.Level{Price: l.Price, Size: size})
			shares -= size
		}
	}
	return got
}

// buyOf tries every multiple of Lot until one does not fit the budget.
func buyOf(asks []market.Level, limit market.Price, budget market.Cash, s *fills.Schedule) []market.Level {
	var within []market.Level
	total := market.Size(0)
	for _, l := range asks {
		if l.Price <= limit {
			within = append(within, l)
			total += l.Size
		}
	}
	var best []market.Level
	for shares := fills.Lot; shares <= total; shares += fills.Lot {
		got := bought(within, shares)
		paid := add(ceilTo(valueOf(got), micro), feeOf(s, got))
		if paid.Cmp(cashRat(budget)) > 0 {
			break
		}
		best = got
	}
	return best
}

// Generators.

// ladder draws a side of a book, best first: asks ascend, bids descend.
func ladder(t *rapid.T, side market.Side, name string) []market.Level {
	n := rapid.IntRange(0, 6).Draw(t, name+" levels")
	price := market.Price(rapid.IntRange(1, 9_000).Draw(t, name+" best"))
	var levels []market.Level
	for range n {
		size := market.Size(rapid.OneOf(
			rapid.Int64Range(1, 30_000),
			rapid.Map(rapid.Int64Range(1, 300), func(n int64) int64 { return n * int64(fills.Lot) }),
			rapid.Int64Range(1, 20_000_000),
		).Draw(t, name+" size"))
		levels = append(levels, market.Level{Price: price, Size: size})
		step := market.Price(rapid.IntRange(1, 300).Draw(t, name+" step"))
		if side == market.Bid {
			step = -step
		}
		if price += step; price < 1 || price > 9_999 {
			break
		}
	}
	return levels
}

// schedule draws one of the schedules that exist, or another.
func schedule(t *rapid.T) *fills.Schedule {
	return rapid.OneOf(
		rapid.Just(&fills.Schedule{}),
		rapid.Just(&fills.Schedule{Rate: 70_000, Exponent: 1}),
		rapid.Just(&fills.Schedule{Rate: 250_000, PricePower: 1, Exponent: 2, Rounding: fills.Nearest1e4}),
		rapid.Just(&fills.Schedule{Rate: 70_000, Exponent: 1, Rounding: fills.UpCent}),
		rapid.Custom(func(t *rapid.T) *fills.Schedule {
			return &fills.Schedule{
				Rate:       rapid.Int64Range(0, 1_000_000).Draw(t, "rate"),
				PricePower: rapid.IntRange(0, 1).Draw(t, "power"),
				Exponent:   rapid.IntRange(0, 4).Draw(t, "exponent"),
				Rounding:   fills.Rounding(rapid.IntRange(0, 2).Draw(t, "rounding")),
			}
		}),
	).Draw(t, "schedule")
}
