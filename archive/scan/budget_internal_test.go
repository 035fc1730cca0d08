package scan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
)

// TestBudget: what does not fit is not held, and what is given up makes room.
func TestBudget(t *testing.T) {
	t.Parallel()
	h := &prefetcher{tops: true}
	require.True(t, h.hold(budget-10))
	require.False(t, h.hold(11))
	require.True(t, h.hold(10), "a refusal takes no room")
	h.held.Add(-20)
	require.True(t, h.hold(20))

	g := &planned{plans: map[store.ID]*plan{1: {}, 2: {}}}
	h.settle(g)
	require.False(t, g.keep, "plans beyond the budget are thrown away once they were used")
	require.EqualValues(t, budget, h.held.Load())
	h.held.Store(0)
	h.settle(g)
	require.True(t, g.keep)
	require.Equal(t, g.plans[1].size()+g.plans[2].size(), h.held.Load())
	for _, p := range g.plans {
		require.True(t, p.kept)
	}
}
