package parser

// clockWord reads a time phrase that begins with a small word.
func (p *parser) clockWord(j int, prep string) clockRef {
	switch p.x(j).w {
	case "within":
		return p.clockWithin(j)
	case "after", "since", "from":
		return p.clockAfter(j)
	case "before":
		return p.clockBefore(j)
	case "until", "by":
		return p.clockUntil(j)
	case "between":
		return p.clockBetween(j)
	case "wait":
		return p.clockWait(j)
	case "halfway", "minute", "second", "hour", "t+":
		return p.clockMark(j, prep)
	case "t-":
		if t, n := p.duration(j + 1); n > 0 {
			return oneBound(1+n, formLeft, bound{remaining: true, cmp: cmpLTE, at: t})
		}
	}
	return clockRef{}
}

// clockMark reads "minute 5", "halfway", "minutes 2 to 6".
func (p *parser) clockMark(j int, prep string) clockRef {
	t, n := p.minuteMark(j)
	if n == 0 {
		return clockRef{}
	}
	if hi, m := p.markRange(j+n, t); m > 0 {
		return clockRef{n: n + m, form: formSpan, bounds: []bound{{cmp: cmpGTE, at: t}, {cmp: cmpLTE, at: hi}}}
	}
	if (prep == "in" || prep == "during" || prep == "" && p.is(j-1, "in", "during")) && !p.is(j, "halfway") {
		return clockRef{} // within that minute, or from it on: not said
	}
	k := j + n
	if p.is(k, "into", "through", "in") && p.kind(k+1) == kRound {
		k += 2
	} else if p.is(k, "into", "through") || p.is(k, "in") && p.inMeansGone(k+1) {
		k++
	} else if p.is(k, "of") && p.kind(k+1) == kRound {
		k += 2
	}
	return oneBound(k-j, formInto, bound{cmp: cmpGTE, at: t})
}

// clockWithin reads "within N of the open", "within the last N", "within N".
func (p *parser) clockWithin(j int) clockRef {
	k := j + 1
	if p.kind(k) == kFirst || p.kind(k) == kLast || p.kind(k) == kOpen {
		c := p.clockCore(k, "within")
		if c.n > 0 {
			c.n++
		}
		return c
	}
	t, n := p.duration(k)
	if n == 0 {
		if t, n = p.share(k); n == 0 {
			return clockRef{}
		}
	}
	k += n
	if p.is(k, "of", "after", "from") {
		switch {
		case p.kind(k+1) == kOpen:
			return oneBound(k+2-j, formFirst, bound{cmp: cmpLTE, at: t})
		case p.kind(k+1) == kRound && p.kind(k+2) == kOpen:
			return oneBound(k+3-j, formFirst, bound{cmp: cmpLTE, at: t})
		case p.isEnd(k + 1):
			return oneBound(k+2-j, formLast, bound{remaining: true, cmp: cmpLTE, at: t})
		case p.is(k, "of") && p.kind(k+1) == kRound:
			return clockRef{}
		}
	}
	if m := p.leftAt(k); m > 0 {
		return oneBound(k+m-j, formLeft, bound{remaining: true, cmp: cmpLTE, at: t})
	}
	return oneBound(k-j, formFirst, bound{cmp: cmpLTE, at: t})
}

