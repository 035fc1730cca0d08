package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// The law: the rules read the summary of every valid strategy into the equal
// strategy.
func TestSummaryIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strategytest.Valid().Draw(t, "strategy")
		want, err := strategy.Canonicalize(s)
		require.NoError(t, err)
		res, refusal := rules.Read(want.Summary(), rules.Overrides{})
		require.Nil(t, refusal, "%s", want.Summary())
		require.True(t, want.Equal(res.Strategy), "%s\n%s", want.Summary(), res.Trace.Summary)
	})
}
