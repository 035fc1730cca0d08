package guard

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// classes calls f with every lexeme in [from, to) that is not commentary.
func (g *guard) classes(from, to int32, f func(class string, l *lexicon.Lexeme, e *lexicon.Entry)) {
	for l, e := range g.p.Within(from, to) {
		if g.tokens[l.From] != chat {
			f(e.Class, l, e)
		}
	}
}

// some reports whether f is true of a lexeme in [from, to) that is not commentary.
func (g *guard) some(from, to int32, f func(class string, l *lexicon.Lexeme, e *lexicon.Entry) bool) (found bool) {
	g.classes(from, to, func(class string, l *lexicon.Lexeme, e *lexicon.Entry) { found = found || f(class, l, e) })
	return found
}

// slotOf returns what an entry says of a slot, "" for nothing.
func slotOf(e *lexicon.Entry, key string) string {
	for _, s := range e.Slots {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// has reports whether a lexeme of one of the classes lies in [from, to).
func (g *guard) has(from, to int32, classes ...string) bool {
	return g.some(from, to, func(class string, _ *lexicon.Lexeme, _ *lexicon.Entry) bool { return slices.Contains(classes, class) })
}

// window is the stretch of words around a number that belong to it: up to the
// numbers and the borders of clauses beside it. A number that is taken back is
// no border.
func (g *guard) window(n *lexicon.Number) (from, to int32) {
	from, to = 0, int32(g.p.Tokens())
	for k := range g.numbers {
		if o := &g.numbers[k]; o.To <= n.From && !g.takenBack(o) {
			from = max(from, o.To)
		} else if o.From >= n.To {
			to = min(to, o.From)
		}
	}
	lo, hi := g.borders(n, from, to, "COMMA", "STOP", "QUESTION", "SOFT")
	near, hi := g.borders(n, lo, hi, "AND", "OR", "BUT")
	if lo == from { // behind a comma "and" joins: "the spread between bid and ask"
		lo = near
	}
	return lo, hi
}

// borders narrows a window to the lexemes of some classes next to a number.
func (g *guard) borders(n *lexicon.Number, from, to int32, classes ...string) (lo, hi int32) {
	lo, hi = from, to
	g.classes(from, to, func(class string, l *lexicon.Lexeme, _ *lexicon.Entry) {
		switch {
		case !slices.Contains(classes, class) || g.within(l) || l.To <= n.From && g.mends(l.To):
		case l.To <= n.From:
			lo = max(lo, l.To)
		case l.From >= n.To:
			hi = min(hi, l.From)
		}
	})
	return lo, hi
}

// mends reports whether words that take something back begin at a token: what is
// before them is spoken of.
func (g *guard) mends(at int32) bool {
	return g.some(at, int32(g.p.Tokens()), func(class string, l *lexicon.Lexeme, _ *lexicon.Entry) bool { return class == "MEAN" && l.From == at })
}

// within reports whether a lexeme is part of a longer comparator: "or less".
func (g *guard) within(l *lexicon.Lexeme) bool {
	return g.some(max(l.From-3, 0), min(l.To+3, int32(g.p.Tokens())), func(class string, o *lexicon.Lexeme, _ *lexicon.Entry) bool {
		return (class == "POST" || class == "CMP") && o.From <= l.From && o.To >= l.To && o.To-o.From > l.To-l.From
	})
}

// loose finds for each number that no agreed item has read the field that it is
// the value of, and for each field its number.
func (g *guard) loose() *Objection {
	for k := range g.numbers {
		n := &g.numbers[k]
		if g.tokens[n.From] == agreed || g.tokens[n.From] == chat || g.enumerates(n) {
			continue
		}
		uses := 0
		for i := range g.fields {
			f := &g.fields[i]
			if f.said || !g.gives(n, f) || !g.quotes.allow(f.path, n.From, n.To) || !g.fits(n, f) {
				continue
			}
			uses++
			if !f.borne {
				f.borne = true
				g.alone = append(g.alone, loose{f, n})
			}
			f.at = append(f.at, [2]int32{n.From, n.To})
		}
		if uses > 0 {
			g.used = append(g.used, n)
		}
		if uses < g.expected(n) && !g.isLength(n) && !g.harmless(n) {
			return leftOut(g.p.Text(n.From, n.To))
		}
	}
	return nil
}

// lawWords are the classes of words that say how much, when or if: none may be
// passed over in a rule but beside a number that a field has; of ruling ones not
// in any sentence.
var (
	lawWords    = []string{"CMP", "LCMP", "POST", "FIRST", "LAST", "LEFT", "GONE", "VAGUE", "NOT", "QTY", "OR", "MOVE"}
	rulingWords = []string{"IF", "UNLESS", "AVOID", "STAKE", "BUDGET"}
)

// passedOver objects to an answer where a word that rules turn on, or what an
// open choice depends on, was passed over.
func (g *guard) passedOver() *Objection {
	words := ""
	for _, u := range g.part.Unread {
		if g.turnsOn(u[0], u[1]) {
			words = g.p.Text(u[0], u[1])
		}
		g.classes(u[0], u[1], func(class string, l *lexicon.Lexeme, _ *lexicon.Entry) {
			law := slices.Contains(rulingWords, class) || slices.Contains(lawWords, class) && g.inRule(l)
			if law && !g.filled(l.From, l.To) && !g.counted(l) && !g.belongs(class, l) {
				words = g.p.Text(l.From, u[1])
			}
		})
	}
	for i := range g.part.Items {
		if it := &g.part.Items[i]; g.refusedAside(it) && g.chooses(it.From, it.To) {
			words = g.p.Text(it.From, it.To)
		}
	}
	if words != "" {
		return leftOut(words)
	}
	return nil
}

// turnsOn reports whether an answer may turn on words that were passed over.
func (g *guard) turnsOn(from, to int32) bool {
	return g.chosenBy(from) || g.headed(from, to) || g.opensStrangely(from, to) || g.lasts(from, to) || g.trails(from, to) || g.chooses(from, to) || g.sellsToo(from, to)
}

// sellsToo reports whether words that were passed over are of selling, which an answer never does: "sell it when I can get 55c".
func (g *guard) sellsToo(from, to int32) bool {
	e := &g.s.Exit
	return g.has(from, to, "SELL") && !e.Sells() && e.HoldToExpiry
}

// chosenBy reports whether an open choice of side stands right before a token:
// "whichever you like".
func (g *guard) chosenBy(at int32) bool {
	return g.some(max(at-5, 0), at, func(class string, l *lexicon.Lexeme, _ *lexicon.Entry) bool {
		return class == "EITHER" && g.joins(l.To, at)
	})
}

// headed reports whether words that were passed over are what is staked, "bet the farm
// on", the head of a price that is bought without another, "bllwo 30c", or stand between a
// word of selling and a condition, which would be one of buying: "out wit 1 min left".
func (g *guard) headed(from, to int32) bool {
	inside := func(n lexicon.Number) bool { return from < n.From && n.From <= to }
	counted := slices.ContainsFunc(g.numbers, inside)
	buys := slices.ContainsFunc(g.part.Items, func(it grammar.Item) bool { return it.From == to && it.Meaning.Conds() != nil })
	found := slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool { return inside(n) && g.strangeHead(&n) })
	g.classes(max(from-3, 0), from, func(class string, l *lexicon.Lexeme, _ *lexicon.Entry) {
		stake, sale := class == "STAKE" || class == "BUDGET", class == "SELL" || class == "TP" || class == "SL"
		found = found || (stake && !counted || sale && buys) && g.joins(l.To, from)
	})
	return found
}

// lasts reports whether words that were passed over have a unit of time without a number:
// "for a whole minute".
func (g *guard) lasts(from, to int32) bool {
	return g.p.Some(from, to, func(i int32) bool {
		return timeUnits[g.p.Word(i)] && !slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool { return n.From <= i && i < n.To })
	})
}

