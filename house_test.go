package ladderback_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// step matches a file that a recipe names, with what stands in it.
var step = regexp.MustCompile("`([\\w./-]+\\.\\w+)`: `([^`]+)`")

// TestRecipes walks the recipes for contributors: every file that one leads to is there,
// and has what is to be found in it.
func TestRecipes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/internals/house.md")
	require.NoError(t, err)
	_, recipes, ok := strings.Cut(string(page), "## Recipes")
	require.True(t, ok)
	for _, recipe := range strings.Split(recipes, "\n### ")[1:] {
		name, text, _ := strings.Cut(recipe, "\n")
		steps := step.FindAllStringSubmatch(text, -1)
		require.NotEmpty(t, steps, name)
		for _, s := range steps {
			content, err := os.ReadFile(s[1])
			require.NoError(t, err, name)
			require.True(t, strings.Contains(string(content), s[2]), "%s: %s has no %s", name, s[1], s[2])
		}
	}
	for _, folder := range regexp.MustCompile("(?m)^\\| `([^|]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		for _, one := range strings.Split(folder[1], "`, `") {
			require.DirExists(t, one)
		}
	}
}
