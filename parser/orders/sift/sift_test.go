package sift_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/orders/sift"
)

// parts are what expressions may name.
var parts = map[string]string{"n": `\d+(?:\.\d+)?`, "w": `(?:a|ab|{n}b)`}

func part(name string) string { return parts[name] }

// drawn is an expression, and the same with its parts written out.
func drawn(r *rand.Rand) (exp, whole string) {
	pieces := []string{"a", "b", "ab?", "(?:a|b )", `\b`, " ", `[^a]`, "b{2,3}", "(?:ba)*", "a$", "{n}", "{w2}", "1", ".", `\.`, `[a-b1]+?`, `[^ab\s]`, "[-b]", `(?P<x>a|)`, "b{0,4}", "(?s:.)", `\n`, "^", "(a1){2}"}
	var b strings.Builder
	for range 1 + r.IntN(5) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	exp = b.String()
	return exp, strings.NewReplacer("{n}", parts["n"], "{w2}", strings.ReplaceAll(parts["w"], "{n}", parts["n"])).Replace(exp)
}

// A sieve says what each of its expressions says by itself.
func TestAsEachByItself(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	passed, not := 0, 0
	for range 200 {
		exps, alone := make([]string, 70), make([]*regexp.Regexp, 70)
		ends, along := make([]*regexp.Regexp, 3), make([]*sift.Sieve, 3)
		for i := range exps {
			exp, whole := drawn(r)
			exps[i], alone[i] = "^(?:"+exp+")", regexp.MustCompile("^(?:"+whole+")")
			if i < len(along) {
				along[i], ends[i] = sift.New(true, part, "(?:"+exp+")$"), regexp.MustCompile("(?:"+whole+")$")
			}
		}
		all := sift.New(false, part, exps...)
		for range 20 {
			text := make([]byte, r.IntN(12))
			for i := range text {
				text[i] = "aab b12.-\n"[r.IntN(10)]
			}
			may, steps := all.With(all.May(string(text))).From(string(text))
			for i, exp := range alone {
				place := exp.FindIndex(text)
				require.Equal(t, place != nil, may.Has(i), "%s: %q", exp, text)
				if place == nil {
					not++
					continue
				}
				passed++
				require.LessOrEqual(t, place[1], steps)
			}
			for i, exp := range ends {
				stands := along[i].UpTo(string(text))
				for at := range stands {
					require.Equal(t, exp.Match(text[:at]), stands[at], "%s: %q", exp, text[:at])
				}
			}
		}
	}
	require.Greater(t, passed, 1000)
	require.Greater(t, not, 1000)
}

// What counts beyond four may let pass more, never less.
func TestCounts(t *testing.T) {
	t.Parallel()
	s := sift.New(false, nil, `^a[a-z]{1,9}b`, `^a{2,3}b`)
	for n := range 20 {
		may, _ := s.With(s.May("ab")).From("a" + strings.Repeat("a", n) + "b")
		require.True(t, may.Has(0))
		require.Equal(t, n == 1 || n == 2, may.Has(1))
	}
}

// What is no expression of package regexp is none, nor one that names what is no part, or has what no sieve knows.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, exp := range []string{"(a", "a)", "[a", "a{b}", `a\`, "(?=a)", "*a", `\B`, "(?m:^a)"} {
		require.Panics(t, func() { sift.New(true, part, exp).UpTo("") }, exp)
	}
}
