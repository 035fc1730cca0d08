package rules

import (
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// isAside reports whether an item that cannot be said, for a reason or, without
// any, as it is not this market's, is no part of a rule as far as a language model
// has to judge.
func (r *reader) isAside(it *grammar.Item, why string) bool {
	return toldAside[why] || toldVaguely[why] && r.inTalk(it) || why == "sequence" && r.isChange(it) || !doings[why] && r.givesNoRule(it, why)
}

// givesNoRule reports whether an item stands in a sentence without a number, a
// marker of a condition or a token; one that is not this market's, without a word
// that restricts, also in the key before it, and before no arrow.
func (r *reader) givesNoRule(it *grammar.Item, why string) bool {
	lo, hi := r.widen(it.From, it.To, func(i int32) bool { return r.p.HasClass(i, i+1, sentenceEnds...) })
	none := !r.p.HasClass(lo, hi, ruleClasses...)
	if why != "" || !none {
		return none
	}
	if lo > 2 && r.p.HasClass(lo-1, lo, "COLON") {
		lo -= 3
	}
	for i := lo; i < hi; i++ {
		none = none && !restricting[r.p.Word(i)]
	}
	return none && !r.p.HasClass(lo, hi, "EQ") && !r.p.HasClass(hi, min(hi+1, int32(r.p.Tokens())), "ARROW")
}

// toldAside are the reasons that a language model may read past: what is refused
// is the rules' own limit, not the object's.
var toldAside = map[string]bool{"foreign": true, "language": true, "story": true, "search": true, "anyof": true, "anycoin": true}

// doings are the reasons of what a strategy cannot do, in a sentence of its own too:
// "so raise the stake after every loss".
var doings = lexicon.WordSet(reasons["doings"])

// toldVaguely are the reasons of words that are not exact, which talk has too; talk are
// words that somebody who writes to somebody uses.
var (
	toldVaguely = lexicon.WordSet(reasons["vaguely"])
	talk        = lexicon.WordSet(reasons["talk"])
	restricting = lexicon.WordSet(reasons["restricting"])
)

// inTalk reports whether an item stands among words that address somebody, and
// that no rule is made of, from a break or what each trade costs on to a break,
// a market or a purchase.
func (r *reader) inTalk(it *grammar.Item) bool {
	n, said := int32(r.p.Tokens()), false
	lo, hi := r.widen(it.From, it.To, func(i int32) bool { return r.isBreak(i) || r.hasRuleAt(i) })
	for i := lo; i < hi; i++ {
		said = said || talk[r.p.Word(i)]
	}
	opens := lo == 0 || r.isBreak(lo-1) || r.p.HasClass(lo-2, lo, "PER")
	ends := hi == n || r.isBreak(hi) || r.p.HasClass(hi, min(hi+3, n), "COIN", "BUY")
	return said && opens && ends
}

// isChange reports whether an item is a move before the number of its size, which
// makes a change of it: "after it drops 8c in a minute".
func (r *reader) isChange(it *grammar.Item) bool {
	return r.p.Word(it.From) == "after" && r.p.HasClass(it.To, min(it.To+2, int32(r.p.Tokens())), "CENT", "DEC", "USDC")
}

// plainClasses are the classes of words that no rule is made of.
var plainClasses = lexicon.WordSet("UNK WORD BE PRON OPINION PERSON VAGUE REFUSE OUTSIDE AND FILL")

// hasRuleAt reports whether a token is part of the language of rules by the longest
// of its lexemes.
func (r *reader) hasRuleAt(i int32) bool {
	rule, longest := false, int32(0)
	for l, e := range r.p.Within(0, int32(r.p.Tokens())) {
		if n := l.To - l.From; l.From <= i && i < l.To && n >= longest {
			rule = !plainClasses[e.Class] || rule && n == longest
			longest = n
		}
	}
	return rule || markers[r.p.Word(i)]
}

// markers are small words that make a time or a condition of what is behind them.
var markers = lexicon.WordSet("in at on during only while when by until after before every each since")

var (
	sentenceEnds = []string{"STOP", "QUESTION", "SOFT", "COLON"}
	ruleClasses  = []string{"CENT", "DEC", "USDC", "USD", "INT", "REAL", "DUR", "LEN", "PCT", "PLUSNUM", "MINUSNUM", "TIMES", "DECADE", "SHARES", "IF", "UNLESS", "TOK", "TP", "SL", "TRAIL", "SAMPLE", "BUDGET"}
)
