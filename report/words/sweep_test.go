package words_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/report/words"
)

// Every verdict says how many were tried.
func TestSweepVerdict(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[backtest.SweepVerdict]string{
		backtest.SweepNotEnough: "Not enough evidence",
		backtest.SweepNoGain:    "None of the 4 variants with enough trades made money",
		backtest.SweepLuck:      "The best of 5 variants looks good by luck",
		backtest.SweepUnproven:  "The best of 5 variants looks better than luck, but is unproven",
		backtest.SweepEdge:      "The best of 5 variants is better than luck",
	} {
		s := backtesttest.SweepBody(verdict).Sweep
		require.Equal(t, want, words.SweepVerdict(s)[0])
		require.NotEmpty(t, words.SweepVerdict(s)[1])
	}
	s := backtesttest.SweepBody(backtest.SweepNoGain).Sweep
	require.Equal(t, "Of 5 variants, 4 have at least 30 trades over 20 distinct round ends; none of these had a total pnl above zero.", words.SweepVerdict(s)[1])
	s.Eligible = 5
	require.Equal(t, "None of 5 variants made money", words.SweepVerdict(s)[0], "all of them can be judged")
	s = backtesttest.SweepBody(backtest.SweepLuck).Sweep
	require.Equal(t, "If no variant had an edge, the best of them would look at least as good in 3.1% of cases (at most 5% is asked for); the deflated Sharpe ratio is 97.3% (at least 95% is asked for). An edge of this size needs about 60 more trades, over 100 more ends of rounds, to show.",
		words.SweepVerdict(s)[1])
	require.Equal(t, "Without any edge the best of 5 (about 3 independent tries) would be expected to make about +$0.31 per round end; this one made +$0.75.", words.SweepLuck(s))
	require.Equal(t, "1 variant survives: with a chance of 5% or less that any of them has no edge (stepwise multiple testing over the same resamples).", words.SweepSurvivors(s))
	require.Equal(t, "◆", words.SweepMark(&s.Variants[0]))
	require.Equal(t, "•", words.SweepMark(&s.Variants[3]))
	s.Survivors = 0
	require.Contains(t, words.SweepSurvivors(s), "No variant survives")
	s.Best.MoreTrades = 0
	require.NotContains(t, words.SweepVerdict(s)[1], "more trades")
	s.Tried, s.Options.AlsoTried = 505, 500
	require.Equal(t, "The best of 505 variants (500 of them tried before) looks good by luck", words.SweepVerdict(s)[0])
	require.Equal(t, "Choosing on the past and trading the next day: +$31.50 in total, +$0.79 per trade (95% interval: +$0.10 to +$1.40) over 40 trades in 1 of 2 blocks.", words.SweepWalk(s))
	require.Equal(t, "A peak, not a plateau: the 3 variants one step beside the best made −$0.47 per trade on average, the best itself +$1.25; 1 of 3 above zero.", words.SweepNeighbours(s))
	s.Best.Neighbours.MeanPnL, s.Best.Neighbours.Positive = new(stats.Decimal(1_100_000)), 3
	require.Contains(t, words.SweepNeighbours(s), "A plateau: ")
	s.Best.Tries = 1_199_800_000
	require.Equal(t, "1,199.8", words.SweepFigures(s)[3].Value)
	s.WalkForward.Trades = 0
	require.Contains(t, words.SweepWalk(s), "no trades; in none of 2 blocks")
}

func TestChance(t *testing.T) {
	t.Parallel()
	for d, want := range map[stats.Decimal]string{0: "0.0%", 200: "less than 0.1%", 1000: "0.1%", 34_000: "3.4%", 999_500: "more than 99.9%", 1_000_000: "100.0%"} {
		require.Equal(t, want, words.Chance(d))
	}
	for hours, want := range map[int64]string{1: "hour", 6: "6 hours", 24: "day", 48: "2 days", 36: "36 hours"} {
		require.Equal(t, want, words.BlockLength(hours))
	}
}
