package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// power is the chance of a test to find an effect that Needed asks for.
const power = 0.8

// Needed returns how many observations a test would need to find, four times in
// five, an effect of the size seen: t is the statistic of n observations (the mean
// in units of its standard error), critical what the test asks of it. With N of them
// the statistic is about normal around t·√(N ÷ n) with a standard deviation of 1, so
//
//	N = n · ((critical + Φ⁻¹(0.8)) ÷ t)²
//
// rounded up (J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988,
// 2.4). 0 for t ≤ 0: no number of them would; at most 2³¹ − 1.
func Needed(t float64, n int, critical float64) int {
	if t <= 0 {
		return 0
	}
	ratio := (critical + distuv.UnitNormal.Quantile(power)) / t
	return int(math.Ceil(min(float64(n)*ratio*ratio, math.MaxInt32)))
}
