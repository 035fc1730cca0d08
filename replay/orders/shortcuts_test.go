package orders_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
)

// TestExecutableIsThatOfTheLadder: what the engine reads off the best bid, when
// that is enough, is what walking the whole ladder gives.
func TestExecutableIsThatOfTheLadder(t *testing.T) {
	t.Parallel()
	looks, deep := 0, 0
	for seed := range uint64(60) {
		for _, round := range replaytest.NewRandom(seed + 5_000_000).Archive(4).All {
			r := round.Round()
			x := orders.NewReplica(&r)
			for i := range round.Captures {
				x.Apply(&round.Captures[i])
				for token := range r.Market.Tokens {
					for _, left := range []market.Size{1, market.SizeOne / 3, 10 * market.SizeOne, 400 * market.SizeOne, 1e6 * market.SizeOne} {
						fast, slow := x.Executable(token, left)
						require.Equal(t, slow, fast, "seed %d, capture %d, %s shares of token %d", seed, i, left, token)
						looks++
						if fast.Known() && fast.Shares < left {
							deep++
						}
					}
				}
			}
		}
	}
	require.Greater(t, deep, looks/100, "some ladders are too thin")
}
