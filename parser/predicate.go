package parser

// predKind says what a predicate asserts.
type predKind uint8

const (
	predLevel  predKind = iota // a comparison with a value
	predAt                     // at a value, without a comparator
	predHit                    // reaches a value from either side
	predRange                  // between two values
	predCross                  // crosses a value
	predChange                 // moved by a value within a look-back
	predStill                  // has not moved by a value within a look-back
)

// predicate is what is said of a subject, read from n lexemes.
type predicate struct {
	n      int
	kind   predKind
	cmp    comparison // for predChange: of the size of the move
	up     bool
	not    bool
	at     int // where the value stands
	hi     int // where the upper value of a range stands
	verb   bool
	win    tval
	hasWin bool
	fault  string // why it cannot be read; n says how far it goes
}

// isDirection reports whether the Up or Down at i is a direction: behind a verb
// of being or moving, with a size, a value or a comparator behind it.
func (p *parser) isDirection(i int) bool {
	if p.kind(i) != kTok || p.x(i).w == "no token" || p.x(i).sub == tokHeld {
		return false
	}
	j := i - 1
	if p.is(j, "back") {
		j--
	}
	verb := p.x(j)
	switch verb.kind {
	case kBe, kMove, kCross:
	case kNot:
		if p.kind(j-1) != kBe {
			return false
		}
	default:
		return false
	}
	k := i + 1
	if p.is(k, "back") {
		k++
	}
	n := p.x(k)
	switch n.kind {
	case kVal:
		return verb.kind != kBe || p.x(j).w != "'s" || true
	case kCmp:
		if n.sub == cmpLTE && n.w == "up to" {
			return true
		}
		return verb.kind == kMove || verb.kind == kCross || n.w == "more than" || n.w == "at least" || n.w == "less than" || n.w == "at most" ||
			(n.w == "over" || n.w == "above" || n.w == "past") && p.x(i).sub == tokUp || (n.w == "under" || n.w == "below" || n.w == "over") && p.x(i).sub == tokDown
	case kWord:
		return p.is(k, "to", "by", "through", "at", "from", "in") && (!p.is(k, "at", "from", "in") || verb.kind == kMove)
	}
	return false
}

// readPredicate reads a predicate at i without changing anything.
func (p *parser) readPredicate(i int) predicate {
	r := predicate{}
	j := i
	be, perfect := false, false
loop:
	for {
		switch p.kind(j) {
		case kBe:
			be = true
			perfect = perfect || p.x(j).w == "been"
		case kNot:
			r.not = !r.not
			if w := p.t.slice(p.x(j).start, p.x(j).end); len(w) > 2 && (w[0] == 'h' || w[0] == 'H') {
				perfect = true
			}
		default:
			break loop
		}
		j++
	}
	dir, move := int16(0), int16(0)
	switch {
	case p.kind(j) == kMove:
		move = p.x(j).sub
		j++
		r.verb = true
		if p.is(j, "back") {
			j++
		}
		if p.kind(j) == kTok && p.isDirection(j) {
			dir = p.x(j).sub
			j++
			if p.is(j, "back") {
				j++
			}
		} else if p.kind(j) == kHigher && move == moveGo {
			return predicate{}
		}
	case p.kind(j) == kTok && (be || p.kind(i-1) == kBe) && p.isDirection(j):
		dir = p.x(j).sub
		r.verb = true
		j++
	case p.kind(j) == kLoss && p.losing(j):
		move = moveDown
		r.verb = true
		j++
	case p.kind(j) == kCross:
		return p.readCross(i, j, r)
	case p.kind(j) == kHold && p.kind(j+1) == kCmp, p.kind(j) == kLeft && p.x(j+1).kind == kCmp && p.x(j).w == "left" && !be:
		j++ // holds above, remains below
	}
	r.verb = r.verb || be
	up := dir == tokUp || dir == 0 && move == moveUp
	down := dir == tokDown || dir == 0 && move == moveDown
	if dir != 0 && (move == moveUp && down || move == moveDown && dir == tokUp) {
		return predicate{}
	}
	out := p.readComplement(i, j, r, up, down, be, move)
	if out.n > 0 && perfect && out.kind != predChange && out.kind != predStill {
		out.fault = "what has been so far cannot be compared; say what is true at one instant"
	}
	return out
}

