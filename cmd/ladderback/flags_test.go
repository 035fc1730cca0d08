package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNearestFlag: a flag that is not there is told with the one that was probably meant.
func TestNearestFlag(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"backtest up --samples 5":       "unknown flag: --samples; did you mean --sample?",
		"backtest up --last 5":          "did you mean --sample?",
		"backtest up --coin BTC":        "the sentence names coin and length",
		"backtest up -o x.html":         "did you mean --out?",
		"backtest up --slipage 5":       "unknown flag: --slipage",
		"serve --port 80":               "did you mean --addr?",
		"history prices x --resolutoin": "did you mean --resolution?",
		"simulate --type 5m":            "did you mean --types?",
		"archive exprt --archive x":     `archive has no subcommand "exprt"; did you mean export?`,
		"keys creat":                    "did you mean create?",
		"help tutoral":                  "did you mean tutorial?",
		"markets --xyzzy":               "unknown flag: --xyzzy\n",
		"backtest up --lst 3":           "unknown flag: --lst\n", // --out is as far as any word of three letters
		"record --for abc --archive a":  `--for "abc": expected a length of time such as 90s`,
		"backtest up --save run.html":   "--save run.html: a saved run is JSON; --out run.html",
	} {
		r := ladderback(t, strings.Fields(line)...)
		require.Equal(t, exitUsage, r.code, line)
		require.Contains(t, r.err, want, line)
	}
}

// TestWindowsEverywhere: every command with a window has it under --from and --to, and
// takes --start and --end and the times that tables print.
func TestWindowsEverywhere(t *testing.T) {
	t.Parallel()
	path, err := smallArchive()
	require.NoError(t, err)
	slug := anyRound(t, path)
	for _, line := range []string{
		"backtest PROMPT --keep=false --json --archive " + path,
		"sweep PROMPT --vary take_profit=70c,0.8 --json --archive " + path,
		"history prices " + slug + " --json --archive " + path,
		"archive export prices --format csv --out - --archive " + path,
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.Replace(args[i], "PROMPT", "Buy Up on BTC 1h under 60c, take profit 70c", 1)
		}
		want := ladderback(t, append(args, "--from", "2026-04-01T00:00:00Z", "--to", "2026-04-01T05:00:00Z")...)
		require.Equal(t, exitDone, want.code, want.err)
		got := ladderback(t, append(args, "--start", "2026-04-01 00:00", "--end", "2026-04-01 05:00")...)
		require.Equal(t, exitDone, got.code, got.err)
		require.Equal(t, want.out, got.out, line)
		help := ladderback(t, args[0], "--help").out + ladderback(t, "archive", "export", "--help").out
		require.NotContains(t, help, "--start", line)
	}
}

// TestCopyToTheArchiveOfTheEnvironment: an address with a password need not be typed.
func TestCopyToTheArchiveOfTheEnvironment(t *testing.T) {
	t.Parallel()
	path, err := smallArchive()
	require.NoError(t, err)
	to := filepath.Join(t.TempDir(), "copy.db")
	r := runWith(t, t.Context(), map[string]string{"LADDERBACK_ARCHIVE": to}, "", "archive", "copy", path)
	require.Equal(t, exitDone, r.code, r.err)
	require.FileExists(t, to)
	r = ladderback(t, "archive", "copy", path)
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "TO (or $LADDERBACK_ARCHIVE)")
}