var timeUnits = lexicon.WordSet("minute minutes second seconds hour hours")

// trails reports whether words that were passed over are particles behind a time in their clause, or
// what it is counted from: "I let the first hour go by", "5 minutes after the market closes".
func (g *guard) trails(from, to int32) bool {
	lo, _ := g.clause(from, to)
	others := !counting[g.p.Word(from)] && g.p.Some(from, to, func(i int32) bool { return !particles[g.p.Word(i)] })
	return !others && slices.ContainsFunc(g.part.Items, func(it grammar.Item) bool {
		return it.From >= lo && it.To <= from && it.Meaning.Conds() != nil && g.has(it.From, it.To, "DUR", "FIRST", "LAST")
	})
}

var (
	counting  = lexicon.WordSet("after before past until till from")
	particles = lexicon.WordSet("by past through over off away out up")
)

// chooses reports whether words that were passed over ask for a choice, name what is none of these
// markets, or stand with what is gained or lost: "which one would you pick", "in the Browns game", "a loss of".
func (g *guard) chooses(from, to int32) bool {
	chosen := g.p.Some(from, to, func(i int32) bool {
		return choosing[g.p.Word(i)] || g.has(i, i+1, "UNK") && strings.HasSuffix(g.p.Word(i), "coin")
	})
	lo, hi := g.clause(from, to)
	return chosen || names[g.word(to)] && g.has(from, to, "UNK") || g.has(lo, hi, "LOSS", "PROFIT") && slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool { return n.From >= lo && n.To <= hi })
}

