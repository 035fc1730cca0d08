package stats_test

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

// coins makes trades of several coins over rounds that end together, in order of
// exit: the trades of one end do not stand beside each other, and what one coin
// made says little about the next.
func coins(random *rand.Rand, ends, each int) []stats.Trade {
	var out []stats.Trade
	for end := range ends {
		shared := random.Int64N(40) - 20
		for range 1 + random.IntN(each) {
			out = append(out, stats.Trade{
				Close: market.Instant(end+1) * 15 * market.Minute,
				PnL:   market.Cash(shared+random.Int64N(21)-10) * 1_234_567,
			})
		}
	}
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// intervals is the bootstrap once more: clusters out of sorted trades, means as
// floats, and gonum's empirical quantile.
func intervals(trades []stats.Trade, seed int64) (pnl, win [2]float64) {
	sorted := slices.Clone(trades)
	slices.SortStableFunc(sorted, func(a, b stats.Trade) int { return int(a.Close - b.Close) })
	var clusters [][]stats.Trade
	for i, t := range sorted {
		if i == 0 || t.Close != sorted[i-1].Close {
			clusters = append(clusters, nil)
		}
		clusters[len(clusters)-1] = append(clusters[len(clusters)-1], t)
	}
	draws := rand.NewPCG(uint64(seed), 0)
	pnls, wins := make([]float64, stats.Resamples), make([]float64, stats.Resamples)
	for r := range stats.Resamples {
		var made, won []float64
		for range clusters {
			i, _ := bits.Mul64(draws.Uint64(), uint64(len(clusters)))
			for _, t := range clusters[i] {
				made = append(made, t.PnL.Float())
				won = append(won, map[bool]float64{true: 1}[t.PnL > 0])
			}
		}
		pnls[r], wins[r] = stat.Mean(made, nil), stat.Mean(won, nil)
	}
	slices.Sort(pnls)
	slices.Sort(wins)
	ends := func(xs []float64) [2]float64 {
		return [2]float64{stat.Quantile(0.025, stat.Empirical, xs, nil), stat.Quantile(0.975, stat.Empirical, xs, nil)}
	}
	return ends(pnls), ends(wins)
}

// TestIntervalsOfSeveralCoins: rounds of several coins that end together are one
// cluster, whatever the order in which their trades were closed.
func TestIntervalsOfSeveralCoins(t *testing.T) {
	t.Parallel()
	for seed := range int64(4) {
		trades := coins(rand.New(rand.NewPCG(uint64(seed), 99)), 40, 5)
		got := stats.Of(trades, seed)
		pnl, win := intervals(trades, seed)
		for i := range 2 {
			require.InDelta(t, pnl[i], got.MeanPnLInterval[i].Float(), 1e-6, "seed %d", seed)
			require.InDelta(t, win[i], got.WinRateInterval[i].Float(), 1e-6, "seed %d", seed)
		}
		// Trades that count as independent give another interval.
		for i := range trades {
			trades[i].Close = market.Instant(i)
		}
		require.NotEqual(t, got.MeanPnLInterval, stats.Of(trades, seed).MeanPnLInterval, "seed %d", seed)
	}
}

// TestAgainstGonum holds the exact statistics against those of floats.
func TestAgainstGonum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pnls := rapid.SliceOfN(rapid.Int64Range(-1e9, 1e9), 2, 60).Draw(t, "pnls")
		trades, xs := make([]stats.Trade, len(pnls)), make([]float64, len(pnls))
		holds, entries, payouts := make([]float64, len(pnls)), make([]float64, len(pnls)), make([]float64, len(pnls))
		sizes := make([]float64, 2)
		for i, p := range pnls {
			levels := []market.Level{
				{Price: market.Price(rapid.IntRange(1, 9999).Draw(t, "price")), Size: market.Size(rapid.Int64Range(1, 1e9).Draw(t, "size"))},
				{Price: market.Price(rapid.IntRange(1, 9999).Draw(t, "price")), Size: market.Size(rapid.Int64Range(1, 1e9).Draw(t, "size"))},
			}
			prices := []float64{levels[0].Price.Float(), levels[1].Price.Float()}
			sizes[0], sizes[1] = float64(levels[0].Size), float64(levels[1].Size)
			trades[i] = stats.Trade{
				Close: market.Instant(i / 3), PnL: market.Cash(p), Entry: levels,
				Hold: market.Span(rapid.Int64Range(0, 1e9).Draw(t, "hold")), Payout: market.Cash(rapid.IntRange(0, 1).Draw(t, "payout")) * market.CashOne,
			}
			xs[i], holds[i] = float64(p)/1e6, float64(trades[i].Hold)/1e6
			entries[i], payouts[i] = stat.Mean(prices, sizes), trades[i].Payout.Float()
		}
		got := stats.Of(trades, 1)
		mean, deviation := stat.MeanStdDev(xs, nil)
		require.InDelta(t, mean, got.MeanPnL.Float(), 1e-6)
		require.InDelta(t, deviation, got.SDPnL.Float(), 2e-6)
		require.InDelta(t, stat.Mean(holds, nil), got.AvgHoldSeconds.Float(), 1e-6)
		require.InDelta(t, stat.Mean(entries, nil), got.AvgEntryPrice.Float(), 1e-6)
		require.InDelta(t, stat.Mean(payouts, nil)-stat.Mean(entries, nil), got.Edge.Float(), 1e-6)
		slices.Sort(xs)
		low, high := stat.Quantile(0.5, stat.Empirical, xs, nil), xs[len(xs)/2]
		require.InDelta(t, (low+high)/2, got.MedianPnL.Float(), 1e-6)
	})
}

// TestIntervalCovers: of samples whose mean is known, the interval holds it
// about as often as it says.
func TestIntervalCovers(t *testing.T) {
	t.Parallel()
	const samples = 200
	held := 0
	for seed := range uint64(samples) {
		normal := distuv.Normal{Mu: 1, Sigma: 5, Src: rand.NewPCG(seed, 7)}
		trades := make([]stats.Trade, 60)
		for i := range trades {
			trades[i] = stats.Trade{Close: market.Instant(i), PnL: market.Cash(math.Round(normal.Rand() * 1e6))}
		}
		if ends := stats.Of(trades, 1).MeanPnLInterval; ends[0].Float() <= 1 && 1 <= ends[1].Float() {
			held++
		}
	}
	// 95 % of 200 is 190; the deviation of that count is 3.1, and a percentile
	// interval over 60 trades holds a little less than it says.
	require.GreaterOrEqual(t, held, 190-15)
	require.LessOrEqual(t, held, 199)
}

// TestRootAgainstFloat holds the exact root against big.Float's.
func TestRootAgainstFloat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		num := new(big.Int).Mul(big.NewInt(rapid.Int64Min(0).Draw(t, "a")), big.NewInt(rapid.Int64Range(0, 1e12).Draw(t, "b")))
		den := big.NewInt(rapid.Int64Range(1, 1e9).Draw(t, "den"))
		x := new(big.Float).SetPrec(400).Quo(new(big.Float).SetPrec(400).SetInt(num), new(big.Float).SetPrec(400).SetInt(den))
		x.Sqrt(x)
		got := stats.RootOf(num, den)
		if got == math.MaxInt64 {
			return
		}
		off, _ := x.Sub(x, new(big.Float).SetInt64(int64(got))).Float64()
		require.LessOrEqual(t, math.Abs(off), 0.5)
	})
}
