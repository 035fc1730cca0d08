package after_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest/after"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

func usd(v stats.Decimal) *stats.Decimal { return &v }

// results are n trades that end 5 minutes apart.
func results(n int) []stats.Trade {
	out := make([]stats.Trade, n)
	for i := range out {
		out[i] = stats.Trade{Close: market.Instant(i+1) * 5 * market.Minute, PnL: market.Cash(i%3-1) * market.CashOne}
	}
	return out
}

// TestNothingIsSaidOfBothTokens: a trade that bought both has no price to hold a markout
// against.
func TestNothingIsSaidOfBothTokens(t *testing.T) {
	t.Parallel()
	both := &replay.Trade{Entry: fills.PerShare(400_000), Opposite: replay.Bought{Average: fills.PerShare(500_000)}, Payout: market.CashOne}
	require.Zero(t, after.Of(both, nil))
}

// TestOfByHand: a round of which the first price is known after a minute, and one trade of it
// after the other.
func TestOfByHand(t *testing.T) {
	t.Parallel()
	src := replaytest.MustParse(`market btc-updown-15m-1776081600 winner=up min=5
60 up book 0.33x100 | 0.34x100
61 up book 0.35x100 | 0.37x100
90 up book 0.40x100 | 0.42x100
899 up book 0.89x100 | 0.91x100
`)
	c := replay.Case{Strategy: strategytest.Canonicalize(backtesttest.Strategy()), Options: replay.DefaultOptions()}
	sample, err := replay.Draw(t.Context(), src, c)
	require.NoError(t, err)
	require.Len(t, sample.Rounds, 1)
	m := sample.Rounds[0].Market
	const second = market.Second
	require.NoError(t, sample.Follow(t.Context(), src, replay.Parallel{Workers: 1}, nil, func(_ int, x *replay.Series) error {
		for _, c := range []struct {
			token       int
			paid        market.Price
			entry, exit market.Instant // after the start
			want        after.Trade
		}{
			{0, 3400, 60 * second, 90 * second, after.Trade{ // 30 s later a price comes in that very instant, and the exit sees it too
				Markout1s: usd(20_000), Markout5s: usd(20_000), Markout30s: usd(70_000), MarkoutSettlement: usd(660_000), MAE: usd(-5_000), MFE: usd(70_000),
			}},
			{0, 3400, 60*second - 1, 90*second - 1, after.Trade{ // and one microsecond before it is not known
				Markout1s: usd(-5_000), Markout5s: usd(20_000), Markout30s: usd(20_000), MarkoutSettlement: usd(660_000), MAE: usd(-5_000), MFE: usd(20_000),
			}},
			{1, 6600, 60 * second, 90 * second, after.Trade{ // the other token
				Markout1s: usd(-20_000), Markout5s: usd(-20_000), Markout30s: usd(-70_000), MarkoutSettlement: usd(-660_000), MAE: usd(-70_000), MFE: usd(5_000),
			}},
			{0, 3000, 61 * second, 62 * second, after.Trade{ // never under what was paid
				Markout1s: usd(60_000), Markout5s: usd(60_000), Markout30s: usd(110_000), MarkoutSettlement: usd(700_000), MAE: usd(0), MFE: usd(60_000),
			}},
			{0, 9500, 899*second - 1, 900 * second, after.Trade{ // held to the end, which comes before 5 s are over
				Markout1s: usd(-50_000), MarkoutSettlement: usd(50_000), MAE: usd(-540_000), MFE: usd(0),
			}},
			{0, 9500, 899 * second, 900 * second, after.Trade{ // 1 s later is the end
				MarkoutSettlement: usd(50_000), MAE: usd(-50_000), MFE: usd(0),
			}},
			{0, 3400, 10 * second, 50 * second, after.Trade{MarkoutSettlement: usd(660_000)}}, // no price was known
		} {
			tr := &replay.Trade{
				Market: m, Token: c.token, Entry: fills.PerShare(int64(c.paid) * 100), EntryTime: m.Start + c.entry, ExitTime: m.Start + c.exit,
				Payout: m.Payout.Fractions[c.token],
			}
			require.Equal(t, c.want, after.Of(tr, x), "%+v", c)
		}
		return nil
	}))
}

// TestSumTakesWhatIsKnown: each mean is over the trades of which the figure is known, and
// what is not known of one horizon takes nothing from another.
func TestSumTakesWhatIsKnown(t *testing.T) {
	t.Parallel()
	trades := []after.Trade{
		{Markout1s: usd(10), Markout5s: usd(100), MarkoutSettlement: usd(1000), MAE: usd(-7), MFE: usd(3)},
		{Markout1s: usd(-30), MarkoutSettlement: usd(2000)},
		{MarkoutSettlement: usd(-9000), MAE: usd(-1), MFE: usd(0)},
	}
	r := after.Sum(trades, results(3), 1)
	require.Equal(t, []after.Markout{
		{After: "1s", Trades: 2, Mean: usd(-10)}, {After: "5s", Trades: 1, Mean: usd(100)},
		{After: "30s"}, {After: "settlement", Trades: 3, Mean: usd(-2000)},
	}, r.Markouts)
	require.Equal(t, usd(-4), r.MeanMAE)
	require.Equal(t, usd(2), r.MeanMFE, "1.5, halves to even")
	require.Equal(t, trades, r.Trades)
	require.Nil(t, r.MinTrackRecord)
	require.NotNil(t, r.Drawdown)

	none := after.Sum(nil, nil, 1)
	require.Equal(t, []after.Markout{{After: "1s"}, {After: "5s"}, {After: "30s"}, {After: "settlement"}}, none.Markouts)
	require.Nil(t, none.MeanMAE)
	require.Nil(t, none.Drawdown)
}

// TestIntervalOfAMarkoutNeedsWhatAVerdictNeeds: 30 trades of which it is known, that end at 20
// different times; each keeps the end of its own round.
func TestIntervalOfAMarkoutNeedsWhatAVerdictNeeds(t *testing.T) {
	t.Parallel()
	known := func(n, skipped int) (trades []after.Trade) {
		for i := range n + skipped {
			trades = append(trades, after.Trade{})
			if i >= skipped {
				trades[i].Markout1s = usd(stats.Decimal(i%4-1) * stats.One)
			}
		}
		return trades
	}
	interval := func(trades []after.Trade, results []stats.Trade) *stats.Interval {
		return after.Sum(trades, results, 1).Markouts[0].Interval
	}
	require.Nil(t, interval(known(29, 0), results(29)))
	require.Nil(t, interval(known(29, 5), results(34)), "34 trades, of which 29 are known")
	require.NotNil(t, interval(known(30, 0), results(30)))
	require.Equal(t, interval(known(30, 4), results(34)), interval(known(34, 0)[4:], results(30)), "as if the others were not there")

	together := results(34) // those known end at 20, or at 19, different times
	for i := 24; i < 34; i++ {
		together[i].Close = together[23].Close
	}
	require.NotNil(t, interval(known(30, 4), together))
	together[22].Close = together[23].Close
	require.Nil(t, interval(known(30, 4), together))
}
