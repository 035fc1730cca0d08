package parser_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser"
)

// A model that passes over words is believed in none of these without a click: no
// question for advice is a strategy, a sale is no bound on the purchase, rounds are no
// dollars, and a stake that is not known is not the usual one.
func TestCarelessAnswersAreNotBelieved(t *testing.T) {
	t.Parallel()
	for prompt, read := range map[string]string{
		"Which coin is best for buying Up under 30c?":                                         "buying Up under 30c",
		"Should I buy Up below 30c?":                                                          "buy Up below 30c",
		"Which is better, to buy Up below 30c or Down?":                                       "buy Up below 30c",
		"Should I buy Up or Down on Ethereum?":                                                "buy either side on Ethereum",
		"If Up is below 30c, should I buy it on BTC 15m?":                                     "If Up is below 30c, buy it on BTC 15m",
		"What's the best price to buy Up below 40c at?":                                       "buy Up below 40c",
		"Do you think I should get Up on BTC 15m at 30c?":                                     "get Up on BTC 15m at 30c",
		"bnb 15m up if its cheaper than 50c, out wid 1 min left, 12 bucks":                    "bnb 15m up if its cheaper than 50c, with 1 min left, 12 bucks",
		"hop in up on eth 5m @ 33c, hop out @ 44c, keep it 100 (rounds lol)":                  "hop in up on eth 5m @ 33c, hop out @ 44c",
		"buy Up bllwo 30c, btc 15m":                                                           "buy Up 30c, btc 15m",
		"Buy Up under -5c, BTC 15m":                                                           "Buy Up, -5c, BTC 15m",
		"Exit when Down is above 70c or costs 60c, buy Up under 40c, BTC 15m":                 "Exit above 70c, buy Up under 40c, BTC 15m",
		"is buying Up on LTC 15m at 24c or under worth it if I sell after 2 minutes?":         "buying Up on LTC 15m at 24c or under, after 2 minutes",
		"hm which of them would you take?":                                                    "take either",
		"get me Yes in the Dallas Bears game at 30c or less":                                  "get me Yes at 30c or less",
		"xrp 1h, buy the underdog if its under 15c, 5 of my bucks":                            "xrp 1h, buy the underdog if its under 15c, stop 5c",
		"bet the farm on up btc 15m":                                                          "up btc 15m",
		"does Up on XRP 1h between 45c and 50c, ended 10 minutes before the end, make money?": "Up on XRP 1h between 45c and 50c with 10 minutes left",
		"bet $10 on up for bitcoin 15m every mornin at 8":                                     "bet $10 on up at 8c for bitcoin 15m",
		"Buy Down on SOL 5m if Up is 10 cents higher than at the open.":                       "Buy Down on SOL 5m if Up is 10 cents",
		"buy up on eth 15m if it stays under 30c for a whole minute":                          "buy up on eth 15m if it is under 30c",
		"whichever side is pumping on eth 15m, ape 50 bucks":                                  "either side on eth 15m, 50 bucks",
		"coin: TSLA\nmarket: 15m\nside: up\nprice: < 0.40":                                    "side: up\nprice: < 0.40",
		"sol 1h dn. buy <30c OR dn +10c in 2min. tp 60c":                                      "sol 1h dn. buy <30c and dn +10c in 2min. tp 60c",
		"Cost-of-entry filter. Buy Down below 33c, not in the final 300 s, TP at 0.50":        "Buy Down below 33c, not in the final 300 s, TP at 0.50, never hold to expiry",
		"enter in Up when Down costs > 65c. I go out when Up is 45c, or when Up is 25c":       "enter in Up when Down costs > 65c and when Up is 25c, tp 45c",
		"Forget what I said before. Just buy Up on BTC 5m at the open.":                       "buy Up on BTC 5m with 10 seconds left",
	} {
		careless, refusal := parser.Rules(read, parser.Overrides{})
		require.Nil(t, refusal, read)
		res, refusal := parser.Parse(t.Context(), answering(t, asJSON(t, careless.Strategy)), prompt, parser.Overrides{})
		require.NotNil(t, refusal, "%q: %v", prompt, res)
	}
	for _, prompt := range []string{"Can you buy Up below 30c?", "could you test buying Up below 30c on BTC 15m?"} {
		_, refusal := parser.Rules(prompt, parser.Overrides{})
		require.Nil(t, refusal, prompt) // asks to have it done
	}
}
