package sweep_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/replay/sweep"
)

// matrix makes what cases earn at ends, of numbers in units of a standard deviation.
func matrix(cases, ends int, earns func(k, end int) float64) [][]int64 {
	out := make([][]int64, cases)
	for k := range out {
		for end := range ends {
			out[k] = append(out[k], int64(math.Round(earns(k, end)*1e6)))
		}
	}
	return out
}

// split is the cross-validation word by word: every half of the blocks, ratios by gonum, the
// logit of the relative rank.
func split(cases [][]int64, blocks int) (probability, loss float64, splits int) {
	n := len(cases[0])
	for mask := range uint(1) << blocks {
		if bits.OnesCount(mask) != blocks/2 {
			continue
		}
		ratio := func(xs []int64, mask uint) float64 {
			var half []float64
			for b := range blocks {
				if mask>>b&1 == 1 {
					for _, x := range xs[b*n/blocks : (b+1)*n/blocks] {
						half = append(half, float64(x))
					}
				}
			}
			if mean, sd := stat.MeanStdDev(half, nil); sd > 0 {
				return mean / sd
			}
			return 0
		}
		best := 0
		for k := range cases {
			if ratio(cases[k], mask) > ratio(cases[best], mask)+1e-12 {
				best = k
			}
		}
		other := uint(1)<<blocks - 1 - mask
		mine, rank := ratio(cases[best], other), 0.5
		for k := range cases {
			switch r := ratio(cases[k], other); {
			case math.Abs(r-mine) < 1e-12:
				rank += 0.5
			case r < mine:
				rank++
			}
		}
		omega := rank / float64(len(cases)+1)
		if math.Log(omega/(1-omega)) <= 1e-12 {
			probability++
		}
		if mine < 0 {
			loss++
		}
		splits++
	}
	return probability / float64(splits), loss / float64(splits), splits
}

// TestOverfitIsThatOfEverySplit: against the definition, also with ends that do not divide
// into the blocks, cases that are equal, and cases that never trade.
func TestOverfitIsThatOfEverySplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		blocks := 2 * rapid.IntRange(2, 4).Draw(t, "half of the blocks")
		n := rapid.IntRange(4*blocks, 6*blocks).Draw(t, "ends")
		cases := matrix(rapid.IntRange(2, 7).Draw(t, "cases"), n, func(k, _ int) float64 { return r.NormFloat64() + float64(k)/20 })
		switch rapid.IntRange(0, 2).Draw(t, "odd ones") {
		case 0:
			cases[len(cases)-1] = slices.Clone(cases[0])
		case 1:
			clear(cases[0])
		}
		want, loss, splits := split(cases, blocks)
		got := sweep.OverfitOver(cases, blocks, rapid.IntRange(1, 5).Draw(t, "workers"))
		require.Equal(t, splits, got.Splits)
		require.InDelta(t, want, got.Probability.Float(), 1e-6)
		require.InDelta(t, loss, got.Loss.Float(), 1e-6)
	})
}

// TestOverfitOfTheVignette is the worked example of the R package pbo (M. Barry, CRAN): 100
// trials of 2,400 normal returns, each moved to the same mean and scaled to the same
// deviation, in 8 blocks. It prints p_bo 1.0000000 and p_loss 1.0000000, whatever the draws:
// what is best in one half is worst in the other.
func TestOverfitOfTheVignette(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(765, 1))
	raw := matrix(100, 2400, func(int, int) float64 { return r.NormFloat64() })
	cases := matrix(100, 2400, func(k, end int) float64 {
		if end == 0 {
			mean, sd, _, _ := sweep.Moments(raw[k])
			for i := range raw[k] {
				raw[k][i] = int64((float64(raw[k][i]) - mean) / sd * 1e6)
			}
		}
		return float64(raw[k][end]) / 1e6
	})
	got := sweep.OverfitOver(cases, 8, 2)
	require.Equal(t, 70, got.Splits)
	require.InDelta(t, 1, got.Probability.Float(), 0.005)
	require.InDelta(t, 1, got.Loss.Float(), 0.005)
}

