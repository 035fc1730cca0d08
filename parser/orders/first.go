package orders

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// patternsBy are the patterns by the byte that their phrases may begin with, each list in
// the order of the table: at each place of a text few of them are tried.
var patternsBy = sync.OnceValue(func() (by [128][]*pattern) {
	table := patterns()
	for i := range table {
		p := &table[i]
		exps := p.parts
		if p.exp != nil {
			exps = []*regexp.Regexp{p.exp}
		}
		var first [128]bool
		for _, exp := range exps {
			firsts(exp, &first)
		}
		for c := range first {
			if first[c] {
				by[c] = append(by[c], p)
			}
		}
	}
	return by
})

// firsts notes the bytes that a match of an expression may begin with; every one: it may be
// empty.
func firsts(exp *regexp.Regexp, set *[128]bool) {
	tree, err := syntax.Parse(exp.String(), syntax.Perl)
	if err != nil {
		panic(err) // it has been compiled
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		panic(err)
	}
	seen := make([]bool, len(prog.Inst))
	for todo := []uint32{uint32(prog.Start)}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		switch in := &prog.Inst[at]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			todo = append(todo, in.Out)
		default:
			for c := range set {
				set[c] = set[c] || in.Op == syntax.InstMatch || in.MatchRune(rune(c))
			}
		}
	}
}
