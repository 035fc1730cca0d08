package replay_test

import (
	"context"
	"fmt"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// A round in memory, a strategy, and what came of it.
func ExampleRun() {
	archive := replaytest.MustParse(`
		market btc-updown-5m-1776088800 winner=up
		10  up book 0.33x200 | 0.34x100 0.35x100
		90  up book 0.56x400 | 0.58x100
	`)
	buy, err := strategy.Parse([]byte(`{
		"market": {"coin": "BTC", "market_type": "5m"}, "side": "up",
		"entry": [{"type": "price", "token": "up", "comparator": "lt", "threshold": 0.35, "within_seconds": null}],
		"exit": {"take_profit": 0.55, "stop_loss": 0.2, "hold_to_expiry": true},
		"budget_per_trade": 50, "sample_size": 100
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := replay.Case{Strategy: buy, Options: replay.DefaultOptions()}
	r, err := replay.Run(context.Background(), archive, c, replay.Parallel{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range r.Trades {
		fmt.Printf("%s shares at %s, out at %s by %s: %s USD\n", t.Shares, t.Entry.Round(), t.Exit.Round(), t.Reason, t.PnL())
	}
	// Output:
	// 139.43 shares at 0.342828, out at 0.56 by take_profit: 25.6767 USD
}
