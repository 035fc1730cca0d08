package guard

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

var comparators = map[string]strategy.Comparator{
	"lt": strategy.LT, "lte": strategy.LTE, "gt": strategy.GT, "gte": strategy.GTE, "xa": strategy.CrossesAbove, "xb": strategy.CrossesBelow,
}

var negated = map[strategy.Comparator]strategy.Comparator{
	strategy.LT: strategy.GTE, strategy.LTE: strategy.GT, strategy.GT: strategy.LTE, strategy.GTE: strategy.LT,
}

// comparatorFits holds a comparator against the words for it around a number.
func (g *guard) comparatorFits(n *lexicon.Number, from, to int32, c *strategy.Condition) bool {
	w := g.comparisons(n, from, to)
	switch {
	case g.has(n.From, n.To, "DECADE"):
		return isBound(c, &g.p.Lexemes[n.Lexemes[0]].Value)
	case c.Type == strategy.PriceChange:
		return g.changeFits(w, c)
	case w.crossed || c.Comparator.IsCrossing():
		return w.crossed && c.Comparator.IsCrossing() && w.direction(c.Comparator.IsLower())
	case w.by && !c.Type.IsTime():
		return false // a change, which a level is not
	case len(w.comparators) == 0:
		return g.unsaidFits(w, c)
	}
	return slices.Contains(w.comparators, c.Comparator) || c.Type == strategy.TimeElapsed && c.Comparator == strategy.LTE && slices.Contains(w.comparators, strategy.LT)
}

// isBound reports whether a condition is the lower or the upper bound of a
// decade: "in the thirties".
func isBound(c *strategy.Condition, decade *lexicon.Value) bool {
	low := int64(decade.Num)
	switch int64(c.Threshold) {
	case low * 10_000:
		return c.Comparator == strategy.GTE
	case (low + 9) * 10_000:
		return c.Comparator == strategy.LTE
	}
	return false
}

// unsaidFits: a number without a comparator is a bound from above; of a time, the
// words for it say which.
func (g *guard) unsaidFits(w *comparison, c *strategy.Condition) bool {
	if c.Type.IsTime() {
		return w.time == c.Comparator || w.time == ""
	}
	if w.negated() {
		return c.Comparator == strategy.GT
	}
	return c.Comparator == strategy.LTE || c.Comparator == strategy.GTE && w.moved || g.foreign() || g.mentions(string(c.Comparator))
}

// foreign reports whether words of another language are in the prompt.
func (g *guard) foreign() bool { return g.refusedFor("language") }

// refusedFor reports whether an item is refused for a reason.
func (g *guard) refusedFor(why string) bool {
	return slices.ContainsFunc(g.part.Items, func(i grammar.Item) bool { return isRefusedFor(&i, why) })
}

func isRefusedFor(i *grammar.Item, why string) bool {
	return i.Meaning.Has(grammar.SlotWhy) && grammar.Reason(i.Meaning.Get(grammar.SlotWhy)) == why
}

// comparison is what the words around a number say of how it is compared.
type comparison struct {
	comparators    []strategy.Comparator
	crossed, moved bool
	denied         bool                // by "not" or "never"
	excepted       bool                // by "unless"
	by             bool                // a word of moving has the number for its amount
	up, down       bool                // words for a direction
	time           strategy.Comparator // of a time without a comparator
}

// negated reports whether the opposite is meant: "don't buy unless it is below 30c"
// denies nothing.
func (w *comparison) negated() bool { return w.denied != w.excepted }

// direction reports whether a direction is among those that are said.
func (w *comparison) direction(up bool) bool {
	said := slices.ContainsFunc(w.comparators, func(k strategy.Comparator) bool { return k.IsLower() == up })
	return said || len(w.comparators) == 0 && (up && (w.up || !w.down) || !up && w.down)
}

// plainWords are words for comparing that the lexicon has only in phrases.
var plainWords = map[string]strategy.Comparator{
	"less": strategy.LT, "lower": strategy.LT, "fewer": strategy.LT, "more": strategy.GT, "higher": strategy.GT, "greater": strategy.GT,
	"minimum": strategy.GTE, "maximum": strategy.LTE, "+": strategy.GTE, "from": strategy.GTE, "until": strategy.LTE,
}

