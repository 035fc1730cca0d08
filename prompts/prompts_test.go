package prompts_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/prompts"
	"github.com/ladderback/ladderback/strategy"
)

// TestVersionNamesTheText holds every version together with the hash of what
// models got under it: whoever changes the text raises the version and adds a
// line.
func TestVersionNamesTheText(t *testing.T) {
	t.Parallel()
	ins, err := prompts.Strategy()
	require.NoError(t, err)
	require.Equal(t, prompts.Version, ins.Version)
	released, err := os.ReadFile("testdata/versions.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(released)), "\n")
	require.Equal(t, ins.Version+" "+ins.Hash, lines[len(lines)-1], "the text has changed: raise Version and add this line to testdata/versions.txt")
	seen := map[string]bool{}
	for _, line := range lines {
		version, _, _ := strings.Cut(line, " ")
		require.False(t, seen[version], "version %s stands twice", version)
		seen[version] = true
	}
	again, err := prompts.Strategy()
	require.NoError(t, err)
	require.Equal(t, ins, again)
}

// TestTextHoldsTheLanguageAlone: short, and without addresses, names of people
// or companies, or anything about the machine.
func TestTextHoldsTheLanguageAlone(t *testing.T) {
	t.Parallel()
	ins, err := prompts.Strategy()
	require.NoError(t, err)
	require.Less(t, len(ins.Text), 9500)
	require.NotRegexp(t, `(?i)https?:|openai|ladderback|api.?key|secret|@`, ins.Text)
	for _, word := range []string{"market_type", "take_profit_offset", "exit_before_seconds", "within_seconds", "cannot_say", "rest_from_bid", "bankroll_fraction", "held_profit", "pair_cost", "since_entry", "max_entries"} {
		require.Contains(t, ins.Text, word)
	}
	for _, c := range strategy.ConditionTypes() {
		require.Contains(t, ins.Text, string(c.Type))
	}
}

func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	ins, err := prompts.Strategy()
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	require.NoError(t, c.AddResource("answer.json", bytes.NewReader(ins.Schema)))
	s, err := c.Compile("answer.json")
	require.NoError(t, err)
	return s
}

func TestExamplesAreValidAnswers(t *testing.T) {
	t.Parallel()
	ins, err := prompts.Strategy()
	require.NoError(t, err)
	examples, err := prompts.Examples()
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, e := range examples {
		answer, err := prompts.Answer(e.Strategy)
		require.NoError(t, err)
		require.Contains(t, ins.Text, e.Prompt+"\n"+string(answer))
	}
}

// TestAnswer: every valid strategy, written as an answer, fits the schema that
// models get, and gives the strategy back.
func TestAnswer(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(strategytest.Canonical(), strategytest.CanonicalExtended()).Draw(t, "s")
		b, err := prompts.Answer(s)
		require.NoError(t, err)
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		var v map[string]any
		require.NoError(t, d.Decode(&v))
		require.NoError(t, schema.Validate(v), "%s", b)
		require.Contains(t, v, prompts.CannotSay)
		delete(v, prompts.CannotSay)
		delete(v, prompts.Quotes)
		rest, err := json.Marshal(v)
		require.NoError(t, err)
		back, err := strategy.Parse(rest)
		require.NoError(t, err, "%s", rest)
		require.Equal(t, s, back)
	})
}

func TestRepairSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	require.Contains(t, prompts.Repair("strategy.side: is missing"), "strategy.side: is missing")
}
