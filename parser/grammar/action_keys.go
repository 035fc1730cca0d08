package grammar

// chainOf makes a range of times of two with their comparators: those of an
// interval, or of a chain, whose first comparator stands the other way round.
// Bare numbers count seconds.
func chainOf(q Quantity, chain bool) action {
	return parts(mask(slotDur, slotUnit, slotN, slotCmp), xBit, func(list []*Meaning, out *Meaning) bool {
		unit := int64(1)
		var d []int64
		for _, k := range list {
			if k.Has(slotUnit) {
				unit = k.v[slotUnit]
			}
		}
		for _, k := range list {
			switch {
			case k.Has(slotDur):
				d = append(d, k.v[slotDur])
			case k.Has(slotN):
				d = append(d, k.v[slotN]*unit)
			}
		}
		x := between(d, numbers(list, slotCmp), chain)
		if x == nil {
			return false
		}
		out.x = x.each(func(c *Cond) bool { c.Qty = q; return true })
		return true
	})
}

// between is what two bounds with their comparators say; nil where they are no
// range. In a chain the first comparator stands the other way round.
func between(n, cmp []int64, chain bool) *Expr {
	if len(n) != 2 || len(cmp) != 2 {
		return nil
	}
	lo, hi := int8(cmp[0]), int8(cmp[1])
	if chain {
		lo = mirroredCmp(lo)
	}
	if lo < cmpGT && hi >= cmpGT { // 0.40 > price > 0.30
		lo, hi, n = hi, lo, []int64{n[1], n[0]}
	}
	if lo < cmpGT || hi > cmpLTE || n[0] >= n[1] {
		return nil
	}
	return NewExpr([]Cond{{Cmp: lo, Num: n[0]}, {Cmp: hi, Num: n[1]}}, nil)
}

// signedNumbers collects the prices of parts with their signs.
func signedNumbers(list []*Meaning) []int64 {
	var out []int64
	for _, k := range list {
		if k.Has(slotNum) {
			n := k.v[slotNum]
			if k.Has(slotNeg) {
				n = -n
			}
			out = append(out, n)
		}
	}
	return out
}

// rangeOfChange makes a range of changes of two amounts.
func rangeOfChange(chain bool) action {
	return parts(mask(slotNum, slotNeg, slotCmp, slotDur, slotUnit, slotQty), xBit, func(list []*Meaning, out *Meaning) bool {
		n, cmp, w := signedNumbers(list), numbers(list, slotCmp), numbers(list, slotDur)
		if len(cmp) == 0 {
			cmp = []int64{cmpGTE, cmpLTE}
		}
		x := between(n, cmp, chain)
		if x == nil || len(w) != 1 {
			return false
		}
		out.x = x.each(func(c *Cond) bool { c.Qty, c.Win = Change, w[0]; return true })
		return true
	})
}

var keyActions = map[string]action{
	"intervalE": chainOf(Elapsed, false),
	"intervalR": chainOf(Remaining, false),
	"chainE":    chainOf(Elapsed, true),
	"chainR":    chainOf(Remaining, true),
	// [0.30, 0.40)
	"interval": parts(mask(slotNum, slotCmp), xBit, func(list []*Meaning, out *Meaning) bool {
		out.x = between(numbers(list, slotNum), numbers(list, slotCmp), false)
		return out.x != nil
	}),
	// strictly between 20c and 30c
	"openrange": parts(mask(slotNum), xBit, func(list []*Meaning, out *Meaning) bool {
		out.x = between(numbers(list, slotNum), []int64{cmpGT, cmpLT}, false)
		return out.x != nil
	}),
	// The same bound on the depth of the bids and of the asks.
	"bothsidesdepth": whole(mask(slotCmp, slotUSD, slotN), xBit, func(in, out *Meaning) bool {
		c := Cond{Qty: BidDepth, Cmp: int8(in.v[slotCmp]), Num: in.v[slotUSD] + in.v[slotN]}
		d := c
		d.Qty = AskDepth
		out.x = NewExpr([]Cond{c, d}, nil)
		return in.Has(slotCmp) && in.Has(slotUSD) != in.Has(slotN) && in.x == nil
	}),
	// 200 <= bid depth <= 800
	"bothdepths": parts(mask(slotUSD, slotN, slotCmp, slotQty), xBit, func(list []*Meaning, out *Meaning) bool {
		q := numbers(list, slotQty)
		x := between(numbers(list, slotUSD, slotN), numbers(list, slotCmp), true)
		if x == nil || len(q) != 1 || Quantity(q[0]) != AskDepth && Quantity(q[0]) != BidDepth {
			return false
		}
		out.x = x.each(func(c *Cond) bool { c.Qty = Quantity(q[0]); return true })
		return true
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
		if in.x == nil || len(in.x.Any) > 0 || len(in.x.All) != 1 || in.x.All[0].Part != 0 {
			return false
		}
		switch c := in.x.All[0]; {
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
	"chgchain": rangeOfChange(true),
	"chgrange": rangeOfChange(false),
	// ">= −0.02 and <= 0.02": each with its own comparator.
	"chgbounds": parts(mask(slotNum, slotNeg, slotCmp), xBit, func(list []*Meaning, out *Meaning) bool {
		x := between(signedNumbers(list), numbers(list, slotCmp), false)
		if x == nil {
			return false
		}
		out.x = x.each(func(c *Cond) bool { c.Qty = Change; return true })
		return true
	}),
	// The window of such bounds.
	"chgwindow": whole(mask(slotDur, slotQty)|xBit, xBit, func(in, out *Meaning) bool {
		if in.x == nil || !in.Has(slotDur) {
			return false
		}
		out.x = in.x.each(func(c *Cond) bool { c.Win = in.v[slotDur]; return true })
		return true
	}),
	// "absolute change over 60s at most 2c": between −2c and 2c.
	"absof": whole(mask(slotNum, slotCmp, slotDur), xBit, func(in, out *Meaning) bool {
		lo, hi := int8(cmpGTE), int8(cmpLTE)
		if in.v[slotCmp] == cmpLT {
			lo, hi = cmpGT, cmpLT
		}
		n, w := in.v[slotNum], in.v[slotDur]
		out.x = NewExpr([]Cond{{Qty: Change, Cmp: lo, Num: -n, Win: w}, {Qty: Change, Cmp: hi, Num: n, Win: w}}, nil)
		return in.Has(slotCmp) && in.v[slotCmp] <= cmpLTE && in.Has(slotDur)
	}),
	"crosskey": whole(mask(slotCmp), mask(slotCmp), func(in, out *Meaning) bool {
		cmp := int64(cmpAbove)
		if in.v[slotCmp] <= cmpLTE {
			cmp = cmpBelow
		}
		out.Set(slotCmp, cmp)
		return in.Has(slotCmp)
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
