package parser

import (
	"fmt"

	"github.com/ladderback/ladderback/strategy"
)

// depth reads a depth of which the size comes first: at least $500 of depth on
// the ask.
func (p *parser) depth() bool {
	i := p.i
	j := i
	for p.is(j, "with") || p.kind(j) == kBe || p.kind(j) == kNot {
		j++
	}
	not := false
	for k := i; k < j; k++ {
		not = not != (p.kind(k) == kNot)
	}
	c := cmpNone
	if p.kind(j) == kCmp {
		c = p.x(j).sub
		j++
	}
	v := p.x(j)
	if v.kind != kVal || v.v.unit != uDollar && v.v.unit != uNone && v.v.unit != uShare {
		return false
	}
	at := j
	j++
	if p.kind(j) == kPost && c == cmpNone {
		c = p.x(j).sub
		j++
	}
	if p.is(j, "of", "in") {
		j++
	}
	x := p.x(j)
	if x.kind != kQty || x.sub != qAskDepth && x.sub != qBidDepth && x.sub != qDepth {
		return false
	}
	q := x.sub
	j++
	if p.kind(j) == kQty && q == qDepth && (p.x(j).sub == qAskDepth || p.x(j).sub == qBidDepth) {
		q = p.x(j).sub
		j++
	}
	if q == qDepth && p.term.qty != qNone {
		q = p.term.qty
	}
	if v.v.unit == uNone && x.w != "depth" && c == cmpNone {
		return false
	}
	if p.term.qty != qNone && p.term.qty != qDepth && p.term.qty != q {
		return false
	}
	if c == cmpNone && p.needed(i) {
		c = cmpGTE
	}
	if n := len(p.conds); c == cmpNone && p.kind(i-1) == kAnd && n > 0 && p.conds[n-1].to == i-1 && !p.forbids {
		switch last := p.conds[n-1]; {
		case last.typ != strategy.AskDepth && last.typ != strategy.BidDepth:
		case last.cmp == strategy.GTE: // "at least $300 on the ask and $300 on the bid"
			c = cmpGTE
		case last.cmp == strategy.GT:
			c = cmpGT
		}
	}
	if c == cmpNone {
		return p.bad(i, j, "at least or at most? say \"at least %s\"", p.words(at, at+1))
	}
	if q == qDepth {
		return p.bad(i, j, "depth of which side? say \"on the ask\" or \"on the bid\"")
	}
	from := i
	if p.term.from >= 0 {
		from = p.term.from
	}
	n, why, ok := p.dollars(v.v, from, j)
	if !ok {
		return true
	}
	c2 := cond{typ: typeOfQty[q], tok: tokHeld, cmp: comparatorOf(flip(c, not != p.forbids)), n: n, span: p.span(from, j), from: from, to: j, buys: p.purchases, inIf: p.inIf || p.ifList}
	if p.term.tok != tokNone {
		c2.tok, c2.how = p.term.tok, howNamed
		if p.term.tok == tokPron {
			c2.tok, c2.how = p.lastTok, howPron
		}
	}
	p.finishCond(c2, q, why)
	return true
}

// needed reports whether a word of needing stands right before lexeme i.
func (p *parser) needed(i int) bool {
	k := p.sig[i] - 1
	for k >= 0 && p.all[k].kind == kFill {
		switch p.all[k].w {
		case "need", "needs", "require", "requires", "requiring", "needed", "must have", "have to have":
			return true
		}
		k--
	}
	return false
}

// finishCond adds a condition and moves behind it.
func (p *parser) finishCond(c cond, q qty, why string) {
	k := len(p.conds)
	if why != "" {
		p.assume(fieldCond+fieldID(k), c.n.String(), why)
	}
	p.addCond(c)
	p.mark(c.from, c.to, fieldCond+fieldID(k))
	p.ell = ellipsis{tok: c.tok, qty: q, ok: true, cond: k}
	if c.how == howPron {
		p.ell.tok = tokPron
	}
	p.term = term{from: -1}
	p.i = c.to
}

// bookSide reports whether a quantity is the bids (1) or the asks (-1) of the
// book, 0: neither.
func bookSide(x *lexeme) int {
	if x.kind != kQty {
		return 0
	}
	switch x.sub {
	case qBid, qBidDepth:
		return 1
	case qAsk, qAskDepth:
		return -1
	}
	return 0
}

