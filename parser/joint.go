package parser

import "slices"

// joint reads the words that join conditions and clauses.
func (p *parser) joint() bool {
	i := p.i
	x := p.x(i)
	switch x.kind {
	case kIf:
		if p.sold == i && p.kind(i+1) != kEOF {
			return p.bad(i-1, i+1, "an exit with a condition of its own cannot be said; give a price or a time to sell at")
		}
		if n := len(p.conds); p.forbids && n > 0 && p.conds[n-1].isTime && p.conds[n-1].to == i && p.conds[n-1].from > p.forbidsAt {
			return p.bad(p.conds[n-1].from, i+1, "when to buy, or when not to? say each in a sentence of its own")
		}
		if p.conditionsSoFar() {
			p.push(elem{kind: eHard, at: i})
		}
		p.enterIf()
	case kUnless:
		p.push(elem{kind: eHard, at: i})
		p.enterIf()
		p.forbids = !p.forbids
		p.forbidsAt = i
	case kAnd, kPlus:
		if x.kind == kPlus && (p.kind(i-1) == kCoin || p.kind(i+1) == kCoin || p.kind(i+1) == kVal && p.kind(i-1) == kVal) {
			return false
		}
		k := eAnd
		if n := len(p.conds); p.forbids && p.inIf && p.condNext(i+1) && (n == 0 || !p.conds[n-1].isTime || p.conds[n-1].to != i || p.clockAt(i+1).n == 0) {
			k = eOr // unless both: one of them fails
		}
		p.push(elem{kind: k, at: i})
		p.between()
	case kOr:
		return p.or(i)
	case kBut:
		p.push(elem{kind: eHard, at: i})
		p.between()
		p.forbids = false
		if p.sold == i {
			p.sold = -1
		}
	case kAvoid:
		return p.forbidding(1)
	case kNot:
		return p.negation(i)
	case kWord:
		switch x.w {
		case "then":
			return p.then(i)
		case "otherwise":
			switch p.kind(i + 1) {
			case kHold, kRide, kSell, kSL, kTP, kComma:
			default:
				if (p.isBreak(i+1) || p.kind(i+1) == kEOF) && (p.kind(i-1) == kHold || p.kind(i-1) == kRide) {
					break // "hold otherwise"
				}
				if len(p.buys) == 0 && p.prohibitions > 0 && p.purchases == 0 && p.kind(i-1) == kStop && (p.kind(i+1) == kBuy || p.kind(i+1) == kTok) {
					break // "don't buy in …. Otherwise buy Down"
				}
				if p.exitWord(i + 1) {
					return true
				}
				return p.bad(i, i+2, "%s", reasons[whySwitch])
			}
			p.i++
			return true
		case "ignore":
			return p.ignoring(i)
		case "until", "without", "wait":
			return p.untilIf(i)
		}
		return false
	case kRefuse:
		if x.sub != whyAnyOf {
			return false
		}
		p.push(elem{kind: eHard, at: i})
		p.between()
		p.inIf, p.ifList = true, true
		if p.ifAt == i-1 {
			p.ifAt = -1
		}
	default:
		return false
	}
	p.i = max(p.i, i+1)
	return true
}

// enterIf begins a clause of conditions.
func (p *parser) enterIf() {
	if p.term.tok == tokUp || p.term.tok == tokDown {
		c := cond{tok: p.term.tok, how: howNamed, from: p.term.from, inIf: p.inIf}
		if m := p.otherBought(&c); m != nil {
			p.clash(m.span, p.span(p.term.from, p.i), "both sides; a strategy buys one: say \"either side\" for whichever comes first")
		}
	}
	if p.term.tok != tokNone {
		p.ell = ellipsis{tok: p.term.tok, ok: true, cond: -1}
	}
	if p.buying {
		p.emptyBuy = true
	}
	p.buying = false
	p.endIf()
	p.dropTerm()
	p.term = term{from: -1}
	p.inIf, p.ifList = true, true
	if p.kind(p.i+1) != kBuy || p.words(p.i, p.i+1) != "should" {
		p.ifAt = p.i
	}
}

// between begins the next of several conditions.
func (p *parser) between() {
	p.dropTerm()
	if p.term.tok != tokNone {
		p.ell = ellipsis{tok: p.term.tok, ok: true, cond: -1}
	}
	p.term = term{from: -1}
	if p.sold == p.i {
		p.sold = -1
	}
}

