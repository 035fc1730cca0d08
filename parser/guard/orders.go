package guard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// An answer with orders where the rules read none is never believed: which word the token,
// the trigger and the kind of an order came from cannot be checked. It is offered to be
// confirmed where it says the market and the side that the rules read, and its numbers are
// those of the prompt, each of them and no others.

// judgeOrders returns what stands against offering such an answer; nil: nothing. What it says
// of the entry and the exits is held against the words as in any answer.
func (g *guard) judgeOrders() *Objection {
	for _, check := range []func() *Objection{func() *Objection { return g.quotes.locate(g.p) }, g.saidOtherwise, g.words} {
		if wrong := check(); wrong != nil {
			return wrong
		}
	}
	for i := range g.part.Items {
		if it := &g.part.Items[i]; g.agrees(i) {
			g.mark(it.From, it.To, agreed)
		}
	}
	for k := range g.numbers {
		n := &g.numbers[k]
		if !g.givesAny(n) && g.tokens[n.From] != chat && !g.isLength(n) && !g.harmless(n) && !g.idle(n) {
			return leftOut(g.p.Text(n.From, n.To))
		}
	}
	for i := range g.fields {
		if f := &g.fields[i]; !f.borne && !g.goesUnsaid(f) {
			return ungrounded(f.path, f.want.String())
		}
	}
	return nil
}

// givesAny reports whether a number may be the value of a field, and notes of which.
func (g *guard) givesAny(n *lexicon.Number) (given bool) {
	for i := range g.fields {
		if f := &g.fields[i]; g.mayGive(n, f) && g.quotes.allow(f.path, n.From, n.To) {
			given, f.borne = true, f.borne || f.ofOrder() || f.ofRest(g.s) || g.fits(n, f)
		}
	}
	return given
}

// ofOrder reports whether a field is one of orders.
func (f *field) ofOrder() bool {
	return !strings.HasPrefix(f.path, "entry") && !strings.HasPrefix(f.path, "exit.")
}

// ofRest reports whether a field is a price at which what is left is sold once a part is: "half at 55c, the rest at 70c".
func (f *field) ofRest(s *strategy.Strategy) bool {
	return strings.HasPrefix(f.path, "exit.take_profit") && slices.ContainsFunc(s.Then, func(t strategy.Then) bool { return t.Do == strategy.Sell })
}

// moreEntries is the field of how often a round is entered, which words may count without the first.
const moreEntries = "again.max_entries"

// goesUnsaid reports whether a field may have its value without a number that says it.
func (g *guard) goesUnsaid(f *field) bool {
	leads := f.cond != nil && f.cond.Type == strategy.Price && f.want == micro/2 && g.has(0, int32(g.p.Tokens()), "FAV")
	once := f.path == moreEntries && f.want == 2*micro // "re-enter once"
	return f.isDefault() || f.want == 0 || leads || once || g.inParts(f)
}

// inParts reports whether a word says the part that a field is, which may be money too: "a quarter".
func (g *guard) inParts(f *field) bool {
	for i := range int32(g.p.Tokens()) {
		if n, ok := partWords[g.p.Word(i)]; ok && f.kind == ofPart && int64(f.want) == n {
			return true
		}
	}
	return false
}

// partWords are words of parts, in millionths.
var partWords = map[string]int64{"half": micro / 2, "halve": micro / 2, "third": 333_300, "quarter": micro / 4, "fifth": micro / 5, "tenth": micro / 10}

// saidOtherwise objects to an answer with another coin, length, side or, in an item of its
// own, exit than the rules read. A further order may buy the other token.
func (g *guard) saidOtherwise() *Objection {
	opposite := slices.ContainsFunc(g.s.Then, func(t strategy.Then) bool { return t.Token == strategy.TokenOpposite })
	for i := range g.part.Items {
		it := &g.part.Items[i]
		for _, s := range it.Meaning.Slots() {
			market, exit := alike[s] != nil && s != grammar.SlotSoft && s != grammar.SlotHint, slices.Contains(exits, s) && !g.besideUnread(it)
			if !market && !exit || s == grammar.SlotSide && opposite {
				continue
			}
			if _, ok := g.slot(s, it.Meaning.Get(s)); !ok && !(exit && g.ofOrders(it)) {
				return contradicts(g.p.Text(it.From, g.p.WordsEnd(it.From, it.To)))
			}
		}
	}
	return nil
}

