package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rules"
)

// What is open, the position or the round, is part of an exit at a time, and asked elsewhere: it bought in the
// first seconds alone.
func TestWhatIsOpen(t *testing.T) {
	t.Parallel()
	const sold = "Buy Up on DOGE 1h markets when Up's price is below 48c. Exit 2 minutes before the end. $100 per trade. Sample of 50 markets."
	for prompt, want := range map[string]string{
		"Buy Up on DOGE 1h below 48c, sell 2 minutes before the end if still open": sold,
		"Buy Up on DOGE 1h below 48c, exit 2 min before the end if it is open":     sold,
		"Buy Up on DOGE 1h below 48c, take profit at 60c if still open":            "",
		"Buy Up if open is below 48c on DOGE 1h":                                   "",
		"Buy Up on DOGE 1h as soon as it opens":                                    "Buy Up on DOGE 1h markets at the start. Hold to expiry. $100 per trade. Sample of 50 markets.",
	} {
		res, no := rules.Read(prompt, rules.Overrides{})
		if want == "" {
			require.NotNil(t, no, prompt)
			require.Contains(t, no.Message, "is the position open, or the round?")
			continue
		}
		require.Nil(t, no, prompt)
		require.Equal(t, want, res.Trace.Summary)
	}
}

// A moment to think is no time to hold, which is read wherever it stands.
func TestHoldOn(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]int64{
		"Buy Up on BTC 15m below 40c. hold on 10 seconds let me think": 0,
		"hold on 20 seconds. Buy Up on BTC 15m below 40c":              0,
		"hold that a sec, buy Up on BTC 15m below 40c":                 0,
		"Buy Up on BTC 15m below 40c, and hold up to 2 minutes":        120,
		"Buy Up on BTC 15m below 40c. Hold it a minute.":               60,
		"Hold for 2 minutes. Buy Up on BTC 15m below 40c":              120,
	} {
		res, no := rules.Read(prompt, rules.Overrides{})
		if want == 0 {
			require.NotNil(t, no, prompt)
			continue
		}
		require.Nil(t, no, prompt)
		require.EqualValues(t, want, res.Strategy.Strategy().Exit.MaxHoldSeconds, prompt)
	}
}

// A number without a unit that an order is with is money, shares or a price: it rested at 20c.
func TestOrderWithANumber(t *testing.T) {
	t.Parallel()
	for prompt, says := range map[string]bool{
		"Bid for Up with 20, BTC 15m":             false,
		"Limit buy Up with 30 on BTC 15m":         false,
		"Limit buy Up with 30c, BTC 15m":          true,
		"Buy Up with a limit at 30, BTC 15m":      true,
		"Limit buy Up at 30c with $20 on BTC 15m": true,
	} {
		_, no := rules.Read(prompt, rules.Overrides{})
		require.Equal(t, says, no == nil, prompt)
		if !says {
			require.Contains(t, no.Message, "dollars, shares or a price?", prompt)
		}
	}
}
