package backtest_test

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/tries"
)

// watched fails a test when captures of a round of a lockbox are read.
type watched struct {
	*replaytest.Archive
	t    *testing.T
	from market.Instant
}

func (w watched) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	if m.End >= w.from {
		w.t.Errorf("captures of %s were read, which is held out", m.Slug)
	}
	return w.Archive.Captures(ctx, m)
}

// TestLockboxIsReadByNothing: not by a strategy, its baseline, its sensitivity, a sweep and
// its walk forward, a plan of workers, nor a calibration, until it is opened; and the receipt
// says whether it is.
func TestLockboxIsReadByNothing(t *testing.T) {
	t.Parallel()
	whole := backtesttest.Archive(t, 40)
	rounds, err := whole.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	ends := map[market.Instant]int{}
	first, last := market.Latest, market.Earliest
	for i := range rounds {
		ends[rounds[i].Market.End]++
		first, last = min(first, rounds[i].Market.End), max(last, rounds[i].Market.End)
	}
	lock := &replay.HoldOut{From: first + (last-first)/2}
	outside := 0
	for end, n := range ends {
		if end < lock.From {
			outside += n
		}
	}
	require.Positive(t, outside)
	require.Less(t, outside, len(rounds))
	src := watched{whole, t, lock.From}

	draft := backtesttest.Strategy()
	draft.SampleSize = 1000
	s := strategytest.Canonicalize(draft)
	o := backtest.DefaultOptions()
	o.HoldOut, o.Include = lock, []backtest.Include{backtest.IncludeSensitivity}
	r, err := backtest.Run(t.Context(), src, s, o, replay.Parallel{Workers: 2})
	require.NoError(t, err)
	require.Equal(t, outside, r.MarketsFound)
	require.NotNil(t, r.Baseline.Value)
	require.Equal(t, lock, r.Receipt.HoldOut)

	axis, err := backtest.ParseSweepAxis("exit.take_profit=0.6,0.7")
	require.NoError(t, err)
	sweepOptions := backtest.SweepOptions{Options: o.Options}
	w, _, err := backtest.RunSweep(t.Context(), src, s, []backtest.SweepAxis{axis}, sweepOptions, replay.Parallel{Workers: 2}, nil)
	require.NoError(t, err)
	require.Equal(t, outside, w.Funnel.Sampled)
	require.Less(t, *w.LastRound, lock.From)
	for _, b := range w.WalkForward.Blocks {
		require.Less(t, b.From, lock.From)
	}
	require.Equal(t, lock, w.Receipt.HoldOut)

	plan, _, err := parts.Draw(t.Context(), src, &parts.Job{Strategy: s, Options: o}, 0, nil)
	require.NoError(t, err)
	require.Len(t, plan.Rounds, outside)

	c := backtest.DefaultCalibrationOptions()
	c.Coin, c.Type, c.HoldOut = "ANY", s.Market().Type, lock
	found, err := backtest.Calibrate(t.Context(), src, c, replay.Parallel{Workers: 2})
	require.NoError(t, err)
	require.Equal(t, outside, found.Sampled)

	held, err := lock.Held(src).Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	require.Len(t, held, outside)

	// A window inside it is refused, whatever asks.
	o.From = new(lock.From)
	_, err = backtest.Run(t.Context(), src, s, o, replay.Parallel{})
	require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
	c.From = o.From
	_, err = backtest.Calibrate(t.Context(), src, c, replay.Parallel{})
	require.Equal(t, market.CodeBadRequest, market.CodeOf(err))

	// What was not there is what was held out: the same trades without those rounds.
	cut := &replaytest.Archive{}
	for _, x := range whole.All {
		if x.Market.End < lock.From {
			cut.All = append(cut.All, x)
		}
	}
	o.From, o.HoldOut = nil, nil
	plain, err := backtest.Run(t.Context(), cut, s, o, replay.Parallel{})
	require.NoError(t, err)
	require.Equal(t, plain.Trades, r.Trades)
	require.Equal(t, plain.Baseline, r.Baseline)
	require.Equal(t, plain.Funnel, r.Funnel)

	// Opened, everything is replayed, and the receipt says when and after how much.
	o.HoldOut = &replay.HoldOut{From: lock.From, OpenedAt: new(last), Tries: new(7)}
	r, err = backtest.Run(t.Context(), whole, s, o, replay.Parallel{})
	require.NoError(t, err)
	require.Equal(t, len(rounds), r.MarketsFound)
	require.Equal(t, o.HoldOut, r.Receipt.HoldOut)
}

