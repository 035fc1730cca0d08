package parser

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
	both := p.otherToken(j+1, tok) && p.isBreak(j+2)
	return !both && p.kind(j+1) != kOr
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
