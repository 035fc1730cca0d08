package parser

import (
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
	span   strategy.Span
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
	case kQty:
		// "buy Up, selling at 60c"
		switch lower(p.words(i, i+1)) {
		case "selling at", "selling for", "sells at", "sells for":
			if p.clauseStart(i) && !p.inIf && p.purchases+len(p.lone) > 0 {
				return p.exitPhrase(i)
			}
		}
	case kMove:
		if p.dumps(i) {
			return p.exitPhrase(i)
		}
	case kBuy, kStake:
		if p.takesProfit(i) {
			return p.profitPhrase(i + 1)
		}
		if p.takesPrice(i) {
			act, ok := p.priceAct(xTP, i+1, i+2)
			if ok {
				act.from, act.span = i, p.span(i, i+2)
				p.apply([]exitAct{act}, i, i+2, true)
			}
			return true
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

// takesPrice reports whether "take" at i names a target by its price, beside a
// stop or behind what is bought: "take 75, stop 48".
func (p *parser) takesPrice(i int) bool {
	v := p.x(i + 1)
	if lower(p.words(i, i+1)) != "take" || v.kind != kVal || v.v.sign != 0 || len(p.buys)+len(p.lone) == 0 || p.inIf {
		return false
	}
	switch v.v.unit {
	case uCent:
	case uDollar:
		if v.v.n >= micro {
			return false
		}
	case uNone:
		if v.v.n >= 100*micro {
			return false
		}
	default:
		return false
	}
	return p.kind(i+2) == kSL || (p.isBreak(i+2) || p.kind(i+2) == kAnd) && p.kind(i+3) == kSL
}

// dumps reports whether the word for falling at i is one of selling: dump after
// 3 minutes, dump at 60c.
func (p *parser) dumps(i int) bool {
	if w := lower(p.words(i, i+1)); w != "dump" && w != "dumping" || p.inIf || p.term.tok != tokNone || !p.clauseStart(i) && !p.is(i-1, "to") {
		return false
	}
	return p.is(i+1, "at", "after", "in", "with", "for", "before") && len(p.buys)+len(p.lone) > 0
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
	if k := j; kind != xSold { // "target out at 60c" is a target
		for p.kind(k) == kColon || p.kind(k) == kPron {
			k++
		}
		if p.kind(k) == kSell && p.ownValue(k) {
			j = k + 1
		}
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
		said := false
		switch lower(p.words(i, i+1)) {
		case "i'm out", "im out", "i am out", "we're out", "out":
			said = p.isBreak(j) || p.kind(j) == kEOF
		}
		if last.to == k+1 && (said || last.kind == xMaxHold || last.kind == xBefore || last.kind == xAt) {
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