// TestOverfitOfPlantedEdges are two examples of E. Soloviov, "How Overfit Is Your Search? A
// Controlled Study of the Probability of Backtest Overfitting": 1,000 observations of 200
// configurations in 16 blocks. With an edge of 0.15 deviations in 20 of them it is 0.001,
// without any 0.476, with a deviation of 0.137 from matrix to matrix.
func TestOverfitOfPlantedEdges(t *testing.T) {
	t.Parallel()
	const matrices = 12
	var planted, null float64
	for seed := range uint64(matrices) {
		r := rand.New(rand.NewPCG(seed, 77))
		draw := func(edge float64) float64 {
			return sweep.OverfitOf(matrix(200, 1000, func(k, _ int) float64 {
				if k < 20 {
					return edge + r.NormFloat64()
				}
				return r.NormFloat64()
			}), 2).Probability.Float()
		}
		planted += draw(0.15) / matrices
		null += draw(0) / matrices
	}
	require.InDelta(t, 0.001, planted, 0.005)
	require.InDelta(t, 0.476, null, 3*0.137/math.Sqrt(matrices))
}

// TestOverfitOfTheBestEverywhere: a case that is the best in every block is the best in every
// half.
func TestOverfitOfTheBestEverywhere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	cases := matrix(20, 160, func(k, _ int) float64 {
		if k == 13 {
			return 3 + r.NormFloat64()
		}
		return r.NormFloat64()
	})
	got := sweep.OverfitOf(cases, 1)
	require.Equal(t, 16, got.Blocks)
	require.Equal(t, 12870, got.Splits)
	require.Zero(t, got.Probability)
	require.Zero(t, got.Loss)
	require.Equal(t, got, sweep.OverfitOf(cases, 7))
}

// TestOverfitGoesByTime: every case has its time, and loses otherwise. Blocks of time tell
// that the best of one half fails in the other; ends dealt out in turn would not.
func TestOverfitGoesByTime(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	const ends, blocks = 320, 16
	cases := matrix(blocks, ends, func(k, end int) float64 {
		if end*blocks/ends == k {
			return 4 + r.NormFloat64()
		}
		return -0.2 + r.NormFloat64()
	})
	byTime := sweep.OverfitOf(cases, 2).Probability.Float()
	want, _, _ := split(cases, blocks)
	require.InDelta(t, want, byTime, 1e-6)
	require.Greater(t, byTime, 0.9)
	dealt := make([][]int64, len(cases))
	for k, xs := range cases {
		for b := range blocks {
			for end := b; end < ends; end += blocks {
				dealt[k] = append(dealt[k], xs[end])
			}
		}
	}
	require.Less(t, sweep.OverfitOf(dealt, 2).Probability.Float(), byTime-0.2)
}

func TestOverfitNeedsTime(t *testing.T) {
	t.Parallel()
	flat := func(cases, ends int) [][]int64 {
		return matrix(cases, ends, func(k, end int) float64 { return float64((k*7+end*13)%5) - 2 })
	}
	require.Nil(t, sweep.OverfitOf(flat(1, 100), 1))
	require.Nil(t, sweep.OverfitOf(flat(3, 15), 1))
	require.Equal(t, 4, sweep.OverfitOf(flat(3, 20), 1).Blocks)
	require.Equal(t, 14, sweep.OverfitOf(flat(3, 63), 1).Blocks)
	require.Equal(t, 16, sweep.OverfitOf(flat(3, 64), 1).Blocks)
}

// BenchmarkOverfit is that of 1,000 variants over 1,000 ends.
//
//	go test ./replay/sweep -run XXX -bench Overfit
func BenchmarkOverfit(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	cases := matrix(1000, 1000, func(int, int) float64 { return r.NormFloat64() })
	for b.Loop() {
		sweep.OverfitOf(cases, 1)
	}
}

// BenchmarkJudge is the whole judgement of as many, of which it is a part.
func BenchmarkJudge(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	cases := matrix(1000, 1000, func(int, int) float64 { return r.NormFloat64() })
	for b.Loop() {
		_, err := sweep.RunSPA(b.Context(), cases, 1, 1)
		require.NoError(b, err)
	}
}
