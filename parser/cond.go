package parser

import (
	"github.com/ladderback/ladderback/strategy"
)

// condition reads the parts of a condition: what is compared, and the
// predicate that ends it.
func (p *parser) condition() bool {
	x := p.x(p.i)
	switch x.kind {
	case kTok:
		if p.isDirection(p.i) {
			return false
		}
		return p.subject(x.sub)
	case kOther:
		return p.subject(tokOther)
	case kEither:
		return p.either()
	case kFav:
		return p.favorite()
	case kPron:
		return p.pronoun()
	case kHigher:
		if p.assert() {
			return true
		}
		return p.higher()
	case kQty:
		return p.quantity()
	case kCanBuy:
		p.begin()
		p.term.qty = qAsk
		if x.sub == tokDown {
			p.term.qty = qBid
		}
		p.i++
		return true
	case kPay:
		p.begin()
		p.term.qty = qAsk
		p.i++
		return true
	case kEntryCue, kEntryRef:
		if p.kind(p.i+1) == kColon || p.kind(p.i+1) == kEq {
			switch lower(p.words(p.i, p.i+1)) {
			case "condition", "conditions", "entry condition", "entry conditions", "trigger", "entry trigger", "criteria", "entry criteria", "buy condition":
				p.inIf, p.ifList = true, true
			}
		}
		p.term = term{from: -1}
		p.ell = ellipsis{tok: tokHeld, ok: true, cond: -1}
		p.i++
		return true
	case kWord:
		if x.w == "no" {
			return p.no()
		}
		if x.w == "after" && p.changeNoun() {
			return true
		}
		if p.overWindow() {
			return true
		}
		if p.changeWindow() {
			return true
		}
		if x.w == "between" || x.w == "in" || x.w == "at" || x.w == "for" || x.w == "to" || x.w == "from" {
			return p.assert()
		}
		return false
	case kCmp, kBe, kNot, kMove, kCross, kVal, kHold, kLeft, kLoss:
		if p.limitFirst() || p.valueThenSpread() || p.changeNoun() || p.valueFirstLevel() {
			return true
		}
		if p.clockQuantity() {
			return true
		}
		if x.kind == kCmp && x.w == "over" && p.overWindow() {
			return true
		}
		return p.assert()
	}
	return false
}

// begin notes where the condition at hand begins.
func (p *parser) begin() {
	if p.term.from < 0 {
		p.term.from = p.i
	}
}

// subject reads the token at hand as what the condition is about, or as what
// is bought.
func (p *parser) subject(tok int16) bool {
	i := p.i
	if p.buying && !p.inIf && !p.forbids {
		return p.bought(tok, i)
	}
	m := mention{tok: tok, span: p.span(i, i+1), at: i, head: !p.inIf && p.term.qty == qNone, forbids: p.forbids}
	if p.forbids && !p.unpaid && (!p.inIf || !p.conditionOf(i)) {
		p.nots = append(p.nots, m)
		p.lastTok = tok
		p.begin()
		p.term.tok = tok
		p.i++
		p.skipSide()
		return true
	}
	if p.attach(tok) {
		return true
	}
	if p.kind(i+1) == kOr && p.otherToken(i+2, tok) && p.x(i+1).glued && p.x(i+2).glued {
		p.i = i + 3 // the up-or-down market
		return true
	}
	if p.kind(i+1) == kOr && p.otherToken(i+2, tok) && (p.ownPredicate(i+3) || p.kind(i+3) == kEither || p.kind(i+3) == kComma && p.kind(i+4) == kEither) && !p.forbids {
		// "if Up or Down drops below 30c": either
		p.buys = append(p.buys, mention{tok: tokHeld, span: p.span(i, i+3), at: i})
		p.begin()
		p.term.tok, p.lastTok = tokHeld, tokHeld
		p.take(i+3, fieldSide)
		p.skipSide()
		return true
	}
	if p.term.tok != tokNone && p.term.tok != tok && p.is(i-1, "with") && p.term.qty == qNone {
		p.term = term{from: -1}
		p.inIf = true
	}
	if p.aloneHere(i, tok) {
		p.bought(tok, i)
		if n := len(p.buys); n > 0 {
			p.buys[n-1].head = true
		}
		return true
	}
	if p.term.tok != tokNone && p.term.tok != tok && p.term.tok != tokPron {
		return p.clash(p.span(p.term.from, p.term.from+1), m.span, "two tokens and one condition; say which one it is about")
	}
	p.lone = append(p.lone, m)
	p.begin()
	p.term.tok = tok
	p.lastTok = tok
	p.x(i).field = fieldSide
	p.i++
	p.skipSide()
	return true
}

