package parser

import (
	"fmt"

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
	m := mention{tok: tok, span: p.span(i, i+1), at: i, head: !p.inIf && p.term.qty == qNone}
	if p.forbids && !p.unpaid {
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

// aloneHere reports whether Up or Down at i is a clause of its own, and so what
// is bought: "up, down ask under 20c".
func (p *parser) aloneHere(i int, tok int16) bool {
	if tok != tokUp && tok != tokDown || p.inIf || len(p.buys) > 0 || i > 0 && !p.isBreak(i-1) || p.term.qty != qNone {
		return false
	}
	j := i + 1
	if p.kind(j) == kSide {
		j++
	}
	switch p.kind(j) {
	case kComma, kStop, kSoft, kEOF:
	default:
		return false
	}
	return !(p.otherToken(j+1, tok) && p.isBreak(j+2)) && p.kind(j+1) != kOr
}

// skipSide moves over "side", "token" behind Up or Down.
func (p *parser) skipSide() {
	if p.kind(p.i) == kSide && p.kind(p.i+1) != kColon {
		p.i++
	}
}

// attach gives the condition just read its token: "imbalance above 0.6 on the
// Up side".
func (p *parser) attach(tok int16) bool {
	if !p.is(p.i-1, "on", "for", "of", "in") || !p.ell.ok || p.ell.cond < 0 || p.ell.crossed || p.term.qty != qNone {
		return false
	}
	c := &p.conds[p.ell.cond]
	if c.to != p.i-1 || c.isTime || c.how == howNamed && c.tok != tok {
		return false
	}
	for k := range p.conds {
		if o := &p.conds[k]; o.from == c.from && !o.isTime {
			o.tok, o.how = tok, howNamed
		}
	}
	p.ell.tok = tok
	p.lastTok = tok
	p.lone = append(p.lone, mention{tok: tok, span: p.span(p.i, p.i+1), at: p.i})
	p.take(p.i+1, fieldCond+fieldID(p.ell.cond))
	p.skipSide()
	return true
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

// endsPrice reports whether nothing that changes the meaning of a price stands
// behind it at i.
func (p *parser) endsPrice(i int) bool {
	switch p.kind(i) {
	case kTP, kSL, kSell, kTrail, kHold, kBudget, kSample, kBuy, kFirst, kLast, kPost:
		return true
	case kVal:
		return p.x(i).v.unit == uDollar && p.x(i).v.n >= micro
	}
	return p.isBreak(i)
}

// changeNoun reads "a 10c drop in the last minute", "after a drop of 10c in 2
// minutes".
func (p *parser) changeNoun() bool {
	i := p.i
	if p.is(i, "after") {
		i++
	}
	if x := p.x(i); x.kind == kMove && i > p.i {
		r := p.readPredicate(i)
		if r.n == 0 || r.kind != predChange || !r.hasWin || r.fault != "" {
			return false
		}
		p.begin()
		return p.add(r, p.term.from, i+r.n)
	}
	at, c := i, cmpNone
	if p.kind(at) == kCmp {
		if w := p.x(at).w; w != "more than" && w != "at least" {
			return false
		}
		c = p.x(at).sub
		at++
	}
	verb := p.x(at + 1)
	if p.kind(at) != kVal || p.x(at).v.unit != uCent && p.x(at).v.unit != uNone || verb.kind != kMove || verb.sub != moveUp && verb.sub != moveDown {
		return false
	}
	t, n := p.window(at + 2)
	if n == 0 {
		return false
	}
	if c == cmpNone {
		c = cmpGTE
	}
	p.begin()
	return p.add(predicate{kind: predChange, cmp: c, up: verb.sub == moveUp, at: at, win: t, hasWin: true}, p.term.from, at+2+n)
}

// valueFirstLevel reads "30c < Up": the comparison turned round. What stands
// behind the token may go on with it: "30c < Up < 40c".
func (p *parser) valueFirstLevel() bool {
	i := p.i
	if p.kind(i) != kVal || p.kind(i+1) != kCmp || p.kind(i+2) != kTok || p.x(i+2).sub == tokHeld || p.term.tok != tokNone || p.term.qty != qNone || p.kind(i-1) == kTok {
		return false
	}
	switch w := p.words(i+1, i+2); w {
	case "<", "<=", ">", ">=", "≤", "≥":
	default:
		return false
	}
	if len(p.buys) == 0 && !p.inIf && p.buying {
		return false
	}
	p.begin()
	p.term.tok = p.x(i + 2).sub
	p.lastTok = p.term.tok
	p.lone = append(p.lone, mention{tok: p.term.tok, span: p.span(i+2, i+3), at: i + 2, head: !p.inIf})
	if !p.add(predicate{kind: predLevel, cmp: mirroredCmp(p.x(i + 1).sub), at: i}, p.term.from, i+2) {
		return p.err != nil
	}
	p.push(elem{kind: eAnd, at: i + 2})
	return true
}

// valueThenSpread reads "2c spread or less", "2c or less spread", "max 3c
// spread".
func (p *parser) valueThenSpread() bool {
	i, c := p.i, cmpNone
	at := i
	if p.kind(at) == kCmp {
		c = p.x(at).sub
		at++
	}
	if p.kind(at) != kVal || p.term.qty != qNone {
		return false
	}
	if u := p.x(at).v.unit; u != uCent && u != uNone && u != uDollar {
		return false
	}
	j := at + 1
	if p.kind(j) == kPost && c == cmpNone {
		c = p.x(j).sub
		j++
	}
	if p.is(j, "of") {
		j++
	}
	if p.kind(j) != kQty || p.x(j).sub != qSpread {
		return false
	}
	q := p.x(j).sub
	j++
	if p.kind(j) == kPost && c == cmpNone {
		c = p.x(j).sub
		j++
	}
	if p.kind(j) == kCmp && c == cmpNone && (p.x(j).w == "at most" || p.x(j).w == "at least") && p.kind(j+1) != kVal {
		c = p.x(j).sub
		j++
	}
	if c == cmpNone {
		return p.bad(i, j, "at least or at most? say \"spread is at most %s\"", p.words(at, at+1))
	}
	p.begin()
	p.term.qty = q
	return p.add(predicate{kind: predLevel, cmp: c, at: at}, p.term.from, j)
}

// limitFirst reads "max spread 3c", "min ask depth $500".
func (p *parser) limitFirst() bool {
	i := p.i
	if p.kind(i) != kCmp || p.kind(i+1) != kQty && p.kind(i+1) != kEntryCue {
		return false
	}
	c := p.x(i)
	if c.w != "at most" && c.w != "at least" || p.term.qty != qNone {
		return false
	}
	at := i + 2
	for p.is(at, "of", "at", "for") || p.kind(at) == kColon || p.kind(at) == kEq || p.kind(at) == kBe {
		at++
	}
	if p.kind(at) != kVal || p.kind(at+1) == kPost {
		return false
	}
	p.begin()
	p.term.qty = qPrice
	if p.kind(i+1) == kQty {
		p.term.qty = p.x(i + 1).sub
	}
	end := at + 1
	if q := p.x(end); p.term.qty == qDepth && q.kind == kQty && (q.sub == qAskDepth || q.sub == qBidDepth) {
		p.term.qty = q.sub
		end++
	}
	return p.add(predicate{kind: predLevel, cmp: c.sub, at: at}, p.term.from, end)
}

// add makes the condition of a predicate read from [from, to).
func (p *parser) add(r predicate, from, to int) bool {
	c := cond{span: p.span(from, to), from: from, to: to, buys: p.purchases, inIf: p.inIf || p.ifList}
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
	c := cond{typ: strategy.TimeElapsed, isTime: true, at: b.at, cmp: comparatorOf(b.cmp), span: p.span(from, to), from: from, to: to, buys: p.purchases}
	if b.remaining {
		c.typ = strategy.TimeRemaining
	}
	if n := len(p.conds); n > 0 && p.conds[n-1].from == from && p.conds[n-1].isTime {
		p.push(elem{kind: eAnd, at: from})
	}
	p.addCond(c)
	p.mark(from, to, fieldCond+fieldID(len(p.conds)-1))
}

var typeOfQty = map[qty]strategy.Type{
	qPrice: strategy.Price, qAsk: strategy.BestAsk, qBid: strategy.BestBid, qSpread: strategy.Spread,
	qAskDepth: strategy.AskDepth, qBidDepth: strategy.BidDepth, qImbalance: strategy.Imbalance, qRatio: strategy.Imbalance,
}

// addLevel adds a comparison of a level.
func (p *parser) addLevel(c cond, r predicate, q qty, not bool) bool {
	if q == qDepth {
		p.bad(c.from, c.to, "depth of which side? say \"ask depth\" or \"bid depth\"")
		return false
	}
	c.typ = typeOfQty[q]
	k := len(p.conds)
	if r.kind == predRange {
		return p.addRange(c, r, q, not)
	}
	n, why, ok := p.amount(r.at, q, c.from, c.to)
	if !ok {
		return false
	}
	c.n = n
	switch r.kind {
	case predLevel:
		c.cmp = comparatorOf(flip(r.cmp, not))
		if p.x(r.at+1).kind == kPost && p.x(r.at+1).w == "or better" && q != qPrice && q != qAsk {
			p.bad(c.from, c.to, "better which way? say \"or less\" or \"or more\"")
			return false
		}
	case predCross:
		if not {
			p.bad(c.from, c.to, "a crossing that does not happen cannot be a condition; say \"above\" or \"below\"")
			return false
		}
		c.cmp = strategy.CrossesBelow
		if r.up {
			c.cmp = strategy.CrossesAbove
		}
	case predHit:
		if q != qPrice && q != qAsk && q != qBid {
			p.bad(c.from, c.to, "this does not say from which side; say \"at least\" or \"at most\"")
			return false
		}
		at := cmpLTE
		if n >= strategy.One/2 {
			at = cmpGTE
		}
		c.cmp = comparatorOf(flip(at, not))
		p.assume(fieldCond+fieldID(k), string(c.cmp), "a price that is reached is read as at least it from 0.50 on, else as at most it")
	case predAt:
		if q == qBid && c.how != howNamed && !r.verb {
			p.bad(c.from, c.to, "%s", reasons[whyLimit])
			return false
		}
		if not || q != qPrice && q != qAsk && q != qBid {
			p.bad(c.from, c.to, "a value without a comparator; say \"at most\", \"at least\", \"below\" or \"above\"")
			return false
		}
		c.cmp = strategy.LTE
		p.assume(fieldCond+fieldID(k), "lte", "a price without a comparator is read as at most it")
	}
	if why != "" {
		p.assume(fieldCond+fieldID(k), n.String(), why)
	}
	p.addCond(c)
	return true
}

func flip(c comparison, not bool) comparison {
	if not {
		return negated(c)
	}
	return c
}

// addRange adds both bounds of a range.
func (p *parser) addRange(c cond, r predicate, q qty, not bool) bool {
	if not {
		p.bad(c.from, c.to, "outside a range cannot be read; say \"below … or above …\"")
		return false
	}
	lo, hi, why, ok := p.rangeOf(r, q, c.from, c.to)
	if !ok {
		return false
	}
	k := len(p.conds)
	c.n, c.cmp = lo, strategy.GTE
	p.addCond(c)
	p.push(elem{kind: eAnd, at: c.from})
	c.n, c.cmp = hi, strategy.LTE
	p.addCond(c)
	if why != "" {
		p.assume(fieldCond+fieldID(k), lo.String(), why)
		p.assume(fieldCond+fieldID(k+1), hi.String(), why)
	}
	return true
}

// rangeOf reads the ends of a range.
func (p *parser) rangeOf(r predicate, q qty, from, to int) (lo, hi strategy.Number, why string, ok bool) {
	v := p.x(r.at).v
	if v.unit == uDecade {
		if v.sub != 0 {
			p.bad(from, to, "which prices? say \"between 40c and 43c\"")
			return 0, 0, "", false
		}
		lo = number(v.n / 100)
		hi = lo + strategy.Cents(9)
		if r.hi != r.at {
			w := p.x(r.hi).v
			if w.unit != uDecade {
				p.bad(from, to, "the ends of this range are of two kinds")
				return 0, 0, "", false
			}
			hi = number(w.n/100) + strategy.Cents(9)
		}
		return lo, hi, fmt.Sprintf("%s is read as %s to %s", p.words(r.at, r.at+1), lo, hi), true
	}
	// A first number without a unit takes that of the second.
	first, second := p.x(r.at), p.x(r.hi)
	saved := first.v
	if first.v.unit == uNone && second.v.unit == uCent {
		first.v.unit = uCent
	}
	if first.v.unit == uCent && second.v.unit == uNone && second.v.n >= 2*micro {
		second.v.unit = uCent
	}
	if first.v.unit == uDollar && second.v.unit == uNone && second.v.n < micro {
		second.v.unit = uDollar
	}
	lo, why, ok = p.amount(r.at, q, from, to)
	first.v = saved
	if !ok {
		return
	}
	hi, why2, ok := p.amount(r.hi, q, from, to)
	if why2 != "" {
		why = why2
	}
	if lo > hi {
		lo, hi = hi, lo
	}
	return lo, hi, why, ok
}

// addChange adds a move within a look-back.
func (p *parser) addChange(c cond, r predicate, q qty, not bool) bool {
	if q != qPrice && q != qChange {
		p.bad(c.from, c.to, "only the price's own change can be compared; say \"price\"")
		return false
	}
	win := r.win
	if !r.hasWin {
		if !p.term.hasWin {
			p.bad(c.from, c.to, "a change needs the time in which it happens; say \"in the last 2 minutes\"")
			return false
		}
		win = p.term.win
	} else if p.term.hasWin {
		p.bad(c.from, c.to, "two look-backs for one change")
		return false
	}
	if win.n%micro != 0 || win.n < micro {
		p.bad(c.from, c.to, "a look-back is whole seconds, at least 1")
		return false
	}
	n, why, ok := p.amount(r.at, qChange, c.from, c.to)
	if !ok {
		return false
	}
	c.typ, c.win = strategy.PriceChange, win
	k := len(p.conds)
	if why != "" {
		p.assume(fieldCond+fieldID(k), n.String(), why)
	}
	switch r.kind {
	case predStill:
		if !not {
			p.bad(c.from, c.to, "a move either way cannot be read; say \"risen by\" or \"fallen by\"")
			return false
		}
		lower, upper := strategy.GTE, strategy.LTE
		if r.cmp == cmpGTE {
			lower, upper = strategy.GT, strategy.LT
		}
		c.n, c.cmp = -n, lower
		p.addCond(c)
		p.push(elem{kind: eAnd, at: c.from})
		c.n, c.cmp = n, upper
	case predChange:
		at := r.cmp
		if c.n = n; !r.up {
			c.n, at = -n, mirroredCmp(at)
		}
		c.cmp = comparatorOf(flip(at, not))
	case predLevel:
		c.n, c.cmp = n, comparatorOf(flip(r.cmp, not))
	default:
		p.bad(c.from, c.to, "a change is compared with \"below\", \"above\", \"at most\" or \"at least\"")
		return false
	}
	p.addCond(c)
	return true
}

// mirroredCmp turns a comparison of a number into one of its negative.
func mirroredCmp(c comparison) comparison {
	switch c {
	case cmpLT:
		return cmpGT
	case cmpLTE:
		return cmpGTE
	case cmpGT:
		return cmpLT
	}
	return cmpLTE
}
