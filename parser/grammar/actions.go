package grammar

import (
	"cmp"
	"slices"
)

// actions are the named actions of the tables. They are constant in spirit.
var actions = func() map[string]action {
	out := map[string]action{
		// A bare number of 2 to 99 is cents.
		"cents": turned(slotN, slotNum, func(n int64) (int64, bool) { return n / 100, n >= 2*micro && n <= 99*micro }),
		// Half, a quarter: of a dollar.
		"fracprice": turned(slotFr, slotNum, func(fr int64) (int64, bool) {
			n, d := fr/100, max(fr%100, 1)
			return micro * n / d, d >= 2 && d <= 5 && micro*n%d == 0
		}),
		// An ordinal names a part of the round: the third of it.
		"ordpart": turned(slotOrd, slotFr, func(n int64) (int64, bool) { return 100 + n/micro, n >= 2*micro && n < 13*micro }),
		// The nth minute begins after n − 1 minutes.
		"minutestart": turned(slotOrd, slotDur, func(n int64) (int64, bool) { return (n - micro) * 60, n > micro }),
		// The last part counts: a correction.
		"second": parts(^uint64(0), ^uint64(0), func(list []*Meaning, out *Meaning) bool { *out = *list[len(list)-1]; return true }),
		// The first part counts: what follows is denied.
		"first": parts(^uint64(0), ^uint64(0), func(list []*Meaning, out *Meaning) bool { *out = *list[0]; return true }),
		// A token, and behind it or before it one that is denied: the other.
		"denied": parts(^uint64(0), ^uint64(0), func(list []*Meaning, out *Meaning) bool {
			*out = *list[0]
			return max(out.Get(SlotSide), out.Get(slotTok)) != list[len(list)-1].Get(slotTok)
		}),
		// Nothing that the parts say counts.
		"nil": parts(^uint64(0), 0, func([]*Meaning, *Meaning) bool { return true }),
		// A duration as a length of market.
		"lenOf": turned(slotDur, SlotLen, func(n int64) (int64, bool) {
			return n / micro, n%micro == 0 && LengthName(n/micro) != ""
		}),
		// A comparison that lacks its subject.
		"pred": makes(mask(slotCmp, slotNum, slotQty, slotDir, slotBetter), func(c *Cond, in *Meaning) bool {
			c.better = in.Has(slotBetter)
			return c.of(c.Qty) && in.Has(slotCmp) && in.Has(slotNum) && !c.Qty.isDepth()
		}),
		// A token has no time of its own.
		"notime": test(0, func(in *Meaning) bool { return in.x.Every(func(c *Cond) bool { return !c.IsTime() }) }),
		// Where a price stands is neither better nor worse: that is said of what is paid.
		"nobetter": test(0, func(in *Meaning) bool { return in.x.Every(func(c *Cond) bool { return !c.better }) }),
		// A price without a comparator is the most that is paid.
		"bare": makes(mask(slotNum, slotQty), func(c *Cond, in *Meaning) bool {
			c.Cmp, c.Bare = cmpLTE, true
			return in.Has(slotNum)
		}),
		// What is paid is the ask.
		"paid": makes(mask(slotCmp, slotNum, slotQty, slotBetter), func(c *Cond, in *Meaning) bool {
			if c.Qty = Ask; !in.Has(slotCmp) {
				c.Cmp = cmpLTE
			}
			return c.Num > 0
		}),
		// A verb of moving with "to" a price.
		"moved": makes(mask(slotDir, slotNum), func(c *Cond, in *Meaning) bool {
			_, down := c.ways(in)
			if c.Cmp, c.reached = cmpGTE, in.v[slotDir] == dirTo; down {
				c.Cmp = cmpLTE
			}
			return in.Has(slotDir)
		}),
		"cross": makes(mask(slotCmp, slotNum, slotDir), func(c *Cond, in *Meaning) bool {
			up, down := c.ways(in)
			if c.Cmp = cmpBelow; up {
				c.Cmp = cmpAbove
			}
			return up != down && in.Has(slotNum)
		}),
		// Up or down by an amount: half a dollar is none.
		"isup":   test(mask(slotDir, slotTok), func(in *Meaning) bool { return in.v[slotDir]+in.v[slotTok] == SideUp && in.v[slotNum] < micro/2 }),
		"isdown": test(mask(slotDir, slotTok), func(in *Meaning) bool { return in.v[slotDir]+in.v[slotTok] == SideDown && in.v[slotNum] < micro/2 }),
		"small":  test(0, func(in *Meaning) bool { return in.v[slotNum] < micro/2 }),
		// A price that may be where a token is; less is rather how far it went.
		"level": test(0, func(in *Meaning) bool { return in.v[slotNum] >= 3*micro/10 }),
		"decade": whole(mask(slotDecade), xBit, func(in, out *Meaning) bool {
			lo, hi := decadeBounds(in.v[slotDecade])
			out.x = NewExpr([]Cond{{Cmp: cmpGTE, Num: lo}, {Cmp: cmpLTE, Num: hi}}, nil)
			return true
		}),
		"negcmp": turned(slotCmp, slotCmp, func(c int64) (int64, bool) { return int64(negatedCmp(int8(c))), true }),
		// "40c is above it": the comparator the other way round.
		"mirror": turned(slotCmp, slotCmp, func(c int64) (int64, bool) { return int64(mirroredCmp(int8(c))), true }),
		// A change of the price within a window.
		"change": makes(mask(slotNum, slotDir, slotCmp, slotDur, slotQty), func(c *Cond, in *Meaning) bool {
			if !in.Has(slotCmp) {
				c.Cmp = cmpGTE
			}
			if in.v[slotDir] == SideDown {
				c.Num, c.Cmp = -c.Num, mirroredCmp(c.Cmp)
			}
			return (in.v[slotDir] == SideUp || in.v[slotDir] == SideDown) && in.v[slotNum] > 0 && c.changes(in)
		}),
		// "price change in 2 minutes is at most −5c"
		"changeof": makes(mask(slotNum, slotNeg, slotCmp, slotDur, slotQty), func(c *Cond, in *Meaning) bool {
			c.Num, c.Qty = signed(in), Change
			return c.changes(in) && in.Has(slotCmp)
		}),
		// A change either way: "absolute change over 60s at most 2c" is between −2c and 2c,
		// at least 2c is one of two, as if in brackets.
		"absof": whole(mask(slotNum, slotCmp, slotDur), xBit, func(in, out *Meaning) bool {
			hi := Cond{Cmp: int8(in.v[slotCmp]), Num: in.v[slotNum], Closed: true}
			if !in.Has(slotCmp) {
				hi.Cmp = cmpGTE
			}
			ok := hi.changes(in) && hi.Cmp <= cmpGTE
			lo := hi
			lo.Cmp, lo.Num = mirroredCmp(hi.Cmp), -hi.Num
			if out.x = NewExpr([]Cond{lo, hi}, nil); hi.isLower() {
				out.x = or(one(hi), one(lo))
			}
			return ok && hi.Num > 0
		}),
		"elapsed":   timeOf(Elapsed),
		"remaining": timeOf(Remaining),
		"span":      spanOf,
		// What ends at a point, it included.
		"ends":   eachCond(0, func(c *Cond, _ *Meaning) bool { c.Cmp = mirroredCmp(c.Cmp); return true }),
		"ofgone": test(0, func(in *Meaning) bool { return in.x.Every(func(c *Cond) bool { return c.Qty == Elapsed }) }),
		"ofleft": eachCond(0, func(c *Cond, _ *Meaning) bool { c.Qty = Remaining; return true }),
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
		"depth": makes(mask(slotQty, slotCmp, slotUSD, slotN), func(c *Cond, in *Meaning) bool {
			c.Num = in.v[slotUSD] + in.v[slotN]
			return (c.Qty == AskDepth || c.Qty == BidDepth) && in.Has(slotCmp) && in.Has(slotUSD) != in.Has(slotN)
		}),
		// The same bound on the depth of the bids and of the asks.
		"bothdepths": onConds(0, 0, func(_, _ *Meaning, x *Expr) *Expr {
			return And(x, x.each(func(c *Cond) bool { c.Qty = AskDepth; return true }))
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
		// Gives conditions their subject.
		"attach": eachCond(mask(slotTok, slotQty), func(c *Cond, in *Meaning) bool { return c.attach(int8(in.v[slotTok]), Quantity(in.v[slotQty])) }),
		// The same where some have one of their own.
		"attachfree": eachCond(mask(slotTok, slotQty), func(c *Cond, in *Meaning) bool {
			qty := Quantity(in.v[slotQty])
			if c.Qty != NoQuantity {
				qty = NoQuantity
			}
			return c.Tok != 0 || c.attach(int8(in.v[slotTok]), qty)
		}),
		// Conditions without a subject, behind the purchase, are of what is bought.
		"ofbought": eachCond(0, func(c *Cond, _ *Meaning) bool {
			if c.Tok == 0 && !c.IsTime() {
				c.Tok = TokHeld
			}
			return true
		}),
		// Times that are waited for: those that begin then.
		"begins": test(0, func(in *Meaning) bool {
			return in.x != nil && len(in.x.Any) == 0 && in.x.Every(func(c *Cond) bool {
				return c.Qty == Elapsed && c.Cmp >= cmpGT || c.Qty == Remaining && c.Cmp <= cmpLTE
			})
		}),
		"neg": onConds(0, 0, func(_, _ *Meaning, x *Expr) *Expr { return x.negated() }),
		// The same behind "unless", where a time may be of the exception or of the
		// entry.
		"except": onConds(0, mask(SlotLoose), func(_, out *Meaning, x *Expr) *Expr {
			if x.openTime() && !x.onlyTimes() {
				out.Set(SlotLoose, 1)
			}
			return x.negated()
		}),
		// What is avoided: of several times each, of anything else together; "and not …" is none of it.
		"negavoid": onConds(0, 0, func(_, _ *Meaning, x *Expr) *Expr {
			switch {
			case x.single() == nil && !x.Every(func(c *Cond) bool { return !c.denied }):
				return nil
			case x.onlyTimes() && x.single() == nil:
				return x.eachNegated()
			}
			return x.negated()
		}),
		"or": parts(xBit|mask(SlotComma), xBit|mask(SlotLoose), func(list []*Meaning, out *Meaning) bool {
			xs := exprs(list)
			if len(xs) != 2 {
				return false
			}
			if xs[1].openTime() && !xs[1].onlyTimes() && !xs[0].openTime() || list[0].Has(SlotComma) {
				out.Set(SlotLoose, 1)
			}
			out.x = or(xs[0], xs[1])
			return len(out.x.Any) <= 4 && !gapped(xs[0], xs[1])
		}),
		// The window of bounds on a change.
		"chgwindow": eachCond(mask(slotDur, slotQty), func(c *Cond, in *Meaning) bool { c.Win = in.v[slotDur]; return in.Has(slotDur) }),
		// What stands in brackets is said of itself.
		"closed": eachCond(0, func(c *Cond, _ *Meaning) bool { c.Closed = true; return true }),
		// One subject has one bound from below and one from above; what says more,
		// names its subject again.
		"onebound": onConds(0, 0, func(_, _ *Meaning, x *Expr) *Expr {
			for i, a := range x.All {
				if slices.ContainsFunc(x.All[:i], func(b Cond) bool {
					return a.Qty == b.Qty && a.Cmp <= cmpGTE && b.Cmp <= cmpGTE && a.isLower() == b.isLower() && a.Num != b.Num && !a.IsTime()
				}) {
					return nil
				}
			}
			return x
		}),
		// "A and B or C" is (A and B) or C: alternatives behind "and" stand in brackets.
		"tight": parts(0, 0, func(list []*Meaning, _ *Meaning) bool { return list[len(list)-1].x.grouped() }),
		// A time said of one condition: not of alternatives without brackets.
		"local": parts(0, 0, func(list []*Meaning, _ *Meaning) bool { return list[0].x.grouped() }),
		"isany": test(0, func(in *Meaning) bool { return in.x != nil && len(in.x.All) == 0 && len(in.x.Any) > 1 }),
		// "Up below 35c or Down below 35c": one condition of both.
		"same": parts(xBit, xBit, func(list []*Meaning, out *Meaning) bool {
			xs := exprs(list)
			out.x = xs[0]
			return len(xs) == 2 && xs[0].hash == xs[1].hash
		}),
		// Conditions without a word before them hint at what is bought, and
		// alternatives among them are noted.
		"hints": onConds(0, mask(SlotHint, SlotBareOr), func(_, out *Meaning, x *Expr) *Expr {
			if len(x.Any) > 0 && len(x.All) == 0 {
				out.Set(SlotBareOr, 1)
			}
			t := int8(0)
			one := x.Every(func(c *Cond) bool {
				t = cmp.Or(t, c.Tok)
				return c.Tok == t || c.Tok == 0 || c.IsTime()
			})
			if (t == SideUp || t == SideDown) && one {
				out.Set(SlotHint, int64(t))
			}
			return x
		}),
		"side": sideOf(SlotSide, false),
		"soft": sideOf(SlotSoft, true),
		// What is not to be bought at some price is what is bought at others.
		"avoided": whole(0, mask(SlotSellTok), func(in, out *Meaning) bool { out.Set(SlotSellTok, in.v[slotTok]); return in.v[slotTok] <= SideDown }),
		// "Up or Down"
		"twotok": parts(mask(slotTok), 0, func(list []*Meaning, _ *Meaning) bool {
			t := numbers(list, slotTok)
			return len(t) == 2 && t[0]+t[1] == SideUp+SideDown
		}),
		// A token, named twice.
		"sametok": parts(mask(slotTok), mask(slotTok), func(list []*Meaning, out *Meaning) bool {
			t := numbers(list, slotTok)
			out.Set(slotTok, t[0])
			return len(t) == 2 && t[0] == t[1]
		}),
		// A condition on one token, and the other, which is bought.
		"crosstok": parts(mask(slotTok)|xBit, mask(slotTok)|xBit, func(list []*Meaning, out *Meaning) bool {
			t, xs := numbers(list, slotTok), exprs(list)
			if len(t) != 2 || t[0]+t[1] != SideUp+SideDown || len(xs) != 1 {
				return false
			}
			out.x = xs[0].each(func(c *Cond) bool { c.Tok = TokOther; return !c.IsTime() })
			out.Set(slotTok, t[0])
			return out.x != nil
		}),
		// A token that is not bought, beside the one that is.
		"notside": parts(mask(slotTok), mask(SlotNotSide), func(list []*Meaning, out *Meaning) bool {
			t := numbers(list, slotTok)
			out.Set(SlotNotSide, t[0])
			return len(t) == 1 && t[0] <= SideDown
		}),
		// A price to sell at: a target or a stop where its comparator or its verb
		// says so, else as it turns out.
		"sold": whole(mask(slotNum, slotCmp, slotDir, slotBetter), mask(SlotSold, SlotTP, SlotSL), func(in, out *Meaning) bool {
			c := Cond{Cmp: int8(in.v[slotCmp])}
			up, down := c.isLower() || in.v[slotDir] == SideUp, c.isUpper() || in.v[slotDir] == SideDown
			slot := SlotSold
			switch {
			case up:
				slot = SlotTP
			case down:
				slot = SlotSL
			}
			out.Set(slot, in.v[slotNum])
			return in.Has(slotNum) && !(up && down)
		}),
		// Two prices to sell at: the higher is the target.
		"sold2": parts(mask(slotNum, SlotSold), mask(SlotTP, SlotSL), func(list []*Meaning, out *Meaning) bool {
			return out.soldAtTwo(numbers(list, slotNum, SlotSold))
		}),
		// "sell if it is below x": a stop, or above: a target; where it gets to x, as it
		// turns out, or as the word before it says.
		"soldif": soldIf(SlotSold), "stopif": soldIf(SlotSL), "targetif": soldIf(SlotTP),
		// One more exit behind the same word.
		"joinexit": parts(mask(SlotSold), mask(SlotSold, SlotTP, SlotSL), func(list []*Meaning, out *Meaning) bool {
			n := numbers(list, SlotSold)
			if len(n) == 1 {
				out.Set(SlotSold, n[0])
			}
			return len(n) < 2 || !out.Has(SlotTP) && !out.Has(SlotSL) && out.soldAtTwo(n)
		}),
		// "sell in the 70s": from its lower end on.
		"decadesold": turned(slotDecade, SlotSold, func(v int64) (int64, bool) {
			lo, _ := decadeBounds(v)
			return lo, true
		}),
		// A time as a condition to sell on.
		"timeexit": whole(xBit, mask(SlotExitBefore, SlotExitAt, SlotExitPart, SlotHold), func(in, out *Meaning) bool {
			c := in.x.single()
			switch part := int64(0); {
			case c == nil:
				return false
			case c.Part != 0:
				if part = int64(c.Part); c.Qty == Remaining { // a third left: at two thirds
					part = (part%100-part/100)*100 + part%100
				}
				out.Set(SlotExitPart, part)
			case c.Qty == Elapsed:
				out.Set(SlotExitAt, c.Num)
			default:
				out.Set(SlotExitBefore, c.Num)
				out.Set(SlotHold, HoldNo)
			}
			return true
		}),
		"neghold": turned(SlotHold, SlotHold, func(v int64) (int64, bool) { return HoldYes + HoldNo - v, true }),
		// An exit's comparator says how long at most.
		"atmost": test(mask(slotCmp, slotLate), func(in *Meaning) bool { return in.v[slotCmp] <= cmpLTE }),
		// An exit's comparator must agree with it.
		"cmpup": test(mask(slotCmp, slotDir), func(in *Meaning) bool {
			return (!in.Has(slotCmp) || in.v[slotCmp] >= cmpGT) && in.v[slotDir] != SideDown
		}),
		"cmpdown": test(mask(slotCmp, slotDir), func(in *Meaning) bool { return in.v[slotCmp] <= cmpLTE && in.v[slotDir] != SideUp }),
	}
	for name, q := range map[string]Quantity{"": NoQuantity, ":elapsed": Elapsed, ":remaining": Remaining, ":change": Change, ":depth": anyDepth} {
		for _, e := range [...]string{closedEnds, openEnds, writtenEnds, chainedEnds} {
			out[e+name] = rangeOf(q, e)
		}
	}
	return out
}()
