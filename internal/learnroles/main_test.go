package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the weights")

// The weights that are compiled in are those learned from the labelled prompts of the tree.
func TestWeights(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../parser/testdata/*.jsonl")
	require.NoError(t, err)
	list, _, err := read(files, "")
	require.NoError(t, err)
	packed := learn(list).pack()
	const compiledIn = "../../parser/roles/weights.gz"
	if *update {
		require.NoError(t, os.WriteFile(compiledIn, packed, 0o644))
	}
	have, err := os.ReadFile(compiledIn)
	require.NoError(t, err)
	require.True(t, string(have) == string(packed), "other prompts than it was learned from: go test ./internal/learnroles -update")
}
