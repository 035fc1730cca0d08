package regress_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/regress"
	"github.com/ladderback/ladderback/replay"
)

// source holds n decided rounds of BTC 5m: Up dips under 35 cents in the first
// minute of each, and recovers in every second.
func source(n int) *replaytest.Archive {
	var b strings.Builder
	for i := range n {
		winner, later := "down", "0.10x300 | 0.12x100"
		if i%2 == 0 {
			winner, later = "up", "0.60x300 | 0.62x100"
		}
		fmt.Fprintf(&b, "market btc-updown-5m-%d winner=%s\n", 1_776_088_800+300*i, winner)
		fmt.Fprintf(&b, "1 up book 0.48x100 | 0.50x100\n")
		fmt.Fprintf(&b, "30 up book 0.3%dx200 | 0.33x100 0.34x200\n", i%3)
		fmt.Fprintf(&b, "45 up book 0.31x200 | 0.33x100 0.34x200\n")
		fmt.Fprintf(&b, "60 up book %s\n", later)
	}
	return replaytest.MustParse(b.String())
}

// plainSuite has each kind of case, with nothing recorded and people's comments
// everywhere.
const plainSuite = `# What this suite is for.
description: one of each # short

# About the cases.
cases:
  # The first.
  - name: dip   # by its name
    prompt: >-
      Buy Up on BTC 5m under 35c in the first 2 minutes,
      take profit 55c, $20 per trade

    # between fields
    sampleSize: 4

  - name: 'as an object'
    strategy: {market: {coin: BTC, market_type: 5m}, side: down, entry: [], exit: {take_profit: null, stop_loss: 0.2, hold_to_expiry: true}, budget_per_trade: 30, sample_size: 6}
    options:
      latency_ms: 10
      fees: none
      include:
      - fills   # not further in than its name

  # Refused.
  - prompt: buy Up when the RSI is low
    name: refused

# The end.
`

// save writes a suite to a file of its own.
func save(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "suite.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// saveWith writes a suite with its lock.
func saveWith(t testing.TB, text, lock string) string {
	t.Helper()
	path := save(t, text)
	require.NoError(t, os.WriteFile(path+".lock", []byte(lock), 0o600))
	return path
}

func textOf(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// run loads a suite and runs it.
func run(t testing.TB, path string, src replay.Source) *regress.Outcome {
	t.Helper()
	suites, err := regress.Load(path)
	require.NoError(t, err)
	o, err := regress.Run(context.Background(), src, suites, nil, replay.Parallel{})
	require.NoError(t, err)
	return o
}

// recorded returns the file of a suite with its results recorded over src, in
// the lock beside it.
func recorded(t testing.TB, text string, src replay.Source) string {
	t.Helper()
	path := save(t, text)
	o := run(t, path, src)
	changed, err := o.Update()
	require.NoError(t, err)
	require.Equal(t, []string{"suite.yaml.lock"}, changed)
	return path
}

// requireSame requires that every case gives what was recorded.
func requireSame(t testing.TB, path string, src replay.Source) {
	t.Helper()
	o := run(t, path, src)
	_, notSame := o.Count()
	if notSame > 0 {
		require.Zero(t, notSame, "%s\n%s", tableOf(t, o), textOf(t, path+".lock"))
	}
	require.False(t, o.Suites[0].OtherArchive(o.Archive))
}
