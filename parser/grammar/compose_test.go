package grammar_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// composer puts phrases together from what the parts of a rule are: words that prompts
// have, and examples of categories.
type composer struct {
	words map[string][]string // by symbol: phrases that are it, in the order they were met
}

// word notes a phrase of a symbol.
func (c *composer) word(symbol, text string) {
	if list := c.words[symbol]; len(list) < 60 && !slices.Contains(list, text) {
		c.words[symbol] = append(list, text)
	}
}

// lexemes notes what each run of words of a prompt may mean.
func (c *composer) lexemes(prompt string) {
	l := lexicon.Read(prompt)
	for _, x := range l.Lexemes {
		e := lexicon.Entries()[x.Entry]
		c.word(e.Class, l.Text(x.From, x.To))
		c.word("'"+e.Name+"'", l.Text(x.From, x.To))
	}
}

func newComposer(t *testing.T) *composer {
	t.Helper()
	c := &composer{words: map[string][]string{}}
	for _, line := range grammar.Lines() {
		for _, example := range line.Examples() {
			c.word(line.Category, example)
			c.lexemes(example)
		}
	}
	f, err := os.Open("../testdata/prompts.jsonl")
	require.NoError(t, err)
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var one struct{ Prompt string }
		require.NoError(t, json.Unmarshal(in.Bytes(), &one))
		c.lexemes(one.Prompt)
	}
	require.NoError(t, in.Err())
	return c
}

// symbolsOf splits a right-hand side; names of lexemes may hold spaces.
func symbolsOf(rhs string) []string {
	quoted := false
	return strings.FieldsFunc(rhs, func(r rune) bool {
		if r == '\'' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}

// compose returns up to so many phrases that a rule reads as its category, unlike each
// other but for numbers.
func (c *composer) compose(line *grammar.Line, wanted int) (out []string) {
	rhs, _, _ := strings.Cut(line.Text, " : ")
	parts := symbolsOf(rhs)
	rng := rand.New(rand.NewPCG(1, uint64(line.Number)))
	shapes := map[string]bool{}
	for try := 0; try < 300 && len(out) < wanted; try++ {
		var b []string
		for _, p := range parts {
			p, optional := strings.CutSuffix(p, "?")
			if optional && rng.IntN(3) > 0 {
				continue
			}
			alternatives := strings.Split(p, "|")
			if words := c.words[alternatives[rng.IntN(len(alternatives))]]; len(words) > 0 {
				b = append(b, words[min(rng.IntN(len(words)), rng.IntN(len(words)))])
			}
		}
		phrase := strings.Join(b, " ")
		if phrase == "" || shapes[shapeOf(phrase)] || len(phrase) > 90 || !isRead(phrase, line) {
			continue
		}
		shapes[shapeOf(phrase)] = true
		out = append(out, phrase)
	}
	return out
}

// shapeOf is a phrase without its numbers and capitals.
func shapeOf(phrase string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, strings.ToLower(phrase))
}

// isRead reports whether the cheapest reading of a phrase as a rule's category goes
// through the rule.
func isRead(phrase string, line *grammar.Line) bool {
	p := grammar.New(phrase)
	defer p.Close()
	node, ok := p.As(line.Category)
	return ok && uses(&node, line.File, line.Number)
}

// Every rule can read something: three examples stand below it, or phrases made of its
// parts are read by it. One that nothing can reach is dead, or hidden by another.
func TestRulesAreReached(t *testing.T) {
	t.Parallel()
	c := newComposer(t)
	for _, line := range grammar.Lines() {
		if n := len(line.Examples()); n < 3 {
			assert.NotEmpty(t, c.compose(&line, 3-n), "%s.txt:%d: %s -> %s: nothing is read by it: put examples below it, or take it out", line.File, line.Number, line.Category, line.Text)
		}
	}
}
