package parser

import (
	"fmt"
)

// alternatives reads one or more exits divided by "or".
func (p *parser) alternatives(j int, kind exitKind) (acts []exitAct, end int) {
	end = j
	for {
		got, n := p.alternative(end, kind)
		if n == 0 || p.err != nil {
			if len(acts) == 0 {
				return nil, j
			}
			return acts, end
		}
		acts = append(acts, got...)
		end += n
		k := end
		if p.kind(k) == kComma && p.kind(k+1) == kOr {
			k++
		}
		if p.kind(k) == kOr || p.kind(k) == kSlash && kind == xSold && acts[0].kind == xSold && p.kind(k+1) == kVal && p.isBreak(k+2) {
			if more, m := p.alternative(k+1, kind); m > 0 && len(more) > 0 {
				end = k + 1
				continue
			}
			return acts, end
		}
		if p.kind(k) == kAnd && kind == xSold && acts[0].kind == xSold {
			if c := p.clockAt(k + 1); c.n > 0 && (c.form == formLeft || c.form == formBefore) {
				end = k + 1
				continue
			}
		}
		return acts, end
	}
}

// alternative reads one exit at j. n is 0 when there is none.
func (p *parser) alternative(j int, kind exitKind) (acts []exitAct, n int) {
	i := j
	tok := tokNone
	not := false
	for {
		x := p.x(j)
		switch x.kind {
		case kColon, kEq, kIf, kPron, kSide, kStake:
		case kQty:
			if x.sub != qPrice && x.sub != qBid {
				return nil, 0
			}
		case kTok:
			if p.isDirection(j) || (j == i && p.kind(j-1) != kSell || p.kind(j-1) == kIf) && p.kind(j+1) == kVal {
				goto glued
			}
			tok = x.sub
		case kFav, kOther:
			return nil, 0
		case kNot:
			return nil, 0
		case kWord:
			if !p.is(j, "of", "on", "with", "for", "at", "in", "to") || p.clockAt(j).n > 0 && !p.is(j, "of") {
				goto glued
			}
			if p.is(j, "in") && p.x(j+1).kind == kVal && p.x(j+1).v.unit != uDecade && p.x(j+1).v.unit != uTime {
				j++
				continue
			}
			if p.is(j, "at", "to", "in") && p.kind(j+1) != kVal && !p.is(j, "at") {
				goto glued
			}
		default:
			goto glued
		}
		j++
	}
glued:
	_ = not
	act, m := p.exitCore(j, kind)
	if m == 0 || p.err != nil {
		return nil, 0
	}
	for k := range act {
		act[k].tok = tok
		act[k].span = p.span(i, j+m)
		act[k].from, act[k].to = i, j+m
	}
	return act, j + m - i
}

// exitCore reads the price, offset or time itself.
func (p *parser) exitCore(j int, kind exitKind) ([]exitAct, int) {
	x := p.x(j)
	if x.kind == kVal && x.v.sign != 0 && (x.v.unit == uCent || x.v.unit == uNone || x.v.unit == uDollar) {
		return p.offsetCore(j, j, 1, x.v.sign > 0, kind)
	}
	switch x.kind {
	case kProfit, kMake:
		return p.offsetBehind(j, true, kind)
	case kLoss:
		return p.offsetBehind(j, false, kind)
	case kEnd:
		if p.kind(j-1) == kWord || p.kind(j-1) == kSell || p.kind(j-1) == kIf {
			if w := p.words(j, j+1); p.is(j-1, "at") && p.x(j-1).w == "at" && (w == "end" || w == "the end" || w == "close" || w == "the close") {
				p.bad(j-1, j+1, "sold before the end, or held to it? say \"hold to expiry\" or \"exit 5 seconds before the end\"")
				return nil, 0
			}
			return []exitAct{{kind: xHold}}, 1
		}
		return nil, 0
	}
	if n := p.entryRef(j); n > 0 && !p.is(j, "at", "of") {
		k := j + n
		up := p.kind(k) == kPlus
		if up || p.kind(k) == kMinus || p.kind(k) == kSoft && p.x(k).w == "-" {
			k++
		} else if v := p.x(k).v; v.sign != 0 {
			up = v.sign > 0
		} else {
			return nil, 0
		}
		if p.kind(k) != kVal {
			return nil, 0
		}
		return p.offsetCore(j, k, k+1-j, up, kind)
	}
	if acts, n := p.moveOffset(j, kind); n > 0 || p.err != nil {
		return acts, n
	}
	if acts, n := p.offsetIs(j, kind); n > 0 || p.err != nil {
		return acts, n
	}
	if x.kind == kVal {
		if acts, n := p.offsetSuffix(j, kind); n > 0 || p.err != nil {
			return acts, n
		}
	}
	if x.kind == kVague && p.isEnd(j+1) {
		switch x.w {
		case "right before", "just before", "shortly before", "moments before", "a little before":
			return []exitAct{{kind: xNever}}, 2
		}
	}
	if t, n := p.sinceEntry(j); n > 0 {
		return []exitAct{{kind: xMaxHold, t: t}}, n
	}
	if c := p.clockAt(j); c.n > 0 {
		return p.exitClock(j, c, kind)
	}
	return p.exitPrice(j, kind)
}

