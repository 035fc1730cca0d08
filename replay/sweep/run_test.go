package sweep_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// swept draws the sample of c, and sweeps over it.
func swept(ctx context.Context, src replay.Source, c replay.Case, g *sweep.Grid, p replay.Parallel) (*sweep.Ledger, error) {
	sample, err := replay.Draw(ctx, src, c)
	if err != nil {
		return nil, err
	}
	return sweep.Run(ctx, src, sample, c, g, p)
}

// simulated returns simulated rounds with their captures in memory.
func simulated(t testing.TB, c simulate.Config) *replaytest.Archive {
	t.Helper()
	sim, err := simulate.New(c)
	require.NoError(t, err)
	a := &replaytest.Archive{}
	for i := range sim.Len() {
		r := sim.Round(i)
		x := &replaytest.Round{Market: r.Market, Gaps: r.Gaps}
		for c := range r.Captures() {
			held := *c
			held.Bids, held.Asks = slices.Clone(c.Bids), slices.Clone(c.Asks)
			x.Captures = append(x.Captures, held)
		}
		a.All = append(a.All, x)
	}
	return a
}

// under buys Up below a price, holds for a target or a stop, else to expiry.
func under(typ string, rounds int) strategy.Canonical {
	return strategytest.Canonicalize(strategy.Strategy{
		Market: strategy.MarketSpec{Coin: strategy.Any, Type: typ}, Side: strategy.Up,
		Entry: []strategy.Condition{
			{Type: strategy.Price, Token: strategy.TokenUp, Comparator: strategy.LT, Threshold: strategy.Cents(40), WithinSeconds: 200},
		},
		Exit:           strategy.Exit{TakeProfit: strategy.Cents(70).Ptr(), StopLoss: strategy.Cents(10).Ptr(), HoldToExpiry: true},
		BudgetPerTrade: strategy.Int(20), SampleSize: rounds,
	})
}

func grid(t testing.TB, s strategy.Canonical, axes ...string) *sweep.Grid {
	t.Helper()
	var parsed []sweep.Axis
	for _, text := range axes {
		parsed = append(parsed, axis(t, text))
	}
	g, err := sweep.NewGrid(s, parsed)
	require.NoError(t, err)
	return g
}

// sameAsAlone replays every variant by itself and compares trade for trade with
// all of them in one pass, and with the ledger.
func sameAsAlone(t *testing.T, src replay.Source, c replay.Case, g *sweep.Grid) {
	t.Helper()
	sample, err := replay.Draw(t.Context(), src, c)
	require.NoError(t, err)
	cases := make([]replay.Case, len(g.Variants))
	for i, v := range g.Variants {
		cases[i] = c
		cases[i].Strategy = v.Strategy
	}
	together, err := sample.Replay(t.Context(), src, replay.Parallel{}, cases...)
	require.NoError(t, err)
	l, err := swept(t.Context(), src, c, g, replay.Parallel{})
	require.NoError(t, err)
	found, err := l.Judge(t.Context(), sweep.Options{Seed: c.Options.Seed}, 2)
	require.NoError(t, err)
	rows := found.ByNumber()
	trades := 0
	for k := range g.Variants {
		alone, err := replay.Run(t.Context(), src, cases[k], replay.Parallel{})
		require.NoError(t, err)
		require.Equal(t, replaytest.Ledger(alone), replaytest.Ledger(together[k]), "variant %v", g.Values(g.Variants[k].Cell))
		require.Equal(t, alone.Trades, together[k].Trades)
		require.Equal(t, alone.Refusals, together[k].Refusals)
		trades += len(alone.Trades)

		pnl, count := make([]int64, len(l.Ends)), make([]uint16, len(l.Ends))
		var sample []stats.Trade
		wins, total := 0, market.Cash(0)
		for _, trade := range alone.Trades {
			end := slices.Index(l.Ends, trade.Market.End)
			pnl[end] += int64(trade.PnL())
			count[end]++
			total += trade.PnL()
			if trade.PnL() > 0 {
				wins++
			}
			sample = append(sample, stats.Trade{Close: trade.Market.End, PnL: trade.PnL()})
		}
		gotPnL, gotCount := l.PnL(k)
		require.Equal(t, pnl, gotPnL)
		require.Equal(t, count, gotCount)
		row := rows[k+1]
		require.Equal(t, len(alone.Trades), row.Trades)
		require.Equal(t, stats.Decimal(total), row.TotalPnL)
		if len(sample) > 0 {
			require.Equal(t, stats.Ratio(int64(wins), int64(len(sample))), *row.WinRate)
		}
		want := stats.Of(sample, c.Options.Seed)
		require.Equal(t, want.MeanPnL, row.MeanPnL)
		require.Equal(t, want.MeanPnLInterval, row.Interval, "the interval of a backtest of the variant alone")
		require.Equal(t, want.Verdict, row.Verdict)
	}
	require.NotZero(t, trades)
}

