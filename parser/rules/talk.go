package rules

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
)

// isAside reports whether an item that cannot be said, for a reason or, without
// any, as it is not this market's, is no part of a rule as far as a language model
// has to judge.
func (r *reader) isAside(it *grammar.Item, why string) bool {
	return toldAside[why] && !r.asks(it, why) || toldVaguely[why] && r.inTalk(it) || why == "sequence" && r.isChange(it) || !doings[why] && r.givesNoRule(it, why)
}

// asks reports whether an item asks for advice in a sentence with a rule: "should I buy Up
// below 30c?", "which coin is best for buying Up?". It is no strategy, whoever reads it.
func (r *reader) asks(it *grammar.Item, why string) bool {
	s := r.sentenceAround(it.From, it.To)
	if why != "search" || !s.rule {
		return false
	}
	opens := !slices.Contains(r.ruled[s.from:it.From], true)
	return opens && asking[r.p.Word(it.From)] || r.p.HasClass(it.To-1, it.To, "PRON") && r.p.Word(it.To-2) == "should" || r.p.HasClass(s.to, min(s.to+1, int32(r.p.Tokens())), "QUESTION")
}

// givesNoRule reports whether an item stands in a sentence without a number, a
// marker of a condition or a token; one that is not this market's, without a word
// that restricts, also in the key before it, and before no arrow.
func (r *reader) givesNoRule(it *grammar.Item, why string) bool {
	s := r.sentenceAround(it.From, it.To)
	return !s.rule && (why != "" || !s.restricts)
}

// sentence is a stretch of the prompt between two ends of sentences.
type sentence struct {
	from, to  int32
	rule      bool // it has a number, a marker of a condition or a token
	restricts bool // it or the key before it has a word that restricts, or an arrow is behind it
}

// sentenceAround is the sentence around [from, to), or the sentences. Items come in the
// order of the prompt, so the last one is kept.
func (r *reader) sentenceAround(from, to int32) *sentence {
	r.look()
	lo, hi := r.p.Widen(from, to, func(i int32) bool { return r.ends[i] })
	if r.last.from == lo && r.last.to == hi {
		return &r.last
	}
	s := sentence{from: lo, to: hi, rule: r.p.HasClass(lo, hi, ruleClasses...)}
	if lo > 2 && r.p.HasClass(lo-1, lo, "COLON") {
		lo -= 3
	}
	s.restricts = r.p.HasClass(lo, hi, "EQ") || r.p.HasClass(hi, min(hi+1, int32(r.p.Tokens())), "ARROW") || r.someOf(lo, hi, restricting)
	r.last = s
	return &r.last
}

// toldAside are the reasons that a language model may read past: what is refused
// is the rules' own limit, not the object's.
var toldAside = map[string]bool{"foreign": true, "language": true, "story": true, "search": true, "anyof": true, "anycoin": true}

// doings are the reasons of what a strategy cannot do, in a sentence of its own too:
// "so raise the stake after every loss".
var doings = lexicon.WordSet(reasons["doings"])

// toldVaguely are the reasons of words that are not exact, which talk has too; doubted are
// those of words that the rules may take for what they are not; talk are words that
// somebody who writes to somebody uses.
var (
	toldVaguely = lexicon.WordSet(reasons["vaguely"])
	doubted     = lexicon.WordSet(reasons["doubted"])
	confirmed   = lexicon.WordSet(reasons["confirmed"])
	talk        = lexicon.WordSet(reasons["talk"])
	restricting = lexicon.WordSet(reasons["restricting"])
	asking      = lexicon.WordSet(reasons["asking"])
	heard       = lexicon.WordSet(reasons["heard as buy"])
	waiting     = lexicon.WordSet(reasons["waiting"])
	lates       = lexicon.WordSet(reasons["lates"])
	earlies     = lexicon.WordSet(reasons["earlies"])
	opposing    = lexicon.WordSet(reasons["opposing"])
	ordering    = lexicon.WordSet(reasons["ordering"])
)

