package parser

import (
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Codes of refusals, as the API's errors carry them.
const (
	CodeBadRequest        = string(market.CodeBadRequest)
	CodeUnsupportedSignal = string(market.CodeUnsupportedSignal)
)

// Overrides are the request's own values. They win over the prompt's.
type Overrides struct {
	SampleSize *int             // nil: the prompt's, else 50
	Budget     *strategy.Number // US dollars; nil: the prompt's, else 100
}

// Result is a prompt that was understood.
type Result struct {
	Strategy strategy.Canonical
	Source   strategy.Source
	Note     string // why the rules answered although a model was asked; empty otherwise
	Trace    strategy.Trace
}

// Refusal is why a prompt gives no strategy. It is an error, and a *market.Error
// to errors.As.
type Refusal struct {
	Code    string          // CodeBadRequest or CodeUnsupportedSignal
	Message string          // for people: names the phrase and the nearest thing that can be said
	Phrases []strategy.Span // what the message is about, in the order of the prompt; may be empty
	// Rewrite is a prompt that says the nearest thing and can be read; empty
	// when there is none.
	Rewrite string

	fix remedy // how the phrase may be replaced
	why reason // why a phrase of the vocabulary is refused; 0: another cause
	// unread: a phrase was not understood, rather than known to be impossible.
	unread bool
}

func (r *Refusal) Error() string { return r.Message }

// Unwrap returns the refusal as every other error is told: its code, its message,
// the prompt that can be read instead and the phrases that the message is about.
func (r *Refusal) Unwrap() error {
	e := &market.Error{Code: market.Code(r.Code), Message: r.Message, Suggestion: r.Rewrite}
	for _, s := range r.Phrases {
		e.At = append(e.At, market.Phrase{Start: s.Start, End: s.End, Text: s.Text, Message: r.Message})
	}
	return e
}
