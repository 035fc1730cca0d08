package orders

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/strategy"
)

// TestValues: what a slot of a pattern says, in 1e-6 of a dollar, a second, a share or the
// whole; and what is none of its kind.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, words string
		want        strategy.Number
	}{
		{"p", "30c", strategy.Cents(30)}, {"p", "0.3", strategy.Cents(30)}, {"p2", "thirty cents", strategy.Cents(30)}, {"p", "30", strategy.Cents(30)}, {"p", "2", strategy.Cents(2)},
		{"x", "2 cents", strategy.Cents(2)}, {"usd", "$1,500", strategy.Int(1500)}, {"usd", "20 bucks", strategy.Int(20)},
		{"dur", "90 seconds", strategy.Int(90)}, {"dur2", "half an hour", strategy.Int(1800)}, {"dur", "two minutes", strategy.Int(120)},
		{"n", "once", strategy.Int(1)}, {"n", "twice", strategy.Int(2)}, {"n", "three", strategy.Int(3)},
		{"shares", "250", strategy.Int(250)}, {"frac", "a third", 333_300}, {"frac", "two thirds", 666_600}, {"frac", "3/4", 750_000}, {"frac", "a twentieth", strategy.Cents(5)},
		{"ratio", "0.25", 250_000},
	} {
		got, ok := value(c.name, c.words)
		require.True(t, ok, "%s: %s", c.name, c.words)
		require.Equal(t, c.want, got, "%s: %s", c.name, c.words)
	}
	for _, c := range []struct{ name, words string }{
		{"p", "1"}, {"p", "0"}, {"usd", "30c"}, {"dur", "30c"}, {"n", "0"}, {"shares", "two minutes"}, {"frac", "half an hour"},
	} {
		_, ok := value(c.name, c.words)
		require.False(t, ok, "%s: %s", c.name, c.words)
	}
}
