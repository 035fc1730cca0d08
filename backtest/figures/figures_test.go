package figures_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest/figures"
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