// names are words behind the name of what is played or traded.
var names = lexicon.WordSet("game match coin")

var choosing = lexicon.WordSet("stopped which whichever what who pick choose timeframe stronger weaker best better coin game match ratio till until loss losing")

// opensStrangely reports whether a clause is a word that is not vocabulary, which may be one
// of selling, and a condition: "exited 1 minute before the end".
func (g *guard) opensStrangely(from, to int32) bool {
	opens := to == from+1 && g.has(from, to, "UNK") && (from == 0 || g.divides(from-1))
	return opens && slices.ContainsFunc(g.part.Items, func(it grammar.Item) bool { return it.From == to && it.Meaning.Conds() != nil })
}

// strangeHead reports whether the price of a condition stands behind a word that is not
// vocabulary, and beside none that compares.
func (g *guard) strangeHead(n *lexicon.Number) bool {
	lo, hi := g.window(n)
	strange := g.has(n.From-1, n.From, "UNK") || g.has(n.From, n.To, "INT") && g.has(lo, n.From, "UNK", "PER")
	return strange && !g.has(lo, hi, "CMP", "LCMP", "POST", "CROSS", "MOVE") && slices.ContainsFunc(g.fields, func(f field) bool {
		return f.cond != nil && f.kind == ofPrice && slices.Contains(f.at, [2]int32{n.From, n.To})
	})
}

// inRule reports whether the sentence around a lexeme gives a rule.
func (g *guard) inRule(l *lexicon.Lexeme) bool {
	lo, hi := g.sentenceAround(l.From, l.To)
	return g.has(lo, hi, ruleClasses...)
}

// ruleClasses are the classes of words that make a sentence a rule.
var ruleClasses = append([]string{"TOK", "IF", "UNLESS", "TP", "SL", "SELL", "TRAIL", "HOLD", "BUDGET", "STAKE", "BUY"}, lexicon.NumberClasses...)

func (g *guard) sentenceAround(lo, hi int32) (int32, int32) { return g.p.Widen(lo, hi, g.breaks) }

// counted reports whether a lexeme belongs to a number that a field has.
func (g *guard) counted(l *lexicon.Lexeme) bool {
	return slices.ContainsFunc(g.used, func(n *lexicon.Number) bool {
		from, to := g.window(n)
		return from <= l.From && l.To <= to
	})
}

// belongs reports whether a lexeme belongs to an item beside it that the answer
// agrees with: a marker before a condition, a word for a time beside one, and a
// comparator at what is not compared.
func (g *guard) belongs(class string, l *lexicon.Lexeme) bool {
	return slices.ContainsFunc(g.part.Items, func(it grammar.Item) bool {
		before, behind := it.From-l.To, l.From-it.To
		if g.tokens[it.From] != agreed || max(before, behind) > 2 {
			return false
		}
		x := it.Meaning.Conds()
		switch class {
		case "IF":
			return x != nil && before >= 0
		case "FIRST", "LAST", "LEFT", "GONE":
			for c := range x.Walk() {
				if c.IsTime() && (c.Qty == grammar.Elapsed) == (class == "FIRST" || class == "GONE") {
					return true
				}
			}
		case "CMP", "LCMP":
			return x == nil && it.Kind != "item.open" && max(before, behind) == 0 && !g.has(l.To, min(l.To+3, int32(g.p.Tokens())), "MINUSNUM", "PLUSNUM") // "under -5c"
		}
		return false
	})
}

// filled reports whether [from, to) are part of words that may say nothing, at no cost
// or in a longer phrase.
func (g *guard) filled(from, to int32) bool {
	return slices.ContainsFunc(g.p.Fillers, func(f lexicon.Filler) bool {
		return f.From <= from && to <= f.To && (f.To-f.From > 1 || f.Rank == 0)
	})
}

// enumerates reports whether a number counts the lines of a list.
func (g *guard) enumerates(n *lexicon.Number) bool {
	before := n.From == 0 || g.breaks(n.From-1)
	return before && n.To == n.From+1 && g.tokens[n.From] == unread && n.To < int32(g.p.Tokens()) && strings.Contains(".)", g.p.Text(n.To, n.To+1)) && g.has(n.From, n.To, "INT")
}

