package roles

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// Number is a number of a prompt, by its tokens, with the ways in which it may be read.
type Number struct {
	From, To int32
	Readings []Reading
}

// Reading is a class of numbers, and a value as the lexicon has it.
type Reading struct {
	Class string
	Value lexicon.Value
}

// Words that are numbers where none stands beside them: parts of what is held, and times.
var (
	parts = map[string]int32{"half": 2, "halve": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
	spans = map[string]int64{"minute": 60, "hour": 3600}
)

// Numbers lists those of a prompt, in its order.
func Numbers(x *grammar.Parse) (out []Number) {
	entries := lexicon.Entries()
	taken := make([]bool, x.Tokens()+2) // a token later: no number
	for _, n := range x.Numbers() {
		m := Number{From: n.From, To: n.To}
		for _, i := range n.Lexemes {
			l := &x.Lexemes[i]
			m.Readings = append(m.Readings, Reading{entries[l.Entry].Class, l.Value})
		}
		out = append(out, m)
		for i := n.From; i < n.To; i++ {
			taken[i+1] = true
		}
	}
	for i := range int32(x.Tokens()) {
		if taken[i+1] {
			continue
		}
		w := x.Word(i)
		if den := parts[w]; den != 0 {
			out = append(out, Number{i, i + 1, []Reading{{"FRAC", lexicon.Value{Num: 1, Den: den}}}})
		} else if s := spans[w]; s != 0 && !taken[i] && !taken[i+2] {
			out = append(out, Number{i, i + 1, []Reading{{"DUR", lexicon.Value{N: s * lexicon.Micro}}}})
		}
	}
	slices.SortFunc(out, func(a, b Number) int { return int(a.From - b.From) })
	return out
}
