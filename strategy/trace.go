package strategy

import "encoding/json"

// Source is the parser that read a prompt.
type Source string

// Sources.
const (
	SourceRules Source = "rules"
	SourceLLM   Source = "llm"
)

// Trace records what each part of a prompt became.
type Trace struct {
	// Summary is English derived from the canonical strategy alone. The rules
	// parser reads it back into an equal strategy.
	Summary     string       `json:"summary"`
	Assumptions []Assumption `json:"assumptions"` // in the order of the strategy's fields
	Spans       []Span       `json:"spans"`       // in the order of the prompt, not overlapping
	Ignored     []Span       `json:"ignored"`     // what set nothing, in the order of the prompt
	Model       *ModelTrace  `json:"model,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// Assumption is a value that the prompt did not state in so many words.
type Assumption struct {
	Field string          `json:"field"` // dotted path: market.coin, entry.0, exit.take_profit
	Value json.RawMessage `json:"value"`
	Why   string          `json:"why"`
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
