package parser

import (
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// screen refuses percentages and values that are not this market's.
func (p *parser) screen() *Refusal {
	if r := p.coinInPercent(); r != nil {
		return r
	}
	for i := range p.sig {
		x := p.x(i)
		switch x.kind {
		case kVal:
			if x.v.unit == uPct {
				return p.percentage(i)
			}
			if x.v.unit == uClock {
				return refuseSpan(CodeUnsupportedSignal, p.span(i, i+1), "the hour of the day is not known to a strategy; times count from the market's start or to its end")
			}
		case kOutside:
			if x.w == "est" && p.foreign() {
				continue // French for "is", not a time zone
			}
			return p.outsideRefusal(i, i+1)
		case kUnknown:
			switch x.w {
			case "percent", "pct", "percentage", "percentages", "bps", "bp", "basis":
				return p.percentage(i)
			}
		}
	}
	if r := p.assetWords(); r != nil {
		return r
	}
	for i := range p.sig {
		switch p.kind(i) {
		case kCoin:
			if r := p.coinScreen(i); r != nil {
				return r
			}
		case kVal:
			if r := p.assetPrice(i); r != nil {
				return r
			}
			if r := p.countedRounds(i); r != nil {
				return r
			}
		case kIf:
			if r := p.otherLength(i); r != nil {
				return r
			}
		case kLast:
			if r := p.earlierRounds(i); r != nil {
				return r
			}
		case kLoss, kProfit:
			if p.kind(i+1) == kRound {
				return p.outsideRefusal(i, i+2)
			}
		}
	}
	return nil
}

// foreign reports whether the prompt has words of another language.
func (p *parser) foreign() bool {
	for i := range p.sig {
		if x := p.x(i); x.kind == kRefuse && x.sub == whyLanguage {
			return true
		}
	}
	return false
}

// coinInPercent refuses a move of the coin that is given in percent as what it
// is: no price of a token to be written another way.
func (p *parser) coinInPercent() *Refusal {
	for i := range p.sig {
		if p.kind(i) != kCoin {
			continue
		}
		r := p.coinScreen(i)
		if r == nil {
			continue
		}
		for k := i; k < len(p.sig) && int(p.x(k).end) <= r.Phrases[0].End; k++ {
			if x := p.x(k); x.kind == kVal && x.v.unit == uPct {
				return r
			}
		}
	}
	return nil
}

// fractionOfOne returns what a percentage is of one dollar, as text: 0.35 for
// 35%; empty when that is no price.
func fractionOfOne(v value, text string) string {
	n, per := v.n, int64(100)
	if t := strings.ToLower(text); strings.Contains(t, "bp") || strings.Contains(t, "basis") {
		per = 10_000
	}
	if n <= 0 || n >= per*micro || n%per != 0 {
		return ""
	}
	return number(n / per).String()
}

func (p *parser) percentage(i int) *Refusal {
	s := p.span(i, i+1)
	if price := fractionOfOne(p.x(i).v, s.Text); price != "" {
		return refuseSpan(CodeUnsupportedSignal, s, "percentages cannot be used, prices are dollars of the token; write %s instead of %s", price, s.Text)
	}
	return refuseSpan(CodeUnsupportedSignal, s, "percentages cannot be used; write the token's price, such as 0.35, or its change in cents, such as 5c")
}

func (p *parser) outsideRefusal(i, j int) *Refusal {
	return refuseSpan(CodeUnsupportedSignal, p.span(i, j), "only this market's token prices, order books and time can be used; say, for example, \"when Up is below 35c\"")
}

// coinScreen refuses a value or a move attributed to the coin at i.
func (p *parser) coinScreen(i int) *Refusal {
	r := p.coinValue(i)
	if r != nil && !p.anotherCoin(i) {
		r.fix = fixAsset
	}
	return r
}

func (p *parser) coinValue(i int) *Refusal {
	j := i + 1
	for {
		x := p.x(j)
		if x.kind == kRound || x.kind == kLenWord || x.kind == kVal && x.v.unit == uTime && p.kind(j-1) != kBe || x.kind == kCoin {
			j++
			continue
		}
		break
	}
	// The bare name, without a length or a noun for market around it.
	asset := j == i+1 && p.kind(i-1) != kLenWord && (p.kind(i-1) != kVal || p.x(i-1).v.unit != uTime)
	possessive := false
	if p.kind(j) == kBe && p.words(j, j+1) == "'s" || p.kind(j) == kBe && p.words(j, j+1) == "’s" {
		possessive = true
		switch k := p.kind(j + 1); {
		case k == kTok && p.kind(i-1) == kIf && (p.isBreak(j+2) || p.kind(j+2) == kBuy || p.kind(j+2) == kAnd):
			return p.outsideRefusal(i, j+2) // "if bitcoin's down"
		case k == kTok && p.anotherCoin(i) && (p.kind(i-1) == kIf || p.kind(i-1) == kAnd):
			return p.outsideRefusal(i, p.predicateEnd(j+1)) // "buy Up on BTC if ETH's Up is …"
		case k == kVal && p.x(j+1).v.unit == uTime && (p.kind(j+2) == kQty || p.kind(j+2) == kMove) && !p.is(j+3, "of", "for"):
			return p.outsideRefusal(i, j+3) // "bitcoin's 5 minute change"
		case k == kVal && p.x(j+1).v.unit == uTime || k == kRound || k == kTok || k == kLenWord:
			return nil
		}
		j++
	}
	for asset && (p.kind(j) == kPron || p.kind(j) == kOpen && p.kind(j+1) == kMove) {
		j++ // bitcoin itself has moved, bitcoin starts going up
	}
	x := p.x(j)
	switch x.kind {
	case kRefuse:
		if possessive && x.sub == whyLastTrade {
			return p.outsideRefusal(i, j+1) // "bitcoin's last price"
		}
	case kQty:
		if x.sub == qPrice || x.sub == qChange {
			if p.is(j+1, "of", "for") && p.kind(j+2) == kTok {
				return nil
			}
			return p.outsideRefusal(i, j+1)
		}
	case kBe:
		switch p.kind(j + 1) {
		case kBuy, kStake, kAvoid, kHold, kEither, kFav:
			return nil
		case kTok:
			if k := p.kind(j + 2); !asset && (k == kIf || p.isBreak(j+2)) {
				return nil
			}
		}
		if p.kind(j+1) == kRound || p.kind(j+1) == kCoin || p.kind(j+1) == kEOF || p.isBreak(j+1) {
			return nil
		}
		return p.outsideRefusal(i, p.predicateEnd(j+1))
	case kMove, kCross:
		if x.w == "trade" && p.kind(j+1) != kVal || !asset && p.tokenOnMarket(i) {
			return nil
		}
		return p.outsideRefusal(i, p.predicateEnd(j))
	case kNot:
		if p.kind(j+1) == kMove || p.kind(j+1) == kCmp {
			return p.outsideRefusal(i, j+2)
		}
	case kCmp:
		listed := (p.kind(i-1) == kAnd || p.kind(i-1) == kOr || p.kind(i-1) == kComma || p.kind(i-1) == kSlash) && p.kind(i-2) == kCoin
		if (possessive || asset && !listed && !p.is(i-1, "on", "in", "for", "of", "with")) && p.valueOfAsset(j) {
			return p.outsideRefusal(i, p.predicateEnd(j))
		}
	case kTok:
		v := j + 1
		if p.kind(v) == kCmp || p.is(v, "by") {
			v++
		}
		if w := p.x(v); w.kind == kVal && asset && (w.v.unit == uDollar && w.v.n >= micro || w.v.unit == uNone && w.v.n >= 100*micro) {
			if _, n := p.window(v + 1); n > 0 && w.v.unit == uDollar {
				return p.outsideRefusal(i, v+1+n) // bitcoin down 300 dollars in five minutes
			}
			if p.perTrade(v+1) || p.kind(v+1) == kRound || p.kind(v+1) == kTrades || p.kind(j+1) == kVal && p.kind(i-1) != kIf {
				return nil
			}
			return p.outsideRefusal(i, v+1)
		}
	}
	if p.kind(i-1) == kIf && asset && !p.tokenInClause(i) {
		return p.outsideRefusal(i, p.predicateEnd(j))
	}
	if p.is(i-1, "of") && p.kind(i-2) == kQty && (p.x(i-2).sub == qPrice || p.x(i-2).sub == qChange) && asset {
		return p.outsideRefusal(i-2, i+1)
	}
	return nil
}

// otherLength refuses a condition on the market of another length: buy Up on
// BTC 15m if the 1h Up is above 60c.
func (p *parser) otherLength(i int) *Refusal {
	n, j := int64(0), i+1
	for ; p.kind(j) == kCoin || p.kind(j) == kRound || p.kind(j) == kLenWord || p.kind(j) == kVal && p.x(j).v.unit == uTime || p.kind(j) == kBe && p.words(j, j+1) == "'s"; j++ {
		if p.kind(j) == kLenWord || p.kind(j) == kVal {
			n = p.x(j).v.n
		}
	}
	if n == 0 || lengthNames[n/micro] == "" || p.kind(j) != kTok || p.isBreak(j+1) || p.kind(j+1) == kBuy {
		return nil
	}
	for k := range p.sig {
		x := p.x(k)
		if k >= i && k < j || x.kind != kLenWord && (x.kind != kVal || x.v.unit != uTime || !x.v.compact && p.kind(k+1) != kRound) || lengthNames[x.v.n/micro] == "" || x.v.n == n {
			continue
		}
		if x.kind == kLenWord || p.kind(k-1) == kCoin || p.kind(k+1) == kCoin || p.kind(k+1) == kRound {
			return p.outsideRefusal(i+1, j+1)
		}
	}
	return nil
}

// tokenOnMarket reports whether the coin at i only says where the token before
// it is traded: "the price of Up on the 5-minute Bitcoin market dips".
func (p *parser) tokenOnMarket(i int) bool {
	j := i - 1
	for p.kind(j) == kLenWord || p.kind(j) == kVal && p.x(j).v.unit == uTime || p.kind(j) == kPer {
		j--
	}
	return p.is(j, "on", "in", "of", "for") && p.kind(j-1) == kTok
}

// anotherCoin reports whether a coin other than the one at i is named before it.
func (p *parser) anotherCoin(i int) bool {
	for j := range i {
		if p.kind(j) == kCoin && p.x(j).w != p.x(i).w {
			return true
		}
	}
	return false
}

// predicateEnd returns the end of what is said from j on, for a message.
func (p *parser) predicateEnd(j int) int {
	for j < len(p.sig) && !p.isBreak(j) && p.kind(j) != kAnd && p.kind(j) != kBuy && p.kind(j) != kIf {
		j++
	}
	return j
}

// valueOfAsset reports whether the comparator at j compares the coin before it:
// with a price, not with a time, a number of markets or a budget.
func (p *parser) valueOfAsset(j int) bool {
	k := j + 1
	if p.is(k, "of") {
		k++
	}
	x := p.x(k)
	if x.kind == kLast || x.kind == kFirst {
		return false
	}
	if x.kind != kVal {
		return x.kind == kUnknown || x.kind == kCoin
	}
	switch x.v.unit {
	case uTime, uOrd, uDays:
		return false
	case uDollar:
		if p.x(j).sub == cmpLTE {
			return false
		}
		if p.perTrade(k + 1) {
			return false
		}
		if n := p.kind(k + 1); n == kQty {
			return false
		}
		if p.is(k+1, "of", "in") && p.kind(k+2) == kQty {
			return false
		}
	case uNone:
		n := k + 1
		for p.kind(n) == kCoin || p.kind(n) == kVal && p.x(n).v.unit == uTime || p.kind(n) == kLenWord {
			n++
		}
		if p.kind(n) == kRound || p.kind(n) == kTrades || p.kind(n) == kSample || p.kind(n) == kBe {
			return false
		}
	}
	return true
}

// tokenInClause reports whether a token or a quantity of the book stands in the
// clause of conditions that begins before i.
func (p *parser) tokenInClause(i int) bool {
	for j := i; j < len(p.sig); j++ {
		switch p.kind(j) {
		case kTok, kQty, kPron, kFav, kOther, kEither, kCanBuy, kHigher:
			return true
		case kStop, kComma, kBuy, kOpen, kEnd, kLeft:
			return p.kind(j) == kOpen || p.kind(j) == kEnd || p.kind(j) == kLeft
		case kCmp:
			if p.kind(j+1) == kVal {
				return true
			}
		}
	}
	return false
}

// assetWords refuses a value or a move of "the coin", "the asset".
func (p *parser) assetWords() *Refusal {
	for i := range p.all {
		x := &p.all[i]
		if x.kind != kFill {
			continue
		}
		switch x.w {
		case "coin", "coins", "crypto", "cryptocurrency", "asset", "assets", "ticker", "symbol", "pair":
		default:
			continue
		}
		j := i + 1
		for j < len(p.all) && p.all[j].kind == kFill {
			j++
		}
		if j >= len(p.all) {
			continue
		}
		switch next := &p.all[j]; next.kind {
		case kBe:
			if j+1 < len(p.all) && (p.all[j+1].kind == kCoin || p.all[j+1].kind == kAnyCoin) {
				continue
			}
		case kMove, kCross, kCmp, kNot:
			if next.w == "trade" {
				continue
			}
		default:
			continue
		}
		s := strategy.Span{Start: int(x.start), End: int(p.all[j].end), Text: p.t.slice(x.start, p.all[j].end)}
		return refuseSpan(CodeUnsupportedSignal, s, "only this market's token prices, order books and time can be used; say, for example, \"when Up is below 35c\"")
	}
	return nil
}

// countedRounds refuses what a number of rounds did, "two losing rounds", and
// years.
func (p *parser) countedRounds(i int) *Refusal {
	v := p.x(i).v
	if v.unit != uNone {
		return nil
	}
	if v.n >= 1990*micro && v.n <= 2100*micro && v.dec == 0 && p.is(i-1, "in", "since", "from", "during", "before", "after", "until") && p.kind(i+1) != kRound && p.kind(i+1) != kTrades {
		return p.outsideRefusal(i-1, i+1)
	}
	if k := p.kind(i + 1); (k == kRound || k == kTrades) && p.is(i-1, "after", "every", "before", "within") {
		return p.outsideRefusal(i-1, i+2)
	}
	if x := p.x(i + 1); x.kind == kRefuse && x.sub == whyLast {
		if k := p.kind(i + 2); (k == kTok || k == kLoss || k == kProfit || k == kHigher) && (p.kind(i+3) == kRound || p.kind(i+3) == kTrades) {
			return p.outsideRefusal(i, i+4) // 3 straight Down rounds
		}
	}
	switch p.kind(i + 1) {
	case kLoss, kProfit, kTok, kHigher:
		if p.kind(i+2) == kRound || p.kind(i+2) == kTrades {
			return p.outsideRefusal(i, i+3)
		}
	}
	return nil
}

// assetPrice refuses a value in the place of a price that only a coin can have.
func (p *parser) assetPrice(i int) *Refusal {
	v := p.x(i).v
	if v.n < 0 && v.dec > 6 || v.n >= 0 && v.n < 1000*micro || v.unit != uDollar && v.unit != uNone {
		return nil
	}
	j := i - 1
	if p.is(j, "to", "at") {
		j--
	}
	k := p.kind(j)
	subject := j
	for k := p.kind(subject); k == kCmp || k == kBe || k == kMove || k == kCross || k == kNot || p.is(subject, "of"); k = p.kind(subject) {
		subject--
	}
	if p.kind(subject) == kQty && p.x(subject).sub != qPrice {
		return nil
	}
	if k == kCmp {
		if w := p.x(j).w; w != "above" && w != "below" && w != "over" && w != "under" && w != "past" {
			return nil
		}
	} else if k != kMove && k != kCross {
		return nil
	}
	n := i + 1
	for p.kind(n) == kCoin || p.kind(n) == kVal && p.x(n).v.unit == uTime || p.kind(n) == kLenWord || p.kind(n) == kLast || p.kind(n) == kFirst {
		n++
	}
	switch p.kind(n) {
	case kRound, kTrades, kPer, kQty, kSample, kBe:
		return nil
	}
	if p.is(n, "of", "in", "on") && p.kind(n+1) == kQty {
		return nil
	}
	return p.outsideRefusal(max(j, 0), i+1)
}

// earlierRounds refuses what earlier rounds did: the last 3 rounds closed down.
func (p *parser) earlierRounds(i int) *Refusal {
	j := i + 1
	if p.kind(j) == kVal && p.x(j).v.unit == uNone {
		j++
	}
	for p.kind(j) == kCoin || p.kind(j) == kVal && p.x(j).v.unit == uTime || p.kind(j) == kLenWord {
		j++
	}
	if p.kind(j) != kRound {
		return nil
	}
	if p.x(i).sub == 1 && p.kind(i+1) != kVal && (p.kind(i-1) != kVal || p.x(i-1).v.unit != uNone) {
		return p.outsideRefusal(i, j+1)
	}
	switch k := p.kind(j + 1); k {
	case kBe, kMove, kTok, kSell, kEnd, kProfit, kLoss, kCross:
		if k == kSell && p.kind(j+2) != kTok {
			return nil
		}
		if k == kTok && !p.isBreak(j+2) && p.kind(j+2) != kEOF {
			return nil
		}
		return p.outsideRefusal(i, min(j+3, len(p.sig)))
	case kUnknown:
		switch p.x(j + 1).w {
		case "closed", "won", "finished", "ended", "went", "had", "resolved", "settled":
			return p.outsideRefusal(i, min(j+3, len(p.sig)))
		}
	}
	return nil
}
