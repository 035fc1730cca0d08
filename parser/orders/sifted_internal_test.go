package orders

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/lazy"
)

// texts are prompts, and texts that are made of phrases.
func texts(t *testing.T) (out []string) {
	list := labelled.Read(t, "../testdata/batch5.jsonl")
	for i := 0; i < len(list); i += 3 {
		out = append(out, plain(list[i].Prompt))
	}
	out = append(out, "everything but the last", "i sell: the lot", "sell 20 at 50c, 20 at 60c", "exit at 60c or", "up: bid 40c, offer", "buy up at 40c, 35c", "only sell", "save this. not that, but it")
	r := rand.New(rand.NewPCG(3, 4))
	list2 := phrases(t, r, 3)
	for i, phrase := range list2 {
		out = append(out, plain(phrase+[]string{"", ", ", "x"}[i%3]+list2[r.IntN(len(list2))]))
	}
	return out
}

// Whatever an expression of the table matches at a place is let pass there, as far as it
// matches, and all but few of the others are not.
func TestNothingIsSiftedOut(t *testing.T) {
	t.Parallel()
	all, matching, passing := expressions(), 0, 0
	exps := make([]*regexp.Regexp, 0, len(all.patterns))
	for i := range patterns() {
		p := &patterns()[i]
		for _, exp := range append(p.parts, p.exp) {
			if exp != nil {
				exps = append(exps, exp.compiled())
			}
		}
	}
	require.Len(t, exps, len(all.patterns))
	for i, text := range texts(t) {
		way := all.With(all.May(text))
		for at := i % 11; at < len(text); at += 11 {
			may, steps := way.From(text[at:])
			for exp := range exps {
				if place := exps[exp].FindStringIndex(text[at:]); place != nil {
					matching++
					require.True(t, may.Has(exp), "%s: %q", exps[exp], text[at:])
					require.LessOrEqual(t, place[1], steps)
				}
				if may.Has(exp) {
					passing++
				}
			}
		}
	}
	require.Positive(t, matching)
	require.Less(t, passing, 2*matching)
}

// A text has the letters of whatever expression of the table matches in it, and of few others.
func TestLettersOfWhatMatches(t *testing.T) {
	t.Parallel()
	matching, passing, list, table := 0, 0, texts(t), patterns()
	for k := range table {
		for _, exp := range append(table[k].parts, table[k].exp) {
			if exp == nil {
				continue
			}
			anywhere := regexp.MustCompile(strings.TrimPrefix(exp.compiled().String(), "^"))
			for i := k % 9; i < len(list); i += 9 {
				var called func(name string) bool
				called = func(name string) bool { return lazy.May(list[i], part(name), called) }
				may := lazy.May(list[i], "^(?:"+exp.pattern+")", called)
				if may {
					passing++
				}
				if anywhere.MatchString(list[i]) {
					matching++
					require.True(t, may, "%s: %q", exp.pattern, list[i])
				}
			}
		}
	}
	require.Greater(t, matching, 500)
	require.Less(t, passing, 4*matching)
}

// What stands before a place is what its expression matches up to there.
func TestWhatStandsBefore(t *testing.T) {
	t.Parallel()
	for _, what := range []*past{
		denied, bound, excepted, keyed, numbered, ofSale, saleBefore, topicBefore, topical, sentenceBefore, clauseStart, cancelBefore, amountBefore, otherBefore, entryBefore, tokenBefore, partBefore, partsBefore, rungBefore, stepBefore,
		sentenceSold, onlyBefore, addedBefore, levelBefore, soldsBefore, exitBefore, sideBefore, quoteBefore, againBefore, entriesBefore, kellyBefore, purseBefore, limitBefore, priceBefore, nounBefore, soldBefore, bothBefore, boughtBefore,
	} {
		exp, found := regexp.MustCompile(what.exp), false
		for i, text := range texts(t) {
			stands := what.sieve().UpTo(text)
			require.Len(t, stands, len(text)+1)
			step := 1 + len(text)/30
			for at := i % step; at <= len(text); at += step {
				require.Equal(t, exp.MatchString(text[:at]), stands[at], "%s: %q", exp, text[:at])
				found = found || stands[at]
			}
		}
		require.True(t, found, what.exp)
	}
}
