package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
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
		Args: a.args(&show, func(cmd *cobra.Command, args []string) error {
			if batch != "" {
				return forBatch(cmd, args)
			}
			return onePrompt(args)
		}),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			if batch != "" {
				return a.ParseBatch(cmd.Context(), batch, ask.parser, a.out)
			}
			defer a.LargeHeap()()
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
			if a.getenv(app.EnvPrefix+"LLM_BASE_URL") == "" {
				body.Note = "" // nobody misses a model that nobody has
			}
			return listing.Parsed(a.out, body, a.width, a.colour)
		}),
	}
	ask.add(cmd.Flags())
	show.add(cmd)
	cmd.Flags().StringVar(&batch, "batch", "", "read prompts from this file of JSON lines, - for standard input")
	return cmd
}

// accepts asks on a terminal whether a prompt that is nearly read counts as what was read
// of it; in scripts --accept says so, but of what is only most likely meant.
func (a *cli) accepts(ctx context.Context, ask *askFlags) func(*parser.Refusal) bool {
	return func(r *parser.Refusal) bool {
		offer := r.Offer()
		accept := ask.accept && len(offer.Likely) == 0
		if !accept && (!a.asks || a.json) {
			return false
		}
		if !a.quiet || !accept {
			fmt.Fprintf(a.err, "Nearly read: %s\n", offer.Confirm.Summary())
			what := "left out"
			if offer.Source == strategy.SourceLLM {
				what = "not understood by the rules"
				fmt.Fprintf(a.err, "  read by the language model alone: %s\n", strings.Join(offer.Alone, ", "))
			}
			if len(offer.Likely) > 0 {
				what = "not understood"
				fmt.Fprintf(a.err, "  likely, by the words around the numbers: %s\n", strings.Join(offer.Likely, ", "))
			}
			for _, s := range offer.LeftOut {
				fmt.Fprintf(a.err, "  %s: %q\n", what, s.Text)
			}
		}
		return accept || a.confirm(ctx, "Read it so?")
	}
}

// forBatch refuses what a batch would not heed: it takes prompts from its file
// alone.
func forBatch(cmd *cobra.Command, args []string) error {
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
