package rules_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

var update = flag.Bool("update", false, "write the list of ambiguous prompts")

const ambiguities = "testdata/ambiguities.txt"

// near is how much dearer than the cheapest a reading on the list is: as much as
// one word.
const near = 10

// The labelled prompts that have a second reading as near as one word, with
// another strategy, are those of the list, each with both and the difference in
// cost; at 0 a prompt is refused for it. What a new rule makes ambiguous is seen
// here.
func TestAmbiguities(t *testing.T) {
	t.Parallel()
	var got []string
	for _, l := range append(labelled.Read(t, "../testdata/prompts.jsonl"), labelled.Read(t, "../testdata/prompts2.jsonl")...) {
		if pairs := pairsOf(l.Prompt); pairs != "" {
			got = append(got, strings.ReplaceAll(l.Prompt, "\n", `\n`)+"\n"+pairs)
		}
	}
	slices.Sort(got)
	if *update {
		require.NoError(t, os.WriteFile(ambiguities, []byte(strings.Join(got, "")), 0o644))
		return
	}
	want, err := os.ReadFile(ambiguities)
	require.NoError(t, err)
	require.Equal(t, string(want), strings.Join(got, ""), "run go test ./parser/rules -run Ambiguities -update and look at the change")
}

// pairsOf lists the readings of a prompt that are near its cheapest and mean
// another strategy.
func pairsOf(prompt string) string {
	p := grammar.New(prompt)
	defer p.Close()
	var b strings.Builder
	var seen []strategy.Canonical
	for i, r := range p.Readings() {
		more := r.Cost - p.Readings()[0].Cost
		m, err := meaning.Build(r.Items, meaning.Overrides{})
		refused := slices.ContainsFunc(r.Items, func(it grammar.Item) bool {
			no, outside := it.Refused()
			return no || outside
		})
		if more > near {
			break
		}
		if i == 0 && (err != nil || refused) {
			return ""
		}
		if err != nil || refused || slices.ContainsFunc(seen, m.Strategy.Equal) {
			continue
		}
		seen = append(seen, m.Strategy)
		fmt.Fprintf(&b, "  +%d %s\n", more, m.Strategy.Summary())
	}
	if len(seen) < 2 {
		return ""
	}
	return b.String()
}
