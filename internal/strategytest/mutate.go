package strategytest

import (
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/strategy"
)

// Mutated generates valid strategies that differ from s in one field, or in one
// condition. The canonical form may be the same all the same.
func Mutated(s strategy.Strategy) *rapid.Generator[strategy.Strategy] {
	return rapid.Custom(func(t *rapid.T) strategy.Strategy {
		for range 50 {
			m := clone(s)
			mutate(t, &m)
			if Validate(m) == nil {
				return m
			}
		}
		m := clone(s)
		m.SampleSize = m.SampleSize%10_000 + 1
		return m
	})
}

func clone(s strategy.Strategy) strategy.Strategy {
	s.Entry = append([]strategy.Condition{}, s.Entry...)
	groups := s.EntryAny
	s.EntryAny = nil
	for _, g := range groups {
		s.EntryAny = append(s.EntryAny, append([]strategy.Condition{}, g...))
	}
	return s
}

func mutate(t *rapid.T, s *strategy.Strategy) {
	length, _ := strategy.Length(s.Market.Type)
	d := drawer{t: t, side: s.Side, length: int(length / 1_000_000)}
	conditions := all(s)
	switch kind := rapid.IntRange(0, 13).Draw(t, "change"); {
	case kind == 0:
		s.Market.Coin = coin().Draw(t, "coin")
	case kind == 1:
		s.Market.Type = marketType().Draw(t, "market_type")
	case kind == 2:
		swapSides(s)
	case kind == 3:
		s.BudgetPerTrade = d.budget()
	case kind == 4:
		s.SampleSize = d.sample()
	case kind < 8:
		s.Exit = mutateExit(d, s.Exit)
	case kind < 12 && len(conditions) > 0:
		mutateCondition(d, rapid.SampledFrom(conditions).Draw(t, "condition"))
	case kind == 12 && len(s.Entry) > 0:
		s.Entry = s.Entry[1:]
	default:
		s.Entry = append(s.Entry, d.condition())
	}
}

// all returns every condition of s, to be changed in place.
func all(s *strategy.Strategy) []*strategy.Condition {
	var out []*strategy.Condition
	for _, list := range append([][]strategy.Condition{s.Entry}, s.EntryAny...) {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}

// swapSides buys the other token, and reads the other token everywhere.
func swapSides(s *strategy.Strategy) {
	if s.Side == strategy.Either {
		for _, c := range all(s) {
			switch c.Token {
			case strategy.TokenSame:
				c.Token = strategy.TokenOpposite
			case strategy.TokenOpposite:
				c.Token = strategy.TokenSame
			}
		}
		return
	}
	s.Side = map[strategy.Side]strategy.Side{strategy.Up: strategy.Down, strategy.Down: strategy.Up}[s.Side]
	for _, c := range all(s) {
		switch c.Token {
		case strategy.TokenUp:
			c.Token = strategy.TokenDown
		case strategy.TokenDown:
			c.Token = strategy.TokenUp
		}
	}
}

func mutateCondition(d drawer, c *strategy.Condition) {
	other := d.condition()
	switch rapid.IntRange(0, 4).Draw(d.t, "part") {
	case 0:
		c.Threshold = other.Threshold
	case 1:
		c.Comparator = other.Comparator
	case 2:
		c.WithinSeconds = other.WithinSeconds
	case 3:
		c.Token = other.Token
	default:
		*c = other
	}
}

func mutateExit(d drawer, e strategy.Exit) strategy.Exit {
	other := d.exit()
	switch rapid.IntRange(0, 7).Draw(d.t, "exit") {
	case 0:
		e.TakeProfit = other.TakeProfit
	case 1:
		e.StopLoss = other.StopLoss
	case 2:
		e.HoldToExpiry = other.HoldToExpiry
	case 3:
		e.TakeProfitOffset = other.TakeProfitOffset
	case 4:
		e.StopLossOffset = other.StopLossOffset
	case 5:
		e.TrailingStop = other.TrailingStop
	case 6:
		e.MaxHoldSeconds = other.MaxHoldSeconds
	default:
		e.ExitBeforeSeconds = other.ExitBeforeSeconds
	}
	return e
}
