package parser

// correct carries out corrections: the value behind "actually", "I mean",
// "make that" takes the place of the one of its kind named just before.
func (p *parser) correct() {
	for m := 0; m < len(p.sig) && p.err == nil; m++ {
		if p.kind(m) == kMean {
			m = p.correctAt(m)
		}
	}
}

// correctAt carries out the correction at m and returns where to look on.
func (p *parser) correctAt(m int) int {
	word := lower(p.words(m, m+1))
	after := m + 1
	for p.kind(after) == kComma || p.kind(after) == kColon || p.kind(after) == kMean || p.kind(after) == kSoft || p.is(after, "no", "to", "at", "on") && p.kind(after+1) != kEOF && !p.is(after, "no") {
		after++
	}
	before := m - 1
	for p.kind(before) == kComma || p.kind(before) == kSoft || p.kind(before) == kOpenParen || p.kind(before) == kStop || p.is(before, "no") || p.kind(before) == kBut {
		before--
	}
	if before < 0 {
		p.drop(m, after)
		return m - 1
	}
	divided := before < m-1
	if k := p.kind(after); k == kBuy && p.kind(after+1) == kTok {
		after++
	}
	at, cmpAt := after, -1
	if p.kind(at) == kCmp {
		cmpAt = at
		at++
	}
	old := p.sameKind(at, before)
	adverb := word == "actually" || word == "wait"
	switch {
	case old >= 0 && (divided || old == before):
		p.replace(old, at, cmpAt, m, before)
		return before
	case adverb && !divided:
		p.drop(m, m+1)
		return m - 1
	case word == "make it" || word == "make that" || adverb || word == "edit":
		if old < 0 && p.replaceable(at) {
			p.drop(m, m+1)
			return m - 1
		}
	}
	if word == "sorry" || word == "oops" || word == "my bad" || word == "whoops" {
		p.drop(m, m+1)
		return m - 1
	}
	p.bad(m, after+1, "what is taken back? write the sentence as it should be")
	return len(p.sig)
}

// drop takes lexemes [i, j) out: they become ignored.
func (p *parser) drop(i, j int) {
	p.sig = append(p.sig[:i], p.sig[j:]...)
}

// replaceable reports whether a value that can be corrected stands at i.
func (p *parser) replaceable(i int) bool {
	switch p.kind(i) {
	case kTok, kCoin, kAnyCoin, kVal, kLenWord, kAnyLen:
		return true
	}
	return false
}

// sameKind finds the value named last at or before `before` that the one at
// `at` replaces; -1: none.
func (p *parser) sameKind(at, before int) int {
	if !p.replaceable(at) {
		return -1
	}
	for j := before; j >= 0 && j > before-14; j-- {
		if !p.replaceable(j) {
			continue
		}
		switch p.kind(at) {
		case kTok:
			if p.kind(j) == kTok && !p.isDirection(j) {
				return j
			}
		case kCoin, kAnyCoin:
			if p.kind(j) == kCoin || p.kind(j) == kAnyCoin {
				return j
			}
		default:
			if p.kind(j) == kVal || p.kind(j) == kLenWord {
				if sameClass(p.x(j).v, p.x(at).v) {
					return j
				}
				if p.x(at).v.unit == uNone {
					return j
				}
			}
		}
	}
	return -1
}

// sameClass reports whether two values can stand for the same thing.
func sameClass(a, b value) bool {
	class := func(v value) int {
		switch v.unit {
		case uTime:
			return 1
		case uDollar:
			if v.n < micro {
				return 2
			}
			return 3
		case uCent:
			return 2
		case uNone:
			if v.n < micro {
				return 2
			}
			return 4
		}
		return 5 + int(v.unit)
	}
	x, y := class(a), class(b)
	return x == y || x == 4 && y == 2 || x == 2 && y == 4 && b.unit == uNone
}

// replace puts the value at `at`, with its comparator, in the place of the one
// at old, and takes the correction out.
func (p *parser) replace(old, at, cmpAt, m, before int) {
	was, now := p.x(old).v, p.x(at)
	if now.kind == kVal && now.v.unit == uNone && was.unit != uNone {
		now.v.unit, now.v.compact = was.unit, was.compact
		switch was.unit {
		case uTime:
			now.v.scale(unitOfDuration(was.n) / micro)
		case uFrac, uPct, uOrd, uDecade:
			now.v.unit = uNone
		}
	}
	if now.kind == kVal && now.v.unit == uTime {
		now.v.compact = now.v.compact || was.compact
	}
	end := at + 1
	p.sig[old] = p.sig[at]
	if cmpAt >= 0 {
		if p.kind(old-1) == kCmp {
			p.sig[old-1] = p.sig[cmpAt]
		} else {
			p.bad(m, end, "what is taken back? write the sentence as it should be")
			return
		}
	}
	if p.kind(end) == kCloseParen && p.kind(before+1) == kOpenParen {
		end++
	}
	p.drop(before+1, end)
	p.corrected = true
}
