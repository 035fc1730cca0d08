package parser

import (
	"fmt"

	"github.com/ladderback/ladderback/strategy"
)

// exitKind is what an exit phrase sets.
type exitKind uint8

const (
	xTP exitKind = iota
	xSL
	xSold // a price to sell at: target or stop, by what was paid
	xTPOffset
	xSLOffset
	xTrail
	xMaxHold // t after the fill
	xBefore  // t before the end
	xAt      // t after the start
	xNever   // never hold to expiry
	xHold    // hold to expiry
)

// exitAct is one thing that an exit phrase sets.
type exitAct struct {
	kind   exitKind
	n      strategy.Number
	t      tval
	tok    int16 // the token named as what is sold; tokNone: none
	span   Span
	from   int
	to     int
	phrase int  // where its phrase begins: alternatives share it
	gained bool // "take profit of x": a distance from entry, unless x is a price
	upper  bool
	lower  bool // the words say a rise (upper) or a fall (lower) to the price
}

var exitFields = [...]fieldID{
	xTP: fieldTP, xSL: fieldSL, xSold: fieldSold, xTPOffset: fieldTPOffset, xSLOffset: fieldSLOffset,
	xTrail: fieldTrail, xMaxHold: fieldMaxHold, xBefore: fieldExitBefore, xAt: fieldExitBefore, xNever: fieldHold, xHold: fieldHold,
}

// apply adds the acts of a phrase that begins at from and ends before to.
func (p *parser) apply(acts []exitAct, from, to int, verb bool) {
	for _, a := range acts {
		a.phrase = from
		f := exitFields[a.kind]
		p.mark(a.from, a.to, f)
		for k := from; k < a.from; k++ {
			if p.x(k).field == fieldNone {
				p.x(k).field = f
			}
		}
		p.exits = append(p.exits, a)
	}
	p.i = to
	p.sold, p.soldVerb, p.soldComma = to, verb, false
	p.dropTerm()
	p.term = term{from: -1}
	p.ell = ellipsis{}
	p.ifAt = -1
	p.inIf, p.ifList, p.buying, p.forbids = false, false, false, false
}

// exit reads how a position is sold.
func (p *parser) exit() bool {
	i := p.i
	x := p.x(i)
	switch x.kind {
	case kTP, kSL, kSell:
		return p.exitPhrase(i)
	case kTrail:
		return p.trail(i)
	case kHold:
		return p.hold(i, false)
	case kRide:
		p.apply([]exitAct{{kind: xHold, span: p.span(i, i+1), from: i, to: i + 1}}, i, i+1, false)
		return true
	case kProfit, kLoss, kMake:
		if x.kind == kLoss && p.losing(i) {
			return false
		}
		return p.profitPhrase(i)
	case kNot:
		return p.notHold(i)
	case kBuy, kStake:
		if p.takesProfit(i) {
			return p.profitPhrase(i + 1)
		}
		if p.kind(i+1) == kProfit && (p.is(i+2, "at", "when") || p.kind(i+2) == kIf) {
			acts, end := p.alternatives(i+2, xTP)
			if p.err == nil && len(acts) > 0 {
				p.apply(acts, i, end, true)
				return true
			}
			return p.err != nil
		}
	case kVal:
		return p.valueFirst(i)
	case kWord:
		return p.exitWord(i)
	}
	return false
}

// exitWord reads exits that begin with a small word: no stop, to the end.
func (p *parser) exitWord(i int) bool {
	switch {
	case p.is(i, "no", "without"):
		return p.waive(i)
	case p.is(i, "to", "until", "through", "into", "for"):
		if p.kind(i+1) == kEnd && p.kind(i+2) != kVal {
			p.apply([]exitAct{{kind: xHold, span: p.span(i, i+2), from: i, to: i + 2}}, i, i+2, false)
			return true
		}
	case p.is(i, "before"):
		// "don't let it settle, out before the end": read with the verb
	}
	return false
}

// waive reads "no stop", "no take profit or stop".
func (p *parser) waive(i int) bool {
	j := i + 1
	n := 0
	for {
		switch p.kind(j) {
		case kTP:
			s := p.span(i, j+1)
			p.waivedTP = &s
			p.mark(i, j+1, fieldTP)
		case kSL, kTrail:
			s := p.span(i, j+1)
			p.waivedSL = &s
			p.mark(i, j+1, fieldSL)
		case kHold, kRide:
			if n == 0 {
				return p.hold(j, true)
			}
			return false
		case kSell:
			if p.ownValue(j) {
				return false
			}
			s := p.span(i, j+1)
			p.waivedTP, p.waivedSL = &s, &s
		default:
			return false
		}
		n++
		j++
		if p.kind(j) == kVal || p.is(j, "at") {
			return p.bad(i, j+1, "with or without? say one")
		}
		k := j
		if p.kind(k) == kComma {
			k++
		}
		if p.kind(k) == kOr || p.kind(k) == kAnd || p.kind(k) == kSlash {
			k++
		}
		if p.is(k, "no", "without") {
			k++
		}
		if k == j || p.kind(k) != kTP && p.kind(k) != kSL && p.kind(k) != kTrail || p.ownValue(k) {
			p.i = j
			return true
		}
		j = k
	}
}

