package parser

import (
	"github.com/ladderback/ladderback/strategy"
)

// perTrade reports whether lexeme i says that money is meant for each trade.
func (p *parser) perTrade(i int) bool {
	switch x := p.x(i); x.kind {
	case kPer:
		return true
	case kTrades:
		switch lower(p.words(i, i+1)) {
		case "bets", "trades":
			return p.x(i-1).v.unit == uDollar && p.x(i-1).v.n >= micro
		}
	case kWord:
		return p.is(i, "to", "for", "on", "in") && p.kind(i+1) == kPer && p.kind(i-1) == kVal && p.x(i-1).v.unit == uDollar
	case kSlash:
		return p.kind(i+1) == kTrades || p.kind(i+1) == kRound
	case kIf:
		w := p.words(i, i+1)
		if w == "each time" || w == "every time" || w == "Each time" || w == "Every time" {
			return p.isBreak(i+1) || p.kind(i+1) == kAnd
		}
	}
	return false
}

// money reads the budget of a trade.
func (p *parser) money() bool {
	i := p.i
	j := i
	cue := kUnknown
	switch p.kind(j) {
	case kBudget:
		cue = kBudget
		j++
		for p.kind(j) == kPer || p.kind(j) == kRound {
			j++
		}
	case kStake:
		cue = kStake
		j++
		if p.kind(j) == kPron {
			j++
		}
	case kPer:
		if p.kind(j+1) == kColon && p.kind(j+2) == kVal {
			cue = kBudget
			j++
		}
	case kBuy:
		if v := p.x(j + 1); p.x(j).w == "yolo" && v.kind == kVal && (v.v.unit == uNone && v.v.n >= micro || v.v.unit == uDollar) && p.is(j+2, "on", "into", "in") && p.object(j+3) {
			cue = kStake
			j++
			break
		}
		if v := p.x(j + 1); v.kind == kVal && v.v.unit == uDollar && v.v.n >= micro {
			return false // the verb is read first, the money behind it next
		}
		return false
	}
	lead := j
	for p.kind(j) == kColon || p.kind(j) == kEq || p.is(j, "of", "with", "for", "at", "to", "is", "by") || p.kind(j) == kBe && cue != kUnknown {
		j++
	}
	if cue == kUnknown && j > i && !p.is(i, "with", "for", "at", "of", "by") {
		return false
	}
	c := cmpNone
	cAt := j
	if p.kind(j) == kCmp {
		c = p.x(j).sub
		j++
	}
	x := p.x(j)
	if x.kind != kVal {
		return false
	}
	v := x.v
	end := j + 1
	post := cmpNone
	if p.kind(end) == kPost || p.kind(end) == kCmp && (p.x(end).w == "at most" || p.x(end).w == "at least") && p.kind(end+1) != kVal {
		post = p.x(end).sub
		end++
	}
	per := p.perTrade(end)
	if !p.isBudget(v, cue, per, i, lead, j, end) {
		return false
	}
	if per {
		end++
		if p.kind(end-1) == kSlash || p.kind(end-1) == kWord {
			end++
		}
		for p.kind(end) == kPer {
			end++
		}
	}
	if v.unit == uCent && !per || v.unit == uShare {
		return false
	}
	if c == cmpNone {
		c = post
	} else if post != cmpNone {
		return p.bad(i, end, "how much? give one amount, such as \"$50 per trade\"")
	}
	if c != cmpNone && (c != cmpLTE || p.forbids || p.kind(cAt-1) == kNot) {
		if p.kind(i) == kNot || p.kind(i-1) == kNot && c == cmpGT || p.forbids && c == cmpGT {
			c = cmpLTE
		} else {
			return p.bad(i, end, "a budget is one amount; say \"$50 per trade\"")
		}
	}
	if v.n < 0 || v.sign != 0 {
		return p.bad(i, end, "a budget is an amount above 0 and at most 1000000 dollars")
	}
	n := number(v.n)
	if v.unit == uCent {
		n /= 100
	}
	if p.rangeWord(j+1) && p.kind(j+2) == kVal {
		return p.bad(i, j+3, "a budget is one amount; say \"$50 per trade\"")
	}
	if n <= 0 || n > strategy.Int(1_000_000) {
		return p.bad(i, end, "a budget is above 0 and at most 1000000 dollars")
	}
	if !per && p.forWhole(end) {
		return p.bad(i, end, "%s", reasons[whyTotal])
	}
	if !per && cue == kUnknown && p.owned(i) {
		return p.bad(i, end, "the budget is for each trade; say \"%s per trade\"", p.words(j, j+1))
	}
	if !p.set(&p.budget, setting{n: n, span: p.span(i, end), at: i}, "the budget") {
		return true
	}
	if cue == kStake {
		p.buying, p.buyingAt, p.inIf = true, i, false
		p.term = term{from: -1}
		p.ell = ellipsis{}
		p.forbids = false
	}
	sold := p.sold == p.i
	p.take(end, fieldBudget)
	if sold {
		p.sold = p.i
	}
	for p.is(p.i, "of", "on", "in", "into") && p.object(p.i+1) {
		p.i++
	}
	return true
}

