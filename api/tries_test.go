package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/tries"
)

func (w *world) triesOf(t *testing.T) *tries.Record {
	t.Helper()
	a := w.do(t, request{path: "/v1/ai/tries?coin=btc&market_type=5m", plan: "pro"})
	require.Equal(t, http.StatusOK, a.status, "%s", a.body)
	var r tries.Record
	require.NoError(t, json.Unmarshal(a.body, &r))
	return &r
}

// TestTriesOfTheServer: backtests that are waited for, kept ones and sweeps are tries of
// their organization, once each, and say which look they are.
func TestTriesOfTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const one = `{"prompt":"Buy BTC 5m Up when price is below 0.4, take profit at 0.6","sampleSize":5}`
	require.Empty(t, w.triesOf(t).Tries)
	for range 2 { // the same again is no other try
		a := w.do(t, request{method: http.MethodPost, path: backtestPath, plan: "pro", body: one})
		require.Equal(t, http.StatusOK, a.status, "%s", a.body)
	}
	require.Len(t, w.triesOf(t).Tries, 1)
	kept := w.finishedRun(t, "pro", `{"prompt":"Buy BTC 5m Up when price is below 0.45, take profit at 0.6","sampleSize":5}`)
	run := runOf(t, w.do(t, request{path: runPath + "/" + kept}))
	require.Contains(t, run.Words.Look, "2nd look at BTC 5m: 1 try before it")
	swept := w.finished(t, sweepPath, "pro", smallSweep)
	var sweep struct {
		Tries   backtest.Tally
		Options backtest.SweepOptions
		Result  struct{ Sweep *backtest.Sweep }
	}
	require.NoError(t, json.Unmarshal(w.do(t, request{path: sweepPath + "/" + swept}).body, &sweep))
	require.Equal(t, 3, sweep.Tries.Look)
	require.EqualValues(t, 2_000_000, sweep.Options.TriesBefore)
	require.EqualValues(t, 2_000_000, sweep.Result.Sweep.Options.TriesBefore)
	r := w.triesOf(t)
	require.Len(t, r.Tries, 3)
	for _, x := range r.Tries {
		require.NotNil(t, x.DoneAt)
	}
	require.Equal(t, http.StatusBadRequest, w.do(t, request{path: "/v1/ai/tries?coin=btc"}).status)
	require.Equal(t, http.StatusUnauthorized, w.do(t, request{path: "/v1/ai/tries", plan: "-"}).status)
}

// TestTheServerKeepsToTheLockbox: what is held out is in no backtest, no estimate, no sweep
// and no calibration, whoever does the work.
func TestTheServerKeepsToTheLockbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const ask = `{"prompt":"Buy BTC 5m Up when price is below 0.4, take profit at 0.6","sampleSize":1000,"options":{"winners":"inferred"}}`
	found := func() (backtested, kept, estimated, calibrated int) {
		t.Helper()
		a := w.do(t, request{method: http.MethodPost, path: backtestPath, plan: "pro", body: ask})
		require.Equal(t, http.StatusOK, a.status, "%s", a.body)
		var b struct{ Report backtest.Report }
		require.NoError(t, json.Unmarshal(a.body, &b))
		require.Equal(t, b.Report.Options.HoldOut, b.Report.Receipt.HoldOut)
		run := runOf(t, w.do(t, request{path: runPath + "/" + w.finishedRun(t, "pro", ask)}))
		var k struct{ Report backtest.Report }
		require.NoError(t, json.Unmarshal(run.Result, &k))
		var e struct{ Markets int }
		require.NoError(t, json.Unmarshal(w.do(t, request{method: http.MethodPost, path: runPath + "?dry_run=true", plan: "pro", body: ask}).body, &e))
		var c backtest.Calibration
		require.NoError(t, json.Unmarshal(w.do(t, request{path: "/v1/ai/calibration?coin=BTC&market_type=5m&winners=inferred"}).body, &c))
		return b.Report.MarketsFound, k.Report.MarketsFound, e.Markets, c.Sampled
	}
	a1, b1, c1, d1 := found()
	from := w.triesOf(t).Tries[0].LastRound // the end of the newest
	_, err := w.tries.PutAside(t.Context(), "acme", from)
	require.NoError(t, err)
	a2, b2, c2, d2 := found()
	require.Equal(t, []int{a1 - 1, b1 - 1, c1 - 1, d1 - 1}, []int{a2, b2, c2, d2})
	_, err = w.tries.OpenLockbox(t.Context(), "acme")
	require.NoError(t, err)
	a3, b3, c3, d3 := found()
	require.Equal(t, []int{a1, b1, c1, d1}, []int{a3, b3, c3, d3})
	require.NotNil(t, w.triesOf(t).Lockboxes[0].OpenedAt)

	_, err = w.tries.PutAside(t.Context(), "globex", from)
	require.NoError(t, err)
	a4, _, _, _ := found()
	require.Equal(t, a1, a4, "another organization's")
}
