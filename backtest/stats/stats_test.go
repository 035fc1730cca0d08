package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

func cash(t *testing.T, s string) market.Cash {
	t.Helper()
	v, err := market.ParseCash(s)
	require.NoError(t, err)
	return v
}

func dec(s string) *stats.Decimal {
	v, err := market.ParseDecimal(s, 6)
	if err != nil {
		panic(err)
	}
	d := stats.Decimal(v)
	return &d
}

// rowsOf makes one trade a pnl, each in a round of its own, 5 minutes apart.
func rowsOf(t *testing.T, pnls ...string) []stats.Trade {
	t.Helper()
	rows := make([]stats.Trade, len(pnls))
	for i, p := range pnls {
		rows[i] = stats.Trade{
			Close: market.Instant(i+1) * 5 * market.Minute,
			PnL:   cash(t, p),
		}
	}
	return rows
}

func TestStatsByHand(t *testing.T) {
	t.Parallel()
	rows := rowsOf(t, "10", "-4", "-1.5", "0", "3", "-2")
	for i := range rows {
		rows[i].Fees = 100_000
		rows[i].Hold = market.Span(i+1) * market.Second
		rows[i].Entry = []market.Level{{Price: 3000, Size: 10 * market.SizeOne}}
	}
	// One entry of 10 shares at 0.30 and 20 at 0.33: 0.32 on average.
	rows[0].Entry = []market.Level{{Price: 3000, Size: 10_000_000}, {Price: 3300, Size: 20_000_000}}
	rows[0].Payout, rows[4].Payout = market.CashOne, market.CashOne

	st := stats.Of(rows, 1)

	// Sum 5.5 over 6 trades.
	require.Equal(t, dec("0.916667"), st.MeanPnL)
	// Σx² = 100+16+2.25+0+9+4 = 131.25; (131.25 − 5.5²/6)/5 = 25.241666…; √ = 5.0241…
	require.Equal(t, dec("5.024109"), st.SDPnL)
	// Sorted −4 −2 −1.5 0 3 10: (−1.5+0)/2.
	require.Equal(t, dec("-0.75"), st.MedianPnL)
	// 13 ÷ 7.5.
	require.Equal(t, dec("1.733333"), st.ProfitFactor)
	// Curve 10, 6, 4.5, 4.5, 7.5, 5.5: from 10 down to 4.5.
	require.Equal(t, *dec("5.5"), st.MaxDrawdown)
	// −4, −1.5; then 0 is no loss.
	require.Equal(t, 2, st.LongestLosingStreak)
	require.Equal(t, dec("3.5"), st.AvgHoldSeconds)
	require.Equal(t, *dec("0.6"), st.Fees)
	require.Equal(t, *dec("6.1"), st.GrossPnL)
	// (0.32 + 5 × 0.30) ÷ 6 = 0.303333…
	require.Equal(t, dec("0.303333"), st.AvgEntryPrice)
	// 2 of 6 paid 1: 0.333333… − 0.303333… = 0.03.
	require.Equal(t, dec("0.03"), st.Edge)
	require.Equal(t, stats.NotEnough, st.Verdict)
}

func TestStatsWithoutTrades(t *testing.T) {
	t.Parallel()
	st := stats.Of(nil, 1)
	require.Equal(t, stats.Stats{Verdict: stats.NotEnough}, st)
}

func TestStatsOfOneTrade(t *testing.T) {
	t.Parallel()
	st := stats.Of(rowsOf(t, "-3.000001"), 1)
	require.Equal(t, dec("-3.000001"), st.MeanPnL)
	require.Nil(t, st.SDPnL)
	require.Equal(t, dec("0"), st.ProfitFactor)
	require.Equal(t, *dec("3.000001"), st.MaxDrawdown)
	require.Nil(t, st.MeanPnLInterval, "one trade has no interval")
	require.Nil(t, st.WinRateInterval)
}

func TestProfitFactorWithoutLosses(t *testing.T) {
	t.Parallel()
	require.Nil(t, stats.Of(rowsOf(t, "1", "0"), 1).ProfitFactor)
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	same := func(n, ends int, pnl market.Cash) []stats.Trade {
		rows := make([]stats.Trade, n)
		for i := range rows {
			rows[i] = stats.Trade{Close: market.Instant(i%ends) * market.Minute, PnL: pnl}
		}
		return rows
	}
	mixed := same(40, 40, 1)
	for i := range mixed {
		if i%2 == 0 {
			mixed[i].PnL = -1
		}
	}
	for _, c := range []struct {
		name string
		rows []stats.Trade
		want stats.Verdict
	}{
		{"29 trades", same(29, 29, 1), stats.NotEnough},
		{"30 trades over 19 ends", same(30, 19, 1), stats.NotEnough},
		{"30 trades over 20 ends, all won", same(30, 20, 1), stats.Positive},
		{"30 trades over 20 ends, all lost", same(30, 20, -1), stats.Negative},
		{"nothing won or lost", same(30, 20, 0), stats.NoEdge},
		{"as many won as lost", mixed, stats.NoEdge},
	} {
		st := stats.Of(c.rows, 1)
		require.Equal(t, c.want, st.Verdict, c.name)
		// An interval stands where a verdict does, and nowhere else.
		require.Equal(t, c.want != stats.NotEnough, st.MeanPnLInterval != nil, c.name)
		require.Equal(t, c.want != stats.NotEnough, st.WinRateInterval != nil, c.name)
	}
}

