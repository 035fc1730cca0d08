// Package docs holds the documents for users, embedded as they stand in this
// folder, and writes them as HTML for the API's page and as plain text for the
// terminal. Documents for maintainers, in internals, are not embedded.
package docs

import (
	"bytes"
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
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

// Title returns the first heading of a document; empty when there is no
// document of that name.
func Title(name string) string {
	source, ok := page(name)
	if !ok {
		return ""
	}
	source, _, _ = bytes.Cut(bytes.TrimLeft(source, "\n"), []byte("\n\n")) // the first block: every command asks for titles
	root := markdown().Parser().Parse(text.NewReader(source))
	if h, ok := root.FirstChild().(*ast.Heading); ok {
		return plain(h, source)
	}
	return ""
}

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
