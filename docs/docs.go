// Package docs holds the documents for users, embedded as they stand in this
// folder, and writes them as HTML for the API's page and as plain text for the
// terminal. Documents for maintainers, in internals, are not embedded.
package docs

import (
	"bytes"
	"embed"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

//go:embed *.md
var files embed.FS

// Names lists the documents, sorted, without their ending: "api", "faq", ….
func Names() []string {
	paths, err := fs.Glob(files, "*.md")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = strings.TrimSuffix(p, ".md")
	}
	slices.Sort(names)
	return names
}

// Title returns the first line of a document, which is its heading; empty when there is no
// document of that name. Every command asks for all of them.
func Title(name string) string {
	file, err := files.Open(name + ".md")
	if err != nil {
		return ""
	}
	line := make([]byte, longestTitle)
	n, _ := io.ReadFull(file, line)
	line, _, _ = bytes.Cut(line[:n], []byte("\n"))
	return strings.ReplaceAll(strings.TrimPrefix(string(line), "# "), "`", "")
}

// longestTitle is how many bytes the first line of a document has at most.
const longestTitle = 100

func page(name string) ([]byte, bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	source, err := files.ReadFile(name + ".md")
	return source, err == nil
}

// markdown reads what the documents are written in: CommonMark and tables.
// Headings have ids as links in the documents name them.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
})
