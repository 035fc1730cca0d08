package sweep_test

import (
	"context"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"github.com/ladderback/ladderback/replay/sweep"
)

// The worked example of Bailey and López de Prado, 2014: five years of daily
// returns, an annualised Sharpe ratio of 2.5, skewness −3, kurtosis 10, trials
// whose annualised ratios have a variance of 1/2. With 100 of them the benchmark is
// 0.1132 a day and the deflated ratio 0.9004; with 46 it would be 0.9505, and with
// normal returns 88 trials give 0.9505.
func TestDeflatedSharpeOfThePaper(t *testing.T) {
	t.Parallel()
	const year = 250
	sharpe, sd := 2.5/math.Sqrt(year), math.Sqrt(0.5/year)
	benchmark := sweep.ExpectedMaximum(100, sd)
	require.InDelta(t, 0.1132, benchmark, 0.00005)
	require.InDelta(t, 0.9004, sweep.Probability(sharpe, benchmark, 1250, -3, 10), 0.00005)
	require.InDelta(t, 0.9505, sweep.Probability(sharpe, sweep.ExpectedMaximum(46, sd), 1250, -3, 10), 0.00005)
	require.InDelta(t, 0.9505, sweep.Probability(sharpe, sweep.ExpectedMaximum(88, sd), 1250, 0, 3), 0.0005)
}

// The expected maximum is that of as many normal numbers, drawn.
func TestExpectedMaximumIsThatOfDraws(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 9))
	require.Zero(t, sweep.ExpectedMaximum(1, 2))
	for _, n := range []int{2, 10, 100, 1000} {
		const repeats = 4000
		sum := 0.0
		for range repeats {
			most := math.Inf(-1)
			for range n {
				most = max(most, random.NormFloat64())
			}
			sum += most
		}
		require.InDelta(t, sum/repeats, sweep.ExpectedMaximum(float64(n), 1), 0.05, "%d trials", n)
		require.InDelta(t, 2*sweep.ExpectedMaximum(float64(n), 1), sweep.ExpectedMaximum(float64(n), 2), 1e-12)
	}
}

// Of many samples without an edge the probability is uniform: as many lie below
// p as p says.
func TestProbabilityIsOne(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	const samples = 3000
	below := 0
	for range samples {
		xs := make([]int64, 200)
		for i := range xs {
			xs[i] = int64(1e6 * (random.ExpFloat64() - 1)) // skewness 2, kurtosis 9, mean 0
		}
		mean, sd, skew, kurtosis := sweep.Moments(xs)
		if sweep.Probability(mean/sd, 0, len(xs), skew, kurtosis) < 0.95 {
			below++
		}
	}
	require.InDelta(t, 0.95, float64(below)/samples, 0.015)
}

func TestMomentsAreGonums(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 1))
	for _, n := range []int{2, 3, 20, 500} {
		xs, fs := make([]int64, n), make([]float64, n)
		for i := range xs {
			xs[i] = random.Int64N(2_000_000) - 700_000
			fs[i] = float64(xs[i])
		}
		mean, sd, skew, kurtosis := sweep.Moments(xs)
		require.InEpsilon(t, stat.Mean(fs, nil), mean, 1e-9)
		require.InEpsilon(t, stat.StdDev(fs, nil), sd, 1e-9)
		m2 := stat.Moment(2, fs, nil)
		require.InDelta(t, stat.Moment(3, fs, nil)/math.Pow(m2, 1.5), skew, 1e-9)
		require.InEpsilon(t, stat.Moment(4, fs, nil)/(m2*m2), kurtosis, 1e-9)
		if n > 2 { // and gonum's own, without its corrections for small samples
			k := float64(n)
			require.InDelta(t, stat.Skew(fs, nil)*(k-2)/math.Sqrt(k*(k-1)), skew, 1e-9)
		}
	}
	_, sd, skew, kurtosis := sweep.Moments([]int64{5, 5, 5})
	require.Equal(t, []float64{0, 0, 3}, []float64{sd, skew, kurtosis})
}

// related makes cases that share a part of what they make at an end: correlated
// without an edge, but for extra a case, in dollars.
func related(random *rand.Rand, cases, ends int, extra func(k int) float64) [][]int64 {
	out := make([][]int64, cases)
	for k := range out {
		out[k] = make([]int64, ends)
	}
	for e := range ends {
		shared := random.NormFloat64()
		for k := range out {
			own := random.NormFloat64()
			if random.IntN(4) == 0 {
				continue // no trade
			}
			out[k][e] = int64(1e6 * (shared + own + extra(k)))
		}
	}
	return out
}

func none(int) float64 { return 0 }

