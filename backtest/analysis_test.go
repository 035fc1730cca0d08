package backtest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

func decimal(t *testing.T, s string) *stats.Decimal {
	t.Helper()
	v, err := market.ParseDecimal(s, 6)
	require.NoError(t, err)
	return new(stats.Decimal(v))
}

// Three trades of 150 shares at 51.5 + 2.34567 = 53.84567 USD each: one sold at 55
// cents for 82.5 − 1.11111, two settled at nothing and at 1 USD a share.
func TestAnalysisByHand(t *testing.T) {
	t.Parallel()
	rounds := []market.Round{backtesttest.Round(0, false), backtesttest.Round(1, false), backtesttest.Round(2, true)}
	trades := []*replay.Trade{backtesttest.Trade(rounds[0], 55), backtesttest.Trade(rounds[1]), backtesttest.Trade(rounds[2])}
	// The third is bought while the second is held.
	trades[2].EntryTime = trades[1].EntryTime + market.Second
	a := backtesttest.Build(t, backtesttest.ResultOf(rounds, trades)).Analysis
	require.Equal(t, rounds[0].Market.Start, *a.FirstRound)
	require.Equal(t, rounds[2].Market.End, *a.LastRound)
	require.Equal(t, *decimal(t, "161.53701"), a.Staked)
	// 27.54322 − 53.84567 + 96.15433 = 69.85188.
	require.Equal(t, decimal(t, "0.43242"), a.ReturnOnStake)
	require.Equal(t, decimal(t, "61.848775"), a.AvgWin)
	require.Equal(t, decimal(t, "-53.84567"), a.AvgLoss)
	require.Equal(t, decimal(t, "1.14863"), a.Payoff)
	// 161.53701 ÷ 450 shares.
	require.Equal(t, decimal(t, "0.358971"), a.BreakEvenWinRate)
	require.Equal(t, *decimal(t, "107.69134"), a.MaxAtRisk)
	require.Equal(t, 2, a.MaxOpen)
	require.Equal(t, 3, a.BestTrade)
	require.Equal(t, 2, a.WorstTrade)
	require.Equal(t, []backtest.Time{rounds[0].Market.End, rounds[1].Market.End, rounds[2].Market.End}, a.RoundEnds)
	require.Equal(t, []backtest.Group{
		{Key: "take_profit", Trades: 1, WinRate: stats.One, TotalPnL: 27_543_220, MeanPnL: 27_543_220, ReturnOnStake: decimal(t, "0.511522")},
		{Key: "expiry", Trades: 2, WinRate: stats.One / 2, TotalPnL: 42_308_660, MeanPnL: 21_154_330, ReturnOnStake: decimal(t, "0.39287")},
	}, a.ByExit)
	require.Len(t, a.ByCoin, 1)
	require.Equal(t, "0.3", a.ByEntryPrice[0].Key)
	require.Equal(t, 3, a.ByHour[0].Trades)
	require.Equal(t, "14", a.ByHour[0].Key)
}

func TestAnalysisWithoutTrades(t *testing.T) {
	t.Parallel()
	a := backtesttest.Build(t, backtesttest.Result(0)).Analysis
	require.Nil(t, a.FirstRound)
	require.Nil(t, a.ReturnOnStake)
	require.Nil(t, a.BreakEvenWinRate)
	require.Zero(t, a.BestTrade)
	require.NotNil(t, a.ByExit)
	require.NotNil(t, a.BaselineCurve)
}

// A report says what the archive has when there was nothing to replay, and only
// then.
func TestNothingFoundIsExplained(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 4)
	src.All[1].Market.Payout.Basis = market.Inferred
	require.Empty(t, backtesttest.Run(t, src, backtesttest.Strategy(), backtest.DefaultOptions()).Available)
	s := backtesttest.Strategy()
	s.Market.Coin = "XRP"
	r := backtesttest.Run(t, src, s, backtest.DefaultOptions())
	require.Equal(t, []backtest.Holding{{
		Coin: "BTC", Type: "15m", First: backtesttest.FirstRound + 15*market.Minute, Last: backtesttest.FirstRound + 60*market.Minute,
		Rounds: 3, Inferred: 1,
	}}, r.Available)
	require.NotContains(t, codes(r), backtest.NoExit)
}

// holder is a source that knows what it has, and is not to be asked for all rounds.
type holder struct {
	replaytest.Topped
	t *testing.T
}

func (h holder) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	require.NotEqual(h.t, market.RoundFilter{}, f, "all rounds")
	return h.Archive.Rounds(ctx, f)
}

func (h holder) Holdings(context.Context) ([]market.Holding, error) {
	return []market.Holding{{Coin: "ETH", Type: "5m", Rounds: 1}}, nil
}

// TestNothingFoundListsNothing: a source that knows what it has says so, also of a run
// with a baseline, for which rounds are prepared.
func TestNothingFoundListsNothing(t *testing.T) {
	t.Parallel()
	s := backtesttest.Strategy()
	s.Market.Coin = "XRP"
	o := backtest.DefaultOptions()
	o.Baseline = true
	r := backtesttest.Run(t, holder{replaytest.Topped{Archive: backtesttest.Archive(t, 4)}, t}, s, o)
	require.Len(t, r.Available, 1)
	require.Equal(t, "ETH", r.Available[0].Coin)
}

// Rounds that only winners: inferred would replay are named.
func TestInferredRoundsAreOffered(t *testing.T) {
	t.Parallel()
	res := backtesttest.Quiet()
	res.Inferred = 62
	r := backtesttest.Build(t, res)
	require.Equal(t, []backtest.Code{backtest.Defaults}, codes(r))
	require.Contains(t, message(r, backtest.Defaults), "62 more rounds have an inferred payout: --winners inferred")
}

func TestEntriesUnderTheStop(t *testing.T) {
	t.Parallel()
	res := backtesttest.Quiet()
	changed(res, func(s *strategy.Strategy) { s.Entry, s.Exit.StopLoss = nil, strategy.Cents(35).Ptr() }) // bought at 0.3433
	r := backtesttest.Build(t, res)
	require.Equal(t, []backtest.Code{backtest.EntryUnderStop}, codes(r))
	require.Contains(t, message(r, backtest.EntryUnderStop), "40 of the 40 trades were bought at or below the stop of 0.35 USD")
}

// Trades of poorly recorded rounds are marked, others are not.
func TestTradesArePoorlyRecorded(t *testing.T) {
	t.Parallel()
	res := backtesttest.Quiet()
	res.Markets[0].Round.Coverage, res.Markets[1].Round.Coverage = 899_999, 900_000
	n := 0
	for _, tr := range backtesttest.Build(t, res).Trades {
		if tr.Coverage != nil {
			n++
			require.Equal(t, decimal(t, "0.899999"), tr.Coverage)
		}
	}
	require.Equal(t, 1, n)
}
