package sweep_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/sweep"
)

// How many games measure the verdict: see docs/internals/verdicts.md.
var (
	fairGames    = flag.Int("games", 120, "fair games that the size of the verdict is measured over")
	plantedGames = flag.Int("planted", 6, "games with a planted edge, of each edge and length")
)

// drawn is how many resamples a measured sweep takes.
const drawn = 1000

func judged(t testing.TB, l *sweep.Ledger) *sweep.Report {
	t.Helper()
	r, err := l.Judge(t.Context(), sweep.Options{Seed: 1}.Measured(drawn), 2)
	require.NoError(t, err)
	return r
}

// TestPlantedEdgeIsNoLuck: 1,600 rounds, an edge of 12 cents a share, 220 variants of
// which some have it and others its reverse. That they differ is no noise, and that
// many are neighbours no 220 tries; the formula of 2014 takes it for both.
func TestPlantedEdgeIsNoLuck(t *testing.T) {
	t.Parallel()
	on, v := manyVariants(t)
	require.Equal(t, 220, v.len())
	for seed := range uint64(2) {
		l := game{edge: 0.12, alike: 1}.ledger(t, seed, 1600, on, v)
		r := judged(t, l)
		t.Log(describe(r))
		require.Equal(t, sweep.Edge, r.Verdict)
		require.Less(t, r.Best.Tries, 10*stats.One)
		require.Less(t, r.Best.Beside.Probability, stats.One*95/100)
		require.Zero(t, r.Best.MoreTrades)
		require.Greater(t, r.Survivors, 20)
		for _, row := range r.Variants {
			require.Equal(t, row.Eligible, row.P != nil)
			require.False(t, row.Survives && row.TotalPnL <= 0)
		}
		was, err := l.Judge(t.Context(), sweep.Options{Seed: 1, Deflation: sweep.ByScatter}.Measured(drawn), 2)
		require.NoError(t, err)
		require.Equal(t, sweep.Luck, was.Verdict)
		require.Equal(t, r.Best.Deflated, was.Best.Beside)
		require.Equal(t, r.Best.Beside, was.Best.Deflated)
	}
}

// TestSize: over fair games without fees each test passes in about as many as it says,
// with fees none does.
func TestSize(t *testing.T) {
	t.Parallel()
	on, v := fewVariants(t)
	for _, g := range []game{{alike: 1}, {alike: 1, fees: true}} {
		found := map[string]int{}
		for seed := range uint64(*fairGames) {
			r := judged(t, g.ledger(t, 1000+seed, 200, on, v))
			require.NotNil(t, r.Best)
			for name, passed := range map[string]bool{
				"edge":                                 r.Verdict == sweep.Edge,
				"superior predictive ability":          r.Best.SPA.P <= stats.One*5/100,
				"deflated Sharpe ratio":                r.Best.Probability >= stats.One*95/100,
				"any variant survives":                 r.Survivors > 0,
				"walk-forward's interval above 0":      r.WalkForward.Verdict == stats.Positive,
				"the best alone, were it the only one": r.Best.Sharpe.Float()*math.Sqrt(float64(r.Ends)) > 1.96,
			} {
				if passed {
					found[name]++
				}
			}
		}
		names := make([]string, 0, len(found))
		for name, n := range found {
			names = append(names, fmt.Sprintf("%s %.2f%%", name, 100*float64(n)/float64(*fairGames)))
		}
		slices.Sort(names)
		t.Logf("fees %v, %d games of 200 rounds, %d variants: %s", g.fees, *fairGames, v.len(), strings.Join(names, ", "))
		most := atMost(0.055, *fairGames)
		if g.fees {
			require.LessOrEqual(t, found["edge"], atMost(0.01, *fairGames))
		} else {
			require.Greater(t, float64(found["the best alone, were it the only one"]), 0.055*float64(*fairGames), "a game that fools nobody is no test")
		}
		for _, name := range []string{"edge", "superior predictive ability", "deflated Sharpe ratio", "any variant survives"} {
			require.LessOrEqual(t, found[name], most, name)
		}
	}
}

