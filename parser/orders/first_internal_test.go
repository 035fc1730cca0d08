package orders

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirsts: an expression begins with those bytes, and one that may be empty with any.
func TestFirsts(t *testing.T) {
	t.Parallel()
	for exp, want := range map[string]string{
		`^(?:bid|(?:a )?limit|\$?\d)`: "bal$0123456789",
		`^(?P<x>[x-z])(?:b)?`:         "xyz",
		`^(?i:Q)`:                     "qQ",
	} {
		var set [128]bool
		firsts(regexp.MustCompile(exp), &set)
		got := map[byte]bool{}
		for c, in := range set {
			if in {
				got[byte(c)] = true
			}
		}
		all := map[byte]bool{}
		for i := range len(want) {
			all[want[i]] = true
		}
		require.Equal(t, all, got, exp)
	}
	var set [128]bool
	firsts(regexp.MustCompile(`^(?:a)?`), &set)
	require.NotContains(t, set, false)
}
