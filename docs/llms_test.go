package docs_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/docs"
)

// TestLLMs holds that the list for language models names every document once.
func TestLLMs(t *testing.T) {
	t.Parallel()
	list, full := docs.LLMs(), docs.LLMsFull()
	for _, name := range docs.Names() {
		require.Equal(t, 1, strings.Count(list, "(docs/"+name+".md): "), name)
		source, ok := docs.Markdown(name)
		require.True(t, ok)
		require.Contains(t, full, string(source), name)
	}
	require.True(t, strings.HasPrefix(list, "# Ladderback\n\n> "))
	for line := range strings.Lines(list) {
		require.Less(t, len(line), 420, line)
	}
	_, ok := docs.Markdown("nothing")
	require.False(t, ok)
}

var update = flag.Bool("update", false, "write llms.txt and llms-full.txt of the root")

// TestLLMsInTheTree holds the two files of the source tree to what a server answers.
func TestLLMsInTheTree(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"../llms.txt": docs.LLMs(), "../llms-full.txt": docs.LLMsFull()} {
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, string(got), "go test ./docs -update writes it")
	}
}

// TestSkill holds the frontmatter that agents' programs read.
func TestSkill(t *testing.T) {
	t.Parallel()
	parts := strings.SplitN(docs.Skill, "---\n", 3)
	require.Len(t, parts, 3)
	keys := map[string]string{}
	for line := range strings.Lines(parts[1]) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		require.True(t, ok, line)
		keys[name] = value
	}
	require.Equal(t, "ladderback", keys["name"])
	require.LessOrEqual(t, len(keys["description"]), 1024)
	require.LessOrEqual(t, len(keys["compatibility"]), 500)
	require.Less(t, len(docs.Skill)/4, 1500, "tokens, by four characters each")
}