// atMost is the most of n games that a chance of p gives, three standard deviations
// above what is expected; from 2,000 on, what is expected.
func atMost(p float64, n int) int {
	expected := p * float64(n)
	if n < 2000 {
		expected += 3 * math.Sqrt(expected*(1-p))
	}
	return int(expected)
}

// TestPower: a planted edge is found as often as theory says, three standard
// deviations of the measurement allowed; 12 cents over 1,600 rounds nearly always.
func TestPower(t *testing.T) {
	t.Parallel()
	lengths := []int{200, 800}
	edges := []float64{0.04, 0.12}
	if *plantedGames > 10 {
		lengths, edges = []int{200, 400, 800, 1600, 3200}, []float64{0.02, 0.04, 0.07, 0.12}
	}
	on, v := manyVariants(t)
	for _, edge := range edges {
		t.Run(fmt.Sprintf("%.0f cents", 100*edge), func(t *testing.T) {
			g := game{edge: edge, alike: 1}
			theory := newTheory(t, g, on, v)
			line := ""
			for _, n := range lengths {
				found := 0
				for seed := range uint64(*plantedGames) {
					if judged(t, g.ledger(t, 5000+seed, n, on, v)).Verdict == sweep.Edge {
						found++
					}
				}
				p, got := theory.power(n), float64(found)/float64(*plantedGames)
				line += fmt.Sprintf(" | %.0f%% (%.0f%%)", 100*got, 100*p)
				// Of few games the normal deviation says little where p is near 0 or 1.
				sigma := math.Sqrt(max(p*(1-p), 0.02) / float64(*plantedGames))
				require.InDelta(t, p, got, 3*sigma, "over %d rounds", n)
				if edge == 0.12 && n >= 1600 {
					require.GreaterOrEqual(t, got, 0.95)
				}
			}
			t.Logf("%s | %d games each, %v rounds", line, *plantedGames, lengths)
		})
	}
}

// theory says how often a sweep finds the edge of a game, from the means, the
// deviations and the dependence of what its variants make at an end: sums over many
// ends are normal, so whole sweeps are drawn as normal vectors, one a block of the
// walk-forward. No resampling, and none of the code that is measured, has a part in it.
type theory struct {
	mean, sd, often []float64 // of each variant, an end; how often it trades
	skew, kurtosis  []float64
	root            mat.TriDense // lower: root · rootᵀ = correlations
	high, best      float64      // of the best of the variants without an edge: 95 % quantile, mean
}

// newTheory takes deviations and dependence from 10,000 rounds of g, and the means,
// which matter most, from many more.
func newTheory(t testing.TB, g game, on *sweep.Grid, v *variants) *theory {
	t.Helper()
	many := 100_000
	if *plantedGames > 10 {
		many = 400_000
	}
	variants := v.len()
	sums, random := make([]float64, variants), rand.New(rand.NewPCG(9, 1))
	for range many {
		g.play(random, v, func(d deal) { sums[d.variant] += float64(d.pnl) })
	}
	th, l := &theory{}, g.ledger(t, 1, 10_000, on, v)
	rows := mat.NewDense(len(l.Ends), variants, nil)
	for k := range variants {
		pnl, count := l.PnL(k)
		xs, traded := make([]float64, len(pnl)), 0.0
		for i, x := range pnl {
			xs[i] = float64(x)
			traded += float64(count[i])
		}
		rows.SetCol(k, xs)
		th.mean, th.sd, th.often = append(th.mean, sums[k]/float64(many)), append(th.sd, stat.StdDev(xs, nil)), append(th.often, traded/float64(len(xs)))
		th.skew, th.kurtosis = append(th.skew, stat.Skew(xs, nil)), append(th.kurtosis, stat.ExKurtosis(xs, nil)+3)
	}
	var c mat.SymDense
	stat.CorrelationMatrix(&c, rows, nil)
	for k := range variants {
		c.SetSym(k, k, 1+1e-6)
	}
	var root mat.Cholesky
	require.True(t, root.Factorize(&c))
	root.LTo(&th.root)
	maxima := make([]float64, 4000)
	for i := range maxima {
		maxima[i] = slices.Max(th.draw(random))
	}
	slices.Sort(maxima)
	th.high, th.best = maxima[len(maxima)*95/100], stat.Mean(maxima, nil)
	return th
}

