package parser_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

var update = flag.Bool("update", false, "write what the parser says into testdata/language.txt")

const languageFile = "testdata/language.txt"

// answerLine writes an answer in one line: the summary, or the code of a refusal.
func answerLine(prompt string) string {
	res, refusal := parser.Rules(prompt, parser.Overrides{})
	if refusal == nil {
		return res.Trace.Summary
	}
	return "refused: " + refusal.Code
}

// The language, rule by rule: every prompt of the file with what it becomes.
func TestLanguage(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(languageFile)
	require.NoError(t, err)
	var out strings.Builder
	misses := readMisses(t)
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	for i, line := range lines {
		prompt, ok := strings.CutPrefix(line, "> ")
		if !ok {
			if i == 0 || !strings.HasPrefix(lines[i-1], "> ") {
				out.WriteString(line + "\n")
			}
			continue
		}
		got := answerLine(prompt)
		fmt.Fprintf(&out, "> %s\n%s\n", prompt, got)
		if !*update {
			require.Less(t, i+1, len(lines), "no answer in the file for %q", prompt)
			if isMiss(misses, "language", prompt) {
				require.NotEqual(t, lines[i+1], got, "%s: take it out of %s", prompt, missesFile)
				continue
			}
			require.Equal(t, lines[i+1], got, "%s", prompt)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(languageFile, []byte(out.String()), 0o644))
	}
}

// prompts of the file and those labelled.
func everyPrompt(t testing.TB) []string {
	var out []string
	data, err := os.ReadFile(languageFile)
	require.NoError(t, err)
	for line := range strings.SplitSeq(string(data), "\n") {
		if prompt, ok := strings.CutPrefix(line, "> "); ok {
			out = append(out, prompt)
		}
	}
	for _, file := range [...]string{"testdata/prompts.jsonl", "testdata/prompts2.jsonl"} {
		for _, l := range labelled.Read(t, file) {
			out = append(out, l.Prompt)
		}
	}
	return out
}

// A refusal says why, and a rewrite that is offered can be read.
func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	for _, prompt := range everyPrompt(t) {
		_, refusal := parser.Rules(prompt, parser.Overrides{})
		if refusal == nil {
			continue
		}
		require.NotEmpty(t, refusal.Message, "%s", prompt)
		require.NotContains(t, refusal.Message, "%!", "%s", prompt)
		require.NotContains(t, refusal.Message, "strategy.", "%s", prompt)
		if refusal.Offer().Suggestion != "" {
			_, again := parser.Rules(refusal.Offer().Suggestion, parser.Overrides{})
			require.Nil(t, again, "%s\n%s", prompt, refusal.Offer().Suggestion)
		}
	}
}

// checkTrace holds the laws of a trace: spans in order, inside the text, not
// overlapping, with the text they name; every word in one of them.
func checkTrace(t require.TestingT, prompt string, trace strategy.Trace) {
	runes := []rune(prompt)
	covered := make([]bool, len(runes))
	for _, list := range [][]strategy.Span{trace.Spans, trace.Ignored} {
		last := 0
		for _, s := range list {
			require.GreaterOrEqual(t, s.Start, last, "%s", prompt)
			require.Less(t, s.Start, s.End, "%s", prompt)
			require.LessOrEqual(t, s.End, len(runes), "%s", prompt)
			require.Equal(t, string(runes[s.Start:s.End]), s.Text, "%s", prompt)
			last = s.End
			for i := s.Start; i < s.End; i++ {
				require.False(t, covered[i], "%q is in two spans of %s", s.Text, prompt)
				covered[i] = true
			}
		}
	}
	for i, r := range runes {
		if (unicode.IsLetter(r) || unicode.IsDigit(r)) && !covered[i] {
			require.Fail(t, "not accounted for", "%q of %s", string(runes[i:]), prompt)
		}
	}
}

func TestEveryWordIsAccountedFor(t *testing.T) {
	t.Parallel()
	for _, prompt := range everyPrompt(t) {
		if !utf8.ValidString(prompt) {
			continue
		}
		if res, refusal := parser.Rules(prompt, parser.Overrides{}); refusal == nil {
			checkTrace(t, prompt, res.Trace)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{t: t}
		prompt := w.write()
		if res, refusal := parser.Rules(prompt, parser.Overrides{}); refusal == nil {
			checkTrace(t, prompt, res.Trace)
		}
	})
}

// Every prompt of the page on the language can be read.
func TestDocumentedPrompts(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../docs/language.md")
	require.NoError(t, err)
	n := 0
	for line := range strings.SplitSeq(string(data), "\n") {
		prompt, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		n++
		_, refusal := parser.Rules(prompt, parser.Overrides{})
		require.Nil(t, refusal, "%s", prompt)
	}
	require.Greater(t, n, 25)
}
