package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/replay/report"
	"github.com/ladderback/ladderback/strategy"
)

func comparison(t *testing.T, a, b *report.Body) (*report.Comparison, string) {
	t.Helper()
	c, err := report.Compare(a, b)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, c.WriteTable(&out, report.Screen{Width: 100}))
	return c, out.String()
}

func TestCompareEqualRuns(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 4)
	a := saved(t, src, fixtureStrategy(), report.DefaultOptions())
	b := saved(t, src, fixtureStrategy(), report.DefaultOptions())
	b.Prompt = "the same in other words"
	c, text := comparison(t, a, b)
	require.True(t, c.Same)
	require.Equal(t, 4, c.Equal)
	require.Equal(t, "The runs are the same.\n", text)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 6)
	a := saved(t, src, fixtureStrategy(), report.DefaultOptions())
	s := fixtureStrategy()
	s.Exit.TakeProfit = strategy.Cents(58).Ptr()
	s.SampleSize = 5
	o := report.DefaultOptions()
	o.LatencyMS = 1000
	o.Include = []report.Include{report.IncludeFills}
	b := saved(t, src, s, o)
	c, text := comparison(t, a, b)
	golden(t, "compare.txt", masked(text))
	require.False(t, c.Same)
	require.Len(t, c.OnlyA, 1)
	require.Empty(t, c.OnlyB)
	require.Equal(t, 5, c.Equal+len(c.Changed))
	changed := map[string]bool{}
	for _, f := range c.Fields {
		changed[f.Field] = true
	}
	require.True(t, changed["strategy.exit.take_profit"])
	require.True(t, changed["options.latency_ms"])
	require.True(t, changed["report.receipt.data"])
	for l := range strings.SplitSeq(text, "\n") {
		require.LessOrEqual(t, len([]rune(l)), 100, l)
	}

	back, _ := comparison(t, b, a)
	require.Len(t, back.OnlyB, len(c.OnlyA))
	require.Len(t, back.Changed, len(c.Changed))
	for i := range c.Changed {
		require.Equal(t, -c.Changed[i].PnLChange, back.Changed[i].PnLChange)
	}
}
