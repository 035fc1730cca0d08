package rules_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

type expectation struct {
	Strategy json.RawMessage `json:"strategy"`
	Error    string          `json:"error"`
}

type labelled struct {
	ID         string        `json:"id"`
	Prompt     string        `json:"prompt"`
	Expect     expectation   `json:"expect"`
	AlsoAccept []expectation `json:"also_accept"`
}

func readLabelled(t testing.TB, path string) []labelled {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var out []labelled
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var l labelled
		require.NoError(t, json.Unmarshal(in.Bytes(), &l), "%s", in.Text())
		out = append(out, l)
	}
	require.NoError(t, in.Err())
	return out
}

// accepts reports whether an answer is among the right ones.
func (l *labelled) accepts(res *rules.Result, refusal *rules.Refusal) bool {
	for _, e := range append([]expectation{l.Expect}, l.AlsoAccept...) {
		if refusal != nil {
			if e.Error == refusal.Code {
				return true
			}
			continue
		}
		if e.Strategy == nil {
			continue
		}
		if want, err := strategy.Parse(e.Strategy); err == nil && want.Equal(res.Strategy) {
			return true
		}
	}
	return false
}

// No labelled prompt is read as something else, and no more of them are refused
// than are known to be.
func TestLabelled(t *testing.T) {
	t.Parallel()
	for path, refusals := range map[string]int{"../testdata/prompts.jsonl": 5, "../testdata/prompts2.jsonl": 5} {
		missed := 0
		for _, l := range readLabelled(t, path) {
			res, refusal := rules.Read(l.Prompt, rules.Overrides{})
			if l.accepts(res, refusal) {
				continue
			}
			require.NotNil(t, refusal, "%s %s", l.ID, l.Prompt)
			missed++
		}
		require.LessOrEqual(t, missed, refusals, path)
	}
}

// Spans are in order, inside the text and do not overlap, and every word is in
// one of them or ignored.
func TestEveryWordIsAccountedFor(t *testing.T) {
	t.Parallel()
	for _, l := range readLabelled(t, "../testdata/prompts.jsonl") {
		res, refusal := rules.Read(l.Prompt, rules.Overrides{})
		if refusal != nil {
			continue
		}
		runes := []rune(l.Prompt)
		covered := make([]bool, len(runes))
		for _, list := range [][]strategy.Span{res.Trace.Spans, res.Trace.Ignored} {
			for _, s := range list {
				require.Equal(t, string(runes[s.Start:s.End]), s.Text, l.Prompt)
				for i := s.Start; i < s.End; i++ {
					require.False(t, covered[i], "%q twice in %s", s.Text, l.Prompt)
					covered[i] = true
				}
			}
		}
		for i, r := range runes {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				require.True(t, covered[i], "%q of %s", string(runes[i:]), l.Prompt)
			}
		}
	}
}
