package runs_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/strategy"
)

// ordersInChunks are strategies of orders: what rests, a ladder with both tokens, entries
// again, and a bankroll, whose rounds are one chunk.
var ordersInChunks = []string{
	`"order":{"rest_from_bid":0,"cancel_after_seconds":120}`,
	`"order":{"rest_from_ask":0.02},"then":[{"do":"buy","token":"same","usd":20,"order":{"rest_at":0.3}},
		{"do":"buy","token":"opposite","match":true,"order":{"rest_from_bid":0.01}}],"merge":true`,
	`"then":[{"do":"sell","token":"same","fraction":0.5,"order":{"rest_from_ask":0.01}}],"again":{"max_entries":3,"after_seconds":30}`,
	`"size":{"bankroll_fraction":0.1},"bankroll":{"start":500,"max_open":80}`,
}

// TestOrdersInChunks plays strategies of orders in chunks over one to four workers, of
// which one after another is stopped: the answer has the bytes of one go.
func TestOrdersInChunks(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 10)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		store := open()
		for i, fields := range ordersInChunks {
			s, err := strategy.Parse([]byte(`{"market":{"coin":"BTC","market_type":"15m"},"side":"up","entry":[],"exit":{"take_profit":0.55,
				"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":50,"sample_size":50,` + fields + `}`))
			require.NoError(t, err)
			sp := runs.Spec{Body: backtest.Body{Prompt: fmt.Sprint("orders ", i), Strategy: s, Source: strategy.SourceRules}, Options: backtest.DefaultOptions()}
			want := text(t, archive, &sp)
			for _, workers := range []int{i, 3 - i} {
				start := func() (*runs.Scheduler, func()) {
					return schedulerOver(t, archive, runs.Config{Store: store, MinChunkWork: 1, Slots: 1 + workers, GracePeriod: time.Minute})
				}
				d, stop := start()
				r := submit(t, d, fmt.Sprint("org ", workers), sp)
				for range times(1) {
					time.Sleep(rand.N(20 * time.Millisecond))
					stop()
					d, stop = start()
				}
				sameAsInOneGo(t, d, untilFinal(t, d, r), want)
				stop()
			}
		}
	})
}
