package web_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/web"
)

// The page names each of its files once, holds no script or style of its own, and
// leads to no other host.
func TestPage(t *testing.T) {
	t.Parallel()
	files := web.Files()
	page, err := fs.ReadFile(files, "index.html")
	require.NoError(t, err)
	assets, err := fs.Glob(files, "assets/*")
	require.NoError(t, err)
	require.Len(t, assets, 3)
	for _, name := range assets {
		require.Equal(t, 1, strings.Count(string(page), `"/`+name+`"`), name)
		require.Regexp(t, `^assets/\w+-[0-9a-f]{12}\.(js|css|woff2)$`, name)
		content, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		if !strings.HasSuffix(name, ".woff2") {
			require.Empty(t, regexp.MustCompile(`(?:src|href|fetch\(|url\()["'(]?https?://`).FindString(string(content)), name)
		}
	}
	require.NotContains(t, string(page), "<style")
	require.NotContains(t, string(page), "://")
	require.NotRegexp(t, `<script[^>]*>[^<]`, string(page))
}
