package parser

// entryRef reads the price paid at i: entry, what I paid, my cost.
func (p *parser) entryRef(i int) int {
	j := i
	for p.is(j, "at", "of") {
		j++
	}
	switch x := p.x(j); x.kind {
	case kEntryRef:
		return j + 1 - i
	case kEntryCue:
		return j + 1 - i
	case kPay:
		if w := p.words(j, j+1); w == "paid" {
			return j + 1 - i
		}
	case kQty:
		if w := p.words(j, j+1); w == "cost" {
			return j + 1 - i
		}
	}
	return 0
}

// offsetIs reads "is 12c above entry".
func (p *parser) offsetIs(j int, kind exitKind) ([]exitAct, int) {
	if p.kind(j) != kBe || p.kind(j+1) != kVal {
		return nil, 0
	}
	acts, n := p.offsetSuffix(j+1, kind)
	if n > 0 {
		n++
	}
	return acts, n
}

// offsetSuffix reads a size with what makes it an offset behind it: 12c above
// entry, 8c profit, 5c down.
func (p *parser) offsetSuffix(j int, kind exitKind) ([]exitAct, int) {
	k := j + 1
	x := p.x(k)
	up := false
	switch {
	case x.kind == kCmp && (x.w == "above" || x.w == "over" || x.w == "more than" || x.w == "past"):
		n := p.entryRef(k + 1)
		if n == 0 {
			return nil, 0
		}
		return p.offsetCore(j, j, k+1+n-j, true, kind)
	case x.kind == kCmp && (x.w == "below" || x.w == "under" || x.w == "less than"):
		n := p.entryRef(k + 1)
		if n == 0 {
			return nil, 0
		}
		return p.offsetCore(j, j, k+1+n-j, false, kind)
	case x.kind == kProfit || x.kind == kMove && x.w == "rise":
		up = true
	case x.kind == kLoss:
	case x.kind == kHigher:
		up = x.sub == tokUp
		if p.is(k+1, "than") {
			n := p.entryRef(k + 2)
			if n == 0 {
				return nil, 0
			}
			return p.offsetCore(j, j, k+2+n-j, up, kind)
		}
	case x.kind == kTok && x.w != "no token" && (p.isBreak(k+1) || p.kind(k+1) == kAnd || p.kind(k+1) == kOr || p.is(k+1, "on", "from") || p.kind(k+1) == kSL || p.kind(k+1) == kTP || p.kind(k+1) == kSell):
		up = x.sub == tokUp
		if p.is(k+1, "from") {
			n := p.entryRef(k + 2)
			if n == 0 {
				return nil, 0
			}
			return p.offsetCore(j, j, k+2+n-j, up, kind)
		}
	case p.is(k, "from"):
		n := p.entryRef(k + 1)
		if n == 0 || kind == xSold {
			return nil, 0
		}
		return p.offsetCore(j, j, k+1+n-j, kind == xTP, kind)
	default:
		return nil, 0
	}
	return p.offsetCore(j, j, k+1-j, up, kind)
}

// offsetBehind reads an offset whose word comes first: profit of 10c, make 5c,
// lose 5c.
func (p *parser) offsetBehind(j int, up bool, kind exitKind) ([]exitAct, int) {
	k := j + 1
	for p.is(k, "of", "at", "by", "to", "on", "for") || p.kind(k) == kColon || p.kind(k) == kEq || p.kind(k) == kBe || p.kind(k) == kPron || p.kind(k) == kProfit || p.kind(k) == kLoss && !up || p.kind(k) == kCmp && (p.x(k).w == "at least" || p.x(k).w == "more than" || p.x(k).w == "at most") {
		k++
	}
	if p.kind(k) != kVal {
		return nil, 0
	}
	end := k + 1
	if x := p.x(end); x.kind == kProfit && up || x.kind == kLoss && !up {
		end++
	}
	if w := p.x(end); w.kind == kCmp && (w.w == "above" || w.w == "over") && up || w.kind == kCmp && (w.w == "below" || w.w == "under") && !up {
		end += 1 + p.entryRef(end+1)
	}
	if p.is(end, "from", "since", "after") {
		if n := p.entryRef(end + 1); n > 0 {
			end += 1 + n
		}
	}
	return p.offsetCore(j, k, end-j, up, kind)
}

