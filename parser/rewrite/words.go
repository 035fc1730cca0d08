package rewrite

import (
	"slices"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// Words returns the nearest prompt that can be read without words that hold nothing: no
// number, comparator, token, coin, length, time, negation, mark or word of rules. unread
// are the tokens that could not be read, loose those that say no more than a number beside
// them, holds says of each token whether it holds something. An empty one: a word that holds something would be left out, or one that
// says of a number what it is or of a purchase of what, or what is left cannot be read.
func Words(prompt string, x *lexicon.Lattice, unread [][2]int32, loose []int32, holds func(i int32) bool, read Reader) (none Suggestion) {
	stays := staying(x, holds)
	out := make([]bool, len(stays))
	for _, u := range unread {
		if slices.Contains(stays[u[0]:u[1]], true) {
			return none
		}
		for i := u[0]; i < u[1]; i++ {
			out[i] = true
		}
	}
	for _, i := range loose {
		out[i] = true
	}
	for widened := len(unread)+len(loose) > 0; widened; {
		if s := cut(prompt, x, out); read(s.Prompt) != nil {
			return s
		}
		out, widened = wider(out, stays)
	}
	return none
}

// staying says of each token whether it stays: it holds something, stands beside a
// number, or between a word of buying and what holds something.
func staying(x *lexicon.Lattice, holds func(i int32) bool) []bool {
	n := int32(x.Tokens())
	out := make([]bool, n)
	for i := range n {
		out[i] = holds(i)
	}
	for l, e := range x.Within(0, n) {
		if numbers[e.Class] {
			for _, i := range [...]int32{l.From - 1, l.To} {
				if i >= 0 && i < n && x.IsSpoken(i) {
					out[i] = true
				}
			}
		}
		for i := l.To; (e.Class == "BUY" || e.Class == "STAKE") && i < n && !holds(i); i++ {
			out[i] = out[i] || x.IsSpoken(i)
		}
	}
	return out
}

// wider adds the neighbours of tokens that are left out, but for those that stay, and
// reports whether there are any.
func wider(out, stays []bool) (more []bool, widened bool) {
	more = slices.Clone(out)
	for i := range out {
		if !out[i] && !stays[i] && (i > 0 && out[i-1] || i+1 < len(out) && out[i+1]) {
			more[i], widened = true, true
		}
	}
	return more, widened
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
