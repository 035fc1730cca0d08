package grammar

// timeOf makes a condition on the time.
func timeOf(q Quantity) action {
	return makes(mask(slotCmp, slotDur, slotFr), func(c *Cond, in *Meaning) bool {
		c.Qty, c.Num, c.Part = q, in.v[slotDur], int32(in.v[slotFr])
		return in.Has(slotCmp) && in.Has(slotDur) != in.Has(slotFr)
	})
}

var timeActions = map[string]action{
	"elapsed":   timeOf(Elapsed),
	"remaining": timeOf(Remaining),
	// The second half, the third quarter.
	"nthpart": whole(mask(slotOrd, slotFr), xBit, func(in, out *Meaning) bool {
		k, n, d := in.v[slotOrd]/micro, in.v[slotFr]/100, in.v[slotFr]%100
		list := []Cond{{Qty: Elapsed, Cmp: cmpGTE, Part: int32((k-1)*100 + d)}, {Qty: Elapsed, Cmp: cmpLTE, Part: int32(k*100 + d)}}
		switch k {
		case 1: // from the start on
			list = list[1:]
		case d: // to the end
			list = list[:1]
		}
		out.x = NewExpr(list, nil)
		return n == 1 && k >= 1 && k <= d && d > 1
	}),
}

var bookActions = map[string]action{
	"depth": makes(mask(slotQty, slotCmp, slotUSD, slotN), func(c *Cond, in *Meaning) bool {
		c.Num = in.v[slotUSD] + in.v[slotN]
		return (c.Qty == AskDepth || c.Qty == BidDepth) && in.Has(slotCmp) && in.Has(slotUSD) != in.Has(slotN)
	}),
	// The same bound on the depth of the bids and of the asks.
	"bothsidesdepth": whole(mask(slotCmp, slotUSD, slotN), xBit, func(in, out *Meaning) bool {
		c := Cond{Qty: BidDepth, Cmp: int8(in.v[slotCmp]), Num: in.v[slotUSD] + in.v[slotN]}
		d := c
		d.Qty = AskDepth
		out.x = NewExpr([]Cond{c, d}, nil)
		return in.Has(slotCmp) && in.Has(slotUSD) != in.Has(slotN) && in.x == nil
	}),
	// The depth's crossing of an amount.
	"crossing": eachCond(0, func(c *Cond, _ *Meaning) bool {
		c.Cmp = map[int8]int8{cmpGT: cmpAbove, cmpLT: cmpBelow}[c.Cmp]
		return c.Cmp != 0
	}),
	// Bids r times the asks, or the asks r times the bids: a share of the bids or, where
	// the asks come first in the parts, of theirs. Without r more of one than of the other.
	"ratio": parts(mask(slotQty, slotCmp, slotTimes, slotN, slotNum), xBit, func(list []*Meaning, out *Meaning) bool {
		q, cmp, r := numbers(list, slotQty), numbers(list, slotCmp), numbers(list, slotTimes, slotN, slotNum)
		c := Cond{Qty: Imbalance, Cmp: cmpGT, Num: micro / 2}
		if len(r) == 1 && r[0] > 0 {
			c.Cmp, c.Num = cmpGTE, (r[0]*20_000+r[0]+micro)/(2*(r[0]+micro))*100 // rounded to four decimals
		}
		if len(cmp) == 1 {
			c.Cmp = int8(cmp[0])
		}
		switch {
		case len(cmp) > 1, len(r) > 1, len(r) == 1 && r[0] <= 0:
			return false
		case len(q) == 1 && Quantity(q[0]) == bidAskRatio:
		case len(q) != 2 || bookSides[Quantity(q[0])]+bookSides[Quantity(q[1])] != 3:
			return false
		case bookSides[Quantity(q[0])] == 2:
			c.Num, c.Cmp = micro-c.Num, mirroredCmp(c.Cmp)
		}
		out.x = one(c)
		return true
	}),
}

// bookSides are the sides of the book by what is compared: 1 the bids, 2 the asks.
var bookSides = map[Quantity]int{Bid: 1, BidDepth: 1, Ask: 2, AskDepth: 2}
