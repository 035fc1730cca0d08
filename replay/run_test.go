package replay_test

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

const oneRound = `
market btc-updown-5m-1776088800 winner=up
1 up book 0.50x10 | 0.52x10
`

func usualCase(t *testing.T) replay.Case {
	t.Helper()
	return replay.Case{Strategy: scenarioStrategy(t, ""), Options: replay.DefaultOptions()}
}

// One worker or many, one case or many in a pass, alone or explained: the same.
func TestOneResultHoweverItIsMade(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := replaytest.NewRandom(seed + 1_000_000)
		archive := r.Archive(12)
		cases := []replay.Case{
			{Strategy: r.Strategy(), Options: r.Options()},
			{Strategy: r.Strategy(), Options: r.Options()},
			{Strategy: r.Strategy(), Options: r.Options()},
		}
		sample, err := replay.Draw(t.Context(), archive, cases[0])
		require.NoError(t, err)
		one, err := sample.Replay(t.Context(), archive, replay.Parallel{Workers: 1}, cases...)
		require.NoError(t, err)
		many, err := sample.Replay(t.Context(), archive, replay.Parallel{Workers: 7}, cases...)
		require.NoError(t, err)
		require.True(t, reflect.DeepEqual(one, many), "seed %d: workers change the result", seed)
		for i, c := range cases {
			alone, err := sample.Replay(t.Context(), archive, replay.Parallel{}, c)
			require.NoError(t, err)
			require.Equal(t, replaytest.Ledger(one[i]), replaytest.Ledger(alone[0]), "seed %d, case %d", seed, i)
			require.True(t, reflect.DeepEqual(one[i], alone[0]), "seed %d, case %d", seed, i)
			for _, m := range alone[0].Markets {
				trace, err := (&replay.Sample{Rounds: []market.Round{m.Round}}).Explain(t.Context(), archive, 0, c)
				require.NoError(t, err)
				require.True(t, reflect.DeepEqual(m, trace.Result), "seed %d, case %d, market %s", seed, i, m.Round.Market.VenueID)
				explains(t, trace)
			}
		}
	}
}

// explains checks that a trace tells the story of its trade.
func explains(t *testing.T, trace *replay.Trace) {
	t.Helper()
	var legs []replay.Leg
	refused := replay.Refusals{}
	for _, o := range trace.Orders {
		switch {
		case o.Leg != nil:
			legs = append(legs, *o.Leg)
		case o.Action == replay.Buy:
			refused[o.Reason]++
		}
	}
	signalled := false
	for _, e := range trace.Evaluations {
		signalled = signalled || e.Holds
	}
	require.Equal(t, trace.Result.Signalled, signalled)
	trade := trace.Result.Trade
	if trade == nil {
		require.Empty(t, legs)
		return
	}
	if last := trade.Legs[len(trade.Legs)-1]; last.Action == replay.Settle {
		legs = append(legs, last)
	}
	require.Equal(t, trade.Legs, legs)
	if noAsk := trace.Result.Refusals[replay.NoLiquidity] - refused[replay.NoLiquidity]; noAsk != 0 {
		require.Equal(t, 1, noAsk, "an entry without an ask counts once")
		refused[replay.NoLiquidity]++
	}
	require.Equal(t, trace.Result.Refusals, refused)
}

func TestBudgetOfACase(t *testing.T) {
	t.Parallel()
	archive := replaytest.MustParse("market btc-updown-5m-1776088800 winner=up\n1 up book | 0.50x10000000")
	c := usualCase(t)
	c.Options.Fees = replay.FeesNone
	sample, err := replay.Draw(t.Context(), archive, c)
	require.NoError(t, err)
	five := c
	budget := 5_000_000 * market.CashOne
	five.Budget = &budget
	r, err := sample.Replay(t.Context(), archive, replay.Parallel{}, c, five)
	require.NoError(t, err)
	require.Equal(t, "200", r[0].Trades[0].Shares.String())
	require.Equal(t, "10000000", r[1].Trades[0].Shares.String())
	require.Equal(t, "100", r[1].Strategy.BudgetPerTrade().String())
}

