package rules

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/strategy"
)

// isObject reports whether a prompt is a JSON object with a field that only the
// strategy object has; any other is read as text.
func isObject(prompt string) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(prompt), &fields) != nil {
		return false
	}
	market := strings.TrimSpace(string(fields["market"]))
	return strings.HasPrefix(market, "{") || fields["exit"] != nil && fields["entry"] != nil && strings.HasPrefix(strings.TrimSpace(string(fields["entry"])), "[")
}

// readObject reads a strategy object: it is validated, and the request's own
// values take the place of its.
func readObject(prompt string, o Overrides) (*Result, *Refusal) {
	text := strings.TrimSpace(prompt)
	c, err := strategy.Parse([]byte(text))
	if err == nil {
		s := c.Strategy()
		o.Apply(&s, func(string, string) {})
		c, err = strategy.Canonicalize(s)
	}
	if err != nil {
		return nil, &Refusal{Code: CodeBadRequest, Message: "the strategy object: " + strings.ReplaceAll(err.Error(), "strategy.", "")}
	}
	start := utf8.RuneCountInString(prompt[:strings.Index(prompt, "{")])
	return &Result{Strategy: c, Trace: strategy.Trace{
		Summary:     c.Summary(),
		Assumptions: []strategy.Assumption{},
		Spans:       []strategy.Span{{Start: start, End: start + utf8.RuneCountInString(text), Text: text, Field: "strategy"}},
		Ignored:     []strategy.Span{},
	}}, nil
}