func (p *parser) conditionsSoFar() bool {
	for _, e := range slices.Backward(p.elems) {
		switch e.kind {
		case eCond:
			return true
		case eAnd, eOr:
			return false
		case eHard:
			return false
		}
	}
	return false
}

// condNext reports whether a condition begins at i.
func (p *parser) condNext(i int) bool {
	switch p.kind(i) {
	case kTok, kQty, kPron, kCmp, kMove, kCross, kNot, kOther, kBe:
		return true
	}
	return p.clockAt(i).n > 0
}

// exitNext reports whether an exit begins at i.
func (p *parser) exitNext(i int) bool {
	switch p.kind(i) {
	case kSell, kTP, kSL, kTrail, kHold, kRide, kProfit, kLoss, kMake:
		return true
	}
	return false
}

// or reads "or" between conditions. In a clause that forbids, each of them
// forbids on its own.
func (p *parser) or(i int) bool {
	if p.kind(i+1) == kBuy && p.purchases > 0 {
		p.orBuys = true
	}
	if p.kind(i-1) == kCoin && p.kind(i+1) == kCoin {
		return p.bad(i-1, i+2, "two coins; name one, or say \"any coin\"")
	}
	if p.exitNext(i + 1) {
		p.between()
		p.i++
		return true
	}
	if p.sold == i || p.kind(i-1) == kComma && p.soldComma {
		p.between()
		p.i++
		return true
	}
	if n := len(p.conds); n > 0 && p.conds[n-1].not && p.conds[n-1].to == i && p.kind(i+1) == kCmp {
		return p.bad(p.conds[n-1].from, i+2, "does \"not\" go for both? say \"not over … and not under …\"")
	}
	k := eOr
	if p.forbids {
		k = eAnd
	}
	p.push(elem{kind: k, at: i})
	p.between()
	switch w := lower(p.words(i, i+1)); w {
	case "or if", "or when", "or once":
		p.inIf, p.ifList = true, true
	}
	p.i++
	return true
}

// forbidding begins a clause that says when not to buy, n lexemes long up to
// its verb.
func (p *parser) forbidding(n int) bool {
	i := p.i
	if p.conditionsSoFar() {
		p.push(elem{kind: eHard, at: i})
	}
	p.between()
	p.forbids, p.forbidsAt = true, i
	p.buying, p.inIf = false, false
	p.prohibitions++
	p.ell = ellipsis{}
	p.i = i + n
	for p.is(p.i, "on", "of", "in", "into") && p.object(p.i+1) {
		p.i++
	}
	if p.kind(p.i) == kSide {
		p.i++
	}
	return true
}

// negation reads "not" that stands before neither a comparator nor a time: not
// Up, don't buy.
func (p *parser) negation(i int) bool {
	switch p.kind(i + 1) {
	case kBuy, kStake, kPay:
		if p.kind(i+1) == kPay {
			// "don't pay more than 40c": the comparator is negated.
			p.forbidding(1)
			p.prohibitions--
			p.unpaid = true
			return true
		}
		return p.forbidding(2)
	case kMove:
		if p.x(i+1).w == "trade" {
			return p.forbidding(2)
		}
	case kTok:
		m := mention{tok: p.x(i + 1).sub, span: p.span(i, i+2), at: i}
		p.nots = append(p.nots, m)
		p.take(i+2, fieldSide)
		p.skipSide()
		return true
	case kSell:
		j := i + 2
		for p.kind(j) == kPron {
			j++
		}
		if p.is(j, "before", "until") && p.isEnd(j+1) {
			j += 2
		}
		if p.isBreak(j) {
			p.apply([]exitAct{{kind: xHold, from: i, to: j, span: p.span(i, j)}}, i, j, false)
			return true
		}
		return p.bad(i, i+2, "when not to sell cannot be said; say when to sell")
	}
	return false
}

