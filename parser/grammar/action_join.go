package grammar

import (
	"cmp"
	"slices"
)

var joinActions = map[string]action{
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
		return in.x != nil && len(in.x.Any) == 0 && in.x.all(func(c *Cond) bool {
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
		case x.single() == nil && !x.all(func(c *Cond) bool { return !c.denied }):
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
	// "Up below 35c or Down below 35c": either side.
	"eithersame": parts(xBit|mask(slotTok), xBit|mask(SlotSide), func(list []*Meaning, out *Meaning) bool {
		xs := exprs(list)
		if t := numbers(list, slotTok); len(t) != 2 || t[0]+t[1] != SideUp+SideDown || len(xs) != 2 || xs[0].hash != xs[1].hash {
			return false
		}
		out.x = xs[0]
		out.Set(SlotSide, SideEither)
		return true
	}),
	// A price corrects the one of the condition before it.
	// Conditions without a word before them hint at what is bought, and
	// alternatives among them are noted.
	"hints": onConds(0, mask(SlotHint, SlotBareOr), func(_, out *Meaning, x *Expr) *Expr {
		if len(x.Any) > 0 && len(x.All) == 0 {
			out.Set(SlotBareOr, 1)
		}
		t := int8(0)
		one := x.all(func(c *Cond) bool {
			t = cmp.Or(t, c.Tok)
			return c.Tok == t || c.Tok == 0 || c.IsTime()
		})
		if (t == SideUp || t == SideDown) && one {
			out.Set(SlotHint, int64(t))
		}
		return x
	}),
}

// onConds makes an action on the conditions; there is no reading where there
// are none, or f returns nil.
func onConds(reads, writes uint64, f func(in, out *Meaning, x *Expr) *Expr) action {
	return whole(reads|xBit, writes|xBit, func(in, out *Meaning) bool {
		if in.x != nil {
			out.x = f(in, out, in.x)
		}
		return out.x != nil
	})
}

// eachCond makes an action on every condition.
func eachCond(reads uint64, f func(c *Cond, in *Meaning) bool) action {
	return onConds(reads, 0, func(in, _ *Meaning, x *Expr) *Expr {
		return x.each(func(c *Cond) bool { return f(c, in) })
	})
}

// gapped reports whether the second of two alternatives lacks the verb of the
// first: "crosses above 40c or below 30c".
func gapped(a, b *Expr) bool {
	return len(a.All) == 1 && len(b.All) == 1 && a.All[0].Cmp > cmpGTE && b.All[0].Cmp <= cmpGTE && b.All[0].Tok == 0 && b.All[0].Qty == NoQuantity
}

// exprs are the conditions of the parts that have some.
func exprs(list []*Meaning) []*Expr {
	out := make([]*Expr, 0, 2)
	for _, k := range list {
		if k.x != nil {
			out = append(out, k.x)
		}
	}
	return out
}

// attach gives a condition its subject; false where it has another.
func (c *Cond) attach(tok int8, qty Quantity) bool {
	switch {
	case c.IsTime():
		return true
	case qty == Elapsed || qty == Remaining, tok != 0 && c.Tok != 0 && c.Tok != tok:
		return false
	case tok != 0:
		c.Tok = tok
	}
	return c.attachQty(qty)
}

// attachQty gives a condition its quantity; dollars are no price.
func (c *Cond) attachQty(qty Quantity) bool {
	switch {
	case c.Qty == Change:
		return qty == NoQuantity || qty == Price || qty == Change
	case qty == NoQuantity:
	case c.Qty == NoQuantity && qty != AskDepth && qty != BidDepth:
		if !c.of(qty) {
			return false
		}
	case c.Qty != qty:
		return false
	}
	return !c.Bare || c.Qty <= Ask
}

// of sets what a price is compared with, and with it what "or better" means;
// false where nothing says which is better, and for a time.
func (c *Cond) of(qty Quantity) bool {
	if c.Qty = qty; qty.isTime() {
		return false
	}
	if !c.better {
		return true
	}
	if qty == Bid {
		c.Cmp = cmpGTE
	}
	return qty <= Spread
}

// sideOf says what is bought, in a slot.
func sideOf(slot Slot, keep bool) action {
	return whole(mask(slotTok), mask(slot, slotTok), func(in, out *Meaning) bool {
		t := in.v[slotTok]
		switch {
		case in.Has(SlotFav):
			out.Set(slot, SideEither)
			return true
		case !in.Has(slotTok):
			return out.Has(slot)
		case keep:
			out.Set(slotTok, t)
		}
		if out.Set(slot, t); t == TokPron {
			out.Set(slot, SideIt)
		}
		return t != TokOther && t != TokHeld
	})
}

var sideActions = map[string]action{
	"side": sideOf(SlotSide, false),
	"soft": sideOf(SlotSoft, true),
	// What is not to be bought at some price is what is bought at others.
	"avoided": whole(0, mask(SlotSellTok), func(in, out *Meaning) bool { out.Set(SlotSellTok, in.v[slotTok]); return in.v[slotTok] <= SideDown }),
	// "Up or Down"
	"twotok": parts(mask(slotTok), 0, func(list []*Meaning, _ *Meaning) bool {
		t := numbers(list, slotTok)
		return len(t) == 2 && t[0]+t[1] == SideUp+SideDown
	}),
	// A token that is not bought, beside the one that is.
	"notside": parts(mask(slotTok), mask(SlotNotSide), func(list []*Meaning, out *Meaning) bool {
		t := numbers(list, slotTok)
		out.Set(SlotNotSide, t[0])
		return len(t) == 1 && t[0] <= SideDown
	}),
}

var exitActions = map[string]action{
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
	// "sell if it is below x": a stop, or above: a target.
	"soldif": whole(xBit|mask(slotTok), mask(SlotTP, SlotSL, SlotSellTok), soldIf),
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
	"neghold": turned(SlotHold, SlotHold, func(v int64) (int64, bool) { return HoldYes + HoldNo - v, true }),
	// An exit's comparator says how long at most.
	"atmost": test(mask(slotCmp), func(in *Meaning) bool { return in.v[slotCmp] <= cmpLTE }),
	// An exit's comparator must agree with it.
	"cmpup": test(mask(slotCmp, slotDir), func(in *Meaning) bool {
		return (!in.Has(slotCmp) || in.v[slotCmp] >= cmpGT) && in.v[slotDir] != SideDown
	}),
	"cmpdown": test(mask(slotCmp, slotDir), func(in *Meaning) bool { return in.v[slotCmp] <= cmpLTE && in.v[slotDir] != SideUp }),
}

// soldAtTwo says the higher of two prices as the target and the lower as the
// stop; false where they are not two.
func (m *Meaning) soldAtTwo(n []int64) bool {
	if len(n) != 2 || n[0] == n[1] {
		return false
	}
	m.Set(SlotTP, max(n[0], n[1]))
	m.Set(SlotSL, min(n[0], n[1]))
	return true
}

func soldIf(in, out *Meaning) bool {
	c := in.x.single()
	if c == nil || c.Bare || c.Qty != NoQuantity && c.Qty != Price && c.Qty != Bid || c.Tok != 0 && in.Has(slotTok) {
		return false
	}
	switch tok := int64(c.Tok) + in.v[slotTok]; tok {
	case SideUp, SideDown, TokOther:
		out.Set(SlotSellTok, tok)
	}
	slot := SlotTP
	if c.isUpper() {
		slot = SlotSL
	}
	out.Set(slot, c.Num)
	return true
}
