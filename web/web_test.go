package web_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/web"
)

// The page names each of the files that it begins with once, and leaves none of the others
// unused; it holds no script or style of its own, and leads to no other host.
func TestPage(t *testing.T) {
	t.Parallel()
	files := web.Files()
	page, err := fs.ReadFile(files, "index.html")
	require.NoError(t, err)
	assets, err := fs.Glob(files, "assets/*")
	require.NoError(t, err)
	named, all := 0, ""
	for _, name := range assets {
		content, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		all += string(content)
	}
	for _, name := range assets {
		content, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		require.Regexp(t, `^assets/\w+-([0-9a-f]{12}|[0-9A-Z]{8})\.(js|css|woff2|svg)$`, name)
		switch strings.Count(string(page), `"/`+name+`"`) {
		case 1:
			named++
		case 0: // of the pages that are forms, or loaded by another
			require.True(t, strings.HasPrefix(name, "assets/forms-") || strings.Contains(all, `"./`+strings.TrimPrefix(name, "assets/")+`"`), name)
		default:
			require.Fail(t, "named twice", name)
		}
		if !strings.HasSuffix(name, ".woff2") && !strings.HasSuffix(name, ".svg") {
			require.Empty(t, regexp.MustCompile(`(?:src|href|fetch\(|url\()["'(]?https?://`).FindString(string(content)), name)
		}
	}
	require.Greater(t, named, 4, "icon, font, style, script, and the parts that it shares with what it loads later")
	require.NotContains(t, string(page), "<style")
	require.NotContains(t, string(page), "://")
	require.NotRegexp(t, `<script[^>]*>[^<]`, string(page))
}

// Every component of the page has a test of its own beside it, which imports it; all of them
// run without a browser (npm run components).
func TestComponentsHaveTests(t *testing.T) {
	t.Parallel()
	components, err := filepath.Glob("src/*.tsx")
	require.NoError(t, err)
	require.NotEmpty(t, components)
	for _, path := range components {
		stem := strings.TrimSuffix(path, ".tsx")
		test, err := os.ReadFile(stem + ".test.jsx")
		require.NoError(t, err, "%s has no test beside it", path)
		require.Regexp(t, `from '\./`+filepath.Base(stem)+`'`, string(test), path)
		require.Regexp(t, `(?m)^test\('`, string(test), path)
	}
}
