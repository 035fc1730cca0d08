package strategy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/strategy"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	const tail = " Hold to expiry. $50 per trade. Sample of 200 markets."
	type change = map[string]string
	for want, c := range map[string]change{
		"Buy Up on BTC 15m markets in the first 5 minutes when Up's price is below 35c. Take profit at 55c. Stop loss at 20c. Otherwise hold to expiry. $50 per trade. Sample of 200 markets.": {},
		"Buy Up on BTC 15m markets at the start." + tail:                                                                     {"entry": "[]", "exit": noExit},
		"Buy Down on 5m markets of any coin at the start." + tail:                                                            {"side": `"down"`, "market": `{"coin":"ANY","market_type":"5m"}`, "entry": "[]", "exit": noExit},
		"Buy Down on ETH markets of any length at the start." + tail:                                                         {"side": `"down"`, "market": `{"coin":"ETH","market_type":"ANY"}`, "entry": "[]", "exit": noExit},
		"Buy either side on markets of any coin and any length when its price is above 50c." + tail:                          {"side": `"either"`, "market": `{"coin":"ANY","market_type":"ANY"}`, "entry": list(cond("price", `"same"`, "gt", "0.5", "null")), "exit": noExit},
		"Buy either side on BTC 15m markets when the other side's bid depth is at least $500." + tail:                        {"side": `"either"`, "entry": list(cond("bid_depth", `"opposite"`, "gte", "500", "null")), "exit": noExit},
		"Buy Up on BTC 15m markets when Up's spread is at most 2.5c and Down's imbalance is above 0.6." + tail:               {"entry": list(cond("imbalance", `"down"`, "gt", "0.6", "null"), cond("spread", `"up"`, "lte", "0.025", "null")), "exit": noExit},
		"Buy Up on BTC 15m markets when Up's ask crosses below 40c and Up's bid crosses above 30c." + tail:                   {"entry": list(cond("best_ask", `"up"`, "crosses_below", "0.4", "null"), cond("best_bid", `"up"`, "crosses_above", "0.3", "null")), "exit": noExit},
		"Buy Up on BTC 15m markets when Up's price has fallen by at least 10c in 1 minute." + tail:                           {"entry": list(cond("price_change", `"up"`, "lte", "-0.1", "60")), "exit": noExit},
		"Buy Up on BTC 15m markets when Down's price has risen by more than 10c in 90 seconds." + tail:                       {"entry": list(cond("price_change", `"down"`, "gt", "0.1", "90")), "exit": noExit},
		"Buy Up on BTC 15m markets when Up's price change in 1 minute is below 2c." + tail:                                   {"entry": list(cond("price_change", `"up"`, "lt", "0.02", "60")), "exit": noExit},
		"Buy Up on BTC 15m markets when Up's price change in 1 minute is at least -2c." + tail:                               {"entry": list(cond("price_change", `"up"`, "gte", "-0.02", "60")), "exit": noExit},
		"Buy Up on BTC 15m markets when Up's price change in 1 second is at most 0c." + tail:                                 {"entry": list(cond("price_change", `"up"`, "lte", "0", "1")), "exit": noExit},
		"Buy Up on BTC 15m markets when at least 1 minute has passed and less than 1.5 seconds are left." + tail:             {"entry": list(elapsed("gte", "60"), remaining("lt", "1.5")), "exit": noExit},
		"Buy Up on BTC 15m markets when at most 2 minutes have passed and more than 1 second is left." + tail:                {"entry": list(elapsed("lt", "120"), remaining("gt", "1")), "exit": noExit},
		"Buy Up on BTC 15m markets when (in the first 1 minute, Up's bid is below 30c) or (Up's price is above 60c)." + tail: {"entry": "[]", "entry_any": list(list(cond("best_bid", `"up"`, "lt", "0.3", "60")), list(price("gt", "0.6"))), "exit": noExit},
		"Buy Up on BTC 15m markets in the first 5 minutes when Up's spread is below 3c, and ((Up's price is above 60c and at least 1 minute has passed) or (Up's price is below 30c))." + tail: {
			"entry": list(cond("spread", `"up"`, "lt", "0.03", "300")), "entry_any": list(list(price("lt", "0.3")), list(price("gt", "0.6"), elapsed("gte", "60"))), "exit": noExit},
		"Buy Up on BTC 15m markets at the start. Take profit 5c above entry. Stop loss 6c below entry. Trail by 7.5c. Sell after 90 seconds. Exit 10 seconds before the end. $0.5 per trade. Sample of 1 market.": {
			"entry": "[]", "exit": sold(`,"take_profit_offset":0.05,"stop_loss_offset":0.06,"trailing_stop":0.075,"max_hold_seconds":90,"exit_before_seconds":10`), "budget_per_trade": "0.5", "sample_size": "1"},
		"Buy Up on BTC 15m markets at the start. Never hold to expiry. $1000000 per trade. Sample of 10000 markets.": {"entry": "[]", "exit": sold(""), "budget_per_trade": "1e6", "sample_size": "1e4"},
	} {
		s, err := strategy.Decode(with(t, c))
		require.NoError(t, err, want)
		require.Equal(t, want, canonical(t, s).Summary())
	}
}