func TestVariantsAreAsAloneOverSimulatedRounds(t *testing.T) {
	t.Parallel()
	src := simulated(t, simulate.Config{Seed: 3, Markets: 60, Coins: []string{"BTC", "ETH"}, Types: []string{"5m"}, Levels: 8})
	s := under("5m", 60)
	c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
	sameAsAlone(t, src, c, grid(t, s, "entry.0.threshold=0.3:0.5:0.1", "exit.take_profit=0.6:0.9:0.15", "exit.stop_loss=0.05,0.1,0.2"))
	sameAsAlone(t, src, c, grid(t, s, "exit.trailing_stop=0.05:0.25:0.1", "exit.max_hold_seconds=20,120", "budget_per_trade=5,1000"))
	timed := strategytest.Changed(s, func(s *strategy.Strategy) {
		s.Side, s.Entry = strategy.Either, []strategy.Condition{
			{Type: strategy.PriceChange, Token: strategy.TokenSame, Comparator: strategy.GTE, Threshold: strategy.Cents(5), WithinSeconds: 30},
			{Type: strategy.AskDepth, Token: strategy.TokenSame, Comparator: strategy.GTE, Threshold: strategy.Int(10)},
			{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(20)},
		}
		s.Exit = strategy.Exit{TakeProfitOffset: strategy.Cents(10).Ptr(), StopLossOffset: strategy.Cents(10).Ptr(), ExitBeforeSeconds: 20}
	})
	c.Strategy = timed
	sameAsAlone(t, src, c, grid(t, timed, "exit.take_profit_offset=0.05,0.1", "exit.stop_loss_offset=0.05,0.2", "exit.exit_before_seconds=10,60",
		"entry.1.threshold=0.02,0.06", "entry.1.within_seconds=15,60", "entry.2.threshold=5,60"))
}

// pursed is under, of what a bankroll has.
func pursed(rounds int) strategy.Canonical {
	return strategytest.Changed(under("5m", rounds), func(s *strategy.Strategy) {
		s.Size = &strategy.Size{BankrollFraction: strategy.Cents(20)}
		s.Bankroll = &strategy.Bankroll{Start: strategy.Int(100), DailyLoss: strategy.Int(60)}
	})
}

// Each variant has a bankroll of its own, which all its rounds share.
func TestVariantsWithBankrollsAreAsAlone(t *testing.T) {
	t.Parallel()
	src := simulated(t, simulate.Config{Seed: 5, Markets: 60, Coins: []string{"BTC", "ETH"}, Types: []string{"5m"}, Levels: 8, Rate: 0.5})
	s := pursed(60)
	sameAsAlone(t, src, replay.Case{Strategy: s, Options: replay.DefaultOptions()},
		grid(t, s, "exit.take_profit=0.6,0.8", "size.bankroll_fraction=0.05,0.2,0.9", "bankroll.daily_loss=10,60"))
}

// Over random archives too, which hold whatever a book can look like: gaps,
// crossed books, quotes and prices alone, several captures an instant.
func TestVariantsAreAsAloneOverRandomArchives(t *testing.T) {
	t.Parallel()
	traded := 0
	for seed := range uint64(40) {
		src := replaytest.NewRandom(seed + 77).Archive(6)
		random := rand.New(rand.NewPCG(seed, 1))
		m := &src.All[0].Market
		s := strategytest.Canonicalize(strategy.Strategy{
			Market: strategy.MarketSpec{Coin: m.Coin, Type: strategy.Any}, Side: []strategy.Side{strategy.Up, strategy.Down}[random.IntN(2)],
			Entry:          []strategy.Condition{{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(5)}},
			Exit:           strategy.Exit{TakeProfit: strategy.Cents(60).Ptr(), StopLoss: strategy.Cents(20).Ptr(), HoldToExpiry: true},
			BudgetPerTrade: strategy.Int(10), SampleSize: 10,
		})
		c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
		c.Options.LatencyMS = []int64{0, 250, 3000}[random.IntN(3)]
		c.Options.StaleMS = 0
		c.Options.MaxSlippage = replay.NoCap
		sample, err := replay.Draw(t.Context(), src, c)
		require.NoError(t, err)
		g := grid(t, s, "entry.0.threshold=0,3,10", "exit.take_profit=0.4:0.9:0.1", "exit.stop_loss=0.1,0.3", "exit.trailing_stop=0.02,0.1", "exit.max_hold_seconds=1,20,60")
		cases := make([]replay.Case, len(g.Variants))
		for i, v := range g.Variants {
			cases[i] = c
			cases[i].Strategy = v.Strategy
		}
		together, err := sample.Replay(t.Context(), src, replay.Parallel{Workers: 1}, cases...)
		require.NoError(t, err)
		for i := range cases {
			alone, err := sample.Replay(t.Context(), src, replay.Parallel{Workers: 1}, cases[i])
			require.NoError(t, err)
			require.Equal(t, replaytest.Ledger(alone[0]), replaytest.Ledger(together[i]), "seed %d, variant %v", seed, g.Values(g.Variants[i].Cell))
			traded += len(alone[0].Trades)
		}
	}
	require.Greater(t, traded, 1000)
}