// clockAfter reads "after 5 minutes", "after the first 5 minutes", "after
// minute 7", "from minute 3 on", "from minute 3 to minute 7".
func (p *parser) clockAfter(j int) clockRef {
	k := j + 1
	since := !p.is(j, "after")
	if p.is(j, "from") && p.kind(k) == kVal || p.is(j, "from") && p.is(k, "minute", "second") {
		if c := p.clockBetween(j); c.n > 0 {
			return c
		}
	}
	if p.kind(k) == kOpen && !p.isTime(k+1) {
		return clockRef{n: 2, form: formNoBound}
	}
	if p.kind(k) == kFirst || p.kind(k) == kOpen {
		if t, n := p.stretch(k + 1); n > 0 && !since {
			k += 1 + n
			if p.is(k, "of") && p.kind(k+1) == kRound && p.goneAt(k+2, true) > 0 {
				k += 2
			}
			if m := p.goneAt(k, true); m > 0 {
				k += m
			}
			return oneBound(k-j, formInto, bound{cmp: cmpGTE, at: t})
		}
		return clockRef{}
	}
	if t, n := p.minuteMark(k); n > 0 {
		k += n
		if p.is(k, "on") || p.is(k, "into") {
			k++
			if p.kind(k) == kRound {
				k++
			}
		}
		return oneBound(k-j, formInto, bound{cmp: cmpGTE, at: t})
	}
	t, n := p.duration(k)
	if n == 0 {
		if t, n = p.share(k); n == 0 || p.is(k+n, "of") && p.kind(k+n+1) != kRound {
			return clockRef{}
		}
		k += n
		if p.is(k, "of") {
			k += 2
		} else if p.kind(k) == kRound {
			k++
		}
		return oneBound(k-j, formInto, bound{cmp: cmpGTE, at: t})
	}
	k += n
	if m := p.leftAt(k); m > 0 && p.kind(k+m-1) == kLeft {
		if since {
			return oneBound(k+m-j, formLeft, bound{remaining: true, cmp: cmpLTE, at: t})
		}
		return clockRef{}
	}
	if m := p.leftAt(k); m > 0 {
		if since || p.is(j, "from") {
			return oneBound(k+m-j, formLeft, bound{remaining: true, cmp: cmpLTE, at: t})
		}
		return clockRef{}
	}
	if m := p.goneAt(k, false); m > 0 {
		return oneBound(k+m-j, formInto, bound{cmp: cmpGTE, at: t})
	}
	if p.is(k, "of") && p.kind(k+1) == kRound {
		return oneBound(k+2-j, formInto, bound{cmp: cmpGTE, at: t})
	}
	if since {
		if p.is(j, "from") && p.is(k, "on") {
			return oneBound(k+1-j, formInto, bound{cmp: cmpGTE, at: t})
		}
		return clockRef{}
	}
	return oneBound(k-j, formAfter, bound{cmp: cmpGTE, at: t})
}

// clockBefore reads "before minute 7", "before the last 2 minutes", "before
// the end".
func (p *parser) clockBefore(j int) clockRef {
	k := j + 1
	if p.kind(k) == kLast {
		if t, n := p.stretch(k + 1); n > 0 && p.x(k).sub == 0 {
			return oneBound(2+n, formBefore, bound{remaining: true, cmp: cmpGT, at: t})
		}
		return clockRef{}
	}
	if p.is(k, "t-") {
		if t, n := p.duration(k + 1); n > 0 {
			return oneBound(2+n, formBefore, bound{remaining: true, cmp: cmpGT, at: t})
		}
	}
	if p.isEnd(k) {
		return clockRef{n: 2, form: formNoBound}
	}
	return p.clockUpTo(j, k)
}

// clockUpTo reads the point of the round at k up to which the phrase that
// begins at j counts.
func (p *parser) clockUpTo(j, k int) clockRef {
	if p.kind(k) == kFirst {
		t, n := p.stretch(k + 1)
		if n == 0 {
			return clockRef{}
		}
		k += 1 + n
		m := p.goneAt(k, true)
		if m == 0 && !p.isBreak(k) {
			return clockRef{}
		}
		return oneBound(k+m-j, formFirst, bound{cmp: cmpLTE, at: t})
	}
	if t, n := p.minuteMark(k); n > 0 {
		k += n
		if p.is(k, "into", "of") && p.kind(k+1) == kRound {
			k += 2
		}
		return oneBound(k-j, formFirst, bound{cmp: cmpLTE, at: t})
	}
	t, n := p.duration(k)
	if n == 0 {
		return clockRef{}
	}
	k += n
	if m := p.leftAt(k); m > 0 {
		return oneBound(k+m-j, formExact, bound{remaining: true, cmp: cmpGTE, at: t})
	}
	if m := p.goneAt(k, false); m > 0 {
		return oneBound(k+m-j, formFirst, bound{cmp: cmpLTE, at: t})
	}
	return oneBound(k-j, formFirst, bound{cmp: cmpLTE, at: t})
}

