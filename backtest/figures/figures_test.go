package figures_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "trade", "0 trades"},
		{1, "day", "1 day"},
		{2, "day", "2 days"},
		{2, "entry", "2 entries"},
		{1_200, "market", "1,200 markets"},
	} {
		require.Equal(t, c.want, figures.Count(c.n, c.noun))
	}
}

func TestPoints(t *testing.T) {
	t.Parallel()
	require.Equal(t, "−10.7 pp", figures.Points(-106_667))
	require.Equal(t, "+3.0 pp", figures.Points(30_000))
	require.Equal(t, "0.0 pp", figures.Points(0))
}

func TestAbout(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1 trade", 57: "57 trades", 100: "100 trades", 101: "110 trades", 4312: "4,400 trades", 99_901: "100,000 trades", 1_000_000: "more than a million trades"} {
		require.Equal(t, want, figures.About(n, "trade"))
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for d, want := range map[stats.Decimal]string{
		1_234_500_000: "+$1,234.50", -1_234_567_890_000: "−$1,234,567.89", 0: "$0.00", 999_990_000: "+$999.99", 15_000: "+$0.02",
	} {
		require.Equal(t, want, figures.USD(d), int64(d))
	}
	require.Equal(t, "100", figures.Thousands("100"))
	require.Equal(t, "−123,456.7891", figures.Thousands("−123456.7891"))
	require.Equal(t, "0.000001", figures.Fixed(1, 6))
	require.Equal(t, "−12", figures.Fixed(-12_400_000, 0))
	require.Equal(t, "+1,000.5", figures.SignedTo(1_000_500_000, 1))
	require.Equal(t, "−3.25", figures.Signed(-3_250_000))
	require.Equal(t, "0.00", figures.Signed(0))
	require.Equal(t, "0.0000", figures.Price(0), "a price of nothing is one")
	require.Equal(t, figures.None, figures.Price(stats.None))
	require.Equal(t, "+0.0650", figures.SignedPrice(65_000))
	require.Equal(t, "0.0000", figures.SignedPrice(0))
	require.Equal(t, "38.4", figures.Percent(384, 1000))
	require.Equal(t, "+3.1%", figures.SignedRate(31_000))
	one := stats.Decimal(1_500_000)
	require.Equal(t, "1.50", figures.Plain(&one, 2))
	require.Equal(t, figures.None, figures.Plain(nil, 2))
	require.Equal(t, "+1.50", figures.Or(&one, figures.Signed))
	require.Equal(t, figures.None, figures.Or(nil, figures.Signed))
	require.Equal(t, "−1.00 to +2.00", figures.Interval(&stats.Interval{-1_000_000, 2_000_000}, figures.Signed))
	require.Equal(t, figures.None, figures.Interval(nil, figures.Signed))
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for s, want := range map[market.Span]string{
		0: "0s", 59 * market.Span(market.Second): "59s", 60 * market.Span(market.Second): "1m00s", 372 * market.Span(market.Second): "6m12s",
		3599 * market.Span(market.Second): "59m59s", 3600 * market.Span(market.Second): "1h00m", 90_061 * market.Span(market.Second): "25h01m", -45 * market.Span(market.Second): "-45s",
	} {
		require.Equal(t, want, figures.Span(s))
	}
	seconds := stats.Decimal(75_900_000)
	require.Equal(t, "1m15s", figures.Seconds(&seconds))
	require.Equal(t, figures.None, figures.Seconds(nil))
	from := market.InstantOf(time.Date(2026, 4, 3, 13, 5, 59, 0, time.UTC))
	require.Equal(t, "Apr 03 13:05", figures.Minute(from))
	require.Equal(t, "2026-04-03 13:05:59", figures.Clock(from))
	require.Equal(t, "2026-04-03", figures.Dates(from, from+market.Hour))
	require.Equal(t, "2026-04-03 to 2026-04-04", figures.Dates(from, from+market.Day))
}

func TestWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "wins", figures.Plural(0, "win", "wins"))
	require.Equal(t, "win", figures.Plural(1, "win", "wins"))
	require.Equal(t, "Über all", figures.Sentence("über all"))
}
