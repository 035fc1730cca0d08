package calibration_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/backtest/calibration"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

func cents(c float64) market.Mid { return market.Mid(math.Round(c * float64(market.MidOne) / 100)) }

// priced makes rounds of which so many come true, each with an end of its own.
func priced(price market.Mid, n, up int) []calibration.Observation {
	out := make([]calibration.Observation, n)
	for i := range out {
		out[i] = calibration.Observation{End: market.Instant(i+1) * market.Minute, Price: price}
		if i < up {
			out[i].Paid = market.CashOne
		}
	}
	return out
}

// TestBandsOfBinomials are examples of R. G. Newcombe, "Two-sided confidence intervals for
// the single proportion: comparison of seven methods", Statistics in Medicine 17, 1998,
// table I, method 3: rounds of one price, none of which end together.
func TestBandsOfBinomials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		up, n     int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}} {
		f := calibration.Of(priced(cents(25), c.n, c.up), 5*market.Minute, 5, 1)
		band := f.Times[0].Cells[1].Band
		require.InDelta(t, c.low, band[0].Float(), 5e-5)
		require.InDelta(t, c.high, band[1].Float(), 5e-5)
	}
}

// TestScores: four rounds by hand. At 0.1 and 0.2 one of two comes true, at 0.9 and 0.9 both
// do. Brier: (0.81 + 0.04 + 0.01 + 0.01) ÷ 4.
func TestScores(t *testing.T) {
	t.Parallel()
	obs := append(priced(cents(10), 1, 1), priced(cents(20), 1, 0)...)
	obs = append(obs, priced(cents(90), 2, 2)...)
	s := calibration.Of(obs, market.Hour, 2, 1).Scores
	near := func(want float64, got *stats.Decimal) { t.Helper(); require.InDelta(t, want, got.Float(), 1e-6) }
	near(0.2175, s.Brier)
	near(-(math.Log(0.1)+math.Log(0.8)+2*math.Log(0.9))/4, s.Log)
	near((0.35*0.35+0.1*0.1)/2, s.Reliability) // 0.15 against 0.5, and 0.9 against 1
	near((0.25*0.25+0.25*0.25)/2, s.Resolution)
	near(0.75*0.25, s.Uncertainty)
	near(0.2175-(0.06625-0.0625+0.1875), s.Within)
	require.Equal(t, 4, s.N)
}

// TestLogKeepsAwayFromCertainty: a price of 0 for what comes true costs what 0.001 does.
func TestLogKeepsAwayFromCertainty(t *testing.T) {
	t.Parallel()
	s := calibration.Of(priced(0, 1, 1), market.Hour, 1, 1).Scores
	require.InDelta(t, -math.Log(0.001), s.Log.Float(), 1e-6)
	require.InDelta(t, 1, s.Brier.Float(), 0)
}

// TestParts: the parts of a Brier score add up to it, and every observation is in one cell
// of its time, whatever the bands.
func TestParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		times, bands := rapid.IntRange(1, 6).Draw(t, "times"), rapid.IntRange(1, 12).Draw(t, "bands")
		obs := make([]calibration.Observation, rapid.IntRange(1, 400).Draw(t, "n"))
		for i := range obs {
			obs[i] = calibration.Observation{
				End: market.Instant(r.IntN(50)) * market.Minute, Time: r.IntN(times),
				Price: market.Mid(r.IntN(int(market.MidOne) + 1)), Paid: market.Cash(r.IntN(3)) * market.CashOne / 2,
			}
		}
		f := calibration.Of(obs, market.Hour, bands, times)
		n := 0
		for _, time := range f.Times {
			one := 0
			for b, c := range time.Cells {
				one += c.N
				require.Less(t, c.From, c.To)
				if c.Price != nil {
					require.GreaterOrEqual(t, *c.Price, c.From)
					require.LessOrEqual(t, *c.Price, c.To)
				}
				if c.Band != nil {
					require.LessOrEqual(t, c.Band[0], *c.Paid, "cell %d", b)
					require.GreaterOrEqual(t, c.Band[1], *c.Paid)
					require.GreaterOrEqual(t, c.N, stats.MinTrades)
					require.GreaterOrEqual(t, c.Ends, stats.MinEnds)
					require.Equal(t, *c.Price < c.Band[0] || *c.Price > c.Band[1], c.Off)
				}
			}
			require.Equal(t, one, time.Scores.N)
			n += one
		}
		require.Equal(t, len(obs), n)
		require.Equal(t, n, f.Observations)
		require.LessOrEqual(t, f.Sure, f.Off)
		s := f.Scores
		require.InDelta(t, s.Brier.Float(), s.Reliability.Float()-s.Resolution.Float()+s.Uncertainty.Float()+s.Within.Float(), 3e-6)
		brier := 0.0
		for _, o := range obs {
			brier += math.Pow(o.Price.Float()-float64(o.Paid)/1e6, 2)
		}
		require.InDelta(t, brier/float64(len(obs)), s.Brier.Float(), 1e-6)
		if bands == 1 {
			require.InDelta(t, 0, s.Resolution.Float(), 0)
		}
	})
}

// TestTimes: looks are taken in the middle of equal parts, and the last is not at the end.
func TestTimes(t *testing.T) {
	t.Parallel()
	m := &market.Market{Start: market.Hour, End: 2 * market.Hour}
	require.Equal(t, []market.Instant{66 * market.Minute, 78 * market.Minute, 90 * market.Minute, 102 * market.Minute, 114 * market.Minute}, calibration.At(m, 5))
	f := calibration.Of(nil, market.Hour, 5, 5)
	require.Equal(t, "0.9 3240", f.Times[0].Left.String()+" "+f.Times[0].SecondsLeft.String())
	require.Equal(t, "0.1 360", f.Times[4].Left.String()+" "+f.Times[4].SecondsLeft.String())
	require.Equal(t, calibration.NotEnough, f.Verdict)
	require.Nil(t, f.Scores.Brier)
	require.Nil(t, f.Times[0].Cells[0].Price)
}

// TestSureAllowsForLooking: a cell that is off by itself is not surely so among many.
func TestSureAllowsForLooking(t *testing.T) {
	t.Parallel()
	alone := calibration.Of(priced(cents(50), 100, 62), market.Hour, 5, 1) // 2.4 standard errors
	require.Equal(t, [3]int{1, 1, 1}, [3]int{alone.Judged, alone.Off, alone.Sure})
	require.Equal(t, calibration.Off, alone.Verdict)
	obs := priced(cents(50), 100, 62)
	for k := 1; k < 5; k++ {
		for _, o := range priced(cents(50), 100, 50) {
			o.Time = k
			obs = append(obs, o)
		}
	}
	among := calibration.Of(obs, market.Hour, 5, 5)
	require.Equal(t, [3]int{5, 1, 0}, [3]int{among.Judged, among.Off, among.Sure})
	require.Equal(t, calibration.Calibrated, among.Verdict)
}
