package wire

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestQueryOf reads what net/url reads the same way, and what it leaves out.
func TestQueryOf(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]url.Values{

		"a=1;b=2":               {"a": {"1;b=2"}},
		"a=%zz&b=%4":            {"a": {"%zz"}, "b": {"%4"}},
		"100%=50%25%41+x%":      {"100%": {"50%A x%"}},
		"a=1&a=2&&b&d=e=f":      {"a": {"1", "2"}, "b": {""}, "d": {"e=f"}},
		"%61%20b=%2B+%26%3D%3B": {"a b": {"+ &=;"}},
	} {
		require.Equal(t, want, valuesOf(queryOf(raw)), raw)
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.StringMatching(`([a-c%41+]{0,3}(=[a-z0-9%4F+=]{0,6})?&?){0,5}`).Draw(t, "raw")
		if want, err := url.ParseQuery(raw); err == nil {
			require.Equal(t, want, valuesOf(queryOf(raw)), raw)
		}
	})
}

func valuesOf(all []parameter) url.Values {
	out := url.Values{}
	for _, p := range all {
		out.Add(p.name, p.value)
	}
	return out
}
