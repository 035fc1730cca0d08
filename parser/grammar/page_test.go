package grammar_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/grammar"
)

var update = flag.Bool("update", false, "write the made part of docs/language.md")

const (
	pagePath = "../../docs/language.md"
	marker   = "<!-- Made from the tables by: go test ./parser/grammar -run Page -update -->\n"
)

// The part of the page on the language behind its marker is made of the
// examples of the tables.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(pagePath)
	require.NoError(t, err)
	head, got, _ := strings.Cut(string(text), marker)
	want := waysOfSaying(t)
	if *update {
		require.NoError(t, os.WriteFile(pagePath, []byte(strings.TrimSpace(head)+"\n\n"+marker+want), 0o644))
		return
	}
	require.Equal(t, want, got, "run go test ./parser/grammar -run Page -update")
}

// shown is how many examples of a category the page has.
const shown = 16

var topics = map[string]string{
	"item.cond": "Conditions", "item.if": "Conditions with \"if\"", "item.time": "Times", "item.wait": "Waiting", "item.buy": "What is bought", "item.head": "A token at the head",
	"item.exit": "Exits", "item.market": "Coin and length", "item.money": "Money", "item.sample": "Sample", "item.keys": "Forms", "item.mend": "Corrections",
}

// waysOfSaying lists the examples of the categories that prompts are made of.
func waysOfSaying(t *testing.T) string {
	phrases := map[string][]string{}
	for _, line := range grammar.Lines() {
		if strings.HasPrefix(line.Category, "item.") {
			phrases[line.Category] = append(phrases[line.Category], line.Examples...)
		}
	}
	var b strings.Builder
	b.WriteString("\n## Ways of saying it\n\nWhat a prompt is put together from, one line a kind; these are examples of the tables in `parser/grammar/rules`.\n\n")
	for _, category := range slices.Sorted(maps.Keys(phrases)) {
		list := phrases[category]
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		list = slices.Compact(slices.DeleteFunc(list, func(s string) bool { return strings.ContainsAny(s, "\n`") }))
		name := cmp.Or(topics[category], strings.TrimPrefix(category, "item."))
		for i := range list {
			list[i] = "`" + list[i] + "`"
		}
		step := max(1, len(list)/shown)
		var some []string
		for i := 0; i < len(list) && len(some) < shown; i += step {
			some = append(some, list[i])
		}
		fmt.Fprintf(&b, "- **%s**: %s\n", name, strings.Join(some, ", "))
	}
	readme, err := os.ReadFile("rules/README.md")
	require.NoError(t, err)
	_, how, ok := strings.Cut(string(readme), "## How to add a way of saying something\n")
	require.True(t, ok)
	require.LessOrEqual(t, strings.Count(strings.TrimSpace(how), "\n"), 10)
	return b.String() + "\n## How to add a way of saying something\n" + how
}

// withoutExamples is how many rules have fewer examples than three, and none:
// each number may only become smaller.
const (
	withFew  = 1000
	withNone = 1000
)

// Every rule has three examples, but for those that the tests do not know yet.
func TestRulesHaveExamples(t *testing.T) {
	t.Parallel()
	few, none := 0, 0
	for _, line := range grammar.Lines() {
		switch n := len(line.Examples); {
		case n == 0:
			none++
			t.Logf("%s.txt:%d: no example: %s -> %s", line.File, line.Number, line.Category, line.Text)
		case n < 3:
			few++
		}
	}
	require.Equal(t, withFew, few, "rules with one or two examples: if there are fewer, say so here")
	require.Equal(t, withNone, none, "rules without an example: if there are fewer, say so here")
}
