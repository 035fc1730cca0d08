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
	"range":      rangeOf(NoQuantity, closedEnds, 0),
	"openrange":  rangeOf(NoQuantity, openEnds, 0),
	"interval":   rangeOf(NoQuantity, writtenEnds, 0),
	"bothsides":  rangeOf(NoQuantity, chainedEnds, 0),
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
		NoQuantity: mask(slotNum), Elapsed: mask(slotDur, slotUnit, slotN, slotOrd), Remaining: mask(slotDur, slotUnit, slotN, slotOrd),
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
		if look := numbers(list, slotDur); q == Change && len(look) == 1 {
			c.Win = look[0]
		}
		if of := numbers(list, slotQty); q == anyDepth && len(of) == 1 {
			c.Qty = Quantity(of[0])
		}
		out.x = c.between(e, n, cmp)
		return out.x != nil && (q != anyDepth || c.Qty == AskDepth || c.Qty == BidDepth)
	})
}

// between is the range of two numbers and two comparators in the order they are
// written, nil where they are none.
func (c *Cond) between(e ends, n, cmp []int64) *Expr {
	lo, hi := *c, *c
	lo.Cmp, lo.Num, hi.Cmp, hi.Num = int8(cmp[0]), n[0], int8(cmp[1]), n[1]
	if e == chainedEnds {
		lo.Cmp = mirroredCmp(lo.Cmp)
	}
	if lo.Cmp < cmpGT || c.Qty == Remaining && e == closedEnds && lo.Num > hi.Num { // 0.40 > x > 0.30; 4 minutes to 1 minute left
		lo.Num, lo.Cmp, hi.Num, hi.Cmp = hi.Num, max(lo.Cmp, hi.Cmp), lo.Num, min(lo.Cmp, hi.Cmp)
	}
	if lo.Cmp < cmpGT || hi.Cmp > cmpLTE || lo.Num >= hi.Num || lo.Num <= 0 && e == closedEnds && c.Qty != Change {
		return nil
	}
	return NewExpr([]Cond{lo, hi}, nil)
}

// bounds are the numbers of the parts as bounds of a quantity, in order; a bare one
// counts units of so many seconds where no part has a unit.
func bounds(list []*Meaning, q Quantity, unit int64) []int64 {
	for _, k := range list {
		if k.Has(slotUnit) {
			unit = k.v[slotUnit]
		}
	}
	var out []int64
	for _, k := range list {
		switch v := &k.v; {
		case q.isTime() && k.mask&mask(slotDur, slotN, slotOrd) != 0: // one of them
			out = append(out, v[slotDur]+v[slotN]*unit+v[slotOrd]*60)
		case q == anyDepth && k.mask&mask(slotUSD, slotN) != 0:
			out = append(out, v[slotUSD]+v[slotN])
		case (q == NoQuantity || q == Change) && k.Has(slotNum):
			out = append(out, signed(k))
		}
	}
	return out
}

// signed is a number with its sign.
func signed(m *Meaning) int64 {
	if m.Has(slotNeg) {
		return -m.v[slotNum]
	}
	return m.v[slotNum]
}
