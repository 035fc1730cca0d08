package report_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/report"
	"github.com/ladderback/ladderback/strategy"
)

// smallArchive has n rounds of BTC 15m in which Up falls under 35 cents a minute
// after the start and then goes to the target, to the stop, or to the end.
func smallArchive(t testing.TB, n int) *replaytest.Archive {
	t.Helper()
	var b strings.Builder
	for i := range n {
		start := (firstRound + market.Instant(i)*15*market.Minute) / market.Second
		winner := "down"
		if i%3 == 2 {
			winner = "up"
		}
		fmt.Fprintf(&b, "market btc-updown-15m-%d winner=%s min=5\n", start, winner)
		b.WriteString("-2   up book 0.48x100 0.47x500 | 0.52x100 0.53x200\n")
		fmt.Fprintf(&b, "%d up book 0.33x100 0.32x500 | 0.34x100 0.35x%d\n", 60+i%20, 20+i)
		fmt.Fprintf(&b, "%d.2 up book 0.32x100 0.31x500 | 0.34x90 0.36x400\n", 60+i%20)
		for s := 90; s < 280; s += 20 {
			fmt.Fprintf(&b, "%d up book 0.3%dx100 | 0.4x90\n", s+i%10, s%3)
		}
		switch i % 3 {
		case 0:
			b.WriteString("300 up book 0.56x40 0.55x500 | 0.58x100\n")
		case 1:
			b.WriteString("300 up book 0.19x60 0.18x40 | 0.22x100\n")
			b.WriteString("301 up book 0.17x600 | 0.22x100\n")
		}
	}
	a, err := replaytest.Parse(b.String())
	require.NoError(t, err)
	return a
}

func run(t testing.TB, src replay.Source, s strategy.Strategy, o report.Options) *report.Report {
	t.Helper()
	r, err := report.Run(context.Background(), src, strategytest.Canonicalize(s), o, replay.Parallel{})
	require.NoError(t, err)
	return r
}

// masked takes out hashes over the captures, which depend on how the archive in
// memory makes them.
func masked(s string) []byte {
	return regexp.MustCompile(`[0-9a-f]{12,}`).ReplaceAll([]byte(s), []byte("(hash)"))
}

func TestRun(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 12)
	o := report.DefaultOptions()
	o.Include = []report.Include{report.IncludeFills, report.IncludeSensitivity}
	r := run(t, src, fixtureStrategy(), o)
	golden(t, "run.txt", masked(table(t, body(r), report.Screen{Width: 100})))

	require.Equal(t, 12, r.MarketsFound)
	require.Equal(t, 12, r.MarketsTraded)
	require.NotNil(t, r.Baseline.Value)
	require.Len(t, r.Sensitivity, 32)
	// The combination of the options themselves gives the total itself.
	require.Equal(t, r.TotalPnL, r.Sensitivity[8+1].TotalPnL)
	require.True(t, r.Intact())
}

func TestRunIsTheSameOnAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 40)
	s := strategytest.Canonicalize(fixtureStrategy())
	o := report.DefaultOptions()
	o.Include = []report.Include{report.IncludeFills, report.IncludeSensitivity}
	var want *report.Report
	for _, workers := range []int{1, 2, 7} {
		r, err := report.Run(context.Background(), src, s, o, replay.Parallel{Workers: workers})
		require.NoError(t, err)
		if want == nil {
			want = r
		}
		require.Equal(t, string(marshal(t, want)), string(marshal(t, r)))
	}
}

func TestRunCountsItsProgress(t *testing.T) {
	t.Parallel()
	src := smallArchive(t, 5)
	s := strategytest.Canonicalize(fixtureStrategy())
	for _, baseline := range []bool{true, false} {
		o := report.DefaultOptions()
		o.Baseline = baseline
		last, total := 0, 5
		if baseline {
			total = 10
		}
		_, err := report.Run(context.Background(), src, s, o, replay.Parallel{Progress: func(done, of int) {
			require.GreaterOrEqual(t, done, last)
			require.Equal(t, total, of)
			last = done
		}})
		require.NoError(t, err)
		require.Equal(t, total, last)
	}
}

// The largest budget, five times over, is beyond what a strategy may say.
func TestSensitivityOfTheLargestBudget(t *testing.T) {
	t.Parallel()
	s := fixtureStrategy()
	s.BudgetPerTrade = strategy.Int(1_000_000)
	o := report.DefaultOptions()
	o.Include = []report.Include{report.IncludeSensitivity}
	r := run(t, smallArchive(t, 2), s, o)
	require.Equal(t, 5_000_000*report.DecimalOne, r.Sensitivity[3].Budget)
}

// An entry at the very start makes a baseline at 0 seconds.
func TestBaselineAtTheStart(t *testing.T) {
	t.Parallel()
	s := fixtureStrategy()
	s.Entry = nil
	s.Exit = strategy.Exit{HoldToExpiry: true}
	r := run(t, smallArchive(t, 3), s, report.DefaultOptions())
	require.Equal(t, 3, r.MarketsTraded)
	require.Equal(t, 0, r.Baseline.Value.EntrySeconds)
	require.Equal(t, report.Decimal(0), *r.Baseline.Value.ExcessMeanPnL)
}

// Whatever strategy traded, its baseline is a strategy that the engine takes.
func TestBaselineIsAlwaysValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strategytest.Canonical().Draw(t, "strategy")
		length, ok := strategy.Length(s.Market().Type)
		if !ok {
			length = market.Day
		}
		clock := length
		switch {
		case s.Exit().ExitBeforeSeconds > 0:
			clock -= market.Span(s.Exit().ExitBeforeSeconds) * market.Second
		case !s.Exit().HoldToExpiry:
			clock -= market.Second
		}
		// A signal comes before the clock exit and before the end.
		at := rapid.Int64Range(0, int64(clock)-1).Draw(t, "signal")
		round := fixtureRound(0, true)
		one := trade(round)
		one.Signal = round.Market.Start + market.Instant(at)
		_, ok = report.BaselineCase(replay.Case{Strategy: s, Options: replay.DefaultOptions()}, []*replay.Trade{one})
		require.True(t, ok)
	})
}
