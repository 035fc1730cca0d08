// Command harvest proposes examples for the rules of the language: it reads
// prompts, takes the derivations that won, and gives each rule the shortest
// phrases that it alone turns into its category. With -write it puts them below
// the rules that have fewer than three.
//
//	go run ./internal/harvest [-write] parser/testdata/*
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/strategy"
)

// wanted is how many examples a rule should have.
const wanted = 3

const rulesDir = "parser/grammar/rules/"

// place is a rule line.
type place struct {
	file   string
	number int
}

type harvester struct {
	found    map[place]map[string]bool
	category map[place]string
}

func main() {
	write := flag.Bool("write", false, "put the examples into the tables")
	flag.Parse()
	h := &harvester{found: map[place]map[string]bool{}, category: map[place]string{}}
	for _, path := range flag.Args() {
		if err := h.file(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	unused, few := 0, 0
	add := map[string]map[int][]string{} // by file and line
	for _, line := range grammar.Lines() {
		at := place{line.File, line.Number}
		have := line.Examples()
		if len(have) >= wanted {
			continue
		}
		var list []string
		for _, e := range h.examples(at, have) {
			list = append(list, "= "+e)
			have = append(have, e)
		}
		if len(have) == 0 {
			unused++
			fmt.Printf("%s.txt:%d: no example: %s -> %s\n", line.File, line.Number, line.Category, line.Text)
		} else if len(have) < wanted {
			few++
		}
		if add[line.File] == nil {
			add[line.File] = map[int][]string{}
		}
		add[line.File][line.Number+len(line.Examples())] = list
	}
	fmt.Printf("%d rules, %d without an example, %d with one or two\n", len(grammar.Lines()), unused, few)
	if !*write {
		return
	}
	for file, lines := range add {
		if err := insert(rulesDir+file+".txt", lines); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// file reads the prompts of a set, and the summaries of its strategies.
func (h *harvester) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if prompt, ok := strings.CutPrefix(in.Text(), "> "); ok {
			h.prompt(prompt)
			continue
		}
		var l struct {
			Prompt string
			Expect struct{ Strategy json.RawMessage }
		}
		if json.Unmarshal(in.Bytes(), &l) != nil {
			continue
		}
		h.prompt(l.Prompt)
		if s, err := strategy.Parse(l.Expect.Strategy); err == nil {
			h.prompt(s.Summary())
		}
	}
	return in.Err()
}

func (h *harvester) prompt(prompt string) {
	p := grammar.New(prompt)
	defer p.Close()
	list := p.Readings()
	if len(list) == 0 {
		list = []grammar.Reading{p.Partial()}
	}
	for i := range list {
		for k := range list[i].Items {
			n := p.Node(&list[i].Items[k])
			h.node(p, &n)
		}
	}
}

func (h *harvester) node(p *grammar.Parse, n *grammar.Node) (end int32) {
	if n.Line == nil {
		return p.Lexemes[n.Lexeme].To
	}
	for i := range n.Parts {
		end = h.node(p, &n.Parts[i])
	}
	at := place{n.Line.File, n.Line.Number}
	text := strings.TrimSpace(p.Text(n.From, end))
	if text == "" || len(text) > 90 {
		return end
	}
	if h.found[at] == nil {
		h.found[at] = map[string]bool{}
	}
	h.category[at] = n.Symbol
	h.found[at][text] = true
	return end
}

// examples are the shortest phrases of a rule that it alone reads, unlike each
// other and those it has.
func (h *harvester) examples(at place, have []string) []string {
	phrases := slices.SortedFunc(maps.Keys(h.found[at]), func(a, b string) int {
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	})
	shapes := map[string]bool{}
	for _, e := range have {
		shapes[shape(e)] = true
	}
	var out []string
	tried := 0
	for _, phrase := range phrases {
		if len(out)+len(have) == wanted || tried > 400 {
			break
		}
		if shapes[shape(phrase)] {
			continue
		}
		tried++
		if reads(phrase, h.category[at], at) {
			shapes[shape(phrase)] = true
			out = append(out, phrase)
		}
	}
	return out
}

// shape is a phrase without its numbers and capitals.
func shape(phrase string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, strings.ToLower(phrase))
}

// reads reports whether the cheapest reading of a phrase as a category goes
// through the rule.
func reads(phrase, category string, at place) bool {
	p := grammar.New(phrase)
	defer p.Close()
	n, ok := p.As(category)
	return ok && uses(&n, at)
}

func uses(n *grammar.Node, at place) bool {
	if n.Line != nil && n.Line.File == at.file && n.Line.Number == at.number {
		return true
	}
	return slices.ContainsFunc(n.Parts, func(k grammar.Node) bool { return uses(&k, at) })
}

// insert puts examples behind lines of a file.
func insert(path string, behind map[int][]string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var out []string
	for i, line := range strings.Split(string(text), "\n") {
		out = append(out, line)
		for _, e := range behind[i+1] {
			out = append(out, "  "+strings.ReplaceAll(e, "\n", `\n`))
		}
	}
	return os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o644)
}