func TestVariantsAreAsAloneOverRealRounds(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	files, err := filepath.Glob(filepath.Join(dir, "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	var few []string
	for i := 0; i < len(files); i += 9 {
		few = append(few, files[i])
	}
	opened, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "real.db"))
	require.NoError(t, err)
	a := archive.New(opened)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	_, err = ingest.Run(t.Context(), a, ingest.Options{Paths: few, Markets: []string{filepath.Join(dir, "markets.jsonl")}})
	require.NoError(t, err)
	s := under("5m", 100)
	c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
	c.Options.Winners = replay.WinnersInferred
	sameAsAlone(t, a, c, grid(t, s, "entry.0.threshold=0.25:0.45:0.1", "exit.take_profit=0.55:0.85:0.15", "exit.stop_loss=0.05,0.15"))
}

// Any number of workers and the order in which rounds are done make no difference.
func TestReportIsTheSameOnAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	src := simulated(t, simulate.Config{Seed: 4, Markets: 80, Coins: []string{"BTC", "ETH"}, Types: []string{"5m"}, Levels: 4, Rate: 0.5})
	for name, s := range map[string]strategy.Canonical{"apart": under("5m", 80), "with bankrolls": pursed(80)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameOnAnyNumberOfWorkers(t, src, s)
		})
	}
}

func sameOnAnyNumberOfWorkers(t *testing.T, src replay.Source, s strategy.Canonical) {
	t.Helper()
	g := grid(t, s, "entry.0.threshold=0.3:0.6:0.05", "exit.stop_loss=0.05:0.25:0.05")
	var want *sweep.Report
	for _, workers := range []int{1, 2, 5} {
		last := -1
		l, err := swept(t.Context(), src, replay.Case{Strategy: s, Options: replay.DefaultOptions()}, g, replay.Parallel{
			Workers: workers, Progress: func(done, total int) {
				require.GreaterOrEqual(t, done, last)
				require.Equal(t, 80, total)
				last = done
			},
		})
		require.NoError(t, err)
		require.Equal(t, 80, last)
		got, err := l.Judge(t.Context(), sweep.Options{Seed: 1, Block: market.Hour}, workers)
		require.NoError(t, err)
		if want == nil {
			want = got
		}
		require.Equal(t, fmt.Sprintf("%+v", rowsOf(want)), fmt.Sprintf("%+v", rowsOf(got)))
		require.Equal(t, want.Best.SPA, got.Best.SPA)
		require.Equal(t, want.WalkForward, got.WalkForward)
	}
}

// rowsOf returns what a report says of each variant in words.
func rowsOf(r *sweep.Report) []string {
	var out []string
	for i := range r.Variants {
		v := &r.Variants[i]
		out = append(out, fmt.Sprint(v.Number, v.Trades, v.Ends, v.TotalPnL, v.MeanPnL.String(), v.Verdict, *v.Sharpe))
	}
	return out
}

func TestRunIsInterrupted(t *testing.T) {
	t.Parallel()
	src := simulated(t, simulate.Config{Seed: 4, Markets: 8, Types: []string{"5m"}, Levels: 2, Rate: 0.1})
	s := under("5m", 8)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := swept(ctx, src, replay.Case{Strategy: s, Options: replay.DefaultOptions()}, grid(t, s, "exit.stop_loss=0.05,0.1"), replay.Parallel{
		Workers: 1, Progress: func(done, _ int) {
			if done == 3 {
				cancel()
			}
		},
	})
	require.ErrorIs(t, err, context.Canceled)
}

