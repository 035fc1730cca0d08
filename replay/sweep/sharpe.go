package sweep

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ladderback/ladderback/backtest/stats"
)

// moments describe what a case made an end of rounds, over all ends.
type moments struct {
	n        int     // ends
	mean, sd float64 // in micro-dollars; sd = √(Σ(x − mean)² ÷ (n − 1))
	// skew = m₃ ÷ m₂^1.5 and kurtosis = m₄ ÷ m₂² with the central moments
	// m_j = Σ(x − mean)^j ÷ n; a normal distribution has 0 and 3.
	skew, kurtosis float64
}

// momentsOf sums in order, so that the result is the same everywhere. Without two
// values that differ sd is 0, and skew and kurtosis are those of a normal
// distribution.
func momentsOf(xs []int64) moments {
	m := moments{n: len(xs), kurtosis: 3}
	sum := int64(0)
	for _, x := range xs {
		sum += x
	}
	if m.n == 0 {
		return m
	}
	m.mean = float64(sum) / float64(m.n)
	var m2, m3, m4 float64
	for _, x := range xs {
		d := float64(x) - m.mean
		d2 := float64(d * d)
		m2 += d2
		m3 += float64(d2 * d)
		m4 += float64(d2 * d2)
	}
	if m2 == 0 || m.n < 2 {
		return m
	}
	n := float64(m.n)
	m.sd = math.Sqrt(m2 / (n - 1))
	m2, m3, m4 = m2/n, m3/n, m4/n
	m.skew, m.kurtosis = m3/(m2*math.Sqrt(m2)), m4/float64(m2*m2)
	return m
}

// sharpe is mean ÷ sd, the Sharpe ratio of one end of rounds (not annualised);
// ok is false without a deviation.
func (m moments) sharpe() (ratio float64, ok bool) {
	if m.sd == 0 {
		return 0, false
	}
	return m.mean / m.sd, true
}

// Probability that a true Sharpe ratio lies above a benchmark, given an observed
// one: the probabilistic Sharpe ratio
//
//	Φ( (SR − SR₀) · √(T − 1) ÷ √(1 − γ₃·SR + (γ₄ − 1) ÷ 4 · SR²) )
//
// for T observations with the skewness γ₃ and the kurtosis γ₄ (3 for a normal
// distribution); ratios are those of one observation. It lies in [0, 1]. D. H.
// Bailey, M. López de Prado, "The Sharpe Ratio Efficient Frontier", Journal of
// Risk 15 (2), 2012, equation 11; with SR₀ = ExpectedMaximum it is the deflated
// Sharpe ratio: the same, "The Deflated Sharpe Ratio: Correcting for Selection
// Bias, Backtest Overfitting and Non-Normality", Journal of Portfolio Management
// 40 (5), 2014, equation 2.
func Probability(sharpe, benchmark float64, observations int, skew, kurtosis float64) float64 {
	z := (sharpe - benchmark) * math.Sqrt(float64(observations-1)) / math.Sqrt(variance(sharpe, skew, kurtosis))
	return distuv.UnitNormal.CDF(z)
}

// variance is that of an estimated Sharpe ratio times the number of observations. It
// is above 0, as kurtosis ≥ 1 + skew²; rounding apart.
func variance(sharpe, skew, kurtosis float64) float64 {
	return max(1-skew*sharpe+(kurtosis-1)/4*sharpe*sharpe, math.SmallestNonzeroFloat64)
}

// ExpectedMaximum is the highest Sharpe ratio to be expected of so many
// independent trials without an edge, whose estimated ratios scatter with the
// standard deviation sd:
//
//	sd · ( (1 − γ)·Φ⁻¹(1 − 1/N) + γ·Φ⁻¹(1 − 1/(N·e)) ),  γ = 0.5772… (Euler–Mascheroni)
//
// in the unit of sd; 0 for one trial, of which nothing is the best, and never below
// it. trials may be a broken number. Bailey and López de Prado, 2014 (see Probability),
// equation 1.
func ExpectedMaximum(trials, sd float64) float64 {
	const gamma = 0.57721566490153286060651209008240243
	if trials <= 1 {
		return 0
	}
	return sd * max(0, (1-gamma)*distuv.UnitNormal.Quantile(1-1/trials)+gamma*distuv.UnitNormal.Quantile(1-1/(trials*math.E)))
}

// deviation is the sample standard deviation; 0 below two values.
func deviation(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	mean := 0.0
	for _, x := range xs {
		mean += x
	}
	mean /= float64(len(xs))
	squares := 0.0
	for _, x := range xs {
		squares += float64((x - mean) * (x - mean))
	}
	return math.Sqrt(squares / float64(len(xs)-1))
}

// decimal rounds to the six decimals of a report, half even.
func decimal(v float64) stats.Decimal { return stats.Decimal(math.RoundToEven(v * float64(stats.One))) }
