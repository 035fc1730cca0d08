// Package labelled reads prompts that are labelled with the answers that are
// right: one JSON object per line, with "prompt", "expect" and "also_accept".
package labelled

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/ladderback/ladderback/strategy"
)

// Prompt is a prompt and the answers that are right. Each of them is as good as
// another.
type Prompt struct {
	ID     string
	Voice  string // whose way of speaking it imitates; empty: nobody's
	Prompt string
	Note   string
	// Strategies are the strategies that it may become; none: a refusal is due.
	Strategies []strategy.Canonical
	// Codes are the codes that it may be refused with.
	Codes []string
	// Due: a refusal is the first answer, whatever else is let pass.
	Due bool
}

// Accepts reports whether a refusal with the code or, where it is empty, the
// strategy is a right answer.
func (p *Prompt) Accepts(s strategy.Canonical, code string) bool {
	if code != "" {
		return slices.Contains(p.Codes, code)
	}
	return slices.ContainsFunc(p.Strategies, s.Equal)
}

// Want says what the first right answer is: a summary, or a code.
func (p *Prompt) Want() string {
	if len(p.Strategies) > 0 {
		return p.Strategies[0].Summary()
	}
	return fmt.Sprint(p.Codes)
}

// Read returns the prompts of a file, in order.
func Read(t testing.TB, path string) []Prompt {
	t.Helper()
	out, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ReadFile is Read outside tests. A label that is no valid strategy is an error.
func ReadFile(path string) ([]Prompt, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Prompt
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		if len(in.Bytes()) == 0 {
			continue
		}
		p, err := parse(in.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, p)
	}
	return out, in.Err()
}

type answer struct {
	Strategy json.RawMessage `json:"strategy"`
	Error    string          `json:"error"`
}

func parse(line []byte) (Prompt, error) {
	var l struct {
		ID         string   `json:"id"`
		Voice      string   `json:"voice"`
		Prompt     string   `json:"prompt"`
		Note       string   `json:"note"`
		Expect     answer   `json:"expect"`
		AlsoAccept []answer `json:"also_accept"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return Prompt{}, err
	}
	p := Prompt{ID: l.ID, Voice: l.Voice, Prompt: l.Prompt, Note: l.Note, Due: l.Expect.Error != ""}
	for _, a := range append([]answer{l.Expect}, l.AlsoAccept...) {
		if a.Error != "" {
			p.Codes = append(p.Codes, a.Error)
			continue
		}
		s, err := strategy.Parse(a.Strategy)
		if err != nil {
			return Prompt{}, fmt.Errorf("%s: label: %w", l.ID, err)
		}
		p.Strategies = append(p.Strategies, s)
	}
	return p, nil
}
