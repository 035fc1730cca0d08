package bench_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/bench"
)

// TestRun: every workload runs, and a shortcut finds the same trades.
func TestRun(t *testing.T) {
	t.Parallel()
	s, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	a := archive.New(s)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	sim, err := simulate.New(simulate.Config{Seed: 1, Markets: 8, Coins: []string{"BTC"}, Types: []string{"5m"}})
	require.NoError(t, err)
	_, err = sim.Write(t.Context(), a, simulate.WriteOptions{})
	require.NoError(t, err)
	got, err := bench.Run(t.Context(), a, bench.Options{Rounds: 8, Times: 1})
	require.NoError(t, err)
	require.Equal(t, 8, got.Rounds)
	require.Positive(t, got.Changes)
	by := map[string]bench.Figure{}
	for _, f := range got.Figures {
		by[f.Name] = f
		require.Positive(t, f.Wall, f.Name)
	}
	for name, f := range by {
		if of, ok := by[f.Limit]; ok && of.Units == "rounds" {
			require.Equal(t, of.Trades, f.Trades, name)
		}
	}
	_, err = bench.Run(t.Context(), a, bench.Options{})
	require.ErrorContains(t, err, "at least 1")
}
