package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// emptiedMoney finds what a shell leaves of "$50 per trade" between double
// quotes: it replaces $5 by nothing.
var emptiedMoney = regexp.MustCompile(`(^|[\s,;])(00?0?0?)\s+(per|a|each)\b`)

// refuse returns the error of a refused prompt, with what a shell may have done to
// it.
func refuse(r *parser.Refusal, prompt string) error {
	e := market.AsError(r)
	if emptiedMoney.MatchString(prompt) {
		e.Message += "\nIf you wrote an amount like $50 between double quotes, the shell replaced $5 with nothing: put the prompt in single quotes."
	}
	return e
}

// Prompt reads a prompt and returns the body of the answer without a report. which is
// auto, rules or llm; accepts is asked whether a prompt that is nearly read counts as the
// strategy which its refusal offers.
func (a *App) Prompt(ctx context.Context, prompt, which string, over parser.Overrides, accepts func(*parser.Refusal) bool) (*backtest.Body, error) {
	model, err := a.ModelFor(which)
	if err != nil {
		return nil, err
	}
	result, refusal := parser.Parse(ctx, model, prompt, over)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if refusal != nil {
		if refusal.Offer().Confirm == nil || !accepts(refusal) {
			return nil, refuse(refusal, prompt)
		}
		result = parser.Taken(refusal)
	}
	if which == "rules" && a.Getenv(EnvPrefix+"LLM_BASE_URL") != "" {
		result.Note = "The rules read the prompt, as requested."
	}
	return &backtest.Body{Prompt: prompt, Strategy: result.Strategy, Source: result.Source, Note: result.Note, Parse: &result.Trace}, nil
}

// StrategyFile reads a strategy from a file: the object itself, or a document that holds
// one, such as the output of parse or backtest.
func (a *App) StrategyFile(ctx context.Context, path string, over parser.Overrides) (*backtest.Body, error) {
	text, err := a.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	s, err := strategy.Decode(strategyIn(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if over.SampleSize != nil {
		s.SampleSize = *over.SampleSize
	}
	if over.Budget != nil {
		s.BudgetPerTrade = *over.Budget
	}
	canonical, err := strategy.Canonicalize(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &backtest.Body{Prompt: canonical.Summary(), Strategy: canonical, Source: strategy.SourceRules}, nil
}

// strategyIn returns the strategy of a document that contains one, such as the
// output of parse or backtest; otherwise the text itself, without the mark that some editors
// put before it.
func strategyIn(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var document struct {
		Strategy json.RawMessage `json:"strategy"`
	}
	if err := json.Unmarshal(text, &document); err != nil || len(document.Strategy) == 0 {
		return text
	}
	return document.Strategy
}

// ModelFor returns the model that --parser asks for; nil: the rules alone.
func (a *App) ModelFor(which string) (*parser.Model, error) {
	if which == "rules" {
		return nil, nil
	}
	s, err := a.Settings("")
	if err != nil {
		return nil, err
	}
	m, err := s.LanguageModel(nil)
	if err != nil {
		if s.LLM.Model == "" {
			err = fmt.Errorf("%w (%sLLM_BASE_URL and %sLLM_MODEL go together)", err, EnvPrefix, EnvPrefix)
		}
		return nil, err
	}
	if m == nil && which == "llm" {
		return nil, Usagef("--parser llm: no language model is configured; set %sLLM_BASE_URL and %sLLM_MODEL", EnvPrefix, EnvPrefix)
	}
	return m, nil
}
