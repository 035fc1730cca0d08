package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

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

// parsePrompt reads a prompt and returns the body of the answer without a
// report. which is auto, rules or llm.
func (a *app) parsePrompt(ctx context.Context, prompt, which string, sample *int, budget *strategy.Number) (*backtest.Body, error) {
	model, err := a.modelFor(which)
	if err != nil {
		return nil, err
	}
	result, refusal := parser.Parse(ctx, model, prompt, parser.Overrides{SampleSize: sample, Budget: budget})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if refusal != nil {
		return nil, refuse(refusal, prompt)
	}
	if which == "rules" && a.getenv(envPrefix+"LLM_BASE_URL") != "" {
		result.Note = "The rules read the prompt, as requested."
	}
	return bodyOf(prompt, result), nil
}

func bodyOf(prompt string, r *parser.Result) *backtest.Body {
	return &backtest.Body{Prompt: prompt, Strategy: r.Strategy, Source: r.Source, Note: r.Note, Parse: &r.Trace}
}

// modelFor returns the model that --parser asks for; nil: the rules alone.
func (a *app) modelFor(which string) (*parser.Model, error) {
	if which == "rules" {
		return nil, nil
	}
	s, err := a.settings("")
	if err != nil {
		return nil, err
	}
	m, err := s.model(nil)
	if err != nil {
		if s.LLM.Model == "" {
			err = fmt.Errorf("%w (%sLLM_BASE_URL and %sLLM_MODEL go together)", err, envPrefix, envPrefix)
		}
		return nil, err
	}
	if m == nil && which == "llm" {
		return nil, usagef("--parser llm: no language model is configured; set %sLLM_BASE_URL and %sLLM_MODEL", envPrefix, envPrefix)
	}
	return m, nil
}

func (a *app) parse() *cobra.Command {
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
				return a.parseBatch(cmd.Context(), batch, ask.parser)
			}
			defer a.roomy()()
			sample, budget, err := ask.overrides(cmd.Flags())
			if err != nil {
				return err
			}
			body, err := a.parsePrompt(cmd.Context(), args[0], ask.parser, sample, budget)
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

