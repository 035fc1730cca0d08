package sweep

import (
	"fmt"

	"github.com/ladderback/ladderback/strategy"
)

// orderFields are the numbers of the fields of orders that a strategy uses.
func orderFields(s *strategy.Strategy) []field {
	out := limitFields("order", s.Order, func(s *strategy.Strategy) *strategy.Order { return s.Order })
	for i := range s.Then {
		out = append(out, thenFields(fmt.Sprintf("then.%d", i), &s.Then[i], i)...)
	}
	if s.Again != nil {
		out = append(out,
			wholeField("again.max_entries", func(s *strategy.Strategy) *int { return &s.Again.MaxEntries }),
			wholeField("again.after_seconds", func(s *strategy.Strategy) *int { return &s.Again.AfterSeconds }))
	}
	if z := s.Size; z != nil {
		switch {
		case z.Kelly != nil:
			out = append(out,
				numberField("size.kelly.probability", func(s *strategy.Strategy) *strategy.Number { return &s.Size.Kelly.Probability }),
				numberField("size.kelly.fraction", func(s *strategy.Strategy) *strategy.Number { return &s.Size.Kelly.Fraction }))
		case z.Shares != 0:
			out = append(out, numberField("size.shares", func(s *strategy.Strategy) *strategy.Number { return &s.Size.Shares }))
		default:
			out = append(out, numberField("size.bankroll_fraction", func(s *strategy.Strategy) *strategy.Number { return &s.Size.BankrollFraction }))
		}
	}
	if s.Bankroll != nil {
		out = append(out,
			numberField("bankroll.start", func(s *strategy.Strategy) *strategy.Number { return &s.Bankroll.Start }),
			numberField("bankroll.daily_loss", func(s *strategy.Strategy) *strategy.Number { return &s.Bankroll.DailyLoss }),
			numberField("bankroll.max_open", func(s *strategy.Strategy) *strategy.Number { return &s.Bankroll.MaxOpen }),
			wholeField("bankroll.max_losing_streak", func(s *strategy.Strategy) *int { return &s.Bankroll.MaxLosingStreak }))
	}
	return out
}

// limitFields are the numbers of an order that rests; nil has none. Its price is
// varied in the form in which it is given.
func limitFields(path string, o *strategy.Order, of func(*strategy.Strategy) *strategy.Order) []field {
	if o == nil {
		return nil
	}
	var out []field
	for _, f := range []struct {
		name string
		at   func(o *strategy.Order) **strategy.Number
	}{
		{"rest_at", func(o *strategy.Order) **strategy.Number { return &o.RestAt }},
		{"rest_from_bid", func(o *strategy.Order) **strategy.Number { return &o.RestFromBid }},
		{"rest_from_ask", func(o *strategy.Order) **strategy.Number { return &o.RestFromAsk }},
	} {
		if *f.at(o) != nil {
			out = append(out, field{
				path: path + "." + f.name,
				get:  func(s *strategy.Strategy) (strategy.Number, bool) { return **f.at(of(s)), true },
				set:  func(s *strategy.Strategy, n strategy.Number) { *f.at(of(s)) = n.Ptr() },
			})
		}
	}
	out = append(out, wholeField(path+".cancel_after_seconds", func(s *strategy.Strategy) *int { return &of(s).CancelAfterSeconds }))
	return append(out, listFields(path+".cancel_when", o.CancelWhen, func(s *strategy.Strategy) []strategy.Condition { return of(s).CancelWhen })...)
}

// thenFields are the numbers of the i-th further order.
func thenFields(path string, o *strategy.Then, i int) []field {
	out := listFields(path+".when", o.When, func(s *strategy.Strategy) []strategy.Condition { return s.Then[i].When })
	for _, f := range []struct {
		name string
		at   func(o *strategy.Then) *strategy.Number
	}{
		{"usd", func(o *strategy.Then) *strategy.Number { return &o.USD }},
		{"shares", func(o *strategy.Then) *strategy.Number { return &o.Shares }},
		{"fraction", func(o *strategy.Then) *strategy.Number { return &o.Fraction }},
	} {
		if *f.at(o) != 0 {
			out = append(out, numberField(path+"."+f.name, func(s *strategy.Strategy) *strategy.Number { return f.at(&s.Then[i]) }))
		}
	}
	out = append(out, limitFields(path+".order", o.Order, func(s *strategy.Strategy) *strategy.Order { return s.Then[i].Order })...)
	return append(out,
		wholeField(path+".times", func(s *strategy.Strategy) *int { return &s.Then[i].Times }),
		wholeField(path+".after_seconds", func(s *strategy.Strategy) *int { return &s.Then[i].AfterSeconds }))
}

// listFields are the numbers of a list of conditions.
func listFields(path string, list []strategy.Condition, of func(*strategy.Strategy) []strategy.Condition) []field {
	var out []field
	for i, c := range list {
		out = append(out, conditionFields(fmt.Sprintf("%s.%d", path, i), c, i, of)...)
	}
	return out
}

// numberField is a number that is left out where it is 0.
func numberField(path string, at func(*strategy.Strategy) *strategy.Number) field {
	return field{
		path: path,
		get:  func(s *strategy.Strategy) (strategy.Number, bool) { return *at(s), *at(s) != 0 },
		set:  func(s *strategy.Strategy, n strategy.Number) { *at(s) = n },
	}
}

// wholeField is a whole number that is left out where it is 0.
func wholeField(path string, at func(*strategy.Strategy) *int) field {
	return field{
		path: path, whole: true,
		get: func(s *strategy.Strategy) (strategy.Number, bool) { return strategy.Int(*at(s)), *at(s) != 0 },
		set: func(s *strategy.Strategy, n strategy.Number) { *at(s), _ = n.Whole() },
	}
}
