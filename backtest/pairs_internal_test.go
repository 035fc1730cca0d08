package backtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Pairs are what was held of both tokens at once: neither a flip, which sells the one before it buys the
// other, nor shares that are bought again are more.
func TestPairsAreHeldTogether(t *testing.T) {
	t.Parallel()
	leg := func(a replay.Action, token int, shares market.Size) replay.Leg {
		return replay.Leg{Action: a, Token: token, Fill: fills.Fill{Shares: shares}}
	}
	for _, c := range []struct {
		name string
		legs []replay.Leg
		want market.Size
	}{
		{"a flip", []replay.Leg{leg(replay.Buy, 0, 100), leg(replay.Sell, 0, 100), leg(replay.Buy, 1, 80), leg(replay.Settle, 1, 80)}, 0},
		{"a hedge", []replay.Leg{leg(replay.Buy, 0, 100), leg(replay.Buy, 1, 60), leg(replay.Buy, 1, 60)}, 100},
		{"by parts", []replay.Leg{leg(replay.Buy, 1, 50), leg(replay.Buy, 0, 20), leg(replay.Buy, 0, 20)}, 40},
		{"merged and bought again", []replay.Leg{leg(replay.Buy, 0, 50), leg(replay.Buy, 1, 50), leg(replay.Merge, 0, 50), leg(replay.Buy, 0, 30), leg(replay.Buy, 1, 30)}, 80},
		{"half sold before", []replay.Leg{leg(replay.Buy, 0, 100), leg(replay.Sell, 0, 50), leg(replay.Buy, 1, 100)}, 50},
		{"sold and bought again", []replay.Leg{leg(replay.Buy, 0, 100), leg(replay.Buy, 1, 100), leg(replay.Sell, 0, 50), leg(replay.Buy, 0, 50)}, 100},
	} {
		require.Equal(t, c.want, pairsOf(&replay.Trade{Legs: c.legs}), c.name)
	}
}