// forBatch refuses what a batch would not heed: it takes prompts from its file
// alone.
func forBatch(cmd *cobra.Command, ask *askFlags, args []string) error {
	if len(args) > 0 {
		return usagef("a PROMPT or --batch, not both")
	}
	for _, flag := range []string{"sample", "budget"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s does not go with --batch: state it in each prompt instead", flag)
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
func (a *app) printParse(body *backtest.Body) error {
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
	if a.getenv(envPrefix+"LLM_BASE_URL") == "" {
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
	t := newTable(&b, "words", "became")
	for _, s := range trace.Spans {
		t.AppendRow([]any{paint(s.Text, colourOf(s.Field)), s.Field})
	}
	for _, s := range trace.Ignored {
		t.AppendRow([]any{paint(s.Text, colourNone), "(sets nothing)"})
	}
	t.Render()
	if len(trace.Assumptions) > 0 {
		fmt.Fprintln(&b)
		t := newTable(&b, "assumed", "value", "why")
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
	fmt.Fprintf(&b, "\n%s\n", object)
	_, err = a.out.Write(b.Bytes())
	return err
}

// batchLine is one line of a batch's output: a strategy, or why there is none.
type batchLine struct {
	ID          json.RawMessage       `json:"id"`
	Strategy    *strategy.Canonical   `json:"strategy,omitempty"`
	Source      string                `json:"source,omitempty"`
	Summary     string                `json:"summary,omitempty"`
	Assumptions []strategy.Assumption `json:"assumptions,omitempty"`
	Ignored     []strategy.Span       `json:"ignored,omitempty"`
	Error       string                `json:"error,omitempty"`
	Message     string                `json:"message,omitempty"`
	Suggestion  string                `json:"suggestion,omitempty"`
}

// batchChunk is how many lines a worker parses at a time.
const batchChunk = 64

// parseBatch parses the prompts of a file of JSON lines, with the rules on every
// core, with a language model as many at a time as it takes, and writes the answers
// in order.
func (a *app) parseBatch(ctx context.Context, path, which string) error {
	model, err := a.modelFor(which)
	if err != nil {
		return err
	}
	size, crew := batchChunk, runtime.GOMAXPROCS(0)
	if model != nil {
		size, crew = 1, parser.InFlight
	}
	in, err := a.openInput(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	type chunk struct {
		lines [][]byte
		out   chan []byte
	}
	// Few objects live long here: collecting garbage an eighth as often costs a
	// few megabytes and saves a sixth of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	work := make(chan chunk, 2*crew)
	order := make(chan chan []byte, 4*crew)
	var workers sync.WaitGroup
	for range crew {
		workers.Go(func() {
			for c := range work {
				var b bytes.Buffer
				for _, line := range c.lines {
					b.Write(parseLine(ctx, model, line))
				}
				c.out <- b.Bytes()
			}
		})
	}
	var readErr error
	go func() {
		defer close(order)
		defer close(work)
		readErr = chunks(ctx, in, size, func(lines [][]byte) {
			c := chunk{lines, make(chan []byte, 1)}
			order <- c.out
			work <- c
		})
	}()
	w := bufio.NewWriterSize(a.out, 1<<16)
	var writeErr error
	for out := range order {
		if b := <-out; writeErr == nil {
			_, writeErr = w.Write(b)
		}
	}
	workers.Wait()
	return errors.Join(readErr, writeErr, w.Flush(), ctx.Err())
}

// chunks hands the lines of in that are not blank to f, size at a time.
func chunks(ctx context.Context, in io.Reader, size int, f func(lines [][]byte)) error {
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 16<<20)
	var lines [][]byte
	for scan.Scan() && ctx.Err() == nil {
		if line := bytes.TrimSpace(bytes.TrimPrefix(scan.Bytes(), []byte("\ufeff"))); len(line) > 0 {
			lines = append(lines, bytes.Clone(line))
		}
		if len(lines) == size {
			f(lines)
			lines = nil
		}
	}
	if len(lines) > 0 {
		f(lines)
	}
	return scan.Err()
}

// parseLine parses one line of a batch.
func parseLine(ctx context.Context, model *parser.Model, line []byte) []byte {
	var in struct {
		ID     json.RawMessage `json:"id"`
		Prompt *string         `json:"prompt"`
	}
	out := batchLine{}
	switch err := json.Unmarshal(line, &in); {
	case err != nil:
		out.Error, out.Message = parser.CodeBadRequest, "not a JSON object with id and prompt"
	case in.Prompt == nil:
		out.Error, out.Message = parser.CodeBadRequest, "the line has no prompt"
	default:
		result, refusal := parser.Parse(ctx, model, *in.Prompt, parser.Overrides{})
		if refusal != nil {
			out.Error, out.Message, out.Suggestion = refusal.Code, refusal.Message, refusal.Suggestion
			break
		}
		out.Strategy, out.Source = &result.Strategy, string(result.Source)
		out.Summary, out.Assumptions, out.Ignored = result.Trace.Summary, result.Trace.Assumptions, result.Trace.Ignored
	}
	out.ID = in.ID
	if out.ID == nil {
		out.ID = json.RawMessage("null")
	}
	return out.encode()
}

// encode writes the line without HTML escapes. A strategy's lists are present
// even when empty.
func (l *batchLine) encode() []byte {
	var v any = l
	if l.Strategy != nil {
		v = struct {
			ID          json.RawMessage       `json:"id"`
			Strategy    *strategy.Canonical   `json:"strategy"`
			Source      string                `json:"source"`
			Summary     string                `json:"summary"`
			Assumptions []strategy.Assumption `json:"assumptions"`
			Ignored     []strategy.Span       `json:"ignored"`
		}{l.ID, l.Strategy, l.Source, l.Summary, append([]strategy.Assumption{}, l.Assumptions...), append([]strategy.Span{}, l.Ignored...)}
	}
	line, err := backtest.CompactJSON(v)
	if err != nil {
		line = fmt.Appendf(nil, `{"id":%s,"error":"failed","message":%q}`, l.ID, err.Error())
	}
	return append(line, '\n')
}
