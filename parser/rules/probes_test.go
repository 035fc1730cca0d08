package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/internal/probes"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// A piece that says something, put anywhere into a prompt that is read, changes the
// reading or is refused. Every so manieth of some twenty million probes is read; the
// command langeval reads others.
func TestNoPieceIsSilent(t *testing.T) {
	t.Parallel()
	var prompts []string
	for _, file := range []string{"prompts.jsonl", "prompts2.jsonl"} {
		for _, p := range labelled.Read(t, "../testdata/"+file) {
			prompts = append(prompts, p.Prompt)
		}
	}
	res := probes.Run(prompts, func(prompt string) (*strategy.Canonical, []strategy.Span) {
		if res, _ := rules.Read(prompt, rules.Overrides{}); res != nil {
			return &res.Strategy, res.Trace.Spans
		}
		return nil, nil
	}, 0, 14_400)
	for _, p := range res.Silent {
		t.Errorf("%s %q changes nothing: %q\nof %q", p.Kind, p.Piece, p.Prompt, p.From)
	}
	var tried, accepted int
	for _, c := range res.Counts {
		tried, accepted = tried+c.Tried, accepted+c.Accepted
	}
	assert.Greater(t, tried, 1_125)
	assert.Greater(t, accepted, 62)
	assert.GreaterOrEqual(t, len(probes.Pieces()), 400)
}
