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
	for name, refusals := range map[string]int{
		"prompts":  2,
		"prompts2": 2,
		"batch1":   25,
		"batch2":   29,
		"batch4":   16,
		"batch5":   20,
		"batch6":   18,
		"batch7":   27,
		"batch8":   25,
		"batch9":   35,
		"batch10":  45,
		"batch11":  86,
		"batch12":  42,
		"batch13":  68,
		"batch14":  63,
		"batch15":  83,
		"batch16":  42,
		"batch17":  11,
		"batch18":  12,
		"batch19":  27,
		"batch20":  7,
		"batch21":  15,
		"batch22":  60,
		"batch23":  56,
		"batch24":  19,
		"batch25":  59,
		"batch26":  36,
		"batch27":  121,
		"batch28":  38,
		"batch29":  97,
		"orders1":  72,
		"orders2":  17,
	} {
		missed := 0
		for _, l := range labelled.Read(t, "../testdata/"+name+".jsonl") {
			res, refusal := rules.Read(l.Prompt, rules.Overrides{})
			if accepts(&l, res, refusal) {
				continue
			}
			require.NotNil(t, refusal, "%s %s", l.ID, l.Prompt)
			missed++
		}
		require.LessOrEqual(t, missed, refusals, name)
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
