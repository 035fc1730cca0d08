package parser

import (
	"errors"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// finish makes the strategy of what was read.
func (p *parser) finish() (*finisher, *Refusal) {
	p.endIf()
	p.dropTerm()
	if p.err != nil {
		return nil, p.err
	}
	f := &finisher{parser: p}
	f.s = strategy.Strategy{
		Market:         strategy.MarketSpec{Coin: defaultCoin, Type: defaultType},
		Entry:          []strategy.Condition{},
		BudgetPerTrade: defaultBudget,
		SampleSize:     defaultSample,
	}
	if p.coin != nil {
		f.s.Market.Coin = p.coin.text
	}
	if p.length != nil {
		f.s.Market.Type = p.length.text
	}
	if p.budget != nil {
		f.s.BudgetPerTrade = p.budget.n
	}
	if p.sampl != nil {
		f.s.SampleSize = int(p.sampl.n / strategy.One)
	}
	for _, step := range []func(){f.coinNoun, f.arrange, f.side, f.checkMentions, f.conditions, f.repeats, f.fold, f.exitsOf} {
		if step(); p.err != nil {
			return nil, p.err
		}
	}
	return f, nil
}

// finisher turns a draft into a strategy.
type finisher struct {
	*parser
	s       strategy.Strategy
	entry   []int // conditions that must all hold
	any     alts
	either  bool // "Up below 35c or Down below 35c"
	where   []string
	implied []int // favorites that added a condition
}

// dropTerm refuses a quantity that nothing was said of.
func (p *parser) dropTerm() {
	if p.err == nil && p.term.qty != qNone && p.term.qty != qPrice {
		p.unread(p.term.from)
	}
}

// coinNoun refuses the word "coin" where none is named.
func (f *finisher) coinNoun() {
	if f.coin != nil {
		return
	}
	for i := range f.all {
		if x := &f.all[i]; x.kind == kFill && x.w == "any" && f.anyMarket(i+1) {
			f.fail(refuseSpan(CodeBadRequest, f.extentSpan(x.start, f.all[i+1].end, ""), "any coin, or any length? say \"any coin\" or \"any length\""))
			return
		}
		if x := &f.all[i]; x.kind == kFill && (x.w == "coin" || x.w == "coins") {
			f.fail(refuseSpan(CodeBadRequest, f.extentSpan(x.start, x.end, ""), "which coin? name it, or say \"any coin\""))
			return
		}
	}
}

// anyMarket reports whether a word for market, with or without its length,
// stands at lexeme i.
func (f *finisher) anyMarket(i int) bool {
	for ; i < len(f.all); i++ {
		switch x := &f.all[i]; x.kind {
		case kRound:
			return true
		case kLenWord:
		case kVal:
			if x.v.unit != uTime {
				return false
			}
		default:
			return false
		}
	}
	return false
}

func (f *finisher) arrange() { f.entry, f.any = f.shape() }

// token resolves the token of a condition.
func (f *finisher) token(c *cond) (strategy.Token, bool) {
	if c.isTime {
		return strategy.TokenNone, true
	}
	held, other := f.s.Side.Held(), f.s.Side.Other()
	switch {
	case c.how == howPron && f.s.Side == strategy.Either:
		return held, true
	case c.how == howPron:
		if c.tok == tokOther || (c.tok == tokUp || c.tok == tokDown) && sideOf(c.tok) != f.s.Side {
			f.fail(refuseSpan(CodeBadRequest, c.span, "which token is \"it\"? name Up or Down"))
			return "", false
		}
		return held, true
	case c.how == howEllipsis && c.crossed && (c.tok == tokUp || c.tok == tokDown) && (f.s.Side == strategy.Either || sideOf(c.tok) != f.s.Side):
		f.fail(refuseSpan(CodeBadRequest, c.span, "of which token? name Up or Down"))
		return "", false
	}
	switch c.tok {
	case tokHeld, tokNone:
		return held, true
	case tokOther:
		return other, true
	}
	if f.s.Side == strategy.Either {
		f.fail(refuseSpan(CodeBadRequest, c.span, "with either side there is no Up and Down; say \"its price\" or \"the other side's price\""))
		return "", false
	}
	if sideOf(c.tok) == f.s.Side {
		return held, true
	}
	return other, true
}

// seconds resolves a time of the market.
func (f *finisher) seconds(t tval, span strategy.Span) (strategy.Number, bool) {
	if t.den == 0 {
		return number(t.n), true
	}
	if f.s.Market.Type == strategy.Any {
		f.fail(refuseSpan(CodeBadRequest, span, "a part of the round needs a length of market; say 5m, 15m, 1h, 4h or 1d, or give minutes"))
		return 0, false
	}
	length, _ := strategy.Length(f.s.Market.Type)
	total := int64(length) * t.num
	if total%(t.den*micro) != 0 {
		f.fail(refuseSpan(CodeBadRequest, span, "this part of the round is no whole number of seconds; give seconds"))
		return 0, false
	}
	return number(total / t.den), true
}

// build makes the condition of the draft's k-th.
func (f *finisher) build(k int) (strategy.Condition, bool) {
	c := &f.conds[k]
	tok, ok := f.token(c)
	if !ok {
		return strategy.Condition{}, false
	}
	out := strategy.Condition{Type: c.typ, Token: tok, Comparator: c.cmp, Threshold: c.n}
	if c.isTime {
		if out.Threshold, ok = f.seconds(c.at, c.span); !ok {
			return out, false
		}
	}
	if c.typ == strategy.PriceChange {
		win := c.win.n
		if win > 86400*micro {
			f.fail(refuseSpan(CodeBadRequest, c.span, "this look-back is longer than any market"))
			return out, false
		}
		out.WithinSeconds = int(win / micro)
	}
	return out, true
}

// conditions builds entry and entry_any.
func (f *finisher) conditions() {
	for _, k := range f.entry {
		c, ok := f.build(k)
		if !ok {
			return
		}
		f.s.Entry = append(f.s.Entry, c)
	}
	for _, g := range f.any {
		var group []strategy.Condition
		for _, k := range g {
			c, ok := f.build(k)
			if !ok {
				return
			}
			group = append(group, c)
		}
		f.s.EntryAny = append(f.s.EntryAny, group)
	}
	f.favorites()
	f.atOpen()
}

// favorites adds what "favorite" and "underdog" imply, unless a bound on the
// price says as much.
func (f *finisher) favorites() {
	half := strategy.One / 2
	for i, m := range f.fav {
		if i > 0 {
			if m.tok != f.fav[0].tok {
				f.clash(f.fav[0].span, m.span, "favorite or underdog? say one")
			}
			continue
		}
		said := false
		for _, c := range f.s.Entry {
			if c.Type != strategy.Price || c.Token != strategy.TokenSame {
				continue
			}
			switch c.Comparator {
			case strategy.GT, strategy.GTE, strategy.CrossesAbove:
				said = said || m.tok == tokUp && c.Threshold >= half
			default:
				said = said || m.tok == tokDown && c.Threshold <= half
			}
		}
		if said {
			continue
		}
		c := strategy.Condition{Type: strategy.Price, Token: strategy.TokenSame, Comparator: strategy.GT, Threshold: half}
		if m.tok == tokDown {
			c.Comparator = strategy.LT
		}
		f.s.Entry = append(f.s.Entry, c)
		f.implied = append(f.implied, m.at)
		f.assume(fieldEntry, string(c.Comparator)+" 0.5", "the favorite is the side above 0.50, the underdog the one below")
	}
}

// atOpen adds the bound that "at the open" sets beside other conditions.
func (f *finisher) atOpen() {
	if len(f.openAt) == 0 || len(f.s.Entry) == 0 && len(f.s.EntryAny) == 0 {
		return
	}
	f.s.Entry = append(f.s.Entry, strategy.Condition{Type: strategy.TimeElapsed, Comparator: strategy.LTE, Threshold: strategy.Int(defaultOpenSeconds)})
	f.assume(fieldEntry, strconv.Itoa(defaultOpenSeconds), "at the open is read as in the first 10 seconds")
}

// repeats refuses two bounds of one kind that were not said together: they are
// two entries, or two values for one field.
func (f *finisher) repeats() {
	all := append([]int{}, f.entry...)
	for i, a := range all {
		for _, b := range all[i+1:] {
			x, y := &f.conds[a], &f.conds[b]
			if f.twoPrices(x, y, f.s.Entry[i], f.s.Entry[f.indexOf(b)]) {
				f.clash(x.span, y.span, "two prices to buy at; say one, and \"take profit at\" or \"stop at\" for one to sell at")
				return
			}
			if x.typ != y.typ || x.isTime != y.isTime || x.win != y.win {
				continue
			}
			s, t := f.s.Entry[i], f.s.Entry[f.indexOf(b)]
			if s.Token == t.Token && (x.moved || y.moved) && apart(s, t) {
				f.clash(x.span, y.span, "one thing after another cannot be said: both must hold at one instant, and cannot")
				return
			}
			if s.Token != t.Token || direction(s.Comparator) != direction(t.Comparator) || s == t {
				continue
			}
			if y.joined && x.buys == y.buys || x.isTime && x.buys == y.buys {
				if y.how != howEllipsis || x.isTime {
					continue
				}
			}
			f.clash(x.span, y.span, "two values for one condition; give one, as there is one entry a market")
			return
		}
	}
}

// twoPrices reports whether one of two bounds on what is paid has no comparator
// of its own: "below 40c … for 58c" may mean the other as a price to sell at.
func (f *finisher) twoPrices(x, y *cond, s, t strategy.Condition) bool {
	priced := func(c strategy.Condition) bool { return c.Type == strategy.Price || c.Type == strategy.BestAsk }
	return (x.plain || y.plain) && priced(s) && priced(t) && s.Token == t.Token && direction(s.Comparator) == direction(t.Comparator) && s.Threshold != t.Threshold
}

// apart reports whether no value meets both of two bounds.
func apart(a, b strategy.Condition) bool {
	if direction(a.Comparator) == 1 {
		a, b = b, a
	}
	return a.Type.IsLevel() && direction(a.Comparator) == -1 && direction(b.Comparator) == 1 && a.Threshold <= b.Threshold
}

func (f *finisher) indexOf(cond int) int {
	for i, k := range f.entry {
		if k == cond {
			return i
		}
	}
	return 0
}

func direction(c strategy.Comparator) int {
	switch c {
	case strategy.LT, strategy.LTE:
		return -1
	case strategy.GT, strategy.GTE:
		return 1
	case strategy.CrossesAbove:
		return 2
	}
	return 3
}

// refusalOf turns a rule that the object breaks into a refusal that names the
// phrases behind the fields.
func (f *finisher) refusalOf(err error) *Refusal {
	r := refuse(CodeBadRequest, "%v", err)
	var e *strategy.Error
	if !errors.As(err, &e) {
		return r
	}
	if tp := f.s.Exit.TakeProfit; strings.HasSuffix(e.Field, "take_profit") && tp != nil && *tp <= strategy.One/4 {
		r.fix = fixOffset
	}
	for _, path := range []string{e.Field, e.Other} {
		if s, ok := f.phraseOf(path); ok && (len(r.Phrases) == 0 || r.Phrases[0] != s) {
			r.Phrases = append(r.Phrases, s)
		}
	}
	if len(r.Phrases) == 2 && r.Phrases[0].Start > r.Phrases[1].Start {
		r.Phrases[0], r.Phrases[1] = r.Phrases[1], r.Phrases[0]
	}
	quoted := make([]string, len(r.Phrases))
	for i, s := range r.Phrases {
		quoted[i] = "\"" + s.Text + "\""
	}
	if len(quoted) > 0 {
		r.Message = strings.Join(quoted, " and ") + ": " + e.Message
	}
	return r
}

// fold sets the smallest upper bound on elapsed time on the level conditions of
// a list, as the canonical form has it, so that it does not count as one more
// condition.
func (f *finisher) fold() {
	f.s.Entry = foldWindow(f.s.Entry)
	for g := range f.s.EntryAny {
		f.s.EntryAny[g] = foldWindow(f.s.EntryAny[g])
	}
}

func foldWindow(list []strategy.Condition) []strategy.Condition {
	within, level := strategy.Number(0), false
	folds := func(c strategy.Condition) bool {
		return c.Type == strategy.TimeElapsed && (c.Comparator == strategy.LTE || c.Comparator == strategy.LT) &&
			c.Threshold >= strategy.One && c.Threshold%strategy.One == 0
	}
	for _, c := range list {
		level = level || c.Type.IsLevel()
		if folds(c) && (within == 0 || c.Threshold < within) {
			within = c.Threshold
		}
	}
	if !level || within == 0 || within > strategy.Int(86400) {
		return list
	}
	out := make([]strategy.Condition, 0, len(list))
	for _, c := range list {
		if folds(c) {
			continue
		}
		if c.Type.IsLevel() {
			c.WithinSeconds = int(within / strategy.One)
		}
		out = append(out, c)
	}
	return out
}