// then reads "then" where it only leads to what follows: to the purchase behind
// its condition, or to the exit behind the purchase. Anything else is one thing
// after another.
func (p *parser) then(i int) bool {
	if p.is(i+1, "to") && (p.kind(i+2) == kBuy || p.kind(i+2) == kSell || p.kind(i+2) == kStake) {
		i++
	}
	switch k := p.kind(i + 1); k {
	case kBuy, kStake:
		if p.purchases == 0 {
			p.i = i + 1
			return true
		}
	case kSell, kTP, kSL, kHold, kRide, kTrail, kProfit, kLoss, kMake, kStop, kEOF, kComma, kColon:
		p.i = i + 1
		return true
	case kPron:
		p.i++
		return true
	case kWord:
		if p.is(i+1, "at", "with") && p.purchases > 0 && p.exitFollows(i+1) {
			p.i++
			return true
		}
	}
	return p.bad(i, i+2, "one thing after another cannot be said: all conditions hold at one instant")
}

// exitFollows reports whether the clause at i is an exit whose verb comes last.
func (p *parser) exitFollows(i int) bool {
	m, _ := p.mainVerb(i)
	return m > 0 && !p.ownValue(m)
}

// untilIf reads "wait until it drops below 35c" as if, and passes over a
// dangling "without".
func (p *parser) untilIf(i int) bool {
	if p.is(i, "wait") && p.is(i+1, "for", "until") {
		p.enterIf()
		p.i = i + 2
		p.ifAt = i
		return true
	}
	if p.is(i, "until") && (p.is(i-1, "wait") || p.kind(i-1) == kAvoid) {
		if p.kind(i-1) == kAvoid {
			p.forbids = false
			p.prohibitions--
		}
		p.enterIf()
		p.i++
		return true
	}
	return false
}

// ignoring passes over a quantity that is waived: ignore the spread.
func (p *parser) ignoring(i int) bool {
	j := i + 1
	for p.kind(j) == kQty || p.kind(j) == kRound || (p.kind(j) == kAnd || p.kind(j) == kOr || p.kind(j) == kComma && p.kind(j+1) == kQty) && j > i+1 {
		j++
	}
	if j == i+1 || !p.isBreak(j) && p.kind(j) != kBut {
		return p.bad(i, j, "what is to be left out? leave it out of the prompt")
	}
	p.i = j
	return true
}

// vague reads an amount without a number: only where the number follows, as in
// "cheap (under 35c)".
func (p *parser) vague() bool {
	i := p.i
	x := p.x(i)
	if x.kind != kVague {
		return false
	}
	if k := p.kind(i + 1); x.w == "about" && k != kVal && k != kCmp && k != kWord && k != kEOF && !p.isBreak(i+1) {
		p.keepSold(i+1, fieldNone)
		return true
	}
	if i == 0 && p.kind(1) == kColon && x.w != "~" {
		p.i = 2 // a title: "momentum: buy Up when …"
		return true
	}
	j := i + 1
	for p.kind(j) == kQty && x.w != "~" || p.kind(j) == kSide || p.kind(j) == kRound {
		j++
	}
	q := qNone
	if x.w == "tight" || x.w == "wide" {
		q = qSpread
		if p.kind(i-1) == kQty && p.x(i-1).sub != qSpread || p.kind(j-1) == kQty && p.x(j-1).sub != qSpread {
			q = qNone
		}
	}
	switch p.kind(j) {
	case kColon, kOpenParen, kComma:
	case kSoft:
	default:
		return false
	}
	if p.kind(j) == kComma && q == qNone && x.sub != whyVaguePrice && x.sub != whyVagueTime {
		return false
	}
	k := j + 1
	if c := p.clockAt(k); x.sub == whyVagueTime {
		if c.n == 0 {
			return false
		}
		p.i = j
		return true
	}
	if p.kind(k) == kQty && x.sub == whyVagueDepth && p.kind(j) == kOpenParen {
		r := p.readPredicate(k + 1)
		if r.n == 0 || r.fault != "" {
			return false
		}
		p.i = j
		return true
	}
	r := p.readPredicate(k)
	if r.n == 0 || r.fault != "" || r.kind != predLevel {
		return false
	}
	switch {
	case q == qSpread && (x.w == "tight") == (r.cmp == cmpLT || r.cmp == cmpLTE):
		p.begin()
		p.term.qty = qSpread
		p.i = j + 1
		if p.kind(j) == kOpenParen {
			p.push(elem{kind: eOpen, at: j})
		}
		return true
	case q == qNone && x.sub == whyVaguePrice && p.term.qty == qNone:
		tok := p.term.tok
		p.i = j
		if tok != tokNone {
			p.ell = ellipsis{tok: tok, ok: true, cond: -1}
			p.term = term{from: -1}
		}
		return true
	}
	return false
}