// conditionOf reports whether something is said of the token at i: "Up's spread
// is over 3c", "Up is above 60c".
func (p *parser) conditionOf(i int) bool {
	j := i + 1
	if p.kind(j) == kSide || p.kind(j) == kBe && p.kind(j+1) == kQty {
		j++
	}
	return p.kind(j) == kQty || p.readPredicate(j).n > 0
}

// pronoun reads "it" as the subject of a condition.
func (p *parser) pronoun() bool {
	if p.buying && !p.inIf {
		p.buying = false
		p.buys = append(p.buys, mention{tok: tokPron, span: p.span(p.i, p.i+1), at: p.i, pron: true})
		p.take(p.i+1, fieldSide)
		p.term = term{from: -1}
		p.ell = ellipsis{tok: tokPron, ok: true, cond: -1}
		return true
	}
	p.begin()
	if p.term.tok == tokNone {
		p.term.tok = tokPron
	}
	p.i++
	return true
}

// quantity reads what is compared.
func (p *parser) quantity() bool {
	x := p.x(p.i)
	if p.kind(p.i+1) == kBudget && p.x(p.i+1).w == "budget" && !p.isBreak(p.i+1) && p.i+2 < len(p.sig) && p.kind(p.i+2) == kCmp {
		return p.bad(p.i, p.i+2, "the size at the best price cannot be compared; say \"ask depth\" or \"bid depth\" in dollars")
	}
	if p.term.qty != qNone && p.term.qty != x.sub {
		switch {
		case x.sub == qPrice && (p.term.qty == qAsk || p.term.qty == qBid):
			p.i++ // the ask's price
			return true
		case p.term.qty == qPrice && (x.sub == qAsk || x.sub == qBid):
		case p.term.qty == qAsk && x.sub == qAsk:
		default:
			return p.bad(p.i-1, p.i+1, "two things to compare and one value; say each with its own value")
		}
	}
	p.begin()
	p.term.qty = x.sub
	p.i++
	return true
}

// changeWindow reads the look-back of "price change in 5 minutes is below -10c".
func (p *parser) changeWindow() bool {
	if p.term.qty != qChange || p.term.hasWin {
		return false
	}
	t, n := p.window(p.i)
	if n == 0 {
		return false
	}
	p.term.win, p.term.hasWin = t, true
	p.i += n
	return true
}

// assert reads a predicate and adds the condition that it makes.
func (p *parser) assert() bool {
	i := p.i
	r := p.readPredicate(i)
	if r.n == 0 {
		return false
	}
	if r.fault != "" {
		return p.bad(i, i+r.n, "%s", r.fault)
	}
	if r.kind == predAt && !p.anchored(i, r) {
		return false
	}
	if v := p.x(i).v; r.kind == predLevel && p.kind(i) == kVal && v.unit == uNone && v.n >= micro && p.term.qty == qNone && !p.anchored(i, r) {
		return false
	}
	from := i
	if p.term.from >= 0 {
		from = p.term.from
	}
	if p.sold == from && p.soldVerb {
		return p.bad(from, i+r.n, "an exit with a condition of its own cannot be said; give a price or a time to sell at")
	}
	return p.add(r, from, i+r.n)
}

// anchored reports whether a value without a comparator is the price at which
// to buy: behind at, for, a token, a verb of being, "price" or "entry".
func (p *parser) anchored(i int, r predicate) bool {
	if r.at > i || r.verb {
		return true
	}
	switch p.kind(i - 1) {
	case kTok, kQty, kEntryCue, kEntryRef, kPay, kFav, kEither, kOther, kSide:
		return true
	case kPron:
		return p.kind(i-2) == kBuy || p.kind(i-2) == kPay
	case kWord:
		return p.is(i-1, "at", "for") || p.is(i-1, "of") && p.kind(i-2) == kQty
	case kColon, kEq:
		return p.kind(i-2) == kEntryCue || p.kind(i-2) == kTok || p.kind(i-2) == kQty
	case kCoin, kRound, kLenWord:
		v := p.x(i).v
		return (v.unit == uCent || v.unit == uNone && v.n > 0 && v.n < micro) && len(p.conds) == 0 && (len(p.buys) > 0 || len(p.lone) > 0) && p.endsPrice(i+1)
	case kVal:
		v := p.x(i).v
		return p.x(i-1).field == fieldType && (v.unit == uCent || v.unit == uNone && v.n > 0 && v.n < micro) && len(p.conds) == 0 && (len(p.buys) > 0 || len(p.lone) > 0) && p.endsPrice(i+1)
	case kBuy:
		v := p.x(i).v
		return v.unit == uCent || v.unit == uDollar && v.n < micro
	case kComma:
		// "Buy Up, 35c, …": a price of its own between commas.
		v := p.x(i).v
		return (v.unit == uCent || v.unit == uNone && v.n < micro && v.n > 0) && p.kind(i-2) == kTok && len(p.conds) == 0 && p.isBreak(i+1)
	case kStop:
		v := p.x(i).v
		return v.unit == uCent && p.kind(i-2) == kTok && len(p.conds) == 0 && p.isBreak(i+1) && len(p.exits) == 0
	}
	return false
}

