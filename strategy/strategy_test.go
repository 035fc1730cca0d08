package strategy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/strategy"
)

func TestCanonicalIsIdempotentAndRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(strategytest.Valid(), strategytest.Extended()).Draw(t, "s")
		c := canonical(t, s)
		require.Equal(t, c, canonical(t, c.Strategy()))

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
