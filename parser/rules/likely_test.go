package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/rules"
)

// What a prompt most likely says is offered, with the fields that the rules have not read, where
// nothing but words that are not understood stands against it.
func TestLikely(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"xrp 5m: when Up nukes 9c inside 40 seconds im all over it, +5c or bust":                    "Buy Up on XRP 5m markets when Up's price has fallen by at least 9c in 40 seconds. Take profit 5c above entry. Otherwise hold to expiry. $100 per trade. Sample of 50 markets.",
		"bnb 1h: up under 0.35, twentieth of bankroll, start 1000":                                  "Buy Up on BNB 1h markets when Up's price is below 35c. Hold to expiry. $100 per trade. Sample of 50 markets. Size a fraction of 0.05 of the bankroll. Bankroll of $1000.",
		"btc 5m up below 30c stop 18c. if i get stopped, one more shot same rules. 15 bucks a shot": "Buy Up on BTC 5m markets when Up's price is below 30c. Stop loss at 18c. Otherwise hold to expiry. $15 per trade. Sample of 50 markets. Up to 2 entries a round, after a stop.",
		"sol 5m Up under 35c, 80 bucks. shave half off at 55c, moonbag goes to 90c, stop is 20c":    "Buy Up on SOL 5m markets when Up's price is below 35c. Take profit at 90c. Stop loss at 20c. Otherwise hold to expiry. $80 per trade. Sample of 50 markets. Order 1: sell a fraction of 0.5 of it, when (its bid is at least 55c).",
		"resting bid 25c, up, xrp 15m, $15; cancel after 5 min; sell at 40c":                        "Buy Up on XRP 15m markets at the start. Take profit at 40c. Otherwise hold to expiry. $15 per trade. Sample of 50 markets. Rest at 25c, cancelled after 5 minutes.",
		"ETH 4h Up hovering 40c to 48c, offload 62c, unless it is thin":                             "", // more turns on it
		"ETH 4h Up hovering 40c to 48c, offload 62c, except mondays":                                "", // what no strategy says
		"BTC 1h Down, bid heap north of $900 sitting there, below 45c, tp 60":                       "", // the bid is lost
		"eth 5m up 30c or 40c": "", // either
		"limit buy for Down at 25c on SOL 5m, leave it until the last minute, then cancel": "", // the cancel is lost
		"BNB 15m, bid 33c for Up. After it the selling limit is 45c":                       "", // the limit of the sale
		"BTC 15m Up under 40c, halt it once I'm down $50":                                  "", // what is lost
		"coin: eth; side: up; ask < 0.4; cooldown: 5m":                                     "", // no length of market
		"grab 50 or better shares of down on eth 15m, ask 35c":                             "", // so many
		"Buy Up hovering 40c to 48c":                                                       "", // of which coin?
		"eth 5m downs @ 40c, sl 33c but loosen it the first 30s":                           "", // a time of the stop
		"btc 15m up under 40c, paused when the spread is over 4c, " +
			"and 2c and 3c and 4c and 5c and 6c and 7c and 8c and 9c and 10c and 11c and 12c and 13c and 14c and 15c and 16c and 17c and 18c " +
			"and 19c and 20c and 21c and 22c and 23c and 24c and 25c and 26c and 27c and 28c and 29c and 30c and 31c and 32c": "",
	} {
		res, refusal := rules.Read(prompt, rules.Overrides{})
		require.Nil(t, res, prompt)
		e := market.AsError(refusal)
		if want == "" {
			require.Nil(t, e.Confirm, "%s\n%s", prompt, e.Suggestion)
			continue
		}
		require.NotNil(t, e.Confirm, "%s\n%s", prompt, e.Message)
		require.Equal(t, want, e.Confirm.Summary)
		require.Equal(t, want, e.Suggestion)
		require.NotEmpty(t, e.Confirm.Likely)
		require.Empty(t, e.Confirm.Alone)
		require.NotEmpty(t, e.Confirm.LeftOut)
		require.Contains(t, e.Message, "most likely meant")
		again, no := rules.Read(e.Suggestion, rules.Overrides{})
		require.Nil(t, no)
		require.Equal(t, want, again.Trace.Summary)
	}
}

// The request's own values are those of what is offered too.
func TestLikelyWithOverrides(t *testing.T) {
	t.Parallel()
	_, refusal := rules.Read("xrp 5m: when Up nukes 9c inside 40 seconds im all over it, +5c or bust", rules.Overrides{SampleSize: new(7)})
	require.NotNil(t, refusal)
	require.Contains(t, refusal.Offer().Confirm.Summary(), "Sample of 7 markets")
}
