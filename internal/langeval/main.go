// Command langeval holds the rules parser against labelled prompts, one JSON
// object a line, and shows how a prompt is read.
//
//	go run ./internal/langeval [-v] PROMPTS.jsonl …
//	go run ./internal/langeval -dump "buy up below 30c"
//	go run ./internal/langeval -probe 100 PROMPTS.jsonl …
//	go run ./internal/langeval -model http://127.0.0.1:8080/v1 PROMPTS.jsonl …
package main

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/internal/probes"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// prompt is a labelled prompt or, out of a text, one with the summary of its
// strategy.
type prompt struct {
	labelled.Prompt
	Summary string
}

func main() {
	show := flag.String("dump", "", "show how a prompt is read")
	id := flag.String("id", "", "show how the prompt with this id is read")
	answer := flag.String("answer", "", "say what a prompt is read as")
	verbose := flag.Bool("v", false, "list every miss")
	only := flag.String("only", "", "list only misses of this kind: wrong, false, refused, code, misleading")
	probe := flag.Int("probe", 0, "put pieces that say something into the prompts, and read each so manieth of what comes out; -v lists those that change nothing")
	from := flag.Int("from", 0, "the probe from which on they are counted")
	model := flag.String("model", "", "the address of a language model that reads the prompts beside the rules")
	format := flag.String("format", "", "the form in which it is asked to answer: json_schema, json_object_schema, json_object, text; empty: the first of these that the server takes")
	step := flag.Int("step", 1, "with -model: read every so manieth prompt")
	limit := flag.Duration("limit", 15*time.Minute, "with -model: how long each may take")
	tokens := flag.Int("tokens", 0, "with -model: how many tokens an answer may have; 0: as many as without this")
	bench := flag.Duration("bench", 0, "how long to measure the speed")
	flag.Parse()
	if *show != "" {
		fmt.Println(dump(*show))
		return
	}
	if *answer != "" {
		res, refusal := rules.Read(*answer, rules.Overrides{})
		if refusal != nil {
			fmt.Println(refusal.Code+":", market.AsError(refusal).Message)
			if o := refusal.Offer(); o.Confirm != nil {
				fmt.Println("  nearly read:", o.Confirm.Summary())
			} else if o.Suggestion != "" {
				fmt.Println("  suggested:", o.Suggestion)
			}
			for _, c := range refusal.Offer().Choices {
				fmt.Println("  or:", c.Summary())
			}
			return
		}
		fmt.Println(res.Trace.Summary)
		for _, a := range res.Trace.Assumptions {
			fmt.Printf("  assumed %s = %s: %s\n", a.Field, a.Value, a.Why)
		}
		for _, s := range res.Trace.Ignored {
			fmt.Printf("  ignored %q\n", s.Text)
		}
		return
	}
	var texts []string
	for _, path := range flag.Args() {
		list, err := read(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if *id != "" {
			for _, l := range list {
				if l.ID == *id {
					fmt.Println(l.Prompt.Prompt)
					fmt.Println(dump(l.Prompt.Prompt))
				}
			}
			continue
		}
		if *probe > 0 {
			for i := range list {
				texts = append(texts, list[i].Prompt.Prompt)
			}
			continue
		}
		if *model != "" {
			if err := withModel(list, *model, parser.AnswerFormat(*format), *step, *limit, *tokens, *verbose); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
			continue
		}
		report(path, list, *verbose, *only)
		if *bench > 0 {
			speed(list, *bench)
		}
	}
	if *probe > 0 {
		probeAll(texts, *from, *probe, *verbose)
	}
}

// probeAll reads one in so many of the probes, and prints what came of them.
func probeAll(prompts []string, start, step int, verbose bool) {
	res := probes.Run(prompts, func(prompt string) (*strategy.Canonical, []strategy.Span) {
		if res, _ := rules.Read(prompt, rules.Overrides{}); res != nil {
			return &res.Strategy, res.Trace.Spans
		}
		return nil, nil
	}, start, step)
	for _, p := range res.Silent {
		if verbose {
			fmt.Printf("%s [%s] %q\n    of %q\n", p.Kind, p.Piece, p.Prompt, p.From)
		}
	}
	if err := res.Write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) ([]prompt, error) {
	if strings.HasSuffix(path, ".txt") {
		return readText(path)
	}
	list, err := labelled.ReadFile(path)
	out := make([]prompt, len(list))
	for i := range list {
		out[i].Prompt = list[i]
	}
	return out, err
}

// readText reads prompts behind "> ", each with its summary, or the code of its
// refusal behind "refused: ", in the line below.
func readText(path string) ([]prompt, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []prompt
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		if text, ok := strings.CutPrefix(in.Text(), "> "); ok {
			out = append(out, prompt{Prompt: labelled.Prompt{ID: fmt.Sprint(n), Prompt: strings.ReplaceAll(text, `\n`, "\n")}})
			continue
		}
		if len(out) == 0 || out[len(out)-1].Summary != "" || out[len(out)-1].Codes != nil {
			continue
		}
		last := &out[len(out)-1]
		if code, ok := strings.CutPrefix(in.Text(), "refused: "); ok {
			code, last.Note, _ = strings.Cut(code, " ")
			last.Codes = []string{code}
		} else {
			last.Summary = in.Text()
		}
	}
	return out, in.Err()
}

