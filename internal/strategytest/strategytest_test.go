package strategytest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/strategy"
)

// TestValidCovers counts what a thousand examples use: every coin group,
// length, side, type with each of its comparators and tokens, extension, and
// number of groups.
func TestValidCovers(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	generator := strategytest.Canonical()
	for seed := range 4000 {
		s := generator.Example(seed).Strategy()
		require.NoError(t, strategy.Validate(s))
		seen["type "+s.Market.Type]++
		seen["side "+string(s.Side)]++
		if s.Market.Coin == strategy.Any {
			seen["any coin"]++
		}
		if len(s.Entry) == 8 {
			seen["eight conditions"]++
		}
		for i, list := range append([][]strategy.Condition{s.Entry}, s.EntryAny...) {
			for _, c := range list {
				seen[string(c.Type)+" "+string(c.Comparator)]++
				seen[string(c.Type)+" "+string(c.Token)]++
				if c.Type.IsLevel() && c.WithinSeconds != 0 && i > 0 {
					seen["window in a group"]++
				}
				if c.Type.IsLevel() && c.WithinSeconds != 0 && i == 0 {
					seen["window in the entry"]++
				}
			}
		}
		for name, used := range map[string]bool{
			"take profit": s.Exit.TakeProfit != nil, "stop": s.Exit.StopLoss != nil, "take profit offset": s.Exit.TakeProfitOffset != nil,
			"stop offset": s.Exit.StopLossOffset != nil, "trail": s.Exit.TrailingStop != nil, "max hold": s.Exit.MaxHoldSeconds != 0,
			"exit before": s.Exit.ExitBeforeSeconds != 0, "never held": !s.Exit.HoldToExpiry && s.Exit.ExitBeforeSeconds == 0,
			"no entry": len(s.Entry) == 0 && s.EntryAny == nil, "two groups": len(s.EntryAny) == 2, "four groups": len(s.EntryAny) == 4,
			"groups and entry": len(s.EntryAny) > 0 && len(s.Entry) > 0,
		} {
			if used {
				seen[name]++
			}
		}
	}
	want := []string{"any coin", "eight conditions", "window in a group", "window in the entry", "take profit", "stop", "take profit offset", "stop offset",
		"trail", "max hold", "exit before", "never held", "no entry", "two groups", "four groups", "groups and entry", "side up", "side down", "side either"}
	for _, name := range strategytest.MarketTypes {
		want = append(want, "type "+name)
	}
	for _, c := range strategy.ConditionTypes() {
		for _, comparator := range c.Comparators {
			if c.Type == strategy.TimeElapsed && comparator == strategy.LT {
				continue // never canonical
			}
			want = append(want, string(c.Type)+" "+string(comparator))
		}
		for _, token := range c.Tokens {
			want = append(want, string(c.Type)+" "+string(token))
		}
	}
	for _, what := range want {
		require.Positive(t, seen[what], "%s is never generated", what)
	}
}
