package parser

import (
	"fmt"

	"github.com/ladderback/ladderback/strategy"
)

var typeOfQty = map[qty]strategy.Type{
	qPrice: strategy.Price, qAsk: strategy.BestAsk, qBid: strategy.BestBid, qSpread: strategy.Spread,
	qAskDepth: strategy.AskDepth, qBidDepth: strategy.BidDepth, qImbalance: strategy.Imbalance, qRatio: strategy.Imbalance,
}

// addLevel adds a comparison of a level.
func (p *parser) addLevel(c cond, r predicate, q qty, not bool) bool {
	if q == qDepth {
		p.bad(c.from, c.to, "depth of which side? say \"ask depth\" or \"bid depth\"")
		return false
	}
	c.typ = typeOfQty[q]
	k := len(p.conds)
	if r.kind == predRange {
		return p.addRange(c, r, q, not)
	}
	n, why, ok := p.amount(r.at, q, c.from, c.to)
	if !ok {
		return false
	}
	c.n = n
	switch r.kind {
	case predLevel:
		c.cmp = comparatorOf(flip(r.cmp, not))
		if p.x(r.at+1).kind == kPost && p.x(r.at+1).w == "or better" && q != qPrice && q != qAsk {
			p.bad(c.from, c.to, "better which way? say \"or less\" or \"or more\"")
			return false
		}
	case predCross:
		if not {
			p.bad(c.from, c.to, "a crossing that does not happen cannot be a condition; say \"above\" or \"below\"")
			return false
		}
		c.cmp = strategy.CrossesBelow
		if r.up {
			c.cmp = strategy.CrossesAbove
		}
	case predHit:
		if q != qPrice && q != qAsk && q != qBid {
			p.bad(c.from, c.to, "this does not say from which side; say \"at least\" or \"at most\"")
			return false
		}
		at := cmpLTE
		if n >= strategy.One/2 {
			at = cmpGTE
		}
		c.cmp = comparatorOf(flip(at, not))
		p.assume(fieldCond+fieldID(k), string(c.cmp), "a price that is reached is read as at least it from 0.50 on, else as at most it")
	case predAt:
		if q == qBid && c.how != howNamed && !r.verb {
			p.bad(c.from, c.to, "%s", reasons[whyLimit])
			return false
		}
		if not || q != qPrice && q != qAsk && q != qBid {
			p.bad(c.from, c.to, "a value without a comparator; say \"at most\", \"at least\", \"below\" or \"above\"")
			return false
		}
		c.cmp, c.plain = strategy.LTE, true
		p.assume(fieldCond+fieldID(k), "lte", "a price without a comparator is read as at most it")
	}
	if why != "" {
		p.assume(fieldCond+fieldID(k), n.String(), why)
	}
	p.addCond(c)
	return true
}

func flip(c comparison, not bool) comparison {
	if not {
		return negated(c)
	}
	return c
}

// addRange adds both bounds of a range.
func (p *parser) addRange(c cond, r predicate, q qty, not bool) bool {
	if not {
		p.bad(c.from, c.to, "outside a range cannot be read; say \"below … or above …\"")
		return false
	}
	lo, hi, why, ok := p.rangeOf(r, q, c.from, c.to)
	if !ok {
		return false
	}
	k := len(p.conds)
	c.n, c.cmp = lo, strategy.GTE
	p.addCond(c)
	p.push(elem{kind: eAnd, at: c.from})
	c.n, c.cmp = hi, strategy.LTE
	p.addCond(c)
	if why != "" {
		p.assume(fieldCond+fieldID(k), lo.String(), why)
		p.assume(fieldCond+fieldID(k+1), hi.String(), why)
	}
	return true
}

// rangeOf reads the ends of a range.
func (p *parser) rangeOf(r predicate, q qty, from, to int) (lo, hi strategy.Number, why string, ok bool) {
	v := p.x(r.at).v
	if v.unit == uDecade {
		if v.sub != 0 {
			p.bad(from, to, "which prices? say \"between 40c and 43c\"")
			return 0, 0, "", false
		}
		lo = number(v.n / 100)
		hi = lo + strategy.Cents(9)
		if r.hi != r.at {
			w := p.x(r.hi).v
			if w.unit != uDecade {
				p.bad(from, to, "the ends of this range are of two kinds")
				return 0, 0, "", false
			}
			hi = number(w.n/100) + strategy.Cents(9)
		}
		return lo, hi, fmt.Sprintf("%s is read as %s to %s", p.words(r.at, r.at+1), lo, hi), true
	}
	// A first number without a unit takes that of the second.
	first, second := p.x(r.at), p.x(r.hi)
	saved := first.v
	if first.v.unit == uNone && second.v.unit == uCent {
		first.v.unit = uCent
	}
	if first.v.unit == uCent && second.v.unit == uNone && second.v.n >= 2*micro {
		second.v.unit = uCent
	}
	if first.v.unit == uDollar && second.v.unit == uNone && second.v.n < micro {
		second.v.unit = uDollar
	}
	lo, why, ok = p.amount(r.at, q, from, to)
	first.v = saved
	if !ok {
		return
	}
	hi, why2, ok := p.amount(r.hi, q, from, to)
	if why2 != "" {
		why = why2
	}
	if lo > hi {
		lo, hi = hi, lo
	}
	return lo, hi, why, ok
}

// addChange adds a move within a look-back.
func (p *parser) addChange(c cond, r predicate, q qty, not bool) bool {
	if q != qPrice && q != qChange {
		p.bad(c.from, c.to, "only the price's own change can be compared; say \"price\"")
		return false
	}
	win := r.win
	if !r.hasWin {
		if !p.term.hasWin {
			p.badFor(c.from, c.to, fixWindow, "a change needs the time in which it happens; say \"in the last 2 minutes\"")
			return false
		}
		win = p.term.win
	} else if p.term.hasWin {
		p.bad(c.from, c.to, "two look-backs for one change")
		return false
	}
	if win.n%micro != 0 || win.n < micro {
		p.bad(c.from, c.to, "a look-back is whole seconds, at least 1")
		return false
	}
	n, why, ok := p.amount(r.at, qChange, c.from, c.to)
	if !ok {
		return false
	}
	c.typ, c.win = strategy.PriceChange, win
	k := len(p.conds)
	if why != "" {
		p.assume(fieldCond+fieldID(k), n.String(), why)
	}
	switch r.kind {
	case predStill:
		if !not {
			p.bad(c.from, c.to, "a move either way cannot be read; say \"risen by\" or \"fallen by\"")
			return false
		}
		lower, upper := strategy.GTE, strategy.LTE
		if r.cmp == cmpGTE {
			lower, upper = strategy.GT, strategy.LT
		}
		c.n, c.cmp = -n, lower
		p.addCond(c)
		p.push(elem{kind: eAnd, at: c.from})
		c.n, c.cmp = n, upper
	case predChange:
		at := r.cmp
		if c.n = n; !r.up {
			c.n, at = -n, mirroredCmp(at)
		}
		c.cmp = comparatorOf(flip(at, not))
	case predLevel:
		c.n, c.cmp = n, comparatorOf(flip(r.cmp, not))
	default:
		p.bad(c.from, c.to, "a change is compared with \"below\", \"above\", \"at most\" or \"at least\"")
		return false
	}
	p.addCond(c)
	return true
}

// mirroredCmp turns a comparison of a number into one of its negative.
func mirroredCmp(c comparison) comparison {
	switch c {
	case cmpLT:
		return cmpGT
	case cmpLTE:
		return cmpGTE
	case cmpGT:
		return cmpLT
	}
	return cmpLTE
}
