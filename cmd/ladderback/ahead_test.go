package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// TestGuessRounds: rounds are listed ahead where a prompt names one coin and one length.
func TestGuessRounds(t *testing.T) {
	t.Parallel()
	from := market.Instant(1_776_000_000_000_000)
	for prompt, want := range map[string]market.RoundFilter{
		"Buy Up on BTC 15m when Up ask is below 40 cents after 1 minute": {Coin: "BTC", Type: "15m", From: from},
		"bitcoin, 1h: Bitcoin BTC 60m":                                   {Coin: "BTC", Type: "1h", From: from},
		"Buy Up on ETH 5m within 15m":                                    {},
		"Buy Up on BTC or ETH 5m":                                        {},
		"Buy Up on BTC":                                                  {},
		"Buy Up on 5m":                                                   {},
		"":                                                               {},
	} {
		got, ok := guessRounds(prompt, replay.Options{From: &from})
		require.Equal(t, want != market.RoundFilter{}, ok, prompt)
		if ok {
			require.Equal(t, want, got, prompt)
		}
	}
}
