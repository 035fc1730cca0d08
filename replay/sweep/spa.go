package sweep

import (
	"cmp"
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
	// Tries is how many independent cases without an edge have a best like that of
	// these, which depend on one another: see independent.
	Tries float64
	// Adjusted are the p-values of the cases, each for the claim that this one has an
	// edge, when all that pass are claimed together: see stepdown. 1 for a case that is
	// skipped.
	Adjusted []float64
}

// drawing is how ends of rounds are resampled.
type drawing struct {
	resamples int
	seed      int64
	workers   int
}

// test tests cases, each given as what it made at every end, in micro-dollars, 0
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
func (d drawing) test(ctx context.Context, cases [][]int64) (*SPA, error) {
	ready := make([]spaCase, 0, len(cases))
	for k, xs := range scaled(cases) {
		if c, ok := newSPACase(xs); ok {
			c.index = k
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(ready, func(a, b spaCase) int { return cmp.Compare(a.t, b.t) })
	out := &SPA{Statistic: max(0, ready[len(ready)-1].t), Adjusted: slices.Repeat([]float64{1}, len(cases))}
	maxima, reached, err := d.maxima(ctx, ready)
	if err != nil {
		return nil, err
	}
	for i, p := range []*float64{&out.P, &out.Lower, &out.Upper} {
		as := 1
		for _, m := range maxima[i] {
			if max(m, 0) >= out.Statistic {
				as++
			}
		}
		*p = float64(as) / float64(d.resamples+1)
	}
	upper := slices.Sorted(slices.Values(maxima[2]))
	out.Median, out.High = max(upper[d.resamples/2-1], 0), max(upper[d.resamples*95/100-1], 0)
	out.Tries = independent(upper, len(ready))
	out.stepdown(ready, reached, d.resamples)
	return out, nil
}

// stepdown fills in the adjusted p-values of cases in ascending order of t, given how
// many resamples had a maximum over a case and those before it that reached its t,
// every mean moved to 0. Claiming all cases at or under 5 % claims a case without an
// edge with a chance of 5 % at most, whatever the others have.
//
// J. P. Romano, M. Wolf, "Stepwise Multiple Testing as Formalized Data Snooping",
// Econometrica 73 (4), 2005 (StepM, studentised), with the p-values of the same,
// "Efficient computation of adjusted p-values for resampling-based stepdown multiple
// testing", Statistics & Probability Letters 113, 2016: from the best down, each case
// is held against the maximum over those not above it, and none is below one above it.
func (s *SPA) stepdown(ascending []spaCase, reached []int, resamples int) {
	p := 0.0
	for i := len(ascending) - 1; i >= 0; i-- {
		p = max(p, float64(reached[i]+1)/float64(resamples+1))
		s.Adjusted[ascending[i].index] = p
	}
}

// independent is the effective number of independent cases among so many that depend
// on one another: the number n for which the maxima of the resamples, every mean
// moved to 0, are most likely those of n independent standard normal numbers. With n
// of them Φ(maximum) has the distribution uⁿ, of which
//
//	n = −R ÷ Σ ln Φ(maximum)
//
// over R resamples is the estimate of maximum likelihood. It lies in [1, cases].
//
// F. Dudbridge, A. Gusnanto, "Estimation of significance thresholds for genomewide
// association scans", Genetic Epidemiology 32, 2008: the smallest p-value of a
// resample as Beta(1, n), with the p-value 1 − Φ(maximum).
func independent(maxima []float64, cases int) float64 {
	sum := 0.0
	for _, m := range maxima {
		sum += math.Log1p(-math.Erfc(m/math.Sqrt2) / 2)
	}
	return min(max(-float64(len(maxima))/sum, 1), float64(cases))
}

// spaCase is one case ready for resampling.
type spaCase struct {
	index  int // among the cases given
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

// maxima returns the maximum of each resample under the three recentrings and, of the
// last of them, in how many resamples the maximum over a case and those before it
// reaches the case's t.
func (d drawing) maxima(ctx context.Context, cases []spaCase) (found [3][]float64, reached []int, err error) {
	for i := range found {
		found[i] = slices.Repeat([]float64{math.Inf(-1)}, d.resamples)
	}
	const width = 128
	group, ctx := errgroup.WithContext(ctx)
	counts := make([][]int, max(d.workers, 1))
	for part := range counts {
		counts[part] = make([]int, len(cases))
		from, to := part*d.resamples/len(counts), (part+1)*d.resamples/len(counts)
		group.Go(func() error {
			for first := 0; first < len(cases); first += width {
				block, count := cases[first:min(first+width, len(cases))], counts[part][first:]
				columns := make([][]int64, len(block))
				for i := range block {
					columns[i] = block[i].xs
				}
				err := stats.Resample(ctx, columns, from, to, d.seed, func(r int, sums []float64) {
					most := [3]float64{found[0][r], found[1][r], found[2][r]}
					for k, sum := range sums {
						c := &block[k]
						t := float64(sum * c.scale)
						for i, center := range c.center {
							most[i] = max(most[i], t-center)
						}
						if most[2] >= c.t {
							count[k]++
						}
					}
					found[0][r], found[1][r], found[2][r] = most[0], most[1], most[2]
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return found, nil, err
	}
	reached = make([]int, len(cases))
	for _, count := range counts {
		for k, n := range count {
			reached[k] += n
		}
	}
	return found, reached, nil
}
