package sieve_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/sieve"
	"github.com/ladderback/ladderback/archive/store"
)

// TestSieve: of ids that are in a sieve none is missed, in whatever order and however often
// they came, and of others few seem to be in it.
func TestSieve(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 100, 131_072} {
		ids := make([]store.ID, n)
		for i := range ids {
			ids[i] = store.ID(rng.Int64())
		}
		again := slices.Concat(ids, ids)
		slices.Reverse(again)
		bits := sieve.Of(slices.Clone(ids))
		require.Len(t, bits, 2*n)
		require.Equal(t, bits, sieve.Of(again))
		for _, id := range ids {
			require.True(t, sieve.Has(bits, id), "%d of %d", id, n)
		}
		const others = 100_000
		wrong := 0
		for range others {
			if sieve.Has(bits, store.ID(rng.Int64())) {
				wrong++
			}
		}
		if n > 99 {
			require.Less(t, wrong, others/1000, "of %d", n)
		}
	}
	require.False(t, sieve.Has(nil, 7))
}
