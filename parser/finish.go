package parser

import (
	"errors"
	"strconv"

	"github.com/ladderback/ladderback/strategy"
)

// finish makes the strategy of what was read.
func (p *parser) finish(o Overrides) (*Result, *Refusal) {
	p.endIf()
	p.dropTerm()
	if p.err != nil {
		return nil, p.err
	}
	f := finisher{parser: p}
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
	return f.result(o)
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

// side decides which token is bought.
func (f *finisher) side() {
	if f.sideEither() {
		return
	}
	var named *mention
	var held *mention
	for k := range f.buys {
		m := &f.buys[k]
		tok := m.tok
		switch tok {
		case tokPron:
			continue
		case tokHeld:
			held = m
			continue
		case tokOther:
			prev := f.spokenBefore(m.at)
			if prev == nil {
				f.bad(m.at, m.at+1, "the other side of what? name Up or Down")
				return
			}
			m.tok = tokUp + tokDown - prev.tok
		}
		if named != nil && named.tok != m.tok {
			f.clash(named.span, m.span, "both sides; a strategy buys one: say \"either side\" for whichever comes first")
			return
		}
		named = m
	}
	switch {
	case held != nil && named != nil:
		f.clash(held.span, named.span, "one side or either? say one")
	case held != nil:
		f.s.Side = strategy.Either
	case named != nil:
		f.s.Side = sideOf(named.tok)
	default:
		f.sideFromMentions()
	}
}

func sideOf(tok int16) strategy.Side {
	if tok == tokDown {
		return strategy.Down
	}
	return strategy.Up
}

// spokenBefore returns the last token named before lexeme at.
func (f *finisher) spokenBefore(at int) *mention {
	var out *mention
	for _, list := range [][]mention{f.lone, f.buys} {
		for k := range list {
			m := &list[k]
			if m.at < at && (m.tok == tokUp || m.tok == tokDown) && (out == nil || m.at > out.at) {
				out = m
			}
		}
	}
	return out
}

// sideFromMentions takes the token that heads the prompt, or the only one, as
// what is bought.
func (f *finisher) sideFromMentions() {
	var up, down, head *mention
	for k := range f.lone {
		m := &f.lone[k]
		switch m.tok {
		case tokUp:
			if up == nil {
				up = m
			}
		case tokDown:
			if down == nil {
				down = m
			}
		default:
			continue
		}
		if m.head && head == nil {
			head = m
		}
	}
	switch {
	case up == nil && down == nil:
		f.noSide()
	case up != nil && down != nil:
		other := down
		if head != nil && head.tok == tokDown {
			other = up
		}
		if head == nil || !f.onlyBehindIf(other.tok) || f.emptyBuy || f.pronBuy() {
			if up.at > down.at {
				up, down = down, up
			}
			f.clash(up.span, down.span, "which of them is bought? say \"buy Up\" or \"buy Down\"")
			return
		}
		f.s.Side = sideOf(head.tok)
	default:
		m := up
		if m == nil {
			m = down
		}
		if (f.emptyBuy || head == nil) && !f.pronBuy() {
			for k := range f.conds {
				if c := &f.conds[k]; !c.isTime && c.how == howHeld && c.typ == strategy.Price {
					f.clash(m.span, c.span, "what is bought? say \"buy Up\" or \"buy Down\"")
					return
				}
			}
		}
		f.s.Side = sideOf(m.tok)
		f.assume(fieldSide, string(f.s.Side), "the only token named is the one bought")
	}
}

// onlyBehindIf reports whether a token is named as the subject of conditions
// behind if, when, while alone.
func (f *finisher) onlyBehindIf(tok int16) bool {
	for _, m := range f.lone {
		if m.tok == tok && m.head {
			return false
		}
	}
	return true
}

func (f *finisher) pronBuy() bool {
	for _, m := range f.buys {
		if m.pron {
			return true
		}
	}
	return false
}

func (f *finisher) noSide() {
	switch {
	case f.prohibitions > 0 || len(f.nots) > 0:
		at := 0
		if len(f.nots) > 0 {
			at = f.nots[0].at
		}
		r := refuse(CodeBadRequest, "a prompt that only forbids gives no strategy; say what to buy, such as \"Buy Up when Up is below 35c\"")
		if len(f.nots) > 0 {
			r.Phrases = []Span{f.span(at, at+1)}
		}
		f.fail(r)
	case len(f.conds) == 0 && len(f.exits) == 0 && f.purchases == 0 && f.coin == nil:
		f.fail(refuse(CodeBadRequest, "there is no strategy in this; say, for example, \"Buy Up on BTC 15m when Up is below 35c, take profit at 55c\""))
	default:
		f.fail(refuse(CodeBadRequest, "the side is missing; say \"buy Up\", \"buy Down\" or \"buy either side\""))
	}
}

// sideEither recognises "Up below 35c or Down below 35c": the same conditions
// on each token, of which the first that meets them is bought.
func (f *finisher) sideEither() bool {
	if len(f.any) != 2 {
		return false
	}
	for _, m := range f.buys {
		if m.tok == tokHeld || m.tok == tokOther {
			return false
		}
	}
	for _, c := range f.entry {
		if !f.conds[c].isTime && f.conds[c].how != howHeld {
			return false
		}
	}
	first := f.soleToken(f.any[0])
	second := f.soleToken(f.any[1])
	if first == tokNone || second == tokNone || first == second {
		return false
	}
	explicit := map[int16]bool{}
	for _, m := range f.buys {
		if m.tok == tokUp || m.tok == tokDown {
			explicit[m.tok] = true
		}
	}
	if len(explicit) == 2 && !f.orBuys {
		return false
	}
	for _, g := range f.any {
		for _, c := range g {
			if len(explicit) == 1 && f.conds[c].inIf {
				return false
			}
		}
	}
	if len(f.any[0]) != len(f.any[1]) && len(explicit) > 0 {
		f.clash(f.conds[f.any[0][0]].span, f.conds[f.any[1][0]].span, "each side with a condition of its own; a strategy buys one side, or either on the same condition")
		return true
	}
	for k := range min(len(f.any[0]), len(f.any[1])) {
		a, b := f.conds[f.any[0][k]], f.conds[f.any[1][k]]
		if a.typ != b.typ || a.cmp != b.cmp || a.n != b.n || a.win != b.win || a.at != b.at {
			if len(explicit) > 0 {
				f.clash(a.span, b.span, "each side with a condition of its own; a strategy buys one side, or either on the same condition")
				return true
			}
			return false
		}
	}
	if len(f.any[0]) != len(f.any[1]) {
		return false
	}
	f.s.Side = strategy.Either
	for k, c := range f.any[0] {
		f.conds[c].tok, f.conds[c].how = tokHeld, howHeld
		f.conds[f.any[1][k]].tok, f.conds[f.any[1][k]].how = tokHeld, howHeld
	}
	f.entry = append(f.entry, f.any[0]...)
	f.any, f.either = nil, true
	f.assume(fieldSide, "either", "the same is said of Up and of Down: the first to meet it is bought")
	return true
}

// soleToken returns the token that every condition of a list names; tokNone:
// none, or not one only.
func (f *finisher) soleToken(list []int) int16 {
	tok := int16(tokNone)
	for _, k := range list {
		c := &f.conds[k]
		if c.isTime {
			continue
		}
		if c.tok != tokUp && c.tok != tokDown || tok != tokNone && c.tok != tok {
			return tokNone
		}
		tok = c.tok
	}
	return tok
}

// checkMentions refuses what contradicts the side.
func (f *finisher) checkMentions() {
	for _, m := range f.nots {
		if f.s.Side == strategy.Either {
			f.bad(m.at, m.at+1, "either side, or not this one? say one")
			return
		}
		same := sideOf(m.tok) == f.s.Side && m.tok != tokOther
		prev := f.spokenBefore(m.at)
		switch {
		case m.head: // of a clause that forbids, with or without conditions
			if !same && f.condsAt(m.at) {
				f.bad(m.at, m.at+1, "when not to buy the other side changes nothing; leave it out")
				return
			}
			if same && !f.condsAt(m.at) {
				f.bad(m.at, m.at+1, "to buy it or not? say one")
				return
			}
		case same && (prev == nil || prev.tok == m.tok):
			f.bad(m.at, m.at+1, "to buy it or not? say one")
			return
		}
	}
	for _, h := range f.hints {
		if f.s.Side == strategy.Either || sideOf(h.tok) != f.s.Side {
			f.bad(h.at, h.at+1, "this points the other way than the side that is bought")
			return
		}
	}
	for _, a := range f.draft.exits {
		if a.tok != tokNone && a.tok != tokHeld && (f.s.Side == strategy.Either || sideOf(a.tok) != f.s.Side) {
			f.fail(refuseSpan(CodeBadRequest, a.span, "exits are judged on the token that is held; give its own price"))
			return
		}
	}
}

// condsAt reports whether a condition stands behind lexeme at in its clause.
func (f *finisher) condsAt(at int) bool {
	for k := range f.conds {
		if f.conds[k].from >= at && f.sameSentence(at, f.conds[k].from) {
			return true
		}
	}
	return false
}

func (f *finisher) sameSentence(a, b int) bool {
	for k := a; k < b; k++ {
		switch f.kind(k) {
		case kStop, kComma, kBut:
			return false
		}
	}
	return true
}

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
func (f *finisher) seconds(t tval, span Span) (strategy.Number, bool) {
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
			if x.typ != y.typ || x.isTime != y.isTime || x.win != y.win {
				continue
			}
			s, t := f.s.Entry[i], f.s.Entry[f.indexOf(b)]
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
	for _, path := range []string{e.Field, e.Other} {
		if s, ok := f.phraseOf(path); ok && (len(r.Phrases) == 0 || r.Phrases[0] != s) {
			r.Phrases = append(r.Phrases, s)
		}
	}
	if len(r.Phrases) == 2 && r.Phrases[0].Start > r.Phrases[1].Start {
		r.Phrases[0], r.Phrases[1] = r.Phrases[1], r.Phrases[0]
	}
	text := ""
	for i, s := range r.Phrases {
		if i > 0 {
			text += " and "
		}
		text += "\"" + s.Text + "\""
	}
	if text != "" {
		r.Message = text + ": " + e.Message
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
