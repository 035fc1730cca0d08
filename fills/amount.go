package fills

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/ladderback/ladderback/market"
)

// Amount is an exact amount of money in units of 1e-12 USD, as a signed 128-bit
// integer: a price (1e-4) or payout (1e-6) times a size (1e-6) has no rounding
// in it. The zero value is 0. Additions and differences of fewer than 2^40
// products of a price in [0, 1] and a Size do not overflow.
type Amount struct {
	hi int64
	lo uint64
}

// amountPerCash is how many units of Amount make one unit of Cash.
const amountPerCash = 1_000_000

// Value returns price × size. Both must not be negative.
func Value(p market.Price, s market.Size) Amount {
	hi, lo := bits.Mul64(uint64(p)*100, uint64(s))
	return Amount{int64(hi), lo}
}

// Scaled returns perShare × size, with perShare in units of 1e-6 USD. The size
// must not be negative.
func Scaled(perShare int64, s market.Size) Amount {
	neg := perShare < 0
	u := uint64(perShare)
	if neg {
		u = -u
	}
	hi, lo := bits.Mul64(u, uint64(s))
	a := Amount{int64(hi), lo}
	if neg {
		return a.Neg()
	}
	return a
}

// AmountOf returns c as an Amount.
func AmountOf(c market.Cash) Amount { return Scaled(int64(c), amountPerCash) }

// MarshalBinary returns the amount as 16 bytes, the most significant first.
func (a Amount) MarshalBinary() ([]byte, error) {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(a.hi)), a.lo), nil
}

// UnmarshalBinary is the inverse of MarshalBinary.
func (a *Amount) UnmarshalBinary(b []byte) error {
	if len(b) != 16 {
		return fmt.Errorf("amount of %d bytes: expected 16", len(b))
	}
	a.hi, a.lo = int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:])
	return nil
}

// Add returns a + b.
func (a Amount) Add(b Amount) Amount {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return Amount{a.hi + b.hi + int64(carry), lo}
}

// Sub returns a − b.
func (a Amount) Sub(b Amount) Amount {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return Amount{a.hi - b.hi - int64(borrow), lo}
}

// Neg returns −a.
func (a Amount) Neg() Amount { return Amount{}.Sub(a) }

// Cmp returns −1, 0 or 1 as a is below, at or above b.
func (a Amount) Cmp(b Amount) int {
	switch {
	case a.hi < b.hi, a.hi == b.hi && a.lo < b.lo:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// Sign returns −1, 0 or 1.
func (a Amount) Sign() int { return a.Cmp(Amount{}) }

// Times returns a × k, 0 ≤ k; the product must fit in 127 bits.
func (a Amount) Times(k int64) Amount {
	if a.hi < 0 {
		return a.Neg().Times(k).Neg()
	}
	hi, lo := bits.Mul64(a.lo, uint64(k))
	return Amount{int64(hi) + a.hi*k, lo}
}

// Floor returns a in units of 1e-6 USD, rounded down (towards −∞).
func (a Amount) Floor() market.Cash {
	q, r := a.divmod()
	if a.hi < 0 && r != 0 {
		return -q - 1
	}
	if a.hi < 0 {
		return -q
	}
	return q
}

// Ceil returns a in units of 1e-6 USD, rounded up (towards +∞).
func (a Amount) Ceil() market.Cash { return -a.Neg().Floor() }

// Round returns a in units of 1e-6 USD, rounded to the nearest, half to even.
func (a Amount) Round() market.Cash {
	q, r := a.divmod()
	if r > amountPerCash/2 || r == amountPerCash/2 && q%2 != 0 {
		q++
	}
	if a.hi < 0 {
		return -q
	}
	return q
}

// divmod returns |a| in whole units of Cash and the rest.
func (a Amount) divmod() (market.Cash, uint64) {
	if a.hi < 0 {
		a = a.Neg()
	}
	// Amounts beyond 2^63 units of Cash are no money that anybody has.
	q, r := bits.Div64(uint64(a.hi)%amountPerCash, a.lo, amountPerCash)
	return market.Cash(q), r
}

// Float returns a in USD, for statistics and output only.
func (a Amount) Float() float64 {
	return (float64(a.hi)*(1<<64) + float64(a.lo)) / 1e12
}

// Rat returns a in USD as an exact fraction.
func (a Amount) Rat() *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(a.hi), 64)
	n.Add(n, new(big.Int).SetUint64(a.lo))
	return new(big.Rat).SetFrac(n, big.NewInt(1_000_000_000_000))
}

// Average is an exact average price: Value ÷ Shares. Without shares there is no
// average.
type Average struct {
	Value  Amount
	Shares market.Size
}

// Known reports whether there are shares to average over.
func (v Average) Known() bool { return v.Shares > 0 }

// PerShare returns the average of one price in units of 1e-6 USD, which may be
// negative.
func PerShare(p int64) Average { return Average{Scaled(p, 1), 1} }

// Less returns v − p, with p in units of 1e-6 USD per share.
func (v Average) Less(p int64) Average {
	return Average{v.Value.Sub(Scaled(p, v.Shares)), v.Shares}
}

// Cmp returns −1, 0 or 1 as v is below, at or above w, exactly. Both must have
// shares.
func (v Average) Cmp(w Average) int {
	vs, ws := v.Value.Sign(), w.Value.Sign()
	switch {
	case vs < ws:
		return -1
	case vs > ws:
		return 1
	case vs < 0:
		return Average{w.Value.Neg(), w.Shares}.Cmp(Average{v.Value.Neg(), v.Shares})
	case v.Shares == w.Shares:
		return v.Value.Cmp(w.Value)
	case v.Value.hi|w.Value.hi == 0: // sums of up to 18 million USD
		ahi, alo := bits.Mul64(v.Value.lo, uint64(w.Shares))
		bhi, blo := bits.Mul64(w.Value.lo, uint64(v.Shares))
		return cmp.Or(cmp.Compare(ahi, bhi), cmp.Compare(alo, blo))
	}
	return v.Value.wide().times(uint64(w.Shares)).cmp(w.Value.wide().times(uint64(v.Shares)))
}

// wide returns a, which must not be negative, in 256 bits.
func (a Amount) wide() uint256 { return uint256{a.lo, uint64(a.hi)} }

// Round returns the average in units of 1e-6 USD, rounded to the nearest, half
// to even; 0 without shares.
func (v Average) Round() market.Cash {
	if v.Shares <= 0 || v.Value.hi < 0 {
		return 0
	}
	// An average price is at most 1 USD = 1e6 units, so the quotient fits.
	d := uint64(v.Shares)
	q, r := bits.Div64(uint64(v.Value.hi)%d, v.Value.lo, d)
	if r > d-r || r == d-r && q%2 != 0 {
		q++
	}
	return market.Cash(q)
}

// Down returns the average, which must be at least 0, in units of 1e-6 USD, rounded down, and
// whether it was: 0, exactly, without shares.
func (v Average) Down() (micros int64, rounded bool) {
	if v.Shares <= 0 || v.Value.hi < 0 {
		return 0, false
	}
	d := uint64(v.Shares) // of at most 1 USD a share, as in Round
	q, r := bits.Div64(uint64(v.Value.hi)%d, v.Value.lo, d)
	return int64(q), r != 0
}

// Rat returns the average in USD as an exact fraction; 0 without shares.
func (v Average) Rat() *big.Rat {
	if v.Shares <= 0 {
		return new(big.Rat)
	}
	s := new(big.Rat).SetFrac64(int64(v.Shares), int64(market.SizeOne))
	return s.Quo(v.Value.Rat(), s)
}
