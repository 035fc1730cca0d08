package rewrite

import (
	"slices"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// Words returns the nearest prompt that can be read without words that hold nothing: no
// number, comparator, token, coin, length, time, negation, mark or word of rules. unread
// are the tokens that could not be read, holds says of each token whether it holds
// something. An empty one: a word that holds something would be left out, or one that
// says of a number what it is or of a purchase of what, or what is left cannot be read.
func Words(prompt string, x *lexicon.Lattice, unread [][2]int32, holds func(i int32) bool, read Reader) (none Suggestion) {
	n := int32(x.Tokens())
	out, owned := make([]bool, n), make([]bool, n)
	for l, e := range x.Within(0, n) {
		for i := l.To; i < n && (e.Class == "BUY" && !holds(i) || numbers[e.Class] && i == l.To); i++ {
			owned[i] = x.IsSpoken(i)
		}
		if l.From > 0 && numbers[e.Class] {
			owned[l.From-1] = x.IsSpoken(l.From - 1)
		}
	}
	for _, u := range unread {
		for i := u[0]; i < u[1]; i++ {
			if holds(i) || owned[i] {
				return none
			}
			out[i] = true
		}
	}
	beside := func(i int32) bool { return i > 0 && out[i-1] || i+1 < n && out[i+1] }
	for widened := len(unread) > 0; widened; {
		if s := cut(prompt, x, out); read(s.Prompt) != nil {
			return s
		}
		widened = false
		wider := slices.Clone(out)
		for i := range n {
			if !out[i] && beside(i) && !holds(i) && !owned[i] {
				wider[i], widened = true, true
			}
		}
		out = wider
	}
	return none
}

// cut leaves tokens out of a prompt.
func cut(prompt string, x *lexicon.Lattice, out []bool) Suggestion {
	runes, at, s, text := []rune(prompt), int32(0), Suggestion{}, ""
	for i := int32(0); i < int32(len(out)); i++ {
		if !out[i] {
			continue
		}
		j := i
		for int(j) < len(out) && out[j] {
			j++
		}
		span := x.Span(i, j)
		text += string(runes[at:span.Start])
		s.LeftOut = append(s.LeftOut, [2]int{int(span.Start), int(span.End)})
		at, i = span.End, j
	}
	s.Prompt = tidy(text + string(runes[at:]))
	return s
}
