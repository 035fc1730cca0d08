package parser

import (
	"github.com/ladderback/ladderback/strategy"
)

// Codes of refusals, as the API's errors carry them.
const (
	CodeBadRequest        = "bad_request"
	CodeUnsupportedSignal = "unsupported_signal"
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

// Refusal is why a prompt gives no strategy. It is an error.
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
