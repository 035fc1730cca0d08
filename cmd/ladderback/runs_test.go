package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/backtest"
)

// cached runs command lines over the small archive with a cache folder of its own,
// in which runs are kept.
func cached(t *testing.T) func(args ...string) result {
	t.Helper()
	dir := t.TempDir()
	db, err := smallArchive()
	require.NoError(t, err)
	return func(args ...string) result {
		env := map[string]string{"LADDERBACK_CACHE": dir, "LADDERBACK_ARCHIVE": db}
		return runWith(t, context.Background(), env, "", args...)
	}
}

const anyTrade = "Buy Up on any coin any length, take profit at 60c, $5"

// TestRunsAreKept: explain and compare take the numbers of kept runs, the newest of
// which is last; 20 are kept.
func TestRunsAreKept(t *testing.T) {
	t.Parallel()
	run := cached(t)
	require.Equal(t, exitFailed, run("explain", "1").code, "nothing is kept yet")
	require.Equal(t, exitFailed, run("compare").code)
	require.Equal(t, "[]\n", run("runs", "--json").out)
	for _, latency := range []string{"250", "2s"} {
		require.Equal(t, exitDone, run("backtest", anyTrade, "--latency", latency).code)
	}
	require.Equal(t, exitDone, run("backtest", anyTrade, "--keep=false").code)
	var list []app.KeptRun
	require.NoError(t, json.Unmarshal([]byte(run("runs", "--json").out), &list))
	require.Len(t, list, 2)
	require.Equal(t, 2, list[0].Number)
	require.Equal(t, anyTrade, list[0].Prompt)
	require.True(t, list[0].Simulated)
	table := run("runs")
	require.Contains(t, table.out, "simulated")

	last := run("explain", "1")
	require.Equal(t, exitDone, last.code, last.err)
	require.Equal(t, last.out, run("explain", "last", "1").out)
	require.Equal(t, last.out, run("explain", "2", "1").out)
	require.NotEqual(t, last.out, run("explain", "1", "1").out)
	require.Contains(t, run("explain", "7", "1").err, "run 7 is not kept")

	two := run("compare")
	require.Equal(t, exitFailed, two.code, two.err)
	require.Contains(t, two.out, "Is run 2 better than run 1?")
	require.Contains(t, two.out, " SIMULATED DATA ")
	require.Equal(t, two.out, run("compare", "1", "last").out)
	require.Equal(t, exitDone, run("compare", "last", "last").code)
}

// TestOutTakesItsFormatFromTheEnding: and contradictions are refused.
func TestOutTakesItsFormatFromTheEnding(t *testing.T) {
	t.Parallel()
	run, dir := cached(t), t.TempDir()
	for name, begins := range map[string]string{"r.json": "{", "r.csv": "market_id,", "r.html": "<!DOCTYPE html>", "r.txt": " SIMULATED DATA", "r": " SIMULATED DATA"} {
		path, saved := filepath.Join(dir, name), filepath.Join(dir, name+".saved")
		r := run("backtest", anyTrade, "--out", path, "--save", saved)
		require.Equal(t, exitDone, r.code, r.err)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, begins, string(text[:len(begins)]))
		require.Equal(t, exitDone, run("explain", saved, "1").code)
	}
	for _, args := range [][]string{{"--out", "r.html", "--json"}, {"--out", "r.csv", "--format", "html"}, {"--out", "r.json", "--format", "table"}} {
		r := run(append([]string{"backtest", anyTrade}, args...)...)
		require.Equal(t, exitUsage, r.code)
		require.Contains(t, r.out+r.err, "the file's extension means")
	}
	require.Equal(t, exitDone, run("backtest", anyTrade, "--out", filepath.Join(dir, "x.json"), "--json").code)

	slug := run("markets", "--limit", "1", "--json")
	require.Equal(t, exitDone, slug.code)
	var list struct{ Data []struct{ Slug string } }
	require.NoError(t, json.Unmarshal([]byte(slug.out), &list))
	for name, begins := range map[string]string{"h.json": `{"market_id"`, "h.csv": "t,token_id,", "h.ndjson": `{"t":`, "h.jsonl": `{"t":`, "h.parquet": "PAR1", "h.txt": " time (UTC)", "c.json": `{"options"`, "c.txt": "Are prices right?"} {
		path, args := filepath.Join(dir, name), []string{"history", "prices", list.Data[0].Slug}
		if name[0] == 'c' {
			args = []string{"calibration", "BTC", "15m"}
		}
		r := run(append(args, "--out", path)...)
		require.Equal(t, exitDone, r.code, r.err)
		require.Empty(t, r.out, "what is said of it is a message")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, begins, string(text[:len(begins)]))
	}
	r := run("backtest", "RSI below 30", "--out", "r.json")
	require.Equal(t, exitUsage, r.code)
	require.Empty(t, r.out, "a mistake is a document where --json was asked for")
	require.Equal(t, exitUsage, run("calibration", "BTC", "15m", "--out", "c.csv").code)
}

