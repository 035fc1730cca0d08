package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rules"
)

// Prompts that were once read as something else, and what they are now: a
// summary, or a code of refusal.
func TestReadRightlyOrNotAtAll(t *testing.T) {
	t.Parallel()
	const tail = " Hold to expiry. $100 per trade. Sample of 50 markets."
	for prompt, want := range map[string]string{
		"buy up below 40c with 10 to 60 seconds left":                    "Buy Up on BTC 15m markets when Up's price is below 40c and at most 1 minute is left and at least 10 seconds are left." + tail,
		"buy up below 40c with 1 to 120 seconds left":                    "Buy Up on BTC 15m markets when Up's price is below 40c and at most 2 minutes are left and at least 1 second is left." + tail,
		"buy up below 40c with at least 3 and at most 6 minutes to go":   "Buy Up on BTC 15m markets when Up's price is below 40c and at most 6 minutes are left and at least 3 minutes are left." + tail,
		"eth 5m, up 30c, add at 20c, add at 10c":                         "bad_request",
		"buy up below 25c, or below 35c with spread below 2c":            "Buy Up on BTC 15m markets when (Up's price is below 25c) or (Up's price is below 35c and Up's spread is below 2c)." + tail,
		"buy up below 25c or below 35c with more than 3 minutes left":    "bad_request",
		"buy up if it is below 25c or below 35c with down above 70c":     "Buy Up on BTC 15m markets when (Up's price is below 25c) or (Up's price is below 35c and Down's price is above 70c)." + tail,
		"buy up, 62 bid or better":                                       "Buy Up on BTC 15m markets when Up's bid is at least 62c." + tail,
		"buy up, bid depth $500 or better":                               "bad_request",
		"buy up under 30c, wins 5 rounds":                                "bad_request",
		"buy up, price change within 180 s: >= -0.02 and <= 0.02":        "Buy Up on BTC 15m markets when Up's price change in 3 minutes is at most 2c and Up's price change in 3 minutes is at least -2c." + tail,
		"buy up below 50c, stop 8c below 40c":                            "bad_request",
		"buy up when up moved no more than 2c to 40c":                    "bad_request",
		"buy up below 40c, no stop in the first 5 minutes":               "bad_request",
		"buy up below 40c, trail 5c in the last 3 minutes":               "bad_request",
		"buy up below 40c, sell at 60c in the last 2 minutes":            "bad_request",
		"if up drops below 40c wait 20 seconds and buy":                  "bad_request",
		"buy up within 20 seconds of it dropping below 40c":              "bad_request",
		"buy up below 20c and over 80c":                                  "bad_request",
		"buy up if higher than 50c and lower than 40c":                   "bad_request",
		"buy up at 30c, add at 20c, add at 10c":                          "bad_request",
		"buy up if ask > bid":                                            "bad_request",
		"buy down when up prints 70 or better":                           "bad_request",
		"buy up if it climbs as low as 35c":                              "bad_request",
		"buy up if 60s change of up is at least 3c and at most 9c":       "Buy Up on BTC 15m markets when Up's price change in 1 minute is at most 9c and Up's price has risen by at least 3c in 1 minute." + tail,
		"buy up if -0.05 <= price change over 60s <= 0.05":               "Buy Up on BTC 15m markets when Up's price change in 1 minute is at most 5c and Up's price change in 1 minute is at least -5c." + tail,
		"buy up under 25c, or under 35c with spread below 2c":            "Buy Up on BTC 15m markets when (Up's price is below 25c) or (Up's price is below 35c and Up's spread is below 2c)." + tail,
		"buy the underdog above 60c":                                     "bad_request",
		"buy up on btc after three Down results in a row":                "unsupported_signal",
		"buy up if the Up token of the ETH market is above 60c, btc 15m": "unsupported_signal",
		"buy up unless it is above 90c in the last minute":               "bad_request",
		"Buy Up under 35c. Sell it at Down 50c.":                         "bad_request",
		"buy up below 40c, up to 3 trades a round":                       "bad_request",
		"open long up if price < 20c, close if price > 40c":              "Buy Up on BTC 15m markets when Up's price is below 20c. Take profit at 40c. Otherwise hold to expiry. $100 per trade. Sample of 50 markets.",
		"buy up below 40c, sample -5":                                    "bad_request",
		"weekly bitcoin: buy up below 40c":                               "bad_request",
		"Up can be had for 25c 25c or less? grab it. BTC 15m":            "bad_request",
		"Buy Down under 42c and exit minutes before the end":             "bad_request",
		"buy up below 40c after minutes":                                 "bad_request",
		"buy up under 40c, but no enter in the last 2 minutes":           "Buy Up on BTC 15m markets when Up's price is below 40c and more than 2 minutes are left." + tail,
		"if in the last 30 seconds up lost 5 cents, buy up":              "Buy Up on BTC 15m markets when Up's price has fallen by at least 5c in 30 seconds." + tail,
		"up lost 5 cents, buy":                                           "bad_request",
		"buy up under 40c if he is happy":                                "bad_request",
		"buy up when down passes 60 cents":                               "bad_request",
		"buying down under 30c and selling for 45c":                      "Buy Down on BTC 15m markets when Down's price is below 30c. Take profit at 45c. Otherwise hold to expiry. $100 per trade. Sample of 50 markets.",
		"I'd take profit at 60c, buy up under 40c":                       "Buy Up on BTC 15m markets when Up's price is below 40c. Take profit at 60c. Otherwise hold to expiry. $100 per trade. Sample of 50 markets.",
		"if down is under 20c and there is still five minutes, buy down": "Buy Down on BTC 15m markets when Down's price is below 20c and at most 5 minutes are left." + tail,
		"whenever the spread is 1c and up is under 50c, buy up":          "Buy Up on BTC 15m markets when Up's price is below 50c and Up's spread is at most 1c." + tail,
		"wait 5 minutes, then buy up over 50c":                           "Buy Up on BTC 15m markets when Up's price is above 50c and at least 5 minutes have passed." + tail,
		"when up drops below 30c wait 2 minutes then buy":                "bad_request",
		"amount 200 rounds, buy up":                                      "Buy Up on BTC 15m markets at the start. Hold to expiry. $100 per trade. Sample of 200 markets.",
		"buy up on a 5 percent dump in up inside 1 min":                  "unsupported_signal",
		"seconds remaining at most 75, buy up at 40c":                    "Buy Up on BTC 15m markets when Up's price is at most 40c and at most 75 seconds are left." + tail,
		`{"market":{"coin":"BTC","market_type":"15m"},"side":"up","entry":[],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":100,"sample_size":50}`: "Buy Up on BTC 15m markets at the start." + tail,
		`{"market":{"coin":"BTC","market_type":"15m"},"side":"sideways"}`: "bad_request",
		"side: up\nentry: price < 0.4\nexit: imbalance < 0.4":             "bad_request",
		"side: up\nentry: price < 0.4\nexit:\n  tp: 0.6\n  spread > 0.05": "bad_request",
		"side: up\nentry: price < 0.4\nexit:\n  price <= 0.2":             "Buy Up on BTC 15m markets when Up's price is below 40c. Stop loss at 20c. Otherwise hold to expiry. $100 per trade. Sample of 50 markets.",
		"side: up\nany_of:\n  - price < 0.25\n  - imbalance > 0.7":        "Buy Up on BTC 15m markets when (Up's imbalance is above 0.7) or (Up's price is below 25c)." + tail,
		"not:\n - price > 0.5\nbuy up":                                    "bad_request",
		"buy up if price_change(up,60)<=-0.06":                            "Buy Up on BTC 15m markets when Up's price has fallen by at least 6c in 1 minute." + tail,
		"side: up\nprice < 0.3\ntp=+0.10\nsl=-0.08":                       "Buy Up on BTC 15m markets when Up's price is below 30c. Take profit 10c above entry. Stop loss 8c below entry. Otherwise hold to expiry. $100 per trade. Sample of 50 markets.",
		`{side:up, ask:"<0.45", tp:"+0.08", sl:"-0.06"}`:                  "Buy Up on BTC 15m markets when Up's ask is below 45c. Take profit 8c above entry. Stop loss 6c below entry. Otherwise hold to expiry. $100 per trade. Sample of 50 markets.",
		"down mid strictly between 0.20 and 0.30":                         "Buy Down on BTC 15m markets when Down's price is below 30c and Down's price is above 20c." + tail,
		"buy up, price in [0.30, 0.40)":                                   "Buy Up on BTC 15m markets when Up's price is below 40c and Up's price is at least 30c." + tail,
		"coin: ANY\nside: up\nprice < 0.2":                                "Buy Up on 15m markets of any coin when Up's price is below 20c." + tail,
		"buy up if bid depth is at least 0.6":                             "bad_request",
		"buy up below 40c, exit 5 min":                                    "bad_request",
		"buy up below 40c. no filter.":                                    "bad_request",
		"buy up below 40c, lower":                                         "bad_request",
		"buy(up, 25) when price < 0.3":                                    "bad_request",
		"buy up below 25c; profit target 0.45":                            "bad_request",
	} {
		res, refusal := rules.Read(prompt, rules.Overrides{})
		got := ""
		if refusal != nil {
			got = refusal.Code
			require.NotEmpty(t, refusal.Message, prompt)
			require.NotContains(t, refusal.Message, "strategy.", prompt)
		} else {
			got = res.Trace.Summary
		}
		assert.Equal(t, want, got, "%s", prompt)
	}
}

// Every obstacle is named at once.
func TestEveryObstacleIsNamed(t *testing.T) {
	t.Parallel()
	_, refusal := rules.Read("buy up below 35%, martingale after each loss, limit order at 30c, $50 per trade", rules.Overrides{})
	require.NotNil(t, refusal)
	require.Equal(t, rules.CodeUnsupportedSignal, refusal.Code)
	require.GreaterOrEqual(t, len(refusal.Obstacles), 3)
	last := -1
	for _, o := range refusal.Obstacles {
		require.GreaterOrEqual(t, o.Start, last)
		require.NotEmpty(t, o.Remedy)
		last = o.Start
	}
}
