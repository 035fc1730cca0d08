package rules_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rules"
)

// cleanRules are prompts in several voices that are read by themselves.
var cleanRules = []string{
	"Buy Up on BTC 15m below 40c, sell at 55c, $20 per trade.",
	"btc 5m, down under 28c first 2 mins, tp 44, sl 17, 50 bucks a clip",
	"eth 1h: buy Down when Up's bid is over 75c. Hold to expiry.",
	"coin: SOL\nmarket: 15m\nside: up\nentry: price < 0.4\ntake_profit: 0.55",
	"- BTC 15m, Down\n- price < 0.38\n- tp 0.55, sl 0.25\n- $20",
	"I would like to buy Up on the Bitcoin fifteen minute market if its price is below 35 cents, and sell it at 55 cents.",
	"Enter Up on ETH 5m when the imbalance is at least 0.7. Exit after 45 seconds. $80.",
	"any coin, five minute rounds, either side, at six cents or less with a minute and a half or more left, two dollars each, let them settle",
}

// places are where something stands beside a rule: behind what and before what.
var places = []struct{ name, before, behind string }{
	{"sentence before", "", ". \x00"},
	{"exclamation before", "", "! \x00"},
	{"line before", "", "\n\x00"},
	{"lead-in", "", ": \x00"},
	{"dash", "", " - \x00"},
	{"sentence behind", "\x00. ", "."},
	{"line behind", "\x00\n", ""},
	{"bullet", "\x00\n- ", ""},
	{"comment", "// ", "\n\x00"},
}

// everywhere has each line stand in every place; without it each stands in a third of them, and
// every place has a third of the lines.
var everywhere = flag.Bool("everywhere", false, "stories and instructions stand in every place")

// besideRules calls f with every line of a file beside clean rules: the places and the rules
// in turns.
func besideRules(t *testing.T, file string, f func(name, line, prompt, rule string)) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		for k, p := range places {
			if !*everywhere && (n+k)%3 != 0 {
				continue
			}
			rule := cleanRules[(n/3+k)%len(cleanRules)]
			behind := p.behind
			if strings.HasPrefix(p.before, "\x00") && !strings.HasSuffix(rule, ".") && strings.HasPrefix(p.before, "\x00.") {
				rule += "."
			}
			prompt := strings.ReplaceAll(p.before, "\x00.", "\x00") + line + behind
			f(p.name, line, strings.ReplaceAll(prompt, "\x00", rule), rule)
		}
		n++
	}
	require.Greater(t, n, 200)
}

// A story beside a rule changes nothing.
func TestStoriesChangeNothing(t *testing.T) {
	t.Parallel()
	besideRules(t, "testdata/stories.txt", func(name, line, prompt, rule string) {
		want, refusal := rules.Read(rule, rules.Overrides{})
		require.Nil(t, refusal, rule)
		got, refusal := rules.Read(prompt, rules.Overrides{})
		if refusal != nil {
			assert.Fail(t, "refused", "%s: %s\n%s\n%s", line, name, prompt, refusal.Message)
			return
		}
		assert.Equal(t, want.Trace.Summary, got.Trace.Summary, "%s: %s\n%s", line, name, prompt)
	})
}

// What is no story beside a rule is refused.
func TestInstructionsAreNoStories(t *testing.T) {
	t.Parallel()
	besideRules(t, "testdata/instructions.txt", func(name, line, prompt, _ string) {
		got, refusal := rules.Read(prompt, rules.Overrides{})
		if refusal == nil {
			assert.Fail(t, "read", "%s: %s\n%s\n%s", line, name, prompt, got.Trace.Summary)
		}
	})
}