// exitPhrase reads a target, a stop or a sale from its word at i on.
func (p *parser) exitPhrase(i int) bool {
	x := p.x(i)
	kind := xSold
	switch x.kind {
	case kTP:
		kind = xTP
	case kSL:
		kind = xSL
	}
	j := i + 1
	if kind == xSL && p.kind(j) == kLoss && lower(p.words(j, j+1)) == "loss" {
		j++ // "stop um loss"
	}
	if kind != xSold && p.kind(j) == kSlash && (p.kind(j+1) == kTP || p.kind(j+1) == kSL) {
		return p.pairPhrase(i)
	}
	if kind == xSL && p.kind(j) == kTrail {
		return p.trail(j)
	}
	if kind != xSold && (p.kind(j) == kColon || p.kind(j) == kEq || p.kind(j) == kBe) && p.kind(j+1) == kNone || kind != xSold && p.kind(j) == kNone {
		for p.kind(j) != kNone {
			j++
		}
		s := p.span(i, j+1)
		if kind == xTP {
			p.waivedTP = &s
		} else {
			p.waivedSL = &s
		}
		p.take(j+1, exitFields[kind])
		return true
	}
	acts, end := p.alternatives(j, kind)
	if p.err != nil {
		return true
	}
	if len(acts) == 0 {
		return p.emptyExit(i)
	}
	if w := lower(p.words(i, i+1)); kind == xTP && p.is(j, "of") && (w == "take profit" || w == "take profits" || w == "taking profit" || w == "take a profit") && acts[0].kind == xTP {
		acts[0].gained = true
	}
	verb := kind == xSold || x.kind == kTP && p.words(i, i+1) == "take profit"
	p.apply(acts, i, end, verb)
	return true
}

// emptyExit refuses a word of selling without a price or time. Where the
// phrase only goes on with a word of its own, it is passed over.
func (p *parser) emptyExit(i int) bool {
	j := i + 1
	for p.kind(j) == kPron || p.is(j, "at", "for", "on", "with") || p.kind(j) == kColon {
		j++
	}
	switch p.kind(j) {
	case kTP, kSL, kTrail, kHold, kRide, kProfit, kLoss, kMake:
		if j > i {
			p.take(j, fieldNone)
			return true
		}
	case kSell:
		p.take(j, fieldNone)
		return true
	}
	if n := len(p.exits); n > 0 && p.x(i).kind == kSell {
		// "hold for five minutes, then sell"
		last := p.exits[n-1]
		k := i - 1
		for p.kind(k) == kComma || p.kind(k) == kAnd || p.is(k, "then") || p.is(k, "to") {
			k--
		}
		if last.to == k+1 && (last.kind == xMaxHold || last.kind == xBefore || last.kind == xAt) {
			p.take(j, exitFields[last.kind])
			return true
		}
	}
	return p.bad(i, i+1, "when or at what price? say \"sell at 60c\", \"stop at 20c\", \"sell after 5 minutes\" or \"exit 1 minute before the end\"")
}

// pairPhrase reads "tp/sl 60/20".
func (p *parser) pairPhrase(i int) bool {
	a, b := p.x(i), p.x(i+2)
	j := i + 3
	for p.kind(j) == kColon || p.kind(j) == kEq || p.is(j, "at", "of") {
		j++
	}
	if a.kind == b.kind || p.kind(j) != kVal || p.kind(j+1) != kSlash && p.kind(j+1) != kAnd || p.kind(j+2) != kVal {
		return p.bad(i, i+3, "say \"take profit at …\" and \"stop at …\"")
	}
	var acts []exitAct
	for _, part := range []struct{ word, value int }{{i, j}, {i + 2, j + 2}} {
		kind := xTP
		if p.x(part.word).kind == kSL {
			kind = xSL
		}
		act, ok := p.priceAct(kind, part.value, part.value+1)
		if !ok {
			return true
		}
		acts = append(acts, act)
	}
	p.apply(acts, i, j+3, false)
	return true
}

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
		if p.kind(k) == kOr || p.kind(k) == kSlash && kind == xSold && p.kind(k+1) == kVal {
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
	tok := int16(tokNone)
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
			if p.isDirection(j) || j == i && p.kind(j+1) == kVal && p.kind(j-1) != kSell {
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
			if b.remaining && (b.cmp == cmpLT || b.cmp == cmpLTE) {
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
	if !p.is(k, "after", "of", "from", "since", "into", "past", "in") && !(p.kind(k) == kCmp && p.x(k).w == "past") {
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
