package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
)

// TestCorePlaysPlainObjects: the core of orders plays a strategy without orders as the
// runners do, to every leg and every refusal.
func TestCorePlaysPlainObjects(t *testing.T) {
	t.Parallel()
	traded := 0
	for seed := range *labs * 4 {
		r := replaytest.NewRandom(seed)
		a, c := r.Archive(4), replay.Case{Strategy: r.Strategy(), Options: r.Options()}
		s, err := replay.Draw(t.Context(), a, c)
		require.NoError(t, err)
		want, err := s.Replay(t.Context(), a, replay.Parallel{Workers: 1}, c)
		require.NoError(t, err)
		got, err := s.Replay(t.Context(), a, replay.Parallel{Workers: 1, Off: replay.Runners}, c)
		require.NoError(t, err)
		require.Equal(t, want, got, "seed %d", seed)
		traded += len(got[0].Trades)
	}
	require.Greater(t, traded, int(*labs), "too few trades to mean anything")
}
