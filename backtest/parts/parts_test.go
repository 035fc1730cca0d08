package parts_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// sizes of chunks: one market each, a few, all, and what is usual.
var sizes = map[string]time.Duration{"one": 1, "few": 10 * time.Millisecond, "all": math.MaxInt64, "usual": 0}

// inParts does a job chunk by chunk, the last first and each twice.
func inParts(t *testing.T, src replay.Source, j *parts.Job, size time.Duration) (*parts.Plan, *parts.Answer) {
	t.Helper()
	ctx := t.Context()
	p, _, err := parts.Draw(ctx, src, j, size, nil)
	require.NoError(t, err)
	pass := func(clock *int) parts.Results {
		out := make([][]byte, len(p.Ends))
		for i := len(p.Ends) - 1; i >= 0; i-- {
			out[i], err = p.Replay(ctx, src, j, i, clock, replay.Parallel{Workers: 1})
			require.NoError(t, err)
			again, err := p.Replay(ctx, src, j, i, clock, replay.Parallel{Workers: 3})
			require.NoError(t, err)
			require.Equal(t, out[i], again)
		}
		return func(i int) ([]byte, error) { return out[i], nil }
	}
	first := pass(nil)
	var clock *int
	var second parts.Results
	if j.Passes() > 1 {
		seconds, ok, err := p.Clock(j, first)
		require.NoError(t, err)
		if ok {
			clock, second = &seconds, pass(&seconds)
		}
	}
	a, err := p.Merge(ctx, src, j, first, clock, second, 2)
	require.NoError(t, err)
	return p, a
}

// TestBacktestsInParts compares reports put together from chunks with those made in
// one go, byte for byte.
func TestBacktestsInParts(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 40)
	plain, all, none, alone := backtest.DefaultOptions(), backtest.DefaultOptions(), backtest.DefaultOptions(), backtest.DefaultOptions()
	all.Include = []backtest.Include{backtest.IncludeFills, backtest.IncludeSensitivity}
	alone.Baseline, alone.Fees, alone.Sampling = false, replay.FeesNone, replay.Random
	to := market.Instant(1)
	none.To = &to
	never := backtesttest.Strategy()
	never.Entry = slices.Clone(never.Entry)
	never.Entry[0].Threshold, never.Exit.StopLoss = 10_000, nil // below one cent
	for name, c := range map[string]parts.Job{
		"plain":     {Strategy: strategytest.Canonicalize(backtesttest.Strategy()), Options: plain},
		"all":       {Strategy: strategytest.Canonicalize(backtesttest.Strategy()), Options: all},
		"alone":     {Strategy: strategytest.Canonicalize(backtesttest.Strategy()), Options: alone},
		"no market": {Strategy: strategytest.Canonicalize(backtesttest.Strategy()), Options: none},
		"no trade":  {Strategy: strategytest.Canonicalize(never), Options: plain},
	} {
		want, err := backtest.Run(t.Context(), src, c.Strategy, c.Options, replay.Parallel{})
		require.NoError(t, err)
		require.Equal(t, name == "no market" || name == "no trade", len(want.Trades) == 0, name)
		text, err := backtest.CompactJSON(want)
		require.NoError(t, err)
		for size, work := range sizes {
			p, got := inParts(t, src, &c, work)
			again, err := backtest.CompactJSON(got.Report)
			require.NoError(t, err)
			require.Equal(t, string(text), string(again), "%s in chunks of %s", name, size)
			require.Equal(t, want.Receipt.Data, p.Data)
			if size == "one" {
				require.Len(t, p.Ends, want.MarketsFound)
			}
		}
	}
}

// TestSweepsInParts does the same for a sweep, over strategies on and off its grid.
func TestSweepsInParts(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 90)
	for _, text := range []string{"exit.take_profit=0.45:0.65:0.05", "exit.take_profit=0.46:0.66:0.05", "entry.0.threshold=0.21,0.22", "bankroll.start=50,100,1000"} {
		axis, err := backtest.ParseSweepAxis(text)
		require.NoError(t, err)
		s := backtesttest.Strategy()
		if strings.HasPrefix(text, "bankroll") {
			s.Size, s.Bankroll = &strategy.Size{BankrollFraction: strategy.Cents(10)}, &strategy.Bankroll{Start: strategy.Int(100)}
		}
		j := &parts.Job{
			Strategy: strategytest.Canonicalize(s), Options: backtest.DefaultOptions(),
			Sweep: &parts.Sweep{Axes: []backtest.SweepAxis{axis}, BlockHours: 3, AlsoTried: 5},
		}
		want, _, err := backtest.RunSweep(t.Context(), src, j.Strategy, j.Sweep.Axes, j.Sweep.With(j.Options), replay.Parallel{}, nil)
		require.NoError(t, err)
		whole, err := backtest.CompactJSON(want)
		require.NoError(t, err)
		for size, work := range sizes {
			_, got := inParts(t, src, j, work)
			again, err := backtest.CompactJSON(got.Sweep)
			require.NoError(t, err)
			require.Equal(t, string(whole), string(again), "%s in chunks of %s", text, size)
		}
	}
}

