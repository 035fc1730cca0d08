package backtest_test

import (
	"context"
	"fmt"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// A strategy over two rounds in memory, and the report's headline.
func ExampleRun() {
	archive := replaytest.MustParse(`
		market btc-updown-5m-1776088800 winner=up
		10  up book 0.33x200 | 0.34x100 0.35x100
		90  up book 0.56x400 | 0.58x100
		market btc-updown-5m-1776089100 winner=down
		10  up book 0.33x200 | 0.34x300
		90  up book 0.19x400 | 0.22x100
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
	r, err := backtest.Run(context.Background(), archive, buy, backtest.DefaultOptions(), replay.Parallel{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.MarketsTraded, "trades,", r.TotalPnL, "USD,", r.Stats.Verdict)
	fmt.Println("drawdown", r.Stats.MaxDrawdown, "USD, fees", r.Stats.Fees, "USD")
	for _, w := range r.Warnings {
		fmt.Println(w.Code)
	}
	// Output:
	// 2 trades, 0.87054 USD, not_enough_evidence
	// drawdown 24.80616 USD, fees 8.32576 USD
	// few_trades
	// low_coverage
}
