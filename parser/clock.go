package parser

import "strings"

// tval is a time in the market: seconds, or a fraction of its length.
type tval struct {
	n        int64 // in units of 1e-6 s
	num, den int64 // of the length; den 0: n counts
}

// bound is one bound on the clock.
type bound struct {
	remaining bool // counts down to the end, not up from the start
	cmp       comparison
	at        tval
}

// form says how a time was spoken of, where it matters what it stands with.
type form uint8

const (
	formNone    form = iota
	formFirst        // first N, within N, before minute m: an upper bound on elapsed time
	formLast         // last N
	formLeft         // with N left, N before the end
	formAfter        // after N: from the start for an entry, from the fill for an exit
	formInto         // N into the round, minute m, halfway
	formOpen         // at the open
	formExact        // a comparator of its own
	formBefore       // before the last N
	formSpan         // between a and b
	formNoBound      // before the end, from the start: always so
)

// clockRef is a time phrase of n lexemes.
type clockRef struct {
	n      int
	form   form
	bounds []bound
}

func oneBound(n int, f form, b bound) clockRef { return clockRef{n: n, form: f, bounds: []bound{b}} }

func (p *parser) isEnd(i int) bool {
	x := p.x(i)
	return x.kind == kEnd || x.kind == kSell && x.sub == 1
}

// duration reads a length of time at i: a value in seconds, or a bare unit
// behind first and last ("the last minute").
func (p *parser) duration(i int) (tval, int) {
	x := p.x(i)
	switch x.kind {
	case kVal:
		if x.v.unit == uTime && x.v.sign == 0 && x.v.n >= 0 {
			return tval{n: x.v.n}, 1
		}
	case kLenWord:
		if x.v.n <= 86400*micro && x.w != "hourly" && x.w != "daily" {
			return tval{n: x.v.n}, 1
		}
	}
	return tval{}, 0
}

// share reads a fraction of the round at i: half, a third, two thirds.
func (p *parser) share(i int) (tval, int) {
	x := p.x(i)
	if x.kind != kVal || x.v.sign != 0 {
		return tval{}, 0
	}
	if x.v.unit == uFrac {
		return tval{num: int64(x.v.num), den: int64(x.v.den)}, 1
	}
	return tval{}, 0
}

// stretch reads what "first" and "last" count: a duration, a fraction, a third
// as an ordinal, a bare minute.
func (p *parser) stretch(i int) (tval, int) {
	if t, n := p.duration(i); n > 0 {
		return t, n
	}
	if t, n := p.share(i); n > 0 {
		if p.x(i).v.num == 1 && p.x(i).v.den == 2 && p.is(i+1, "minute", "hour") {
			return tval{}, 0
		}
		return t, n
	}
	x := p.x(i)
	if x.kind == kVal && x.v.unit == uOrd && x.v.n >= 3*micro && x.v.n <= 12*micro && !p.is(i+1, "minute", "hour") {
		return tval{num: 1, den: x.v.n / micro}, 1
	}
	switch {
	case p.is(i, "minute") && p.kind(i+1) == kAnd && p.x(i+2).kind == kVal && p.x(i+2).v.unit == uFrac && p.x(i+2).v.num == 1 && p.x(i+2).v.den == 2:
		return tval{n: 90 * micro}, 3
	case p.is(i, "minute"):
		return tval{n: 60 * micro}, 1
	case p.is(i, "second"):
		return tval{n: micro}, 1
	case p.is(i, "hour"):
		return tval{n: 3600 * micro}, 1
	}
	return tval{}, 0
}

