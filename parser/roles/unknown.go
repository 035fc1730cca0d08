package roles

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rewrite"
	"github.com/ladderback/ladderback/strategy"
)

// Words that say something which no number has: a time, money, a set of conditions; and the classes of
// such words, some of them beside a number too.
var (
	bare    = lexicon.WordSet(`halfway a b any never outside pct percent halt relax buck bucks dollar dollars usd cent cents shares contracts`)
	mild    = lexicon.WordSet("gone first post") // in commentary mostly
	ofRules = []string{"SL", "TP", "TRAIL", "STAKE", "BUDGET", "SAMPLE", "HIGHER", "PROFIT", "CROSS", "CMP", "LCMP", "POST"}
	denying = []string{"NOT", "AVOID", "UNLESS", "OTHER", "MAKE", "LOSS", "COIN", "POST"}
)

// unknown are words that are not understood: tokens of a prompt, and its numbers.
type unknown struct {
	p        *grammar.Parse
	from, to int32
	numbers  []lexicon.Number
}

// speaks reports whether words that are not understood say more than the numbers of a draft.
func (d *draft) speaks(at strategy.Span) bool {
	from, to := tokensOf(d.p, &at)
	u := unknown{d.p, from, to, d.t.numbers}
	return u.says() || u.lacks(d.roles)
}

// says reports whether they have some that a rule is made of, without a number, or that others turn on;
// or are what something follows from.
func (u *unknown) says() bool {
	counted := u.counted(u.from, u.to+2)
	if u.denies() || !counted && (u.p.HasClass(u.from, u.to, ofRules...) || u.p.HasClass(u.to, min(u.to+1, int32(u.p.Tokens())), "ARROW")) {
		return true
	}
	spoken := false
	for i := u.from; i < u.to; i++ {
		if u.counted(i, i+1) {
			continue
		}
		if spoken = spoken || u.p.IsWord(i); u.turns(i) {
			return true
		}
	}
	return !spoken && counted
}

// denies reports whether they name a side or a coin, deny something, or are one of two numbers.
func (u *unknown) denies() bool {
	named := u.p.Has(u.from, u.to, func(e *lexicon.Entry) bool {
		return e.Class == "TOK" && (len(e.Slots) == 0 || e.Slots[0].Value != "held")
	})
	return named || u.p.HasClass(u.from, u.to, denying...) || u.p.HasClass(u.from, u.to, "OR") && u.counted(u.from, u.to)
}

// turns reports whether more turns on a word, or it is one of an amount without its number.
func (u *unknown) turns(i int32) bool {
	w := u.p.Word(i)
	return units[w] || bare[w] || !mild[w] && rewrite.Turns(w) || u.p.HasClass(i, i+1, "IF") && !u.leads(i)
}

// counted reports whether a number has one of the tokens [from, to).
func (u *unknown) counted(from, to int32) bool {
	return slices.ContainsFunc(u.numbers, func(n lexicon.Number) bool { return n.From < to && n.To > from })
}

// leads reports whether a number follows on a word in its clause.
func (u *unknown) leads(i int32) bool {
	_, end := u.p.Widen(i+1, i+1, func(k int32) bool { return u.p.HasClass(k, k+1, "COMMA", "STOP", "NL", "SOFT") })
	return u.counted(i+1, end)
}

// tokensOf are the tokens of a span.
func tokensOf(p *grammar.Parse, at *strategy.Span) (from, to int32) {
	for n := int32(p.Tokens()); to < n && int(p.Span(to, to+1).Start) < at.End; to++ {
		if int(p.Span(to, to+1).End) <= at.Start {
			from = to + 1
		}
	}
	return from, to
}

// ofBook are the types of conditions by the names of quantities of the book.
var ofBook = map[string][]strategy.Type{
	"ask": {strategy.BestAsk, strategy.AskDepth}, "bid": {strategy.BestBid, strategy.BidDepth}, "spread": {strategy.Spread}, "imbalance": {strategy.Imbalance},
	"askdepth": {strategy.AskDepth}, "biddepth": {strategy.BidDepth}, "depth": {strategy.AskDepth, strategy.BidDepth}, "ratio": {strategy.Imbalance},
}

// lacks reports whether they name a quantity of the book that no number is of.
func (u *unknown) lacks(roles []string) bool {
	return u.p.Has(u.from, u.to, func(e *lexicon.Entry) bool {
		types := []strategy.Type(nil)
		for _, s := range e.Slots {
			if e.Class == "QTY" {
				types = append(types, ofBook[s.Value]...)
			}
		}
		return len(types) > 0 && !slices.ContainsFunc(roles, func(role string) bool {
			kind, _, _ := strings.Cut(role, ".")
			return slices.Contains(types, strategy.Type(kind))
		})
	})
}
