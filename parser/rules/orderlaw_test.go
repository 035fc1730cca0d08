package rules_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/parser/rules"
)

// The law for orders: the rules read the summary of every valid strategy with orders
// into the equal strategy.
func TestSummaryOfOrdersIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := strategytest.CanonicalExtended().Draw(t, "strategy")
		res, refusal := rules.Read(want.Summary(), rules.Overrides{})
		require.Nil(t, refusal, "%s", want.Summary())
		a, err := json.Marshal(want)
		require.NoError(t, err)
		b, err := json.Marshal(res.Strategy)
		require.NoError(t, err)
		require.JSONEq(t, string(a), string(b), "%s", want.Summary())
		require.True(t, want.Equal(res.Strategy))
		for _, a := range res.Trace.Assumptions {
			require.Fail(t, "assumed", "%+v of %s", a, want.Summary())
		}
	})
}