// clockUntil reads "until minute 5", "by minute 5", "until the last minute",
// "until 30 seconds before the end".
func (p *parser) clockUntil(j int) clockRef {
	k := j + 1
	if p.kind(k) == kLast {
		if p.is(j, "by") {
			return clockRef{}
		}
		return p.clockBefore(j)
	}
	if p.is(k, "t-") {
		if t, n := p.duration(k + 1); n > 0 {
			return oneBound(2+n, formBefore, bound{remaining: true, cmp: cmpGTE, at: t})
		}
	}
	if p.isEnd(k) {
		return clockRef{n: 2, form: formNoBound}
	}
	for p.kind(k) == kBe || p.kind(k) == kPron && p.kind(k+1) == kBe {
		k++
	}
	if p.kind(k) == kCmp {
		c := p.clockCompared(k)
		if c.n == 0 || c.form != formExact || !c.bounds[0].remaining {
			return clockRef{}
		}
		c.bounds[0].cmp = negated(c.bounds[0].cmp)
		c.n += k - j
		return c
	}
	if p.kind(k) == kPron {
		return clockRef{}
	}
	return p.clockUpTo(j, k)
}

// clockBetween reads "between minute 2 and minute 6", "between 2 and 6 minutes
// in", "between the 2nd and 6th minute", and the same with from … to.
func (p *parser) clockBetween(j int) clockRef {
	k := j + 1
	joined := func(i int) bool {
		if p.is(j, "from") {
			return p.is(i, "to", "until", "through") || p.kind(i) == kMinus
		}
		return p.kind(i) == kAnd || p.kind(i) == kMinus || p.is(i, "to")
	}
	span := func(n int, lo, hi tval) clockRef {
		if lo.den == 0 && hi.den == 0 && lo.n > hi.n {
			lo, hi = hi, lo
		}
		return clockRef{n: n, form: formSpan, bounds: []bound{{cmp: cmpGTE, at: lo}, {cmp: cmpLTE, at: hi}}}
	}
	if lo, n := p.minuteMark(k); n > 0 && joined(k+n) {
		m := k + n + 1
		if hi, o := p.minuteMark(m); o > 0 {
			return span(m+o-j, lo, hi)
		}
		if x := p.x(m); x.kind == kVal && x.v.unit == uNone && x.v.sign == 0 && x.v.n > 0 && lo.den == 0 && x.v.n <= 1440*micro {
			return span(m+1-j, lo, tval{n: x.v.n * 60})
		}
		return clockRef{}
	}
	if p.kind(k) != kVal || !joined(k+1) {
		return clockRef{}
	}
	m := k + 2
	if hi, n := p.minuteMark(m); n > 0 && hi.den == 0 {
		if lo := p.x(k).v; (lo.unit == uNone || lo.unit == uOrd) && lo.n >= 0 && lo.n <= 1440*micro {
			return span(m+n-j, tval{n: lo.n * 60}, hi)
		}
		if lo := p.x(k).v; lo.unit == uTime && lo.n >= 0 {
			return span(m+n-j, tval{n: lo.n}, hi)
		}
	}
	if p.kind(m) == kVal {
		return p.clockPair(j, k, m)
	}
	return clockRef{}
}

