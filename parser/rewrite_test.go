package parser_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser"
)

// What a refusal offers says the nearest thing to the prompt, not just a prompt
// that can be read.
func TestRewritesSayTheNearest(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Buy Up when BTC rises 2%":                                   "Buy Up when Up has risen by 5c in the last 2 minutes",
		"Buy Up when BTC is above 95k on the 15m":                    "Buy Up when Up is above 60c on the 15m",
		"buy Down when bitcoin falls $500, btc 15m":                  "buy Down when Up has fallen by 5c in the last 2 minutes, btc 15m",
		"buy up if MACD crosses bullish, eth 15m, tp 60c":            "buy up when Up is below 40c, eth 15m, tp 60c",
		"Buy Up below 40c if funding is positive":                    "Buy Up below 40c",
		"Up under 35%, BTC 15m, tp 55%":                              "Up under 0.35, BTC 15m, tp 0.55",
		"buy up under 40c when it has gained 50 bps in 1 minute":     "buy up under 40c when it has gained 0.005 in 1 minute",
		"btc 15m under 35c tp 55c":                                   "Buy Up, btc 15m under 35c tp 55c",
		"buy when it is below 30 cents on ETH 5m":                    "buy Up when it is below 30 cents on ETH 5m",
		"Never buy Up above 60c.":                                    "Buy Up unless it is above 60c.",
		"Don't buy Up when the spread is above 3c":                   "Buy Up unless the spread is above 3c",
		"Buy Up and Down under 45c on BTC 15m":                       "Buy either side under 45c on BTC 15m",
		"buy up under 35c on btc and eth, 15m":                       "buy up under 35c on btc, 15m",
		"Up under 40c, BTC 10m":                                      "Up under 40c, BTC 15m",
		"weekly bitcoin: buy up below 40c":                           "1d bitcoin: buy up below 40c",
		"Buy Up when it jumps 8c, BTC 15m":                           "Buy Up when it jumps 8c in the last minute, BTC 15m",
		"Buy Up if it has gained 10c since the open, BTC 15m":        "Buy Up if it has gained 10c in the last 5 minutes, BTC 15m",
		"buy up under 40c tp 10c btc 15m":                            "buy up under 40c tp 10c above entry btc 15m",
		"Buy 100 shares of Up under 40c on BTC 15m":                  "Buy $100 of Up under 40c on BTC 15m",
		"Up under 40c with at least 1000 shares on the ask":          "Up under 40c with at least $1000 on the ask",
		"Put a resting bid at 30c for Up, BTC 15m":                   "buy Up when its ask is at most 30c, BTC 15m",
		"Short Up above 80c on BTC 15m":                              "Buy Down when Up is above 80c on BTC 15m",
		"Buy Up when it's cheap, BTC 15m":                            "Buy Up when it's below 35c, BTC 15m",
		"Buy Up under 40c if it's early, BTC 15m":                    "Buy Up under 40c if it's in the first 5 minutes, BTC 15m",
		"Buy Up below 40c on BTC 15m over the last 30 days":          "Buy Up below 40c on BTC 15m over the last 200 markets",
		"Buy Up if it stays above 60c for 30 seconds, BTC 15m":       "Buy Up if it stays above 60c, BTC 15m",
		"Buy Up below 40c, sell half at 55c and the rest at 70c, 5m": "Buy Up below 40c, 5m",
		"buy up under 40c, 50 euros per trade, btc 15m":              "buy up under 40c, $50 per trade, btc 15m",
	} {
		_, refusal := parser.Rules(prompt, parser.Overrides{})
		require.NotNil(t, refusal, "%s", prompt)
		require.Equal(t, want, refusal.Rewrite, "%s", prompt)
	}
}
