package grammar

// ends says how the ends of a range are written.
type ends int8

const (
	closedEnds  ends = iota // from a to b
	openEnds                // strictly between a and b
	writtenEnds             // [a, b): each has its comparator
	chainedEnds             // a < x <= b: the first comparator stands the other way round
)

var rangeActions = map[string]action{
	"range":      rangeOf(Price, closedEnds, 0),
	"openrange":  rangeOf(Price, openEnds, 0),
	"interval":   rangeOf(Price, writtenEnds, 0),
	"bothsides":  rangeOf(Price, chainedEnds, 0),
	"spanE":      rangeOf(Elapsed, closedEnds, 0),
	"spanEm":     rangeOf(Elapsed, closedEnds, 60),
	"spanEs":     rangeOf(Elapsed, closedEnds, 1),
	"intervalE":  rangeOf(Elapsed, writtenEnds, 1),
	"chainE":     rangeOf(Elapsed, chainedEnds, 1),
	"spanR":      rangeOf(Remaining, closedEnds, 0),
	"spanRs":     rangeOf(Remaining, closedEnds, 1),
	"intervalR":  rangeOf(Remaining, writtenEnds, 1),
	"chainR":     rangeOf(Remaining, chainedEnds, 1),
	"chgrange":   rangeOf(Change, closedEnds, 0),
	"chgbounds":  rangeOf(Change, writtenEnds, 0),
	"chgchain":   rangeOf(Change, chainedEnds, 0),
	"bothdepths": rangeOf(anyDepth, chainedEnds, 0),
}

// rangeOf makes a range of two bounds of a quantity, a depth that of the parts.
// A bare number counts units of so many seconds as the other bound, else bare.
func rangeOf(q Quantity, e ends, bare int64) action {
	reads := map[Quantity]uint64{
		Price: mask(slotNum), Elapsed: mask(slotDur, slotUnit, slotN, slotOrd), Remaining: mask(slotDur, slotUnit, slotN, slotOrd),
		Change: mask(slotNum, slotNeg, slotDur, slotUnit, slotQty), anyDepth: mask(slotUSD, slotN, slotQty),
	}[q]
	return parts(reads|mask(slotCmp), xBit, func(list []*Meaning, out *Meaning) bool {
		n, cmp, c := bounds(list, q, bare), numbers(list, slotCmp), Cond{Qty: q}
		switch {
		case e == closedEnds && len(cmp) == 0:
			cmp = []int64{cmpGTE, cmpLTE}
		case e == openEnds:
			cmp = []int64{cmpGT, cmpLT}
		}
		if len(n) != 2 || len(cmp) != 2 {
			return false
		}
		if !c.ranged(list) {
			return false
		}
		lo, hi := c.between(e, n, cmp)
		out.x = NewExpr([]Cond{lo, hi}, nil)
		return lo.Cmp >= cmpGT && hi.Cmp <= cmpLTE && lo.Num < hi.Num && (lo.Num > 0 || q == Change || e != closedEnds)
	})
}

// ranged gives a range what the parts say of its quantity: the look-back of a
// change, the side of a depth; false where that is missing.
func (c *Cond) ranged(list []*Meaning) bool {
	w, of := numbers(list, slotDur), numbers(list, slotQty)
	switch c.Qty {
	case Price:
		c.Qty = NoQuantity
	case Change:
		if len(w) == 1 {
			c.Win = w[0]
		}
	case anyDepth:
		if len(of) != 1 {
			return false
		}
		c.Qty = Quantity(of[0])
		return c.Qty == AskDepth || c.Qty == BidDepth
	}
	return true
}

// between returns the lower and the upper bound of a range, of two numbers and
// two comparators in the order they are written.
func (c *Cond) between(e ends, n, cmp []int64) (lo, hi Cond) {
	lo, hi = *c, *c
	lo.Cmp, lo.Num, hi.Cmp, hi.Num = int8(cmp[0]), n[0], int8(cmp[1]), n[1]
	if e == chainedEnds {
		lo.Cmp = mirroredCmp(lo.Cmp)
	}
	if lo.Cmp < cmpGT || c.Qty == Remaining && e == closedEnds && lo.Num > hi.Num { // 0.40 > x > 0.30; 4 minutes to 1 minute left
		lo.Num, lo.Cmp, hi.Num, hi.Cmp = hi.Num, max(lo.Cmp, hi.Cmp), lo.Num, min(lo.Cmp, hi.Cmp)
	}
	return lo, hi
}

// bounds are the numbers of the parts as bounds of a quantity, in order.
func bounds(list []*Meaning, q Quantity, unit int64) []int64 {
	var out []int64
	for _, k := range list {
		if k.Has(slotUnit) {
			unit = k.v[slotUnit]
		}
	}
	for _, k := range list {
		if v, ok := k.bound(q, unit); ok {
			out = append(out, v)
		}
	}
	return out
}

// bound is a part's number as a bound of a quantity, a bare one in units of so
// many seconds; false where the part has none.
func (m *Meaning) bound(q Quantity, unit int64) (int64, bool) {
	v := &m.v
	switch {
	case q.isTime(): // one of them
		return v[slotDur] + v[slotN]*unit + v[slotOrd]*60, m.Has(slotDur) || m.Has(slotN) || m.Has(slotOrd)
	case q == anyDepth:
		return v[slotUSD] + v[slotN], m.Has(slotUSD) || m.Has(slotN)
	case m.Has(slotNeg):
		return -v[slotNum], true
	}
	return v[slotNum], m.Has(slotNum)
}