// ofOrders reports whether a number of an item may be one of an order: "give up on it after one minute".
func (g *guard) ofOrders(it *grammar.Item) bool {
	return slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool {
		return it.From <= n.From && n.To <= it.To && slices.ContainsFunc(g.fields, func(f field) bool { return f.ofOrder() && !f.isDefault() && g.mayGive(&n, &f) })
	})
}

var exits = []grammar.Slot{grammar.SlotTP, grammar.SlotSL, grammar.SlotTPO, grammar.SlotSLO, grammar.SlotTrail, grammar.SlotMaxHold, grammar.SlotExitBefore}

// mayGive is gives for the numbers of orders too.
func (g *guard) mayGive(n *lexicon.Number, f *field) bool {
	if f.kind != ofCount && f.kind != ofPart {
		return g.gives(n, f)
	}
	entries := lexicon.Entries()
	return slices.ContainsFunc(n.Lexemes, func(i int32) bool {
		v := &g.p.Lexemes[i].Value
		switch class := entries[g.p.Lexemes[i].Entry].Class; {
		case class == "FRAC" && v.Den != 0:
			return f.kind == ofPart && micro*int64(v.Num)/int64(v.Den) == int64(f.want)
		case class == "ORD" && f.kind == ofPart: // "a twentieth"
			return v.N*int64(f.want) == micro*micro
		case f.kind == ofPart:
			return (class == "DEC" || class == "CENT" || class == "USDC") && v.N == int64(f.want)
		}
		return v.N == int64(f.want) || f.path == moreEntries && v.N+micro == int64(f.want)
	})
}

// orderPaths lists the fields of orders that a strategy uses, as refusals name them.
func orderPaths(s *strategy.Strategy) (out []string) {
	for _, f := range []struct {
		path string
		used bool
	}{
		{"exit.rest_take_profit", s.Exit.RestTakeProfit}, {"order", s.Order != nil}, {"then", len(s.Then) > 0}, {"again", s.Again != nil},
		{"merge", s.Merge}, {"size", s.Size != nil}, {"bankroll", s.Bankroll != nil},
	} {
		if f.used {
			out = append(out, f.path)
		}
	}
	return out
}

// leftAside lists what an answer that is offered may have otherwise than the prompt: the side where it
// buys both tokens, exits beside words that were passed over, what a correction may be of, conditions in such words.
func (g *guard) leftAside() (out []string) {
	if slices.ContainsFunc(g.s.Then, func(t strategy.Then) bool { return t.Token == strategy.TokenOpposite }) {
		out = append(out, "side")
	}
	for _, u := range g.part.Unread {
		if g.has(u[0], u[1], lawWords...) || g.lasts(u[0], u[1]) {
			out = append(out, "entry")
			break
		}
	}
	if g.endsUnread() {
		out = append(out, "exit.hold_to_expiry")
	}
	for i := range g.part.Items {
		it := &g.part.Items[i]
		if it.Meaning.Conds() != nil && g.tokens[it.From] != agreed && !g.refusedAside(it) {
			out = append(out, "entry")
		}
		for _, s := range it.Meaning.Slots() {
			if paths, ok := g.slot(s, it.Meaning.Get(s)); !ok && (slices.Contains(exits, s) || g.corrects(it)) {
				out = append(out, cmp.Or(strings.Join(paths, ""), meaning.FieldOf(s)))
			}
		}
	}
	return out
}

// endsUnread reports whether words of how a round ends may have been passed over.
func (g *guard) endsUnread() bool {
	for i := range int32(g.p.Tokens()) {
		if settling[g.p.Word(i)] && g.tokens[i] != agreed {
			return true
		}
	}
	return false
}

// settling are words of how a round ends, of which a denial may be among what was passed over.
var settling = lexicon.WordSet("settle settles settlement settled expire expiry end")

// ordersAlone is the objection to an answer with orders that nobody but the model has
// read, which is offered.
func ordersAlone(p *grammar.Parse, a *Answer, known *Known) *Objection {
	g := newGuard(p, a, known)
	if wrong := g.judgeOrders(); wrong != nil {
		return wrong
	}
	paths := orderPaths(g.s)
	for _, path := range append(g.byModelAlone(), g.leftAside()...) {
		if !slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(path, p) }) {
			paths = append(paths, path)
		}
	}
	return &Objection{
		Failure{
			Outcome: "orders", Note: "the language model read orders (" + strings.Join(orderPaths(g.s), ", ") + ") where the rules read none",
			Nearly: &Reading{Strategy: a.Strategy, Spans: []strategy.Span{}, Alone: []strategy.Assumption{}, Fields: paths},
		},
		"", // nothing to repair
	}
}
