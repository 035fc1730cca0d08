package guard

import (
	"fmt"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// conditions holds an expression against the answer's entry.
func (g *guard) conditions(x *grammar.Expr) (paths []string, ok bool) {
	tokens := map[strategy.Token]bool{g.s.Side.Held(): true}
	for c := range x.Walk() {
		if t, ok := g.token(c.Tok); ok {
			tokens[t] = true
		}
	}
	for i := range x.All {
		p, ok := g.condition(&x.All[i], -1, tokens)
		if !ok {
			return nil, false
		}
		paths = append(paths, p...)
	}
	for _, group := range x.Any {
		p, ok := g.group(group, tokens)
		if !ok {
			return nil, false
		}
		paths = append(paths, p...)
	}
	return paths, true
}

// group finds the answer's alternative that has all conditions of a list; what
// all of the answer's alternatives share may stand in its entry.
func (g *guard) group(list []grammar.Cond, tokens map[strategy.Token]bool) ([]string, bool) {
next:
	for k := range g.s.EntryAny {
		var paths []string
		for i := range list {
			p, ok := g.condition(&list[i], k, tokens)
			if !ok {
				continue next
			}
			paths = append(paths, p...)
		}
		return paths, true
	}
	return nil, false
}

// condition finds a condition in the answer's entry, or in its alternative
// number group; -1: in any of them.
func (g *guard) condition(c *grammar.Cond, group int, tokens map[strategy.Token]bool) ([]string, bool) {
	want := *c
	if c.Part != 0 {
		length, _ := strategy.Length(g.s.Market.Type)
		want.Num, want.Part = int64(length)*int64(c.Part/100)/int64(c.Part%100), 0
	}
	var found []string
	in := func(list []strategy.Condition, path string) {
		for i := range list {
			found = append(found, g.became(&want, &list[i], fmt.Sprintf("%s[%d]", path, i), tokens)...)
		}
	}
	in(g.s.Entry, "entry")
	for i, list := range g.s.EntryAny {
		if group < 0 || group == i {
			in(list, fmt.Sprintf("entry_any[%d]", i))
		}
	}
	return found, len(found) > 0
}

// became returns the fields of k, which stands at a path, that a condition of the
// chart became; "" stands for a window that is within the one said.
func (g *guard) became(c *grammar.Cond, k *strategy.Condition, at string, tokens map[strategy.Token]bool) []string {
	window := int64(k.WithinSeconds) * micro
	switch {
	case c.Qty == grammar.Elapsed && c.Cmp <= 2 && k.Type.IsLevel() && window != 0 && window <= c.Num:
		if window == c.Num {
			return []string{at + ".within_seconds", ""}
		}
		return []string{""}
	case !same(c, k) || !k.Type.IsTime() && !g.onToken(c, k, tokens):
		return nil
	}
	fields := []string{at + ".threshold", at + ".comparator", at + ".type", at + ".token"}
	if k.Type == strategy.PriceChange {
		fields = append(fields, at+".within_seconds")
	}
	return fields
}

// same reports whether a condition of the chart became k.
func same(c *grammar.Cond, k *strategy.Condition) bool {
	if c.Qty == grammar.NoQuantity && k.Type != strategy.Price {
		return false
	}
	strict := *c
	if k.Type == strategy.TimeElapsed && k.Comparator == strategy.LTE && c.Cmp == 1 {
		strict.Cmp = 2
	}
	return meaning.Says(&strict, k)
}

// token is the strategy's token that one of the chart names; false where it
// names none.
func (g *guard) token(t int8) (strategy.Token, bool) {
	switch {
	case t == grammar.TokHeld:
		return g.s.Side.Held(), true
	case t == grammar.TokOther:
		return g.s.Side.Other(), true
	case t == grammar.SideUp && g.s.Side != strategy.Either:
		return strategy.TokenUp, true
	case t == grammar.SideDown && g.s.Side != strategy.Either:
		return strategy.TokenDown, true
	}
	return "", false
}

// onToken reports whether a condition may be on the token of k: the one that it
// names, else one that its neighbours name or the one bought.
func (g *guard) onToken(c *grammar.Cond, k *strategy.Condition, tokens map[strategy.Token]bool) bool {
	if t, ok := g.token(c.Tok); ok {
		return t == k.Token
	}
	if c.Tok == 0 {
		return k.Token == g.s.Side.Held()
	}
	return tokens[k.Token]
}