// TestSummaryOfOrders: every field of orders has its words.
func TestSummaryOfOrders(t *testing.T) {
	t.Parallel()
	const head, tail = "Buy Up on BTC 15m markets at the start. ", "Hold to expiry. $50 per trade. Sample of 200 markets."
	type change = map[string]string
	more := func(c change) change {
		c["entry"] = "[]"
		if c["exit"] == "" {
			c["exit"] = noExit
		}
		return c
	}
	then := func(fields string) change {
		return more(change{"exit": exits("0.9", "0.05", `,"max_hold_seconds":60`), "then": "[{" + fields + "}]"})
	}
	const exitWords = "Take profit at 90c. Stop loss at 5c. Sell after 1 minute. Otherwise hold to expiry. $50 per trade. Sample of 200 markets."
	for want, c := range map[string]change{
		tail + " Rest at 30c.":                  more(change{"order": `{"rest_at":0.3}`}),
		tail + " Rest at the best bid.":         more(change{"order": `{"rest_from_bid":0}`}),
		tail + " Rest 1c above the best bid.":   more(change{"order": `{"rest_from_bid":0.01}`}),
		tail + " Rest 2c below the best bid.":   more(change{"order": `{"rest_from_bid":-0.02}`}),
		tail + " Rest 1.5c below the best ask.": more(change{"order": `{"rest_from_ask":0.015}`}),
		tail + " Rest at 30c, post only, cancelled after 2 minutes, cancelled in the first 1 minute when (its spread is above 6c and less than 5 seconds have passed since entry).": more(change{
			"order": `{"rest_at":0.3,"post_only":true,"cancel_after_seconds":120,"cancel_when":` + list(cond("spread", `"same"`, "gt", "0.06", "60"), cond("since_entry", "null", "lt", "5", "null")) + `}`}),
		"Take profit at 55c with a limit. Otherwise hold to expiry. $50 per trade. Sample of 200 markets.":                               more(change{"exit": exits("0.55", "null", `,"rest_take_profit":true`)}),
		"Take profit 5c above entry with a limit. Otherwise hold to expiry. $50 per trade. Sample of 200 markets.":                       more(change{"exit": exits("null", "null", `,"take_profit_offset":0.05,"rest_take_profit":true`)}),
		exitWords + " Order 1: buy $20 of it, when (its price is at most 20c).":                                                          then(`"do":"buy","token":"same","usd":20,"when":` + list(cond("price", `"same"`, "lte", "0.2", "null"))),
		exitWords + " Order 1: buy to match the other side, when (the pair's cost is below 97c).":                                        then(`"do":"buy","token":"opposite","match":true,"when":` + list(cond("pair_cost", "null", "lt", "0.97", "null"))),
		exitWords + " Order 1: sell a fraction of 0.5 of it, resting at 60c, when (its profit is at least -5c).":                         then(`"do":"sell","token":"same","fraction":0.5,"order":{"rest_at":0.6},"when":` + list(cond("held_profit", `"same"`, "gte", "-0.05", "null"))),
		exitWords + " Order 1: from the start, buy 1 share of the other side, resting at the best bid, up to 3 times, 10 seconds apart.": then(`"do":"buy","token":"opposite","on":"start","shares":1,"order":{"rest_from_bid":0},"times":3,"after_seconds":10`),
		exitWords + " Order 1: after a stop, buy 10 shares of the other side.":                                                           then(`"do":"buy","token":"opposite","on":"stop_loss","shares":10`),
		exitWords + " Order 1: after a take profit, buy 10 shares of it.":                                                                then(`"do":"buy","token":"same","on":"take_profit","shares":10`),
		exitWords + " Order 1: after an exit by the clock, sell 2.5 shares of the other side.":                                           then(`"do":"sell","token":"opposite","on":"end_of_window","shares":2.5`),
		exitWords + " Order 1: after an exit, buy $5 of it.":                                                                             then(`"do":"buy","token":"same","on":"exit","usd":5`),
		tail + " Up to 4 entries a round, 1 minute apart, after a stop or a cancelled entry.":                                            more(change{"again": `{"max_entries":4,"after_seconds":60,"after":["stop_loss","cancelled"]}`}),
		tail + " Up to 2 entries a round.":                                                                                               more(change{"again": `{"max_entries":2}`}),
		tail + " Size 20 shares.":                                                                                                        more(change{"size": `{"shares":20}`}),
		tail + " Size a fraction of 0.05 of the bankroll. Bankroll of $1000.":                                                            more(change{"size": `{"bankroll_fraction":0.05}`, "bankroll": `{"start":1000}`}),
		tail + " Size a fraction of 0.5 of Kelly at a fair value of 60c. Bankroll of $1000.":                                             more(change{"size": `{"kelly":{"probability":0.6,"fraction":0.5}}`, "bankroll": `{"start":1000}`}),
		tail + " Stop for the day after losing $100. At most $200 open. Stop for the day after 4 losses in a row.":                       more(change{"bankroll": `{"daily_loss":100,"max_open":200,"max_losing_streak":4}`}),
	} {
		s, err := strategy.Decode(with(t, c))
		require.NoError(t, err, want)
		require.Equal(t, head+want, canonical(t, s).Summary())
	}
	s, err := strategy.Parse([]byte(full))
	require.NoError(t, err)
	require.Contains(t, s.Summary(), " Merge pairs. Size ")
}

