package docs_test

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/docs"
)

// TestTextFits holds that no line of a document is wider than asked for, but for
// code and words that are.
func TestTextFits(t *testing.T) {
	t.Parallel()
	require.Contains(t, docs.Names(), "language")
	require.Contains(t, docs.Names(), "api")
	for _, name := range docs.Names() {
		require.NotEmpty(t, docs.Title(name), name)
		for _, width := range []int{60, 80, 100} {
			page, err := docs.Text(name, width)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(page, strings.ToUpper(docs.Title(name))+"\n"), name)
			for line := range strings.Lines(page) {
				line = strings.TrimRight(line, "\n")
				isCode := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "      ")
				// A table of many columns is as wide as its longest words.
				if text.StringWidth(line) > width && !isCode && width >= 80 && !strings.Contains(line, "http") {
					t.Errorf("%s at %d columns has %d: %s", name, width, text.StringWidth(line), line)
				}
				require.NotContains(t, line, "](", "%s: a link as it stands in the source", name)
				require.NotContains(t, line, "|---", "%s: a table as it stands in the source", name)
			}
		}
	}
	_, err := docs.Text("nothing", 80)
	require.ErrorContains(t, err, `no document "nothing"`)
	_, err = docs.HTML("nothing")
	require.ErrorContains(t, err, `no document "nothing"`)
}

// TestHTML holds what the API's page relies on: no first heading, ids, and no
// link to a document that is not served.
func TestHTML(t *testing.T) {
	t.Parallel()
	page, err := docs.HTML("api")
	require.NoError(t, err)
	require.NotContains(t, string(page), "<h1")
	require.Contains(t, string(page), `<h2 id="authentication">`)
	require.NotContains(t, string(page), ".md\"")
	require.NotContains(t, string(page), "<!-- raw HTML omitted -->")
	report, err := docs.HTML("report")
	require.NoError(t, err)
	require.Contains(t, string(report), "<table>")
	require.Contains(t, string(report), `href="#the-trades"`)
	require.Contains(t, string(report), "worked-trades.md does three by hand", "a link to a document that is not served is its text")
}
