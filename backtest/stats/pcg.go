package stats

import (
	"math/bits"
	"math/rand/v2"
)

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

// The state of PCG-DXSM is multiplied by pcgTimes and increased by pcgPlus for each
// word, modulo 2¹²⁸.
var (
	pcgTimes = uint128{2549297995355413924, 4865540595714422341}
	pcgPlus  = uint128{6364136223846793005, 1442695040888963407}
)

// pcgBehind returns PCG-DXSM with the two words (seed, 0) as it is after n words.
//
// Method: n steps of a linear congruential generator are one, whose factor and summand
// come of squaring (F. B. Brown, "Random Number Generation with Arbitrary Strides",
// Transactions of the American Nuclear Society 71, 1994).
func pcgBehind(seed int64, n uint64) *rand.PCG {
	state := uint128{uint64(seed), 0}
	for times, plus := pcgTimes, pcgPlus; n > 0; n >>= 1 {
		if n&1 != 0 {
			state = state.times(times).plus(plus)
		}
		plus = times.plus(uint128{0, 1}).times(plus)
		times = times.times(times)
	}
	return rand.NewPCG(state.hi, state.lo)
}
