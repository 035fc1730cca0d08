package sweep

import (
	"context"

	"github.com/ladderback/ladderback/strategy"
)

// The walk-forward's choice of a block, and the moments, for tests.
var BlockFor = blockFor

// Moments are mean, standard deviation, skewness and kurtosis.
func Moments(xs []int64) (mean, sd, skew, kurtosis float64) {
	m := momentsOf(xs)
	return m.mean, m.sd, m.skew, m.kurtosis
}

// OwnValue returns the value that s has at a path; nil where it is left out.
func OwnValue(s strategy.Canonical, path string) *strategy.Number {
	f, err := fieldOf(s, path)
	object := s.Strategy()
	if n, ok := f.get(&object); err == nil && ok {
		return &n
	}
	return nil
}

// Measured returns o for measurements of the verdict: with so many resamples, and
// without the intervals of the variants.
func (o Options) Measured(resamples int) Options {
	o.resamples, o.noIntervals = resamples, true
	return o
}

// PnL returns what a variant made at each of Ends, and with how many trades. The
// ledger owns the slices.
func (l *Ledger) PnL(variant int) ([]int64, []uint16) {
	return l.cases[variant].pnl, l.cases[variant].count
}

// RunSPA tests cases as a sweep does, with all of its resamples.
func RunSPA(ctx context.Context, cases [][]int64, seed int64, workers int) (*SPA, error) {
	return drawing{Resamples, seed, workers}.test(ctx, cases)
}

// OverfitOver is the cross-validation over so many blocks.
var OverfitOver = overfitOver

// OverfitOf is the cross-validation as a sweep does it.
var OverfitOf = overfit
