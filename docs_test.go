package ladderback_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// textFiles lists the files of the project that people read, with slashes.
func textFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "testdata", "node_modules", "dist"}, d.Name()) {
			return filepath.SkipDir
		}
		switch filepath.Ext(file) {
		case ".go", ".md", ".sh", ".yaml", ".yml", ".html", ".json", ".service", ".py", ".mjs", ".toml", ".sql", ".ts", ".tsx", ".js", ".jsx":
			out = append(out, filepath.ToSlash(file))
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(out), 100)
	return out
}

// document is what a page of Markdown leads to, and what can be led to in it.
type document struct {
	links   []string
	anchors []string
	named   []string // files named between backticks
}

var nameOfFile = regexp.MustCompile(`^[\w./-]+\.(md|go|sh|yaml|yml|json|html|py|sql|service|jsonl?)$`)

func readDocument(t *testing.T, file string) document {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	var d document
	err = ast.Walk(md.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			d.links = append(d.links, string(n.Destination))
		case *ast.Image:
			d.links = append(d.links, string(n.Destination))
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok {
				d.anchors = append(d.anchors, string(id.([]byte)))
			}
		case *ast.CodeSpan:
			if t, ok := n.FirstChild().(*ast.Text); ok {
				if words := string(t.Segment.Value(source)); nameOfFile.MatchString(words) {
					d.named = append(d.named, words)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	require.NoError(t, err)
	return d
}

func exists(name string) bool {
	_, err := os.Stat(filepath.FromSlash(name))
	return err == nil
}

// TestLinks holds that every relative link of every document leads to a file
// that is there and, where it names one, to a heading of it.
func TestLinks(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, file := range textFiles(t) {
		if path.Ext(file) != ".md" {
			continue
		}
		for _, link := range readDocument(t, file).links {
			target, anchor, _ := strings.Cut(link, "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") || strings.HasPrefix(target, "/") {
				continue
			}
			seen++
			at := file
			if target != "" {
				at = path.Join(path.Dir(file), target)
			}
			if !exists(at) {
				t.Errorf("%s: the link %s leads nowhere", file, link)
				continue
			}
			if anchor != "" && !slices.Contains(readDocument(t, at).anchors, anchor) {
				t.Errorf("%s: the link %s leads to no heading of %s", file, link, at)
			}
		}
	}
	require.Greater(t, seen, 20)
}

// fromRoot matches files of the project as texts and comments name them.
var fromRoot = regexp.MustCompile(`(?:^|[^\w./-])((?:docs|examples|scripts)/[\w./-]*\w\.(?:md|sh|ya?ml|json|service|py|mjs|toml))\b`)

// TestNamedFiles holds that every file that a text, a comment or a script names
// by its path from the root is there, and every document that another names
// between backticks.
func TestNamedFiles(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, file := range textFiles(t) {
		if file == "docs_test.go" {
			continue
		}
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range fromRoot.FindAllStringSubmatch(string(content), -1) {
			seen++
			if !exists(m[1]) && !exists(path.Join(path.Dir(file), m[1])) {
				t.Errorf("%s names %s, which is not there", file, m[1])
			}
		}
		if path.Ext(file) != ".md" {
			continue
		}
		for _, name := range readDocument(t, file).named {
			if path.Ext(name) != ".md" {
				continue // names of a user's own files, too
			}
			if !exists(name) && !exists(path.Join(path.Dir(file), name)) {
				t.Errorf("%s names `%s`, which is not there", file, name)
			}
		}
	}
	require.Greater(t, seen, 10)
}

// TestDependencies holds that docs/internals/dependencies.md has a row for each
// module that go.mod requires directly, and none else.
func TestDependencies(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	var required []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(content), -1) {
		required = append(required, m[1]) // an indirect one has a comment behind it
	}
	page, err := os.ReadFile("docs/internals/dependencies.md")
	require.NoError(t, err)
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(required)
	slices.Sort(listed)
	require.Equal(t, required, listed)
}
