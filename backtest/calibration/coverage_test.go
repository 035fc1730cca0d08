package calibration_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest/calibration"
	"github.com/ladderback/ladderback/market"
)

var games = flag.Int("games", 120, "how many simulated markets TestCoverage looks at, of each kind")

// world is a market of which it is known how often tokens at each price come true.
type world struct {
	rounds, coins int
	together      float64 // correlation of the coins' moves
	// quote is what the market says of a chance; nil: the chance.
	quote func(chance float64) float64
}

// truth is the chance behind each observation.
func (w world) draw(seed uint64) (obs []calibration.Observation, truth []float64) {
	const times = 5
	r := rand.New(rand.NewPCG(seed, 0x63616c69))
	for i := range w.rounds {
		at := make([]float64, w.coins) // moves until now, of a whole of variance 1
		first := len(obs)
		for t := range times + 1 {
			before, now := 0.0, 1.0
			if t > 0 {
				before = float64(2*t-1) / (2 * times)
			}
			if t < times {
				now = float64(2*t+1) / (2 * times)
			}
			common := r.NormFloat64()
			for c := range at {
				step := math.Sqrt(w.together)*common + math.Sqrt(1-w.together)*r.NormFloat64()
				at[c] += step * math.Sqrt(now-before)
				if t == times {
					continue
				}
				chance := math.Erfc(-at[c]/math.Sqrt(1-now)/math.Sqrt2) / 2
				price := chance
				if w.quote != nil {
					price = w.quote(chance)
				}
				obs = append(obs, calibration.Observation{
					End: market.Instant(i+1) * 15 * market.Minute, Time: t,
					Price: market.Mid(math.Round(price*200)) * market.MidOne / 200,
				})
				truth = append(truth, chance)
			}
		}
		for k := first; k < len(obs); k++ {
			if at[(k-first)%w.coins] > 0 {
				obs[k].Paid = market.CashOne
			}
		}
	}
	return obs, truth
}

// coverage counts the bands with the truth in them.
type coverage struct{ held, bands int }

func (c *coverage) share() float64 { return float64(c.held) / float64(c.bands) }

func (c *coverage) count(cells []calibration.Cell, obs []calibration.Observation, truth []float64, is func(o calibration.Observation) bool) {
	sums, ns := make([]float64, len(cells)), make([]int, len(cells))
	for i, o := range obs {
		if is(o) {
			b := min(int(o.Price.Float()*float64(len(cells))+1e-9), len(cells)-1)
			sums[b] += truth[i]
			ns[b]++
		}
	}
	for b, cell := range cells {
		if cell.Band == nil {
			continue
		}
		c.bands++
		if v := sums[b] / float64(ns[b]); v >= cell.Band[0].Float() && v <= cell.Band[1].Float() {
			c.held++
		}
	}
}

// shy is a market that prices favourites too low and long shots too high.
func shy(chance float64) float64 { return 0.5 + 0.8*(chance-0.5) }

// TestCoverage: of 95 % bands 95 % have the truth in them, whether the market is right or
// wrong, and although coins whose rounds end together move together.
func TestCoverage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		world
	}{
		{"200 rounds, right", world{200, 1, 0, nil}},
		{"1,000 rounds, right", world{1000, 1, 0, nil}},
		{"1,000 rounds, shy", world{1000, 1, 0, shy}},
		{"200 rounds of three coins, right", world{200, 3, 0.7, nil}},
		{"500 rounds of three coins, shy", world{500, 3, 0.7, shy}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var cells, prices coverage
			wrong := 0
			for seed := range uint64(*games) {
				obs, truth := c.draw(seed)
				f := calibration.Of(obs, 15*market.Minute, 5, 5)
				for k, time := range f.Times {
					cells.count(time.Cells, obs, truth, func(o calibration.Observation) bool { return o.Time == k })
				}
				prices.count(f.Prices, obs, truth, func(calibration.Observation) bool { return true })
				if f.Verdict == calibration.Off {
					wrong++
				}
			}
			verdicts := float64(wrong) / float64(*games)
			t.Logf("%5d bands: %.2f%% hold the truth; of all times together %.2f%%; %.1f%% of markets are called off", cells.bands, 100*cells.share(), 100*prices.share(), 100*verdicts)
			sd := func(n int) float64 { return 3 * math.Sqrt(0.05*0.95/float64(n)) }
			// Cells of one market share rounds: allow for half as many.
			require.InDelta(t, 0.95, cells.share(), 0.01+sd(cells.bands/2))
			require.InDelta(t, 0.95, prices.share(), 0.01+sd(prices.bands/2))
			if c.quote == nil {
				require.LessOrEqual(t, verdicts, 0.05+sd(*games))
			} else {
				require.Greater(t, verdicts, 0.95)
			}
		})
	}
}

// TestIgnoringTogether: bands that took rounds which end together for independent would be
// too narrow; the test above would not hold them.
func TestIgnoringTogether(t *testing.T) {
	t.Parallel()
	var cells coverage
	for seed := range uint64(60) {
		obs, truth := world{300, 3, 0.7, nil}.draw(seed)
		apart := slices.Clone(obs)
		for i := range apart {
			apart[i].End += market.Instant(i) // none ends with another
		}
		f := calibration.Of(apart, 15*market.Minute, 5, 5)
		for k, time := range f.Times {
			cells.count(time.Cells, obs, truth, func(o calibration.Observation) bool { return o.Time == k })
		}
	}
	require.Less(t, cells.share(), 0.93)
}
