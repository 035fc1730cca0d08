package backtest

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
	Prompt   string             `json:"prompt"`
	Strategy strategy.Canonical `json:"strategy"`
	Source   strategy.Source    `json:"source"`
	Note     string             `json:"note,omitempty"` // why the rules answered although a model was asked
	// Parse is the parser's trace; nil when a strategy was sent instead of a
	// prompt.
	Parse  *strategy.Trace `json:"parse,omitempty"`
	Report *Report         `json:"report,omitempty"` // nil: only parsed
	// Tally says which look at its rounds the run was, where that was counted. It is no part
	// of the answer, which is the same however often it is asked for.
	Tally Tally `json:"-"`
}

// MarshalJSON writes the fields in order, without HTML escapes.
func (b Body) MarshalJSON() ([]byte, error) {
	type wire Body
	if b.Report == nil || b.Report.head == nil {
		return CompactJSON(wire(b))
	}
	// The receipt is a hash over most of it, which has been written for that.
	receipt, err := CompactJSON(b.Report.Receipt)
	if err != nil {
		return nil, err
	}
	head := b.Report.head
	b.Report = nil
	out, err := CompactJSON(wire(b))
	if err != nil {
		return nil, err
	}
	out = append(out[:len(out)-1], `,"report":`...) // the last field
	out = append(append(out, head...), receiptKey...)
	return append(append(out, receipt...), "}}"...), nil
}

// WriteJSON writes b as one line of JSON, terminated by a line feed.
func (b *Body) WriteJSON(w io.Writer) error {
	text, err := b.MarshalJSON()
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	return nil
}

// ReadBody reads a saved run, which must hold a report. Unknown fields are
// ignored.
func ReadBody(r io.Reader) (*Body, error) {
	var b Body
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &b); err != nil {
		return nil, fmt.Errorf("read run: not the JSON of a backtest: %w", err)
	}
	if b.Report == nil {
		return nil, fmt.Errorf("read run: no \"report\" in it: expected what backtest --json writes")
	}
	return &b, nil
}

// Trace returns b.Parse, or the zero value if there is none.
func (b *Body) Trace() strategy.Trace {
	if b.Parse == nil {
		return strategy.Trace{}
	}
	return *b.Parse
}

// Summary returns the strategy in English: the summary of the trace, or one
// made from the strategy if there is no trace.
func (b *Body) Summary() string {
	if s := b.Trace().Summary; s != "" {
		return s
	}
	return b.Strategy.Summary()
}