// draw returns dependent standard normal numbers, one a variant.
func (th *theory) draw(random *rand.Rand) []float64 {
	z := mat.NewVecDense(len(th.mean), nil)
	for k := range th.mean {
		z.SetVec(k, random.NormFloat64())
	}
	var out mat.VecDense
	out.MulVec(&th.root, z)
	return out.RawVector().Data
}

func (th *theory) power(n int) float64 {
	const draws = 1500
	random := rand.New(rand.NewPCG(uint64(n), 5))
	block := int(sweep.BlockFor(market.Span(n-1)*5*market.Minute) / (5 * market.Minute))
	found := 0
	for range draws {
		sums := make([]float64, len(th.mean))
		past, traded, made := 0, 0.0, 0.0
		for past < n {
			ends := min(block, n-past)
			chosen := th.leader(sums, past)
			for k, z := range th.draw(random) {
				x := float64(ends)*th.mean[k] + math.Sqrt(float64(ends))*th.sd[k]*z
				sums[k] += x
				if k == chosen {
					made += x
					traded += float64(ends) * th.often[k]
				}
			}
			past += ends
		}
		k := th.leader(sums, n)
		if k < 0 {
			continue
		}
		ratio := sums[k] / float64(n) / th.sd[k]
		scatter := math.Sqrt(1 - th.skew[k]*ratio + (th.kurtosis[k]-1)/4*ratio*ratio)
		if t := ratio * math.Sqrt(float64(n)); t >= max(th.high, th.best+1.645*scatter) && made > 0 && traded >= 30 {
			found++
		}
	}
	return float64(found) / draws
}

// leader is the variant with the highest ratio above 0, of those with 30 trades.
func (th *theory) leader(sums []float64, ends int) int {
	best, chosen := 0.0, -1
	for k, sum := range sums {
		if ratio := sum / th.sd[k]; float64(ends)*th.often[k] >= 30 && ratio > best {
			best, chosen = ratio, k
		}
	}
	return chosen
}

// Rounds that end together, all alike, are one observation: four times the money and
// the trades, and no evidence more.
func TestRoundsThatEndTogetherAreOne(t *testing.T) {
	t.Parallel()
	on, v := fewVariants(t)
	one, err := game{edge: 0.05, alike: 1}.ledger(t, 3, 150, on, v).Judge(t.Context(), sweep.Options{Seed: 1}, 2)
	require.NoError(t, err)
	four, err := game{edge: 0.05, alike: 4}.ledger(t, 3, 150, on, v).Judge(t.Context(), sweep.Options{Seed: 1}, 2)
	require.NoError(t, err)
	require.Equal(t, one.Best.SPA, four.Best.SPA)
	require.Equal(t, one.Best.Tries, four.Best.Tries)
	require.InDelta(t, one.Best.Probability.Float(), four.Best.Probability.Float(), 1e-5)
	mine, theirs := one.ByNumber(), four.ByNumber()
	compared := 0
	for number := 1; number < len(mine); number++ {
		if a, b := mine[number], theirs[number]; a.Eligible {
			require.Equal(t, 4*a.Trades, b.Trades)
			require.Equal(t, a.Ends, b.Ends)
			require.Equal(t, a.Sharpe, b.Sharpe)
			require.Equal(t, a.Interval, b.Interval)
			require.Equal(t, a.P, b.P)
			compared++
		}
	}
	require.Greater(t, compared, 10)
}

