package orders_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/orders"
	"github.com/ladderback/ladderback/strategy"
)

// none reads no conditions.
func none(string, strategy.MarketSpec, strategy.Side) ([]strategy.Condition, bool) { return nil, false }

// What is left has as many code points, and what is kept stands where it stood.
func TestRestKeepsItsPlaces(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Bid 30¢ for Up – cancel after 2 minutes":                "buy         Up –                       ",
		"Buy Up below 35c, 20 shares, stop at 20c":               "Buy Up below 35c,          , stop at 20c",
		"Buy Up below 40c, sell half at 60c and the rest at 80c": "Buy Up below 40c, sell                          at 80c",
	} {
		f := orders.Find(prompt, none)
		require.NotNil(t, f, prompt)
		require.Equal(t, want, f.Rest)
		require.Equal(t, utf8.RuneCountInString(prompt), utf8.RuneCountInString(f.Rest))
		for _, s := range f.Spans {
			require.Equal(t, string([]rune(prompt)[s.Start:s.End]), s.Text)
		}
	}
}

// Nothing is taken out of a negation, out of the middle of a clause, or beside a
// condition or time that may be its own.
func TestPhrasesAreWholeClauses(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"Buy Up below 35c", "Buy Up below 35c, never post only", "Don't bid 30c for Up", "Buy Up below 35c without 20 shares",
		"Buy Up below 35c. In the last minute, sell half at 60c", "Buy Up below 35c, 20 shares, if the spread is under 3c",
		"Buy Up below 35c, 20 shares of luck", "Bid 1 for Up", "Buy Up below 35c, add $20 if it rains", "Buy Up below 35c, stop at 20c, rest at 60c",
	} {
		require.Nil(t, orders.Find(prompt, none), prompt)
	}
}
