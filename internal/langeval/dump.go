package main

import (
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
)

// dump writes how a prompt is read: the lattice, and the cheapest covers with
// their derivations and what they mean.
func dump(prompt string) string {
	p := grammar.New(prompt)
	defer p.Close()
	if len(p.Readings()) > 0 {
		return dumpParse(p)
	}
	again := p.Again()
	if again == nil {
		return dumpParse(p)
	}
	defer again.Close()
	return dumpParse(p) + "once more:\n" + dumpParse(again)
}

func dumpParse(p *grammar.Parse) string {
	var b strings.Builder
	entries := lexicon.Entries()
	for _, l := range p.Lexemes {
		e := entries[l.Entry]
		fmt.Fprintf(&b, "%d-%d %s'%s' ", l.From, l.To, e.Class, e.Name)
	}
	b.WriteString("\n")
	for _, f := range p.Fillers {
		fmt.Fprintf(&b, "%d-%d (%s)%d ", f.From, f.To, p.Text(f.From, f.To), f.Rank)
	}
	b.WriteString("\n")
	for _, r := range p.Readings() {
		fmt.Fprintf(&b, "cover, cost %d\n", r.Cost)
		for _, c := range r.Commentary {
			fmt.Fprintf(&b, "  commentary [%s]\n", p.Text(c[0], c[1]))
		}
		for i := range r.Items {
			tree(&b, p, p.Node(&r.Items[i]), 1)
		}
		m, err := meaning.Build(r.Items, meaning.Overrides{})
		if err != nil {
			fmt.Fprintf(&b, "  ! %s\n", err.Message)
			continue
		}
		fmt.Fprintf(&b, "  = %s\n", m.Strategy.Summary())
	}
	if len(p.Readings()) == 0 {
		for _, u := range p.Partial().Unread {
			fmt.Fprintf(&b, "not read: %q\n", p.Text(u[0], u[1]))
		}
	}
	return b.String()
}

func tree(b *strings.Builder, p *grammar.Parse, n grammar.Node, depth int) {
	fmt.Fprintf(b, "%s%s [%s] %d", strings.Repeat("  ", depth), n.Symbol, p.Text(n.From, n.To), n.Cost)
	if n.Line != nil {
		fmt.Fprintf(b, "  %s:%d", n.Line.File, n.Line.Number)
	}
	b.WriteString("\n")
	for _, k := range n.Parts {
		tree(b, p, k, depth+1)
	}
}
