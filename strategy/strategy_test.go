package strategy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/strategy"
	"github.com/ladderback/ladderback/strategy/strategytest"
)

func TestCanonicalIsIdempotentAndRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strategytest.Valid().Draw(t, "s")
		c, err := strategy.Canonical(s)
		require.NoError(t, err)
		again, err := strategy.Canonical(c)
		require.NoError(t, err)
		require.Equal(t, c, again)

		b, err := json.Marshal(c)
		require.NoError(t, err)
		back, err := strategy.Parse(b)
		require.NoError(t, err, "%s", b)
		require.Equal(t, c, back)

		raw, err := json.Marshal(s)
		require.NoError(t, err)
		decoded, err := strategy.Decode(raw)
		require.NoError(t, err, "%s", raw)
		require.Equal(t, s, decoded)
	})
}