// losing reports whether the word at j, lost or loses, is said of a price: a
// size and a look-back follow.
func (p *parser) losing(j int) bool {
	switch lower(p.words(j, j+1)) {
	case "lose", "loses", "losing", "lost", "lose more than":
	default:
		return false
	}
	k := j + 1
	if p.kind(k) == kCmp {
		k++
	}
	if p.kind(k) != kVal {
		return false
	}
	k++
	if p.kind(k) == kPost {
		k++
	}
	_, n := p.window(k)
	return n > 0 || p.term.hasWin
}

// readCross reads "crosses up through 62c", "breaks below 30c".
func (p *parser) readCross(i, j int, r predicate) predicate {
	r.kind, r.verb = predCross, true
	k := j + 1
	if p.kind(k) == kSell {
		k++
	}
	dir := 0
	for {
		x := p.x(k)
		switch {
		case x.kind == kTok && x.sub == tokUp && dir >= 0 && x.w == "up":
			dir = 1
		case x.kind == kTok && x.sub == tokDown && dir <= 0 && x.w == "down":
			dir = -1
		case x.kind == kCmp && (x.w == "above" || x.w == "over" || x.w == "past") && dir >= 0:
			dir = 1
		case x.kind == kCmp && (x.w == "below" || x.w == "under") && dir <= 0:
			dir = -1
		case p.is(k, "back"):
		case p.is(k, "through", "to", "at", "from", "into"):
			if p.is(k, "from") {
				return r.broken(k+1-i, "say \"crosses above\" or \"crosses below\" with the price")
			}
		default:
			if x.kind == kVal {
				return p.crossValue(i, k, dir, r)
			}
			return predicate{}
		}
		k++
	}
}

func (r predicate) broken(n int, why string) predicate {
	r.n, r.fault = n, why
	return r
}

// crossValue ends a crossing at its value, with what may stand behind it.
func (p *parser) crossValue(i, k, dir int, r predicate) predicate {
	r.at = k
	k++
	if p.is(k, "from") && p.kind(k+1) == kCmp {
		switch w := p.x(k + 1).w; {
		case (w == "below" || w == "under") && dir >= 0:
			dir, k = 1, k+2
		case (w == "above" || w == "over") && dir <= 0:
			dir, k = -1, k+2
		default:
			return r.broken(k+2-i, "this goes against the direction of the crossing")
		}
	}
	if p.is(k, "to", "on") && p.kind(k+1) == kHigher {
		return r.broken(k+2-i, "say \"crosses above\" or \"crosses below\"")
	}
	if p.kind(k) == kTok && dir == 0 && p.isBreak(k+1) {
		dir = 1
		if p.x(k).sub == tokDown {
			dir = -1
		}
		k++
	}
	r.n = k - i
	switch {
	case dir == 0 && p.is(r.at-1, "through") && p.halfOrMore(r.at):
		r.up = true
		return r
	case dir == 0:
		return r.broken(r.n, "this does not say which way; say \"crosses above\" or \"crosses below\"")
	case r.not:
		return r.broken(r.n, "a crossing that does not happen cannot be a condition; say \"above\" or \"below\"")
	}
	r.up = dir > 0
	return r
}

// valuedNext reports whether "higher" or "lower" at j compares a quantity with
// the price behind it: "at price lower 0.4".
func (p *parser) valuedNext(j int) bool {
	if p.kind(j-1) != kQty && p.kind(j-1) != kTok && (p.kind(j-1) != kBe || p.kind(j-2) != kQty && p.kind(j-2) != kTok) {
		return false
	}
	switch v := p.x(j + 1).v; v.unit {
	case uCent, uFrac:
		return v.sign == 0
	case uDollar, uNone:
		return v.sign == 0 && (v.n < micro || v.unit == uNone && v.n >= 2*micro && v.n < 100*micro)
	}
	return false
}

// halfOrMore reports whether the value at i is a price of 0.50 or more.
func (p *parser) halfOrMore(i int) bool {
	switch v := p.x(i).v; v.unit {
	case uCent:
		return v.n >= 50*micro
	case uDollar:
		return v.n >= micro/2
	case uNone:
		return v.n >= 50*micro || v.n >= micro/2 && v.n < micro
	case uFrac:
		return 2*v.num >= v.den
	}
	return false
}

