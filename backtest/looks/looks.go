// Package looks holds a mean against luck in many tries.
package looks

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/replay/sweep"
)

// Tally says the how manieth try of its rounds something is.
type Tally struct {
	// Look counts from 1 the tries on rounds of the coin and length, of any side.
	Look int `json:"look"`
	// Before is how many independent tries those before it were.
	Before stats.Decimal `json:"tries_before"`
}

// Deflated holds a mean against luck in so many tries.
type Deflated struct {
	Tally
	// Probability is that of a true mean above what luck alone gives the best of all tries:
	// the deflated Sharpe ratio of normal results (sweep.ExpectedMaximum). At the first
	// look it is that of a mean above 0.
	Probability stats.Decimal `json:"deflated_sharpe"`
	// Holds: the interval excludes 0, and Probability is at least Least.
	Holds bool `json:"holds"`
}

// Least is the least probability that a mean needs: that of a 95 % interval which lies
// above 0, at the first look.
const Least = 0.975

// Deflate holds the mean of a verdict, or a difference of means, against so many tries as
// were made before. Nil without an interval.
func (l Tally) Deflate(mean *stats.Decimal, interval *stats.Interval) *Deflated {
	if mean == nil || interval == nil || interval[0] == interval[1] {
		return nil
	}
	// The interval is 2 · 1.96 standard errors wide, those of clusters of trades.
	deviation := (interval[1].Float() - interval[0].Float()) / 2 / distuv.UnitNormal.Quantile(Least)
	above := math.Abs(mean.Float())/deviation - sweep.ExpectedMaximum(1+l.Before.Float(), 1)
	p := distuv.UnitNormal.CDF(above)
	return &Deflated{
		Tally: l, Probability: stats.Decimal(math.RoundToEven(p * 1e6)),
		Holds: p >= Least && (interval[0] > 0 || interval[1] < 0),
	}
}