// moveOffset reads an offset as a move since the purchase: up 7c, gains 10c,
// drops 5c below entry.
func (p *parser) moveOffset(j int, kind exitKind) ([]exitAct, int) {
	k := j
	for p.kind(k) == kBe {
		k++
	}
	x := p.x(k)
	up, sure := false, false
	switch {
	case x.kind == kTok && x.w != "no token" && (k > j || p.kind(j-1) == kBe || p.kind(j-1) == kIf || p.kind(j-1) == kPron || p.upOrDown(j) != 0) && !p.is(k+1, "to", "at", "through"):
		up, sure = x.sub == tokUp, k > j || p.kind(k-1) == kBe || p.upOrDown(k) != 0
	case x.kind == kMove && (x.sub == moveUp || x.sub == moveDown):
		up = x.sub == moveUp
	case x.kind == kMove && x.sub == moveGo && p.kind(k+1) == kVal && p.kind(k+2) == kCmp && p.entryRef(k+3) > 0:
		w := p.x(k + 2).w // "goes 8 cents under my entry"
		up = w == "above" || w == "over"
		if !up && w != "below" && w != "under" {
			return nil, 0
		}
	case x.kind == kProfit || x.kind == kLoss:
		up, sure = x.kind == kProfit, true
	default:
		return nil, 0
	}
	at := k + 1
	if p.is(at, "by") {
		at++
	}
	if p.kind(at) == kCmp && (p.x(at).w == "more than" || p.x(at).w == "at least") {
		at++
	}
	if p.kind(at) != kVal {
		return nil, 0
	}
	if u := p.x(at).v.unit; u != uCent && u != uNone && u != uDollar {
		return nil, 0
	}
	end := at + 1
	if _, n := p.window(end); n > 0 {
		return nil, 0
	}
	switch w := p.x(end); {
	case w.kind == kCmp && (w.w == "above" || w.w == "over") && up, w.kind == kCmp && (w.w == "below" || w.w == "under") && !up:
		n := p.entryRef(end + 1)
		if n == 0 {
			return nil, 0
		}
		end += 1 + n
		sure = true
	case p.is(end, "from", "after", "since"):
		n := p.entryRef(end + 1)
		if n == 0 {
			return nil, 0
		}
		end += 1 + n
		sure = true
	}
	if x.kind == kMove && (p.words(k, k+1) == "gains" || p.words(k, k+1) == "gain") {
		sure = true
	}
	if !sure {
		p.bad(k, end, "a move from where? say \"%s above entry\" or \"%s below entry\"", p.words(at, at+1), p.words(at, at+1))
		return nil, 0
	}
	return p.offsetCore(j, at, end-j, up, kind)
}

// upOrDown reports whether Up or Down at i is a direction because the other one
// stands beside it with a size of its own: "out if up 10c or down 5c". It is 1
// for the first of the two, 2 for the second.
func (p *parser) upOrDown(i int) int {
	sized := func(k int) bool { return p.kind(k) == kTok && p.kind(k+1) == kVal && p.x(k).w != "no token" }
	if !sized(i) {
		return 0
	}
	switch tok := p.x(i).sub; {
	case p.kind(i+2) == kOr && sized(i+3) && p.x(i+3).sub != tok:
		return 1
	case p.kind(i-1) == kOr && sized(i-3) && p.x(i-3).sub != tok:
		return 2
	}
	return 0
}

// offsetCore makes the offset of the value at lexeme `at`; the phrase is the n
// lexemes from j.
func (p *parser) offsetCore(j, at, n int, up bool, kind exitKind) ([]exitAct, int) {
	if kind == xTP && !up || kind == xSL && up {
		p.bad(j, j+n, "a target lies above entry and a stop below it")
		return nil, 0
	}
	v := p.x(at).v
	switch {
	case v.unit == uDollar && v.n >= micro:
		p.bad(j, j+n, "profit and loss in dollars cannot be said; give cents a share, such as \"10c above entry\"")
		return nil, 0
	case v.unit == uFrac || v.unit == uTimes:
		p.bad(j, j+n, "a multiple of the entry cannot be said; give cents a share, such as \"10c above entry\"")
		return nil, 0
	}
	v.sign = 0
	size, why, ok := p.price(v, qPrice, j, j+n)
	if !ok {
		return nil, 0
	}
	out := exitAct{kind: xSLOffset, n: size}
	if up {
		out.kind = xTPOffset
	}
	if why != "" {
		p.assume(exitFields[out.kind], size.String(), why)
	}
	return []exitAct{out}, n
}