// readComplement reads what stands behind the verb at j: a comparator and a
// value, "to" a value, "by" a value, a range.
func (p *parser) readComplement(i, j int, r predicate, up, down, be bool, move int16) predicate {
	moves := up || down || move == moveGo && r.not
	to := false
	by := false
	switch {
	case p.is(j, "to", "at", "into", "for") || p.is(j, "as"):
		to = true
		j++
	case p.is(j, "by"), p.is(j, "of") && (up || down):
		if !up && !down && move != moveGo {
			return predicate{}
		}
		by = true
		j++
	case p.is(j, "from") && move == 0 && !r.verb:
		return p.readRange(i, j+1, r, false)
	case p.is(j, "from"):
		if move != 0 {
			k := j + 2
			return r.broken(min(k, len(p.sig))-i, "where a price came from cannot be a condition; say where it is, or \"falls by … in the last …\"")
		}
		return predicate{}
	case p.is(j, "between") || p.is(j, "in") && p.x(j+1).kind == kVal && p.x(j+1).v.unit == uDecade:
		return p.readRange(i, j+1, r, p.is(j, "between"))
	case p.is(j, "back"):
		return predicate{}
	}
	x := p.x(j)
	if x.kind == kWord && to && p.is(j, "between", "in") {
		return p.readRange(i, j+1, r, p.is(j, "between"))
	}
	c, cmpWord := cmpNone, ""
	if x.kind == kHigher && (move == 0 && p.kind(j+1) == kVal && p.valuedNext(j)) {
		if c, cmpWord = cmpGT, "above"; x.sub == tokDown {
			c, cmpWord = cmpLT, "below"
		}
		j++
		x = p.x(j)
	} else if x.kind == kCmp {
		c, cmpWord = x.sub, x.w
		j++
		if p.is(j, "at", "of", "from") && p.kind(j+1) == kVal {
			j++
		}
		x = p.x(j)
	}
	if x.kind == kVal && c == cmpNone && (p.rangeWord(j+1) || p.is(j+1, "to")) && p.x(j+2).kind == kVal && p.rangeable(j, j+2) {
		if by || (up || down) && !to {
			return predicate{}
		}
		return p.readRange(i, j, r, false)
	}
	if x.kind != kVal {
		return predicate{}
	}
	if x.v.unit == uDecade && c == cmpNone && !moves {
		return p.readRange(i, j, r, false)
	}
	switch x.v.unit {
	case uTime, uOrd, uClock, uDays:
		return predicate{}
	}
	r.at = j
	j++
	if p.kind(j) == kPer && (p.x(j).w == "per trade") && false {
		return predicate{}
	}
	post := cmpNone
	if p.kind(j) == kPost {
		post = p.x(j).sub
		j++
	} else if k := p.kind(j); k == kCmp && (p.x(j).w == "at most" || p.x(j).w == "at least") && lower(p.words(j, j+1)) != "min" && p.kind(j+1) != kVal && !p.is(j+1, "of") {
		post = p.x(j).sub
		j++
	}
	if post != cmpNone && c != cmpNone {
		return predicate{}
	}
	if x := p.x(r.at - 1); x.kind == kCmp && len(p.words(r.at-1, r.at)) > 3 && lower(p.words(r.at-1, r.at))[:3] == "as " {
		moves = false // "falls as low as 35c"
	}
	sized := c == cmpNone || cmpWord == "more than" || cmpWord == "at least" || cmpWord == "at most" || cmpWord == "less than"
	switch {
	case moves && !to && sized || by:
		return p.readChange(i, j, r, up, down, c, post)
	case be && (up || down) && move == 0 && !to:
		if cmpWord == "over" || cmpWord == "above" && up {
			if _, n := p.window(j); n > 0 || down {
				return p.readChange(i, j, r, up, down, cmpGT, post)
			}
		}
	}
	r.n = j - i
	if k := p.x(j); c == cmpNone && post == cmpNone && k.kind == kCmp && p.kind(j+1) == kVal {
		if u := p.x(j + 1).v; u.unit == uCent || u.unit == uNone || u.unit == uDollar && u.n < micro || u.unit == uFrac {
			return r.broken(j+2-i, "two prices; say the one that counts, such as \"below 40c\"")
		}
	}
	switch {
	case c != cmpNone:
		r.kind, r.cmp = predLevel, c
		if cmpWord == "up to" && (up || down || move == moveGo) {
			if r.cmp = cmpGTE; down {
				return predicate{}
			}
		}
		if (cmpWord == "over" || cmpWord == "above" || cmpWord == "past") && down && move != 0 {
			return r.broken(r.n, "this falls and is above at once; say \"falls below\", \"falls to\" or \"falls by\"")
		}
		if (cmpWord == "under" || cmpWord == "below") && up {
			return r.broken(r.n, "this rises and is below at once; say \"rises above\", \"rises to\" or \"rises by\"")
		}
		if (cmpWord == "over" || cmpWord == "under") && (up || down) {
			if _, n := p.window(j); n > 0 {
				return r.broken(r.n+n, "this may be a price or the size of a move; say \"above\" or \"by more than\"")
			}
		}
	case post != cmpNone:
		r.kind, r.cmp = predLevel, post
		if down && post == cmpGTE || up && post == cmpLTE {
			return r.broken(r.n, "this says two directions at once")
		}
	case down:
		r.kind, r.cmp = predLevel, cmpLTE
	case up:
		r.kind, r.cmp = predLevel, cmpGTE
	case move == moveTo || move == moveGo && to && p.is(r.at-1, "to"):
		r.kind = predHit
	case move == moveGo && !to:
		return predicate{}
	default:
		r.kind = predAt
	}
	return r
}