// add makes the condition of a predicate read from [from, to).
func (p *parser) add(r predicate, from, to int) bool {
	c := cond{span: p.span(from, to), from: from, to: to, buys: p.purchases, inIf: p.inIf || p.ifList}
	c.not = r.not
	for k := from; k < r.at; k++ {
		c.moved = c.moved || p.kind(k) == kMove && p.x(k).w != "trade"
	}
	q := p.term.qty
	bare := p.term.tok == tokNone && q == qNone
	switch {
	case p.term.tok == tokPron:
		c.tok, c.how = p.lastTok, howPron
	case p.term.tok != tokNone:
		c.tok, c.how = p.term.tok, howNamed
	case bare && p.ell.ok:
		c.tok, c.how, c.crossed = p.ell.tok, howEllipsis, p.ell.crossed
		if p.ell.cond >= 0 && !p.ell.crossed {
			q = p.ell.qty
		}
		if c.tok == tokPron {
			c.tok, c.how = p.lastTok, howPron
		}
	default:
		c.tok, c.how = tokHeld, howHeld
	}
	if m := p.otherBought(&c); m != nil {
		return p.clash(m.span, c.span, "both sides, or a condition? say \"buy Up when Down is …\"")
	}
	if q == qNone {
		q = qPrice
		if (p.is(r.at-1, "for") || p.is(r.at-2, "for") && p.kind(r.at-1) == kCmp) && !p.inIf {
			q = qAsk
		}
	}
	if n := len(p.conds); p.forbids && !p.unpaid && n > 0 && p.conds[n-1].isTime && p.conds[n-1].to == from {
		return p.bad(p.conds[n-1].from, to, "when to buy, or when not to? say each in a sentence of its own")
	}
	not := r.not != p.forbids
	var ok bool
	switch {
	case q == qChange || r.kind == predChange || r.kind == predStill:
		ok = p.addChange(c, r, q, not)
	case q == qElapsed || q == qRemaining:
		return false
	default:
		ok = p.addLevel(c, r, q, not)
	}
	if !ok {
		return p.err != nil
	}
	last := &p.conds[len(p.conds)-1]
	for k := from; k < to; k++ {
		p.x(k).field = fieldCond + fieldID(len(p.conds)-1)
	}
	if p.unpaid {
		p.unpaid, p.forbids = false, false
	}
	p.ell = ellipsis{tok: last.tok, qty: q, ok: true, cond: len(p.conds) - 1}
	if last.how == howPron {
		p.ell.tok = tokPron
	}
	if last.how == howHeld {
		p.ell.tok = tokHeld
	}
	p.term = term{from: -1}
	p.i = to
	return true
}

// otherBought returns the purchase that a condition on the other token follows
// without an if: "buy Up below 40c and Down below 40c".
func (p *parser) otherBought(c *cond) *mention {
	if p.inIf || p.ifList && (p.kind(c.from-1) == kAnd || p.kind(c.from-1) == kOpenParen) || c.how != howNamed || c.tok != tokUp && c.tok != tokDown || p.forbids {
		return nil
	}
	for k := range p.buys {
		m := &p.buys[k]
		if m.head || m.tok != tokUp && m.tok != tokDown || m.tok == c.tok || p.is(c.from-1, "with") || p.kind(c.from-1) == kOr {
			continue
		}
		hard := false
		for j := m.at; j < c.from; j++ {
			hard = hard || p.kind(j) == kStop || p.kind(j) == kOpenParen || p.kind(j) == kBut
		}
		if !hard {
			return m
		}
	}
	return nil
}

// addCond adds a condition to the structure.
func (p *parser) addCond(c cond) {
	p.ifAt = -1
	p.soldComma = false
	p.conds = append(p.conds, c)
	p.push(elem{kind: eCond, cond: len(p.conds) - 1, at: c.from})
}

// addTime adds a bound on the clock.
func (p *parser) addTime(b bound, from, to int) {
	c := cond{typ: strategy.TimeElapsed, isTime: true, at: b.at, cmp: comparatorOf(b.cmp), span: p.span(from, to), from: from, to: to, buys: p.purchases, inIf: p.kind(from-1) == kIf}
	if b.remaining {
		c.typ = strategy.TimeRemaining
	}
	if n := len(p.conds); n > 0 && p.conds[n-1].from == from && p.conds[n-1].isTime {
		p.push(elem{kind: eAnd, at: from})
	}
	p.addCond(c)
	p.mark(from, to, fieldCond+fieldID(len(p.conds)-1))
}
