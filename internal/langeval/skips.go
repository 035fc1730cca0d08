package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// skipped lists what a prompt's first reading passes over that is no filler.
func skipped(prompt string) string {
	p := grammar.New(prompt)
	defer p.Close()
	if len(p.Readings()) == 0 {
		return ""
	}
	used := make([]bool, p.Tokens())
	for _, f := range p.Fillers {
		for i := f.From; i < f.To && f.Rank != 60; i++ {
			used[i] = true
		}
	}
	var walk func(n grammar.Node)
	walk = func(n grammar.Node) {
		if n.Line == nil {
			l := p.Lexemes[n.Lexeme]
			for i := l.From; i < l.To; i++ {
				used[i] = true
			}
		}
		for _, k := range n.Parts {
			walk(k)
		}
	}
	r := p.Readings()[0]
	for i := range r.Items {
		walk(p.Node(&r.Items[i]))
	}
	var out []string
	for i, u := range used {
		if u || !p.IsSpoken(int32(i)) {
			continue
		}
		var cl []string
		for _, l := range p.Lexemes {
			if int(l.From) <= i && i < int(l.To) {
				cl = append(cl, lexicon.Entries()[l.Entry].Class)
			}
		}
		slices.Sort(cl)
		out = append(out, p.Word(int32(i))+"<"+strings.Join(slices.Compact(cl), ",")+">")
	}
	return strings.Join(out, " ")
}

func init() {
	if os.Getenv("LB_SHOW") != "" {
		show = func(s string) { fmt.Println("    skip", skipped(s)) }
	}
}

var show = func(string) {}
