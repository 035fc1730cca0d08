package parser

import (
	"fmt"

	"github.com/ladderback/ladderback/strategy"
)

// amount reads the value at lexeme `at` in the unit of q. from and to bound the
// phrase that a refusal names. why is the assumption made, if any.
func (p *parser) amount(at int, q qty, from, to int) (n strategy.Number, why string, ok bool) {
	v := p.x(at).v
	switch q {
	case qAskDepth, qBidDepth:
		return p.dollars(v, from, to)
	case qImbalance:
		return p.ratioNumber(v, from, to)
	case qRatio:
		r, ok := p.multiple(v, from, to)
		if !ok {
			return 0, "", false
		}
		n = shareOf(r)
		return n, fmt.Sprintf("a ratio of %s is an imbalance of %s", number(r), n), true
	}
	return p.price(v, q, from, to)
}

// price reads a value as dollars of a price, a spread or a change.
func (p *parser) price(v value, q qty, from, to int) (n strategy.Number, why string, ok bool) {
	no := func(format string, args ...any) (strategy.Number, string, bool) {
		p.bad(from, to, format, args...)
		return 0, "", false
	}
	if v.n < 0 {
		return no("this number is too large or has too many decimals")
	}
	raw := number(v.n)
	switch v.unit {
	case uCent:
		if raw%100 != 0 {
			return no("prices have at most 4 decimals")
		}
		n = raw / 100
	case uDollar:
		n = raw
	case uFrac:
		if 100*int64(v.num)%int64(v.den) != 0 {
			return no("this is no price with at most 4 decimals; write it in cents")
		}
		n = strategy.Number(100 * int64(v.num) / int64(v.den) * micro / 100)
	case uNone:
		switch {
		case v.words && raw < strategy.One && v.dec == 0:
			return no("a price lies strictly between 0 and 1; write it in cents")
		case raw > 0 && raw < strategy.One:
			n = raw
		case raw >= 2*strategy.One && raw <= 99*strategy.One:
			if raw%100 != 0 {
				return no("prices have at most 4 decimals")
			}
			n = raw / 100
			why = fmt.Sprintf("%s is read as cents", raw)
		default:
			return no("%s is no price; write cents (35c) or dollars (0.35)", raw)
		}
	case uTimes:
		return no("a multiple of the price cannot be said; write the price itself, such as 70c")
	case uShare:
		return no("a number of shares is no price; write cents (35c)")
	case uPoint:
		return no("write points as cents (5c)")
	case uDecade:
		return no("write the price itself, such as 45c")
	default:
		return no("this is no price; write cents (35c)")
	}
	if n%100 != 0 {
		return no("prices have at most 4 decimals")
	}
	switch q {
	case qSpread:
		if n > strategy.One || v.sign != 0 {
			return no("a spread lies between 0 and 1 dollar")
		}
	case qChange:
		if n > strategy.One {
			return no("a change lies between -1 and 1 dollar")
		}
		if v.sign < 0 {
			n = -n
		}
	default:
		if n <= 0 || n >= strategy.One {
			return no("token prices lie strictly between 0 and 1 dollar")
		}
		if v.sign != 0 {
			return no("a price has no sign; say \"… above entry\", \"… below entry\" or the price itself")
		}
	}
	return n, why, true
}

// dollars reads a value as a depth.
func (p *parser) dollars(v value, from, to int) (n strategy.Number, why string, ok bool) {
	switch {
	case v.n < 0:
		p.bad(from, to, "this number is too large or has too many decimals")
		return 0, "", false
	case v.unit == uShare:
		p.bad(from, to, "depth is compared in dollars, not shares; say \"at least $500\"")
		return 0, "", false
	case v.unit == uNone:
		return number(v.n), fmt.Sprintf("%s is read as dollars", number(v.n)), true
	case v.unit != uDollar || v.sign < 0:
		p.bad(from, to, "depth is compared in dollars; say \"at least $500\"")
		return 0, "", false
	}
	return number(v.n), "", true
}

// ratioNumber reads a value as an imbalance.
func (p *parser) ratioNumber(v value, from, to int) (n strategy.Number, why string, ok bool) {
	switch v.unit {
	case uNone:
		n = number(v.n)
	case uFrac:
		if 10000*int64(v.num)%int64(v.den) != 0 {
			p.bad(from, to, "an imbalance has at most 4 decimals")
			return 0, "", false
		}
		n = strategy.Number(10000 * int64(v.num) / int64(v.den) * 100)
	default:
		p.bad(from, to, "an imbalance is a plain number from 0 to 1, such as 0.6")
		return 0, "", false
	}
	if n < 0 || n > strategy.One || v.sign != 0 || n%100 != 0 {
		p.bad(from, to, "an imbalance is a number from 0 to 1 with at most 4 decimals, such as 0.6")
		return 0, "", false
	}
	return n, "", true
}

// multiple reads a value as how many times one thing is the other, in units of
// 1e-6.
func (p *parser) multiple(v value, from, to int) (int64, bool) {
	if v.unit != uTimes && v.unit != uNone || v.n <= 0 || v.sign != 0 || v.n > 1_000_000*micro {
		p.bad(from, to, "say how many times, such as \"twice\" or \"2x\"")
		return 0, false
	}
	return v.n, true
}

// shareOf returns r/(1+r), rounded to 4 decimals, half up, for r in units of
// 1e-6.
func shareOf(r int64) strategy.Number {
	den := micro + r
	return strategy.Number((r*20000 + den) / (2 * den) * 100)
}