// The interval of a large sample comes close to the normal one: mean ± 1.96 ×
// sd ÷ √n.
func TestIntervalAgainstNormal(t *testing.T) {
	t.Parallel()
	rows := make([]stats.Trade, 900)
	for i := range rows {
		rows[i] = stats.Trade{Close: market.Instant(i) * market.Minute, PnL: market.Cash(i%7-3) * market.CashOne}
	}
	st := stats.Of(rows, 1)
	half := 1.96 * st.SDPnL.Float() / math.Sqrt(900)
	require.InDelta(t, st.MeanPnL.Float()-half, st.MeanPnLInterval[0].Float(), 0.01)
	require.InDelta(t, st.MeanPnL.Float()+half, st.MeanPnLInterval[1].Float(), 0.01)
	p := 3.0 / 7
	half = 1.96 * math.Sqrt(p*(1-p)/900)
	require.InDelta(t, p-half, st.WinRateInterval[0].Float(), 0.005)
	require.InDelta(t, p+half, st.WinRateInterval[1].Float(), 0.005)
}

// Trades that end together are drawn together: ten copies of each trade say no
// more than one of each.
func TestIntervalsKnowClusters(t *testing.T) {
	t.Parallel()
	var one, ten []stats.Trade
	for i := range 50 {
		r := stats.Trade{Close: market.Instant(i) * market.Minute, PnL: market.Cash(i%5 - 2)}
		one = append(one, r)
		for range 10 {
			ten = append(ten, r)
		}
	}
	a, b := stats.Of(one, 3), stats.Of(ten, 3)
	require.Equal(t, a.MeanPnLInterval, b.MeanPnLInterval)
	require.Equal(t, a.WinRateInterval, b.WinRateInterval)
}

// The draws are part of what a seed means: these numbers were written down
// once and must never change by themselves.
func TestIntervalIsPinned(t *testing.T) {
	t.Parallel()
	rows := make([]stats.Trade, 50)
	for i := range rows {
		rows[i] = stats.Trade{Close: market.Instant(i) * market.Minute, PnL: market.Cash(i*i*i%1009-500) * 1_234_567}
	}
	st := stats.Of(rows, 1)
	require.Equal(t, &stats.Interval{-135_333_235, 57_036_995}, st.MeanPnLInterval)
	require.NotEqual(t, st.MeanPnLInterval, stats.Of(rows, 2).MeanPnLInterval)
}

// Statistics of floats agree with the exact ones; reordering trades changes
// neither mean nor deviation nor interval; scaling by 10 scales them.
func TestStatsProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pnls := rapid.SliceOfN(rapid.Int64Range(-1e9, 1e9), 40, 60).Draw(t, "pnls")
		rows := make([]stats.Trade, len(pnls))
		var sum, squares float64
		for i, p := range pnls {
			rows[i] = stats.Trade{Close: market.Instant(i/2) * market.Minute, PnL: market.Cash(p)}
			sum += float64(p) / 1e6
		}
		mean := sum / float64(len(pnls))
		for _, p := range pnls {
			d := float64(p)/1e6 - mean
			squares += d * d
		}
		st := stats.Of(rows, 1)
		require.InDelta(t, mean, st.MeanPnL.Float(), 1e-6)
		require.InDelta(t, math.Sqrt(squares/float64(len(pnls)-1)), st.SDPnL.Float(), 2e-6)
		require.LessOrEqual(t, st.MeanPnLInterval[0], st.MeanPnLInterval[1])
		require.LessOrEqual(t, st.WinRateInterval[0], st.WinRateInterval[1])
		require.GreaterOrEqual(t, st.MaxDrawdown, stats.Decimal(0))

		for i := range rows {
			rows[i].PnL *= 10
		}
		ten := stats.Of(rows, 1)
		require.InDelta(t, 10*st.MeanPnLInterval[0].Float(), ten.MeanPnLInterval[0].Float(), 1e-5)
		require.Equal(t, 10*st.MaxDrawdown, ten.MaxDrawdown)
		require.Equal(t, st.WinRateInterval, ten.WinRateInterval)
	})
}

func TestRounding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ num, den, want int64 }{
		{5, 2, 2}, {7, 2, 4}, {-5, 2, -2}, {-7, 2, -4}, {1, 3, 0}, {2, 3, 1}, {-2, 3, -1}, {0, 9, 0}, {-1, 2, 0},
	} {
		require.Equal(t, stats.Decimal(c.want), stats.Round(big.NewInt(c.num), big.NewInt(c.den)), "%d/%d", c.num, c.den)
	}
	for _, c := range []struct{ num, den, want int64 }{
		{9, 1, 3}, {0, 1, 0}, {2, 1, 1}, {3, 1, 2}, {9, 4, 2}, {25, 4, 2}, {49, 4, 4}, {1, 4, 0},
	} {
		require.Equal(t, stats.Decimal(c.want), stats.RootOf(big.NewInt(c.num), big.NewInt(c.den)), "√(%d/%d)", c.num, c.den)
	}
}
