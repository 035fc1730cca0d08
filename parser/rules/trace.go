package rules

import (
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// Trace says what each part of a prompt became.
type Trace struct {
	Summary string
}

func (r *reader) result(_ *grammar.Reading, m *meaning.Result) *Result {
	return &Result{Strategy: m.Strategy, Trace: Trace{Summary: strategy.CanonicalSummary(&m.Strategy)}}
}
