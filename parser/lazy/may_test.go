package lazy_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/lazy"
)

// drawn is an expression of few letters.
func drawn(r *rand.Rand, deep int) string {
	pieces := []string{"a", "b", "c", "ab", "bca", " ", `\b`, `\.`, `\d`, `\s*`, "[^a]", "[]ab]", "[^]a]", "[[:alpha:]b]", "b?", "c*", "a+", "b{2}", "a{0,2}", "c{1,3}?", ".", "^", "$", "abcabc", "¢", "¢?", `\n`}
	var b strings.Builder
	for range 1 + r.IntN(4) {
		piece := pieces[r.IntN(len(pieces))]
		if deep > 0 && r.IntN(3) == 0 {
			piece = []string{"(?:", "(", "(?P<x>", "(?s:"}[r.IntN(4)] + drawn(r, deep-1) + ")" + []string{"", "", "?", "+", "{0,1}", "{2}"}[r.IntN(6)]
		}
		b.WriteString(piece)
		if r.IntN(6) == 0 {
			b.WriteByte('|')
		}
	}
	return b.String()
}

// An expression that is compiled finds what package regexp finds, though it does not look at texts that have
// nothing of what it needs.
func TestCompiledFindsTheSame(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	matching := 0
	for range 4000 {
		exp := drawn(r, 2)
		e, plain := lazy.Compile(exp), regexp.MustCompile(exp)
		e.Get()
		for range 20 {
			text := ""
			for range r.IntN(12) {
				text += string([]rune("abcC 1.¢\n")[r.IntN(9)])
			}
			require.Equal(t, plain.FindStringIndex(text), e.FindStringIndex(text), "%q in %q", exp, text)
			if e.MatchString(text) {
				matching++
			}
		}
	}
	require.Greater(t, matching, 4000)
}

// What matches may match, whatever the expression is, and most of what cannot is told from it.
func TestWhatMatchesMay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	matching, told := 0, 0
	for range 20_000 {
		exp := drawn(r, 2)
		if r.IntN(4) == 0 {
			exp = "(?i)" + strings.ReplaceAll(exp, "bca", "bCa")
		}
		text := make([]rune, r.IntN(9))
		for i := range text {
			text[i] = []rune("aabbccABC .1¢\nſ")[r.IntN(15)]
		}
		alone := regexp.MustCompile(exp)
		is := alone.MatchString(string(text))
		require.Equal(t, is, lazy.Compile(exp).MatchString(string(text)), "%s: %q", exp, string(text))
		require.Equal(t, alone.FindStringIndex(string(text)), lazy.Compile(exp).FindStringIndex(string(text)), "%s: %q", exp, string(text))
		switch {
		case is:
			matching++
		case !strings.HasPrefix(exp, "(?i)") && !lazy.May(string(text), exp, nil):
			told++
		}
	}
	require.Greater(t, matching, 2000)
	require.Greater(t, told, 2000)
}

// Letters that a fold makes of others are no others.
func TestFolds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"stake", "STAKE", "ſtake", "staKe", "ſTaKE"} {
		require.True(t, lazy.Compile(`(?i)^stake$`).MatchString(text), text)
		require.True(t, lazy.Compile(`(?i)^STake$`).MatchString(text), text)
	}
	require.False(t, lazy.Compile(`^stake$`).MatchString("STAKE"))
}

// What an expression calls may match or not, by name without a digit.
func TestPartsOf(t *testing.T) {
	t.Parallel()
	l := "at 40c"
	part := func(name string) bool { return name == "p" }
	require.True(t, lazy.May(l, `at {p2}c`, part))
	require.False(t, lazy.May(l, `at {x}c`, part))
	require.True(t, lazy.May(l, `at (?:{x}|{p})`, part))
	require.True(t, lazy.May(l, `at {x}?`, part))
}

// A letter that stands several times stands beside others all the same.
func TestSeveralTimes(t *testing.T) {
	t.Parallel()
	for _, exp := range []string{`ca+b`, `ca{2}b`, `c(?:a)+b`} {
		require.True(t, lazy.May("caab", exp, nil), exp)
	}
	require.False(t, lazy.May("cab", `cb+`, nil))
}

// Behind the first few texts it is compiled, and says the same.
func TestFewTexts(t *testing.T) {
	t.Parallel()
	e := lazy.Compile(`abc`)
	for range 2 * lazy.Few {
		require.False(t, e.MatchString("ab"))
		require.Empty(t, e.FindAllString("acb", -1))
	}
	require.Equal(t, "x", e.ReplaceAllString("abc", "x"))
}
