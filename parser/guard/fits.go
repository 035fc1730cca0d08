package guard

import (
	"maps"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// How the words around a number bear out the field that it is the value of.

// fits reports whether the words around a number allow it to be the value of a
// field.
func (g *guard) fits(n *lexicon.Number, f *field) bool {
	from, to := g.window(n)
	if f.cond == nil {
		return g.exitFits(n, from, to, f)
	}
	w := g.comparisons(n, from, to)
	switch {
	case g.sells(n, from, f):
		return false
	case !w.denied && !w.excepted && !g.doubtedFits(n, f):
		return false
	case f.kind == ofSeconds && !f.cond.Type.IsTime():
		return !g.has(from, to, "SELL", "TP", "SL", "HOLD", "TRAIL") && (f.cond.Type == strategy.PriceChange || g.firstFits(from, to, f, w))
	}
	return g.typeFits(from, to, f.cond) && g.tokenFits(from, to, f.cond) && g.comparatorFits(n, from, to, f.cond)
}

// firstFits reports whether the words around a time let it be one from the start in which a condition holds; of
// what is believed they say so.
func (g *guard) firstFits(from, to int32, f *field, w *comparison) bool {
	late := slices.ContainsFunc(w.comparators, strategy.Comparator.IsLower) || len(w.comparators) == 0 && w.time == strategy.GTE
	if late || g.has(from, to, "LEFT", "LAST") {
		return false
	}
	_, times, _ := g.quantities(from, to)
	return g.shown || len(f.at) > 0 || times[strategy.TimeElapsed] || g.p.Some(from, to, func(i int32) bool { return early[g.p.Word(i)] })
}

// early are words of a time up to which something is so.
var early = lexicon.WordSet("within until before")

// sells reports whether words of selling lead to a number that a condition has: "if I sell after 3
// minutes", "profit of 6 cents".
func (g *guard) sells(n *lexicon.Number, from int32, f *field) bool {
	from = max(from, n.From-4)
	off := g.p.Some(from, n.From, func(i int32) bool { return g.p.Word(i) == "off" }) // "off the train at 77c"
	return len(f.at) == 0 && (off || g.has(max(from, n.From-3), n.From, "SELL", "PROFIT", "LOSS")) && !g.has(from, n.From, "CMP", "LCMP", "QTY", "TOK")
}

// doubtedFits holds a condition against what an item says of its number, where
// words beside the item may change what is compared, but not how.
func (g *guard) doubtedFits(n *lexicon.Number, f *field) bool {
	fits := true
	for i := range g.part.Items {
		it := &g.part.Items[i]
		if n.From < it.From || n.To > it.To || slices.Contains(g.doubts[it.From:it.To], true) {
			continue
		}
		for c := range it.Meaning.Conds().Walk() {
			ofField := g.gives(n, f) && (c.Num == int64(f.want) || c.Num == abs(int64(f.want)))
			if ofField && (c.Qty != grammar.Change || f.kind != ofSeconds) && !g.doubtedIs(c, f.cond) {
				fits = false
			}
		}
	}
	return fits
}

// doubtedIs reports whether a condition of the chart may have become k, as to its
// token, and as to its comparator where both are times or neither is.
func (g *guard) doubtedIs(c *grammar.Cond, k *strategy.Condition) bool {
	if t, ok := g.token(c.Tok); ok && !c.IsTime() && !k.Type.IsTime() && t != k.Token {
		return false
	}
	return k.Type.IsTime() != c.IsTime() || k.Type == strategy.PriceChange || g.quantity(c, k)
}

// quantity holds comparator and quantity of a condition of the chart against k;
// a price may be another quantity of the same number.
func (g *guard) quantity(c *grammar.Cond, k *strategy.Condition) bool {
	if c.Qty > grammar.Ask {
		return same(c, k)
	}
	like := *c
	like.Qty = grammar.NoQuantity
	return k.Type.IsLevel() && meaning.Says(&like, k)
}

// exitWords are the classes of words that name an exit, a budget or a sample.
var exitWords = map[string][]string{
	"exit.take_profit": {"TP", "SELL"}, "exit.stop_loss": {"SL", "SELL", "LOSS"}, "exit.take_profit_offset": {"TP", "TPO", "SELL", "PLUSNUM"},
	"exit.stop_loss_offset": {"SL", "SLO", "LOSS", "SELL", "MINUSNUM"}, "exit.trailing_stop": {"TRAIL"},
}

func (g *guard) exitFits(n *lexicon.Number, from, to int32, f *field) bool {
	switch f.kind {
	case ofBudget:
		return !g.has(from, to, "UNK") && (g.has(n.From, n.To, "USD") || g.has(from, n.From, "STAKE", "BUDGET") || !g.has(from, to, "ROUND", "TRADES", "SAMPLE"))
	case ofSample:
		return g.has(from, to, "SAMPLE", "ROUND", "TRADES", "KEYROUNDS")
	case ofSeconds:
		return !g.has(from, to, "TP", "SL", "TRAIL") && g.clockFits(n, from, to, f)
	}
	if f.path == "exit.take_profit" || f.path == "exit.stop_loss" {
		if g.has(n.To, min(n.To+2, int32(len(g.tokens))), "PROFIT", "LOSS") { // "11 cents of profit"
			return false
		}
		from, _ = g.p.Widen(from, from, func(i int32) bool { return g.has(i, i+1, "STOP", "QUESTION", "SOFT", "COMMA") })
	}
	unnamed := g.has(n.From, n.To, "INT") && !g.has(from, to, exitWords[f.path]...) // "5 of my bucks"
	return !unnamed && g.spoken(n, from, to, f) && g.exitNamed(from, to, f.path)
}

// exitNamed reports whether words name an exit at a price, a distance or a trailing
// one as it is, and no other exit alone.
func (g *guard) exitNamed(from, to int32, path string) bool {
	if path != "exit.trailing_stop" {
		offset := g.has(from, to, "LOSS", "PLUSNUM", "MINUSNUM", "ENTRYREF", "ENTRYCUE", "TPO", "SLO")
		if g.has(from, to, "TRAIL") || offset != strings.HasSuffix(path, "_offset") {
			return false
		}
	}
	if g.has(from, to, exitWords[path]...) {
		return true
	}
	for _, words := range exitWords {
		if g.has(from, to, words...) {
			return false
		}
	}
	return !g.has(from, to, "QTY", "CMP", "LCMP")
}

// clockFits: words for the end count from there; without any a time is counted
// from the entry, or is an instant of the market.
func (g *guard) clockFits(n *lexicon.Number, from, to int32, f *field) bool {
	ends := g.has(from, to, "LEFT", "LAST", "END", "ENDWORD")
	if f.path == "exit.max_hold_seconds" {
		return !ends
	}
	same := slices.ContainsFunc(n.Lexemes, func(i int32) bool {
		v := g.p.Lexemes[i].Value.N
		return v == int64(f.want) || v*60 == int64(f.want)
	})
	return ends || !same
}

// spoken reports whether words beside a number say what it is for, and no item
// that it is another exit.
func (g *guard) spoken(n *lexicon.Number, from, to int32, f *field) bool {
	said := func(i int32) bool { return (i < n.From || i >= n.To) && g.p.IsWord(i) && g.tokens[i] != chat }
	return g.exitAgrees(n, f) && (g.p.Some(from, to, said) || g.has(n.From, n.To, "PLUSNUM", "MINUSNUM"))
}

// exitAgrees reports whether an exit that an item reads a number into is that of
// the field.
func (g *guard) exitAgrees(n *lexicon.Number, f *field) bool {
	for i := range g.part.Items {
		it := &g.part.Items[i]
		if n.From < it.From || n.To > it.To {
			continue
		}
		for _, s := range [...]grammar.Slot{grammar.SlotTP, grammar.SlotSL, grammar.SlotTPO, grammar.SlotSLO} {
			if it.Meaning.Has(s) && it.Meaning.Get(s) == int64(f.want) && meaning.FieldOf(s) != f.path {
				return false
			}
		}
	}
	return true
}

// quantities are what words name: quantities, and times; strange: a word of no meaning is
// among them.
func (g *guard) quantities(from, to int32) (named map[string]bool, times map[strategy.Type]bool, strange bool) {
	named, times = map[string]bool{}, map[strategy.Type]bool{}
	g.classes(from, to, func(class string, _ *lexicon.Lexeme, e *lexicon.Entry) {
		switch class {
		case "QTY":
			named[slotOf(e, "qty")] = true
		case "CANBUY", "PAY":
			named["ask"] = true
		case "UNK":
			strange = true
		}
		if t := timeOf(class, e); t != "" {
			times[t] = true
		}
	})
	return named, times, strange
}

// typeFits holds the type of a condition against the words for what is compared; in what is
// shown these may stand anywhere, and a spread be told in other words.
func (g *guard) typeFits(from, to int32, c *strategy.Condition) bool {
	named, times, strange := g.quantities(from, to)
	switch c.Type {
	case strategy.TimeElapsed:
		return times[c.Type] && !times[strategy.TimeRemaining] || len(times) == 0 && g.shown
	case strategy.TimeRemaining:
		return times[c.Type] || len(times) == 0 && g.shown
	case strategy.Price, strategy.PriceChange, strategy.Imbalance:
		if len(named) == 0 && (strange || c.Type != strategy.Imbalance) {
			return true
		}
	}
	return !ofOtherSide(named, c.Type) && g.namesType(named, c.Type)
}

// namesType reports whether words name a type, or, of what is shown, it is named anywhere.
func (g *guard) namesType(named map[string]bool, t strategy.Type) bool {
	return slices.ContainsFunc(typeWords[t], func(w string) bool { return named[w] || w != "price" && g.mentions(w) })
}

// ofOtherSide reports of a depth whether words name the other side of the book alone: "the asks got under
// $300 of depth".
func ofOtherSide(named map[string]bool, depth strategy.Type) bool {
	asks, bids := named["ask"] || named["askdepth"], named["bid"] || named["biddepth"]
	return depth == strategy.AskDepth && bids && !asks || depth == strategy.BidDepth && asks && !bids
}

// mentions reports of what is shown whether a word, or a quantity of its name, stands
// anywhere.
func (g *guard) mentions(name string) bool {
	n := int32(g.p.Tokens())
	spoken := func(i int32) bool { return g.p.Word(i) == name }
	named := func(_ string, _ *lexicon.Lexeme, e *lexicon.Entry) bool {
		return slotOf(e, "qty") == name || e.Name == name
	}
	return g.shown && name != "" && (g.p.Some(0, n, spoken) || g.some(0, n, named))
}

// timeOf is the time that a word counts, from the start or to the end; "" for none.
func timeOf(class string, e *lexicon.Entry) strategy.Type {
	switch class {
	case "WORD":
		if e.Name == "after" || e.Name == "into" || e.Name == "in" {
			return strategy.TimeElapsed
		}
	case "LEFT", "LAST", "END":
		return strategy.TimeRemaining
	case "GONE", "FIRST", "OPEN":
		return strategy.TimeElapsed
	}
	return ""
}

// typeWords are the quantities whose words stand for a type.
var typeWords = map[strategy.Type][]string{
	strategy.Price: {"price", "change", ""}, strategy.PriceChange: {"price", "change", ""},
	strategy.BestAsk: {"ask"}, strategy.BestBid: {"bid"}, strategy.Spread: {"spread"}, strategy.AskDepth: {"askdepth", "depth", "ask"},
	strategy.BidDepth: {"biddepth", "depth", "bid"}, strategy.Imbalance: {"imbalance", "ratio", "depth", "askdepth", "biddepth", "bid", "ask"},
}

// tokenFits holds the token of a condition against those that the words name.
func (g *guard) tokenFits(from, to int32, c *strategy.Condition) bool {
	if c.Type.IsTime() {
		return true
	}
	named, moves := map[strategy.Token]bool{}, map[strategy.Token]bool{} // "Up price down 10c"
	g.classes(from, to, func(class string, l *lexicon.Lexeme, e *lexicon.Entry) {
		switch class {
		case "TOK":
			if t := slotOf(e, "tok"); t == "up" || t == "down" {
				named[strategy.Token(t)] = true
				moves[strategy.Token(t)] = g.p.HasClass(l.To, l.To+1, "CENT", "DEC", "USDC", "INT")
			}
		case "OTHER":
			named[g.s.Side.Other()] = true
		}
	})
	if len(named) > 1 && c.Type == strategy.PriceChange {
		maps.DeleteFunc(named, func(t strategy.Token, _ bool) bool { return moves[t] })
	}
	return len(named) == 0 && c.Token == g.s.Side.Held() || named[c.Token] || g.s.Side == strategy.Either && c.Token == strategy.TokenSame
}