// TestTry: a try is told of before any capture is read, and is the same for the same strategy
// over the same rounds, whatever the report holds of it.
func TestTry(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 12)
	s := strategytest.Canonicalize(backtesttest.Strategy())
	var told []tries.One
	count := func(_ context.Context, l *backtest.Looked) (backtest.Tally, error) {
		x, err := tries.Of(l)
		require.NoError(t, err)
		told = append(told, *x)
		return backtest.Tally{Look: 3, Before: 2 * stats.One}, nil
	}
	refuse := func(context.Context, *backtest.Looked) (backtest.Tally, error) {
		return backtest.Tally{}, context.Canceled
	}
	_, _, err := backtest.RunCounted(t.Context(), watched{src, t, market.Earliest}, s, backtest.DefaultOptions(), replay.Parallel{}, refuse)
	require.ErrorIs(t, err, context.Canceled)

	o := backtest.DefaultOptions()
	plain, err := backtest.Run(t.Context(), src, s, o, replay.Parallel{})
	require.NoError(t, err)
	r, tally, err := backtest.RunCounted(t.Context(), src, s, o, replay.Parallel{}, count)
	require.NoError(t, err)
	require.Equal(t, 3, tally.Look)
	require.Equal(t, plain.Receipt, r.Receipt, "the report does not depend on the count")
	require.Equal(t, r.Receipt.Strategy, told[0].Strategy)
	require.Equal(t, r.Receipt.Data, told[0].Data)
	require.Equal(t, 1, told[0].Variants)

	o.Include, o.Seed, o.Baseline = []backtest.Include{backtest.IncludeFills}, 9, false
	_, _, err = backtest.RunCounted(t.Context(), src, s, o, replay.Parallel{}, count)
	require.NoError(t, err)
	require.Equal(t, told[0], told[1])
	o.LatencyMS = 1000
	_, _, err = backtest.RunCounted(t.Context(), src, s, o, replay.Parallel{}, count)
	require.NoError(t, err)
	require.NotEqual(t, told[0], told[2])

	axis, err := backtest.ParseSweepAxis("exit.take_profit=0.6,0.7,0.8")
	require.NoError(t, err)
	w, _, err := backtest.RunSweep(t.Context(), src, s, []backtest.SweepAxis{axis}, backtest.SweepOptions{Options: replay.DefaultOptions()}, replay.Parallel{}, count)
	require.NoError(t, err)
	require.Equal(t, 3, told[3].Variants)
	require.NotEqual(t, told[0].Strategy, told[3].Strategy)
	require.Equal(t, 2*stats.One, w.Options.TriesBefore)

	_, tally, err = backtest.RunCounted(t.Context(), &replaytest.Archive{}, s, o, replay.Parallel{}, count)
	require.NoError(t, err)
	require.Zero(t, tally, "without rounds nothing is looked at")
	require.Len(t, told, 4)
}

// TestSweepIsDeflatedForTriesBefore: like those that a person says were made, and what the
// sweep counts for afterwards is its own alone.
func TestSweepIsDeflatedForTriesBefore(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 120)
	draft := backtesttest.Strategy()
	draft.SampleSize = 120
	s := strategytest.Canonicalize(draft)
	axis, err := backtest.ParseSweepAxis("exit.take_profit=0.55:0.8:0.05")
	require.NoError(t, err)
	run := func(also int, before stats.Decimal) *backtest.Sweep {
		o := backtest.SweepOptions{Options: replay.DefaultOptions(), AlsoTried: also, TriesBefore: before}
		w, _, err := backtest.RunSweep(t.Context(), src, s, []backtest.SweepAxis{axis}, o, replay.Parallel{}, nil)
		require.NoError(t, err)
		require.NotNil(t, w.Best)
		return w
	}
	alone, said, counted := run(0, 0), run(40, 0), run(0, 40*stats.One)
	require.Equal(t, said.Best.Deflated, counted.Best.Deflated)
	require.Less(t, counted.Best.Probability, alone.Best.Probability)
	require.Equal(t, alone.Independent(), counted.Independent())
	require.Equal(t, alone.Independent(), said.Independent())
	require.Less(t, alone.Independent(), stats.Decimal(len(alone.Variants))*stats.One, "neighbours are few independent tries")
	require.NotEqual(t, alone.Receipt.Options, counted.Receipt.Options)
}
