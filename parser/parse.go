package parser

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/ladderback/ladderback/parser/guard"
	"github.com/ladderback/ladderback/parser/model"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// MaxPrompt is the maximum length of a prompt, in code points.
const MaxPrompt = 2000

// InFlight is how many prompts of a batch wait for a language model at once.
const InFlight = model.DefaultInFlight

type (
	// Model is a language model that reads prompts.
	Model = model.Model
	// ModelConfig says which model is asked, and how.
	ModelConfig = model.Config
	// ModelCall is the outcome of one prompt meant for the model.
	ModelCall = model.Call
	// AnswerFormat is the form in which a model is asked to answer.
	AnswerFormat = model.AnswerFormat
	// Sampling says whether temperature, seed and the token limit are sent.
	Sampling = model.Sampling
)

// NewModel returns a Model. Nothing is sent before the first prompt.
func NewModel(c ModelConfig) (*Model, error) { return model.New(c) }

// Rules reads a prompt with the rules alone. Exactly one of the results is set: a
// valid, canonical strategy, or a refusal.
func Rules(prompt string, o Overrides) (*Result, *Refusal) {
	if n := utf8.RuneCountInString(prompt); n > MaxPrompt {
		return nil, &Refusal{Code: CodeBadRequest, Message: fmt.Sprintf("the prompt has %d characters: expected at most %d", n, MaxPrompt)}
	}
	res, refusal := rules.Read(prompt, o)
	if refusal != nil {
		return nil, refusal
	}
	return &Result{Strategy: res.Strategy, Source: strategy.SourceRules, Trace: res.Trace}, nil
}

// Taken is the strategy of a prompt that is nearly read, once somebody has said yes to
// it: the refusal offers one to confirm.
func Taken(r *Refusal) *Result {
	o := r.Offer()
	return &Result{Strategy: *o.Confirm, Source: o.Source, Trace: strategy.Trace{
		Summary: o.Confirm.Summary(), Assumptions: []strategy.Assumption{}, Spans: r.Spans, Ignored: o.LeftOut,
	}}
}

// noteNoModel is the note where no model is configured.
const noteNoModel = "No language model is configured; the rules read the prompt."

// Parse reads a prompt: if m is not nil with the language model, checked against
// the rules, otherwise with the rules alone. Exactly one of the results is set: a
// valid, canonical strategy, or a refusal.
//
// The rules read first. What is not this market's, and what they know that the
// object cannot say, is refused without asking. The model's answer counts when
// it finished, is a valid strategy, is borne out by the prompt, and nothing that
// the rules read contradicts it. Otherwise the rules' answer stands, with a note
// that says why. An answer that words alone speak against, which are left over or are
// not exact, is offered beside the refusal.
func Parse(ctx context.Context, m *Model, prompt string, o Overrides) (*Result, *Refusal) {
	res, refusal := Rules(prompt, o)
	switch {
	case m == nil && res != nil:
		res.Note = noteNoModel
		return res, nil
	case m == nil || refusal != nil && !refusal.MayBeRead():
		return nil, refusal
	}
	known, unsure := knownTo(res, refusal, prompt, o)
	if unsure {
		return res, nil
	}
	read, failure := m.Read(ctx, prompt, known)
	switch {
	case res == nil:
		if res, refusal = unknown(read, failure, refusal, o); refusal != nil {
			return nil, refusal
		}
	case failure != nil:
		res.Note = "T" + failure.Note[1:] + "; the rules read the prompt."
		res.Trace.Differences = failure.Differences
	default:
		res.Source = strategy.SourceLLM
	}
	res.Trace.Model = m.Trace()
	return res, nil
}

// unknown is what comes of a model's answer, or of its failure, for a prompt that the
// rules refuse. An answer that words alone speak against is offered beside the refusal.
func unknown(read *guard.Reading, failure *guard.Failure, refusal *Refusal, o Overrides) (*Result, *Refusal) {
	switch {
	case failure == nil && refusal.Unread:
		return byModel(read, o)
	case failure != nil && failure.Nearly == nil:
		return nil, refusal
	case failure != nil:
		read = failure.Nearly
	}
	if nearly, no := byModel(read, o); no == nil {
		refusal.Take(nearly.Strategy, read.Fields)
	}
	return nil, refusal
}

// knownTo returns what the rules make of a prompt without the request's own values.
// unsure: only with them is there a strategy.
func knownTo(res *Result, refusal *Refusal, prompt string, o Overrides) (known guard.Known, unsure bool) {
	switch {
	case res == nil:
		known.Choices, known.Weighed = refusal.Offer().Choices, true
		for i := range refusal.Obstacles {
			if o := &refusal.Obstacles[i]; !o.Unread {
				known.Doubted = append(known.Doubted, o.Span)
			}
		}
		return known, false
	case o != Overrides{}:
		if res, _ = Rules(prompt, Overrides{}); res == nil {
			return known, true
		}
	}
	known.Strategy = &res.Strategy
	return known, false
}

// byModel is the result of an answer for a prompt that the rules do not read.
func byModel(read *guard.Reading, o Overrides) (*Result, *Refusal) {
	s := read.Strategy.Strategy()
	assumed := append([]strategy.Assumption{}, read.Alone...)
	o.Apply(&s, func(field, value string) {
		assumed = append(assumed, strategy.Assumption{Field: field, Value: json.RawMessage(value), Why: "the request's own value is used"})
	})
	c, err := strategy.Canonicalize(s)
	if err != nil {
		return nil, &Refusal{Code: CodeBadRequest, Message: err.Error()}
	}
	return &Result{Strategy: c, Source: strategy.SourceLLM, Trace: strategy.Trace{
		Summary: c.Summary(), Assumptions: assumed, Spans: read.Spans, Ignored: []strategy.Span{},
	}}, nil
}
