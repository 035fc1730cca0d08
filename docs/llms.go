package docs

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Skill is what an agent reads of how a study is done, as the file SKILL.md of its skills.
//
//go:embed skill/SKILL.md
var Skill string

// Markdown returns the source of a document; false when there is none of that name.
func Markdown(name string) ([]byte, bool) { return page(name) }

// LLMs returns the list of the documents for language models (https://llmstxt.org): title,
// what Ladderback is, and each document with its first sentence. Its links are relative to
// where it stands: the root of a server, or of the source tree.
func LLMs() string {
	var b strings.Builder
	b.WriteString("# Ladderback\n\n> " + whatItIs + "\n\n")
	for _, s := range sections {
		fmt.Fprintf(&b, "## %s\n\n", s.title)
		for _, name := range s.names {
			fmt.Fprintf(&b, "- [%s](docs/%s.md): %s\n", Title(name), name, lead(name))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// LLMsFull returns the documents of LLMs whole, in its order.
func LLMsFull() string {
	var b strings.Builder
	for _, s := range sections {
		for _, name := range s.names {
			source, _ := page(name)
			b.Write(source)
			b.WriteByte('\n')
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

const whatItIs = `An archive of captured prices and order books of prediction markets (short "Up or Down" rounds on coins, sports), and backtests on it: a strategy in plain English is replayed over resolved rounds, filled against the captured ladders, and judged. Command line, JSON API, MCP.`

// sections is the order of the documents: what most readers need first; what may be left
// out comes last, under the heading that llmstxt.org gives it.
var sections = []struct {
	title string
	names []string
}{
	{"Strategies and reports", []string{"language", "orders", "report", "prices", "sweeps", "tutorial"}},
	{"Programs", []string{"api", "agents", "clients", "python", "data"}},
	{"Optional", []string{"commands", "dashboard", "faq", "formats", "language-model", "operations", "recording", "suites", "workbench", "worked-trades"}},
}

// lead is the first sentence of a document's first paragraph.
func lead(name string) string {
	source, _ := page(name)
	root := markdown().Parser().Parse(text.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if p, ok := n.(*ast.Paragraph); ok {
			words := plain(p, source)
			if first, _, more := strings.Cut(words, ". "); more {
				return first + "."
			}
			return words
		}
	}
	return Title(name)
}
