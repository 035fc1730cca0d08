package care_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/store"
)

// TestFindSource: a source is found by its name, or the beginning of its sum; by the last part
// of its name where no other is called so, and none is guessed.
func TestFindSource(t *testing.T) {
	t.Parallel()
	all := []store.Source{
		{ID: 1, Name: "a/day.jsonl", SHA256: [32]byte{0xab, 0xcd, 0xef, 0x01}},
		{ID: 2, Name: "b/day.jsonl", SHA256: [32]byte{0xab, 0xcd, 0xef, 0x02}},
		{ID: 3, Name: "b/night.jsonl", SHA256: [32]byte{0x12}},
		{ID: 4, Name: "night.jsonl", SHA256: [32]byte{0x34}},
	}
	for name, want := range map[string]store.SourceID{"a/day.jsonl": 1, "abcdef02": 2, "ABCDEF02": 2, "night.jsonl": 4, "b/night.jsonl": 3, "120000": 3} {
		s, err := care.FindSource(all, name)
		require.NoError(t, err, name)
		require.Equal(t, want, s.ID, name)
	}
	for name, want := range map[string]string{"day.jsonl": "2 sources have that name", "abcdef": "2 sources have that name", "12000": "not found", "day": "not found", "": "not found"} {
		_, err := care.FindSource(all, name)
		require.ErrorContains(t, err, want, name)
	}
	_, err := care.FindSource(all, "nothing")
	require.ErrorIs(t, err, store.ErrNotFound)
}
