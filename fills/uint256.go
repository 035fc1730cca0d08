package fills

import (
	"math/big"
	"math/bits"
)

// uint256 is an unsigned 256-bit integer, least significant word first. Fees
// are summed in it, so that a schedule with a high exponent stays exact.
type uint256 [4]uint64

// times returns a × k; the product must fit.
func (a uint256) times(k uint64) uint256 {
	var carry uint64
	for i, w := range a {
		hi, lo := bits.Mul64(w, k)
		var c uint64
		a[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return a
}

// plus returns a + b; the sum must fit.
func (a uint256) plus(b uint256) uint256 {
	var carry uint64
	for i := range a {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return a
}

// over returns a ÷ d rounded down, and the rest.
func (a uint256) over(d uint64) (uint256, uint64) {
	var rest uint64
	for i := len(a) - 1; i >= 0; i-- {
		a[i], rest = bits.Div64(rest, a[i], d)
	}
	return a, rest
}

// overPow10 returns a ÷ 10^n rounded down, and whether anything was cut.
func (a uint256) overPow10(n int) (uint256, bool) {
	cut := false
	for n > 0 {
		step, d := 0, uint64(1)
		for ; n > 0 && step < 19; step++ {
			d *= 10
			n--
		}
		var rest uint64
		a, rest = a.over(d)
		cut = cut || rest != 0
	}
	return a, cut
}

// cmp returns −1, 0 or 1 as a is below, at or above b.
func (a uint256) cmp(b uint256) int {
	for i := len(a) - 1; i >= 0; i-- {
		switch {
		case a[i] < b[i]:
			return -1
		case a[i] > b[i]:
			return 1
		}
	}
	return 0
}

// small returns a as an int64, or the largest one when a does not fit.
func (a uint256) small() int64 {
	if a[1]|a[2]|a[3] != 0 || a[0] > 1<<63-1 {
		return 1<<63 - 1
	}
	return int64(a[0])
}

// big returns a.
func (a uint256) big() *big.Int {
	v := new(big.Int)
	for i := len(a) - 1; i >= 0; i-- {
		v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(a[i]))
	}
	return v
}
