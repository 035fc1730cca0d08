package parser

// trail reads a trailing stop from its word at i on.
func (p *parser) trail(i int) bool {
	j := i + 1
	for p.is(j, "by", "of", "at", "with", "to", "for", "on") || p.kind(j) == kColon || p.kind(j) == kEq || p.kind(j) == kPron || p.kind(j) == kBe || p.kind(j) == kSL {
		j++
	}
	if p.kind(j) != kVal {
		return p.bad(i, i+1, "by how much? say \"trail by 5c\"")
	}
	return p.trailing(i, j, j+1)
}

// trailing makes a trailing stop of the value at lexeme at; the phrase is [i, j).
func (p *parser) trailing(i, at, j int) bool {
	v := p.x(at).v
	if v.unit == uDollar && v.n >= micro {
		return p.bad(i, j, "a trailing stop is a distance in cents; say \"trail by 5c\"")
	}
	if p.kind(j) == kCmp && p.x(j).sub == cmpLT && p.kind(j+1) == kRefuse && p.x(j+1).sub == whyHigh {
		j += 2
	} else if p.is(j, "from", "off") && p.kind(j+1) == kRefuse && p.x(j+1).sub == whyHigh {
		j += 2
	} else if p.kind(j) == kRefuse && p.x(j).sub == whyHigh {
		j++
	}
	v.sign = 0
	n, why, ok := p.price(v, qPrice, i, j)
	if !ok {
		return true
	}
	if why != "" {
		p.assume(fieldTrail, n.String(), why)
	}
	p.apply([]exitAct{{kind: xTrail, n: n, from: i, to: j, span: p.span(i, j)}}, i, j, false)
	return true
}

// hold reads how long a position is held, from its word at i on. not is set
// behind a negation, which stands before i.
func (p *parser) hold(i int, not bool) bool {
	start := p.i
	j := i + 1
	if p.kind(i) == kRide {
		return p.holdAct(start, j, not, exitAct{kind: xHold})
	}
	if w := lower(p.words(i, i+1)); p.kind(j) == kCmp && p.kind(j+1) == kVal && p.x(j+1).v.unit != uTime && !not {
		if w == "hold" || w == "holds" || w == "holding" || w == "held" {
			return false // "holds above 60c"
		}
		return p.holdAct(start, j, not, exitAct{kind: xHold})
	}
	for p.kind(j) == kPron || p.kind(j) == kColon || p.kind(j) == kEq || p.is(j, "for", "on", "at", "with", "of") || p.kind(j) == kTok && !p.isDirection(j) || p.kind(j) == kBe || p.kind(j) == kPer {
		if p.is(j, "at", "for") && p.kind(j+1) == kEnd {
			j++
			break
		}
		if p.is(j, "on", "at", "with", "for") && p.clockAt(j).n > 0 && !p.is(j, "for") {
			break
		}
		if x := p.x(j); x.kind == kTok && (x.sub == tokUp || x.sub == tokDown) {
			p.lone = append(p.lone, mention{tok: x.sub, span: p.span(j, j+1), at: j})
			p.lastTok = x.sub
		}
		j++
	}
	if p.is(j, "true", "false") {
		not = not != p.is(j, "false")
		return p.holdAct(start, j+1, not, exitAct{kind: xHold})
	}
	if k := p.kind(j - 1); (k == kColon || k == kEq) && (p.is(j, "no") || p.kind(j) == kNone) && p.isBreak(j+1) {
		return p.holdAct(start, j+1, !not, exitAct{kind: xHold})
	}
	if p.kind(j) == kLast && p.isTime(j+1) {
		return p.bad(start, j+2, "sold then, or held to the end? say \"exit 1 minute before the end\" or \"hold to expiry\"")
	}
	toEnd := p.kind(j) == kEnd || p.is(j, "to", "until", "through", "into") && p.isEnd(j+1)
	if p.x(i).sub == 1 && !toEnd && p.kind(j) != kUnless {
		return p.holdAct(start, i+1, not, exitAct{kind: xHold}) // "let it ride"
	}
	switch {
	case p.kind(j) == kEnd:
		return p.holdEnd(start, j+1, not)
	case p.is(j, "to", "until", "through", "into", "past") && p.isEnd(j+1):
		return p.holdEnd(start, j+2, not)
	case p.is(j, "into", "to", "through", "until") && p.kind(j+1) == kLast && p.isTime(j+2):
		t, n := p.stretch(j + 2)
		return p.holdAct(start, j+2+n, false, exitAct{kind: xBefore, t: t})
	case p.kind(j) == kCmp && p.isTime(j+1):
		return p.holdCompared(start, j, not)
	case p.is(j, "until"):
		return p.holdUntil(start, j)
	case p.is(j, "to", "for") && p.kind(j+1) == kVal && p.x(j+1).v.unit != uTime, p.kind(j) == kUnless, p.kind(j) == kOr && p.kind(j+1) == kIf:
		return p.holdPrice(start, j+1, not)
	}
	if t, n := p.duration(j); n > 0 && p.kind(j) == kVal && p.leftAt(j+n) == 0 && p.kind(j+n) != kCoin && p.kind(j+n) != kRound {
		j += n
		if p.kind(j) == kPost && p.x(j).sub == cmpLTE || p.kind(j) == kCmp && p.x(j).w == "at most" {
			j++
		} else if p.kind(j) == kPost {
			return p.bad(start, j+1, "a shortest time to hold cannot be said; say \"sell after …\"")
		}
		if not {
			return p.bad(start, j, "not that long, or not at all? say \"hold at most …\"")
		}
		return p.holdAct(start, j, false, exitAct{kind: xMaxHold, t: t})
	}
	return p.holdAct(start, i+1, not, exitAct{kind: xHold})
}

