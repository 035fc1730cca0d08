package guard

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// quotes are the words of the prompt that a model says its fields came from.
// Without any the whole prompt stands for each field.
type Quotes struct {
	list []quote
	at   [][][2]int32 // of each: the tokens of the prompt that it may be
}

// quote is an element of the answer's property "quotes".
type quote struct {
	Field string `json:"field"` // dotted path, "entry" for all conditions
	Words string `json:"words"`
}

func ParseQuotes(raw json.RawMessage) (Quotes, bool) {
	var q Quotes
	if len(raw) == 0 {
		return q, true
	}
	err := json.Unmarshal(raw, &q.list)
	return q, err == nil
}

// locate finds each quote in the prompt; it objects to one that is not there.
func (q *Quotes) locate(p *grammar.Parse) *Objection {
	tokens := make([]lexicon.Span, p.Tokens()) // in code points of whole; a sign that stands for several words is all of them
	for i := range tokens {
		tokens[i] = p.Span(int32(i), int32(i)+1)
	}
	whole := strings.ToLower(p.Text(0, int32(len(tokens))))
	for _, x := range q.list {
		words := strings.ToLower(strings.TrimSpace(x.Words))
		var at [][2]int32
		for from := 0; words != ""; {
			k := strings.Index(whole[from:], words)
			if k < 0 {
				break
			}
			from += k
			lo := tokens[0].Start + int32(utf8.RuneCountInString(whole[:from]))
			hi := lo + int32(utf8.RuneCountInString(words))
			first := slices.IndexFunc(tokens, func(t lexicon.Span) bool { return t.End > lo })
			last := len(tokens) - 1
			for last >= 0 && tokens[last].Start >= hi {
				last--
			}
			if first >= 0 && last >= first {
				at = append(at, [2]int32{int32(first), int32(last) + 1})
			}
			from++
		}
		if len(at) == 0 {
			return &Objection{
				Failure{Outcome: "misquoted", Note: "the language model quoted words that are not in the prompt: " + Quoted(x.Words)},
				"the words " + Quoted(x.Words) + " do not stand in the sentence.",
			}
		}
		q.at = append(q.at, at)
	}
	return nil
}

// allow reports whether a field may come from the tokens [from, to).
func (q *Quotes) allow(path string, from, to int32) bool {
	var of [][2]int32
	for i, x := range q.list {
		if speaksOf(x.Field, path) {
			of = append(of, q.at[i]...)
		}
	}
	return of == nil || slices.ContainsFunc(of, func(at [2]int32) bool { return from < at[1] && to > at[0] })
}

// speaksOf reports whether a quote is one for a field. Conditions stand in
// another order in the canonical form: a quote for one of them is one for all.
func speaksOf(field, path string) bool {
	head := func(s string) string {
		s, _, _ = strings.Cut(s, "[")
		if strings.HasPrefix(s, "entry") {
			return "entry"
		}
		return s
	}
	return head(field) == head(path)
}

// mustBeQuoted are the classes of words of which none may be left out.
var mustBeQuoted = append([]string{"CMP", "LCMP", "POST", "NOT", "UNLESS", "AVOID", "FIRST", "LAST", "LEFT", "GONE"}, lexicon.NumberClasses...)

// quoted objects to a number, comparator, negation or order word of the prompt
// that is in no quote, and to a field whose words stand outside its quotes.
func (g *guard) quoted() *Objection {
	if len(g.quotes.list) == 0 {
		return nil
	}
	for i := range g.fields {
		f := &g.fields[i]
		if f.borne && len(f.at) > 0 && !slices.ContainsFunc(f.at, func(at [2]int32) bool { return g.quotes.allow(f.path, at[0], at[1]) }) {
			return ungrounded(f.path, f.want.String())
		}
	}
	for l, e := range g.p.Within(0, int32(g.p.Tokens())) {
		if g.tokens[l.From] != chat && slices.Contains(mustBeQuoted, e.Class) && !g.quotes.cover(l.From, l.To) &&
			!slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool { return n.From == l.From && g.enumerates(&n) }) {
			return leftOut(g.p.Text(l.From, l.To))
		}
	}
	return nil
}

// cover reports whether some quote has all of the tokens [from, to).
func (q *Quotes) cover(from, to int32) bool {
	return slices.ContainsFunc(slices.Concat(q.at...), func(at [2]int32) bool { return at[0] <= from && to <= at[1] })
}
