package parser_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// The parser never panics. What comes out is either a valid canonical strategy
// whose summary is read back and whose spans lie in the text, or a refusal with
// a message, a known code and phrases in the text.
func FuzzRules(f *testing.F) {
	for _, prompt := range everyPrompt(f) {
		f.Add(prompt)
	}
	for _, prompt := range hostile() {
		f.Add(prompt)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		res, refusal := parser.Rules(prompt, parser.Overrides{})
		if refusal != nil {
			require.Nil(t, res)
			require.NotEmpty(t, refusal.Message)
			require.Contains(t, []string{parser.CodeBadRequest, parser.CodeUnsupportedSignal}, refusal.Code)
			for _, s := range refusal.Obstacles {
				require.True(t, 0 <= s.Start && s.Start < s.End && s.End <= utf8.RuneCountInString(prompt), "%v", s)
			}
			return
		}
		canonical, err := strategy.Canonicalize(res.Strategy.Strategy())
		require.NoError(t, err)
		require.Equal(t, canonical, res.Strategy)
		if utf8.ValidString(prompt) {
			checkTrace(t, prompt, res.Trace)
		}
		again, refusal := parser.Rules(res.Trace.Summary, parser.Overrides{})
		require.Nil(t, refusal, "%s", res.Trace.Summary)
		require.Equal(t, res.Strategy, again.Strategy)
	})
}
