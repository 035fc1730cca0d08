package parser

// market reads the coin and the length of the markets.
func (p *parser) market() bool {
	i := p.i
	x := p.x(i)
	switch x.kind {
	case kCoin:
		return p.coinAt(i, x.w)
	case kAnyCoin:
		p.set(&p.coin, setting{text: anyText, span: p.span(i, i+1), at: i}, "the coin")
		p.keepSold(i+1, fieldCoin)
		return true
	case kAnyLen:
		p.set(&p.length, setting{text: anyText, span: p.span(i, i+1), at: i}, "the length of the market")
		p.keepSold(i+1, fieldType)
		return true
	case kLenWord:
		if x.w == "minutely" {
			return p.badFor(i, i+1, fixLength, "%s", badLength)
		}
		if x.w == "the day" && !p.daily(i) {
			return p.bad(i, i+1, "the day of a daily market? say \"daily\" or \"1d\"")
		}
		return p.lengthAt(i, i+1, x.v.n)
	case kVal:
		if x.v.unit == uDays && p.kind(i+1) == kRound {
			return p.badFor(i, i+2, fixLength, "%s", badLength)
		}
		if x.v.unit == uTime && p.isLengthHere(i) {
			return p.lengthAt(i, i+1, x.v.n)
		}
	case kWord:
		// "the BTC hour": the market by its length
		if p.is(i, "hour") && p.kind(i-1) == kCoin && p.kind(i+1) != kVal {
			return p.lengthAt(i, i+1, 3600*micro)
		}
	case kRound:
		return p.roundNoun(i)
	}
	return false
}

// daily reports whether a lexeme other than the one at i says that the markets
// last a day.
func (p *parser) daily(i int) bool {
	for k := range p.sig {
		if x := p.x(k); k != i && x.w != "the day" && (x.kind == kLenWord || x.kind == kVal && x.v.unit == uTime) && x.v.n == 86400*micro {
			return true
		}
	}
	return false
}

const (
	anyText   = "ANY"
	badLength = "markets last 5m, 15m, 1h, 4h or 1d; say one of these"
)

// keepSold moves on without dividing an exit phrase from what follows.
func (p *parser) keepSold(end int, f fieldID) {
	sold := p.sold == p.i
	p.take(end, f)
	if sold {
		p.sold = p.i
	}
}

func (p *parser) coinAt(i int, ticker string) bool {
	s := setting{text: ticker, span: p.span(i, i+1), at: i}
	if p.coin != nil && p.coin.text != ticker {
		return p.clash(p.coin.span, s.span, "two coins; name one, or say \"any coin\"")
	}
	p.set(&p.coin, s, "the coin")
	p.keepSold(i+1, fieldCoin)
	if p.kind(p.i) == kBe && p.x(p.i).w == "is" && p.words(p.i, p.i+1) == "'s" {
		p.i++
	}
	return true
}

var lengthNames = map[int64]string{300: "5m", 900: "15m", 3600: "1h", 14400: "4h", 86400: "1d"}

func (p *parser) lengthAt(i, end int, n int64) bool {
	name, ok := lengthNames[n/micro]
	if !ok || n%micro != 0 {
		return p.badFor(i, end, fixLength, "%s", badLength)
	}
	s := setting{text: name, span: p.span(i, end), at: i}
	if p.length != nil && p.length.text != name {
		return p.clash(p.length.span, s.span, "two lengths of market; name one, or say \"any length\"")
	}
	p.set(&p.length, s, "the length of the market")
	p.keepSold(end, fieldType)
	if p.is(p.i, "one") || p.kind(p.i) == kVal && p.x(p.i).v.words && p.x(p.i).v.n == micro && p.x(p.i).v.unit == uNone {
		p.mark(p.i, p.i+1, fieldType)
		p.i++
	}
	return true
}

// isLengthHere reports whether the duration at i is the length of the markets:
// it stands beside a coin or a word for market, or alone between breaks, or is
// written as 5m, 15m, 1h, 4h, 1d where no other length is.
func (p *parser) isLengthHere(i int) bool {
	x := p.x(i)
	if x.kind == kLenWord {
		return true
	}
	known := lengthNames[x.v.n/micro] != "" && x.v.n%micro == 0
	prev, next := i-1, i+1
	for p.is(prev, "on", "at", "of", "for", "in") {
		prev--
	}
	switch p.kind(prev) {
	case kCoin, kAnyCoin:
		return true
	case kRound:
		return prev == i-1 || p.is(i-1, "of") && prev == i-2
	case kBe:
		if p.kind(prev-1) == kRound && prev == i-1 && p.ifAt < 0 {
			return true
		}
	case kColon, kEq:
		if p.kind(prev-1) == kRound || p.kind(prev-1) == kCoin {
			return true
		}
	case kSlash, kSoft:
		if p.kind(prev-1) == kCoin && prev == i-1 && known && p.x(prev).w != "|" {
			return true
		}
	}
	if p.kind(i-1) == kPer && p.kind(i+1) != kRound && p.kind(i+1) != kCoin {
		return false
	}
	if p.kind(i-1) == kFirst || p.kind(i-1) == kLast && p.x(i-1).field != fieldSample || p.is(i-1, "after", "within", "before", "until", "wait", "by", "since", "from", "between") {
		return false
	}
	for p.is(next, "one", "of", "on", "for", "in") || p.kind(next) == kSlash {
		if p.is(next, "one") {
			return true
		}
		if p.kind(next+1) != kCoin && p.kind(next+1) != kAnyCoin {
			break
		}
		next++
	}
	switch p.kind(next) {
	case kCoin, kAnyCoin:
		return true
	case kRound:
		return true
	case kTok, kPer:
		if known && (p.isBreak(i-1) || i == 0) && x.v.compact {
			return true
		}
	case kVal:
		if p.x(next).v.words && p.x(next).v.n == micro && p.x(next).v.unit == uNone {
			return true
		}
	}
	if !known {
		return false
	}
	lone := i
	for p.is(lone-1, "on", "for", "at") {
		lone--
	}
	if (lone == 0 || p.isBreak(lone-1)) && p.isBreak(i+1) {
		return true
	}
	if p.is(i-1, "on") && p.isBreak(i+1) || p.is(i-1, "on") && x.v.compact {
		return true
	}
	return x.v.compact && x.v.n >= 300*micro && !p.is(i-1, "in", "for", "with") && p.kind(i+1) != kLeft && p.kind(i-1) != kCmp && p.kind(i-1) != kHold && p.goneAt(i+1, false) == 0
}

// roundNoun reads words for market. "All markets" and the like have been
// refused; a bare noun sets nothing.
func (p *parser) roundNoun(i int) bool {
	if p.kind(i-1) == kIf && p.ifAt == i-1 {
		switch p.kind(i + 1) {
		case kMove, kCross, kCmp:
			return p.bad(i, i+2, "which token of the market? say Up or Down")
		case kBe:
			if r := p.readPredicate(i + 1); r.n > 0 {
				return p.bad(i, i+1+r.n, "which token of the market? say Up or Down")
			}
		}
	}
	p.keepSold(i+1, fieldNone)
	if p.is(p.i, "of") && (p.kind(p.i+1) == kAnyCoin || p.kind(p.i+1) == kAnyLen || p.kind(p.i+1) == kCoin) {
		p.keepSold(p.i+1, fieldNone)
	}
	if p.kind(p.i) == kColon || p.kind(p.i) == kEq {
		if k := p.kind(p.i + 1); k == kCoin || k == kVal || k == kLenWord || k == kAnyCoin || k == kAnyLen {
			p.i++
		}
	}
	return true
}
