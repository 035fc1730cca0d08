package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
)

const (
	sweepPath  = "/v1/ai/sweeps"
	smallSweep = `{"prompt":"Buy BTC 5m Up when price is below 0.4, take profit at 0.6","sampleSize":5,` +
		`"vary":["entry.0.threshold=0.35:0.45:0.05",{"field":"exit.take_profit","values":[0.55,0.6]}],"options":{"also_tried":3}}`
)

// TestSweep walks a sweep through its routes: its result is what the command
// writes, byte for byte, and the routes of backtests do not know it.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.finished(t, sweepPath, "pro", smallSweep)
	at := sweepPath + "/" + id
	a := w.do(t, request{path: at})
	var got struct {
		State, Verdict string
		Combinations   int
		Done, Total    int
		Headline       *struct{ Tried int }
		Result         json.RawMessage
	}
	require.NoError(t, json.Unmarshal(a.body, &got))
	require.Equal(t, 6, got.Combinations)
	require.Equal(t, 9, got.Headline.Tried)
	require.Equal(t, got.Total, got.Done)

	size := 5
	read, refusal := parser.Parse(t.Context(), nil, "Buy BTC 5m Up when price is below 0.4, take profit at 0.6", parser.Overrides{SampleSize: &size})
	require.Nil(t, refusal)
	var axes []backtest.SweepAxis
	for _, text := range []string{"entry.0.threshold=0.35:0.45:0.05", "exit.take_profit=0.55,0.6"} {
		axis, err := backtest.ParseSweepAxis(text)
		require.NoError(t, err)
		axes = append(axes, axis)
	}
	found, _, err := backtest.RunSweep(t.Context(), w.archive, read.Strategy, axes, backtest.SweepOptions{Options: replay.DefaultOptions(), AlsoTried: 3}, replay.Parallel{Workers: 1}, nil)
	require.NoError(t, err)
	var want strings.Builder
	require.NoError(t, (&backtest.SweepBody{
		Prompt: "Buy BTC 5m Up when price is below 0.4, take profit at 0.6", Strategy: read.Strategy, Source: read.Source, Note: read.Note, Parse: &read.Trace, Sweep: found,
	}).WriteJSON(&want))
	require.Equal(t, strings.TrimRight(want.String(), "\n"), string(got.Result))

	require.Contains(t, string(w.do(t, request{path: sweepPath + "?limit=1&state=done"}).body), id)
	require.NotContains(t, string(w.do(t, request{path: runPath}).body), id, "a list of backtests has no sweeps")
	for _, q := range []request{{path: runPath + "/" + id}, {path: sweepPath + "/run_x"}, {method: http.MethodPost, path: runPath + "/" + id + "/share"}} {
		require.Equal(t, http.StatusNotFound, w.do(t, q).status, q.path)
	}
	events := w.do(t, request{path: at + "/events?result=link"})
	require.Contains(t, string(events.body), `"location":"`+at+`"`)
	dry := w.do(t, request{method: http.MethodPost, path: sweepPath + "?dry_run=true", body: smallSweep})
	require.Contains(t, string(dry.body), `"replays":30`)
	short := w.do(t, request{method: http.MethodPost, path: sweepPath, body: strings.Replace(smallSweep, "exit.take_profit", "take_profit", 1)})
	require.Contains(t, string(short.body), `"field":"exit.take_profit"`, "the end of a name is enough, as for the command")
	cancelled := w.do(t, request{method: http.MethodPost, path: at + "/cancel"})
	require.Contains(t, string(cancelled.body), `"state":"done"`, "one that is over stays as it is")
	require.Equal(t, http.StatusNoContent, w.do(t, request{method: http.MethodDelete, path: at}).status)
	require.Equal(t, http.StatusNotFound, w.do(t, request{path: at}).status)
}

// TestSweepsThatAreRefused says what is wrong with a body, and what a plan allows.
func TestSweepsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const prompt = `{"prompt":"Buy BTC 5m Up below 0.4, take profit at 0.6",`
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		prompt + `"sampleSize":5}`:                                                                              {422, `"vary"`},
		prompt + `"vary":[]}`:                                                                                   {422, "list of texts"},
		prompt + `"vary":[{"field":"exit.take_profit"}]}`:                                                       {422, `"vary",0`},
		prompt + `"vary":["exit.take_profit"]}`:                                                                 {400, "expected FIELD=FROM:TO:STEP"},
		prompt + `"vary":["exit.nothing=0.1"]}`:                                                                 {400, "exit.nothing"},
		prompt + `"vary":["exit.take_profit=0.5:0.6:0.05"],"options":{"baseline":true}}`:                        {422, "baseline"},
		prompt + `"vary":["exit.take_profit=0.5:0.6:0.05"],"options":{"also_tried":-1}}`:                        {422, "also_tried"},
		prompt + `"vary":["exit.take_profit=0.5:0.6:0.05"],"options":{"block_hours":"x"}}`:                      {422, "block_hours"},
		prompt + `"sampleSize":1000,"vary":["entry.0.threshold=0.1:0.3:0.01","exit.take_profit=0.4:0.6:0.01"]}`: {403, "at most 200000 of markets × variants"},
		prompt + `"sampleSize":1001,"vary":["exit.take_profit=0.5,0.6"]}`:                                       {403, "at most 1000 markets"},
	} {
		a := w.do(t, request{method: http.MethodPost, path: sweepPath, plan: "pro", body: body})
		require.Equal(t, want.status, a.status, "%s: %s", body, a.body)
		require.Contains(t, string(a.body), want.text, body)
	}
}
