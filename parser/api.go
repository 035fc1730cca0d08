package parser

import (
	"encoding/json"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Source says which parser read the prompt.
type Source string

// Sources.
const (
	SourceRules Source = "rules"
	SourceLLM   Source = "llm"
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
	Strategy strategy.Strategy // canonical
	Source   Source
	Note     string // why the rules answered although a model was asked; empty otherwise
	Trace    Trace
}

// Trace says what each part of a prompt became.
type Trace struct {
	// Summary is English made from the canonical strategy alone. The rules
	// parser reads it into the equal strategy.
	Summary     string       `json:"summary"`
	Assumptions []Assumption `json:"assumptions"` // in the order of the strategy's fields
	Spans       []Span       `json:"spans"`       // in the order of the prompt, not overlapping
	Ignored     []Span       `json:"ignored"`     // what set nothing, in the order of the prompt
	Model       *ModelTrace  `json:"model,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// Assumption is a value that the prompt did not state in so many words.
type Assumption struct {
	Field string `json:"field"` // dotted path: market.coin, entry.0, exit.take_profit
	Value string `json:"value"` // JSON of the value
	Why   string `json:"why"`
}

// MarshalJSON writes the value as the JSON that it is.
func (a Assumption) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Field string          `json:"field"`
		Value json.RawMessage `json:"value"`
		Why   string          `json:"why"`
	}{a.Field, json.RawMessage(a.Value), a.Why})
}

// Span is a part of the prompt, in Unicode code points, [Start, End).
type Span struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
	Field string `json:"field,omitempty"` // dotted path; empty for what was ignored
}

// ModelTrace names the model that was asked.
type ModelTrace struct {
	Name          string `json:"name"`
	PromptVersion string `json:"prompt_version"`
	PromptHash    string `json:"prompt_hash"`
}

// Difference is a field that the two parsers read differently.
type Difference struct {
	Field string          `json:"field"`
	LLM   json.RawMessage `json:"llm"`
	Rules json.RawMessage `json:"rules"`
}

// Refusal is why a prompt gives no strategy. It is an error, and a *market.Error
// to errors.As.
type Refusal struct {
	Code    string // CodeBadRequest or CodeUnsupportedSignal
	Message string // for people: names the phrase and the nearest thing that can be said
	Phrases []Span // what the message is about, in the order of the prompt; may be empty
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
