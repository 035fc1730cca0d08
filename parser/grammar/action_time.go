package grammar

// timeOf makes a condition on the time.
func timeOf(q Quantity) action {
	return whole(mask(slotCmp, slotDur, slotFr), xBit, func(in, out *Meaning) bool {
		c := Cond{Qty: q, Cmp: int8(in.v[slotCmp]), Num: in.v[slotDur], Part: int32(in.v[slotFr])}
		out.x = one(c)
		return in.Has(slotCmp) && in.Has(slotDur) != in.Has(slotFr) && in.x == nil
	})
}

var timeActions = map[string]action{
	"elapsed":   timeOf(Elapsed),
	"remaining": timeOf(Remaining),
	// The second half, the third quarter.
	"nthpart": whole(mask(slotOrd, slotFr), xBit, func(in, out *Meaning) bool {
		k, n, d := in.v[slotOrd]/micro, in.v[slotFr]/100, in.v[slotFr]%100
		if n != 1 || k < 1 || k > d {
			return false
		}
		var list []Cond
		if k > 1 {
			list = append(list, Cond{Qty: Elapsed, Cmp: cmpGTE, Part: int32((k-1)*100 + d)})
		}
		if k < d {
			list = append(list, Cond{Qty: Elapsed, Cmp: cmpLTE, Part: int32(k*100 + d)})
		}
		out.x = NewExpr(list, nil)
		return true
	}),
}

var bookActions = map[string]action{
	"depth": whole(mask(slotQty, slotCmp, slotUSD, slotN), xBit, func(in, out *Meaning) bool {
		q := Quantity(in.v[slotQty])
		out.x = one(Cond{Qty: q, Cmp: int8(in.v[slotCmp]), Num: in.v[slotUSD] + in.v[slotN]})
		return (q == AskDepth || q == BidDepth) && in.Has(slotCmp) && in.Has(slotUSD) != in.Has(slotN) && in.x == nil
	}),
	// The depth's crossing of an amount.
	"crossing": eachCond(0, func(c *Cond, _ *Meaning) bool {
		to := map[int8]int8{cmpGT: cmpAbove, cmpLT: cmpBelow}[c.Cmp]
		c.Cmp = to
		return to != 0
	}),
	// "depth" with "on the ask".
	"depthside": parts(mask(slotQty), mask(slotQty), func(list []*Meaning, out *Meaning) bool {
		depth, side := false, Quantity(0)
		for _, n := range numbers(list, slotQty) {
			switch q := Quantity(n); q {
			case anyDepth:
				depth = true
			case Ask, AskDepth:
				side = AskDepth
			case Bid, BidDepth:
				side = BidDepth
			default:
				return false
			}
		}
		out.Set(slotQty, int64(side))
		return depth && side != 0
	}),
	// More bids than asks: an imbalance above one half.
	"ratioone": parts(mask(slotQty, slotCmp), xBit, func(list []*Meaning, out *Meaning) bool {
		q := numbers(list, slotQty)
		c := Cond{Qty: Imbalance, Cmp: cmpGT, Num: micro / 2}
		if cmp := numbers(list, slotCmp); len(cmp) == 1 {
			c.Cmp = int8(cmp[0])
		}
		if len(q) != 2 || bookSide(q[0])+bookSide(q[1]) != 3 || Quantity(q[0]) == Bid && Quantity(q[1]) == Ask && list[0].Has(slotTok) {
			return false
		}
		if bookSide(q[0]) == 2 {
			c.Cmp = mirroredCmp(c.Cmp)
		}
		out.x = one(c)
		return true
	}),
	// Bids r times the asks, or the asks r times the bids: which comes first.
	"ratio": parts(mask(slotQty, slotCmp, slotTimes, slotN, slotNum), xBit, func(list []*Meaning, out *Meaning) bool {
		q, r := numbers(list, slotQty), numbers(list, slotTimes, slotN, slotNum)
		c := Cond{Qty: Imbalance, Cmp: cmpGTE}
		if cmp := numbers(list, slotCmp); len(cmp) == 1 {
			c.Cmp = int8(cmp[0])
		} else if len(cmp) > 1 {
			return false
		}
		if len(r) != 1 || r[0] <= 0 {
			return false
		}
		c.Num = (r[0]*20_000 + r[0] + micro) / (2 * (r[0] + micro)) * 100 // rounded to four decimals
		switch {
		case len(q) == 1 && Quantity(q[0]) == bidAskRatio:
		case len(q) == 2 && bookSide(q[0]) == 1 && bookSide(q[1]) == 2:
		case len(q) == 2 && bookSide(q[0]) == 2 && bookSide(q[1]) == 1:
			c.Num, c.Cmp = micro-c.Num, mirroredCmp(c.Cmp)
		default:
			return false
		}
		out.x = one(c)
		return true
	}),
}

// bookSide is 1 for the bids, 2 for the asks.
func bookSide(q int64) int {
	switch Quantity(q) {
	case Bid, BidDepth:
		return 1
	case Ask, AskDepth:
		return 2
	}
	return 0
}
