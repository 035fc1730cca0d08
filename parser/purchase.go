package parser

// purchase reads verbs of buying and what is bought.
func (p *parser) purchase() bool {
	x := p.x(p.i)
	switch x.kind {
	case kBuy:
	case kStake:
		// "bet Up", "put it on Down"; money has been read before.
		if !p.stakeBuys(p.i + 1) {
			return false
		}
	case kWord:
		if x.w != "back" || !p.clauseStart(p.i) && p.kind(p.i-1) != kIf || !p.object(p.i+1) || p.kind(p.i+1) == kPron {
			return false
		}
	case kMove:
		if x.w != "go" || p.kind(p.i+1) != kHigher && !p.goesTo(p.i) || p.inIf {
			return false
		}
	case kSide:
		return p.sideLabel()
	case kPay:
		p.buying = false
		return false
	default:
		return false
	}
	i := p.i
	if p.forbids && !p.inIf && p.forbidsAt != i {
		return p.bad(p.forbidsAt, i+1, "when to buy, or when not to? say one")
	}
	if p.takesProfit(i) || p.kind(i+1) == kProfit {
		return false
	}
	p.forbids = false
	if p.ifAt >= 0 && p.supposes(p.ifAt, i) {
		p.ifAt = -1
	}
	p.endIf()
	p.dropTerm()
	p.term = term{from: -1}
	p.ell = ellipsis{}
	p.purchases++
	if x.w == "only buy" {
		p.purchases--
	}
	p.buying, p.buyingAt = true, i
	p.soldComma = false
	p.inIf, p.ifList = false, false
	p.take(i+1, fieldSide)
	for p.is(p.i, "on", "of", "in", "into", "at") && p.object(p.i+1) {
		p.i++
	}
	if k := p.kind(p.i + 1); p.is(p.i, "no") && (!p.isLabelAfterNo(p.i+1) || k == kHold || k == kRide || (k == kTP || k == kSL || k == kTrail || k == kSell) && p.ownValue(p.i+1)) {
		return p.bought(tokDown, p.i)
	}
	return true
}

// goesTo reports whether "go" at i begins a clause of its own and names what is
// bought: "-> go Down".
func (p *parser) goesTo(i int) bool {
	return lower(p.words(i, i+1)) == "go" && p.clauseStart(i) && p.kind(i+1) == kTok && (p.isBreak(i+2) || p.kind(i+2) == kIf)
}

// supposes reports whether the if at i only leads to the purchase at j: "if I
// bought Up", "if on each BTC market I had bought Up".
func (p *parser) supposes(i, j int) bool {
	if w := lower(p.words(i, i+1)); w != "if" && w != "what if" && w != "should" && w != "where" && w != "when" {
		return false
	}
	for k := p.sig[i] + 1; k < p.sig[j]; k++ {
		switch x := &p.all[k]; x.kind {
		case kCoin, kRound, kPer, kLenWord, kComma, kAnyCoin, kAnyLen, kAnd:
		case kVal:
			if x.v.unit != uTime {
				return false
			}
		case kWord:
			switch x.w {
			case "on", "in", "at", "for", "of", "to":
			default:
				return false
			}
		case kFill:
			switch x.w {
			case "i", "we", "you", "had", "have", "'d", "just", "always", "simply", "were", "was", "would", "could", "only", "the", "a", "an", "each", "'ve", "she", "he", "someone", "to", "i'd", "do", "did":
			default:
				return false
			}
		case kBe:
		default:
			return false
		}
	}
	return true
}

// takesProfit reports whether "take" at i begins "take 6 cents profit".
func (p *parser) takesProfit(i int) bool {
	v := p.x(i + 1)
	if v.kind != kVal {
		return false
	}
	k := p.kind(i + 2)
	return k == kProfit || k == kMove && p.x(i+2).w == "rise" || k == kMake
}

// object reports whether what stands at i can be bought.
func (p *parser) object(i int) bool {
	switch p.kind(i) {
	case kTok:
		return true
	case kEither, kFav, kOther, kPron, kHigher:
		return true
	}
	return p.is(i, "no") && !p.isLabelAfterNo(i+1)
}

// stakeBuys reports whether what follows bet, put, … is what it is put on.
func (p *parser) stakeBuys(i int) bool {
	for p.is(i, "on", "in", "into", "for") || p.kind(i) == kPron && p.is(i+1, "on", "into", "in") {
		i++
	}
	return p.object(i)
}

// bought reads the token at i as what is bought.
func (p *parser) bought(tok int16, i int) bool {
	p.buying = false
	m := mention{tok: tok, span: p.span(i, i+1), at: i}
	p.i = i
	p.take(i+1, fieldSide)
	p.skipSide()
	if k := p.kind(p.i); (k == kAnd || k == kSlash) && p.otherToken(p.i+1, tok) {
		return p.clash(m.span, p.span(p.i+1, p.i+2), "both sides; a strategy buys one: say \"either side\" for whichever comes first")
	}
	if p.kind(p.i) == kOr && p.otherToken(p.i+1, tok) && !p.ownPredicate(p.i+2) {
		m.tok = tokHeld
		p.take(p.i+2, fieldSide)
		p.skipSide()
		p.buys = append(p.buys, m)
		p.ell = ellipsis{tok: tokHeld, ok: true, cond: -1}
		p.lastTok = tokHeld
		return true
	}
	p.buys = append(p.buys, m)
	p.lastTok = tok
	p.ell = ellipsis{tok: tok, ok: true, cond: -1}
	return true
}

// ownPredicate reports whether a comparison of its own stands at i: "Up below
// 35c or Down below 35c".
func (p *parser) ownPredicate(i int) bool {
	r := p.readPredicate(i)
	return r.n > 0
}

