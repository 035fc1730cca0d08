package sweep_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// A ladder's rungs and a limit can be varied by their paths.
func TestOrdersCanBeVaried(t *testing.T) {
	t.Parallel()
	s, err := strategy.Parse([]byte(`{"market":{"coin":"BTC","market_type":"15m"},"side":"up","entry":[],
		"exit":{"take_profit":0.6,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":20,"sample_size":200,
		"order":{"rest_at":0.4,"cancel_after_seconds":60},
		"then":[{"do":"buy","token":"same","usd":20,"order":{"rest_at":0.35}},
			{"do":"buy","token":"opposite","when":[{"type":"pair_cost","token":null,"comparator":"lt","threshold":0.97,"within_seconds":null}],"match":true}],
		"size":{"kelly":{"probability":0.55,"fraction":0.5}},"bankroll":{"start":1000}}`))
	require.NoError(t, err)
	fields := sweep.Fields(s)
	require.Subset(t, fields, []string{"order.rest_at", "order.cancel_after_seconds", "then.0.usd", "then.0.order.rest_at", "then.0.times",
		"then.1.when.0.threshold", "size.kelly.probability", "size.kelly.fraction", "bankroll.start"})
	require.NotContains(t, fields, "order.rest_from_bid")
	require.NotContains(t, fields, "then.0.shares")
	require.NotContains(t, fields, "again.max_entries")

	g, err := sweep.NewGrid(s, []sweep.Axis{axis(t, "order.rest_at=0.40,0.45"), axis(t, "then.0.order.rest_at=0.30,0.35"), axis(t, "then.0.usd=20,40")})
	require.NoError(t, err)
	require.Len(t, g.Variants, 8)
	last := g.Variants[7].Strategy
	require.Equal(t, strategy.Cents(45), *last.Order().RestAt)
	require.Equal(t, strategy.Cents(35), *last.Then()[0].Order.RestAt)
	require.Equal(t, strategy.Int(40), last.Then()[0].USD)
}
