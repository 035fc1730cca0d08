package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// TestStrategyFile: a strategy is read as the object, or out of what parse and backtest
// print; what replaces its sample and budget does, and mistakes name the file.
func TestStrategyFile(t *testing.T) {
	t.Parallel()
	a := quiet(nil)
	read, err := a.Prompt(t.Context(), "Buy Up on BTC 15m below 35c, $50 per trade, last 200 markets", "rules", parser.Overrides{}, nil)
	require.NoError(t, err)
	object, err := json.Marshal(read.Strategy)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "s.json")
	sample, budget := 7, 3*strategy.One
	for _, text := range []string{
		string(object), "\ufeff" + string(object) + "\r\n",
		`{"prompt":"x","strategy":` + string(object) + `,"report":{}}`, "\ufeff{\"strategy\":" + string(object) + "}",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		body, err := a.StrategyFile(t.Context(), path, parser.Overrides{})
		require.NoError(t, err)
		require.Equal(t, read.Strategy, body.Strategy)
		require.Equal(t, body.Strategy.Summary(), body.Prompt)
		body, err = a.StrategyFile(t.Context(), path, parser.Overrides{SampleSize: &sample, Budget: &budget})
		require.NoError(t, err)
		require.Equal(t, 7, body.Strategy.SampleSize())
		require.Equal(t, budget, body.Strategy.BudgetPerTrade())
	}
	for text, says := range map[string]string{
		"":                 "s.json: ",
		`{"strategy":{}}`:  "s.json: strategy.market: is missing",
		`{"strategy":"x"}`: "s.json: ",
		strings.Replace(string(object), `"sample_size":200`, `"sample_size":0`, 1): "sample_size",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := a.StrategyFile(t.Context(), path, parser.Overrides{})
		require.ErrorContains(t, err, says, text)
	}
	_, err = a.StrategyFile(t.Context(), filepath.Join(t.TempDir(), "none.json"), parser.Overrides{})
	require.ErrorIs(t, err, os.ErrNotExist)
	a.In = strings.NewReader(string(object))
	body, err := a.StrategyFile(t.Context(), "-", parser.Overrides{})
	require.NoError(t, err, "- is standard input")
	require.Equal(t, read.Strategy, body.Strategy)
}

// TestNearlyRead: what a refusal offers is taken only by who accepts it.
func TestNearlyRead(t *testing.T) {
	t.Parallel()
	a := quiet(nil)
	const prompt = "buy up below 40c my dude, all glory to the hypnotoad zorg"
	_, refusal := parser.Parse(t.Context(), nil, prompt, parser.Overrides{})
	require.NotNil(t, refusal)
	require.NotNil(t, refusal.Offer().Confirm)
	_, err := a.Prompt(t.Context(), prompt, "rules", parser.Overrides{}, func(*parser.Refusal) bool { return false })
	require.ErrorContains(t, err, "hypnotoad")
	body, err := a.Prompt(t.Context(), prompt, "rules", parser.Overrides{}, func(r *parser.Refusal) bool { return true })
	require.NoError(t, err)
	require.Equal(t, refusal.Offer().Confirm.Summary(), body.Strategy.Summary())
	// What a shell made of $50 between double quotes is told.
	_, err = a.Prompt(t.Context(), "Buy Up on BTC 15m below 35c, 0 per trade", "rules", parser.Overrides{}, nil)
	require.ErrorContains(t, err, "put the prompt in single quotes")
}

// TestModelFor: the rules need no model; one that is asked for has to be configured.
func TestModelFor(t *testing.T) {
	t.Parallel()
	for which, says := range map[string]string{"rules": "", "auto": "", "llm": "no language model is configured"} {
		m, err := quiet(nil).ModelFor(which)
		require.Nil(t, m)
		if says != "" {
			require.ErrorContains(t, err, says)
		} else {
			require.NoError(t, err)
		}
	}
	env := map[string]string{"LADDERBACK_LLM_BASE_URL": "http://127.0.0.1:1/v1"}
	_, err := quiet(env).ModelFor("auto")
	require.ErrorContains(t, err, "LADDERBACK_LLM_MODEL go together")
	env["LADDERBACK_LLM_MODEL"] = "m"
	m, err := quiet(env).ModelFor("auto")
	require.NoError(t, err)
	require.NotNil(t, m)
	m, err = quiet(env).ModelFor("rules")
	require.NoError(t, err)
	require.Nil(t, m)
}
