package sweep_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// How many fair rounds the sweep plays.
var fairRounds = flag.Int("sweeprounds", 400, "number of simulated fair rounds")

// thousand varies the threshold, how long it counts, the target and the stop: 1,080
// variants of buying Up below a price.
func thousand(t testing.TB, rounds int) (replay.Case, *sweep.Grid) {
	s := strategytest.Changed(under("5m", rounds), func(s *strategy.Strategy) { s.Exit.StopLoss = nil })
	c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
	c.Options.Fees, c.Options.MaxSlippage = replay.FeesNone, replay.NoCap
	return c, grid(t, s, "entry.0.threshold=0.3:0.52:0.02", "entry.0.within_seconds=60,150,290", "exit.take_profit=0.55:0.95:0.1", "exit.stop_loss=0.01:0.26:0.05")
}

// sweepOver sweeps and judges the best; intervals of variants, which decide nothing, are
// not measured.
func sweepOver(t testing.TB, src replay.Source, c replay.Case, g *sweep.Grid) *sweep.Report {
	t.Helper()
	l, err := swept(t.Context(), src, c, g, replay.Parallel{})
	require.NoError(t, err)
	r, err := l.Judge(t.Context(), sweep.Options{Seed: 1}.Measured(drawn), 2)
	require.NoError(t, err)
	return r
}

func describe(r *sweep.Report) string {
	b, w := r.Best, r.WalkForward
	return fmt.Sprintf("%d variants, %d eligible: %s; best %v: mean %v, Sharpe %v (expected %v of %v, scatter of the variants %v), deflated %v, SPA p %v; forward: %d trades, %v",
		len(r.Variants), r.Eligible, r.Verdict, b.Values, b.MeanPnL, b.Sharpe, b.ExpectedMaxSharpe, b.Tries, b.Beside.SharpeSD, b.Probability, b.SPA.P, w.Trades, w.TotalPnL)
}

// TestFairGameHasNoBest: over a martingale quoted around its fair value, a sweep of
// about a thousand variants finds nothing.
func TestFairGameHasNoBest(t *testing.T) {
	t.Parallel()
	src := simulated(t, simulate.Config{Seed: 21, Fair: true, Markets: *fairRounds, Types: []string{"5m"}, Levels: 6, Rate: 0.4})
	c, g := thousand(t, *fairRounds)
	require.Greater(t, len(g.Variants), 1000)
	r := sweepOver(t, src, c, g)
	t.Log(describe(r))
	require.Greater(t, r.Eligible, 900)
	require.Contains(t, []sweep.Verdict{sweep.NoGain, sweep.Luck}, r.Verdict)
	require.NotEqual(t, stats.Positive, r.WalkForward.Verdict)
}

// free returns a game that costs nothing: rounds whose quotes are a ten-thousandth
// around a martingale and fill in full. pays, when not nil, decides who wins from
// what was quoted a minute into the round and how the martingale ended.
func free(t testing.TB, seed uint64, rounds int, pays func(early market.Price, up bool) bool) *replaytest.Archive {
	t.Helper()
	sim, err := simulate.New(simulate.Config{Seed: seed, Fair: true, Markets: rounds, Types: []string{"5m"}, Levels: 1, Rate: 0.4})
	require.NoError(t, err)
	a := &replaytest.Archive{}
	for i := range sim.Len() {
		r := sim.Round(i)
		x := &replaytest.Round{Market: r.Market}
		early := market.Price(5000)
		for at, chance := range r.Values() {
			p := market.Price(min(max(chance/100_000, 1), 9998))
			if at <= r.Market.Start+market.Minute {
				early = p
			}
			x.Captures = append(x.Captures, market.Capture{Kind: market.KindQuote, Recv: at, Exch: at,
				Quote: market.Quote{Bid: market.Level{Price: p}, Ask: market.Level{Price: p + 1}}})
		}
		if pays != nil {
			paid := *r.Market.Payout
			paid.Fractions = []market.Cash{0, market.CashOne}
			if pays(early, r.Market.Payout.Fractions[0] > 0) {
				paid.Fractions = []market.Cash{market.CashOne, 0}
			}
			x.Market.Payout = &paid
		}
		a.All = append(a.All, x)
	}
	return a
}

// TestFreeGameHasNoBest: where nothing costs anything half of the variants make
// money in a sample, and the best of a thousand looks good. It is not believed.
func TestFreeGameHasNoBest(t *testing.T) {
	t.Parallel()
	const games, rounds = 3, 200
	luck, gains := 0, 0
	for seed := range uint64(games) {
		c, g := thousand(t, rounds)
		r := sweepOver(t, free(t, 100+seed, rounds, nil), c, g)
		t.Log(describe(r))
		require.Greater(t, r.Eligible, 900)
		if r.Verdict == sweep.Luck || r.Verdict == sweep.NoGain {
			luck++
		}
		if r.Best.TotalPnL > 0 {
			gains++
		}
		require.NotEqual(t, sweep.Edge, r.Verdict)
	}
	require.Greater(t, gains, games/2, "a game that nobody can lose is no test")
	require.GreaterOrEqual(t, luck, games-1, "of %d: at 5%% each two have a chance of 1 in 138", games)
}

// TestPlantedEdgeIsFound: Up pays more often than its price says where it is cheap a
// minute into the round. The sweep finds it, and where: what it chooses buys there.
func TestPlantedEdgeIsFound(t *testing.T) {
	t.Parallel()
	const rounds = 300
	random := rand.New(rand.NewPCG(1, 2))
	src := free(t, 300, rounds, func(early market.Price, up bool) bool {
		return up || early < 4200 && random.IntN(4) == 0
	})
	s := strategytest.Changed(under("5m", rounds), func(s *strategy.Strategy) {
		s.Exit = strategy.Exit{HoldToExpiry: true}
		s.Entry = append(s.Entry, strategy.Condition{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(60)})
	})
	c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
	c.Options.Fees = replay.FeesNone
	g := grid(t, s, "entry.0.threshold=0.3:0.7:0.02", "entry.0.within_seconds=100:290:30", "entry.1.threshold=0:90:15")
	require.Greater(t, len(g.Variants), 900)
	r := sweepOver(t, src, c, g)
	t.Log(describe(r))
	require.Equal(t, sweep.Edge, r.Verdict)
	require.Equal(t, stats.Positive, r.WalkForward.Verdict)
	require.Less(t, r.Best.SPA.P, stats.One/100)
	require.Greater(t, r.Best.Probability, stats.One*99/100)
	require.Greater(t, r.Best.Neighbours.Positive, r.Best.Neighbours.Count/2)
}
