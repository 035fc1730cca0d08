package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ladderback/ladderback/strategy"
)

// Body is the answer to a backtest: the body of POST /v1/ai/backtest, what the
// command writes as JSON, and what a saved run holds.
type Body struct {
	Prompt   string            `json:"prompt"`
	Strategy strategy.Strategy `json:"strategy"` // canonical
	Source   Source            `json:"source"`
	Note     string            `json:"note,omitempty"` // why the rules took over
	// Parse is the parser's trace, in its own JSON form; nil when a strategy was
	// sent instead of a prompt. In a Body that was read it is a json.RawMessage.
	Parse  any     `json:"parse,omitempty"`
	Report *Report `json:"report,omitempty"` // nil: only parsed
}

// Source says who read the prompt.
type Source string

// Sources.
const (
	FromModel Source = "llm"
	FromRules Source = "rules"
)

// MarshalJSON writes the fields in order, without escapes for HTML.
func (b Body) MarshalJSON() ([]byte, error) {
	type wire Body
	return encode(wire(b))
}

// WriteJSON writes b as one line of JSON, ended by a line feed.
func (b *Body) WriteJSON(w io.Writer) error {
	type wire Body
	line, err := encode((*wire)(b))
	if err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// ReadBody reads a saved run, which must hold a report. Fields that are not
// known are passed over.
func ReadBody(r io.Reader) (*Body, error) {
	var b Body
	in := struct {
		*Body
		Parse json.RawMessage `json:"parse"`
	}{Body: &b}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &in); err != nil {
		return nil, fmt.Errorf("read run: not the JSON of a backtest: %w", err)
	}
	if b.Report == nil {
		return nil, fmt.Errorf("read run: no \"report\" in it: expected what backtest --json writes")
	}
	if in.Parse != nil && !bytes.Equal(in.Parse, []byte("null")) {
		b.Parse = in.Parse
	}
	return &b, nil
}

// Trace is what the report shows of the parser's trace.
type Trace struct {
	Summary     string       `json:"summary"`
	Assumptions []Assumption `json:"assumptions"`
	Spans       []Span       `json:"spans"`
	Ignored     []Span       `json:"ignored"`
}

// Assumption is something that the prompt did not say.
type Assumption struct {
	Field string `json:"field"`
	Value any    `json:"value"`
	Why   string `json:"why"`
}

// Span is a stretch of the prompt, [Start, End) in Unicode code points, and the
// field of the strategy that it set.
type Span struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
	Field string `json:"field"`
}

// Trace returns what b.Parse says; the zero value without one.
func (b *Body) Trace() (Trace, error) {
	var t Trace
	if b.Parse == nil {
		return t, nil
	}
	text, err := json.Marshal(b.Parse)
	if err != nil {
		return t, fmt.Errorf("trace: %w", err)
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fmt.Errorf("trace: %w", err)
	}
	return t, nil
}
