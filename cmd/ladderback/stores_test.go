package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/internal/realdata"
)

// done runs one command line that must succeed and returns what it printed.
func done(t testing.TB, args ...string) string {
	t.Helper()
	r := ladderback(t, args...)
	require.Equal(t, exitDone, r.code, "%v: %s", args, r.err)
	return r.out
}

// TestRealCapturesInBothStores imports a third of the real captures, and what is known of all
// their markets, into the embedded store and into PostgreSQL, copies each into an archive of
// the other kind, and gets the same bytes out of the four: backtests, and history of every
// kind.
func TestRealCapturesInBothStores(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	file, database := filepath.Join(t.TempDir(), "file.db"), pgtest.Database(t)
	all, err := filepath.Glob(filepath.Join(dir, "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	var files []string
	for i := 0; i < len(all); i += 3 {
		files = append(files, all[i])
	}
	imported := map[string]string{}
	for _, to := range []string{file, database} {
		imported[to] = done(t, append([]string{"import", "--markets", filepath.Join(dir, "markets.jsonl"), "--archive", to, "--json"}, files...)...)
	}
	require.Equal(t, imported[file], imported[database])
	copies := map[string]string{file: pgtest.Database(t), database: filepath.Join(t.TempDir(), "copy.db")}
	for from, to := range copies {
		require.Contains(t, done(t, "archive", "copy", from, to), "83 markets compared")
		require.Contains(t, done(t, "archive", "verify", "--archive", to), "no damage found")
	}
	others := []string{database, copies[file], copies[database]}
	// same runs a command line over each archive and returns the one answer.
	same := func(args ...string) string {
		t.Helper()
		want := done(t, append(args, "--archive", file)...)
		for _, other := range others {
			if got := done(t, append(args, "--archive", other)...); got != want {
				t.Errorf("%v: %d bytes from %s, %d others from %s", args, len(want), file, len(got), other)
			}
		}
		return want
	}
	for _, prompt := range []string{
		"Buy Up on BTC 5m when Up is under 40c in the first 3 minutes, take profit 60c, stop 20c",
		"Buy Down on BTC 5m when Down drops below 45 cents, hold to the end, $500 per trade",
		"Buy Up on BTC 5m when the spread is at most 1 cent and Up is above 60c, stop 50c, $50 per trade",
	} {
		out := same("backtest", prompt, "--sample", "100", "--winners", "inferred", "--json")
		var b body
		require.NoError(t, json.Unmarshal([]byte(out), &b))
		require.NotZero(t, b.Report.MarketsTraded, prompt)
	}
	for _, at := range []int{0, len(files) - 1} {
		slug := strings.TrimSuffix(filepath.Base(files[at]), ".jsonl.gz")
		for kind, resolution := range map[string]string{"prices": "250ms", "books": "1s", "metrics": "250ms"} {
			out := same("history", kind, slug, "--resolution", resolution, "--json")
			var h struct{ Metadata struct{ Count int } }
			require.NoError(t, json.Unmarshal([]byte(out), &h))
			require.Greater(t, h.Metadata.Count, 300, "%s %s", kind, slug)
		}
		same("history", "prices", slug, "--resolution", "1m", "--token", "Up", "--format", "csv")
	}
}

// TestNewerArchive: the server and what reads say which version they cannot read.
func TestNewerArchive(t *testing.T) {
	t.Parallel()
	addr := pgtest.Database(t)
	require.Contains(t, ladderback(t, "serve", "--archive", addr, "--local-key").err, "`ladderback import` creates one in this database")
	done(t, "simulate", "--markets", "1", "--archive", addr)
	conn, err := pgx.Connect(t.Context(), addr)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), `UPDATE ladderback_versions SET version = $1 WHERE part = 'archive'`, postgres.Version+1)
	require.NoError(t, err)
	for _, args := range [][]string{{"serve", "--local-key"}, {"archive", "info"}, {"simulate", "--markets", "1"}} {
		r := ladderback(t, append(args, "--archive", addr)...)
		require.Equal(t, exitFailed, r.code, "%v", args)
		require.Contains(t, r.err, fmt.Sprintf("archive is from a newer version: version %d, this program reads up to %d", postgres.Version+1, postgres.Version))
	}
}

// TestOneOfSeveralIsAway reads the archive that is there, says which one is not,
// and fails when none is.
func TestOneOfSeveralIsAway(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "crypto.db")
	done(t, "simulate", "--markets", "5", "--archive", file)
	const nowhere = "postgres://ladderback:secret@127.0.0.1:1/nowhere?connect_timeout=2"
	r := ladderback(t, "backtest", mainPrompt, "--archive", "crypto="+file, "--archive", "sports="+nowhere, "--json")
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.err, "archive of sports: postgres://ladderback:xxxxx@127.0.0.1:1/nowhere")
	require.Contains(t, r.err, "Going on without it until it answers.")
	alone := done(t, "backtest", mainPrompt, "--archive", file, "--json")
	require.Equal(t, alone, r.out)
	r = ladderback(t, "backtest", mainPrompt, "--archive", "crypto="+nowhere, "--json")
	require.Equal(t, exitFailed, r.code)
	require.NotContains(t, r.err+r.out, "secret")
	r = ladderback(t, "serve", "--archive", "crypto="+file, "--archive", "sports=missing.db", "--local-key")
	require.Equal(t, exitFailed, r.code, "a file that is not there will not come")
}