// minuteMark reads a point of the round at i: minute 7, the 10th minute, the 5
// minute mark, halfway, T+90s.
func (p *parser) minuteMark(i int) (tval, int) {
	unit := int64(0)
	switch {
	case p.is(i, "minute"):
		unit = 60
	case p.is(i, "second"):
		unit = 1
	case p.is(i, "hour"):
		unit = 3600
	case p.is(i, "halfway"):
		n := 1
		if p.is(i+1, "mark") {
			n++
		}
		return tval{num: 1, den: 2}, n
	case p.is(i, "t+"):
		if t, n := p.duration(i + 1); n > 0 {
			return t, 1 + n
		}
		return tval{}, 0
	}
	x := p.x(i + 1)
	if unit > 0 {
		if x.kind == kVal && (x.v.unit == uNone || x.v.unit == uOrd) && x.v.sign == 0 && x.v.n >= 0 && x.v.n <= 86400*micro {
			return tval{n: x.v.n * unit}, 2
		}
		return tval{}, 0
	}
	x = p.x(i)
	if x.kind != kVal || x.v.sign != 0 || x.v.n < 0 {
		return tval{}, 0
	}
	switch x.v.unit {
	case uOrd:
		if p.is(i+1, "minute") && x.v.n <= 1440*micro {
			n := 2
			if p.is(i+2, "mark") {
				n++
			}
			return tval{n: x.v.n * 60}, n
		}
	case uTime:
		if p.is(i+1, "mark") {
			return tval{n: x.v.n}, 2
		}
	case uFrac:
		if p.is(i+1, "mark") {
			return tval{num: int64(x.v.num), den: int64(x.v.den)}, 2
		}
	case uNone:
		if p.is(i+1, "minute") && p.is(i+2, "mark") || p.is(i+1, "mark") {
			n := 2
			if p.is(i+1, "minute") {
				n = 3
			}
			return tval{n: x.v.n * 60}, n
		}
	}
	return tval{}, 0
}

// clockAt reads a time phrase at i. Its n is 0 when there is none.
func (p *parser) clockAt(i int) clockRef {
	j := i
	prep := ""
	for p.is(j, "in", "during", "on", "at", "with", "for", "of") || p.remainsFirst(j) || p.kind(j) == kBe || p.kind(j) == kPron && p.kind(j+1) == kBe {
		if p.kind(j) == kWord {
			prep = p.x(j).w
		}
		j++
	}
	if (prep == "at" || prep == "in") && p.kind(j) == kRound && p.kind(j+1) == kBe && p.kind(j+2) == kOpen {
		return clockRef{n: j + 3 - i, form: formOpen} // at the market's start
	}
	c := p.clockCore(j, prep)
	if c.n > 0 {
		c.n += j - i
	}
	return c
}

// remainsFirst reports whether a word for what is left stands before its time
// at j: "when remain less than 60 seconds".
func (p *parser) remainsFirst(j int) bool {
	if p.kind(j) != kLeft {
		return false
	}
	if p.kind(j+1) == kCmp {
		return true
	}
	v := p.x(j + 1)
	return v.kind == kVal && v.v.unit == uTime && (p.kind(j-1) == kIf || p.kind(j-1) == kAnd || j == 0) && p.leftAt(j+2) == 0 && p.goneAt(j+2, false) == 0
}

// saidLeft reports whether the word before lexeme j says that what follows is
// left.
func (p *parser) saidLeft(j int) bool {
	return p.kind(j-1) == kLeft || p.kind(j-1) == kBe && lower(p.words(j-1, j)) == "remains"
}

func (p *parser) clockCore(j int, prep string) clockRef {
	x := p.x(j)
	switch x.kind {
	case kFirst:
		if t, n := p.stretch(j + 1); n > 0 && !p.lastCounts(j+1+n) {
			return oneBound(1+n, formFirst, bound{cmp: cmpLTE, at: t})
		}
	case kOpen:
		if x.sub == 1 {
			return clockRef{n: 1, form: formOpen}
		}
		if t, n := p.stretch(j + 1); n > 0 && prep != "at" {
			return oneBound(1+n, formFirst, bound{cmp: cmpLTE, at: t})
		}
		if prep == "at" || prep == "on" || prep == "in" && lower(p.words(j, j+1)) != "open" || p.kind(j-1) == kIf || p.kind(j-1) == kRound && p.kind(j-2) == kIf {
			return clockRef{n: 1, form: formOpen}
		}
	case kLast:
		if x.sub == 0 {
			if t, n := p.stretch(j + 1); n > 0 && !p.lastCounts(j+1+n) {
				return oneBound(1+n, formLast, bound{remaining: true, cmp: cmpLTE, at: t})
			}
		}
	case kCmp:
		return p.clockCompared(j)
	case kVal, kLenWord:
		if c := p.nthPart(j); c.n > 0 {
			return c
		}
		return p.clockValue(j, prep)
	case kWord:
		return p.clockWord(j, prep)
	}
	return clockRef{}
}