// isBudget decides whether a number is the budget: by its unit, the word
// before it and what stands behind it.
func (p *parser) isBudget(v value, cue kind, per bool, i, lead, at, end int) bool {
	if v.unit != uDollar && v.unit != uNone && v.unit != uCent {
		return false
	}
	// Depth in dollars.
	k := end
	if p.is(k, "of", "in") {
		k++
	}
	if p.kind(k) == kQty || p.kind(end) == kQty {
		return false
	}
	if p.term.qty != qNone && p.term.qty != qPrice && cue == kUnknown {
		return false
	}
	if p.kind(end) == kProfit || p.kind(end) == kLoss {
		return false
	}
	switch v.unit {
	case uDollar:
		if v.n >= micro || per || cue == kBudget {
			// In the place of a price it is a price, and refused as such.
			if cue == kUnknown && !per && p.term.tok != tokNone && p.term.from >= 0 && p.term.from == at-1 && p.kind(at-1) == kTok && !p.isBreak(end) && p.kind(end) != kEOF {
				return p.kind(end) != kPost
			}
			if p.is(at-1, "at") && !per {
				return false
			}
			if c := p.x(at - 1); c.kind == kCmp && cue == kUnknown && !per {
				if c.sub != cmpLTE || p.term.tok != tokNone || p.term.qty != qNone || p.inIf && p.kind(end) != kPer {
					return false
				}
			}
			return true
		}
		return v.n > 0 && per && p.isTradeWord(end) && !p.is(at-1, "at", "for") && p.kind(at-1) != kCmp
	case uCent:
		return v.n > 0 && per && p.isTradeWord(end) && !p.is(at-1, "at", "for") && p.kind(at-1) != kCmp && p.kind(at-1) != kTok
	}
	if v.n < micro || per && p.is(at-1, "at") {
		return false
	}
	if per {
		return p.kind(at-1) != kTok && p.kind(at-1) != kTP && p.kind(at-1) != kSL && p.kind(at-1) != kCmp || cue != kUnknown
	}
	if cue == kUnknown {
		return false
	}
	if cue == kStake && v.n < micro {
		return false
	}
	if u := p.kind(end); u == kRound || u == kTrades {
		return false
	}
	return lead > i
}

// forWhole reports whether the words that set nothing before lexeme end say that
// the money is for all trades together: "$500 for this backtest".
func (p *parser) forWhole(end int) bool {
	for k := p.sig[end-1] + 1; int(k) < len(p.all) && p.all[k].kind == kFill; k++ {
		switch p.all[k].w {
		case "for the test", "for this test", "for testing", "for the backtest", "for this backtest", "in the backtest", "whole", "entire",
			"whole thing", "entire thing", "everything", "all of it", "all":
			return true
		}
	}
	return false
}

// owned reports whether the money at i is what someone has: "I have $1000".
func (p *parser) owned(i int) bool {
	k := p.sig[i] - 1
	if k < 0 || p.all[k].kind != kFill {
		return false
	}
	switch p.all[k].w {
	case "have", "had", "i've got", "i got", "i have got", "we've got", "i've", "'ve", "own":
		return true
	}
	return false
}

// isTradeWord reports whether the word at i counts trades, and not shares as
// "each" may.
func (p *parser) isTradeWord(i int) bool {
	switch lower(p.words(i, i+1)) {
	case "each", "apiece", "a piece", "per each", "each one", "every", "a pop":
		return false
	}
	return true
}

