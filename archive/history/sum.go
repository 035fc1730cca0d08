package history

import (
	"math/big"
	"math/bits"

	"github.com/ladderback/ladderback/market"
)

// wide is an unsigned 128-bit integer: money in units of 1e-10 USD (a price
// times a size), or a sum of it over grid points. A day has 345,600 of them, so
// that no market comes near the bound.
type wide struct{ hi, lo uint64 }

// valueOf returns price × size.
func valueOf(p market.Price, s market.Size) wide {
	hi, lo := bits.Mul64(uint64(p), uint64(s))
	return wide{hi, lo}
}

// wideOf returns c, at least 0, in units of 1e-10 USD.
func wideOf(c market.Cash) wide { return valueOf(market.PriceOne, market.Size(c)) }

func (a wide) add(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return wide{hi, lo}
}

func (a wide) sub(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return wide{hi, lo}
}

func (a wide) times(n int64) wide {
	hi, lo := bits.Mul64(a.lo, uint64(n))
	return wide{hi + a.hi*uint64(n), lo}
}

// mean returns a ÷ n in units of 1e-6 USD, rounded half to even. n is above 0.
func (a wide) mean(n int64) int64 {
	const perMicro = 10_000
	div := uint64(n) * perMicro
	if a.hi < div {
		q, r := bits.Div64(a.hi, a.lo, div)
		return int64(roundHalfEven(q, r, div))
	}
	// More than 1.8e13 USD: exact all the same, cut to what an int64 holds.
	x := new(big.Int).Lsh(new(big.Int).SetUint64(a.hi), 64)
	x.Or(x, new(big.Int).SetUint64(a.lo))
	if x.Quo(x, new(big.Int).SetUint64(div)); x.IsInt64() {
		return x.Int64()
	}
	return 1<<63 - 1
}

// meanOf returns sum ÷ (n × unit) in units of 1e-6, rounded half to even, where
// sum counts in 1/unit. sum may be negative; n is above 0.
func meanOf(sum, n, unit int64) int64 {
	neg := sum < 0
	if neg {
		sum = -sum
	}
	hi, lo := bits.Mul64(uint64(sum), 1_000_000)
	div := uint64(n) * uint64(unit)
	q, r := bits.Div64(hi, lo, div)
	v := int64(roundHalfEven(q, r, div))
	if neg {
		return -v
	}
	return v
}

func roundHalfEven(q, r, div uint64) uint64 {
	if r > div-r || r == div-r && q%2 != 0 {
		q++
	}
	return q
}