// verdict judges an answer: right, wrong (another strategy), false (a strategy
// where a refusal is due), refused (where a strategy is due) or code (refused
// with the other code).
func verdict(l *prompt) (kind, got string) {
	res, refusal := rules.Read(l.Prompt.Prompt, rules.Overrides{})
	due := l.Summary != "" || len(l.Strategies) > 0
	if refusal != nil {
		switch {
		case l.Accepts(strategy.Canonical{}, refusal.Code):
			return "right", ""
		case due:
			return "refused", refusal.Code + ": " + places(refusal)
		}
		return "code", refusal.Code + ": " + places(refusal)
	}
	switch {
	case l.means(res.Strategy):
		return "right", ""
	case due:
		return "wrong", res.Strategy.Summary()
	}
	return "false", res.Strategy.Summary()
}

// means reports whether a strategy is a right answer.
func (p *prompt) means(s strategy.Canonical) bool {
	return p.Summary != "" && s.Summary() == p.Summary || p.Accepts(s, "")
}

// offered judges what is offered beside a refusal, "" for nothing: a strategy to
// confirm, one of choices, or a suggestion that is a right answer; misleading: one that
// is not, where a strategy is due, and any to confirm where none is.
func offered(l *prompt) (kind, got string) {
	_, refusal := rules.Read(l.Prompt.Prompt, rules.Overrides{})
	if refusal == nil {
		return "", ""
	}
	o, due := refusal.Offer(), l.Summary != "" || len(l.Strategies) > 0
	switch {
	case len(o.Choices) > 0 && slices.ContainsFunc(o.Choices, l.means):
		return "chosen", ""
	case o.Confirm != nil && l.means(*o.Confirm):
		return "confirmed", ""
	case o.Confirm != nil:
		return "misleading", o.Confirm.Summary()
	case o.Suggestion == "" || !due:
		return "", ""
	}
	switch res, _ := rules.Read(o.Suggestion, rules.Overrides{}); {
	case res == nil:
		return "", ""
	case l.means(res.Strategy):
		return "suggested", ""
	}
	return "misleading", o.Suggestion
}

// places lists the phrases that a refusal names.
func places(r *rules.Refusal) string {
	if len(r.Obstacles) == 0 {
		return r.Message
	}
	var out []string
	for _, o := range r.Obstacles {
		out = append(out, fmt.Sprintf("[%s] %s", o.Text, o.Why))
	}
	return strings.Join(out, " ")
}

var kinds = [...]string{"right", "wrong", "false", "refused", "code", "confirmed", "chosen", "suggested", "misleading"}

func report(path string, list []prompt, verbose bool, only string) {
	voices := map[string]map[string]int{}
	total := map[string]int{}
	for i := range list {
		l := &list[i]
		kind, got := verdict(l)
		total[kind]++
		if voices[l.Voice] == nil {
			voices[l.Voice] = map[string]int{}
		}
		voices[l.Voice][kind]++
		if kind != "right" && (verbose || only == kind) && (only == "" || only == kind) {
			fmt.Printf("%s %s %q\n    got  %s\n    want %s\n", kind, l.ID, l.Prompt.Prompt, got, want(l))
		}
		if kind, got = offered(l); kind == "" {
			continue
		}
		total[kind]++
		voices[l.Voice][kind]++
		if verbose || only == kind {
			fmt.Printf("  %s %s: %q\n", kind, got, l.Prompt.Prompt)
		}
	}
	names := slices.Sorted(maps.Keys(voices))
	line := func(name string, n map[string]int) {
		fmt.Printf("%-14s", name)
		for _, k := range kinds {
			fmt.Printf(" %s %d", k, n[k])
		}
		fmt.Println()
	}
	if len(names) > 1 {
		for _, v := range names {
			line(v, voices[v])
		}
	}
	line(path, total)
}

func want(l *prompt) string {
	if l.Summary != "" {
		return l.Summary
	}
	return l.Want() + " " + l.Note
}

func speed(list []prompt, d time.Duration) {
	n, slowest, start := 0, time.Duration(0), time.Now()
	for time.Since(start) < d {
		for i := range list {
			t := time.Now()
			_, _ = rules.Read(list[i].Prompt.Prompt, rules.Overrides{})
			slowest = max(slowest, time.Since(t))
			n++
		}
	}
	fmt.Printf("%.0f prompts/s, slowest %v\n", float64(n)/time.Since(start).Seconds(), slowest)
}