// sample reads the number of markets to replay.
func (p *parser) sample() bool {
	i := p.i
	j := i
	if p.kind(j) == kSample || p.kind(j) == kTrades && (p.kind(j+1) == kColon || p.kind(j+1) == kEq || p.kind(j+1) == kVal) ||
		p.kind(j) == kRound && (p.kind(j+1) == kColon || p.kind(j+1) == kEq) && p.kind(j+2) == kVal && p.x(j+2).v.unit == uNone {
		if done, ok := p.sampleLabel(i); done {
			return ok
		}
	}
	over := false
	for p.is(j, "on", "in", "with", "for", "of", "at", "from", "through") || p.kind(j) == kCmp && p.x(j).w == "over" || p.kind(j) == kSample {
		over = over || p.kind(j) == kCmp || p.kind(j) == kSample || p.is(j, "on")
		j++
	}
	c := cmpNone
	if p.kind(j) == kCmp && p.x(j).w != "past" {
		c = p.x(j).sub
		j++
	}
	last := false
	if p.kind(j) == kLast || p.kind(j) == kCmp && p.x(j).w == "past" {
		last = true
		j++
	}
	first := p.kind(j) == kFirst
	if first {
		j++
	}
	x := p.x(j)
	if x.kind == kWord && x.w == "one" {
		return false
	}
	if x.kind != kVal || x.v.unit != uNone && (x.v.unit != uShare || x.v.n >= 0) {
		if x.kind == kVal && p.kind(j+1) != kRound && (x.v.unit == uDays && (last || over) || x.v.unit == uTime && x.v.n >= 86400*micro && last) {
			return p.badFor(i, j+1, fixDays, "the sample is a number of markets, not a stretch of time; say \"last 200 markets\"")
		}
		return false
	}
	k := j + 1
	for p.kind(k) == kCoin || p.kind(k) == kLenWord || p.kind(k) == kVal && p.x(k).v.unit == uTime || p.kind(k) == kAnyCoin || p.kind(k) == kFirst || p.kind(k) == kLast && p.x(k).sub == 1 || p.is(k, "of") && p.kind(k+1) == kCoin {
		k++
	}
	noun := p.kind(k)
	isTrades := noun == kTrades || noun == kSample && (p.words(k, k+1) == "samples" || p.words(k, k+1) == "sample") || noun == kBe && lower(p.words(k, k+1)) == "trades"
	if noun != kRound && !isTrades {
		return false
	}
	if p.is(i-1, "after", "every", "within") || p.kind(i-1) == kPer && i > 0 && p.is(i-1, "every") {
		return p.fail(refuseSpan(CodeUnsupportedSignal, p.span(i-1, k+1), "what other rounds did is not known to a strategy"))
	}
	if p.kind(i-1) == kHold || p.kind(i-1) == kSell || p.is(i-1, "by", "until", "before", "since") {
		return p.bad(i-1, k+1, "a strategy knows one market at a time; give minutes or seconds")
	}
	if first {
		return p.bad(i, k+1, "the sample is the latest markets; say \"last 200 markets\"")
	}
	if c != cmpNone || p.kind(k+1) == kPost {
		return p.bad(i, k+1, "the sample is one number; say \"last 200 markets\"")
	}
	if p.kind(k+1) == kPer || p.is(k+1, "per") {
		return p.bad(i, k+2, "how many trades a market or a day cannot be said: there is one entry a market")
	}
	if x.v.comma || x.v.dec == 3 && x.v.n%micro == 0 {
		return p.bad(i, k+1, "is this a thousand or one? write it without a point or comma")
	}
	end := j + 1
	if k == end || p.kind(end) == kLast && p.x(end).sub == 1 {
		end++
	}
	return p.setSample(i, end, x.v)
}

// sampleLabel reads "n=250", "sample 300", "sample of 200 rounds". done tells
// whether the phrase was settled.
func (p *parser) sampleLabel(i int) (done, ok bool) {
	j := i + 1
	for p.kind(j) == kColon || p.kind(j) == kEq || p.is(j, "of", "on", "for", "with", "is", "from", "at") || p.kind(j) == kBe || p.kind(j) == kCmp && p.x(j).w == "over" || p.kind(j) == kSample {
		j++
	}
	if p.kind(j) == kLast || p.kind(j) == kCmp && p.x(j).w == "past" {
		j++
	}
	x := p.x(j)
	if x.kind != kVal || x.v.unit != uNone {
		return false, false
	}
	if k := p.kind(j + 1); k == kPost || p.rangeWord(j+1) && p.kind(j+2) == kVal {
		return true, p.bad(i, j+2, "the sample is one number; say \"last 200 markets\"")
	}
	end := j + 1
	k := end
	for p.kind(k) == kCoin || p.kind(k) == kLenWord || p.kind(k) == kVal && p.x(k).v.unit == uTime {
		k++
	}
	if n := p.kind(k); n == kRound || n == kTrades || n == kSample || n == kBe && lower(p.words(k, k+1)) == "trades" {
		if k == end {
			end++
		}
	} else if k > end && p.kind(i) == kSample && p.kind(i+1) != kEq && p.kind(i+1) != kColon && p.x(i).w != "sample" {
		return false, false
	} else if w := lower(p.words(i, i+1)); p.kind(i) == kSample && (w == "test" || w == "try on" || w == "evaluate" || w == "run it on") && p.kind(end) != kEOF && !p.isBreak(end) {
		return false, false
	}
	return true, p.setSample(i, end, x.v)
}

func (p *parser) setSample(i, end int, v value) bool {
	if v.n < 0 || v.n%micro != 0 || v.n < micro || v.n > 10_000*micro || v.sign != 0 {
		return p.bad(i, end, "a sample is a whole number of markets from 1 to 10000")
	}
	if !p.set(&p.sampl, setting{n: number(v.n), span: p.span(i, end), at: i}, "the sample") {
		return true
	}
	sold := p.sold == p.i
	p.take(end, fieldSample)
	if sold {
		p.sold = p.i
	}
	return true
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
