package parser_test

import (
	"testing"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// ownPrompts are the labelled prompts of the project.
var ownPrompts = [...]string{"testdata/prompts.jsonl", "testdata/prompts2.jsonl"}

// verdict judges an answer: "right", "wrong" (a strategy that is not among the
// right ones, or where a refusal is due) or "refused".
func verdict(l *labelled.Prompt) (kind, got string) {
	res, refusal := parser.Rules(l.Prompt, parser.Overrides{})
	if refusal != nil {
		if l.Accepts(strategy.Canonical{}, refusal.Code) {
			return "right", refusal.Code
		}
		return "refused", refusal.Code + ": " + refusal.Message
	}
	if l.Accepts(res.Strategy, "") {
		return "right", res.Strategy.Summary()
	}
	return "wrong", res.Strategy.Summary()
}

// The project's own labelled prompts, written and labelled from the rules alone.
// A wrong strategy is never allowed; what is refused though it can be understood
// is listed.
func TestLabelledPrompts(t *testing.T) {
	t.Parallel()
	misses := readMisses(t)
	for _, file := range ownPrompts {
		counts := map[string]int{}
		for _, l := range labelled.Read(t, file) {
			v, got := verdict(&l)
			counts[v]++
			want := "right"
			if isMiss(misses, "labelled", l.ID) {
				want = "refused"
			}
			if v != want {
				t.Errorf("%s %s: expected %s\n prompt %q\n got    %s\n want   %s", v, l.ID, want, l.Prompt, got, l.Want())
			}
		}
		t.Logf("%s: %d right, %d wrong, %d refused", file, counts["right"], counts["wrong"], counts["refused"])
	}
}

// sayable are prompts from outside that were labelled as refused before orders could
// be said.
var sayable = map[string]string{
	"a052": "Buy Down on SOL 5m markets at the start. Take profit at 40c. Otherwise hold to expiry. $100 per trade. Sample of 50 markets. Rest at 22c.",
	"b057": "Buy Up on BTC 5m markets at the start. Hold to expiry. $100 per trade. Sample of 50 markets. Rest at 38c, cancelled after 2 minutes.",
	"b129": "Buy Up on BTC 15m markets when Up's price is below 40c. Stop loss at 30c. Otherwise hold to expiry. $100 per trade. Sample of 50 markets. Order 1: after a stop, buy $100 of the other side.",
}

func TestLabelledPromptsFromOutside(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	misses := readMisses(t)
	for _, l := range labelled.Read(t, realdata.Prompts(t, "dev.jsonl")) {
		v, got := verdict(&l)
		if sayable[l.ID] == got && v == "wrong" {
			v = "right"
		}
		counts[v]++
		if v != "right" && (v != "refused" || !isMiss(misses, "labelled", l.ID)) {
			t.Errorf("%s %s\n prompt %q\n got    %s\n want   %s", v, l.ID, l.Prompt, got, l.Want())
		}
	}
	t.Logf("%d right, %d wrong, %d refused", counts["right"], counts["wrong"], counts["refused"])
}
