package kinds

import (
	"slices"

	"github.com/ladderback/ladderback/strategy"
)

// Rests reports whether some purchase of a strategy rests: a sale that does is not what a
// heading about resting names.
func Rests(s *strategy.Strategy) bool {
	return s.Order != nil || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == strategy.Buy && o.Order != nil })
}

// Matches reports whether a strategy makes pairs.
func Matches(s *strategy.Strategy) bool {
	return s.Merge || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Match })
}

// Reverses reports whether a strategy buys the other token on one of these occasions.
func Reverses(on ...strategy.Trigger) func(s *strategy.Strategy) bool {
	return func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(s.Then, func(o strategy.Then) bool {
			when := o.On
			if when == "" {
				when = strategy.OnEntry
			}
			return o.Do == strategy.Buy && o.Token == strategy.TokenOpposite && slices.Contains(on, when)
		})
	}
}

// Further reports whether a strategy buys more of its token, or sells a part.
func Further(do strategy.Action) func(s *strategy.Strategy) bool {
	return func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == do && o.Token == strategy.TokenSame })
	}
}

// Resting are the orders of a strategy that rest.
func Resting(s *strategy.Strategy) (out []*strategy.Order) {
	if s.Order != nil {
		out = append(out, s.Order)
	}
	for i := range s.Then {
		if s.Then[i].Order != nil {
			out = append(out, s.Then[i].Order)
		}
	}
	return out
}

// Quotes reports whether it rests on both from the start.
func Quotes(s *strategy.Strategy) bool {
	return slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.On == strategy.OnStart })
}

// ByKelly reports whether a strategy is sized by Kelly's formula.
func ByKelly(s *strategy.Strategy) bool { return s.Size != nil && s.Size.Kelly != nil }
