package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/strategy"
)

func (a *cli) parse() *cobra.Command {
	var ask askFlags
	var show showFlags
	var batch string
	cmd := &cobra.Command{
		Use:   "parse PROMPT",
		Short: "Read a strategy and show what each part of the sentence became",
		Long: `Reads a strategy in plain English and shows what each part of it became, what was
assumed and which words set nothing; or why it is refused.

--batch FILE reads JSON lines with id and prompt (- for standard input) and writes
one JSON line for each, in order; its source says which parser read it. A language
model that is configured reads too, unless --parser rules.`,
		Example: `  ladderback parse 'Buy Up on BTC 15m when Up drops below 35 cents, take profit at 55c'
  ladderback parse --batch prompts.jsonl > parsed.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			if batch != "" {
				return forBatch(cmd, &ask, args)
			}
			return onePrompt(args)
		},
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			if batch != "" {
				return a.ParseBatch(cmd.Context(), batch, ask.parser, a.out)
			}
			defer a.Roomy()()
			over, err := ask.overrides(cmd.Flags())
			if err != nil {
				return err
			}
			body, err := a.Prompt(cmd.Context(), args[0], ask.parser, over, a.accepts(cmd.Context(), &ask))
			if err != nil {
				return err
			}
			if show.format == "json" {
				return body.WriteJSON(a.out)
			}
			return a.printParse(body)
		}),
	}
	ask.add(cmd.Flags())
	show.add(cmd)
	cmd.Flags().StringVar(&batch, "batch", "", "read prompts from this file of JSON lines, - for standard input")
	return cmd
}

// accepts asks on a terminal whether a prompt that is nearly read counts as what was read
// of it; in scripts --accept says so.
func (a *cli) accepts(ctx context.Context, ask *askFlags) func(*parser.Refusal) bool {
	return func(r *parser.Refusal) bool {
		if !ask.accept && (!a.asks || a.json) {
			return false
		}
		if offer := r.Offer(); !a.quiet || !ask.accept {
			fmt.Fprintf(a.err, "Nearly read: %s\n", offer.Confirm.Summary())
			what := "left out"
			if offer.Source == strategy.SourceLLM {
				what = "not understood by the rules"
				fmt.Fprintf(a.err, "  read by the language model alone: %s\n", strings.Join(offer.Alone, ", "))
			}
			for _, s := range offer.LeftOut {
				fmt.Fprintf(a.err, "  %s: %q\n", what, s.Text)
			}
		}
		return ask.accept || a.confirm(ctx, "Read it so?")
	}
}

// forBatch refuses what a batch would not heed: it takes prompts from its file
// alone.
func forBatch(cmd *cobra.Command, ask *askFlags, args []string) error {
	if len(args) > 0 {
		return usagef("a PROMPT or --batch, not both")
	}
	for _, flag := range []string{"sample", "budget", "accept"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s does not go with --batch: each line is read as it stands", flag)
		}
	}
	return nil
}

// Colours of the fields in a prompt.
const (
	uncoloured   = "\x1b[0m"
	colourNone   = "\x1b[2m"
	colourMarket = "\x1b[36m"
	colourEntry  = "\x1b[32m"
	colourExit   = "\x1b[35m"
	colourMoney  = "\x1b[33m"
)

// colourOf returns the colour of a field's words.
func colourOf(field string) string {
	switch {
	case strings.HasPrefix(field, "market"):
		return colourMarket
	case strings.HasPrefix(field, "exit"):
		return colourExit
	case strings.HasPrefix(field, "budget"), strings.HasPrefix(field, "sample"):
		return colourMoney
	case field == "":
		return colourNone
	}
	return colourEntry
}

// printParse shows the prompt with what each part became.
func (a *cli) printParse(body *backtest.Body) error {
	trace := body.Trace()
	paint := func(s, colour string) string {
		if !a.colour {
			return s
		}
		return colour + s + uncoloured
	}
	var b bytes.Buffer
	prompt, at := []rune(body.Prompt), 0
	for _, s := range trace.Spans {
		if s.Start < at || s.End > len(prompt) {
			continue
		}
		b.WriteString(paint(string(prompt[at:s.Start]), colourNone))
		b.WriteString(paint(string(prompt[s.Start:s.End]), colourOf(s.Field)))
		at = s.End
	}
	b.WriteString(paint(string(prompt[at:]), colourNone))
	fmt.Fprintf(&b, "\n\nUnderstood (by the %s)\n", map[strategy.Source]string{strategy.SourceLLM: "language model", strategy.SourceRules: "rules"}[body.Source])
	note := body.Note
	if a.getenv(app.EnvPrefix+"LLM_BASE_URL") == "" {
		note = "" // nobody misses a model that nobody has
	}
	for _, s := range []string{trace.Summary, note} {
		if s != "" {
			for line := range strings.SplitSeq(text.WrapSoft(s, max(a.width-2, 20)), "\n") {
				fmt.Fprintf(&b, "  %s\n", strings.TrimRight(line, " "))
			}
		}
	}
	fmt.Fprintln(&b)
	t := listing.NewTable(&b, "words", "became")
	for _, s := range trace.Spans {
		t.AppendRow([]any{paint(s.Text, colourOf(s.Field)), s.Field})
	}
	for _, s := range trace.Ignored {
		t.AppendRow([]any{paint(s.Text, colourNone), "(sets nothing)"})
	}
	t.Render()
	if len(trace.Assumptions) > 0 {
		fmt.Fprintln(&b)
		t := listing.NewTable(&b, "assumed", "value", "why")
		for _, s := range trace.Assumptions {
			t.AppendRow([]any{s.Field, string(s.Value), s.Why})
		}
		t.Render()
	}
	for _, d := range trace.Differences {
		fmt.Fprintf(&b, "\nThe parsers differ in %s: the model reads %s, the rules read %s\n", d.Field, d.LLM, d.Rules)
	}
	object, err := json.MarshalIndent(body.Strategy, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "\nStrategy\n%s\n", object)
	_, err = a.out.Write(b.Bytes())
	return err
}
