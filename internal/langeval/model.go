package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// withModel reads every step-th prompt with a language model at an address beside the
// rules, and prints what came of them by the outcome of the call: whose answer it was,
// whether it is right, and what was offered.
func withModel(list []prompt, url string, format parser.AnswerFormat, step int, limit time.Duration, most int, verbose bool) error {
	outcome, requests, tokens := "", 0, 0
	m, err := parser.NewModel(parser.ModelConfig{
		BaseURL: url, Model: "model", Format: format, Timeout: limit, MaxTokens: most,
		Observe: func(c parser.ModelCall) {
			outcome, requests, tokens = c.Outcome, requests+c.Requests, tokens+c.CompletionTokens
		},
	})
	if err != nil {
		return err
	}
	table, start, n := map[string]map[string]int{}, time.Now(), 0
	for i := range list {
		if i%step != 0 {
			continue
		}
		l := &list[i]
		outcome = "not asked"
		res, refusal := parser.Parse(context.Background(), m, l.Prompt.Prompt, parser.Overrides{})
		if table[outcome] == nil {
			table[outcome] = map[string]int{}
		}
		what := l.cameOf(res, refusal)
		if table[outcome][what]++; verbose {
			fmt.Printf("%s: %s %q\n", outcome, what, l.Prompt.Prompt)
		}
		n++
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		fmt.Printf("%-12s", name)
		for _, what := range slices.Sorted(maps.Keys(table[name])) {
			fmt.Printf("  %d %s", table[name][what], what)
		}
		fmt.Println()
	}
	fmt.Printf("%d prompts, %d requests, %d tokens answered, %v\n", n, requests, tokens, time.Since(start).Round(time.Second))
	return nil
}

// cameOf says what came of a prompt: whose strategy, or what was offered beside its
// refusal, and whether that is right.
func (p *prompt) cameOf(res *parser.Result, refusal *parser.Refusal) string {
	judged := func(what string, s strategy.Canonical) string {
		if p.means(s) {
			return what + " right"
		}
		return what + " wrong"
	}
	switch {
	case res != nil:
		return judged("by "+string(res.Source), res.Strategy)
	case refusal.Offer().Confirm != nil:
		return judged("offered by "+string(refusal.Offer().Source), *refusal.Offer().Confirm)
	case p.Accepts(strategy.Canonical{}, refusal.Code):
		return "refused rightly"
	}
	return "refused"
}