// What parse --json and backtest --json print can be given to --strategy.
func TestStrategyOutOfAnAnswer(t *testing.T) {
	t.Parallel()
	run, dir := cached(t), t.TempDir()
	want := readBody(t, run("backtest", anyTrade, "--json"))
	for name, text := range map[string]string{
		"parsed.json": run("parse", anyTrade, "--json").out, "run.json": run("backtest", anyTrade, "--json").out,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		got := readBody(t, run("backtest", "--strategy", path, "--json"))
		require.Equal(t, want.Report, got.Report, name)
	}
}

func TestUnitsOfEveryOption(t *testing.T) {
	t.Parallel()
	run := cached(t)
	plain := run("backtest", anyTrade, "--json", "--latency", "1500", "--stale", "30000", "--max-slippage", "0.05", "--min-coverage", "0.25")
	require.Equal(t, exitDone, plain.code, plain.err)
	units := run("backtest", anyTrade, "--json", "--latency", "1.5s", "--stale", "30s", "--max-slippage", "5c", "--min-coverage", "25%")
	require.Equal(t, plain.out, units.out)
	for _, bad := range []string{"--latency=1.5", "--latency=1us", "--stale=x", "--max-slippage=5x", "--min-coverage=1.1", "--min-coverage=-0.1", "--min-coverage=101%"} {
		r := run("backtest", anyTrade, bad)
		require.Equal(t, exitUsage, r.code, bad)
		require.Contains(t, r.err, "expected", bad)
	}
}

// TestNothingFound: the answer names what the archive has.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	run := cached(t)
	r := run("backtest", "Buy Up on XRP 1d under 40c")
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.out, "Nothing to replay for XRP 1d: no such round is in the archive.")
	require.Contains(t, r.out, "round")
	require.NotContains(t, r.out, "no_exit")
	var b struct {
		Report struct{ Available []backtest.Holding }
	}
	require.NoError(t, json.Unmarshal([]byte(run("backtest", "Buy Up on XRP 1d under 40c", "--json").out), &b))
	require.NotEmpty(t, b.Report.Available)
	for _, h := range b.Report.Available {
		require.Contains(t, r.out, h.Coin+" "+h.Type+": "+strconv.Itoa(h.Rounds))
	}
}

// TestMarketsOfNoLength: a list of markets of a coin or length that the archive does not
// have names those it has.
func TestMarketsOfNoLength(t *testing.T) {
	t.Parallel()
	run := cached(t)
	for _, args := range [][]string{{"--type", "15"}, {"--coin", "PEPE"}} {
		r := run(append([]string{"markets"}, args...)...)
		require.Equal(t, exitDone, r.code, r.err)
		require.Regexp(t, `(?s)^no market matches\nThe archive has rounds of \w+(, \w+)*; --type takes \w+(, \w+)*\.\n`, r.out)
		require.Contains(t, r.out, "1h")
	}
	require.NotContains(t, run("markets", "--search", "no such words").out, "--type takes")
	require.JSONEq(t, `{"count":0,"more":false,"data":[]}`, run("markets", "--type", "15", "--json").out)
}

// TestExplainIsCompleted: by the numbers of kept runs, last, and the slugs of trades.
func TestExplainIsCompleted(t *testing.T) {
	t.Parallel()
	run := cached(t)
	require.Equal(t, exitDone, run("backtest", anyTrade).code)
	require.Equal(t, exitDone, run("backtest", anyTrade+", last 3 markets").code)
	offered := run("__complete", "explain", "").out
	require.Contains(t, offered, "1\t"+anyTrade+"\n")
	require.Contains(t, offered, "2\t")
	require.Contains(t, offered, "last\tthe newest run\n")
	require.Contains(t, offered, "-updown-")
	require.NotContains(t, run("__complete", "explain", "2").out, "1\t")
	require.NotContains(t, run("__complete", "explain", "1", "").out, "last\t")
}

// TestExplainNamesTheArchive: over an archive that a saved run was not made from, the
// refusal names what was looked into, and that of a kept run what it was made from.
func TestExplainNamesTheArchive(t *testing.T) {
	t.Parallel()
	run, dir := cached(t), t.TempDir()
	saved, other := filepath.Join(dir, "run.json"), filepath.Join(dir, "other.db")
	require.Equal(t, exitDone, run("backtest", anyTrade, "--save", saved).code)
	require.Equal(t, exitDone, run("simulate", "--markets", "1", "--types", "5m", "--seed", "7", "--coins", "XRP", "--archive", other).code)
	r := run("explain", saved, "1", "--archive", other)
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.err, "expected the archive that the run was made from, and other.db was looked into: name it with --archive")
	db, err := smallArchive()
	require.NoError(t, err)
	require.Contains(t, run("explain", "last", "1", "--archive", other).err, "--archive "+db)
}

// TestColours: neither a terminal that says it has none nor one whose user wants none
// gets any.
func TestColours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true}, {map[string]string{"TERM": "xterm-256color"}, true}, {map[string]string{"TERM": "dumb"}, false}, {map[string]string{"NO_COLOR": "1"}, false},
	} {
		require.Equal(t, c.want, coloured(func(name string) string { return c.env[name] }), c.env)
	}
}