// readRange reads two values, or a decade, from j on.
func (p *parser) readRange(i, j int, r predicate, between bool) predicate {
	r.kind = predRange
	lo := p.x(j)
	if lo.kind != kVal {
		return predicate{}
	}
	// Whether a second value is to follow.
	two := p.rangeWord(j+1) || between && p.kind(j+1) == kAnd
	if lo.v.unit == uDecade && !two {
		r.at, r.hi, r.n = j, j, j+1-i
		return r
	}
	if !two || p.kind(j+2) != kVal || !p.rangeable(j, j+2) {
		return predicate{}
	}
	r.at, r.hi, r.n = j, j+2, j+3-i
	return r
}

// rangeable reports whether the values at a and b can be the ends of one range.
func (p *parser) rangeable(a, b int) bool {
	u, v := p.x(a).v, p.x(b).v
	price := func(x unit) bool { return x == uNone || x == uCent || x == uDollar || x == uFrac }
	if !price(u.unit) || !price(v.unit) || v.sign < 0 && p.kind(a+1) != kAnd {
		return false
	}
	if u.unit != v.unit && u.unit != uNone && v.unit != uNone {
		return u.unit == uDollar && v.unit == uCent || u.unit == uCent && v.unit == uDollar && v.n < micro
	}
	if p.kind(a+1) == kSoft {
		switch p.kind(b + 1) {
		case kRound, kTrades, kPer, kSample, kBe, kCoin:
			return false // "50c - nine rounds"
		}
		if v.unit == uDollar && v.n >= micro && u.unit == uNone {
			return false
		}
	}
	return true
}

// readChange ends a change at j, behind its size: with its look-back, when it
// stands there.
func (p *parser) readChange(i, j int, r predicate, up, down bool, c, post comparison) predicate {
	r.kind, r.up = predChange, up
	if r.cmp = c; c == cmpNone {
		r.cmp = cmpGTE
	}
	if post != cmpNone {
		r.cmp = post
	}
	if !up && !down {
		r.kind = predStill
	}
	r.n = j - i
	if t, n := p.window(j); n > 0 {
		r.win, r.hasWin = t, true
		r.n += n
	}
	if (r.cmp == cmpLT || r.cmp == cmpLTE) && r.kind == predStill {
		r.fault = "a move either way by less than that cannot be read; say \"has not moved by more than …\""
	}
	return r
}

// window reads a look-back at i: in 2 minutes, in the last minute, over the
// past 90 seconds.
func (p *parser) window(i int) (tval, int) {
	j := i
	prep := false
	if p.is(j, "in", "within", "during", "for", "on") || p.kind(j) == kCmp && p.x(j).w == "over" {
		prep = !p.is(j, "for", "on")
		j++
	}
	last := false
	if p.kind(j) == kLast || p.kind(j) == kCmp && p.x(j).w == "past" {
		last = true
		j++
	}
	if !prep && !last {
		return tval{}, 0
	}
	t, n := p.duration(j)
	if n == 0 && last {
		t, n = p.stretch(j)
		if t.den != 0 {
			n = 0
		}
	}
	if n == 0 {
		return tval{}, 0
	}
	j += n
	if p.leftAt(j) > 0 || p.goneAt(j, false) > 0 && !p.is(j, "in") {
		return tval{}, 0
	}
	if p.kind(j) == kRound && !last && p.x(j).w == "market" && isSpanWord(p.words(j, j+1)) {
		j++
	}
	return t, j - i
}

// isSpanWord reports whether the word, though it also means a market, can
// stand behind a look-back: in a 2 minute window.
func isSpanWord(w string) bool {
	switch w {
	case "window", "interval", "span", "Window":
		return true
	}
	return false
}
