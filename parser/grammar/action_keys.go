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
	// A time as a condition to sell on.
	"timeexit": whole(xBit, mask(SlotExitBefore, SlotExitAt, SlotHold), func(in, out *Meaning) bool {
		c := in.x.single()
		if c == nil || c.Part != 0 {
			return false
		}
		if c.Qty == Elapsed {
			out.Set(SlotExitAt, c.Num)
		} else {
			out.Set(SlotExitBefore, c.Num)
			out.Set(SlotHold, HoldNo)
		}
		return true
	}),
	// The window of bounds on a change.
	"chgwindow": eachCond(mask(slotDur, slotQty), func(c *Cond, in *Meaning) bool { c.Win = in.v[slotDur]; return in.Has(slotDur) }),
}
