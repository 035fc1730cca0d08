package stats

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
)

// TestTrackRecordIsThePublishedOne: Bailey and López de Prado: a Sharpe ratio of 2 a year
// shows one above 1 after 2.73 years of days, 2.83 of weeks and 3.24 of months, and after 4.99
// of months as lopsided as those of hedge funds. scripts/evidence-agreement.py finds the same
// without the formula.
func TestTrackRecordIsThePublishedOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ years, periods, skew, kurtosis float64 }{
		{2.73, 252, 0, 3}, {2.83, 52, 0, 3}, {3.24, 12, 0, 3}, {4.99, 12, -0.72, 5.78},
	} {
		root := sqrt(c.periods)
		require.InDelta(t, c.years, trackRecord(2/root, 1/root, c.skew, c.kurtosis)/c.periods, 0.005)
	}
}

func sqrt(x float64) float64 {
	r := x
	for range 60 {
		r = (r + x/r) / 2
	}
	return r
}

func TestMinTrackRecord(t *testing.T) {
	t.Parallel()
	made := func(pnl ...market.Cash) (out []Trade) {
		for i, p := range pnl {
			out = append(out, Trade{Close: market.Instant(i + 1), PnL: p})
		}
		return out
	}
	require.Nil(t, MinTrackRecord(made(1, 2)))
	require.Nil(t, MinTrackRecord(made(5, 5, 5)))
	require.Nil(t, MinTrackRecord(made(-5, 1, 1)))
	// Mean 1, deviation 2, no skewness, kurtosis 1: 1 + (1.645 ÷ 0.5)² = 11.82.
	require.Equal(t, 12, *MinTrackRecord(made(3, -1, 3, -1)))
}

// TestDrawdowns: of steps ±1 USD, one or two to an end, against what any order can reach.
func TestDrawdowns(t *testing.T) {
	t.Parallel()
	require.Nil(t, Drawdowns(nil, 1))
	var up, mixed, together []Trade
	for i := range 100 {
		pnl := market.CashOne
		up = append(up, Trade{Close: market.Instant(i), PnL: pnl})
		if i%2 == 1 {
			pnl = -pnl
		}
		mixed = append(mixed, Trade{Close: market.Instant(i), PnL: pnl})
		together = append(together, Trade{Close: market.Instant(i / 2), PnL: pnl}) // a gain and a loss at each end
	}
	require.Equal(t, &DrawdownBand{}, Drawdowns(up, 1))
	require.Equal(t, &DrawdownBand{}, Drawdowns(together, 1), "what ends together is one step")
	// E[largest drawdown] of a walk of n steps without drift is about 1.25 √n = 12.5.
	b := Drawdowns(mixed, 1)
	require.InDelta(t, 12, b.Median.Float(), 1.5)
	require.Greater(t, b.Percent, b.Median+6*One)
	require.Equal(t, b, Drawdowns(mixed, 1))
}
