package ladderback_test

import (
	"os"
	"path"
	"regexp"
	"strconv"
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

// walk matches a row of the walks: what it follows, through how many rooms, and the steps.
var walk = regexp.MustCompile("(?m)^\\| ([^|`]+) \\| (\\d+) \\| ([^|]+) \\|")

// TestWalks goes the walks of a newcomer: every function is where it is said to be, and the
// rooms are as many as is said.
func TestWalks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/internals/house.md")
	require.NoError(t, err)
	walks := walk.FindAllStringSubmatch(string(page), -1)
	require.Len(t, walks, 5)
	for _, w := range walks {
		rooms := map[string]bool{}
		for _, s := range step.FindAllStringSubmatch(w[3], -1) {
			content, err := os.ReadFile(s[1])
			require.NoError(t, err, w[1])
			require.Regexp(t, `(?m)^func (\([^)]*\) )?`+s[2]+`[(\[]`, string(content), "%s: %s", w[1], s[1])
			rooms[path.Dir(s[1])] = true
		}
		require.Equal(t, w[2], strconv.Itoa(len(rooms)), w[1])
	}
}
