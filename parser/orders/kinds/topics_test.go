package kinds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/orders/kinds"
	"github.com/ladderback/ladderback/strategy"
)

// What words of orders name is in what is offered for them; other words ask for nothing.
func TestKeeps(t *testing.T) {
	t.Parallel()
	cent := strategy.Cents(30)
	bid := func() *strategy.Strategy { return &strategy.Strategy{Order: &strategy.Order{RestAt: &cent}} }
	for _, c := range []struct {
		text string
		with func(s *strategy.Strategy)
	}{
		{"leave it until the last minute, then cancel", func(s *strategy.Strategy) { s.Order.CancelAfterSeconds = 60 }},
		{"only maker order", func(s *strategy.Strategy) { s.Order.PostOnly = true }},
		{"the selling limit is 45c", func(s *strategy.Strategy) { s.Exit.RestTakeProfit = true }},
		{"merge when i have both", func(s *strategy.Strategy) { s.Merge = true }},
		{"the same number of shares", func(s *strategy.Strategy) { s.Then = []strategy.Then{{Match: true}} }},
		{"again after an exit", func(s *strategy.Strategy) { s.Again = &strategy.Again{MaxEntries: 2} }},
	} {
		s := bid()
		require.False(t, kinds.Keeps(c.text, s), c.text)
		c.with(s)
		require.True(t, kinds.Keeps(c.text, s), c.text)
		require.True(t, kinds.Keeps("bid 30c for up on btc 15m", s), c.text)
	}
	s := bid()
	s.Entry = []strategy.Condition{{Type: strategy.Price, Token: strategy.TokenUp, Comparator: strategy.LTE, Threshold: strategy.Cents(28)}}
	require.False(t, kinds.Keeps("a limit at 30c, no, 28c", s))
}
