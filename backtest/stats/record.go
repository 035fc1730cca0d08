package stats

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MinTrackRecord returns how many trades are needed before a Sharpe ratio as large as that of
// the trades shows, with 95 % confidence, that the true one is above 0. nil for fewer than
// three trades, without a deviation, and for a mean at or under 0: no number of them does.
// It takes trades for independent; where many end together it says too few.
//
// D. H. Bailey, M. López de Prado, "The Sharpe Ratio Efficient Frontier", Journal of Risk 15
// (2), 2012:
//
//	1 + (1 − γ₃·SR + (γ₄ − 1)/4 · SR²) · (z ÷ (SR − SR*))²
//
// rounded up, with the ratio of a trade SR, skewness γ₃ and kurtosis γ₄ (3 of a normal one).
func MinTrackRecord(trades []Trade) *int {
	xs := make([]float64, len(trades))
	for i := range trades {
		xs[i] = float64(trades[i].PnL)
	}
	if len(xs) < 3 {
		return nil
	}
	mean, sd := stat.PopMeanStdDev(xs, nil)
	if sd == 0 || mean <= 0 {
		return nil
	}
	skew, kurtosis := stat.Moment(3, xs, nil)/(sd*sd*sd), stat.Moment(4, xs, nil)/(sd*sd*sd*sd)
	n := trackRecord(mean/sd, 0, skew, kurtosis)
	return new(int(math.Ceil(min(n, math.MaxInt32))))
}

// trackRecord is the formula of MinTrackRecord, against a ratio under.
func trackRecord(ratio, under, skew, kurtosis float64) float64 {
	z := distuv.UnitNormal.Quantile(0.95) / (ratio - under)
	return 1 + (1-skew*ratio+(kurtosis-1)/4*ratio*ratio)*z*z
}

// DrawdownBand are percentiles of the largest drawdown, in USD, at least 0.
type DrawdownBand struct {
	Median  Decimal `json:"median"`
	Percent Decimal `json:"p95"` // of 20 orders of such results one falls as deep, or deeper
}

// drawdownResamples is how many orders are drawn.
const drawdownResamples = 2000

// Drawdowns returns how deep the total of as many ends of rounds would fall from its highest,
// or from 0, were they drawn again, with replacement and whole, as for an interval: what
// ended together is one step. nil without trades. By nearest rank of 2,000 resamples.
func Drawdowns(trades []Trade, seed int64) *DrawdownBand {
	cs := clusters(trades)
	if len(cs) == 0 {
		return nil
	}
	found := make([]int64, drawdownResamples)
	state := pcgBehind(seed, 0)
	for r := range found {
		var total, top, deepest int64
		for range cs {
			state = state.next()
			i, _ := bits.Mul64(state.word(), uint64(len(cs)))
			total += cs[i].pnl
			top = max(top, total)
			deepest = max(deepest, top-total)
		}
		found[r] = deepest
	}
	slices.Sort(found)
	return &DrawdownBand{Decimal(found[drawdownResamples/2-1]), Decimal(found[drawdownResamples*95/100-1])}
}
