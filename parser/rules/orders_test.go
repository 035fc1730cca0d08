package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rules"
)

// What a prompt says of orders is read, and what stands beside it in a way that
// could change it is refused.
func TestOrders(t *testing.T) {
	t.Parallel()
	readsAs(t, "testdata/orders.txt", 50)
}

// A contradiction is asked about in either order, and so is a count that may be of entries.
func TestWhichOfTwo(t *testing.T) {
	t.Parallel()
	for prompt, why := range map[string]string{
		"bid 45c on Up and 45c on Down from the open, no merge, merge pairs": "merged, or not?",
		"bid 45c on Up and 45c on Down from the open, merge pairs, no merge": "merged, or not?",
		"Buy Up on BTC 15m below 40c, at most 15 per round":                  "what is this number of?",
		"Buy Up on BTC 15m below 40c, up to 30 per trade":                    "",
	} {
		_, no := rules.Read(prompt, rules.Overrides{})
		if why == "" {
			require.Nil(t, no, prompt)
			continue
		}
		require.NotNil(t, no, prompt)
		require.Contains(t, no.Message, why)
	}
}

// What public bots do is read, or refused for its true reason.
func TestBots(t *testing.T) {
	t.Parallel()
	readsAs(t, "testdata/bots.txt", 59)
}