// profitPhrase reads an offset that stands on its own: make 5c a share, profit
// target 10c, max loss 5c.
func (p *parser) profitPhrase(i int) bool {
	start := p.i
	var acts []exitAct
	n := 0
	if p.kind(i) == kVal {
		acts, n = p.offsetSuffix(i, xSold)
	} else {
		acts, n = p.offsetBehind(i, p.kind(i) != kLoss, xSold)
	}
	if p.err != nil {
		return true
	}
	if n == 0 {
		return p.bad(i, i+1, "how much? say \"take profit 10c above entry\" or \"stop 5c below entry\"")
	}
	acts[0].from, acts[0].to, acts[0].span = start, i+n, p.span(start, i+n)
	p.apply(acts, start, i+n, false)
	return true
}

// valueFirst reads exits whose value comes first: 60c target, 8c profit, +8c,
// 5c trailing stop.
func (p *parser) valueFirst(i int) bool {
	x := p.x(i)
	if x.v.sign != 0 && (x.v.unit == uCent || x.v.unit == uNone && x.v.n < micro) && p.term.qty != qChange {
		acts, n := p.offsetCore(i, i, 1, x.v.sign > 0, xSold)
		if p.err != nil {
			return true
		}
		if k := p.kind(i + 1); k == kTP || k == kSL || k == kProfit || k == kLoss {
			n++
		}
		acts[0].from, acts[0].to, acts[0].span = i, i+n, p.span(i, i+n)
		p.apply(acts, i, i+n, false)
		return true
	}
	if x.v.unit != uCent && x.v.unit != uNone && x.v.unit != uDollar {
		return false
	}
	switch k := p.kind(i + 1); k {
	case kProfit, kLoss:
		return p.profitPhrase(i)
	case kMove:
		if w := lower(p.words(i+1, i+2)); w == "gain" || w == "gains" {
			return p.profitPhrase(i)
		}
	case kCmp:
		if p.entryRef(i+2) > 0 {
			return p.profitPhrase(i)
		}
	case kTrail:
		return p.trailing(i, i, i+2)
	case kTP, kSL:
		if p.bareChain(i) && !p.is(i-1, "at", "for") && p.kind(i-1) != kTok && p.kind(i-1) != kCmp {
			kind := xTP
			if k == kSL {
				kind = xSL
			}
			act, ok := p.priceAct(kind, i, i+1)
			if !ok {
				return true
			}
			act.from, act.to, act.span = i, i+2, p.span(i, i+2)
			p.apply([]exitAct{act}, i, i+2, false)
			return true
		}
	}
	return false
}

// bareChain reports whether values and words of exits alternate from i on and
// end with a word: "60c target 20c stop", so that each value belongs to the
// word behind it.
func (p *parser) bareChain(i int) bool {
	for {
		if p.kind(i) != kVal {
			return true
		}
		if k := p.kind(i + 1); k != kTP && k != kSL {
			return false
		}
		i += 2
		if p.is(i, "at", "of") || p.kind(i) == kColon || p.kind(i) == kEq || p.kind(i) == kPron {
			return false
		}
		if p.kind(i) == kCmp && p.kind(i+1) == kVal {
			return false
		}
	}
}

// priceAct makes a target or stop of the value at lexeme `at`.
func (p *parser) priceAct(kind exitKind, at, to int) (exitAct, bool) {
	v := p.x(at).v
	if v.unit == uDollar && v.n >= micro {
		p.bad(at, to, "profit and loss in dollars cannot be said; give the price of the token, such as 60c, or \"10c above entry\"")
		return exitAct{}, false
	}
	n, why, ok := p.price(v, qPrice, at, to)
	if !ok {
		return exitAct{}, false
	}
	if why != "" {
		p.assume(exitFields[kind], n.String(), why)
	}
	return exitAct{kind: kind, n: n, from: at, to: to, span: p.span(at, to)}, true
}