func TestProgress(t *testing.T) {
	t.Parallel()
	archive := replaytest.NewRandom(3).Archive(20)
	c := usualCase(t)
	sample, err := replay.Draw(t.Context(), archive, c)
	require.NoError(t, err)
	var seen []int
	_, err = sample.Replay(t.Context(), archive, replay.Parallel{Workers: 4, Progress: func(done, total int) {
		require.Equal(t, len(sample.Rounds), total)
		seen = append(seen, done)
	}}, c)
	require.NoError(t, err)
	require.Len(t, seen, len(sample.Rounds)+1)
	for i, n := range seen {
		require.Equal(t, i, n)
	}
}

func TestNothingToReplay(t *testing.T) {
	t.Parallel()
	r, err := replay.Run(t.Context(), &replaytest.Archive{}, usualCase(t), replay.Parallel{})
	require.NoError(t, err)
	require.Empty(t, r.Trades)
	require.Equal(t, replay.Funnel{}, r.Funnel)
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	archive := replaytest.NewRandom(3).Archive(20)
	_, err := replay.Run(ctx, archive, usualCase(t), replay.Parallel{Workers: 1, Progress: func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
}

// faulty is a source that goes wrong.
type faulty struct {
	*replaytest.Archive
	rounds   error
	captures func(m *market.Market, yield func(*market.Capture, error) bool)
}

func (f *faulty) Rounds(ctx context.Context, x market.RoundFilter) ([]market.Round, error) {
	if f.rounds != nil {
		return nil, f.rounds
	}
	return f.Archive.Rounds(ctx, x)
}

func (f *faulty) Captures(_ context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) { f.captures(m, yield) }
}

func TestFaultySources(t *testing.T) {
	t.Parallel()
	disk := errors.New("the disk is on fire")
	start := market.Instant(1776088800) * market.Second
	for name, c := range map[string]struct {
		src  *faulty
		want string
	}{
		"rounds": {&faulty{rounds: disk}, "draw a sample: the disk is on fire"},
		"captures": {&faulty{captures: func(_ *market.Market, yield func(*market.Capture, error) bool) {
			yield(nil, disk)
		}}, "market btc-updown-5m-1776088800: the disk is on fire"},
		"order": {&faulty{captures: func(_ *market.Market, yield func(*market.Capture, error) bool) {
			_ = yield(&market.Capture{Recv: start + 2, Kind: market.KindTick}, nil) &&
				yield(&market.Capture{Recv: start + 1, Kind: market.KindTick}, nil)
		}}, "expected receive order"},
		"token": {&faulty{captures: func(_ *market.Market, yield func(*market.Capture, error) bool) {
			yield(&market.Capture{Recv: start, Token: 2}, nil)
		}}, "token 2: expected one of 2"},
	} {
		c.src.Archive = replaytest.MustParse(oneRound)
		_, err := replay.Run(t.Context(), c.src, usualCase(t), replay.Parallel{})
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestARoundThatIsNotDecided(t *testing.T) {
	t.Parallel()
	archive := replaytest.MustParse("market btc-updown-5m-1776088800\n1 up book | 0.5x1")
	_, err := (&replay.Sample{Rounds: []market.Round{archive.All[0].Round()}}).Explain(t.Context(), archive, 0, usualCase(t))
	require.ErrorContains(t, err, "payout is not known")
}

func TestAScheduleThatCannotBeCharged(t *testing.T) {
	t.Parallel()
	archive := replaytest.MustParse("market btc-updown-5m-1776088800 winner=up fee=0.02/9\n1 up book | 0.5x1")
	_, err := replay.Run(t.Context(), archive, usualCase(t), replay.Parallel{})
	require.ErrorContains(t, err, "fee schedule of rate 0.02, exponent 9")
}