// soft passes over small words that set nothing where they stand.
func (p *parser) soft() bool {
	i := p.i
	switch x := p.x(i); x.kind {
	case kBe, kPer, kSide, kBudget, kSample, kRound, kEntryCue, kPron:
		if x.kind == kSample && x.w == "n" || x.kind == kPer && p.kind(i-1) == kVal && p.isTradeWord(i) {
			return false
		}
		if x.kind == kBe && lower(p.words(i, i+1)) == "trades" {
			p.i++
			return true
		}
	case kEq:
		if p.kind(i-1) == kEntryCue && p.kind(i+1) == kQty {
			break // entry=price<0.4
		}
		if k := p.kind(i + 1); k != kCoin && k != kAnyCoin || i > 0 && p.sig[i] == p.sig[i-1]+1 {
			return false // coin = ETH
		}
	case kStake:
	case kFirst:
		switch k := p.kind(i + 1); k {
		case kSL, kTP, kTrail, kMove, kCross, kBe:
		case kIf, kAnd, kBuy:
			if p.lastTok != tokHeld {
				return false
			}
		default:
			if p.lastTok != tokHeld || !p.isBreak(i+1) {
				return false
			}
		}
	case kMove:
		if x.w == "go" && p.is(i+1, "to") && (p.kind(i+2) == kBuy || p.kind(i+2) == kSell || p.kind(i+2) == kStake || p.kind(i+2) == kHold) {
			p.keepSold(i+2, fieldNone) // I am going to buy
			return true
		}
		if x.w != "trade" {
			return false
		}
	case kTrades:
		if p.kind(i-1) == kVal {
			return false
		}
	case kMean:
		if p.corrected {
			return false
		}
	case kWord:
		if p.is(i, "of") && p.kind(i-1) == kVal && p.partOfBook(i) {
			return false // "three quarters of the book"
		}
		if p.is(i, "by") && p.kind(i+1) == kQty && p.x(i+1).sub == qPrice && p.kind(i-1) == kTok {
			break // "enter Up by price below 40c"
		}
		if p.is(i, "one") && (p.kind(i-1) == kCoin || p.kind(i-1) == kRound || p.x(i-1).field == fieldType) {
			break
		}
		if k := p.kind(i + 1); p.is(i, "to") && p.sig[i]+1 < int32(len(p.all)) && p.all[p.sig[i]+1].kind == kFill && k != kVal && k != kCmp && k != kPost && k != kWord {
			break
		}
		if p.is(i, "before") && p.kind(i+1) == kBuy && p.purchases == 0 {
			break
		}
		if p.is(i, "to") {
			switch p.kind(i + 1) {
			case kBuy, kStake, kSell, kHold, kRide, kPay, kTP, kSL, kTrail, kMake, kMove, kCross, kBe, kSample, kAvoid, kCanBuy:
			default:
				return false
			}
		} else if !p.is(i, "at", "on", "of", "in", "for", "with", "as", "into") {
			return false
		}
	default:
		return false
	}
	p.keepSold(i+1, fieldNone)
	return true
}

// partOfBook reports whether a word for the whole book stands behind lexeme i.
func (p *parser) partOfBook(i int) bool {
	for k := p.sig[i] + 1; int(k) < len(p.all) && p.all[k].kind == kFill; k++ {
		switch p.all[k].w {
		case "book", "the book", "order book", "orderbook":
			return true
		}
	}
	return false
}

// afterExit decides about a time behind an exit that nothing divides from it,
// or only a comma: it is refused where it may belong to either.
func (p *parser) afterExit(from, end int, c clockRef) bool {
	tail := c.form == formLeft || c.form == formInto || c.form == formAfter || c.form == formExact || c.form == formBefore || c.form == formNoBound
	switch {
	case p.sold == from && (p.soldVerb || tail):
	case p.sold == from:
		return false
	case p.soldComma && tail && !p.inIf && p.purchases > 0 && c.form != formExact:
	default:
		return false
	}
	return p.bad(from, end, "when to buy, or when to sell? begin a sentence with it, such as \"Buy only %s\" or \"Exit %s\"", p.words(from, end), p.words(from, end))
}
