package looks_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ladderback/ladderback/backtest/looks"
	"github.com/ladderback/ladderback/backtest/stats"
)

func deflated(before, mean, low, high stats.Decimal) *looks.Deflated {
	return looks.Tally{Look: 7, Before: before}.Deflate(&mean, &stats.Interval{low, high})
}

// TestDeflateByHand: the probability is Φ(mean ÷ standard error − what luck gives the best of
// all tries), with Φ by math.Erfc.
func TestDeflateByHand(t *testing.T) {
	t.Parallel()
	const one = stats.One
	for _, c := range []struct {
		before, mean, low, high stats.Decimal
		luck                    float64 // in standard errors
	}{
		{0, 2 * one, one, 3 * one, 0},
		{0, -2 * one, -3 * one, -one, 0},
		{0, 0, -one, one, 0},
		{one, one, one / 2, 3 * one / 2, 0.519752}, // of two tries: 0.5772 · Φ⁻¹(1 − 1/2e)
		{9 * one, one, one / 2, 3 * one / 2, 1.574598},
		{one / 2, one, one / 2, 3 * one / 2, 0.218309}, // of one and a half
	} {
		se := (c.high - c.low).Float() / 2 / 1.959964
		z := math.Abs(c.mean.Float())/se - c.luck
		want := 0.5 * math.Erfc(-z/math.Sqrt2)
		got := deflated(c.before, c.mean, c.low, c.high)
		require.InDelta(t, want, got.Probability.Float(), 2e-6, "%+v", c)
		require.Equal(t, looks.Tally{Look: 7, Before: c.before}, got.Tally)
	}
}

// TestFirstLookIsTheInterval: before any other try a mean in the middle of its interval holds
// exactly where the interval excludes 0, and each try before it takes from it, of gains
// and of losses alike.
func TestFirstLookIsTheInterval(t *testing.T) {
	t.Parallel()
	const half = stats.One
	for _, mean := range []stats.Decimal{0, 1, half / 2, half - 1, half + 1, 2 * half, 9 * half} {
		gain := deflated(0, mean, mean-half, mean+half)
		require.Equal(t, mean > half, gain.Holds, "mean %v ± %v", mean, half)
		before := gain.Probability
		for tries := stats.One; tries < 1e6*stats.One; tries *= 10 {
			now := deflated(tries, mean, mean-half, mean+half)
			require.LessOrEqual(t, now.Probability, before)
			require.Equal(t, now, deflated(tries, -mean, -mean-half, -mean+half), "a loss is held against luck as a gain is")
			before = now.Probability
		}
	}
	require.False(t, deflated(0, half, 0, 2*half).Holds, "an interval that begins at 0 has it")
	require.False(t, deflated(0, -half, -2*half, 0).Holds, "and so has one that ends there")
	require.False(t, deflated(0, 9*half, -half, 10*half).Holds, "a mean at the edge of an interval with 0 in it is not saved by its place")
}

// TestNothingToDeflate: without a mean, an interval, or a width of it nothing is said.
func TestNothingToDeflate(t *testing.T) {
	t.Parallel()
	mean, point := stats.One, stats.Interval{stats.One, stats.One}
	require.Nil(t, looks.Tally{}.Deflate(nil, &stats.Interval{1, 2}))
	require.Nil(t, looks.Tally{}.Deflate(&mean, nil))
	require.Nil(t, looks.Tally{}.Deflate(&mean, &point))
}

// TestLooksSpendOneChanceOfError: of 4,000 people who take 200 independent looks without an
// edge each, at most 5.5 % ever see a gain that holds.
func TestLooksSpendOneChanceOfError(t *testing.T) {
	t.Parallel()
	const people, each = 4000, 200
	rng := rand.New(rand.NewPCG(32, 1))
	fooled, naive := 0, 0
	z := distuv.UnitNormal.Quantile(looks.Least)
	for range people {
		held, plain := false, false
		for k := range each {
			t := rng.NormFloat64()
			mean := stats.Decimal(t * 1e6)
			interval := stats.Interval{stats.Decimal((t - z) * 1e6), stats.Decimal((t + z) * 1e6)}
			d := looks.Tally{Look: k + 1, Before: stats.Decimal(k) * stats.One}.Deflate(&mean, &interval)
			held = held || d.Holds && mean > 0
			plain = plain || interval[0] > 0
		}
		if held {
			fooled++
		}
		if plain {
			naive++
		}
	}
	t.Logf("a gain that holds: %.2f%%, an interval above 0: %.2f%%", 100*float64(fooled)/people, 100*float64(naive)/people)
	require.Less(t, float64(fooled)/people, 0.055)
	require.Greater(t, float64(fooled)/people, 0.02, "it would hold nothing")
	require.Greater(t, float64(naive)/people, 0.9)
}
