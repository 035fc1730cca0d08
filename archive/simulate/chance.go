package simulate

import (
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
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
// in units of 1e-9.
var cdfTable = [...]int64{
	500_000_000, 524_917_669, 549_738_225, 574_365_688, 598_706_326, 622_669_718, 646_169_767, 669_125_612,
	691_462_461, 713_112_298, 734_014_471, 754_116_150, 773_372_648, 791_747_607, 809_213_047, 825_749_288,
	841_344_746, 855_995_621, 869_705_483, 882_484_772, 894_350_226, 905_324_257, 915_434_278, 924_712_014,
	933_192_799, 940_914_877, 947_918_721, 954_246_375, 959_940_843, 965_045_513, 969_603_638, 973_657_873,
	977_249_868, 980_419_921, 983_206_694, 985_646_978, 987_775_527, 989_624_927, 991_225_525, 992_605_393,
	993_790_335, 994_803_921, 995_667_552, 996_400_545, 997_020_237, 997_542_099, 997_979_863, 998_345_649,
	998_650_102, 998_902_518, 999_110_975, 999_282_458, 999_422_975, 999_537_669, 999_630_922, 999_706_445,
	999_767_371, 999_816_330, 999_855_519, 999_886_766, 999_911_583, 999_931_216, 999_946_688, 999_958_833,
	999_968_329, 999_975_725, 999_981_463, 999_985_898, 999_989_311, 999_991_929, 999_993_928, 999_995_450,
	999_996_602, 999_997_473, 999_998_127, 999_998_617, 999_998_983, 999_999_255, 999_999_456, 999_999_604,
	999_999_713, 999_999_793, 999_999_851, 999_999_893, 999_999_924, 999_999_946, 999_999_962, 999_999_973,
	999_999_981, 999_999_987, 999_999_991, 999_999_994, 999_999_996, 999_999_997, 999_999_998, 999_999_999,
	999_999_999,
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
var slopeTable = [...]int64{
	0, 39_221_640, 70_381_591, 97_947_319, 122_983_946, 146_019_823, 167_375_599, 187_267_947,
	205_853_530, 223_251_033, 239_553_476, 254_835_668, 269_158_988, 282_574_600, 295_125_701, 306_849_132,
	317_776_573, 327_935_440, 337_349_578, 346_039_797, 354_024_300, 361_319_023, 367_937_905, 373_893_118,
	379_195_242, 383_853_418, 387_875_466, 391_267_990, 394_036_451, 396_185_238, 397_717_714, 398_636_256,
	398_942_280,
}