// changing is an archive whose rounds a test changes.
type changing struct {
	replay.Source
	change func([]market.Round) []market.Round
}

func (c *changing) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	rounds, err := c.Source.Rounds(ctx, f)
	if err == nil && c.change != nil {
		rounds = c.change(slices.Clone(rounds))
	}
	return rounds, err
}

// told is an archive that tells of writes, and counts what is listed.
type told struct {
	changing
	write, listed int64
}

func (a *told) Written(context.Context) (int64, error) { return a.write, nil }

func (a *told) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	a.listed++
	return a.changing.Rounds(ctx, f)
}

// TestRoundsAreKept counts what one process lists for all chunks of a plan: once, be it
// that it drew the plan or was given it, until the archive is written to.
func TestRoundsAreKept(t *testing.T) {
	t.Parallel()
	src := &told{changing: changing{Source: backtesttest.Archive(t, 12)}}
	j := &parts.Job{Strategy: strategytest.Canonicalize(backtesttest.Strategy()), Options: backtest.DefaultOptions()}
	want, err := backtest.Run(t.Context(), src, j.Strategy, j.Options, replay.Parallel{})
	require.NoError(t, err)
	src.listed = 0
	p, a := inParts(t, src, j, 1)
	require.Equal(t, want.Receipt, a.Report.Receipt)
	require.Len(t, p.Ends, 12)
	require.EqualValues(t, 1, src.listed)
	text, err := p.MarshalBinary()
	require.NoError(t, err)
	var given parts.Plan
	require.NoError(t, given.UnmarshalBinary(text))
	for i := range given.Ends {
		_, err := given.Replay(t.Context(), src, j, i, nil, replay.Parallel{})
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, src.listed)
	src.write++
	id := p.Rounds[3].ID
	src.change = func(rounds []market.Round) []market.Round {
		return slices.DeleteFunc(rounds, func(r market.Round) bool { return r.Market.VenueID == id })
	}
	_, err = given.Replay(t.Context(), src, j, 3, nil, replay.Parallel{})
	require.ErrorIs(t, err, parts.ErrChanged)
	_, err = given.Replay(t.Context(), src, j, 2, nil, replay.Parallel{})
	require.NoError(t, err)
}

// TestChangedMarkets names the market that changed or went after the plan was made,
// in its chunk and when the chunks are put together; new markets change nothing.
func TestChangedMarkets(t *testing.T) {
	t.Parallel()
	src := &changing{Source: backtesttest.Archive(t, 12)}
	s := backtesttest.Strategy()
	s.SampleSize = 8
	j := &parts.Job{Strategy: strategytest.Canonicalize(s), Options: backtest.DefaultOptions()}
	newest := func(rounds []market.Round) []market.Round { // there were two rounds fewer
		return slices.DeleteFunc(rounds, func(r market.Round) bool { return r.Market.End > backtesttest.FirstRound+10*15*market.Minute })
	}
	src.change = newest
	p, _, err := parts.Draw(t.Context(), src, j, 1, nil)
	require.NoError(t, err)
	want, err := backtest.Run(t.Context(), src, j.Strategy, j.Options, replay.Parallel{})
	require.NoError(t, err)
	src.change = nil
	var chunks, base [][]byte
	for i := range p.Ends {
		b, err := p.Replay(t.Context(), src, j, i, nil, replay.Parallel{})
		require.NoError(t, err)
		chunks = append(chunks, b)
	}
	first := func(i int) ([]byte, error) { return chunks[i], nil }
	seconds, ok, err := p.Clock(j, first)
	require.NoError(t, err)
	require.True(t, ok)
	for i := range p.Ends {
		b, err := p.Replay(t.Context(), src, j, i, &seconds, replay.Parallel{})
		require.NoError(t, err)
		base = append(base, b)
	}
	second := func(i int) ([]byte, error) { return base[i], nil }
	got, err := p.Merge(t.Context(), src, j, first, &seconds, second, 0)
	require.NoError(t, err)
	require.Equal(t, want.Receipt, got.Report.Receipt)

	id := p.Rounds[3].ID
	for what, change := range map[string]func([]market.Round) []market.Round{
		"has changed since the run was planned": func(rounds []market.Round) []market.Round {
			for i := range rounds {
				if rounds[i].Market.VenueID == id {
					rounds[i].Content[5]++
				}
			}
			return rounds
		},
		"is no longer in the archive": func(rounds []market.Round) []market.Round {
			return slices.DeleteFunc(rounds, func(r market.Round) bool { return r.Market.VenueID == id })
		},
	} {
		src.change = change
		_, err := p.Replay(t.Context(), src, j, 3, nil, replay.Parallel{})
		require.ErrorIs(t, err, parts.ErrChanged)
		require.ErrorContains(t, err, "market "+id+" "+what)
		_, err = p.Replay(t.Context(), src, j, 2, nil, replay.Parallel{})
		require.NoError(t, err, "another chunk")
		_, err = p.Merge(t.Context(), src, j, first, &seconds, second, 0)
		require.ErrorIs(t, err, parts.ErrChanged)
	}
}
