// Command langeval holds the rules parser against labelled prompts, one JSON
// object a line, and shows how a prompt is read.
//
//	go run ./internal/langeval [-v] ../shared/prompts/voices.jsonl …
//	go run ./internal/langeval -dump "buy up below 30c"
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

type expectation struct {
	Strategy json.RawMessage `json:"strategy"`
	Error    string          `json:"error"`
}

type labelled struct {
	ID         string        `json:"id"`
	Voice      string        `json:"voice"`
	Prompt     string        `json:"prompt"`
	Expect     expectation   `json:"expect"`
	AlsoAccept []expectation `json:"also_accept"`
	Summary    string        `json:"-"` // of the strategy, in the place of Expect
	Note       string        `json:"note"`
}

func main() {
	show := flag.String("dump", "", "show how a prompt is read")
	id := flag.String("id", "", "show how the prompt with this id is read")
	answer := flag.String("answer", "", "say what a prompt is read as")
	verbose := flag.Bool("v", false, "list every miss")
	only := flag.String("only", "", "list only misses of this kind: wrong, false, refused, code")
	bench := flag.Duration("bench", 0, "how long to measure the speed")
	flag.Parse()
	if *show != "" {
		fmt.Println(dump(*show))
		return
	}
	if *answer != "" {
		res, refusal := rules.Read(*answer, rules.Overrides{})
		if refusal != nil {
			fmt.Println(refusal.Code+":", refusal.Message)
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
	for _, path := range flag.Args() {
		list, err := read(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if *id != "" {
			for _, l := range list {
				if l.ID == *id {
					fmt.Println(l.Prompt)
					fmt.Println(dump(l.Prompt))
				}
			}
			continue
		}
		report(path, list, *verbose, *only)
		if *bench > 0 {
			speed(list, *bench)
		}
	}
}

func read(path string) ([]labelled, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if strings.HasSuffix(path, ".txt") {
		return readText(f)
	}
	var out []labelled
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if len(in.Bytes()) == 0 {
			continue
		}
		var l labelled
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, l)
	}
	return out, in.Err()
}

// readText reads prompts behind "> ", each with its summary, or the code of its
// refusal behind "refused: ", in the line below.
func readText(f *os.File) ([]labelled, error) {
	var out []labelled
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		if prompt, ok := strings.CutPrefix(in.Text(), "> "); ok {
			out = append(out, labelled{ID: fmt.Sprint(n), Prompt: prompt})
			continue
		}
		if len(out) == 0 || out[len(out)-1].Summary != "" || out[len(out)-1].Expect.Error != "" {
			continue
		}
		last := &out[len(out)-1]
		if code, ok := strings.CutPrefix(in.Text(), "refused: "); ok {
			last.Expect.Error, last.Note, _ = strings.Cut(code, " ")
		} else {
			last.Summary = in.Text()
		}
	}
	return out, in.Err()
}

// verdict judges an answer: right, wrong (another strategy), false (a strategy
// where a refusal is due), refused (where a strategy is due) or code (refused
// with the other code).
func verdict(l *labelled) (kind, got string) {
	res, refusal := rules.Read(l.Prompt, rules.Overrides{})
	all := append([]expectation{l.Expect}, l.AlsoAccept...)
	due := l.Summary != ""
	if due && refusal == nil && res.Trace.Summary == l.Summary {
		return "right", ""
	}
	for _, e := range all {
		if refusal != nil && e.Error == refusal.Code {
			return "right", ""
		}
		due = due || e.Strategy != nil
		if refusal != nil || e.Strategy == nil {
			continue
		}
		if want, err := strategy.Parse(e.Strategy); err == nil && want.Equal(res.Strategy) {
			return "right", ""
		}
	}
	switch {
	case refusal != nil && due:
		return "refused", refusal.Code + ": " + places(refusal)
	case refusal != nil:
		return "code", refusal.Code + ": " + places(refusal)
	case due:
		return "wrong", res.Strategy.Summary()
	}
	return "false", res.Strategy.Summary()
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

var kinds = [...]string{"right", "wrong", "false", "refused", "code"}

func report(path string, list []labelled, verbose bool, only string) {
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
			fmt.Printf("%s %s %q\n    got  %s\n    want %s\n", kind, l.ID, l.Prompt, got, want(l))
		}
	}
	var names []string
	for v := range voices {
		names = append(names, v)
	}
	sort.Strings(names)
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

func want(l *labelled) string {
	if l.Summary != "" {
		return l.Summary
	}
	if l.Expect.Strategy == nil {
		return l.Expect.Error + " " + l.Note
	}
	s, err := strategy.Parse(l.Expect.Strategy)
	if err != nil {
		return "a label that is not valid: " + err.Error()
	}
	return s.Summary()
}

func speed(list []labelled, d time.Duration) {
	n, slowest, start := 0, time.Duration(0), time.Now()
	for time.Since(start) < d {
		for i := range list {
			t := time.Now()
			_, _ = rules.Read(list[i].Prompt, rules.Overrides{})
			slowest = max(slowest, time.Since(t))
			n++
		}
	}
	fmt.Printf("%.0f prompts/s, slowest %v\n", float64(n)/time.Since(start).Seconds(), slowest)
}
