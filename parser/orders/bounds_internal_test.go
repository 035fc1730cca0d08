package orders

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/strategy"
)

// phraseOf is some text that an expression matches, but for the boundaries of words.
func phraseOf(re *syntax.Regexp, r *rand.Rand) string {
	var out strings.Builder
	times := func(n int) {
		for range n {
			out.WriteString(phraseOf(re.Sub[0], r))
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		out.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := 2 * r.IntN(len(re.Rune)/2)
		out.WriteRune(min(re.Rune[i]+r.Int32N(re.Rune[i+1]-re.Rune[i]+1), '~'))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte('x')
	case syntax.OpStar:
		times(r.IntN(3))
	case syntax.OpPlus:
		times(1 + r.IntN(2))
	case syntax.OpQuest:
		times(r.IntN(2))
	case syntax.OpRepeat:
		times(re.Min + r.IntN(min(re.Max-re.Min, 9)+1))
	case syntax.OpCapture:
		times(1)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			out.WriteString(phraseOf(sub, r))
		}
	case syntax.OpAlternate:
		out.WriteString(phraseOf(re.Sub[r.IntN(len(re.Sub))], r))
	}
	return out.String()
}

// phrases are texts that each expression of the table matches, some of each.
func phrases(t testing.TB, r *rand.Rand, each int) (out []string) {
	table := patterns()
	for i := range table {
		for _, exp := range append(table[i].parts, table[i].exp) {
			if exp == nil {
				continue
			}
			tree, err := syntax.Parse(expand(exp.pattern), syntax.Perl)
			require.NoError(t, err)
			for range each {
				out = append(out, phraseOf(tree, r))
			}
		}
	}
	return out
}

// longestPrompt is how long prompts may be.
const longestPrompt = 2000

// hostile are long texts of phrases alone: each again and again, and all mixed.
func hostile(t testing.TB, each int) (out []string) {
	r := rand.New(rand.NewPCG(1, 2))
	list := phrases(t, r, each)
	for i, phrase := range list {
		mark := []string{" ", ", ", " and ", ". ", " if ", " not "}[i%6]
		mixed := mark
		for len(mixed) < longestPrompt {
			mixed += list[r.IntN(len(list))] + mark
		}
		out = append(out, strings.Repeat(phrase+mark, longestPrompt/(len(phrase)+len(mark))+1)[:longestPrompt], mixed[:longestPrompt])
	}
	return out
}

// nothing reads no conditions.
func nothing(string, strategy.MarketSpec, strategy.Side) ([]strategy.Condition, bool) {
	return nil, false
}

// The work is bounded by the length of a text that is made of phrases alone, whatever they
// are, and so is what is asked about conditions.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	for _, text := range hostile(t, 1) {
		f := find(text, true, nothing)
		require.Less(t, f.steps, 400*longestPrompt, "%q", text)
		require.Less(t, f.asked, mostAsked+mostConds+perAsked, "%q", text)
		require.LessOrEqual(t, len(f.matches), mostFound+1, "%q", text)
		require.Less(t, f.steps, 6*find(text[:longestPrompt/4], true, nothing).steps+100*longestPrompt, "%q", text)
	}
}

// What has more of orders than a strategy can have is given up, with or without a phrase.
func TestOver(t *testing.T) {
	t.Parallel()
	var conditions strings.Builder
	for i := range 60 {
		fmt.Fprintf(&conditions, "cancel if it is neither here nor there %d, ", i)
	}
	for _, text := range []string{strings.Repeat("20 shares, ", mostFound+1), conditions.String()} {
		f := Find(text, false, nothing)
		require.NotNil(t, f, "%q", text)
		require.True(t, f.Over(), "%q", text)
		require.Equal(t, []strategy.Span{{End: len(text), Text: text}}, f.Spans)
	}
}

// Find on texts that are made of phrases.
//
//	GOMAXPROCS=1 go test ./parser/orders -run '^$' -bench FindHostile
func BenchmarkFindHostile(b *testing.B) {
	texts := hostile(b, 1)
	for i := 0; b.Loop(); i++ {
		find(texts[i%len(texts)], true, nothing)
	}
}
