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
		switch w, of := numbers(list, slotDur), numbers(list, slotQty); {
		case q == Price:
			c.Qty = NoQuantity
		case q == Change && len(w) == 1:
			c.Win = w[0]
		case q == anyDepth && len(of) == 1 && (Quantity(of[0]) == AskDepth || Quantity(of[0]) == BidDepth):
			c.Qty = Quantity(of[0])
		case q == anyDepth:
			return false
		}
		lo, hi := c, c
		lo.Cmp, lo.Num, hi.Cmp, hi.Num = int8(cmp[0]), n[0], int8(cmp[1]), n[1]
		if e == chainedEnds {
			lo.Cmp = mirroredCmp(lo.Cmp)
		}
		if lo.Cmp < cmpGT || q == Remaining && e == closedEnds && lo.Num > hi.Num { // 0.40 > x > 0.30; 4 minutes to 1 minute left
			lo.Num, lo.Cmp, hi.Num, hi.Cmp = hi.Num, max(lo.Cmp, hi.Cmp), lo.Num, min(lo.Cmp, hi.Cmp)
		}
		out.x = NewExpr([]Cond{lo, hi}, nil)
		return lo.Cmp >= cmpGT && hi.Cmp <= cmpLTE && lo.Num < hi.Num && (lo.Num > 0 || q == Change || e != closedEnds)
	})
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
		switch v := &k.v; {
		case q == anyDepth && (k.Has(slotUSD) || k.Has(slotN)):
			out = append(out, v[slotUSD]+v[slotN])
		case (q == Price || q == Change) && k.Has(slotNeg):
			out = append(out, -v[slotNum])
		case (q == Price || q == Change) && k.Has(slotNum):
			out = append(out, v[slotNum])
		case q.isTime() && (k.Has(slotDur) || k.Has(slotN) || k.Has(slotOrd)): // one of them
			out = append(out, v[slotDur]+v[slotN]*unit+v[slotOrd]*60)
		}
	}
	return out
}
