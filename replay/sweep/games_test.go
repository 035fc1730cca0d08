package sweep_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// game makes what the variants of a sweep earn in rounds of five minutes, without
// captures: prices are a martingale that ends at the payout, seen every ten
// seconds. A variant buys 20 USD of Up at the first price at or below its threshold
// within its window, sells at the first price at or above its target, and is settled
// otherwise.
type game struct {
	// edge is what Up pays a share above its price, in USD, from where that first
	// falls to 0.26 in the first four minutes; without such a moment Up pays four times that
	// less. So some variants have the edge and others have its reverse. The prices do
	// not know.
	edge float64
	// alike is how many rounds end together, with the same prices; ≥ 1.
	alike int
	fees  bool // the venue's: 0.07 · p · (1 − p) a share
}

const (
	steps = 30 // of a round
	early = 24 // steps in which the edge begins
	cheap = 0.26
)

// deal is one trade of a variant.
type deal struct {
	variant   int
	pnl, cost market.Cash
}

// variants are the thresholds, windows (in steps) and targets of a grid that varies
// them in this order.
type variants struct {
	thresholds, targets []float64
	windows             []int
}

func (v *variants) len() int { return len(v.thresholds) * len(v.windows) * len(v.targets) }

// manyVariants are the 220 variants whose planted edge was once called luck.
func manyVariants(t testing.TB) (*sweep.Grid, *variants) {
	return gridOf(t, "entry.0.threshold=0.2,0.22,0.24,0.26,0.4,0.42,0.44,0.46,0.48,0.5,0.52", "entry.0.within_seconds=200:290:30", "exit.take_profit=0.995:0.999:0.001")
}

// fewVariants are 36, for games by the thousand.
func fewVariants(t testing.TB) (*sweep.Grid, *variants) {
	return gridOf(t, "entry.0.threshold=0.2:0.4:0.04", "entry.0.within_seconds=120,240", "exit.take_profit=0.5:0.9:0.2")
}

func gridOf(t testing.TB, threshold, window, target string) (*sweep.Grid, *variants) {
	s := strategytest.Changed(under("5m", 10_000), func(s *strategy.Strategy) { s.Exit.StopLoss = nil })
	g := grid(t, s, threshold, window, target)
	require.Len(t, g.Variants, len(g.Cells))
	v := &variants{}
	for _, n := range g.Axes[0].Values {
		v.thresholds = append(v.thresholds, number(n))
	}
	for _, n := range g.Axes[1].Values {
		v.windows = append(v.windows, int(number(n))*steps/300)
	}
	for _, n := range g.Axes[2].Values {
		v.targets = append(v.targets, number(n))
	}
	return g, v
}

func number(n strategy.Number) float64 { return float64(n) / float64(strategy.One) }

// play makes one round's trades.
func (g game) play(random *rand.Rand, v *variants, add func(deal)) {
	var path [steps]float64
	x, dt := 0.0, 1.0/steps
	for i := range path {
		path[i] = phi(x / math.Sqrt(1-float64(i)*dt))
		x += random.NormFloat64() * math.Sqrt(dt)
	}
	up := x > 0
	at := 0
	for at < early && path[at] > cheap {
		at++
	}
	switch p := path[at]; { // the chance to win is p + edge, or p − 4 · edge
	case g.edge == 0:
	case p <= cheap:
		up = up || random.Float64() < g.edge/(1-p)
	default:
		up = up && random.Float64() >= 4*g.edge/p
	}
	for a, threshold := range v.thresholds {
		at := 0
		for at < steps && path[at] > threshold {
			at++
		}
		if at == steps {
			continue
		}
		for c, target := range v.targets {
			got, ends := 0.0, at+1
			for ends < steps && path[ends] < target {
				ends++
			}
			switch {
			case ends < steps:
				got = path[ends]
			case up:
				got = 1
			}
			bought := path[at]
			fee := 0.0
			if g.fees {
				fee = 0.07 * bought * (1 - bought)
				if ends < steps {
					fee += 0.07 * got * (1 - got)
				}
			}
			pnl := market.Cash(1e6 * 20 / bought * (got - bought - fee))
			for b, window := range v.windows {
				if at <= window {
					add(deal{(a*len(v.windows)+b)*len(v.targets) + c, pnl, 20 * market.CashOne})
				}
			}
		}
	}
}

func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// ledger plays a game over so many ends of rounds.
func (g game) ledger(t testing.TB, seed uint64, ends int, on *sweep.Grid, v *variants) *sweep.Ledger {
	t.Helper()
	s := &replay.Sample{}
	for end := range ends {
		for range g.alike {
			m := &market.Market{Start: market.Instant(end) * 5 * market.Minute, End: market.Instant(end+1) * 5 * market.Minute}
			s.Rounds = append(s.Rounds, market.Round{Market: m})
		}
	}
	l, err := sweep.NewLedger(s, on)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(seed, 77))
	for end := range ends {
		g.play(random, v, func(d deal) {
			for k := range g.alike {
				l.Book(end*g.alike+k, d.variant, d.pnl, d.cost)
			}
		})
	}
	return l
}

// hourly returns an empty ledger over rounds of an hour, of which one ends every five
// minutes from the end of the first hour on, exactly on the boundaries of hours too.
func hourly(t testing.TB, rounds int, on *sweep.Grid) *sweep.Ledger {
	t.Helper()
	s := &replay.Sample{}
	for i := range rounds {
		end := market.Hour + market.Instant(i)*5*market.Minute
		s.Rounds = append(s.Rounds, market.Round{Market: &market.Market{Start: end - market.Hour, End: end}})
	}
	l, err := sweep.NewLedger(s, on)
	require.NoError(t, err)
	return l
}
