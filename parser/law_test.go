package parser_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/parser"
)

// The law: the rules read the summary of every valid strategy into the equal
// strategy, and say that they took nothing for granted and ignored no number.
func TestSummaryIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strategytest.Canonical().Draw(t, "strategy")
		summary := s.Summary()
		res, refusal := parser.Rules(summary, parser.Overrides{})
		require.Nil(t, refusal, "%s", summary)
		require.Equal(t, s, res.Strategy, "%s", summary)
		require.Equal(t, summary, res.Trace.Summary)
	})
}