// ratio reads bids against asks: bids twice the asks, bid depth more than 2x
// the ask depth, twice as many bids as asks, more bids than asks.
func (p *parser) ratio() bool {
	i, j := p.i, p.i
	for p.is(j, "with") || p.kind(j) == kBe && bookSide(p.x(j+1)) == 0 {
		j++
	}
	first := 0
	if first = bookSide(p.x(j)); first != 0 {
		j++
	}
	c, strict := cmpNone, false
	r := int64(micro)
	times := false
	for p.kind(j) == kBe || p.kind(j) == kPron || p.is(j, "at", "by") {
		j++
	}
	if p.kind(j) == kCmp {
		c = p.x(j).sub
		j++
	}
	if p.is(j, "outweigh") && first != 0 {
		c, strict = cmpGT, true
		j++
		if p.kind(j) == kPron {
			j++
		}
	} else if p.is(j, "more") && first == 0 && c == cmpNone {
		c, strict = cmpGT, true
		j++
	} else if v := p.x(j); v.kind == kVal && v.v.unit == uTimes && v.v.n > 0 {
		r, times = v.v.n, true
		j++
	}
	if !times && !strict && c == cmpNone {
		return false
	}
	for p.is(j, "many", "of", "at", "with", "as") || p.kind(j) == kPron || p.is(j, "more") && times {
		if p.is(j, "more") {
			return false
		}
		j++
	}
	second := 0
	if first == 0 {
		if first = bookSide(p.x(j)); first == 0 {
			return false
		}
		j++
		if !p.is(j, "many", "than", "as", "to") {
			return false
		}
		j++
		for p.is(j, "many", "as", "than", "on") || p.kind(j) == kPron {
			j++
		}
	}
	if second = bookSide(p.x(j)); second == 0 || second == first {
		return false
	}
	depths := p.x(j).sub == qAskDepth || p.x(j).sub == qBidDepth
	plural := func(s string) bool { return len(s) > 1 && (s[len(s)-1] == 's' || s[len(s)-1] == 'S') }
	if !times && !depths && !plural(p.words(j, j+1)) {
		return p.bad(i, j+1, "prices or depths? say \"bid depth\" and \"ask depth\"")
	}
	j++
	if strict && !times {
		if k := j; p.is(k, "by") || p.kind(k) == kVal {
			if p.is(k, "by") {
				k++
			}
			v := p.x(k)
			switch {
			case v.kind == kVal && v.v.unit == uTimes && v.v.n > 0:
				r, c, times, j = v.v.n, cmpGTE, true, k+1
			case v.kind == kVal && v.v.unit == uNone && v.v.n > 0 && p.is(k+1, "to") && p.kind(k+2) == kVal && p.x(k+2).v.n == micro && p.x(k+2).v.unit == uNone:
				r, c, times, j = v.v.n, cmpGTE, true, k+3
			case v.kind == kVal && v.v.unit == uNone && v.v.n > 0 && p.kind(k+1) == kColon && p.kind(k+2) == kVal && p.x(k+2).v.n == micro:
				r, c, times, j = v.v.n, cmpGTE, true, k+3
			}
		}
	}
	if p.is(j, "by") {
		return p.bad(i, j+1, "how much deeper in dollars cannot be compared; say how many times, such as \"bid depth is twice the ask depth\"")
	}
	if c == cmpNone {
		c = cmpGTE
	}
	n := shareOf(r)
	if first < 0 {
		// asks over bids: the bids' share is at most 1/(1+r)
		n, c = strategy.One-n, mirroredCmp(c)
	}
	from := i
	if p.term.from >= 0 {
		from = p.term.from
	}
	out := cond{typ: strategy.Imbalance, tok: tokHeld, cmp: comparatorOf(flip(c, p.forbids)), n: n, span: p.span(from, j), from: from, to: j, buys: p.purchases, inIf: p.inIf || p.ifList}
	if p.term.tok != tokNone {
		out.tok, out.how = p.term.tok, howNamed
		if p.term.tok == tokPron {
			out.tok, out.how = p.lastTok, howPron
		}
	}
	p.finishCond(out, qImbalance, fmt.Sprintf("this ratio of bids to asks is an imbalance of %s", n))
	return true
}
