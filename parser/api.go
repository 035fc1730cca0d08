package parser

import (
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// Codes of refusals, as the API's errors carry them.
const (
	CodeBadRequest        = rules.CodeBadRequest
	CodeUnsupportedSignal = rules.CodeUnsupportedSignal
)

// Overrides are the request's own values. They override the prompt's.
type Overrides = rules.Overrides

// Result is a prompt that was understood.
type Result struct {
	Strategy strategy.Canonical
	Source   strategy.Source
	Note     string // why the rules answered although a model was asked; empty otherwise
	Trace    strategy.Trace
}

// Refusal is why a prompt yields no strategy.
type Refusal = rules.Refusal