// The walk-forward written out: for each block the trades of all variants of the
// rounds that were over before the first of the block began, the best Sharpe ratio
// among those with enough, and its trades in the block.
func TestWalkForwardIsTheNaiveOne(t *testing.T) {
	t.Parallel()
	// Rounds of two lengths overlap, so some have to be purged.
	src := simulated(t, simulate.Config{Seed: 12, Markets: 240, Coins: []string{"BTC", "ETH"}, Types: []string{"5m", "15m"}, Levels: 4, Rate: 0.2})
	s := strategytest.Changed(under(strategy.Any, 240), func(s *strategy.Strategy) {
		s.Exit.StopLoss, s.Exit.TakeProfit, s.Entry[0].Comparator = nil, nil, strategy.GT
	})
	c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
	c.Options.Fees = replay.FeesNone
	g := grid(t, s, "entry.0.threshold=0.4:0.8:0.1", "entry.0.within_seconds=60,200")
	l, err := swept(t.Context(), src, c, g, replay.Parallel{})
	require.NoError(t, err)
	const block = 3 * market.Hour
	r, err := l.Judge(t.Context(), sweep.Options{Seed: 1, Block: block}, 1)
	require.NoError(t, err)

	results := make([]*replay.Result, len(g.Variants))
	for k, v := range g.Variants {
		alone := c
		alone.Strategy = v.Strategy
		results[k], err = replay.Run(t.Context(), src, alone, replay.Parallel{})
		require.NoError(t, err)
	}
	var ms []*market.Market
	for i := range results[0].Markets {
		ms = append(ms, results[0].Markets[i].Round.Market)
	}
	slices.SortFunc(ms, func(a, b *market.Market) int { return cmp.Compare(a.End, b.End) })
	var total market.Cash
	trades, purged, at := 0, 0, 0
	for from := ms[0].End / block * block; from <= ms[len(ms)-1].End; from += block {
		begins, rounds := market.Latest, 0
		for _, m := range ms {
			if m.End >= from && m.End < from+block {
				begins = min(begins, m.Start)
				rounds++
			}
		}
		if rounds == 0 {
			continue
		}
		chosen, best := -1, 0.0
		for k := range results {
			byEnd := map[market.Instant]float64{}
			for _, m := range ms {
				if m.End <= begins && m.End < from {
					byEnd[m.End] += 0
				} else if m.End < from {
					purged++
				}
			}
			n, ends := 0, map[market.Instant]bool{}
			for _, trade := range results[k].Trades {
				if trade.Market.End <= begins && trade.Market.End < from {
					byEnd[trade.Market.End] += float64(trade.PnL())
					n++
					ends[trade.Market.End] = true
				}
			}
			if n < 30 || len(ends) < 20 {
				continue
			}
			sum, squares := 0.0, 0.0
			for _, v := range byEnd {
				sum += v
			}
			mean := sum / float64(len(byEnd))
			for _, v := range byEnd {
				squares += (v - mean) * (v - mean)
			}
			if ratio := mean / math.Sqrt(squares/float64(len(byEnd)-1)); ratio > best+1e-12 {
				chosen, best = k, ratio
			}
		}
		b := r.WalkForward.Blocks[at]
		at++
		require.Equal(t, from, b.From)
		if chosen < 0 {
			require.Nil(t, b.Variant)
			continue
		}
		require.Equal(t, chosen+1, *b.Variant, "block %s", from)
		var made market.Cash
		n := 0
		for _, trade := range results[chosen].Trades {
			if trade.Market.End >= from && trade.Market.End < from+block {
				require.GreaterOrEqual(t, trade.Market.Start, begins)
				made += trade.PnL()
				n++
			}
		}
		require.Equal(t, stats.Decimal(made), b.TotalPnL)
		require.Equal(t, n, b.Trades)
		total += made
		trades += n
	}
	require.Len(t, r.WalkForward.Blocks, at)
	require.Equal(t, stats.Decimal(total), r.WalkForward.TotalPnL)
	require.Equal(t, trades, r.WalkForward.Trades)
	require.NotZero(t, trades)
	require.NotZero(t, purged)
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for span, want := range map[market.Span]market.Span{
		0: market.Hour, 7 * market.Hour: market.Hour, 60 * market.Hour: 6 * market.Hour, 10 * market.Day: market.Day,
		11 * market.Day: 2 * market.Day, 100 * market.Day: 10 * market.Day,
	} {
		require.Equal(t, want, sweep.BlockFor(span), "%d hours", span/market.Hour)
	}
}