// nthPart reads "the second half", "the third quarter", "the second third".
func (p *parser) nthPart(j int) clockRef {
	x := p.x(j)
	if x.kind != kVal || x.v.unit != uOrd {
		return clockRef{}
	}
	k, den := x.v.n/micro, int64(0)
	switch y := p.x(j + 1); {
	case y.kind != kVal:
	case y.v.unit == uFrac && y.v.num == 1:
		den = int64(y.v.den)
	case y.v.unit == uOrd:
		den = y.v.n / micro
	}
	if den < 2 || den > 12 || k < 2 || k > den || x.v.n%micro != 0 {
		return clockRef{}
	}
	c := clockRef{n: 2, form: formSpan, bounds: []bound{{cmp: cmpGTE, at: tval{num: k - 1, den: den}}}}
	if k == den {
		c.form = formInto
		return c
	}
	c.bounds = append(c.bounds, bound{cmp: cmpLTE, at: tval{num: k, den: den}})
	return c
}

// lastCounts reports whether what follows "last 5 minute" makes it a count of
// markets.
func (p *parser) lastCounts(i int) bool {
	if p.kind(i) != kRound {
		return false
	}
	switch lower(p.words(i, i+1)) {
	case "markets", "rounds", "candles", "games", "windows", "intervals", "events":
		return true
	case "market", "round", "candle", "game":
		return p.x(i - 1).v.compact // "the last 15m market"
	}
	return false
}

// clockCompared reads a comparator with a time behind it: less than 2 minutes
// left, at least 20 min after the open.
func (p *parser) clockCompared(j int) clockRef {
	t, n := p.duration(j + 1)
	if n == 0 {
		t, n = p.share(j + 1)
	}
	if n == 0 {
		return p.clockPast(j)
	}
	c := p.x(j).sub
	k := j + 1 + n
	if t.den != 0 && p.is(k, "of") && p.kind(k+1) == kRound {
		k += 2
	}
	if m := p.leftAt(k); m > 0 {
		if p.soonerOrLater(j) {
			c = mirroredCmp(c)
		}
		return oneBound(k+m-j, formExact, bound{remaining: true, cmp: c, at: t})
	}
	if m := p.goneAt(k, true); m > 0 {
		return oneBound(k+m-j, formExact, bound{cmp: c, at: t})
	}
	if p.saidLeft(j) {
		return oneBound(k-j, formExact, bound{remaining: true, cmp: c, at: t})
	}
	return p.clockPast(j)
}

// soonerOrLater reports whether the comparator at j orders instants, so that
// the later one has less time left: "no later than 5 minutes before the end".
func (p *parser) soonerOrLater(j int) bool {
	for w := range strings.FieldsSeq(lower(p.words(j, j+1))) {
		switch w {
		case "later", "earlier", "sooner":
			return true
		}
	}
	return false
}

// clockPast reads "past minute 5", "past the halfway mark", "over halfway".
func (p *parser) clockPast(j int) clockRef {
	switch p.x(j).w {
	case "past", "over", "above":
	case "up to", "at most":
		if t, n := p.minuteMark(j + 1); n > 0 {
			return oneBound(1+n, formFirst, bound{cmp: cmpLTE, at: t})
		}
		return clockRef{}
	case "under", "below":
		return clockRef{}
	default:
		return clockRef{}
	}
	if t, n := p.minuteMark(j + 1); n > 0 {
		return oneBound(1+n, formInto, bound{cmp: cmpGTE, at: t})
	}
	return clockRef{}
}

