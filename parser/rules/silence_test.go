package rules_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rules"
)

// What was once read as something else is read rightly, or refused.
func TestReadRightlyOrNotAtAll(t *testing.T) {
	t.Parallel()
	readsAs(t, "testdata/silence.txt", 100)
}

// What is not vocabulary is passed over where it can change nothing, and refused
// elsewhere.
func TestSecondReading(t *testing.T) {
	t.Parallel()
	readsAs(t, "testdata/again.txt", 20)
}

// readsAs holds the prompts of a file, more than most, against what stands below
// them.
func readsAs(t *testing.T, file string, most int) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(string(data), "\n")
	n := 0
	for i, line := range lines {
		prompt, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		n++
		res, refusal := rules.Read(strings.ReplaceAll(prompt, `\n`, "\n"), rules.Overrides{})
		if refusal != nil {
			require.NotEmpty(t, refusal.Message, prompt)
			require.NotContains(t, refusal.Message, "strategy.", prompt)
			assert.Equal(t, lines[i+1], "refused: "+refusal.Code, "%s", prompt)
			continue
		}
		assert.Equal(t, lines[i+1], res.Trace.Summary, "%s", prompt)
	}
	require.Greater(t, n, most)
}

// Every obstacle is named at once.
func TestEveryObstacleIsNamed(t *testing.T) {
	t.Parallel()
	_, refusal := rules.Read("buy up below 35%, martingale after each loss, limit order at 30c, $50 per trade", rules.Overrides{})
	require.NotNil(t, refusal)
	require.Equal(t, rules.CodeUnsupportedSignal, refusal.Code)
	require.GreaterOrEqual(t, len(refusal.Obstacles), 3)
	last := -1
	for _, o := range refusal.Obstacles {
		require.GreaterOrEqual(t, o.Start, last)
		require.NotEmpty(t, o.Remedy)
		last = o.Start
	}
}
