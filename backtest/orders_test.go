package backtest_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

// TestReportsOfOrders: a report of any strategy with orders is written and read back the
// same, gives three answers where something rests, adds up, and explains each item.
func TestReportsOfOrders(t *testing.T) {
	t.Parallel()
	rested, paired, purses, lives := 0, 0, 0, 0
	for seed := range uint64(120) {
		r := replaytest.NewRandom(seed)
		a, s := r.Archive(6), r.Orders()
		o := backtest.DefaultOptions()
		o.Options, o.Include = r.OrderOptions(), []backtest.Include{backtest.IncludeFills}
		report, err := backtest.Run(t.Context(), a, s, o, replay.Parallel{Workers: 1})
		require.NoError(t, err, "seed %d", seed)
		text, err := json.Marshal(report)
		require.NoError(t, err)
		body := backtest.Body{Strategy: s, Report: report}
		var out bytes.Buffer
		require.NoError(t, body.WriteJSON(&out))
		back, err := backtest.ReadBody(&out)
		require.NoError(t, err)
		again, err := json.Marshal(back.Report)
		require.NoError(t, err)
		require.JSONEq(t, string(text), string(again), "seed %d", seed)

		require.Equal(t, s.Rests(), report.Queue != nil)
		require.Equal(t, s.Rests(), report.Options.Queue != "")
		if q := report.Queue; q != nil {
			rested++
			own := map[string]backtest.QueueSide{"through": q.Through, "back": q.Back, "front": q.Front}[string(report.Options.Queue)]
			require.Equal(t, report.TotalPnL, own.TotalPnL)
			require.Equal(t, len(report.Trades), own.Trades)
			require.LessOrEqual(t, own.FillRate.Float(), 1.0)
			for i, at := range own.EquityCurve {
				require.Equal(t, backtest.CurvePoint{Time: report.Trades[i].ExitTime, PnL: report.EquityCurve[i]}, at)
			}
			for _, side := range []backtest.QueueSide{q.Through, q.Back, q.Front} {
				require.Len(t, side.EquityCurve, side.Trades)
				if side.Trades > 0 {
					require.Equal(t, side.TotalPnL, side.EquityCurve[side.Trades-1].PnL)
				}
			}
		}
		if b := report.Bankroll; b != nil && b.Start != nil {
			purses++
			require.Equal(t, *b.End, *b.Start+report.TotalPnL, "seed %d", seed)
			require.GreaterOrEqual(t, b.LowestCash.Float(), 0.0)
		}
		for i := range report.Trades {
			if report.Trades[i].Opposite != nil {
				paired++
			}
			x, err := backtest.Explain(t.Context(), a, &body, strconv.Itoa(i+1))
			require.NoError(t, err, "seed %d", seed)
			require.Empty(t, x.Differs, "seed %d", seed)
			lives += requireLives(t, x, s, report.Options.Queue)
		}
	}
	require.Greater(t, min(rested, 2*paired, 3*purses, lives), 30, "too little to mean anything")
}

// requireLives: the lives of orders are there under each rule where something rests, each
// adds up, and those of the run's own rule have what the legs have. It returns how many
// filled as they rested.
func requireLives(t *testing.T, x *backtest.Explanation, s strategy.Canonical, own queue.Rule) (filled int) {
	require.Equal(t, s.Rests(), x.Resting != nil)
	if x.Resting == nil {
		return 0
	}
	rested := stats.Decimal(0)
	for _, l := range x.Trade.Legs {
		if l.Fill == fills.Resting {
			rested += l.Levels[0][1]
		}
	}
	rules, lives := x.Resting.Rules()
	for i, rule := range rules {
		all := stats.Decimal(0)
		for _, l := range lives[i] {
			sum := stats.Decimal(0)
			for _, w := range l.Wear {
				sum += w.Filled
			}
			require.Equal(t, l.Filled, l.Taken+sum, "%+v", l)
			all += sum
		}
		if rule == own {
			require.Equal(t, rested, all)
		}
		if all > 0 {
			filled++
		}
	}
	return filled
}
