package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/lazy"
)

// All expressions that are compiled when they are first used can be.
func TestExpressions(t *testing.T) {
	t.Parallel()
	require.Greater(t, lazy.Check(), 200)
}