// naiveSPA is the test written out from the paper: resample by resample, case by
// case, with the draws of the bootstrap.
func naiveSPA(cases [][]int64, seed int64) [3]float64 {
	n := len(cases[0])
	root := math.Sqrt(float64(n))
	statistic := 0.0
	means, omegas := make([]float64, len(cases)), make([]float64, len(cases))
	for k, xs := range cases {
		fs := make([]float64, n)
		for i, x := range xs {
			fs[i] = float64(x) / 1e6
		}
		means[k], omegas[k] = stat.Mean(fs, nil), math.Sqrt(stat.Moment(2, fs, nil))
		statistic = max(statistic, root*means[k]/omegas[k])
	}
	var reached [3]float64
	for drawn := range draws(n, seed) {
		var most [3]float64
		for k, xs := range cases {
			sum := 0.0
			for _, i := range drawn {
				sum += float64(xs[i]) / 1e6
			}
			g := [3]float64{0, max(means[k], 0), means[k]}
			if means[k] >= -math.Sqrt(omegas[k]*omegas[k]/float64(n)*2*math.Log(math.Log(float64(n)))) {
				g[0] = means[k]
			}
			for j := range most {
				most[j] = max(most[j], root*(sum/float64(n)-g[j])/omegas[k])
			}
		}
		for j := range most {
			if most[j] >= statistic {
				reached[j]++
			}
		}
	}
	for j := range reached {
		reached[j] = (reached[j] + 1) / (sweep.Resamples + 1)
	}
	return reached
}

// draws are those of the bootstrap: the ends of each resample.
func draws(ends int, seed int64) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		pcg := rand.NewPCG(uint64(seed), 0)
		for range sweep.Resamples {
			drawn := make([]int, ends)
			for i := range drawn {
				hi, _ := bits.Mul64(pcg.Uint64(), uint64(ends))
				drawn[i] = int(hi)
			}
			if !yield(drawn) {
				return
			}
		}
	}
}

// naiveMaxima are the highest statistics of the resamples, every mean moved to 0.
func naiveMaxima(cases [][]int64, seed int64) []float64 {
	n := float64(len(cases[0]))
	var out []float64
	for drawn := range draws(len(cases[0]), seed) {
		most := math.Inf(-1)
		for _, xs := range cases {
			fs := make([]float64, len(xs))
			for i, x := range xs {
				fs[i] = float64(x)
			}
			mean, sum := stat.Mean(fs, nil), 0.0
			for _, i := range drawn {
				sum += fs[i] - mean
			}
			most = max(most, sum/math.Sqrt(n*stat.Moment(2, fs, nil)))
		}
		out = append(out, most)
	}
	return out
}

func TestSPAIsTheNaiveOne(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 7))
	for _, shift := range []func(int) float64{
		none,
		func(k int) float64 { return -0.1 * float64(k) }, // some clearly bad, which only the upper bound minds
		func(k int) float64 { return 0.4 },
	} {
		cases := related(random, 7, 60, shift)
		got, err := sweep.RunSPA(context.Background(), cases, 11, 2)
		require.NoError(t, err)
		want := naiveSPA(cases, 11)
		// A resample that meets the statistic but for the last bit may count either way.
		require.InDelta(t, want[0], got.P, 0.0005)
		require.InDelta(t, want[1], got.Lower, 0.0005)
		require.InDelta(t, want[2], got.Upper, 0.0005)
		require.LessOrEqual(t, got.Lower, got.P)
		require.LessOrEqual(t, got.P, got.Upper)
		require.LessOrEqual(t, got.Median, got.High)
	}
}

// Blocks, workers and a unit too small for exact sums make no difference.
func TestSPAIsTheSameHoweverItIsRun(t *testing.T) {
	t.Parallel()
	cases := related(rand.New(rand.NewPCG(6, 6)), 300, 40, none)
	want, err := sweep.RunSPA(context.Background(), cases, 3, 1)
	require.NoError(t, err)
	got, err := sweep.RunSPA(context.Background(), cases, 3, 4)
	require.NoError(t, err)
	require.Equal(t, want, got)
	large := make([][]int64, len(cases))
	for k, xs := range cases {
		for _, x := range xs {
			large[k] = append(large[k], x*1_000_000_000)
		}
	}
	got, err = sweep.RunSPA(context.Background(), large, 3, 2)
	require.NoError(t, err)
	require.InDelta(t, want.P, got.P, 0.001)
	require.InDelta(t, want.Statistic, got.Statistic, 1e-6)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = sweep.RunSPA(ctx, cases, 3, 2)
	require.ErrorIs(t, err, context.Canceled)
	nothing, err := sweep.RunSPA(context.Background(), [][]int64{{0, 0, 0, 0}}, 3, 2)
	require.NoError(t, err)
	require.Nil(t, nothing)
}

// Without an edge the best of thirty related cases passes about one time in
// twenty, though the best one alone would look significant far more often; with one
// it is found.
func TestSPAIsCalibrated(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 4))
	const games = 120
	passed, fooled := 0, 0
	for range games {
		cases := related(random, 30, 80, none)
		r, err := sweep.RunSPA(context.Background(), cases, 1, 2)
		require.NoError(t, err)
		if r.P <= sweep.Significance {
			passed++
		}
		if r.Statistic > 1.645 {
			fooled++
		}
	}
	require.LessOrEqual(t, passed, 13, "of %d at 5%%: more than 13 has a chance below 1 in 200", games)
	require.Greater(t, fooled, games/3, "the best one alone would fool")
	found := 0
	for range 20 {
		cases := related(random, 30, 200, func(k int) float64 { return map[bool]float64{true: 0.6}[k == 4] })
		r, err := sweep.RunSPA(context.Background(), cases, 1, 2)
		require.NoError(t, err)
		if r.P <= sweep.Significance {
			found++
		}
	}
	require.GreaterOrEqual(t, found, 18)
}
