package grammar

// How the ends of a range are written: the names of the actions, with the quantity
// behind a colon where it is no price.
const (
	closedEnds  = "range"     // from a to b
	openEnds    = "openrange" // strictly between a and b
	writtenEnds = "interval"  // [a, b): each has its comparator
	chainedEnds = "chain"     // a < x <= b: the first comparator stands the other way round
)

// rangeReads are the slots of bounds by the quantity.
var rangeReads = map[Quantity]uint64{
	NoQuantity: mask(slotNum), Elapsed: mask(slotDur, slotUnit, slotN, slotOrd, slotLate), Remaining: mask(slotDur, slotUnit, slotN, slotOrd),
	Change: mask(slotNum, slotNeg, slotDur, slotUnit, slotQty), anyDepth: mask(slotUSD, slotN, slotQty),
}

// rangeOf makes a range of two bounds of a quantity, a depth that of the parts. A bare
// number counts units of so many seconds as the other bound, else as the rule says.
func rangeOf(q Quantity, ends string) action {
	return parts(rangeReads[q]|mask(slotCmp), xBit, func(list []*Meaning, out *Meaning) bool {
		n, cmp, c := bounds(list, q, out), numbers(list, slotCmp), Cond{Qty: q}
		switch {
		case ends == closedEnds && len(cmp) == 0:
			cmp = []int64{cmpGTE, cmpLTE}
		case ends == openEnds:
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
		out.x = c.between(ends, n, cmp)
		return out.x != nil && (q != anyDepth || c.Qty == AskDepth || c.Qty == BidDepth)
	})
}

// between is the range of two numbers and two comparators in the order they are
// written, nil where they are none.
func (c *Cond) between(ends string, n, cmp []int64) *Expr {
	lo, hi := *c, *c
	lo.Cmp, lo.Num, hi.Cmp, hi.Num = int8(cmp[0]), n[0], int8(cmp[1]), n[1]
	if ends == chainedEnds {
		lo.Cmp = mirroredCmp(lo.Cmp)
	}
	if lo.Cmp < cmpGT || c.Qty == Remaining && ends == closedEnds && lo.Num > hi.Num { // 0.40 > x > 0.30; 4 minutes to 1 minute left
		lo.Num, lo.Cmp, hi.Num, hi.Cmp = hi.Num, max(lo.Cmp, hi.Cmp), lo.Num, min(lo.Cmp, hi.Cmp)
	}
	if lo.Cmp < cmpGT || hi.Cmp > cmpLTE || lo.Num >= hi.Num || lo.Num <= 0 && ends == closedEnds && c.Qty != Change {
		return nil
	}
	return NewExpr([]Cond{lo, hi}, nil)
}

// bounds are the numbers of the parts as bounds of a quantity, in order; a bare one
// counts units of so many seconds as the last part that has a unit, else as out has.
func bounds(list []*Meaning, q Quantity, out *Meaning) (n []int64) {
	unit := int64(0)
	if q.isTime() {
		unit, _ = out.Take(slotUnit)
	}
	for _, k := range list {
		if k.Has(slotUnit) {
			unit = k.v[slotUnit]
		}
	}
	for _, k := range list {
		switch v := &k.v; {
		case q.isTime() && k.mask&mask(slotDur, slotN, slotOrd) != 0: // one of them
			n = append(n, v[slotDur]+v[slotN]*unit+v[slotOrd]*60)
		case q == anyDepth && k.mask&mask(slotUSD, slotN) != 0:
			n = append(n, v[slotUSD]+v[slotN])
		case (q == NoQuantity || q == Change) && k.Has(slotNum):
			n = append(n, signed(k))
		}
	}
	return n
}

// signed is a number with its sign.
func signed(m *Meaning) int64 {
	if m.Has(slotNeg) {
		return -m.v[slotNum]
	}
	return m.v[slotNum]
}

// spanOf is what two ends of a time say before it is known of which: in the order of the clock of
// either, against it of what is left.
var spanOf = parts(rangeReads[Elapsed], xBit, func(list []*Meaning, out *Meaning) bool {
	n, c := bounds(list, Elapsed, out), Cond{Qty: Elapsed}
	if len(n) != 2 {
		return false
	}
	if n[0] > n[1] {
		c.Qty = Remaining
	}
	out.x = c.between(closedEnds, n, []int64{cmpGTE, cmpLTE})
	return out.x != nil
})

// soldIf makes an exit of a condition on the price: of one that is reached from either
// side what slot says.
func soldIf(slot Slot) action {
	return whole(xBit|mask(slotTok), mask(SlotSold, SlotTP, SlotSL, SlotSellTok), func(in, out *Meaning) bool {
		c := in.x.single()
		if c == nil || c.Bare || c.denied || c.Qty != NoQuantity && c.Qty != Price && c.Qty != Bid || c.Tok != 0 && in.Has(slotTok) {
			return false
		}
		switch tok := int64(c.Tok) + in.v[slotTok]; tok {
		case SideUp, SideDown, TokOther:
			out.Set(SlotSellTok, tok)
		}
		switch {
		case c.reached:
			out.Set(slot, c.Num)
		case c.isUpper():
			out.Set(SlotSL, c.Num)
		default:
			out.Set(SlotTP, c.Num)
		}
		return true
	})
}
