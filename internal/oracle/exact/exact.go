// Package exact has amounts as fractions, and rounds them where a rule says so.
package exact

import (
	"fmt"
	"math/big"

	"github.com/ladderback/ladderback/market"
)

// Price, Size, Cash and Seconds are an amount in its own unit: shares are 1 a share, amounts of
// money 1 a dollar.
func Price(p market.Price) *big.Rat  { return big.NewRat(int64(p), int64(market.PriceOne)) }
func Size(s market.Size) *big.Rat    { return big.NewRat(int64(s), int64(market.SizeOne)) }
func Cash(c market.Cash) *big.Rat    { return big.NewRat(int64(c), int64(market.CashOne)) }
func Seconds(d market.Span) *big.Rat { return big.NewRat(int64(d), int64(market.Second)) }

// Add, Sub, Mul and Div leave a and b as they are.
func Add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func Sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func Mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func Div(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

// Floor and Ceil round x to a multiple of 1/per: down (towards −∞) and up.
func Floor(x *big.Rat, per int64) *big.Rat {
	scaled := Mul(x, big.NewRat(per, 1))
	q := new(big.Int)
	q.Div(scaled.Num(), scaled.Denom()) // the denominator is positive
	return new(big.Rat).SetFrac(q, big.NewInt(per))
}

func Ceil(x *big.Rat, per int64) *big.Rat {
	return new(big.Rat).Neg(Floor(new(big.Rat).Neg(x), per))
}

// CashOf returns x, in USD and a multiple of 1e-6, as Cash.
func CashOf(x *big.Rat) market.Cash {
	scaled := Mul(x, big.NewRat(int64(market.CashOne), 1))
	if !scaled.IsInt() {
		panic("oracle: not rounded to 1e-6: " + x.String())
	}
	return market.Cash(scaled.Num().Int64())
}

// Larger is the larger of two, Smaller the smaller.
func Larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

func Smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}

// SpanOf is so many seconds, of which the object has six decimals at most.
func SpanOf(s *big.Rat) market.Span {
	n := Mul(s, big.NewRat(int64(market.Second), 1))
	if !n.IsInt() {
		panic(fmt.Sprintf("oracle: %s seconds: more than six decimals", s))
	}
	return market.Span(n.Num().Int64())
}

// ValueOf is Σ price × size.
func ValueOf(levels []market.Level) *big.Rat {
	v := new(big.Rat)
	for _, l := range levels {
		v = Add(v, Mul(Price(l.Price), Size(l.Size)))
	}
	return v
}

// Compare compares two values, where an unknown one (nil) is below every
// known one.
func Compare(a, b *big.Rat) int {
	switch {
	case a != nil && b != nil:
		return a.Cmp(b)
	case a != nil:
		return 1
	case b != nil:
		return -1
	}
	return 0
}
