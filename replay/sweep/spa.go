package sweep

import (
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/backtest/stats"
)

// Resamples is how many times the ends of rounds are resampled for the test of
// superior predictive ability.
const Resamples = 5_000

// SPA is the outcome of Hansen's test of superior predictive ability against not
// trading at all: whether the best of several cases beats the best of as many cases
// without an edge.
type SPA struct {
	// Statistic = max(0, max over the cases of √n · mean ÷ ω), with n ends, the
	// mean over them and ω² = Σ(x − mean)² ÷ n.
	Statistic float64
	// P is the consistent p-value, Lower and Upper bound it. They lie in
	// [1 ÷ (Resamples + 1), 1].
	P, Lower, Upper float64
	// Median and High are the 50 % and 95 % quantiles of the statistic without any
	// edge (every mean moved to 0, as for Upper).
	Median, High float64
}

// TestSPA tests cases, each given as what it made at every end, in micro-dollars, 0
// where it did not trade; all have the same ends, n ≥ 3 of them. Cases with a
// standard deviation of 0 are skipped. The result is nil if no case remains.
//
// P. R. Hansen, "A Test for Superior Predictive Ability", Journal of Business &
// Economic Statistics 23 (4), 2005, which studentises H. White's "A Reality Check
// for Data Snooping", Econometrica 68 (5), 2000, and recentres only the cases
// that are not clearly bad: in a resample a case counts with
//
//	√n · (mean* − g) ÷ ω,  g = mean where √n · mean ÷ ω ≥ −√(2 ln ln n), else 0
//
// (consistent), max(mean, 0) (lower) or mean (upper: White's recentring). The
// p-value is the share of resamples whose maximum reaches the statistic, the
// sample itself counted as one (A. C. Davison, D. V. Hinkley, "Bootstrap Methods
// and their Application", 1997, 4.2.3), so it is never 0. Where Hansen draws
// blocks of days, whole ends of rounds are drawn, as for the intervals of a
// backtest: rounds that end together move together, and stay together.
func TestSPA(ctx context.Context, cases [][]int64, seed int64, workers int) (*SPA, error) {
	ready := make([]spaCase, 0, len(cases))
	for _, xs := range scaled(cases) {
		if c, ok := newSPACase(xs); ok {
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		return nil, nil
	}
	out := &SPA{}
	for i := range ready {
		out.Statistic = max(out.Statistic, ready[i].t)
	}
	maxima, err := spaMaxima(ctx, ready, seed, workers)
	if err != nil {
		return nil, err
	}
	for i, p := range []*float64{&out.P, &out.Lower, &out.Upper} {
		reached := 1
		for _, m := range maxima[i] {
			if m >= out.Statistic {
				reached++
			}
		}
		*p = float64(reached) / (Resamples + 1)
	}
	upper := slices.Sorted(slices.Values(maxima[2]))
	out.Median, out.High = upper[Resamples/2-1], upper[Resamples*95/100-1]
	return out, nil
}

// spaCase is one case ready for resampling.
type spaCase struct {
	xs     []int64
	scale  float64    // √n ÷ (n·ω): turns a sum into a statistic
	t      float64    // √n · mean ÷ ω
	center [3]float64 // √n · g ÷ ω: consistent, lower, upper
}

func newSPACase(xs []int64) (spaCase, bool) {
	m := momentsOf(xs)
	if m.sd == 0 || m.n < 3 {
		return spaCase{}, false
	}
	n := float64(m.n)
	omega := m.sd * math.Sqrt((n-1)/n)
	c := spaCase{xs: xs, scale: 1 / (math.Sqrt(n) * omega), t: math.Sqrt(n) * m.mean / omega}
	c.center = [3]float64{c.t, max(c.t, 0), c.t}
	if c.t < -math.Sqrt(2*math.Log(math.Log(n))) {
		c.center[0] = 0
	}
	return c, true
}

// scaled returns the cases in a unit in which their sums are held exactly: as they
// are, or cut to thousandths of a dollar, and so on.
func scaled(cases [][]int64) [][]int64 {
	most := 0.0
	for _, xs := range cases {
		for _, x := range xs {
			most = max(most, math.Abs(float64(x))*float64(len(xs)))
		}
	}
	if most < 1<<53 {
		return cases
	}
	out := make([][]int64, len(cases))
	for i, xs := range cases {
		out[i] = make([]int64, len(xs))
		for k, x := range xs {
			out[i][k] = x / 1000
		}
	}
	return scaled(out)
}

// spaMaxima returns the maxima of each resample under the three recentrings.
func spaMaxima(ctx context.Context, cases []spaCase, seed int64, workers int) (maxima [3][]float64, err error) {
	const width = 128
	blocks := slices.Collect(slices.Chunk(cases, width))
	found := make([][3][]float64, len(blocks))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(workers, 1))
	for b, block := range blocks {
		group.Go(func() error {
			columns := make([][]int64, len(block))
			for i := range block {
				columns[i] = block[i].xs
			}
			for i := range found[b] {
				found[b][i] = make([]float64, Resamples) // 0: no case is above not trading
			}
			return stats.Resample(ctx, columns, Resamples, seed, func(r int, sums []float64) {
				for k, sum := range sums {
					c := &block[k]
					for i, center := range c.center {
						found[b][i][r] = max(found[b][i][r], float64(sum*c.scale)-center)
					}
				}
			})
		})
	}
	if err := group.Wait(); err != nil {
		return maxima, err
	}
	maxima = found[0]
	for _, f := range found[1:] {
		for i := range maxima {
			for r, v := range f[i] {
				maxima[i][r] = max(maxima[i][r], v)
			}
		}
	}
	return maxima, nil
}