// holdEnd reads what may stand behind "hold to expiry": = true, unless it hits
// 60c.
func (p *parser) holdEnd(start, j int, not bool) bool {
	k := j
	for p.kind(k) == kEq || p.kind(k) == kColon || p.kind(k) == kBe {
		k++
	}
	if p.is(k, "true", "false") {
		return p.holdAct(start, k+1, not != p.is(k, "false"), exitAct{kind: xHold})
	}
	if k > j && (p.kind(k) == kTok || p.is(k, "no")) {
		switch p.words(k, k+1) {
		case "yes", "Yes", "YES":
			return p.holdAct(start, k+1, not, exitAct{kind: xHold})
		case "no", "No", "NO":
			return p.holdAct(start, k+1, !not, exitAct{kind: xHold})
		}
	}
	if p.kind(j) == kUnless && !not {
		p.holdAct(start, j, not, exitAct{kind: xHold})
		acts, end := p.alternatives(j+1, xSold)
		if p.err != nil {
			return true
		}
		if len(acts) == 0 {
			return true
		}
		p.apply(acts, j, end, true)
		return true
	}
	return p.holdAct(start, j, not, exitAct{kind: xHold})
}

// holdAct applies what a phrase of holding sets.
func (p *parser) holdAct(start, end int, not bool, a exitAct) bool {
	if a.kind == xHold && not {
		a.kind = xNever
	}
	a.from, a.to, a.span = start, end, p.span(start, end)
	p.apply([]exitAct{a}, start, end, false)
	return true
}

// holdCompared reads "hold at most 5 minutes", "don't hold longer than 5
// minutes".
func (p *parser) holdCompared(start, j int, not bool) bool {
	t, n := p.stretch(j + 1)
	end := j + 1 + n
	c := flip(p.x(j).sub, not)
	if c != cmpLTE && c != cmpLT {
		return p.bad(start, end, "a shortest time to hold cannot be said; say \"sell after …\"")
	}
	if t.den != 0 {
		return p.bad(start, end, "say how long to hold in minutes or seconds")
	}
	return p.holdAct(start, end, false, exitAct{kind: xMaxHold, t: t})
}

// holdUntil reads "hold until minute 10", "hold until 30 seconds before the
// end", "hold until it hits 60c".
func (p *parser) holdUntil(start, j int) bool {
	if c := p.clockUntil(j); c.n > 0 && len(c.bounds) == 1 {
		b := c.bounds[0]
		a := exitAct{kind: xAt, t: b.at}
		if b.remaining {
			a.kind = xBefore
		}
		return p.holdAct(start, j+c.n, false, a)
	}
	return p.holdPrice(start, j+1, false)
}