// leftAt reads what makes the time before it one that remains: left, to go,
// before the end, until expiry.
func (p *parser) leftAt(k int) int {
	if p.kind(k) == kBe && lower(p.words(k, k+1)) == "remains" {
		return 1
	}
	i := k
	for p.kind(i) == kBe {
		i++
	}
	if p.kind(i) == kLeft {
		if p.is(i+1, "until", "before", "to") && p.isEnd(i+2) {
			return i + 3 - k
		}
		return i + 1 - k
	}
	if p.is(i, "before", "until", "to", "from", "of", "off") && p.isEnd(i+1) && !p.is(i, "of") {
		return i + 2 - k
	}
	return 0
}

// goneAt reads what makes the time before it one that has passed: in, into the
// round, gone, after the open.
func (p *parser) goneAt(k int, compared bool) int {
	i := k
	for p.kind(i) == kBe {
		i++
	}
	switch {
	case p.kind(i) == kGone:
		return i + 1 - k
	case p.is(i, "into"):
		if p.kind(i+1) == kRound || p.kind(i+1) == kLenWord && p.kind(i+2) != kRound && p.kind(i+2) != kCoin {
			return i + 2 - k
		}
		return i + 1 - k
	case p.is(i, "after", "past", "from", "since") && p.kind(i+1) == kOpen, p.kind(i) == kCmp && p.x(i).w == "past" && p.kind(i+1) == kOpen:
		return i + 2 - k
	case p.is(i, "in"):
		if p.inMeansGone(i + 1) {
			if p.kind(i+1) == kRound {
				return i + 2 - k
			}
			return i + 1 - k
		}
	case p.is(i, "through"):
		if p.kind(i+1) == kRound || p.kind(i+1) == kLenWord {
			return i + 2 - k
		}
		if p.isBreak(i + 1) {
			return i + 1 - k
		}
	case compared && i > k && (p.x(i).kind == kCmp && p.x(i).w == "over") && p.isBreak(i+1):
		return i + 1 - k
	}
	return 0
}

// inMeansGone reports whether "in" with lexeme i behind it means into the
// round: "5 minutes in, buy Up".
func (p *parser) inMeansGone(i int) bool {
	switch p.kind(i) {
	case kEOF, kComma, kStop, kSoft, kCloseParen, kIf, kAnd, kOr, kBut, kBuy, kSell, kRound, kTP, kSL, kUnless, kPron, kTok, kCmp:
		return true
	case kWord:
		return p.is(i, "on", "at", "with", "for", "then")
	}
	return false
}

// clockValue reads a phrase that begins with a time.
func (p *parser) clockValue(j int, prep string) clockRef {
	if t, n := p.minuteMark(j); n > 0 {
		if hi, m := p.markRange(j+n, t); m > 0 {
			return clockRef{n: n + m, form: formSpan, bounds: []bound{{cmp: cmpGTE, at: t}, {cmp: cmpLTE, at: hi}}}
		}
		if prep == "in" || prep == "during" || prep == "" && p.is(j-1, "in", "during") {
			return clockRef{}
		}
		return oneBound(n, formInto, bound{cmp: cmpGTE, at: t})
	}
	if c := p.clockRange(j); c.n > 0 {
		return c
	}
	t, n := p.duration(j)
	if n == 0 {
		return p.clockShare(j)
	}
	k := j + n
	post := cmpNone
	if p.kind(k) == kPost {
		post = p.x(k).sub
		k++
	}
	if p.isLengthHere(j) && p.kind(k) != kLeft {
		return clockRef{}
	}
	if p.saidLeft(j) && p.remainsFirst(j-1) {
		c := bound{remaining: true, cmp: cmpLTE, at: t}
		if post != cmpNone {
			c.cmp = post
		}
		return oneBound(k-j, formExact, c)
	}
	if m := p.leftAt(k); m > 0 {
		end := k + m
		if post == cmpNone && p.kind(end) == kPost {
			post = p.x(end).sub
			end++
		}
		if post != cmpNone {
			return oneBound(end-j, formExact, bound{remaining: true, cmp: post, at: t})
		}
		return oneBound(end-j, formLeft, bound{remaining: true, cmp: cmpLTE, at: t})
	}
	if m := p.goneAt(k, false); m > 0 {
		end := k + m
		if post == cmpNone && p.kind(end) == kPost {
			post = p.x(end).sub
			end++
		}
		if post != cmpNone {
			return oneBound(end-j, formExact, bound{cmp: post, at: t})
		}
		return oneBound(end-j, formInto, bound{cmp: cmpGTE, at: t})
	}
	return clockRef{}
}