// The number of independent tries is that of independent cases, and however often a
// case is repeated it is one.
func TestIndependentTries(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{1, 5, 30} {
		cases := make([][]int64, n)
		for k := range cases {
			for range 400 {
				cases[k] = append(cases[k], int64(1e6*random.NormFloat64()))
			}
		}
		once, err := sweep.RunSPA(context.Background(), cases, 3, 2)
		require.NoError(t, err)
		require.InEpsilon(t, float64(n), once.Tries, 0.12, "%d independent cases", n)
		var repeated [][]int64
		for range 9 {
			repeated = append(repeated, cases...)
		}
		many, err := sweep.RunSPA(context.Background(), repeated, 3, 2)
		require.NoError(t, err)
		require.InDelta(t, once.Tries, many.Tries, 0.05*float64(n)+0.05)
		require.Equal(t, once.P, many.P)
		require.Equal(t, once.Adjusted, many.Adjusted[:n])
	}
}

// stepM is the procedure of Romano and Wolf step by step: claim the cases above the
// 95 % quantile of the maximum over those not yet claimed, until none is.
func stepM(cases [][]int64, seed int64) map[int]bool {
	claimed := map[int]bool{}
	for {
		var rest [][]int64
		var index []int
		for k := range cases {
			if !claimed[k] {
				rest, index = append(rest, cases[k]), append(index, k)
			}
		}
		if len(rest) == 0 {
			return claimed
		}
		maxima := naiveMaxima(rest, seed)
		slices.Sort(maxima)
		// p ≤ 5 % with the sample itself counted: at most 249 of 5,000 reach t.
		critical := maxima[sweep.Resamples-250]
		more := false
		for i, xs := range rest {
			fs := make([]float64, len(xs))
			for j, x := range xs {
				fs[j] = float64(x)
			}
			if math.Sqrt(float64(len(fs)))*stat.Mean(fs, nil)/math.Sqrt(stat.Moment(2, fs, nil)) > critical {
				claimed[index[i]], more = true, true
			}
		}
		if !more {
			return claimed
		}
	}
}

func TestSurvivorsAreThoseOfStepM(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 9))
	survivors := 0
	for round := range 6 {
		cases := related(random, 12, 90, func(k int) float64 { return 0.2 * float64(k%(round+3)) })
		got, err := sweep.RunSPA(context.Background(), cases, 5, 1+round%3)
		require.NoError(t, err)
		want := stepM(cases, 5)
		for k, p := range got.Adjusted {
			require.Equal(t, want[k], p <= sweep.Significance, "case %d: %v", k, p)
		}
		survivors += len(want)
	}
	require.Greater(t, survivors, 8)
	require.Less(t, survivors, 60)
}

// The past of a block ends with the rounds that were over when its first round began:
// here rounds of an hour end every five minutes, so that those of the hour before a
// block are still running. They would change the choice.
func TestPastOfABlockIsOver(t *testing.T) {
	t.Parallel()
	const hour = 12 // ends
	on, _ := fewVariants(t)
	l := hourly(t, 6*hour, on)
	random := rand.New(rand.NewPCG(1, 3))
	for end := range 6 * hour {
		noise := market.Cash(random.IntN(100))
		good, late := market.Cash(1000), market.Cash(-1000)
		if end > 4*hour { // the hour before the last block
			good, late = -100_000, 100_000
		}
		l.Book(end, 0, good+noise, market.CashOne)
		l.Book(end, 1, late-noise, market.CashOne)
	}
	r, err := l.Judge(t.Context(), sweep.Options{Seed: 1, Block: market.Hour}, 1)
	require.NoError(t, err)
	blocks := r.WalkForward.Blocks
	require.Len(t, blocks, 6)
	for i, b := range blocks[1:] {
		require.Equal(t, i*hour+1, b.PastEnds, "block %d: rounds that ended by the start of its first", i+1)
		require.Equal(t, hour-1, b.PurgedEnds)
	}
	require.Equal(t, 1, *blocks[5].Variant, "variant 2 is ahead only by rounds that were running")
}
