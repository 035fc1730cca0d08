package parser

import (
	"fmt"

	"github.com/ladderback/ladderback/strategy"
)

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// refuseSpan refuses a phrase, which the message begins with.
func refuseSpan(code string, s strategy.Span, format string, args ...any) *Refusal {
	r := refuse(code, format, args...)
	r.Message = "\"" + s.Text + "\": " + r.Message
	r.Phrases = []strategy.Span{s}
	return r
}

// reasons says why each group of phrases is refused, and the nearest thing that
// can be said. It is constant in spirit.
var reasons = map[reason]string{
	whyLimit:       "orders that rest or wait at a price cannot be said: an order is sent when the conditions hold; say \"buy Up when its ask is at most 38c\"",
	whyShort:       "a strategy buys one token and sells it later, it does not sell short; to bet against Up, buy Down",
	whyHedge:       "a strategy holds one token of a market; say which one to buy",
	whySizing:      "every trade has the same budget and there is one entry a market; say \"$50 per trade\"",
	whyReentry:     "there is one entry a market; give the conditions of the first",
	whyPartial:     "a position is sold as a whole; give one price to sell all of it at",
	whyBreakEven:   "stops stay where they are, but for a trailing one; say \"stop at 20c\" or \"trail by 5c\"",
	whyMultiple:    "multiples of the price or the stake cannot be said; give the price itself, such as \"take profit at 70c\"",
	whySequence:    "one thing after another cannot be said: all conditions hold at one instant; say \"is below\", \"crosses above\" or \"has fallen by 10c in the last 2 minutes\"",
	whyHigh:        "highs and lows of the price are not known to a strategy; say \"trail by 5c\" for a stop below the highest bid since entry",
	whyAnyOf:       "alternatives are said with \"or\"; say \"buy Up if Up is below 30c or its spread is below 1c\"",
	whyLast:        "conditions hold at one instant, they cannot be asked to last; leave out how long",
	whyBoth:        "a strategy buys one side of a market; say Up, Down, or \"either side\" for whichever meets the conditions first",
	whyCompare:     "one strategy at a time, and no comparison between values; describe one and run the other by itself",
	whySwitch:      "a strategy enters once and on one side; the other one is a strategy of its own",
	whyTotal:       "the budget is for each trade, and there is no bound over all of them; say \"$50 per trade\"",
	whyShares:      "a trade is sized in dollars, not shares; say \"$50 per trade\"",
	whyTopSize:     "this cannot be compared; say \"ask depth is at least $500\", \"bid depth\", \"spread\" or \"imbalance\"",
	whyCurrency:    "budgets are in US dollars; say \"$50 per trade\"",
	whyDays:        "the sample is a number of markets; say \"last 200 markets\"",
	whyEqual:       "equality cannot be a condition; say \"at most\", \"at least\" or \"between 40c and 45c\"",
	whyVague:       "this is not exact; give a number",
	whyVaguePrice:  "this is not exact; give a price, such as \"below 35c\"",
	whyVagueSpread: "this is not exact; say \"spread is at most 2c\"",
	whyVagueDepth:  "this is not exact; say \"imbalance is above 0.6\" or \"at least $500 of depth on the bid\"",
	whyVagueTime:   "this is not exact; say \"in the first 5 minutes\", \"in the last 2 minutes\" or \"after 5 minutes\"",
	whyVagueAmount: "this is not exact; give a number",
	whySearch:      "the strategy must be given, it is not searched for; say \"Buy Up on BTC 15m when Up is below 35c, take profit at 55c\"",
	whyFade:        "say which token to buy, Up or Down, and at what price",
	whyLanguage:    "only English can be read",
	whyAccount:     "the budget is dollars for each trade; say \"$50 per trade\"",
	whyTicks:       "write ticks and points as cents, such as \"5c\"",
	whyAverage:     "averages and statistics are not known to a strategy; give a price, such as \"below 35c\"",
	whyClose:       "what a round closes at is not known before its end; say \"is above 60c in the last minute\"",
	whyProfitMoney: "profit and loss in dollars cannot be said; say \"take profit 10c above entry\" or give the price of the token",
	whySinceOpen:   "a change since the open cannot be said; give a look-back, such as \"has fallen by 10c in the last 2 minutes\"",
	whyStory:       "only the strategy can be read; leave out the story around it",
	whyLastTrade:   "the last trade by itself cannot be compared; say \"price\"",
}