// TestSummaryTellsStrategiesApart changes one thing of a strategy: another
// canonical form has another summary, the same has the same.
func TestSummaryTellsStrategiesApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := strategytest.Valid().Draw(t, "a")
		b := strategytest.Mutated(a).Draw(t, "b")
		x, y := canonical(t, a), canonical(t, b)
		require.Equal(t, x.Equal(y), x.Summary() == y.Summary(), "%s\n%s", x.Summary(), y.Summary())

		x, y = strategytest.CanonicalExtended().Draw(t, "x"), strategytest.CanonicalExtended().Draw(t, "y")
		s, o := x.Strategy(), y.Strategy() // of one strategy, with other orders
		o.Market, o.Side, o.Entry, o.EntryAny, o.Exit, o.BudgetPerTrade, o.SampleSize = s.Market, s.Side, s.Entry, s.EntryAny, s.Exit, s.BudgetPerTrade, s.SampleSize
		if y, err := strategy.Canonicalize(o); err == nil {
			require.Equal(t, x.Equal(y), x.Summary() == y.Summary(), "%s\n%s", x.Summary(), y.Summary())
		}
	})
}

func ExampleCanonical_Summary() {
	s, _ := strategy.Parse([]byte(`{"market":{"coin":"ETH","market_type":"1h"},"side":"down",
		"entry":[{"type":"price_change","token":"down","comparator":"lte","threshold":-0.1,"within_seconds":60}],
		"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true,"take_profit_offset":0.05},
		"budget_per_trade":40,"sample_size":50}`))
	fmt.Println(s.Summary())
	// Output:
	// Buy Down on ETH 1h markets when Down's price has fallen by at least 10c in 1 minute. Take profit 5c above entry. Otherwise hold to expiry. $40 per trade. Sample of 50 markets.
}
