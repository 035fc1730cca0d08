package backtest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// BenchmarkSweep sweeps 1,000 variants (10 thresholds, 10 targets, 10 stops) over
// the newest rounds of BTC 15m of an archive.
//
//	LADDERBACK_BENCH_ARCHIVE=big.db go test ./backtest -run - -bench Sweep -benchtime 1x
func BenchmarkSweep(b *testing.B) {
	path := os.Getenv("LADDERBACK_BENCH_ARCHIVE")
	if path == "" {
		b.Skip("no archive: set LADDERBACK_BENCH_ARCHIVE")
	}
	s := strategytest.Canonicalize(strategy.Strategy{
		Market: strategy.MarketSpec{Coin: "BTC", Type: "15m"}, Side: strategy.Up,
		Entry:          []strategy.Condition{{Type: strategy.Price, Token: strategy.TokenUp, Comparator: strategy.LT, Threshold: strategy.Cents(35)}},
		Exit:           strategy.Exit{TakeProfit: strategy.Cents(55).Ptr(), StopLoss: strategy.Cents(20).Ptr(), HoldToExpiry: true},
		BudgetPerTrade: strategy.Int(100), SampleSize: 1000,
	})
	var axes []backtest.SweepAxis
	for _, text := range []string{"entry.0.threshold=0.26:0.44:0.02", "exit.take_profit=0.5:0.95:0.05", "exit.stop_loss=0.02:0.2:0.02"} {
		a, err := backtest.ParseSweepAxis(text)
		require.NoError(b, err)
		axes = append(axes, a)
	}
	for _, rounds := range []int{100, 1000} {
		b.Run(strategy.Int(rounds).String(), func(b *testing.B) {
			c := strategytest.Changed(s, func(s *strategy.Strategy) { s.SampleSize = rounds })
			opened, err := sqlite.Open(b.Context(), path)
			require.NoError(b, err)
			a := archive.New(opened)
			defer a.Close()
			for b.Loop() {
				r, _, err := backtest.RunSweep(b.Context(), a, c, axes, backtest.SweepOptions{Options: replay.DefaultOptions()}, replay.Parallel{}, nil)
				require.NoError(b, err)
				require.Len(b, r.Variants, 1000)
			}
		})
	}
}
