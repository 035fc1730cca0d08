package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// A strategy with a field of orders is refused, never replayed without it.
func TestOrdersAreRefused(t *testing.T) {
	t.Parallel()
	archive := replaytest.NewRandom(1).Archive(1)
	for seed := range 20 {
		c := replay.Case{Strategy: strategytest.CanonicalExtended().Example(seed), Options: replay.DefaultOptions()}
		_, err := replay.Draw(t.Context(), archive, c)
		require.ErrorContains(t, err, "unsupported")
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
	}
}
