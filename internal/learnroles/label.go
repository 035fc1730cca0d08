package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/roles"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// labelsOf lists what each number of a prompt may be of, the likeliest first; nil: nothing is
// learned from the prompt.
func labelsOf(p *labelled.Prompt, orders []orderField) [][]string {
	if len(p.Strategies) == 0 || len(p.Strategies[0].EntryAny()) > 0 {
		return nil
	}
	s := p.Strategies[0].Strategy()
	fields := fieldsOf(&s)
	for _, f := range orders {
		fields = append(fields, f.field)
	}
	x := grammar.New(p.Prompt)
	defer x.Close()
	var spans []strategy.Span
	if res, _ := rules.Read(p.Prompt, rules.Overrides{}); res != nil && p.Accepts(res.Strategy, "") {
		spans = res.Trace.Spans
	}
	length, _ := strategy.Length(s.Market.Type)
	var out [][]string
	for _, n := range roles.Numbers(x) {
		var names []string
		at := int(x.Span(n.From, n.From+1).Start)
		for _, f := range fields {
			if valueOf(&n, f, int64(length)) && !slices.Contains(names, f.role) {
				names = append(names, f.role)
			}
		}
		if len(names) > 1 {
			names = narrowed(names, spans, at)
		}
		if len(names) == 0 {
			names = []string{"none"}
		}
		out = append(out, names)
	}
	dealt(out, fields)
	return out
}

// dealt gives numbers that may be of several fields to these in their order, where there are as many of
// both.
func dealt(labels [][]string, fields []field) {
	done := map[string]bool{}
	for _, l := range labels {
		key := strings.Join(l, "|")
		if len(l) < 2 || done[key] {
			continue
		}
		done[key] = true
		var of []int
		for i := range labels {
			if strings.Join(labels[i], "|") == key {
				of = append(of, i)
			}
		}
		var names []string
		for _, f := range fields {
			if slices.Contains(l, f.role) {
				names = append(names, f.role)
			}
		}
		if len(names) == len(of) {
			for i, k := range of {
				labels[k] = []string{names[i]}
			}
		}
	}
}

// narrowed keeps what the rules read a number as, where they read it.
func narrowed(names []string, spans []strategy.Span, at int) []string {
	i := slices.IndexFunc(spans, func(s strategy.Span) bool { return s.Start <= at && at < s.End })
	if i < 0 {
		return names
	}
	field := spans[i].Field
	of := func(role string) bool {
		switch {
		case strings.HasPrefix(field, "exit."):
			return role == field[len("exit."):]
		case strings.HasPrefix(field, "entry"):
			return strings.Contains(role, ".") || strings.HasPrefix(role, "within")
		}
		return strings.HasPrefix(field, role)
	}
	kept := slices.DeleteFunc(slices.Clone(names), func(r string) bool { return !of(r) })
	if len(kept) == 0 {
		return names
	}
	return kept
}

// field is a number of a strategy with its role.
type field struct {
	role string
	kind byte // p: a price, t: seconds, u: dollars, n: a count, f: a part of something
	n    int64
}

func fieldsOf(s *strategy.Strategy) (out []field) {
	put := func(role string, kind byte, n int64) {
		out = append(out, field{role, kind, max(n, -n)})
	}
	for _, c := range s.Entry {
		kind := byte('p')
		switch c.Type {
		case strategy.TimeElapsed, strategy.TimeRemaining, strategy.SinceEntry:
			kind = 't'
		case strategy.AskDepth, strategy.BidDepth:
			kind = 'u'
		}
		put(string(c.Type)+"."+string(c.Comparator), kind, int64(c.Threshold))
		switch {
		case c.WithinSeconds == 0:
		case c.Type == strategy.PriceChange:
			put("within.change", 't', int64(strategy.Int(c.WithinSeconds)))
		default:
			put("within", 't', int64(strategy.Int(c.WithinSeconds)))
		}
	}
	e := &s.Exit
	for _, x := range [...]struct {
		role string
		n    *strategy.Number
	}{{"take_profit", e.TakeProfit}, {"stop_loss", e.StopLoss}, {"take_profit_offset", e.TakeProfitOffset}, {"stop_loss_offset", e.StopLossOffset}, {"trailing_stop", e.TrailingStop}} {
		if x.n != nil {
			put(x.role, 'p', int64(*x.n))
		}
	}
	if e.MaxHoldSeconds > 0 {
		put("max_hold_seconds", 't', int64(strategy.Int(e.MaxHoldSeconds)))
	}
	if e.ExitBeforeSeconds > 0 {
		put("exit_before_seconds", 't', int64(strategy.Int(e.ExitBeforeSeconds)))
	}
	put("budget", 'u', int64(s.BudgetPerTrade))
	put("sample", 'n', int64(strategy.Int(s.SampleSize)))
	return out
}

// valueOf reports whether a number of a prompt may be the value of a field.
func valueOf(n *roles.Number, f field, length int64) bool {
	return slices.ContainsFunc(n.Readings, func(r roles.Reading) bool {
		for _, v := range values(r.Class, &r.Value, length) {
			if v.kind == f.kind && v.n == f.n {
				return true
			}
		}
		return false
	})
}

// values lists what a number may say: its kind, and how much of it.
func values(class string, v *lexicon.Value, length int64) []field {
	n := v.N
	switch class {
	case "CENT", "PLUSNUM", "MINUSNUM", "EDGE", "MINUSEDGE":
		return []field{{kind: 'p', n: n}}
	case "USD":
		return []field{{kind: 'u', n: n}, {kind: 'p', n: n}}
	case "DEC", "USDC":
		return []field{{kind: 'p', n: n}, {kind: 'u', n: n}, {kind: 'f', n: n}}
	case "REAL":
		return []field{{kind: 'p', n: n / 100}, {kind: 'u', n: n}}
	case "SHARES":
		return []field{{kind: 'n', n: n}}
	case "PCT":
		return []field{{kind: 'f', n: n / 100}}
	case "INT", "ORD", "TIMES":
		if class == "ORD" && n > 0 {
			return append(values("INT", v, length), field{kind: 'f', n: lexicon.Micro * lexicon.Micro / n})
		}
		return []field{{kind: 'n', n: n}, {kind: 'u', n: n}, {kind: 'p', n: n / 100}, {kind: 't', n: n}, {kind: 't', n: 60 * n}, {kind: 't', n: 3600 * n}}
	case "DUR", "LEN", "CLEN":
		return []field{{kind: 't', n: n}}
	case "FRAC":
		den := cmp.Or(int64(v.Den), 1)
		return []field{{kind: 'p', n: int64(v.Num) * lexicon.Micro / den}, {kind: 't', n: length * int64(v.Num) / den}, {kind: 'f', n: int64(v.Num) * lexicon.Micro / den / 100 * 100}}
	}
	return nil
}
