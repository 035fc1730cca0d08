package orders

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ladderback/ladderback/strategy"
)

// blank takes a phrase out of the runes of the prompt, but for what it keeps, with
// what joins it to the clause before it, and puts what stands for it in its place.
func (f *Found) blank(m *match, rest []rune) {
	from, text := m.from, f.text
	put := []rune(m.pattern.put)
	if len(put) == 0 && len(m.kept) == 0 {
		if m.to < len(text) && strings.IndexByte(".?!", text[m.to]) >= 0 && f.stands(sentenceBefore, m.from) {
			rest[m.to] = ' ' // the full stop of a sentence that is a phrase
		}
		joint := joins.FindString(lastOf(text[:m.from]))
		from -= len(joint)
		if n := len(f.matches); n > 0 {
			from = max(from, f.matches[n-1].to) // which may have taken the joint
		}
		if from > 0 && from < m.from && text[from] == ',' {
			from++ // a comma parts what is left on both sides
		}
	}
	for i := from; i < m.to; i++ {
		if !m.keeps(i) {
			rest[i] = ' '
		}
	}
	copy(rest[m.from:m.to], put)
	for from < m.from && !isWord(text[from]) {
		from++
	}
	m.from = from // with the word that joins it
}

// keeps reports whether a place of a text is of what a phrase keeps.
func (m *match) keeps(i int) bool {
	return slices.ContainsFunc(m.kept, func(k [2]int) bool { return i >= k[0] && i < k[1] })
}

// Spliced returns spans of the rest with those of the phrases among them, all with
// the words of the prompt: what a phrase covers is its own.
func (f *Found) Spliced(prompt string, spans []strategy.Span) []strategy.Span {
	out := append(slices.Clone(f.Spans), f.Uncovered(prompt, spans)...)
	slices.SortFunc(out, func(a, b strategy.Span) int { return a.Start - b.Start })
	return out
}

// Uncovered returns spans of the rest that no phrase covers, with the words of the
// prompt.
func (f *Found) Uncovered(prompt string, spans []strategy.Span) []strategy.Span {
	all, out := []rune(prompt), []strategy.Span{}
	for _, s := range spans {
		for _, part := range f.uncovered(s.Start, s.End) {
			if words := string(all[part[0]:part[1]]); strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				out = append(out, strategy.Span{Start: part[0], End: part[1], Text: words, Field: s.Field})
			}
		}
	}
	return out
}

// uncovered are the parts of [from, to) between the phrases.
func (f *Found) uncovered(from, to int) (out [][2]int) {
	for _, m := range f.matches {
		if m.to <= from || m.from >= to {
			continue
		}
		if m.from > from {
			out = append(out, [2]int{from, m.from})
		}
		from = m.to
	}
	if from < to {
		out = append(out, [2]int{from, to})
	}
	return out
}
