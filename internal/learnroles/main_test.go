package main

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the weights")

// The weights that are compiled in are those learned from the labelled prompts of the tree.
func TestWeights(t *testing.T) {
	t.Parallel()
	list, _, err := read("../..", nil)
	require.NoError(t, err)
	learned := all(list)
	for _, l := range learned {
		require.LessOrEqual(t, len(l.names), 255, "a name is a byte of the file, and so is how many a feature says something of")
	}
	packed := packed(learned)
	const compiledIn = "../../parser/roles/weights.gz"
	if *update {
		require.NoError(t, os.WriteFile(compiledIn, packed, 0o644))
	}
	have, err := os.ReadFile(compiledIn)
	require.NoError(t, err)
	require.True(t, string(have) == string(packed), "other prompts than it was learned from: go test ./internal/learnroles -update")
}
