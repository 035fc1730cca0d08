package stats_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

// clustered sums trades by their close.
func clustered(trades []stats.Trade) stats.Clustered {
	sorted := slices.Clone(trades)
	slices.SortStableFunc(sorted, func(a, b stats.Trade) int { return cmp.Compare(a.Close, b.Close) })
	var c stats.Clustered
	for i, t := range sorted {
		if i == 0 || t.Close != sorted[i-1].Close {
			c.PnL, c.Trades = append(c.PnL, 0), append(c.Trades, 0)
		}
		c.PnL[len(c.PnL)-1] += int64(t.PnL)
		c.Trades[len(c.Trades)-1]++
	}
	return c
}

// Many cases at once have the intervals and verdicts that each has alone: with one
// trade an end, with several, with few trades, and with sums beyond float64.
func TestInferIsOfAlone(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2))
	var samples [][]stats.Trade
	for range 12 {
		samples = append(samples, coins(random, 40, 3), coins(random, 60, 1), coins(random, 60, 1), coins(random, 20+random.IntN(30), 1))
	}
	up := coins(random, 60, 1)
	for i := range up {
		up[i].PnL += 30 * market.CashOne
	}
	huge := slices.Clone(up)
	for i := range huge {
		huge[i].PnL *= 1 << 20
	}
	samples = append(samples, up, huge, coins(random, 10, 1), nil)
	cases := make([]stats.Clustered, len(samples))
	for i := range samples {
		cases[i] = clustered(samples[i])
	}
	verdicts := map[stats.Verdict]int{}
	for _, workers := range []int{1, 3} {
		got, err := stats.Infer(context.Background(), cases, 7, workers)
		require.NoError(t, err)
		for i := range samples {
			want := stats.Of(samples[i], 7)
			require.Equal(t, want.MeanPnLInterval, got[i].Interval, "sample %d", i)
			require.Equal(t, want.Verdict, got[i].Verdict, "sample %d", i)
			verdicts[got[i].Verdict]++
		}
	}
	require.NotZero(t, verdicts[stats.Positive])
	require.NotZero(t, verdicts[stats.NoEdge])
	require.NotZero(t, verdicts[stats.NotEnough])
}

func TestInferIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := stats.Infer(ctx, []stats.Clustered{clustered(coins(rand.New(rand.NewPCG(1, 1)), 60, 1))}, 1, 1)
	require.ErrorIs(t, err, context.Canceled)
}

// BenchmarkInfer infers for 1,000 cases of 700 ends, in groups of 100 that share
// theirs.
//
//	go test ./backtest/stats -run - -bench Infer
func BenchmarkInfer(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	cases := make([]stats.Clustered, 1000)
	for i := range cases {
		for range 700 + i/100 {
			cases[i].PnL = append(cases[i].PnL, random.Int64N(100_000_000)-50_000_000)
			cases[i].Trades = append(cases[i].Trades, 1)
		}
	}
	for b.Loop() {
		_, err := stats.Infer(b.Context(), cases, 1, 2)
		require.NoError(b, err)
	}
}
