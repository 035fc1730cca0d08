package sift

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// States that are made anew tell the same.
func TestStatesAreMadeAnew(t *testing.T) {
	t.Parallel()
	a := New(false, nil, `^ab+`, `^a[a-z]{1,9}`)
	way := a.With(a.May("abb"))
	before, _ := way.From("abb")
	old := a.known
	old.count.Store(maxStates + 1)
	after, steps := way.From("abb")
	require.NotSame(t, old, a.known)
	require.Equal(t, before, after)
	require.Equal(t, 4, steps)
	require.True(t, after.Has(0))
	require.True(t, after.Has(1))
}

// What was seen is told from what was seen so many states ago that they are counted anew.
func TestStatesAreCountedAnew(t *testing.T) {
	t.Parallel()
	a, b := New(false, nil, `^(?:a|ab+)`, `^a[bc]{1,3}d`), New(false, nil, `^(?:a|ab+)`, `^a[bc]{1,3}d`)
	ways := [2]*Way{a.With(a.May("abcd")), b.With(b.May("abcd"))}
	b.last = math.MaxInt32 - 3
	for at := range b.seen {
		b.seen[at] = int32(math.MinInt32 + at%4) // which come next, were they not
	}
	for _, text := range []string{"abb", "abcd", "acbd", "abcc", "a"} {
		want, steps := ways[0].From(text)
		got, same := ways[1].From(text)
		require.Equal(t, want, got, text)
		require.Equal(t, steps, same)
	}
	require.Less(t, b.last, int32(math.MaxInt32-3))
}
