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
		"Buy Up on BTC 15m below 35c with a limit order":                    plain,
		"Buy Up on BTC 15m below 35c and double the stake after a loss":     plain,
		"Buy Up on BTC 15m below 35c then scale in at 30c":                  plain,
		"Buy Up on BTC 15m below 35c and hedge with Down":                   plain,
		"Buy Up on BTC 15m below 35c, take profit at 30c":                   plain,
		"Buy Up on BTC 15m below 35c, stop at 10c, buy Down too below 20c":  plain + ", stop at 10c",
		"Buy both Up and Down on BTC 15m below 35c":                         plain,
		"Buy Up on BTC 15m below 35c. Stop trading after three losses":      plain,
		"Buy Up on BTC 15m below 35c, sell half at 50c and the rest at 70c": plain + ", take profit at 70c",
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
