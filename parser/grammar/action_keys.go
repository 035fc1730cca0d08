package grammar

var keyActions = map[string]action{
	// The same bound on the depth of the bids and of the asks.
	"bothsidesdepth": whole(mask(slotCmp, slotUSD, slotN), xBit, func(in, out *Meaning) bool {
		c := Cond{Qty: BidDepth, Cmp: int8(in.v[slotCmp]), Num: in.v[slotUSD] + in.v[slotN]}
		d := c
		d.Qty = AskDepth
		out.x = NewExpr([]Cond{c, d}, nil)
		return in.Has(slotCmp) && in.Has(slotUSD) != in.Has(slotN) && in.x == nil
	}),
	// "60 s <= elapsed": the comparator the other way round; a bare number counts
	// seconds.
	"mirrorT": whole(mask(slotCmp, slotN, slotDur), mask(slotCmp, slotDur), func(in, out *Meaning) bool {
		out.Set(slotCmp, int64(mirroredCmp(int8(in.v[slotCmp]))))
		out.Set(slotDur, in.v[slotDur]+in.v[slotN])
		return in.Has(slotDur) != in.Has(slotN)
	}),
	// A time as a condition to sell on.
	"timeexit": whole(xBit, mask(SlotExitBefore, SlotExitAt, SlotHold), func(in, out *Meaning) bool {
		switch c := in.x.single(); {
		case c == nil || c.Part != 0:
			return false
		case c.Qty == Remaining && c.Cmp <= cmpLTE:
			out.Set(SlotExitBefore, c.Num)
			out.Set(SlotHold, HoldNo)
		case c.Qty == Elapsed && (c.Cmp == cmpGT || c.Cmp == cmpGTE):
			out.Set(SlotExitAt, c.Num)
		default:
			return false
		}
		return true
	}),
	// The window of bounds on a change.
	"chgwindow": eachCond(mask(slotDur, slotQty), func(c *Cond, in *Meaning) bool { c.Win = in.v[slotDur]; return in.Has(slotDur) }),
	"crosskey": turned(slotCmp, slotCmp, func(c int64) (int64, bool) {
		if c <= cmpLTE {
			return cmpBelow, true
		}
		return cmpAbove, true
	}),
	"fields": whole(mask(slotQty, slotTok, slotCmp, slotNum, slotNeg, slotN, slotUSD, slotDur), xBit, fieldsCond),
}

// fieldsCond makes a condition of its fields.
func fieldsCond(in, out *Meaning) bool {
	c := Cond{Qty: Quantity(in.v[slotQty]), Cmp: int8(in.v[slotCmp]), Tok: int8(in.v[slotTok]), Num: in.v[slotNum]}
	ok := in.Has(slotNum)
	switch c.Qty {
	case Change:
		c.Win = in.v[slotDur]
		if in.Has(slotNeg) {
			c.Num = -c.Num
		}
		ok = ok && in.Has(slotDur)
	case Elapsed, Remaining, AskDepth, BidDepth:
		c.Num = in.v[slotN] + in.v[slotUSD]
		ok = !ok && in.Has(slotN) != in.Has(slotUSD) && (!c.IsTime() || in.mask&mask(slotUSD, slotDur, slotTok) == 0)
	case anyDepth, bidAskRatio:
		ok = false
	}
	need := mask(slotQty, slotCmp)
	ok = ok && in.x == nil && in.mask&need == need && (c.Qty == Change || !in.Has(slotNeg))
	out.x = one(c)
	if in.Has(slotDur) && c.Qty != Change {
		out.x = And(out.x, one(Cond{Qty: Elapsed, Cmp: cmpLTE, Num: in.v[slotDur]}))
	}
	return ok
}
