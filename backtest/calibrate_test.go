package backtest_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

func calibrated(t testing.TB, src replay.Source, workers int, change func(o *backtest.CalibrationOptions)) *backtest.Calibration {
	t.Helper()
	o := backtest.DefaultCalibrationOptions()
	o.Coin, o.Type = "BTC", "5m"
	if change != nil {
		change(&o)
	}
	c, err := backtest.Calibrate(t.Context(), src, o, replay.Parallel{Workers: workers})
	require.NoError(t, err)
	return c
}

func calibrationJSON(t testing.TB, c *backtest.Calibration) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, c.WriteJSON(&b))
	return b.String()
}

// Five rounds by hand. Looks are at 30, 90, 150, 210 and 270 s.
const fiveRounds = `
market btc-updown-5m-1776088800 winner=up
1   up book 0.60x10 | 0.64x10
100 up book 0.70x10 | 0.74x10
160 up book 0.70x10 | 0.74x10
200 up book 0.70x10 | 0.74x10
260 up book 0.94x10 | 0.98x10

market btc-updown-5m-1776089100 winner=down # nothing before 40 s, a gap, and silence
gap up 85 95
40  up book 0.30x10 | 0.34x10
140 up change 0.31x5 |

market btc-updown-5m-1776089400 winner=up basis=inferred
1  up price 0.55

market btc-updown-5m-1776089700 payout=0.5/0.5 # prices alone never are stale
1  up price 0.45

market btc-updown-5m-1776090000 # undecided
1  up price 0.45
`

func TestCalibrate(t *testing.T) {
	t.Parallel()
	a := replaytest.MustParse(fiveRounds)
	c := calibrated(t, a, 0, nil)
	require.Equal(t, [4]int{5, 3, 3, 3}, [4]int{c.Universe, c.Resolved, c.Captured, c.Sampled})
	// Of the second round the looks at 30 (nothing yet), 90 (gap), 210 and 270 s (70 s and
	// more behind the last capture); of the first those at 90 and 150 s.
	require.Equal(t, backtest.LeftOut{NoPrice: 1, Gap: 1, Stale: 4}, c.LeftOut)
	require.Equal(t, 9, c.Observations)
	require.Equal(t, 3, c.Ends)
	cell := func(time, band int) (n int, price, paid string) {
		got := c.Times[time].Cells[band]
		if got.N == 0 {
			return 0, "", ""
		}
		return got.N, got.Price.String(), got.Paid.String()
	}
	is := func(n int, price, paid string, time, band int) {
		t.Helper()
		a, b, d := cell(time, band)
		require.Equal(t, []any{n, price, paid}, []any{a, b, d})
	}
	is(1, "0.62", "1", 0, 3)
	is(1, "0.45", "0.5", 0, 2)
	is(0, "", "", 1, 3) // stale
	is(1, "0.325", "0", 2, 1)
	is(1, "0.72", "1", 3, 3)
	is(1, "0.96", "1", 4, 4)
	require.Equal(t, "270", c.Times[0].SecondsLeft.String())
	require.Equal(t, 6, calibrated(t, a, 0, func(o *backtest.CalibrationOptions) { o.Winners = replay.WinnersInferred }).Times[0].Scores.N+
		calibrated(t, a, 0, func(o *backtest.CalibrationOptions) { o.Winners = replay.WinnersInferred }).Times[4].Scores.N)
	require.Contains(t, calibrationJSON(t, calibrated(t, a, 0, func(o *backtest.CalibrationOptions) { o.Winners = replay.WinnersInferred })), `"inferred_winners"`)
	one := calibrated(t, a, 0, func(o *backtest.CalibrationOptions) { o.Last = 1 })
	require.Equal(t, 5, one.Observations, "the newest that is decided")
	require.Equal(t, "1h", calibrated(t, a, 0, func(o *backtest.CalibrationOptions) { o.Type = "60m" }).Options.Type, "a length in its usual form")
	none := calibrated(t, a, 0, func(o *backtest.CalibrationOptions) { o.Coin = "ETH" })
	require.Equal(t, "BTC", none.Available[0].Coin)
	require.Equal(t, backtest.CalibrationNotEnough, none.Verdict)
}