// cannotSay refuses what the vocabulary knows that the object cannot say.
func (p *parser) cannotSay() *Refusal {
	trailing := false
	var foreign *Refusal
	for i := range p.sig {
		x := p.x(i)
		switch x.kind {
		case kTrail:
			trailing = true
		case kStop:
			trailing = false
		case kRefuse:
			if x.sub == whyHigh && trailing || x.sub == whyAnyOf && p.dividedByOr(i) {
				continue
			}
			r := refuseSpan(CodeBadRequest, p.span(i, i+1), "%s", reasons[x.sub])
			r.why = x.sub
			if x.sub != whyLanguage {
				return r
			}
			if r.unread = true; foreign == nil { // a language model may know it
				foreign = r
			}
		case kVal:
			switch x.v.unit {
			case uMoney:
				return refuseSpan(CodeBadRequest, p.span(i, i+1), "%s", reasons[whyCurrency])
			case uPoint:
				return refuseSpan(CodeBadRequest, p.span(i, i+1), "%s", reasons[whyTicks])
			}
		}
	}
	return foreign
}

// dividedByOr reports whether the alternatives that lexeme i announces are
// divided by "or" alone, up to the end of the sentence or of a bracket: "in any
// of three cases: A, or B, or C". What announces them then sets nothing.
func (p *parser) dividedByOr(i int) bool {
	ors, end := 0, false
	for j := i + 1; j < len(p.sig) && !end; j++ {
		switch p.kind(j) {
		case kOr:
			ors++
		case kComma, kSlash, kSoft:
			if p.kind(j+1) != kOr {
				return false
			}
		case kAnd, kBut:
			return false
		case kStop, kCloseParen:
			end = true
		}
	}
	return ors > 0
}

// spreadOut refuses "any" and the like with other words before "coin" or
// "length": read apart they would set nothing.
func (p *parser) spreadOut() *Refusal {
	for i := range p.all {
		if w := p.all[i].w; w != "any" && w != "all" && w != "every" && w != "each" || p.all[i].kind != kFill && p.all[i].kind != kPer {
			continue
		}
		for j := i + 1; j < len(p.all) && j <= i+4; j++ {
			x := &p.all[j]
			if x.kind != kFill && x.kind != kRound {
				break
			}
			switch lower(p.t.slice(x.start, x.end)) {
			case "coin", "coins", "crypto", "cryptos", "asset", "assets", "ticker", "tickers", "symbol", "symbols", "cryptocurrency", "length", "duration", "timeframe":
				s := strategy.Span{Start: int(p.all[i].start), End: int(x.end), Text: p.t.slice(p.all[i].start, x.end)}
				return refuseSpan(CodeBadRequest, s, "say \"any coin\" or \"any length\"")
			}
		}
	}
	return nil
}