// clockWait reads "wait 5 minutes", "wait until minute 5", "wait for the last
// minute".
func (p *parser) clockWait(j int) clockRef {
	k := j + 1
	for p.is(k, "for", "until", "at") {
		k++
	}
	if p.kind(k) == kCmp && p.x(k).w == "at least" {
		k++
	}
	if p.kind(k) == kLast || p.kind(k) == kFirst {
		c := p.clockCore(k, "")
		if c.n == 0 {
			return c
		}
		if c.form == formFirst {
			c.bounds[0].cmp, c.form = cmpGTE, formInto
			if p.kind(k+c.n) == kGone {
				c.n++ // "wait for the first 5 minutes to pass"
			}
		}
		c.n += k - j
		return c
	}
	if p.is(k, "after") {
		if c := p.clockAfter(k); c.n > 0 {
			c.n += k - j
			return c
		}
	}
	if t, n := p.minuteMark(k); n > 0 {
		return oneBound(k+n-j, formInto, bound{cmp: cmpGTE, at: t})
	}
	t, n := p.duration(k)
	if n == 0 {
		return clockRef{}
	}
	k += n
	if m := p.leftAt(k); m > 0 {
		return oneBound(k+m-j, formLeft, bound{remaining: true, cmp: cmpLTE, at: t})
	}
	k += p.goneAt(k, false)
	return oneBound(k-j, formInto, bound{cmp: cmpGTE, at: t})
}

// clockQuantity reads what the time elapsed or left is compared with: "time left
// < 45s".
func (p *parser) clockQuantity() bool {
	if p.term.qty != qElapsed && p.term.qty != qRemaining {
		return false
	}
	i, not := p.i, p.forbids
	for p.kind(i) == kBe || p.kind(i) == kNot {
		not = not != (p.kind(i) == kNot)
		i++
	}
	if p.kind(i) != kCmp {
		return false
	}
	c := p.x(i).sub
	i++
	t, n := p.duration(i)
	if n == 0 {
		if t, n = p.share(i); n == 0 {
			t, n = p.bareSeconds(i)
		}
		if n == 0 {
			return p.bad(p.term.from, i+1, "give the time with its unit, such as 45 seconds")
		}
	}
	i += n
	if p.kind(i) == kGone || p.kind(i) == kLeft {
		i++
	}
	b := bound{remaining: p.term.qty == qRemaining, cmp: flip(c, not), at: t}
	from := p.term.from
	p.term = term{from: -1}
	p.addTime(b, from, i)
	p.i = i
	return true
}

// bareSeconds reads a number without a unit as seconds where it can be nothing
// else: of a field by its name, or 60 and more.
func (p *parser) bareSeconds(i int) (tval, int) {
	x := p.x(i)
	if x.kind != kVal || x.v.unit != uNone || x.v.sign != 0 || x.v.n < micro || p.kind(i+1) == kVal {
		return tval{}, 0
	}
	switch lower(p.words(p.term.from, p.term.from+1)) {
	case "time_elapsed", "time_remaining", "seconds elapsed", "elapsed seconds", "seconds remaining", "remaining seconds":
	default:
		if x.v.n < 60*micro || x.v.n >= 3600*micro {
			return tval{}, 0
		}
	}
	p.assume(fieldCond+fieldID(len(p.conds)), number(x.v.n).String(), "a time without a unit is read as seconds")
	return tval{n: x.v.n}, 1
}

// isTime reports whether a duration stands at i.
func (p *parser) isTime(i int) bool {
	_, n := p.stretch(i)
	return n > 0
}

