package rewrite

import (
	"slices"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// Words returns the nearest prompt that can be read without words that hold nothing: no
// number, comparator, token, coin, length, time, negation, mark or word of rules. unread
// are the tokens that could not be read, holds says of each token whether it holds
// something. An empty one: a word that holds something would be left out, or what is
// left cannot be read.
func Words(prompt string, x *lexicon.Lattice, unread [][2]int32, holds func(i int32) bool, read Reader) (none Suggestion) {
	n := int32(x.Tokens())
	out := make([]bool, n)
	for _, u := range unread {
		for i := u[0]; i < u[1]; i++ {
			if holds(i) {
				return none
			}
			out[i] = true
		}
		if isNumber(x, u[0]-1) && isNumber(x, u[1]) { // "3 to 4": what stands between them says how they belong together
			return none
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
			if !out[i] && beside(i) && !holds(i) {
				wider[i], widened = true, true
			}
		}
		out = wider
	}
	return none
}

// isNumber reports whether a token is part of a number.
func isNumber(x *lexicon.Lattice, i int32) bool {
	for l, e := range x.Within(0, int32(x.Tokens())) {
		if l.From <= i && i < l.To && numbers[e.Class] {
			return true
		}
	}
	return false
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
