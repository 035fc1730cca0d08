package backtest_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/csv"
	"github.com/ladderback/ladderback/report/words"
)

// TestAfterTheFill holds markouts and excursions to a naive walk through what the round
// showed, and sees that nothing else of the report changes.
func TestAfterTheFill(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 40)
	s := strategytest.Canonicalize(backtesttest.Strategy())
	o := backtest.DefaultOptions()
	plain, err := backtest.Run(t.Context(), src, s, o, replay.Parallel{})
	require.NoError(t, err)
	require.Nil(t, plain.After)
	o.Include = []backtest.Include{backtest.IncludeAfter}
	r, err := backtest.Run(t.Context(), src, s, o, replay.Parallel{})
	require.NoError(t, err)
	require.Equal(t, plain.Trades, r.Trades)
	require.Equal(t, plain.Stats, r.Stats)
	require.NotEmpty(t, r.Trades)
	require.Len(t, r.After.Trades, len(r.Trades))

	c := replay.Case{Strategy: s, Options: o.Options}
	sample, err := replay.Draw(t.Context(), src, c)
	require.NoError(t, err)
	known := 0
	require.NoError(t, sample.Follow(t.Context(), src, replay.Parallel{Workers: 1}, nil, func(round int, x *replay.Series) error {
		m := sample.Rounds[round].Market
		k := slices.IndexFunc(r.Trades, func(one backtest.Trade) bool { return one.MarketID == m.VenueID })
		if k < 0 {
			return nil
		}
		trade, got := &r.Trades[k], r.After.Trades[k]
		token := slices.IndexFunc(m.Tokens, func(one market.Token) bool { return one.VenueID == trade.TokenID })
		usd := func(at market.Instant) *stats.Decimal {
			if at >= m.End || x.Mid(token, at) == market.NoMid {
				return nil
			}
			return new(stats.Decimal(x.Mid(token, at))*50 - trade.EntryPrice)
		}
		require.Equal(t, usd(trade.EntryTime+market.Second), got.Markout1s)
		require.Equal(t, usd(trade.EntryTime+5*market.Second), got.Markout5s)
		require.Equal(t, usd(trade.EntryTime+30*market.Second), got.Markout30s)
		require.Equal(t, stats.Decimal(m.Payout.Fractions[token])-trade.EntryPrice, *got.MarkoutSettlement)
		low, high := stats.Decimal(0), stats.Decimal(0)
		for at := trade.EntryTime; at <= trade.ExitTime && at < m.End; at += market.Millisecond {
			if d := usd(at); d != nil {
				low, high = min(low, *d), max(high, *d)
			}
			known++
		}
		require.Equal(t, low, *got.MAE)
		require.Equal(t, high, *got.MFE)
		return nil
	}))
	require.Positive(t, known)
	var mean stats.Decimal
	for i := range r.After.Trades {
		mean += *r.After.Trades[i].MarkoutSettlement
	}
	last := r.After.Markouts[3]
	require.Equal(t, "settlement", last.After)
	require.Equal(t, len(r.Trades), last.Trades)
	require.Equal(t, stats.Mean(int64(mean), len(r.Trades)), *last.Mean)
	require.LessOrEqual(t, r.After.Drawdown.Median, r.After.Drawdown.Percent)

	var table strings.Builder
	require.NoError(t, csv.Write(&table, r))
	head, _, _ := strings.Cut(table.String(), "\n")
	require.True(t, strings.HasSuffix(head, ",coverage,markout_1s,markout_5s,markout_30s,markout_settlement,mae,mfe"), head)
	require.Contains(t, strings.Join(words.After(r), "\n"), "At settlement the price was")
	require.Empty(t, words.After(plain))
}

// broken is an archive whose captures cannot be read.
type broken struct{ replay.Source }

func (broken) Captures(context.Context, *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) { yield(nil, errors.New("a broken block")) }
}

// TestTriesAreCountedBeforeTheyAreMade: what crashes, or fails, has been counted by then.
func TestTriesAreCountedBeforeTheyAreMade(t *testing.T) {
	t.Parallel()
	src := broken{backtesttest.Archive(t, 4)}
	s := strategytest.Canonicalize(backtesttest.Strategy())
	counted := 0
	count := func(_ context.Context, l *backtest.Looked) (backtest.Tally, error) {
		require.NotEmpty(t, l.Rounds)
		counted++
		return backtest.Tally{Look: counted}, nil
	}
	_, tally, err := backtest.RunCounted(t.Context(), src, s, backtest.DefaultOptions(), replay.Parallel{}, count)
	require.ErrorContains(t, err, "a broken block")
	require.Equal(t, 1, tally.Look)
	axis, err := backtest.ParseSweepAxis("exit.take_profit=0.5:0.6:0.05")
	require.NoError(t, err)
	_, tally, err = backtest.RunSweep(t.Context(), src, s, []backtest.SweepAxis{axis}, backtest.SweepOptions{Options: replay.DefaultOptions()}, replay.Parallel{}, count)
	require.ErrorContains(t, err, "a broken block")
	require.Equal(t, 2, tally.Look)
}