func (p *parser) otherToken(i int, tok int16) bool {
	return p.kind(i) == kTok && p.x(i).sub != tok && !p.isDirection(i)
}

// sideLabel reads "side: down".
func (p *parser) sideLabel() bool {
	j := p.i + 1
	for p.kind(j) == kColon || p.kind(j) == kEq || p.kind(j) == kBe {
		j++
	}
	if j == p.i+1 || !p.object(j) || p.kind(j) == kPron {
		return false
	}
	p.take(j, fieldSide)
	x := p.x(j)
	switch x.kind {
	case kTok, kHigher:
		return p.bought(x.sub, j)
	}
	p.buying = true
	return true
}

// either reads "whichever side".
func (p *parser) either() bool {
	i := p.i
	if p.x(i).sub == 1 && p.correlative(i) {
		p.push(elem{kind: eHard, at: i})
		p.between()
		if p.ifAt == i-1 && i > 0 {
			p.ifAt = i // "if either …": the clause is still to come
		}
		p.i++
		for p.kind(p.i) == kColon || p.is(p.i, "with") {
			p.i++
		}
		return true
	}
	if p.forbids {
		return p.bad(i, i+1, "not on either side leaves nothing to buy")
	}
	m := mention{tok: tokHeld, span: p.span(i, i+1), at: i}
	p.buying = false
	p.buys = append(p.buys, m)
	p.begin()
	p.term.tok = tokHeld
	p.lastTok = tokHeld
	p.take(i+1, fieldSide)
	if p.kind(p.i) == kTok && !p.isDirection(p.i) && p.kind(p.i+1) == kOr && p.otherToken(p.i+2, p.x(p.i).sub) {
		p.take(p.i+3, fieldSide) // either Up or Down
	}
	p.skipSide()
	return true
}

// correlative reports whether "either" at i goes with an "or" between two
// conditions: "either the price is over 70c or the spread is under 2c".
func (p *parser) correlative(i int) bool {
	switch p.kind(i + 1) {
	case kBe, kMove, kCmp, kCross:
		if p.kind(i-1) == kIf || p.kind(i-1) == kBuy || i == 0 {
			return false // "if either is below 30c"
		}
	case kComma, kEOF, kStop, kSide:
		return false
	case kTok:
		if p.kind(i+2) == kOr && p.otherToken(i+3, p.x(i+1).sub) {
			return false
		}
	}
	if p.kind(i-1) == kBuy {
		return false
	}
	said := false
	for j := i + 1; j < len(p.sig) && p.kind(j) != kStop; j++ {
		switch p.kind(j) {
		case kVal, kCmp:
			said = true
		case kOr:
			return said
		case kBuy, kSell, kTP, kSL:
			return false
		}
	}
	return false
}

// favorite reads the favorite or the underdog.
func (p *parser) favorite() bool {
	i := p.i
	x := p.x(i)
	if p.forbids {
		return p.bad(i, i+1, "say which side to buy, not which one to leave")
	}
	m := mention{tok: x.sub, span: p.span(i, i+1), at: i}
	p.fav = append(p.fav, m)
	p.buys = append(p.buys, mention{tok: tokHeld, span: m.span, at: i})
	p.buying = false
	p.begin()
	p.term.tok = tokHeld
	p.lastTok = tokHeld
	p.take(i+1, fieldSide)
	p.skipSide()
	p.ell = ellipsis{tok: tokHeld, ok: true, cond: -1}
	return true
}

// higher reads "bet higher" as Up, and pictures that point.
func (p *parser) higher() bool {
	x := p.x(p.i)
	if x.w == "picture" {
		p.hints = append(p.hints, mention{tok: x.sub, span: p.span(p.i, p.i+1), at: p.i})
		p.i++
		return true
	}
	if p.buying && !p.inIf && !p.is(p.i+1, "than") {
		return p.bought(x.sub, p.i)
	}
	return false
}

// isLabelAfterNo reports whether "no" with lexeme i behind it is a negation.
func (p *parser) isLabelAfterNo(i int) bool {
	switch p.kind(i) {
	case kSL, kTP, kTrail, kHold, kSell, kBuy, kStake, kRound, kTrades, kAvoid, kLoss, kProfit, kVague, kRide, kQty, kBudget, kSample:
		return true
	}
	return false
}

// no reads the word "no": the Down token as a noun, or a negation.
func (p *parser) no() bool {
	i := p.i
	switch p.kind(i + 1) {
	case kSL, kTP, kTrail, kHold, kSell, kRide:
		return false // read with the exits
	case kBuy, kStake:
		return p.forbidding(2)
	case kBe:
		if p.kind(i+2) != kNot {
			return p.subject(tokDown)
		}
	case kCmp, kMove, kCross, kSide:
		return p.subject(tokDown)
	case kQty:
		switch lower(p.words(i+1, i+2)) {
		case "costs", "cost", "goes for", "sells for", "sells at", "can be bought", "can be bought at", "can be bought for", "can be had for":
			return p.subject(tokDown)
		}
	case kVal:
		if u := p.x(i + 1).v.unit; u == uCent || u == uNone && p.x(i+1).v.n < micro {
			return p.subject(tokDown)
		}
	case kWord:
		if p.is(i+1, "at") {
			return p.subject(tokDown)
		}
	case kComma, kStop:
		if i == 0 || p.isBreak(i-1) {
			p.i++
			return true // "No, …": an answer
		}
		if p.kind(i-1) == kOr && p.kind(i-2) == kTok {
			return p.subject(tokDown)
		}
	}
	return p.bad(i, i+2, "a negation that cannot be read; say what must hold")
}
