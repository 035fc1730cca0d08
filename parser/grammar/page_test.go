package grammar_test

import (
	"cmp"
	"flag"
	"fmt"
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

// topics are the kinds of phrases that the page lists, by their categories.
var topics = []struct{ title, categories string }{
	{"What is bought", "purchase item.buy item.head"},
	{"A price compared", "pred preds"},
	{"Of a token, of the book", "cterm depth rat"},
	{"A change", "chg schg"},
	{"The time in the market", "time"},
	{"Alternatives and exceptions", "alt avoid item.if"},
	{"Take profit", "tp tpoff tpif"},
	{"Stop loss", "sl sloff slif"},
	{"Sold at a price", "sell"},
	{"Trailing stop", "trail"},
	{"Held at most", "mhold"},
	{"Before the end, or to it", "exitb hold"},
	{"Coin and length", "market item.market"},
	{"Budget", "budget item.money"},
	{"Sample", "sample item.sample"},
	{"Corrections", "item.mend"},
	{"Refused: what a strategy cannot say, or says by phrases of orders alone", "refuse"},
	{"Refused: what is not this market's", "outside"},
}

// waysOfSaying lists the examples of the kinds of phrases.
func waysOfSaying(t *testing.T) string {
	phrases := map[string][]string{}
	for _, line := range grammar.Lines() {
		category := line.Category
		if topic, _, ok := strings.Cut(category, "."); ok && topic != "item" {
			category = topic
		}
		phrases[category] = append(phrases[category], line.Examples()...)
	}
	var b strings.Builder
	b.WriteString("\n## Ways of saying it\n\nWhat prompts are put together from: examples of the tables in `parser/grammar/rules`, the shorter ones.\n\n")
	for _, topic := range topics {
		var list []string
		for c := range strings.FieldsSeq(topic.categories) {
			list = append(list, phrases[c]...)
		}
		list = slices.DeleteFunc(list, func(s string) bool { return strings.ContainsAny(s, "\n`") || !strings.Contains(s, " ") })
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		list = slices.Compact(list)
		require.NotEmpty(t, list, topic.title)
		step := max(1, len(list)/2/shown)
		var some []string
		for i := 0; i < len(list) && len(some) < shown; i += step {
			some = append(some, "`"+list[i]+"`")
		}
		fmt.Fprintf(&b, "- **%s**: %s\n", topic.title, strings.Join(some, ", "))
	}
	readme, err := os.ReadFile("rules/README.md")
	require.NoError(t, err)
	_, how, ok := strings.Cut(string(readme), "## How to add a way of saying something\n")
	require.True(t, ok)
	require.LessOrEqual(t, strings.Count(strings.TrimSpace(how), "\n"), 10)
	return b.String() + "\n## How to add a way of saying something\n" + how
}