func (g *guard) comparisons(n *lexicon.Number, from, to int32) *comparison {
	w := &comparison{by: g.moveEndsAt(n.From)}
	g.classes(from, to, func(class string, l *lexicon.Lexeme, e *lexicon.Entry) {
		if k := g.saidOf(n, class, l, e); k != "" {
			w.comparators = append(w.comparators, k)
		}
		w.crossed = w.crossed || class == "CROSS"
		w.denied, w.excepted = w.denied || class == "NOT" || class == "AVOID", w.excepted || class == "UNLESS"
		w.moves(class, e)
		w.by = w.by || class == "MOVE" && slotOf(e, "dir") != "" && g.joins(l.To, n.From)
	})
	for i := from; i < to && len(w.comparators) == 0; i++ {
		if k, ok := plainWords[g.p.Word(i)]; ok && g.tokens[i] != chat {
			w.comparators = append(w.comparators, k)
		}
	}
	if w.negated() { // the opposite of what is said
		w.time = negated[w.time]
		for i, k := range w.comparators {
			w.comparators[i] = negated[k]
		}
	}
	return w
}

// moveEndsAt reports whether words for a move that cannot be said by themselves
// end at a token: "after it drops" before "8c".
func (g *guard) moveEndsAt(at int32) bool {
	return slices.ContainsFunc(g.part.Items, func(i grammar.Item) bool { return i.To == at && isRefusedFor(&i, "sequence") })
}

// numberAt reports whether a number begins at a token: "2c over 60 seconds".
func (g *guard) numberAt(at int32) bool {
	return slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool { return n.From == at })
}

// joins reports whether nothing but "by" and fillers stand in [from, to), which
// is no stretch where to is before from.
func (g *guard) joins(from, to int32) bool {
	return from <= to && !g.p.Some(from, to, func(i int32) bool {
		return g.p.Word(i) != "by" && !slices.ContainsFunc(g.p.Fillers, func(f lexicon.Filler) bool { return f.From <= i && i < f.To })
	})
}

// isStrict reports whether a comparator leaves the threshold itself out.
func isStrict(c strategy.Comparator) bool { return c == strategy.LT || c == strategy.GT }

// saidOf is the comparator that a lexeme says of a number: before it, behind it,
// or, mirrored, right behind it ("30 < x"); "" for none.
func (g *guard) saidOf(n *lexicon.Number, class string, l *lexicon.Lexeme, e *lexicon.Entry) strategy.Comparator {
	k := comparators[slotOf(e, "cmp")]
	switch {
	case g.within(l): // "later than" in "no later than"
	case l.To <= n.From && (class == "CMP" || class == "LCMP"), l.From >= n.To && class == "POST":
		return k
	case l.From == n.To && class == "CMP" && !g.numberAt(l.To):
		return mirrored[k]
	}
	return ""
}

var mirrored = map[strategy.Comparator]strategy.Comparator{
	strategy.LT: strategy.GT, strategy.LTE: strategy.GTE, strategy.GT: strategy.LT, strategy.GTE: strategy.LTE,
}

// moves notes words of moving, and of time.
func (w *comparison) moves(class string, e *lexicon.Entry) {
	dir := slotOf(e, "dir") + slotOf(e, "tok")
	switch class {
	case "MOVE", "TOK", "HIGHER", "LOSS":
		w.moved = w.moved || class == "MOVE"
		w.up, w.down = w.up || dir == "up", w.down || dir == "down" || class == "LOSS"
	case "LEFT", "LAST", "FIRST":
		w.time = strategy.LTE
	case "GONE":
		w.time = strategy.GTE
	case "WORD":
		if w.time == "" && (e.Name == "after" || e.Name == "into" || e.Name == "in") {
			w.time = strategy.GTE
		}
	}
}

// changeFits: a fall is a negative change at most, a rise a positive one at
// least; one that stays within bounds has both.
func (g *guard) changeFits(w *comparison, c *strategy.Condition) bool {
	up := c.Threshold > 0
	strictly := slices.ContainsFunc(w.comparators, isStrict)
	if c.Comparator.IsLower() != up {
		return isStrict(c.Comparator) == strictly && slices.ContainsFunc(g.fields, func(f field) bool {
			return f.cond != nil && f.cond.Type == strategy.PriceChange && f.cond.Threshold == -c.Threshold && f.cond.Comparator.IsLower() != c.Comparator.IsLower()
		})
	}
	if up && !w.up && w.down || !up && w.up && !w.down {
		return false
	}
	return isStrict(c.Comparator) == strictly
}
