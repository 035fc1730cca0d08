package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
)

// TestTablesFitATerminal: tables are no wider than 80 columns, whatever the
// archive; only names of files may reach beyond.
func TestTablesFitATerminal(t *testing.T) {
	t.Parallel()
	accessFile, _ := newKeys(t, "enterprise")
	cache, err := demoCache()
	require.NoError(t, err)
	env := map[string]string{"LADDERBACK_CACHE": t.TempDir(), "LADDERBACK_ARCHIVE": filepath.Join(cache, app.DemoName())}
	for _, args := range [][]string{
		{"archive", "info"}, {"archive", "info", "--coverage"},
		{"history", "prices", "btc-updown-15m-1775005200", "--resolution", "250ms"},
		{"history", "books", "btc-updown-15m-1775005200", "--resolution", "1s"},
		{"history", "metrics", "btc-updown-15m-1775005200"},
		{"keys", "list", "--access", accessFile},
		{"archive", "verify"}, {"runs"}, {"markets"},
		{"regress", "../../examples/suites/refused.yaml"},
	} {
		r := runWith(t, t.Context(), env, "", args...)
		require.Equal(t, exitDone, r.code, "%v: %s", args, r.err)
		for line := range strings.Lines(r.out) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), 80, "%v: %s", args, line)
		}
	}
}

// TestHistoryForPeople: numbers of one column have the same decimals, and times are
// no finer than the buckets.
func TestHistoryForPeople(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, line string }{
		{"prices", "\n 2026-04-01 01:01  0.5538  0.4462\n"},
		{"books --token Up", "\n 2026-04-01 01:01  Up     0.5900  155.00  0.6000  310.00    48    35\n"},
		{"metrics", "\n 2026-04-01 01:01  16,465.07  0.0108    614.69\n"},
		{"prices --resolution 1s", "\n 2026-04-01 01:00:01  "},
		{"prices --resolution 250ms", "\n 2026-04-01 01:00:01.250  "},
	} {
		r := withDemo(t, append(strings.Fields("history "+c.args), "btc-updown-15m-1775005200")...)
		require.Equal(t, exitDone, r.code, r.err)
		require.Contains(t, r.out, c.line)
	}
}

// TestFailedImportLeavesNoArchive: a new file into which nothing came is removed; one
// that was there before stays, as does what a failed import brought.
func TestFailedImportLeavesNoArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty, junk := filepath.Join(dir, "empty"), filepath.Join(dir, "junk.bin")
	require.NoError(t, os.Mkdir(empty, 0o700))
	require.NoError(t, os.WriteFile(junk, []byte("hi\n"), 0o600))
	for _, path := range []string{empty, junk} {
		db := filepath.Join(dir, "new.db")
		r := ladderback(t, "import", path, "--archive", db)
		require.Equal(t, exitFailed, r.code, r.err)
		require.Contains(t, r.err, "removed "+db+" again")
		left, err := filepath.Glob(db + "*")
		require.NoError(t, err)
		require.Empty(t, left)
	}
	db := filepath.Join(dir, "old.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--markets", "1", "--types", "5m", "--archive", db).code)
	require.Equal(t, exitFailed, ladderback(t, "import", junk, "--archive", db).code)
	require.FileExists(t, db)
}
