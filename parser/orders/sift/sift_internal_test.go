package sift

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// States that are made anew tell the same.
func TestStatesAreMadeAnew(t *testing.T) {
	t.Parallel()
	a := New(false, nil, `^ab+`, `^a[a-z]{1,9}`)
	before, _ := a.From("abb")
	a.known.Load().count.Store(maxStates + 1)
	old := a.known.Load()
	after, steps := a.From("abb")
	require.NotSame(t, old, a.known.Load())
	require.Equal(t, before, after)
	require.Equal(t, 4, steps)
	require.True(t, after.Has(0))
	require.True(t, after.Has(1))
}
