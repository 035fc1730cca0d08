// Package guard holds what somebody else has read in a prompt, a language model, against the
// words of the prompt and what the rules read in them. It believes nothing that it cannot check,
// and says of what is not believed whether it may be shown to somebody.
package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/roles"
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
	// Weighed: an answer is also held against what the words most likely say, which must not have made it. What is
	// little behind is shown, whatever else speaks against it, and numbers that are most likely of no part of a
	// strategy say nothing against what is shown.
	Weighed bool
}

// By how much less than for what is likeliest the words may speak for an answer that is shown: whatever else speaks
// against it; with orders, which nobody else has read, or without having all of it marked; and where words alone
// speak against it.
const (
	little = 60
	more   = 180
	much   = 400
)

// Judge holds an answer against the prompt, and against what the rules read.
func Judge(prompt string, a *Answer, known Known) (*Reading, *Objection) {
	read, no := judge(prompt, a, known)
	if no == nil || known.Strategy != nil || !known.Weighed || len(known.Choices) > 0 {
		return read, no
	}
	switch by, likely := behind(prompt, &a.Strategy); {
	case by > much:
		no.Nearly = nil
	case no.Nearly == nil && likely:
		no.Nearly = whole(a)
	case no.Nearly != nil && by > more:
		no.Nearly.Fields = pathsOf(&a.Strategy)
	}
	return read, no
}

// behind is roles.Behind of a prompt, and whether that is what it most likely says, or little behind that.
func behind(prompt string, s *strategy.Canonical) (by int, likely bool) {
	p := grammar.New(prompt)
	defer p.Close()
	by, ok := roles.Behind(p, s)
	return by, ok && (by <= little || s.Extended() && by <= more)
}

// Likely reports whether a strategy is most likely what a prompt says, or little behind that.
func Likely(prompt string, s *strategy.Canonical) bool {
	_, likely := behind(prompt, s)
	return likely
}

// whole is an answer of which nobody can check anything.
func whole(a *Answer) *Reading {
	return &Reading{Strategy: a.Strategy, Spans: []strategy.Span{}, Alone: []strategy.Assumption{}, Fields: pathsOf(&a.Strategy)}
}

// pathsOf lists all that a strategy says, or may lack: what two have read that nobody can check.
func pathsOf(c *strategy.Canonical) []string {
	s := c.Strategy()
	paths := append([]string{"market.coin", "market.market_type", "side", "entry", "exit.take_profit", "exit.stop_loss", "exit.hold_to_expiry"}, orderPaths(&s)...)
	for _, f := range fieldsOf(&s) {
		if f.cond == nil && !f.isDefault() && !slices.Contains(paths, f.path) {
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
		return nil, ordered(a, &known)
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
	if wrong != nil {
		if !slices.ContainsFunc(read.Fields, func(p string) bool { return strings.HasPrefix(p, "entry") }) {
			read.Fields = append(read.Fields, "entry") // what the words that are left over may restrict
		}
		wrong.Nearly = read
		return nil, wrong
	}
	return read, nil
}

// ordered is the objection to an answer with orders where the rules read none: which word the token, the trigger and
// the kind of an order came from cannot be checked. It is shown where it is likely.
func ordered(a *Answer, known *Known) *Objection {
	s := a.Strategy.Strategy()
	out := &Objection{Failure: Failure{Outcome: "orders", Note: "the language model read orders (" + strings.Join(orderPaths(&s), ", ") + ") where the rules read none"}}
	if !known.Weighed {
		out.Nearly = whole(a)
	}
	return out
}

// orderPaths lists the fields of orders that a strategy uses, as refusals name them.
func orderPaths(s *strategy.Strategy) (out []string) {
	for _, f := range []struct {
		path string
		used bool
	}{
		{"exit.rest_take_profit", s.Exit.RestTakeProfit}, {"order", s.Order != nil}, {"then", len(s.Then) > 0}, {"again", s.Again != nil},
		{"merge", s.Merge}, {"size", s.Size != nil}, {"bankroll", s.Bankroll != nil},
	} {
		if f.used {
			out = append(out, f.path)
		}
	}
	return out
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
