package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rules"
)

// Who writes the object is told which of its fields is wrong.
func TestObjectNamesItsField(t *testing.T) {
	for prompt, want := range map[string]string{
		`{"market":{"coin":"BTC","market_type":"15m"},"side":"up","entry":[],"exit":{}}`:                                                                                               "the strategy object: budget_per_trade: is missing",
		`{"market":{"coin":"BTC","market_type":"15m"},"side":"up","entry":[],"exit":{"take_profit":0.2,"stop_loss":0.3,"hold_to_expiry":true},"budget_per_trade":50,"sample_size":50}`: "the strategy object: exit.take_profit: 0.2 must be above exit.stop_loss 0.3",
	} {
		_, refusal := rules.Read(prompt, rules.Overrides{})
		require.NotNil(t, refusal, prompt)
		require.Equal(t, want, refusal.Message)
	}
}

// A suggestion ends as the prompt does, and not twice.
func TestSuggestionEndsOnce(t *testing.T) {
	_, refusal := rules.Read("buy up btc 15m under 40c. double the size after a loss.", rules.Overrides{})
	require.NotNil(t, refusal)
	require.Equal(t, "buy up btc 15m under 40c.", refusal.Offer().Suggestion)
}
