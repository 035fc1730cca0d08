// Package guard holds what somebody else has read in a prompt, a language model, against the
// words of the prompt and what the rules read in them. It believes nothing that it cannot check,
// and says of what is not believed whether it may be shown to somebody.
package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/strategy"
)

// Failure is why the model's answer does not count.
type Failure struct {
	Outcome string // one word for logs and metrics
	Note    string // why, in words that a trader understands
	// Differences is set when the answer was valid but the rules read the
	// prompt otherwise.
	Differences []strategy.Difference
	// Nearly is a valid answer that is not believed for words alone that are left over,
	// and that nothing which the rules read contradicts; nil: there was none.
	Nearly *Reading
}

// Objection is what a check has against an answer: Problem is fed back to the
// model, the rest as in Failure.
type Objection struct {
	Failure
	Problem string
}

// Answer is what a reader of prompts says: a valid strategy, and the words it came from.
type Answer struct {
	Strategy strategy.Canonical
	Quotes   Quotes
}

// Reading is an accepted answer.
type Reading struct {
	Strategy strategy.Canonical
	// Spans and Alone are set if the rules could not read the prompt: what each
	// part of it became, and what nobody but the model has read.
	Spans []strategy.Span
	Alone []strategy.Assumption
	// Fields are those that nobody but the model has read, whatever else bears them out:
	// dotted paths, a condition's without its parts.
	Fields []string
}

// Known is what the rules make of a prompt.
type Known struct {
	// Strategy is what they read, without the request's own values; nil: they refuse it.
	Strategy *strategy.Canonical
	Doubted  []strategy.Span      // words that they may take for what they are not
	Choices  []strategy.Canonical // that it may be read as
	// Idle: numbers that are most likely of no part of a strategy say nothing against what is shown. What
	// tells that of a number must not have made the answer too.
	Idle bool
	// Likeliest is what the words most likely say, however unsure; nil: nobody asked. An answer that is the same
	// is shown, whatever speaks against it.
	Likeliest func() *strategy.Canonical
}

// Judge holds an answer against the prompt, and against what the rules read.
func Judge(prompt string, a *Answer, known Known) (*Reading, *Objection) {
	read, no := judge(prompt, a, known)
	if no != nil && no.Nearly == nil && known.Strategy == nil && known.Likeliest != nil {
		if s := known.Likeliest(); s != nil && s.Equal(a.Strategy) {
			no.Nearly = &Reading{Strategy: a.Strategy, Spans: []strategy.Span{}, Alone: []strategy.Assumption{}, Fields: pathsOf(s)}
		}
	}
	return read, no
}

// pathsOf lists all that a strategy says: what two have read that nobody can check.
func pathsOf(c *strategy.Canonical) []string {
	s := c.Strategy()
	paths := append([]string{"market.coin", "market.market_type", "side", "entry", "exit.hold_to_expiry"}, orderPaths(&s)...)
	for _, f := range fieldsOf(&s) {
		if f.cond == nil && !f.isDefault() {
			paths = append(paths, dotted(f.path))
		}
	}
	return paths
}

// judge is Judge but for what the words most likely say.
func judge(prompt string, a *Answer, known Known) (*Reading, *Objection) {
	if known.Strategy != nil {
		return &Reading{Strategy: a.Strategy}, against(a.Strategy, *known.Strategy)
	}
	if i := slices.IndexFunc(known.Choices, a.Strategy.Equal); i >= 0 {
		return nil, chosen(known.Choices, i)
	}
	p := grammar.New(prompt)
	defer p.Close()
	if a.Strategy.Extended() {
		return nil, ordersAlone(p, a, &known)
	}
	g := newGuard(p, a, &known)
	wrong, _ := g.judge()
	if wrong != nil {
		g = newGuard(p, a, &known)
		g.doubt(known.Doubted)
		if no, leftOver := g.judge(); no != nil && !leftOver {
			return nil, wrong
		}
	}
	read := &Reading{Strategy: a.Strategy, Spans: g.spans(), Alone: g.assumptions(), Fields: g.byModelAlone()}
	for _, path := range g.leftAside() {
		if !slices.ContainsFunc(read.Fields, func(p string) bool { return p == path || strings.HasPrefix(p, path+".") }) {
			read.Fields = append(read.Fields, path)
		}
	}
	if wrong != nil {
		wrong.Nearly = read
		return nil, wrong
	}
	return read, nil
}

// chosen is the objection to an answer that is one of the ways in which the rules may read
// a prompt, which is offered: what tells them apart nobody but the model has read.
func chosen(list []strategy.Canonical, i int) *Objection {
	out := &Objection{Failure: Failure{
		Outcome: "chosen", Note: "the language model took one of the ways in which the prompt can be read",
		Nearly: &Reading{Strategy: list[i], Spans: []strategy.Span{}, Alone: []strategy.Assumption{}},
	}}
	a, b := list[i].Strategy(), list[(i+1)%len(list)].Strategy()
	for _, d := range differ(&a, &b) {
		out.Nearly.Fields = append(out.Nearly.Fields, d.Field)
	}
	return out
}

// against holds an answer against what the rules read.
func against(s, known strategy.Canonical) *Objection {
	a, b := s.Strategy(), known.Strategy()
	differences := differ(&a, &b)
	if len(differences) == 0 {
		return nil
	}
	fields := make([]string, len(differences))
	for i, d := range differences {
		fields[i] = d.Field
	}
	// The model is told where to look again, not what the rules read: it sees
	// nothing but the prompt and our instructions.
	return &Objection{
		Failure{Outcome: "differs", Differences: differences, Note: "the language model read the prompt differently (" + strings.Join(fields, ", ") + ")"},
		"compare " + strings.Join(fields, ", ") + " with the sentence, word by word.",
	}
}

// Quoted shortens words of a model for a note.
func Quoted(text string) string {
	const limit = 80
	runes := []rune(text)
	if len(runes) > limit {
		runes = append(runes[:limit], '…')
	}
	return fmt.Sprintf("%q", string(runes))
}