// times reads when an entry may be made.
func (p *parser) times() bool {
	i, not := p.i, false
	if p.kind(i) == kNot {
		not = true
		i++
	}
	c := p.clockAt(i)
	if c.n == 0 {
		return false
	}
	if p.lookBack(i, c) {
		return true
	}
	end := i + c.n
	if !not && p.afterExit(p.i, end, c) {
		return true
	}
	if k := p.kind(end); !not && c.form == formAfter && p.kind(p.i-1) == kStop && len(p.buys)+len(p.lone) > 0 && (k == kSL || k == kTP || k == kSell || k == kTrail) {
		return p.bad(p.i, end, "when to buy, or when to sell? say \"Buy only %s\" or \"Sell %s\"", p.words(p.i, end), p.words(p.i, end))
	}
	if c.form == formLeft && p.saysStill(p.i, end) {
		return p.bad(p.i, end, "at least or at most that long? say \"with at least … left\" or \"with … or less left\"")
	}
	if n := len(p.conds); n > 0 && c.form == formLast && p.is(p.i, "for") && p.conds[n-1].to == p.i {
		return p.bad(p.conds[n-1].from, end, "conditions hold at one instant, they cannot be asked to last; say \"in the last …\" for the end of the round")
	}
	for p.is(end, "of") && p.kind(end+1) == kRound && !p.isTime(end+2) {
		end += 2
	}
	if c.form == formOpen {
		if not || p.forbids {
			return p.bad(p.i, end, "not at the open cannot be read; say \"after 10 seconds\"")
		}
		p.openAt = append(p.openAt, p.span(p.i, end))
		p.openFrom = append(p.openFrom, p.i)
		p.ifAt = -1
		p.take(end, fieldEntry)
		return true
	}
	if c.form == formNoBound {
		if not || p.forbids {
			return p.bad(p.i, end, "this leaves no time to buy")
		}
		p.i = end
		return true
	}
	if n := len(p.conds); p.forbids && n > 0 && !p.conds[n-1].isTime && p.conds[n-1].to == p.i && p.conds[n-1].from > p.forbidsAt {
		return p.bad(p.conds[n-1].from, end, "not to buy when both hold cannot be read; say each in a sentence of its own")
	}
	p.term = term{from: -1, tok: p.term.tok, qty: p.term.qty}
	p.addTimes(c, not != p.forbids, p.i, end)
	p.i = end
	return true
}

// saysStill reports whether "still" stands in or right before lexemes [i, j):
// there are still 5 minutes left.
func (p *parser) saysStill(i, j int) bool {
	from := p.sig[i]
	for k := from - 1; k >= 0 && p.all[k].kind == kFill; k-- {
		from = k
	}
	for k := from; k <= p.sig[j-1]; k++ {
		if p.all[k].kind == kFill && p.all[k].w == "still" {
			return true
		}
	}
	return false
}

// addTimes adds the bounds of c, or, when not is set, what excludes them.
func (p *parser) addTimes(c clockRef, not bool, from, to int) {
	if not && len(c.bounds) > 1 {
		p.bad(from, to, "a stretch in the middle cannot be left out; say \"in the first …\" or \"in the last …\"")
		return
	}
	for _, b := range c.bounds {
		if not {
			switch {
			case c.form == formFirst && !b.remaining:
				b.cmp = cmpGTE
			default:
				b.cmp = negated(b.cmp)
			}
		}
		p.addTime(b, from, to)
	}
}

// lookBack reads "in the last 2 minutes" before a verb of moving: the look-back
// of the change that follows.
func (p *parser) lookBack(i int, c clockRef) bool {
	if within := c.form == formFirst && p.is(i, "within") && p.kind(i+1) == kVal; c.form != formLast && !within {
		return false
	}
	end := i + c.n
	j := end
	if p.kind(j) == kComma {
		j++
	}
	if !p.changeFollows(j) {
		return false
	}
	p.term.win, p.term.hasWin = c.bounds[0].at, true
	p.term.from = p.i
	if p.kind(end) == kComma {
		end++
	}
	p.i = end
	return true
}

// overWindow reads "over the last 2 minutes" and "in the past minute" before a
// verb of moving. These are never times of the market.
func (p *parser) overWindow() bool {
	t, n := p.window(p.i)
	if n == 0 {
		return false
	}
	j := p.i + n
	if p.kind(j) == kComma {
		j++
	}
	if !p.changeFollows(j) {
		return false
	}
	p.term.win, p.term.hasWin, p.term.from = t, true, p.i
	p.i = j
	return true
}

// changeFollows reports whether a subject and a change without a look-back of
// its own stand at j.
func (p *parser) changeFollows(j int) bool {
	for p.kind(j) == kPron || p.kind(j) == kIf || p.kind(j) == kOther || p.kind(j) == kFav || p.kind(j) == kQty && p.x(j).sub == qPrice ||
		p.kind(j) == kBe && p.x(j).w == "is" && p.kind(j+1) == kQty || p.kind(j) == kTok && !p.isDirection(j) {
		j++
	}
	pr := p.readPredicate(j)
	return pr.n > 0 && pr.kind == predChange && !pr.hasWin
}
