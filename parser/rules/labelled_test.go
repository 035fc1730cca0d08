package rules_test

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// accepts reports whether an answer is a right one.
func accepts(l *labelled.Prompt, res *rules.Result, refusal *rules.Refusal) bool {
	if refusal != nil {
		return l.Accepts(strategy.Canonical{}, refusal.Code)
	}
	return l.Accepts(res.Strategy, "")
}

// No labelled prompt is read as something else, and no more of them are refused
// than are known to be.
func TestLabelled(t *testing.T) {
	t.Parallel()
	for path, refusals := range map[string]int{"../testdata/prompts.jsonl": 5, "../testdata/prompts2.jsonl": 5, "../testdata/batch1.jsonl": 25, "../testdata/batch2.jsonl": 29, "../testdata/batch4.jsonl": 16, "../testdata/batch5.jsonl": 20, "../testdata/batch6.jsonl": 18, "../testdata/batch7.jsonl": 27, "../testdata/batch8.jsonl": 25, "../testdata/batch9.jsonl": 38, "../testdata/batch10.jsonl": 45, "../testdata/batch11.jsonl": 87, "../testdata/batch12.jsonl": 47, "../testdata/batch13.jsonl": 68, "../testdata/batch14.jsonl": 63, "../testdata/batch15.jsonl": 83, "../testdata/batch16.jsonl": 44, "../testdata/batch17.jsonl": 12, "../testdata/batch18.jsonl": 13, "../testdata/batch19.jsonl": 46} {
		missed := 0
		for _, l := range labelled.Read(t, path) {
			res, refusal := rules.Read(l.Prompt, rules.Overrides{})
			if accepts(&l, res, refusal) {
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
	for _, l := range labelled.Read(t, "../testdata/prompts.jsonl") {
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
