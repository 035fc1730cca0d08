package guard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/guard"
	"github.com/ladderback/ladderback/strategy"
)

// A quote is found where a sign of the prompt stands for several words, and one that is not there
// is none.
func TestQuotes(t *testing.T) {
	t.Parallel()
	const prompt = "long Up on XRP 15m when Δprice(30s) ≥ 0.07, then hold ½ minute, all of it at $20"
	s, err := strategy.Parse([]byte(`{"market":{"coin":"XRP","market_type":"15m"},"side":"up","entry":[{"type":"price_change","token":"up","comparator":"gte","threshold":0.07,"within_seconds":30}],"exit":{"take_profit":null,"stop_loss":null,"max_hold_seconds":30,"hold_to_expiry":true},"budget_per_trade":20,"sample_size":50}`))
	require.NoError(t, err)
	for words, outcome := range map[string]string{prompt: "", "Δprice(30s) ≥ 0.07": "unread", "price change": "misquoted"} {
		quotes, ok := guard.ParseQuotes(json.RawMessage(`[{"field":"entry","words":"` + words + `"}]`))
		require.True(t, ok)
		_, no := guard.Judge(prompt, &guard.Answer{Strategy: s, Quotes: quotes}, guard.Known{})
		if outcome == "" {
			require.Nil(t, no, words)
			continue
		}
		require.NotNil(t, no, words)
		require.Equal(t, outcome, no.Outcome, "%s: %s", words, no.Note)
	}
}