// TestCalibrateIsTheSame: on any number of workers, and by tops as by all captures.
func TestCalibrateIsTheSame(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		a := replaytest.NewRandom(seed + 77).Archive(30)
		all := func(o *backtest.CalibrationOptions) {
			o.Coin, o.Winners, o.Times = strategy.Any, replay.WinnersInferred, 7
		}
		want := calibrationJSON(t, calibrated(t, a, 1, all))
		require.Equal(t, want, calibrationJSON(t, calibrated(t, a, 3, all)))
		require.Equal(t, want, calibrationJSON(t, calibrated(t, replaytest.Topped{Archive: a}, 2, all)))
	}
}

// TestCalibrateSeesNothingLater: what was captured behind a look changes nothing of it. A
// calibration that peeked at the last price of a round would be nearly perfect.
func TestCalibrateSeesNothingLater(t *testing.T) {
	t.Parallel()
	whole := replaytest.NewRandom(5).Archive(40)
	cut := &replaytest.Archive{}
	for _, r := range whole.All {
		own := *r
		last := own.Market.Start + (own.Market.End-own.Market.Start)*5/10 // the third of five looks
		own.Captures = slices.DeleteFunc(slices.Clone(r.Captures), func(c market.Capture) bool { return c.Recv > last })
		if len(own.Captures) > 0 && own.Captures[len(own.Captures)-1].Recv >= own.Market.Start || !r.Round().Captured {
			cut.All = append(cut.All, &own)
			continue
		}
		own.Captures = r.Captures // else it would be another sample
		cut.All = append(cut.All, &own)
	}
	o := func(o *backtest.CalibrationOptions) { o.Coin, o.Winners = strategy.Any, replay.WinnersInferred }
	a, b := calibrated(t, whole, 0, o), calibrated(t, cut, 0, o)
	require.Equal(t, a.Sampled, b.Sampled)
	require.Equal(t, a.Times[:3], b.Times[:3])
	require.NotEqual(t, a.Times[3:], b.Times[3:])
}

func TestCalibrationOptions(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(o *backtest.CalibrationOptions){
		"coin: DOGECOIN: expected":  func(o *backtest.CalibrationOptions) { o.Coin = "DOGECOIN" },
		"market_type: any: ":        func(o *backtest.CalibrationOptions) { o.Type = "any" },
		"last: 0: expected 1 to":    func(o *backtest.CalibrationOptions) { o.Last = 0 },
		"last: 10001: expected":     func(o *backtest.CalibrationOptions) { o.Last = 10_001 },
		"bands: 21: expected 1 to":  func(o *backtest.CalibrationOptions) { o.Bands = 21 },
		"times: 0: expected 1 to":   func(o *backtest.CalibrationOptions) { o.Times = 0 },
		"option winners: anybody: ": func(o *backtest.CalibrationOptions) { o.Winners = "anybody" },
		"a time after from":         func(o *backtest.CalibrationOptions) { o.From, o.To = new(market.Instant(2)), new(market.Instant(1)) },
	} {
		o := backtest.DefaultCalibrationOptions()
		o.Coin, o.Type = "BTC", "5m"
		change(&o)
		_, err := backtest.Calibrate(t.Context(), replaytest.MustParse(fiveRounds), o, replay.Parallel{})
		require.ErrorContains(t, err, want)
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
	}
}

// BenchmarkCalibrate1000 is a look at 1,000 rounds that stand in memory.
//
//	go test ./backtest -run XXX -bench Calibrate1000
func BenchmarkCalibrate1000(b *testing.B) {
	a := backtesttest.Archive(b, 1000)
	for b.Loop() {
		calibrated(b, a, 1, func(o *backtest.CalibrationOptions) { o.Type = "15m" })
	}
}
