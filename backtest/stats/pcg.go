package stats

import "math/bits"

// uint128 is a number modulo 2¹²⁸.
type uint128 struct{ hi, lo uint64 }

func (a uint128) plus(b uint128) uint128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return uint128{a.hi + b.hi + carry, lo}
}

func (a uint128) times(b uint128) uint128 {
	hi, lo := bits.Mul64(a.lo, b.lo)
	return uint128{hi + a.hi*b.lo + a.lo*b.hi, lo}
}

// The state of PCG-DXSM is multiplied by one number and increased by another for each
// word, modulo 2¹²⁸.
const (
	timesHi, timesLo = 2549297995355413924, 4865540595714422341
	plusHi, plusLo   = 6364136223846793005, 1442695040888963407
)

// next returns the state of PCG-DXSM behind another.
func (a uint128) next() uint128 {
	hi, lo := bits.Mul64(a.lo, timesLo)
	hi += a.hi*timesLo + a.lo*timesHi
	lo, carry := bits.Add64(lo, plusLo, 0)
	return uint128{hi + plusHi + carry, lo}
}

// word returns the word that the state of PCG-DXSM gives: that of rand.PCG, for a loop
// whose states stay in registers.
func (a uint128) word() uint64 {
	const times = 0xda942042e4dd58b5
	w := (a.hi ^ a.hi>>32) * times
	return (w ^ w>>48) * (a.lo | 1)
}

// pcgBehind returns the state of PCG-DXSM with the two words (seed, 0) after n words.
//
// Method: n steps of a linear congruential generator are one, whose factor and summand
// come of squaring (F. B. Brown, "Random Number Generation with Arbitrary Strides",
// Transactions of the American Nuclear Society 71, 1994).
func pcgBehind(seed int64, n uint64) uint128 {
	state := uint128{uint64(seed), 0}
	for times, plus := (uint128{timesHi, timesLo}), (uint128{plusHi, plusLo}); n > 0; n >>= 1 {
		if n&1 != 0 {
			state = state.times(times).plus(plus)
		}
		plus = times.plus(uint128{0, 1}).times(plus)
		times = times.times(times)
	}
	return state
}