// inTalk reports whether an item stands among words that address somebody, and
// that no rule is made of, from a break or what each trade costs on to a break,
// a market or a purchase.
func (r *reader) inTalk(it *grammar.Item) bool {
	n := int32(r.p.Tokens())
	lo, hi := r.p.Widen(it.From, it.To, func(i int32) bool { return r.isBreak(i) || r.ruled[i] })
	opens := lo == 0 || r.isBreak(lo-1) || r.p.HasClass(lo-2, lo, "PER")
	ends := hi == n || r.isBreak(hi) || r.p.HasClass(hi, min(hi+3, n), "COIN", "BUY")
	return opens && ends && r.someOf(lo, hi, talk)
}

// isApart reports whether an obstacle stands between two breaks without a word that a rule
// is made of, but for what a strategy cannot do: "same as b4 but cleaner:".
func (r *reader) isApart(o *Obstacle) bool {
	r.look()
	lo, hi := r.p.Widen(o.from, o.to, r.isBreak)
	rules := r.p.Some(lo, hi, func(i int32) bool { return r.ruled[i] && !r.p.HasClass(i, i+1, "BUT") })
	return !rules && !o.Outside && !doings[o.Why] && o.Why != "coins"
}

// isExact reports whether a time that is not exact stands in a clause without a word of a rule, and
// the entry has an exact one of its kind: "late scalp: … with less than 100 seconds left".
func (r *reader) isExact(o *Obstacle, items []grammar.Item) bool {
	late := lates[r.p.Word(o.from)]
	if o.Why != "vaguetime" || !late && !earlies[r.p.Word(o.from)] {
		return false
	}
	lo, hi := r.p.Widen(o.from, o.to, r.isBreak)
	exact := said.Having(func(c grammar.Cond) bool {
		return late && c.Qty == grammar.Remaining && c.IsLate() || !late && c.Qty == grammar.Elapsed && !c.IsLate()
	})
	rules := r.p.Some(lo, hi, func(at int32) bool {
		return r.ruled[at] && !r.p.HasClass(at, at+1, "BUY", "ENTRYCUE", "FAV") || restricting[r.p.Word(at)]
	})
	return !rules && slices.ContainsFunc(items, func(it grammar.Item) bool { return exact(&it) })
}

// isChange reports whether an item is a move before the number of its size, which
// makes a change of it: "after it drops 8c in a minute".
func (r *reader) isChange(it *grammar.Item) bool {
	return r.p.Word(it.From) == "after" && r.p.HasClass(it.To, min(it.To+2, int32(r.p.Tokens())), "CENT", "DEC", "USDC")
}

// plainClasses are the classes of words that no rule is made of.
var plainClasses = lexicon.WordSet("UNK WORD BE PRON OPINION PERSON VAGUE REFUSE OUTSIDE AND FILL")

// look says of every token whether it is punctuation, ends a sentence or a line, and is part
// of the language of rules by the longest of its lexemes.
func (r *reader) look() {
	if r.breaks != nil {
		return
	}
	n := int32(r.p.Tokens())
	r.breaks, r.ends, r.ruled = make([]bool, n), make([]bool, n), r.p.Beyond(plainClasses)
	r.stops, r.lines = make([]bool, n), make([]bool, n)
	for l, e := range r.p.Within(0, n) {
		mark := func(list []bool, classes ...string) {
			list[l.From] = list[l.From] || slices.Contains(classes, e.Class)
		}
		mark(r.breaks, "COMMA", "LP", "RP")
		mark(r.breaks, sentenceEnds...)
		if l.To == l.From+1 {
			mark(r.ends, sentenceEnds...)
			mark(r.lines, "NL")
			mark(r.stops, "NL", "STOP", "QUESTION")
		}
	}
	for i := range r.ruled {
		r.ruled[i] = r.ruled[i] || markers[r.p.Word(int32(i))]
	}
}

// markers are small words that make a time or a condition of what is behind them.
var markers = lexicon.WordSet("in at on during only while when by until after before every each since")

var (
	sentenceEnds = []string{"STOP", "QUESTION", "SOFT", "COLON"}
	ruleClasses  = []string{"CENT", "DEC", "USDC", "USD", "INT", "REAL", "DUR", "LEN", "PCT", "PLUSNUM", "MINUSNUM", "TIMES", "DECADE", "SHARES", "IF", "UNLESS", "TOK", "TP", "SL", "TRAIL", "SAMPLE", "BUDGET"}
)
