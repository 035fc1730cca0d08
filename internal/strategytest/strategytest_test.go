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
		require.NoError(t, strategytest.Validate(s))
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

// TestExtendedCovers counts what four thousand examples use: every field of
// orders, with each of its values.
func TestExtendedCovers(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	count := func(used map[string]bool) {
		for name, is := range used {
			if is {
				seen[name]++
			} else {
				seen[name] += 0
			}
		}
	}
	ofOrder := func(of string, o *strategy.Order) {
		if o == nil {
			count(map[string]bool{of + " takes": true})
			return
		}
		count(map[string]bool{
			of + " rests at": o.RestAt != nil, of + " from bid": o.RestFromBid != nil, of + " from ask": o.RestFromAsk != nil,
			of + " at the touch": o.RestFromBid != nil && *o.RestFromBid == 0 || o.RestFromAsk != nil && *o.RestFromAsk == 0, of + " post only": o.PostOnly,
			of + " cancel after": o.CancelAfterSeconds != 0, of + " cancel when": o.CancelWhen != nil,
		})
		for _, c := range o.CancelWhen {
			seen["cancel when "+string(c.Type)]++
		}
	}
	generator := strategytest.Extended()
	for seed := range 4000 {
		s := generator.Example(seed)
		require.NoError(t, strategytest.Validate(s))
		require.True(t, s.Extended())
		ofOrder("entry", s.Order)
		z, b := s.Size, s.Bankroll
		count(map[string]bool{
			"then": s.Then != nil, "many orders": len(s.Then) == 19, "rest take profit": s.Exit.RestTakeProfit, "merge": s.Merge,
			"size shares": z != nil && z.Shares != 0, "size fraction": z != nil && z.BankrollFraction != 0, "size kelly": z != nil && z.Kelly != nil,
			"start": b != nil && b.Start != 0, "daily loss": b != nil && b.DailyLoss != 0, "max open": b != nil && b.MaxOpen != 0,
			"streak": b != nil && b.MaxLosingStreak != 0, "again": s.Again != nil, "again later": s.Again != nil && s.Again.AfterSeconds != 0,
		})
		if s.Again != nil {
			for _, r := range strategytest.Reasons {
				count(map[string]bool{"again after " + string(r): s.Again.After != nil && s.Again.Follows(r)})
			}
		}
		for _, o := range s.Then {
			ofOrder(string(o.Do), o.Order)
			count(map[string]bool{
				"on entry": o.On == strategy.OnEntry, "on start": o.On == strategy.OnStart, "on target": o.On == strategy.OnTakeProfit,
				"on stop": o.On == strategy.OnStopLoss, "on the clock": o.On == strategy.OnEndOfWindow, "on exit": o.On == strategy.OnExit,
				"opposite": o.Token == strategy.TokenOpposite, "usd": o.USD != 0, "shares": o.Shares != 0, "fraction": o.Fraction != 0, "match": o.Match,
				"times": o.Times > 1, "after": o.AfterSeconds != 0, "at once": o.When == nil, "eight conditions": len(o.When) == 8,
			})
			for _, c := range o.When {
				seen["when "+string(c.Type)]++
			}
		}
	}
	for _, c := range strategy.OrderConditionTypes() {
		seen["when "+string(c.Type)] += 0
		seen["cancel when "+string(c.Type)] += 0
	}
	for name, n := range seen {
		require.Positive(t, n, "%s is never generated", name)
	}
}