// holdPrice reads the price that a holding ends with.
func (p *parser) holdPrice(start, j int, not bool) bool {
	acts, end := p.alternatives(j, xSold)
	if p.err != nil {
		return true
	}
	if len(acts) == 0 || not {
		return p.bad(start, j+1, "hold until when? say \"hold to expiry\", \"hold at most 5 minutes\" or \"sell at 60c\"")
	}
	p.apply(acts, start, end, true)
	return true
}

// notHold reads "never hold to expiry", "don't let it settle".
func (p *parser) notHold(i int) bool {
	j := i + 1
	for p.kind(j) == kBe || p.is(j, "to") {
		j++
	}
	switch p.kind(j) {
	case kHold, kRide:
		return p.hold(j, true)
	case kSL, kTP, kTrail:
		if p.is(j+1, "at") || p.kind(j+1) == kVal {
			return false
		}
		return p.waive(j - 1)
	}
	if p.is(i+1, "to", "until", "into") && p.isEnd(i+2) {
		return p.holdAct(i, i+3, true, exitAct{kind: xHold})
	}
	return false
}

// ownValue reports whether a price, offset or time follows the word of an exit
// at m.
func (p *parser) ownValue(m int) bool {
	saved, assumed := p.err, len(p.assumed)
	acts, _ := p.alternatives(m+1, xSold)
	refused := p.err != saved
	p.err, p.assumed = saved, p.assumed[:assumed]
	return len(acts) > 0 || refused
}

// exitBehind reads an exit whose verb comes last: "if it hits 60c, sell".
func (p *parser) exitBehind() bool {
	i := p.i
	if !p.clauseStart(i) {
		return false
	}
	k := p.kind(i)
	word := p.is(i, "at", "with", "after", "t-", "minute", "in")
	lost := p.kind(i-1) == kBut && (k == kLoss || k == kProfit || k == kMake)
	if !word && !lost && k != kIf && k != kVal && k != kPron && k != kCmp && k != kMove {
		return false
	}
	m, kind := p.mainVerb(i)
	if m < 0 || p.ownValue(m) {
		return false
	}
	saved, assumed := p.err, len(p.assumed)
	acts, end := p.alternatives(i, kind)
	if p.err != nil || len(acts) == 0 || !p.reaches(end, m) {
		if p.err == nil || k != kIf {
			p.err, p.assumed = saved, p.assumed[:assumed]
			return false
		}
		return true
	}
	m++
	if p.kind(m) == kPron {
		m++
	}
	p.apply(acts, i, m, true)
	p.mark(end, m, exitFields[acts[0].kind])
	return true
}

// clauseStart reports whether a clause begins at i.
func (p *parser) clauseStart(i int) bool {
	if i == 0 || p.isBreak(i-1) {
		return true
	}
	switch p.kind(i - 1) {
	case kAnd, kBut, kOr:
		return true
	}
	return p.is(i-1, "then")
}

// mainVerb finds the first verb of buying, selling or holding behind the
// clause that begins at i; -1 unless it is one of selling.
func (p *parser) mainVerb(i int) (int, exitKind) {
	for m := i + 1; m < len(p.sig); m++ {
		switch p.kind(m) {
		case kSell:
			if p.x(m).sub == 1 && p.is(m-1, "to", "before", "until", "at") {
				continue
			}
			return m, xSold
		case kSL:
			return m, xSL
		case kTP:
			return m, xTP
		case kBuy, kHold, kRide, kTrail, kStop, kIf, kUnless, kAvoid, kStake, kCoin, kBudget, kSample:
			return -1, 0
		}
	}
	return -1, 0
}

// reaches reports whether nothing but a comma or "then" stands in [end, m).
func (p *parser) reaches(end, m int) bool {
	for ; end < m; end++ {
		if p.kind(end) != kComma && p.kind(end) != kSoft && !p.is(end, "then") && p.kind(end) != kBe && p.kind(end) != kPron {
			return false
		}
	}
	return end == m
}
