package rules_test

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rules"
)

var update = flag.Bool("update", false, "write the list of ambiguous prompts")

const ambiguities = "testdata/ambiguities.txt"

var twoWays = regexp.MustCompile(`read in two ways: either (".*?") or (".*?");`)

// The labelled prompts that have two readings within the margin are those of
// the list, each with both in the words of the summary: a rule that makes more
// prompts ambiguous is seen here.
func TestAmbiguities(t *testing.T) {
	t.Parallel()
	var got []string
	for _, l := range append(readLabelled(t, "../testdata/prompts.jsonl"), readLabelled(t, "../testdata/prompts2.jsonl")...) {
		_, refusal := rules.Read(l.Prompt, rules.Overrides{})
		if refusal == nil {
			continue
		}
		if m := twoWays.FindStringSubmatch(refusal.Message); m != nil {
			require.NotEqual(t, m[1], m[2], l.Prompt)
			got = append(got, strings.ReplaceAll(l.Prompt, "\n", `\n`)+"\n  either "+m[1]+"\n  or     "+m[2]+"\n")
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