// unreadRefusal says what is wrong with the lexeme that no rule could read.
func (p *parser) unreadRefusal(i int) *Refusal {
	x, s := p.x(i), p.span(i, i+1)
	switch x.kind {
	case kVague:
		r := refuseSpan(CodeBadRequest, s, "%s", reasons[x.sub])
		r.why = x.sub
		return r
	case kVal:
		return p.unreadValue(i, s)
	case kUnknown:
		return p.unknownWord(i)
	case kCmp, kPost:
		return refuseSpan(CodeBadRequest, s, "compared with what? give a price, such as \"below 35c\", or a time")
	case kQty:
		return refuseSpan(CodeBadRequest, s, "compared with what? say, for example, \"spread is at most 2c\" or \"ask is below 35c\"")
	case kMove, kCross:
		return refuseSpan(CodeBadRequest, s, "to where, or by how much? say \"drops below 35c\", \"rises to 60c\" or \"has fallen by 10c in the last 2 minutes\"")
	case kTok, kHigher:
		return refuseSpan(CodeBadRequest, s, "a token or a direction? say \"Up is above 60c\", or \"has risen by 5c in the last minute\"")
	case kNot, kAvoid, kUnless:
		return refuseSpan(CodeBadRequest, s, "a negation that cannot be read; say what must hold")
	case kFirst, kLast, kLeft, kGone, kOpen, kEnd:
		return refuseSpan(CodeBadRequest, s, "which time? say \"in the first 5 minutes\", \"in the last 2 minutes\", \"after 5 minutes\" or \"exit 1 minute before the end\"")
	case kTrades:
		return refuseSpan(CodeBadRequest, s, "how many? say \"last 200 markets\"")
	}
	r := refuseSpan(CodeBadRequest, s, "this cannot be read here; say it another way, or leave it out")
	r.unread = true
	return r
}

// unreadValue refuses a number that belongs to nothing.
func (p *parser) unreadValue(i int, s strategy.Span) *Refusal {
	switch v := p.x(i).v; v.unit {
	case uTime:
		if lengthNames[v.n/micro] == "" && (p.kind(i-1) == kCoin || p.kind(i+1) == kRound) {
			r := refuseSpan(CodeBadRequest, s, "%s", badLength)
			r.fix = fixLength
			return r
		}
		r := refuseSpan(CodeBadRequest, s, "a time that belongs to nothing; say \"in the first …\", \"after …\", \"in the last …\" or \"exit … before the end\"")
		r.fix = fixLoose
		return r
	case uDays:
		r := refuseSpan(CodeBadRequest, s, "%s", reasons[whyDays])
		r.why = whyDays
		return r
	case uShare:
		return refuseSpan(CodeBadRequest, s, "%s", reasons[whyShares])
	case uTimes:
		return refuseSpan(CodeBadRequest, s, "%s", reasons[whyMultiple])
	case uDollar:
		if v.n > 0 && v.n < micro {
			break
		}
		return refuseSpan(CodeBadRequest, s, "what is this amount for? say \"$50 per trade\" for the budget, or \"at least $500 of depth on the ask\"")
	case uClock:
		return refuseSpan(CodeUnsupportedSignal, s, "the hour of the day is not known to a strategy; times count from the market's start or to its end")
	}
	return refuseSpan(CodeBadRequest, s, "what is this number for? say \"below …c\", \"take profit at …c\", \"stop at …c\", \"$… per trade\" or \"last … markets\"")
}

// unknownWord refuses a word that is not in the vocabulary. As the subject of a
// condition it stands for a value from elsewhere.
func (p *parser) unknownWord(i int) *Refusal {
	end := i + 1
	for p.kind(end) == kUnknown {
		end++
	}
	s := p.span(i, end)
	if p.inIf && !p.subjectKnown(i) {
		return refuseSpan(CodeUnsupportedSignal, s, "conditions read this market's token prices, order books and time only; say, for example, \"when Up is below 35c\"")
	}
	r := refuseSpan(CodeBadRequest, s, "this is not in the language; say it another way, or leave it out")
	r.unread = true
	return r
}

// subjectKnown reports whether the clause of conditions around lexeme i speaks
// of a token or a quantity.
func (p *parser) subjectKnown(i int) bool {
	for j := i - 1; j >= 0; j-- {
		switch p.kind(j) {
		case kIf, kUnless, kStop:
			return false
		case kTok, kQty, kCmp, kVal, kFav, kOther, kEither:
			return true
		}
	}
	return false
}
