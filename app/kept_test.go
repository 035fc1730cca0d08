package app

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/parser"
)

// Only the newest runs are kept, for their owner alone.
func TestKeptRuns(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "runs")
	for range MaxKept + 3 {
		_, err := keepIn(dir, &backtest.Body{Report: &backtest.Report{}}, []byte("{}\n"), nil)
		require.NoError(t, err)
	}
	numbers := runNumbers(dir)
	require.Len(t, numbers, MaxKept)
	require.Equal(t, MaxKept+3, numbers[0])
	fi, err := os.Stat(runFile(dir, numbers[0]))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
}

// A kept run knows the files that it was made from, and no server's address.
func TestKeptArchives(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs("a.db")
	require.NoError(t, err)
	require.Equal(t, []string{here}, wholePaths([]string{"a.db"}))
	require.Equal(t, []string{"crypto=" + here}, wholePaths([]string{"crypto=a.db"}))
	require.Empty(t, wholePaths([]string{"crypto=a.db", "sports=postgres://user:secret@host/db"}))
}

// ofPrompt is a body with an empty report.
func ofPrompt(t *testing.T, a *App, prompt string) (*backtest.Body, []byte) {
	t.Helper()
	body, err := a.Prompt(t.Context(), prompt, "rules", parser.Overrides{}, nil)
	require.NoError(t, err)
	body.Report = &backtest.Report{}
	var text bytes.Buffer
	require.NoError(t, body.WriteJSON(&text))
	return body, text.Bytes()
}

// TestKeepAndFind: the newest runs are kept under numbers that never come twice, and found by
// number, as last and by file; a half-written one is none.
func TestKeepAndFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var said string
	a := quiet(map[string]string{"LADDERBACK_CACHE": dir})
	a.Say = func(format string, _ ...any) { said = format }
	_, err := a.FindRun(t.Context(), "last")
	require.ErrorIs(t, err, errNoRuns)
	require.Empty(t, a.Kept())
	body, text := ofPrompt(t, a, "Buy Up on BTC 15m below 35c")

	var group sync.WaitGroup // as many processes would
	numbers := make(chan int, MaxKept+5)
	for range cap(numbers) {
		group.Go(func() { numbers <- a.Keep(body, text, []string{"crypto=x.db"}) })
	}
	group.Wait()
	close(numbers)
	seen := map[int]bool{}
	for n := range numbers {
		require.Positive(t, n, said)
		require.False(t, seen[n], "run %d twice", n)
		seen[n] = true
	}
	n := a.Keep(body, text, []string{"crypto=x.db"})
	kept := a.Kept()
	require.Len(t, kept, MaxKept)
	require.Equal(t, n, kept[0].Number)
	require.Equal(t, body.Prompt, kept[0].Prompt)
	whole, err := filepath.Abs("x.db")
	require.NoError(t, err)
	require.Equal(t, []string{"crypto=" + whole}, kept[0].Archive)

	for _, name := range []string{"last", strconv.Itoa(n)} {
		run, err := a.FindRun(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, body.Strategy, run.Body.Strategy)
		require.Equal(t, "run "+strconv.Itoa(n), run.Name)
		require.ErrorContains(t, a.Elsewhere(errors.New("not there"), run, []string{"y.db"}), "not there: --archive crypto="+whole)
		require.ErrorContains(t, a.Elsewhere(errors.New("not there"), run, run.Archive), "name it with --archive")
	}
	_, err = a.FindRun(t.Context(), strconv.Itoa(n+1))
	require.ErrorContains(t, err, "'ladderback runs' lists the ones that are")

	file := filepath.Join(t.TempDir(), "7") // a file goes before a number
	require.NoError(t, os.WriteFile(file, text, 0o600))
	run, err := a.FindRun(t.Context(), file)
	require.NoError(t, err)
	require.Equal(t, "7", run.Name)

	require.NoError(t, os.WriteFile(runFile(a.runsDir(), n), []byte(`{"number":`), 0o600))
	_, err = a.FindRun(t.Context(), "last")
	require.ErrorContains(t, err, "not whole")
	require.Len(t, a.Kept(), MaxKept-1)
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
	_, err = a.FindRun(t.Context(), file)
	require.ErrorContains(t, err, file)

	// Where nothing can be kept the backtest goes on, and it is said.
	require.Zero(t, quiet(nil).Keep(body, text, nil))
	blocked := quiet(map[string]string{"LADDERBACK_CACHE": file})
	blocked.Say = a.Say
	said = ""
	require.Zero(t, blocked.Keep(body, text, nil))
	require.Contains(t, said, "not kept")
}