func (g *guard) breaks(i int32) bool { return g.has(i, i+1, "STOP", "SOFT", "QUESTION", "COLON") }

// expected is how many fields a number gives: two for a decade.
func (g *guard) expected(n *lexicon.Number) int {
	if g.has(n.From, n.To, "DECADE") {
		return 2
	}
	return 1
}

// takenBack reports whether words behind a number take it back.
func (g *guard) takenBack(n *lexicon.Number) bool {
	next := int32(g.p.Tokens())
	for k := range g.numbers {
		if g.numbers[k].From >= n.To {
			next = min(next, g.numbers[k].From)
		}
	}
	return next < int32(g.p.Tokens()) && g.has(n.To, next, "MEAN")
}

// harmless reports whether a number sets nothing: it is taken back, a small one in words
// or, in what is shown, one of a story.
func (g *guard) harmless(n *lexicon.Number) bool {
	repeated := func(f field) bool { return f.said && g.gives(n, &f) && g.fits(n, &f) }
	corrected := func(it grammar.Item) bool { return it.From <= n.From && n.To <= it.To && g.corrects(&it) }
	if g.shown && (g.idle(n) || slices.ContainsFunc(g.part.Items, corrected) || slices.ContainsFunc(g.fields, repeated)) {
		return true
	}
	small, most := g.has(n.From, n.To, "INT") && g.p.IsWord(n.From) && g.tokens[n.From] == unread, int64(2*micro)
	if len(g.s.Then) > 1 { // "three bids"
		most = 5 * micro
	}
	return g.takenBack(n) || small && slices.ContainsFunc(n.Lexemes, func(i int32) bool { return g.p.Lexemes[i].Value.N <= most })
}

// idle reports whether a number that may be passed over is most likely of nothing, by the words around it, and
// no length of a market.
func (g *guard) idle(n *lexicon.Number) bool {
	return g.idles != nil && !g.has(n.From, n.To, "LEN", "CLEN") && slices.Contains(g.idles(), [2]int32{n.From, n.To})
}

// word is the word of a token, "" beyond the prompt.
func (g *guard) word(i int32) string {
	if i < 0 || i >= int32(g.p.Tokens()) {
		return ""
	}
	return g.p.Word(i)
}

// clause is where the clause around words begins and ends; a key is part of its value's.
func (g *guard) clause(lo, hi int32) (from, to int32) {
	from, _ = g.p.Widen(lo, lo, g.divides)
	_, to = g.p.Widen(hi, hi, func(i int32) bool { return g.divides(i) || g.breaks(i) })
	return from, to
}

// isLength reports whether a number may name the length of the markets.
func (g *guard) isLength(n *lexicon.Number) bool {
	length, ok := strategy.Length(g.s.Market.Type)
	return ok && slices.ContainsFunc(n.Lexemes, func(i int32) bool {
		l := &g.p.Lexemes[i]
		return l.Value.N == int64(length) || l.Value.N*60 == int64(length) && lexicon.Entries()[l.Entry].Class == "INT"
	})
}

// defaults objects to a field that no words bear out and that is no default.
func (g *guard) defaults() *Objection {
	for i := range g.fields {
		f := &g.fields[i]
		if !f.borne && !f.isDefault() && !g.implied(f) && !g.shared(f) {
			return ungrounded(f.path, f.want.String())
		}
	}
	return nil
}

// implied reports whether words without a number imply a field's: a favorite, the open and,
// in what is shown, "a min".
func (g *guard) implied(f *field) bool {
	leads := f.cond != nil && f.cond.Type == strategy.Price && f.want == micro/2 && isStrict(f.cond.Comparator) && g.has(0, int32(g.p.Tokens()), "FAV")
	return leads || f.kind == ofSeconds && (f.want == strategy.Int(10) && f.isFirst() && g.has(0, int32(g.p.Tokens()), "OPEN") ||
		f.want == strategy.Int(60) && g.mentions("minute"))
}

// shared reports whether a field says what another one of the entry says: one
// window bounds every condition.
func (g *guard) shared(f *field) bool {
	return f.cond != nil && slices.ContainsFunc(g.fields, func(o field) bool {
		return o.borne && o.cond != nil && o.kind == f.kind && abs(int64(o.want)) == abs(int64(f.want)) && o.kind == ofSeconds
	})
}
