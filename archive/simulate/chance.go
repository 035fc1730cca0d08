package simulate

import (
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// one is a probability, or a price, of 1 in the unit of this package: 1e-9.
const one = 1_000_000_000

// dice is a stream of random numbers of its own.
type dice struct{ pcg rand.PCG }

// newDice returns the stream for one purpose in one round.
func newDice(seed uint64, slug, purpose string) dice {
	h := fnv.New64a()
	h.Write([]byte(purpose + " " + slug))
	return dice{*rand.NewPCG(seed, h.Sum64())}
}

// below returns a number from 0 to n−1, n > 0.
func (d *dice) below(n int64) int64 {
	hi, _ := bits.Mul64(d.pcg.Uint64(), uint64(n))
	return int64(hi)
}

// between returns a number from low to high, both included.
func (d *dice) between(low, high int64) int64 { return low + d.below(high-low+1) }

// in reports true in k of n cases.
func (d *dice) in(k, n int64) bool { return d.below(n) < k }

// normal returns a number of mean 0 and standard deviation 65,536, roughly
// normal: the sum of twelve uniform ones.
func (d *dice) normal() int64 {
	sum := int64(6) - 12<<15
	for range 3 {
		u := d.pcg.Uint64()
		sum += int64(u&0xffff) + int64(u>>16&0xffff) + int64(u>>32&0xffff) + int64(u>>48)
	}
	return sum
}

// root returns √(a/b) in units of 1/65,536, a ≥ 0, b > 0. Quotient and root
// are correctly rounded everywhere, and the product is exact.
func root(a, b int64) int64 {
	return int64(math.Sqrt(float64(a)/float64(b)) * 65536)
}

// normalCDF returns the chance, in units of 1e-9, that a standard normal number
// is at most z/256, by linear interpolation (error below 1.3e-4).
func normalCDF(z int64) int64 {
	if z < 0 {
		return one - normalCDF(-z)
	}
	i, rest := z/16, z%16
	if i >= int64(len(cdfTable)-1) {
		return cdfTable[len(cdfTable)-1]
	}
	return cdfTable[i] + (cdfTable[i+1]-cdfTable[i])*rest/16
}

// cdfTable is the standard normal distribution function at multiples of 1/16,
// from 0 to 6, in units of 1e-9.
var cdfTable = tabulate(96, func(i float64) float64 { return distuv.UnitNormal.CDF(i / 16) })

// tabulate returns f of 0 to n, rounded to units of 1e-9: coarse enough to be the
// same on every machine, whatever it makes of the last bits.
func tabulate(n int, f func(i float64) float64) []int64 {
	out := make([]int64, n+1)
	for i := range out {
		out[i] = int64(math.Round(f(float64(i)) * one))
	}
	return out
}

// slope returns how fast the chance p, in units of 1e-9, moves with the normal
// number behind it: the standard normal density at the p-quantile.
func slope(p int64) int64 {
	if p > one/2 {
		p = one - p
	}
	i, rest := p/(one/64), p%(one/64)
	if i >= int64(len(slopeTable)-1) {
		return slopeTable[len(slopeTable)-1]
	}
	return slopeTable[i] + (slopeTable[i+1]-slopeTable[i])*rest/(one/64)
}

// slopeTable holds slope at multiples of 1/64, from 0 to 1/2.
var slopeTable = tabulate(32, func(i float64) float64 {
	return distuv.UnitNormal.Prob(distuv.UnitNormal.Quantile(i / 64))
})