// exitPrice reads a price to sell at, plain or behind a comparator or a verb.
func (p *parser) exitPrice(j int, kind exitKind) ([]exitAct, int) {
	if x := p.x(j); x.kind == kVal && x.v.unit == uFrac && kind == xSold && p.kind(j-1) != kWord {
		p.bad(j, j+1, "part of a position cannot be sold; sell all of it at one price")
		return nil, 0
	}
	r := p.readPredicate(j)
	if r.n == 0 {
		return nil, 0
	}
	if r.fault != "" {
		p.bad(j, j+r.n, "%s", r.fault)
		return nil, 0
	}
	if r.not {
		p.bad(j, j+r.n, "an exit on what does not happen cannot be said; give the price to sell at")
		return nil, 0
	}
	act := exitAct{kind: kind}
	switch r.kind {
	case predLevel:
		act.upper = r.cmp == cmpGT || r.cmp == cmpGTE
		act.lower = !act.upper
		if p.kind(r.at+1) == kPost && p.x(r.at+1).w == "or better" {
			act.upper, act.lower = kind != xSL, false
		}
		if cmpAt := p.x(r.at - 1); kind != xSold && cmpAt.kind == kCmp && (cmpAt.w == "at most" || cmpAt.w == "at least" || cmpAt.w == "up to") {
			act.upper, act.lower = false, false
		}
	case predCross:
		act.upper, act.lower = r.up, !r.up
	case predRange:
		return p.exitRange(j, r, kind)
	case predChange, predStill:
		p.bad(j, j+r.n, "a move cannot be an exit; say \"… above entry\", \"… below entry\" or a price")
		return nil, 0
	}
	if kind == xTP && act.lower || kind == xSL && act.upper {
		p.bad(j, j+r.n, "a target lies above and a stop below; say \"take profit at\" or \"stop at\" with the price")
		return nil, 0
	}
	v := p.x(r.at).v
	if v.unit == uTimes {
		p.bad(r.at, r.at+1, "a multiple of the entry cannot be said; give the price to sell at, such as 70c")
		return nil, 0
	}
	if v.unit == uDollar && v.n >= micro {
		p.bad(r.at, r.at+1, "profit and loss in dollars cannot be said; give the price of the token, such as 60c, or \"10c above entry\"")
		return nil, 0
	}
	n, why, ok := p.price(v, qPrice, j, j+r.n)
	if !ok {
		return nil, 0
	}
	act.n = n
	if why != "" {
		p.assume(exitFields[kind], n.String(), why)
	}
	return []exitAct{act}, r.n
}

// exitRange reads "out in the 60s" as its lower end; other ranges are refused.
func (p *parser) exitRange(j int, r predicate, kind exitKind) ([]exitAct, int) {
	if r.at != r.hi || kind == xSL || p.x(r.at).v.sub != 0 {
		p.bad(j, j+r.n, "sell at which price? give one")
		return nil, 0
	}
	n := number(p.x(r.at).v.n / 100)
	p.assume(exitFields[kind], n.String(), fmt.Sprintf("%s is read as from %s on", p.words(r.at, r.at+1), n))
	return []exitAct{{kind: kind, n: n, upper: true}}, r.n
}

// exitClock turns a time into a clock exit.
func (p *parser) exitClock(j int, c clockRef, kind exitKind) ([]exitAct, int) {
	if c.form == formNoBound {
		if p.is(j, "before") || p.is(j+c.n-2, "before") {
			return []exitAct{{kind: xNever}}, c.n
		}
		if p.isEnd(j + c.n - 1) {
			return []exitAct{{kind: xHold}}, c.n
		}
		return nil, 0
	}
	if kind == xTP {
		p.bad(j, j+c.n, "a target is a price; say \"take profit at 60c\", and \"sell after …\" or \"exit … before the end\" for a time")
		return nil, 0
	}
	if len(c.bounds) == 1 {
		b := c.bounds[0]
		switch c.form {
		case formLeft, formLast:
			return []exitAct{{kind: xBefore, t: b.at}}, c.n
		case formBefore:
			return []exitAct{{kind: xBefore, t: b.at}}, c.n
		case formAfter:
			return []exitAct{{kind: xMaxHold, t: b.at}}, c.n
		case formInto:
			return []exitAct{{kind: xAt, t: b.at}}, c.n
		case formFirst:
			if p.is(j, "by") && !b.remaining {
				return []exitAct{{kind: xAt, t: b.at}}, c.n
			}
		case formExact:
			ordered := false
			for k := j; k < j+c.n; k++ {
				ordered = ordered || p.kind(k) == kCmp && p.soonerOrLater(k)
			}
			if b.remaining && (b.cmp == cmpLT || b.cmp == cmpLTE) != ordered {
				return []exitAct{{kind: xBefore, t: b.at}}, c.n
			}
		}
	}
	p.bad(j, j+c.n, "a time to sell is one instant; say \"sell after 5 minutes\" or \"exit 1 minute before the end\"")
	return nil, 0
}

// sinceEntry reads a time counted from the purchase: 5 minutes after entry,
// within 3 minutes of buying.
func (p *parser) sinceEntry(j int) (tval, int) {
	k := j
	if p.is(k, "within", "after") || p.kind(k) == kCmp && p.x(k).w == "at most" {
		k++
	}
	held := p.is(j, "after") && p.kind(k) == kHold
	if held {
		for k++; p.kind(k) == kPron || p.is(k, "for"); k++ {
		}
	}
	t, n := p.duration(k)
	if n == 0 {
		return tval{}, 0
	}
	k += n
	if held {
		return t, k - j
	}
	if x := p.x(k); x.kind == kVague && (x.w == "later" || x.w == "later on") {
		return t, k + 1 - j
	}
	past := p.kind(k) == kCmp && p.x(k).w == "past"
	if !past && !p.is(k, "after", "of", "from", "since", "into", "past", "in") {
		return tval{}, 0
	}
	switch p.kind(k + 1) {
	case kEntryRef, kEntryCue, kBuy:
	default:
		return tval{}, 0
	}
	if p.object(k+2) && p.kind(k+2) != kPron {
		return tval{}, 0
	}
	k += 2
	if p.kind(k) == kPron && p.isBreak(k+1) {
		k++
	}
	return t, k - j
}
