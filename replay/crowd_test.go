package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// TestSharedEntriesAreThoseAlone: cases that share their entry do what each does by
// itself, capture by capture and by the tops of the book.
func TestSharedEntriesAreThoseAlone(t *testing.T) {
	t.Parallel()
	traded := 0
	for seed := range uint64(120) {
		random := replaytest.NewRandom(seed + 9_000_000)
		archive := random.Archive(4)
		var cases []replay.Case
		for range 4 {
			c := replay.Case{Strategy: random.Strategy(), Options: random.Options()}
			cases = append(cases, c)
			for _, cents := range []int{2, 8, 20} {
				s := c.Strategy.Strategy()
				s.Exit.TakeProfit, s.Exit.StopLoss = nil, nil
				s.Exit.TakeProfitOffset = strategy.Cents(cents).Ptr()
				if cents != 8 {
					s.Exit.StopLossOffset = strategy.Cents(3 * cents).Ptr()
				} else {
					s.Exit.TrailingStop, s.Exit.MaxHoldSeconds = strategy.Cents(cents).Ptr(), 60
				}
				if changed, err := strategy.Canonicalize(s); err == nil {
					cases = append(cases, replay.Case{Strategy: changed, Options: c.Options})
				}
			}
		}
		for _, src := range []replay.Source{archive, replaytest.Topped{Archive: archive}} {
			sample, err := replay.Draw(t.Context(), src, cases[0])
			require.NoError(t, err)
			got, err := sample.Replay(t.Context(), src, replay.Parallel{Workers: 1}, cases...)
			require.NoError(t, err)
			for i := range cases {
				want, err := sample.Replay(t.Context(), src, replay.Parallel{Workers: 1}, cases[i])
				require.NoError(t, err)
				require.Equal(t, want[0], got[i], "seed %d, case %d", seed, i)
				traded += len(want[0].Trades)
			}
		}
	}
	require.Greater(t, traded, 500)
}
