package parser_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser"
)

// TestModelThatAnswersWhereARefusalIsDue: a model that passes over what no
// strategy can say, or that settles what has two readings, is not believed. It
// answers with what the rules read in the rest of the prompt.
func TestModelThatAnswersWhereARefusalIsDue(t *testing.T) {
	t.Parallel()
	const plain = "Buy Up on BTC 15m below 35c"
	for prompt, rest := range map[string]string{
		// Screens: a percentage, values from outside.
		"Buy Up on BTC 15m below 35%":                                    plain,
		"Buy Up on BTC 15m below 35c, take profit at 20%":                plain,
		"Buy Up on BTC 15m below 35c if bitcoin is above 100k":           plain,
		"Buy Up on BTC 15m below 35c when RSI is below 30":               plain,
		"Buy Up on BTC 15m below 35c if Binance volume rises":            plain,
		"Buy Up on BTC 15m below 35c, but only after good news":          plain,
		"Kaufe Up bei BTC 15m unter 35c, wenn der RSI unter 30 liegt":    plain,
		"Kaufe Up bei BTC 15m unter 35c, Gewinnziel 20%":                 plain,
		"Buy Up on BTC 15m below 35c if the 20-period average is rising": plain,
		// Unsayable, in a rule.
		"Buy Up on BTC 15m below 35c with a limit order":                             plain,
		"Buy Up on BTC 15m below 35c and double the stake after a loss":              plain,
		"Buy Up on BTC 15m below 35c then scale in at 30c":                           plain,
		"Buy Up on BTC 15m below 35c and hedge with Down":                            plain,
		"Buy Up on BTC 15m below 35c, take profit at 30c":                            plain,
		"Buy Up on BTC 15m below 35c, stop at 10c, buy Down too below 20c":           plain + ", stop at 10c",
		"Buy both Up and Down on BTC 15m below 35c":                                  plain,
		"Buy Up on BTC 15m below 35c. Stop trading after three losses":               plain,
		"Buy Up on BTC 15m below 35c, sell most at 50c and the rest at 70c":          plain + ", take profit at 70c",
		"Luck comes back. So raise the stake after every loss. BTC 15m up under 35c": "BTC 15m up under 35c",
		// Passed over: words that a rule turns on.
		"Buy Up on BTC 15m below 35c whenever the zorb glimmers":                           plain,
		"Buy Up on BTC 15m below 35c with hardly more than a jiffy left":                   plain,
		"Please buy whichever token you believe is better value on BTC 15m":                "Buy either side on BTC 15m",
		"Entering is zorbly not glimmered in the last 5 minutes. Buy Up on BTC 15m at 35c": "Buy Up on BTC 15m at 35c in the last 5 minutes",
		"Buy Up on BTC 15m as soon as the Up token has dropped 10 cents":                   "Buy Up on BTC 15m at 10c",
		"eth 5m: grab Down after it drops 8c or more inside 45 zorb seconds, +6c target":   "eth 5m: grab Down at 8c or more in the first 45 seconds, +6c target",
		// Two readings.
		"Buy Up on BTC 15m below 35c, 50c":                  plain + ", take profit at 50c",
		"Buy Up on BTC 15m below 35c or buy Down below 30c": plain,
		"Buy Up on BTC 15m if Up is below 40c or above 60c in the first 5 minutes or below 20c and spread below 2c": "Buy Up on BTC 15m below 40c",
	} {
		answer, refusal := parser.Rules(rest, parser.Overrides{})
		require.Nil(t, refusal, rest)
		text, err := json.Marshal(answer.Strategy)
		require.NoError(t, err)
		for _, given := range []string{string(text), withQuotes(t, string(text), prompt)} {
			res, refusal := parser.Parse(t.Context(), answering(t, given), prompt, parser.Overrides{})
			if res != nil {
				t.Errorf("%q became %s", prompt, res.Trace.Summary)
				continue
			}
			require.NotNil(t, refusal)
			require.NotEmpty(t, refusal.Message, prompt)
		}
	}
}

// TestLabelledRefusalsBesideAModel: every labelled prompt that means no strategy
// stays refused when the model gives one.
func TestLabelledRefusalsBesideAModel(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, file := range []string{"testdata/prompts.jsonl", "testdata/prompts2.jsonl"} {
		for _, l := range labelled.Read(t, file) {
			if len(l.Strategies) > 0 {
				continue
			}
			tried++
			if res, _ := parser.Parse(t.Context(), answering(t, readableAnswer), l.Prompt, parser.Overrides{}); res != nil {
				t.Errorf("%s %q became %s", l.ID, l.Prompt, res.Trace.Summary)
			}
		}
	}
	require.Greater(t, tried, 100)
}

// TestModelIsBelievedBesideTalk: words of a rule in talk keep no model from being
// asked, nor its right answer from being taken.
func TestModelIsBelievedBesideTalk(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Good afternoon Susan could you type up zorb buy up on bitcoin four hours when it is under 25c":                 "Buy Up on BTC 4h below 25c",
		"BTC 15m, buy Up below 35c. Twenty dollars per trade would be plenty zorb for me.":                              "Buy Up on BTC 15m below 35c, $20 per trade",
		"Zorbs rarely flip. ETH 15m, buy the side zorbing above 85c, hold it, $60 per trade":                            "Buy either side on ETH 15m above 85c, hold to expiry, $60 per trade",
		"Zorb the candidate token be either side of the SOL 5m market. Enter when its best bid is at least 0.86. Hold.": "Buy either side on SOL 5m when its bid is at least 0.86, hold to expiry",
		"eth 5m up under 60c, trailing stop of 5 cents zorb, actually make that 6 cents":                                "eth 5m up under 60c, trail by 6c",
	} {
		answer, refusal := parser.Rules(want, parser.Overrides{})
		require.Nil(t, refusal, want)
		text, err := json.Marshal(answer.Strategy)
		require.NoError(t, err)
		res, refusal := parser.Parse(t.Context(), answering(t, string(text)), prompt, parser.Overrides{})
		if refusal != nil {
			t.Errorf("%q is refused: %s", prompt, refusal.Message)
			continue
		}
		require.True(t, answer.Strategy.Equal(res.Strategy), prompt)
	}
}
