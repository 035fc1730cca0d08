package replay_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

// fairOrders are strategies of orders for the fair game, none of which holds more than
// mostShares of both tokens in all.
var fairOrders = []string{
	`"entry":[],"order":{"rest_from_bid":0}`,
	`"entry":[],"order":{"rest_from_bid":0.01},"again":{"max_entries":5,"after_seconds":5}`,
	`"entry":[{"type":"price","token":"same","comparator":"gt","threshold":0.6,"within_seconds":null}],"order":{"rest_from_ask":0.01,"post_only":true}`,
	`"entry":[],"order":{"rest_at":0.48},"then":[{"do":"buy","token":"opposite","on":"start","shares":10,"order":{"rest_at":0.48}}],"merge":true`,
	`"entry":[],"then":[{"do":"sell","token":"same","shares":5,"order":{"rest_from_ask":0}},{"do":"buy","token":"opposite","match":true,"order":{"rest_from_bid":0}}]`,
	`"entry":[],"order":{"rest_at":0.5},"then":[{"do":"buy","token":"same","shares":10,"order":{"rest_at":0.4}},{"do":"buy","token":"same","shares":10,"order":{"rest_at":0.3}}]`,
	`"entry":[],"then":[{"do":"buy","token":"opposite","shares":10,"when":[{"type":"held_profit","token":"same","comparator":"lt","threshold":-0.05,"within_seconds":null}]}]`,
}

const mostShares = 60

// TestFairGameOfOrders: in a fair game all that a strategy wins beyond what its legs were
// worth at fair values as they were filled has mean 0, and so has what they were worth ten
// seconds later; under each rule. Judged at the values before the
// captures that filled them it has not: who sells to an order that rests has moved the
// value, which the second half of the test sees.
func TestFairGameOfOrders(t *testing.T) {
	t.Parallel()
	g := newFairGame(t, 300)
	var cases []replay.Case
	for i, fields := range fairOrders {
		exit := `"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true}`
		if i%2 == 1 {
			exit = `"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true,"take_profit_offset":0.03,"rest_take_profit":true}`
		}
		side := []strategy.Side{strategy.Up, strategy.Down}[i%2]
		if i == 2 {
			side = strategy.Either
		}
		s, err := strategy.Parse([]byte(`{"market":{"coin":"BTC","market_type":"5m"},"side":"` + string(side) + `",` + exit +
			`,"budget_per_trade":100,"sample_size":1000,"size":{"shares":10},` + fields + `}`))
		require.NoError(t, err, fields)
		for _, rule := range queue.Rules {
			c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
			c.Options.Queue, c.Options.Fees = rule, replay.FeesNone
			cases = append(cases, c)
		}
	}
	results, err := (&replay.Sample{Rounds: g.rounds}).Replay(t.Context(), g, replay.Parallel{}, cases...)
	require.NoError(t, err)
	fair, early, legs := 0.0, 0.0, 0
	for _, r := range results {
		var end, soon, before bet
		for _, x := range r.Trades {
			legs += len(x.Legs)
			end.add((x.PnL().Float() - g.edges(t, x)) / mostShares)
			soon.add(g.later(x, 0, 10*market.Second) / mostShares)
			before.add(g.later(x, 1, 0) / mostShares)
		}
		fair = max(fair, math.Abs(end.t()), math.Abs(soon.t()))
		if seen := math.Abs(before.t()); seen > early { // NaN: nothing rested
			early = seen
		}
	}
	t.Logf("%d cases, %d legs: largest t %.2f; at the values before the fills %.2f", len(cases), legs, fair, early)
	require.Less(t, fair, rare)
	require.Greater(t, early, 2*rare, "judged at values before the fills")
}

// rare is a t statistic that the largest of 42 exceeds once in 400 times.
const rare = 4.0

// edges is what the legs of a trade were worth at fair values beyond what they cost, USD.
func (g *fairGame) edges(t *testing.T, x *replay.Trade) float64 {
	sum, held := 0.0, 0.0
	for _, l := range x.Legs {
		worth := l.Shares.Float()*float64(g.fair(x.Market, l.Token, l.Time))/1e9 - l.Cash.Float()
		switch l.Action {
		case replay.Buy:
			sum += worth
			held += l.Shares.Float()
		case replay.Sell:
			sum -= worth
		}
	}
	require.LessOrEqual(t, held, float64(mostShares), fmt.Sprint(x.Legs))
	return sum
}

// later is by how much the fair value of what the legs of a trade bought and sold has
// moved in their favour so long after them, from so long before them.
func (g *fairGame) later(x *replay.Trade, before, after market.Span) float64 {
	sum := 0.0
	for _, l := range x.Legs {
		if l.Action != replay.Buy && l.Action != replay.Sell {
			continue
		}
		until := x.Market.End
		if after < until-l.Time {
			until = l.Time + after
		}
		moved := l.Shares.Float() * float64(g.fair(x.Market, l.Token, until)-g.fair(x.Market, l.Token, l.Time-before)) / 1e9
		if l.Action == replay.Sell {
			moved = -moved
		}
		sum += moved
	}
	return sum
}
