package listing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/strategy"
)

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

// Parsed writes a prompt with what each part of it became, on a screen of so many columns.
func Parsed(w io.Writer, body *backtest.Body, width int, colours bool) error {
	trace := body.Trace()
	paint := func(s, colour string) string {
		if !colours {
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
	for _, s := range []string{trace.Summary, body.Note} {
		if s != "" {
			for line := range strings.SplitSeq(text.WrapSoft(s, max(width-2, 20)), "\n") {
				fmt.Fprintf(&b, "  %s\n", strings.TrimRight(line, " "))
			}
		}
	}
	fmt.Fprintln(&b)
	t := NewTable(&b, "words", "became")
	for _, s := range trace.Spans {
		t.AppendRow([]any{paint(s.Text, colourOf(s.Field)), s.Field})
	}
	for _, s := range trace.Ignored {
		t.AppendRow([]any{paint(s.Text, colourNone), "(sets nothing)"})
	}
	t.Render()
	if len(trace.Assumptions) > 0 {
		fmt.Fprintln(&b)
		t := NewTable(&b, "assumed", "value", "why")
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
	_, err = w.Write(b.Bytes())
	return err
}
