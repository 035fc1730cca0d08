package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/rules"
)

// All expressions that are compiled when they are first used can be.
func TestExpressions(t *testing.T) {
	t.Parallel()
	rules.Read("Buy Up below 40c on BTC 15m", rules.Overrides{}) // what is made of a table at the first prompt too
	require.Greater(t, lazy.Check(), 280)
}
