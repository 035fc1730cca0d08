package docs

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// HTML returns a document as a fragment of HTML without its first heading.
// Headings carry ids; links to other documents, which are not served, become
// their text.
func HTML(name string) ([]byte, error) {
	source, ok := page(name)
	if !ok {
		return nil, fmt.Errorf("docs: no document %q", name)
	}
	md := markdown()
	root := md.Parser().Parse(text.NewReader(source))
	if h, ok := root.FirstChild().(*ast.Heading); ok && h.Level == 1 {
		root.RemoveChild(root, h)
	}
	var relative []*ast.Link
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*ast.Link); ok && entering && isRelative(string(l.Destination)) {
			relative = append(relative, l)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, fmt.Errorf("docs: %s: %w", name, err)
	}
	for _, l := range relative {
		parent := l.Parent()
		for c := l.FirstChild(); c != nil; c = l.FirstChild() {
			l.RemoveChild(l, c)
			parent.InsertBefore(parent, l, c)
		}
		parent.RemoveChild(parent, l)
	}
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, source, root); err != nil {
		return nil, fmt.Errorf("docs: %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// isRelative reports whether a link leads to another file of the project.
func isRelative(target string) bool {
	return !strings.HasPrefix(target, "#") && !strings.HasPrefix(target, "/") && !strings.Contains(target, "://")
}
