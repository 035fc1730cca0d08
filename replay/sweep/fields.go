package sweep

import (
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// field is a number of a canonical strategy that can be varied.
type field struct {
	path  string // as in the JSON, parted by dots, from the strategy on
	whole bool   // whole numbers only
	// get returns the number; ok is false where the strategy leaves it out.
	get func(s *strategy.Strategy) (n strategy.Number, ok bool)
	set func(s *strategy.Strategy, n strategy.Number)
}

// Fields returns the paths of the numbers of s that can be varied, in the order of
// its JSON: entry.0.threshold, exit.take_profit and so on, with the indices of the
// canonical form. Exits that s does not use are included, orders are not.
func Fields(s strategy.Canonical) []string {
	fs := fields(s)
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.path
	}
	return out
}

func fields(s strategy.Canonical) []field {
	var out []field
	object := s.Strategy()
	for i := range object.Entry {
		out = append(out, conditionFields(fmt.Sprintf("entry.%d", i), object.Entry[i], i,
			func(s *strategy.Strategy) []strategy.Condition { return s.Entry })...)
	}
	for g, group := range object.EntryAny {
		for i := range group {
			out = append(out, conditionFields(fmt.Sprintf("entry_any.%d.%d", g, i), group[i], i,
				func(s *strategy.Strategy) []strategy.Condition { return s.EntryAny[g] })...)
		}
	}
	out = append(append(out, exitFields()...), field{
		path: "budget_per_trade",
		get:  func(s *strategy.Strategy) (strategy.Number, bool) { return s.BudgetPerTrade, true },
		set:  func(s *strategy.Strategy, n strategy.Number) { s.BudgetPerTrade = n },
	})
	return append(out, orderFields(&object)...)
}

// conditionFields are the numbers of the i-th condition of a list. Level
// conditions that must hold together share their within_seconds in the canonical
// form, so varying it for one of them varies it for all of the list.
func conditionFields(path string, c strategy.Condition, i int, list func(*strategy.Strategy) []strategy.Condition) []field {
	out := []field{{
		path: path + ".threshold",
		get:  func(s *strategy.Strategy) (strategy.Number, bool) { return list(s)[i].Threshold, true },
		set:  func(s *strategy.Strategy, n strategy.Number) { list(s)[i].Threshold = n },
	}}
	if c.Type.IsTime() || c.Type.OfOrders() {
		return out
	}
	return append(out, field{
		path: path + ".within_seconds", whole: true,
		get: func(s *strategy.Strategy) (strategy.Number, bool) {
			n := list(s)[i].WithinSeconds
			return strategy.Int(n), n != 0
		},
		set: func(s *strategy.Strategy, n strategy.Number) {
			seconds, _ := n.Whole()
			conditions := list(s)
			for k := range conditions {
				if k == i || c.Type.IsLevel() && conditions[k].Type.IsLevel() {
					conditions[k].WithinSeconds = seconds
				}
			}
		},
	})
}

func exitFields() []field {
	var out []field
	for _, f := range []struct {
		name string
		at   func(*strategy.Exit) **strategy.Number
	}{
		{"take_profit", func(e *strategy.Exit) **strategy.Number { return &e.TakeProfit }},
		{"stop_loss", func(e *strategy.Exit) **strategy.Number { return &e.StopLoss }},
		{"take_profit_offset", func(e *strategy.Exit) **strategy.Number { return &e.TakeProfitOffset }},
		{"stop_loss_offset", func(e *strategy.Exit) **strategy.Number { return &e.StopLossOffset }},
		{"trailing_stop", func(e *strategy.Exit) **strategy.Number { return &e.TrailingStop }},
	} {
		out = append(out, field{
			path: "exit." + f.name,
			get: func(s *strategy.Strategy) (strategy.Number, bool) {
				if p := *f.at(&s.Exit); p != nil {
					return *p, true
				}
				return 0, false
			},
			set: func(s *strategy.Strategy, n strategy.Number) { *f.at(&s.Exit) = n.Ptr() },
		})
	}
	for _, f := range []struct {
		name string
		at   func(*strategy.Exit) *int
	}{
		{"max_hold_seconds", func(e *strategy.Exit) *int { return &e.MaxHoldSeconds }},
		{"exit_before_seconds", func(e *strategy.Exit) *int { return &e.ExitBeforeSeconds }},
	} {
		out = append(out, field{
			path: "exit." + f.name, whole: true,
			get: func(s *strategy.Strategy) (strategy.Number, bool) {
				n := *f.at(&s.Exit)
				return strategy.Int(n), n != 0
			},
			set: func(s *strategy.Strategy, n strategy.Number) { *f.at(&s.Exit), _ = n.Whole() },
		})
	}
	return out
}

// fieldOf returns the field of a path, or an error that names those there are.
func fieldOf(s strategy.Canonical, path string) (field, error) {
	all := fields(s)
	for _, f := range all {
		if f.path == path {
			return f, nil
		}
	}
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.path
	}
	why := "no number of this strategy"
	if path == "sample_size" {
		why = "not varied, as every variant is replayed over the same rounds"
	}
	return field{}, market.Errorf(market.CodeBadRequest, "%s: %s; there are %s", path, why, strings.Join(names, ", "))
}
