package meaning_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// build makes the strategy of the cheapest reading of a prompt.
func build(t *testing.T, prompt string, o meaning.Overrides) (*meaning.Result, *meaning.Fault) {
	p := grammar.New(prompt)
	defer p.Close()
	require.NotEmpty(t, p.Readings(), prompt)
	res, f := meaning.Build(p.Readings()[0].Items, o)
	if f == nil {
		return res, nil
	}
	require.NotEmpty(t, f.Message)
	return nil, f
}

// A price to sell at is a target above what is paid and a stop below it; parts
// of the round are counted from its length; what is said twice and differently
// is a fault.
func TestBuild(t *testing.T) {
	t.Parallel()
	const rest = " $100 per trade. Sample of 50 markets."
	for prompt, want := range map[string]string{
		"buy up below 40c, sell at 60c":                "Buy Up on BTC 15m markets when Up's price is below 40c. Take profit at 60c. Otherwise hold to expiry." + rest,
		"buy up above 40c, sell at 30c":                "Buy Up on BTC 15m markets when Up's price is above 40c. Stop loss at 30c. Otherwise hold to expiry." + rest,
		"buy up below 40c in the first third, eth 1h":  "Buy Up on ETH 1h markets in the first 20 minutes when Up's price is below 40c. Hold to expiry." + rest,
		"buy the favorite":                             "Buy either side on BTC 15m markets when its price is above 50c. Hold to expiry." + rest,
		"buy down when up is above 60c":                "Buy Down on BTC 15m markets when Up's price is above 60c. Hold to expiry." + rest,
		"buy up below 40c, actually below 35c":         "Buy Up on BTC 15m markets when Up's price is below 35c. Hold to expiry." + rest,
		"buy up below 40c, sell at minute 10, btc 15m": "Buy Up on BTC 15m markets when Up's price is below 40c. Exit 5 minutes before the end." + rest,
	} {
		res, fault := build(t, prompt, meaning.Overrides{})
		require.Nil(t, fault, prompt)
		require.Equal(t, want, res.Strategy.Summary(), prompt)
	}
	for prompt, kind := range map[string]meaning.Kind{
		"buy up below 40c, buy down below 30c":            meaning.Contradicts,
		"buy up below 20c and above 80c":                  meaning.Contradicts,
		"buy up below 40c, tp 60c, tp 70c":                meaning.Contradicts,
		"if the spread is below 2c":                       meaning.NoSide,
		"buy up below 40c, tp 60c, sl 70c":                meaning.Invalid,
		"buy up below 40c in the first third, any length": meaning.Unclear,
	} {
		_, fault := build(t, prompt, meaning.Overrides{})
		require.NotNil(t, fault, prompt)
		require.Equal(t, kind, fault.Kind, "%s: %s", prompt, fault.Message)
	}
}

// The request's own values win, and it is said where the prompt has others.
func TestOverrides(t *testing.T) {
	t.Parallel()
	budget, sample := strategy.Int(20), 7
	res, fault := build(t, "buy up below 40c, $50 per trade", meaning.Overrides{Budget: &budget, SampleSize: &sample})
	require.Nil(t, fault)
	require.Equal(t, budget, res.Strategy.BudgetPerTrade())
	require.Equal(t, sample, res.Strategy.SampleSize())
	require.Len(t, res.Notes, 1)
	require.Equal(t, "budget_per_trade", res.Notes[0].Field)
}