// clockShare reads "a third of the way in", "two thirds through", "half the
// round gone".
func (p *parser) clockShare(j int) clockRef {
	x := p.x(j)
	if x.kind == kVal && x.v.unit == uOrd && x.v.n == 2*micro {
		if t, n := p.share(j + 1); n > 0 && t.num == 1 && t.den == 2 {
			return oneBound(1+n, formInto, bound{cmp: cmpGTE, at: t})
		}
	}
	t, n := p.share(j)
	if n == 0 {
		return clockRef{}
	}
	k := j + n
	if p.is(k, "of") {
		k++
	}
	if p.kind(k) == kRound {
		k++
	}
	if m := p.leftAt(k); m > 0 && p.kind(k+m-1) == kLeft {
		return oneBound(k+m-j, formLeft, bound{remaining: true, cmp: cmpLTE, at: t})
	}
	if m := p.goneAt(k, false); m > 0 {
		return oneBound(k+m-j, formInto, bound{cmp: cmpGTE, at: t})
	}
	return clockRef{}
}

// clockRange reads "2-6 minutes in", "2 to 6 minutes into the round", "5 to 3
// minutes left". A range with no unit on its first number takes the second's.
func (p *parser) clockRange(j int) clockRef {
	lo := p.x(j)
	if lo.kind != kVal || !p.rangeWord(j+1) || p.kind(j+2) != kVal {
		return clockRef{}
	}
	return p.clockPair(j, j, j+2)
}

func (p *parser) rangeWord(i int) bool {
	return p.kind(i) == kMinus || p.is(i, "to", "through") || p.kind(i) == kSoft && p.x(i).w == "-"
}

// clockPair reads the two times at a and b and what they count; from is where
// the phrase begins.
func (p *parser) clockPair(from, a, b int) clockRef {
	lo, hi := p.x(a).v, p.x(b).v
	if hi.unit != uTime || lo.unit != uTime && lo.unit != uNone || lo.n < 0 || hi.n < 0 || lo.sign != 0 || hi.sign != 0 {
		return clockRef{}
	}
	t, u := tval{n: lo.n}, tval{n: hi.n}
	if lo.unit == uNone {
		t.n = lo.n * (unitOfDuration(hi.n) / micro)
	}
	k := b + 1
	if t.n > u.n {
		t, u = u, t
	}
	if m := p.leftAt(k); m > 0 {
		return clockRef{n: k + m - from, form: formSpan, bounds: []bound{{true, cmpLTE, u}, {true, cmpGTE, t}}}
	}
	if m := p.goneAt(k, false); m > 0 {
		return clockRef{n: k + m - from, form: formSpan, bounds: []bound{{false, cmpGTE, t}, {false, cmpLTE, u}}}
	}
	if p.is(k, "mark") {
		return clockRef{n: k + 1 - from, form: formSpan, bounds: []bound{{false, cmpGTE, t}, {false, cmpLTE, u}}}
	}
	return clockRef{}
}

// markRange reads the second half of "minute 3 to minute 7", "minutes 3-7".
func (p *parser) markRange(i int, lo tval) (tval, int) {
	if !p.rangeWord(i) {
		return tval{}, 0
	}
	if t, n := p.minuteMark(i + 1); n > 0 {
		return t, 1 + n
	}
	if x := p.x(i + 1); x.kind == kVal && x.v.unit == uNone && x.v.sign == 0 && x.v.n > 0 && lo.den == 0 && x.v.n <= 1440*micro {
		return tval{n: x.v.n * 60}, 2
	}
	return tval{}, 0
}
