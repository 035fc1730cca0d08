package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/tries"
)

// copied runs command lines over an archive of its own, whose tries start afresh.
func copied(t *testing.T) func(args ...string) result {
	t.Helper()
	dir := t.TempDir()
	env := map[string]string{"LADDERBACK_CACHE": dir, "LADDERBACK_ARCHIVE": dir + "/real.db"}
	run := func(args ...string) result { return runWith(t, t.Context(), env, "", args...) }
	made := run("simulate", "--markets", "60", "--coins", "BTC", "--types", "5m", "--rate", "0.2", "--quiet")
	require.Equal(t, exitDone, made.code, made.err)
	return run
}

// TestTriesOfTheCommandLine: a backtest and a sweep are tries, of which the same one counts
// once, and what JSON says of a run does not depend on them.
func TestTriesOfTheCommandLine(t *testing.T) {
	t.Parallel()
	run := copied(t)
	require.Contains(t, run("tries").out, "No tries are counted")
	first := run("backtest", "Buy Up on BTC 5m below 45c", "--json")
	require.Equal(t, exitDone, first.code, first.err)
	require.NotContains(t, run("backtest", "Buy Up on BTC 5m below 45c").out, " look at ")
	require.Contains(t, run("backtest", "Buy Down on BTC 5m below 45c").out, "2nd look at BTC 5m: 1 try before it.")
	require.Contains(t, run("backtest", "Buy Up on BTC 5m below 40c").out, "3rd look at BTC 5m: 2 tries before it.")
	require.Equal(t, first.out, run("backtest", "Buy Up on BTC 5m below 45c", "--json", "--workers", "1").out)

	vary := []string{"sweep", "Buy Up on BTC 5m below 45c, take profit at 60c", "--vary", "exit.take_profit=0.5:0.9:0.1"}
	swept := run(vary...)
	require.Equal(t, exitDone, swept.code, swept.err)
	require.Contains(t, swept.out, "4th look at BTC 5m: 3 tries before it. The best is deflated for those too.")
	text := run(append(vary, "--json")...)
	var body backtest.SweepBody
	require.NoError(t, json.Unmarshal([]byte(text.out), &body))
	require.Equal(t, 3.0, body.Sweep.Options.TriesBefore.Float())
	require.Equal(t, text.out, run(append(vary, "--json", "--workers", "1")...).out, "the same sweep again")

	// The later of two kept runs was the third look, and the difference is held against two.
	var c compare.Comparison
	same := run("compare", "1", "4", "--json")
	require.NoError(t, json.Unmarshal([]byte(same.out), &c), same.err)
	require.Equal(t, 3, c.Paired.Deflated.Look)
	require.Equal(t, 2.0, c.Paired.Deflated.Before.Float())

	var r tries.Record
	require.NoError(t, json.Unmarshal([]byte(run("tries", "btc", "5m", "--json").out), &r))
	require.Len(t, r.Tries, 4)
	require.Zero(t, r.Families[0].Unfinished+r.Families[1].Unfinished)
	require.Less(t, r.Tries[0].Independent.Float(), float64(r.Tries[0].Variants)+0.5)
	table := run("tries")
	require.Contains(t, table.out, "4th")
	require.Contains(t, table.out, "sweep")

	require.Equal(t, exitUsage, run("tries", "reset", "btc", "5m").code)
	require.Equal(t, exitDone, run("tries", "reset", "btc", "5m", "--reason", "another idea").code)
	require.NotContains(t, run("backtest", "Buy Up on BTC 5m below 40c").out, " look at ")
	require.Contains(t, run("tries").out, "4 tries on BTC 5m taken out of the count: another idea")
	require.Equal(t, exitUsage, run("tries", "btc").code)
	require.Equal(t, exitUsage, run("tries", "btc", "soon").code)
}

// TestSuitesAreNoTries: a regression suite counts none.
func TestSuitesAreNoTries(t *testing.T) {
	t.Parallel()
	run, dir := copied(t), t.TempDir()
	suite := dir + "/suite.json"
	require.NoError(t, os.WriteFile(suite, []byte(`{"cases":[{"name":"a","prompt":"Buy Up on BTC 5m below 45c"}]}`), 0o600))
	require.Equal(t, exitDone, run("regress", suite, "--update").code)
	require.Contains(t, run("tries").out, "No tries are counted")
	run("backtest", "Buy Up on BTC 5m below 40c")
	require.Equal(t, exitDone, run("regress", suite).code)
}

// TestLockboxOfTheCommandLine: the newest rounds are replayed by nothing before it is opened.
func TestLockboxOfTheCommandLine(t *testing.T) {
	t.Parallel()
	run := copied(t)
	found := func() int {
		var body backtest.Body
		require.NoError(t, json.Unmarshal([]byte(run("backtest", "Buy Up on BTC 5m below 45c, last 100 markets", "--json").out), &body))
		return body.Report.MarketsFound
	}
	bare := run("tries", "--hold-out", "25") // not 25 s after 1970
	require.Equal(t, exitUsage, bare.code)
	require.Contains(t, bare.err, "with its sign, like 30%")
	locked := run("tries", "--hold-out", "25%")
	require.Equal(t, exitDone, locked.code, locked.err)
	require.Contains(t, locked.out, "Locked: rounds that end from ")
	require.NotContains(t, locked.out, "untouched", "nothing was tried")
	all := 60
	require.InDelta(t, 45, found(), 1)
	require.Contains(t, run("backtest", "Buy Up on BTC 5m below 45c").out, "Locked: ")
	require.Contains(t, run("calibration", "btc", "5m").out, "Locked: ")
	require.Contains(t, run("sweep", "Buy Up on BTC 5m below 45c, take profit at 60c", "--vary", "exit.take_profit=0.5,0.6").out, "Locked: ")
	require.Equal(t, exitFailed, run("tries", "--hold-out", "10%").code)
	require.Contains(t, run("tries", "open").out, "Opened: ")
	require.Equal(t, exitFailed, run("tries", "open").code)
	require.Equal(t, all, found())
	opened := run("backtest", "Buy Up on BTC 5m below 45c, last 100 markets")
	require.Contains(t, strings.Join(strings.Fields(opened.out), " "), "after 3 tries")
	var body backtest.Body
	require.NoError(t, json.Unmarshal([]byte(run("backtest", "Buy Up on BTC 5m below 45c, last 100 markets", "--json").out), &body))
	require.Equal(t, 3, *body.Report.Receipt.HoldOut.Tries)
	for _, bad := range []string{"0%", "100%", "x%", "soon"} {
		require.Equal(t, exitUsage, run("tries", "--hold-out", bad).code, bad)
	}
	require.True(t, strings.HasPrefix(run("tries").out, "Opened: "))
}
