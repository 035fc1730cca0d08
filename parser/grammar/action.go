package grammar

import (
	"cmp"

	"github.com/ladderback/ladderback/parser/lexicon"
)

const micro = lexicon.Micro

// action is what a production does besides unifying its parts. It consumes
// what it reads: the engine takes those slots away, so that what no action
// consumes and no field takes keeps an item from being built.
type action struct {
	reads, writes uint64 // masks of slots; a test holds what is written against it
	// parts: the slots read are not unified first, f looks at each part.
	parts bool
	f     func(parts []*Meaning, out *Meaning) bool
}

func mask(slots ...Slot) uint64 {
	m := uint64(0)
	for _, s := range slots {
		m |= 1 << s
	}
	return m
}

// whole makes an action on the unified meaning; in holds what it reads.
func whole(reads, writes uint64, f func(in, out *Meaning) bool) action {
	return action{reads: reads, writes: writes, f: func(_ []*Meaning, out *Meaning) bool {
		in := *out
		for r := range nSlots {
			if reads&(1<<r) != 0 {
				out.Take(r)
			}
		}
		if reads&xBit != 0 {
			out.x = nil
		}
		return f(&in, out)
	}}
}

// parts makes an action on each part.
func parts(reads, writes uint64, f func(parts []*Meaning, out *Meaning) bool) action {
	return action{reads: reads, writes: writes, parts: true, f: f}
}

// test makes an action that says nothing: there is no reading where f says no.
func test(reads uint64, f func(in *Meaning) bool) action {
	return whole(reads, 0, func(in, _ *Meaning) bool { return f(in) })
}

// turned makes an action that says in one slot what another says, as f turns it.
func turned(from, to Slot, f func(v int64) (int64, bool)) action {
	return whole(mask(from), mask(to), func(in, out *Meaning) bool {
		v, ok := f(in.v[from])
		out.Set(to, v)
		return ok && in.Has(from)
	})
}

// makes makes an action that says a condition: f gets it with the quantity, the
// comparator and the price that are read.
func makes(reads uint64, f func(c *Cond, in *Meaning) bool) action {
	return whole(reads, xBit, func(in, out *Meaning) bool {
		read := func(s Slot) int64 { return in.v[s] * int64(reads>>s&1) } // 0 for what it does not consume
		c := Cond{Qty: Quantity(read(slotQty)), Cmp: int8(read(slotCmp)), Num: read(slotNum)}
		ok := f(&c, in)
		out.x = one(c)
		return ok && in.x == nil
	})
}

// numbers collects what the parts say in a slot, in order.
func numbers(list []*Meaning, slots ...Slot) []int64 {
	var out []int64
	for _, k := range list {
		for _, s := range slots {
			if k.Has(s) {
				out = append(out, k.v[s])
			}
		}
	}
	return out
}

// lengthNames are the lengths of market by their seconds.
var lengthNames = map[int64]string{300: "5m", 900: "15m", 3600: "1h", 14400: "4h", 86400: "1d"}

// LengthName returns the name of a market length, "" if there is none.
func LengthName(seconds int64) string { return lengthNames[seconds] }

// ways reports which way a price goes: by where it is, where it is only reached, else
// by the comparator and the verb.
func (c *Cond) ways(in *Meaning) (up, down bool) {
	d := in.v[slotDir]
	if d == dirTo {
		return c.Num >= micro/2, c.Num < micro/2
	}
	return c.isLower() || d == SideUp, c.isUpper() || d == SideDown
}

// changes makes a condition on the price one on its change in the time that is
// said; false where none is, or it is not on the price.
func (c *Cond) changes(in *Meaning) bool {
	ok := in.Has(slotDur) && (c.Qty <= Price || c.Qty == Change)
	c.Qty, c.Win = Change, in.v[slotDur]
	return ok
}

// decadeBounds are the prices of "the 40s", or of its lower, middle or upper part.
func decadeBounds(v int64) (lo, hi int64) {
	part := [...][2]int64{{0, 9}, {0, 3}, {4, 6}, {7, 9}}[v%100]
	ten := v / 100 * 10_000
	return ten + part[0]*10_000, ten + part[1]*10_000
}

// timeOf makes a condition on the time.
func timeOf(q Quantity) action {
	return makes(mask(slotCmp, slotDur, slotFr, slotLate), func(c *Cond, in *Meaning) bool {
		c.Qty, c.Num, c.Part = q, in.v[slotDur], int32(in.v[slotFr])
		if in.Has(slotLate) && q == Remaining {
			c.Cmp = mirroredCmp(c.Cmp)
		}
		return in.Has(slotCmp) && in.Has(slotDur) != in.Has(slotFr)
	})
}

// bookSides are the sides of the book by what is compared: 1 the bids, 2 the asks.
var bookSides = map[Quantity]int{Bid: 1, BidDepth: 1, Ask: 2, AskDepth: 2}

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

// attach gives a condition its subject; false where it has another. Dollars are no
// price.
func (c *Cond) attach(tok int8, qty Quantity) bool {
	switch {
	case c.IsTime():
		return true
	case qty.isTime(), tok != 0 && c.Tok != 0 && c.Tok != tok:
		return false
	}
	c.Tok = cmp.Or(tok, c.Tok)
	switch {
	case c.Qty == Change:
		return qty <= Price || qty == Change
	case qty == NoQuantity, qty == c.Qty:
	case c.Qty != NoQuantity, qty == AskDepth, qty == BidDepth, !c.of(qty):
		return false
	}
	return !c.Bare || c.Qty <= Ask
}

// of sets what a price is compared with, and with it what "or better" means;
// false where nothing says which is better, and for a time.
func (c *Cond) of(qty Quantity) bool {
	if c.Qty = qty; c.better && qty == Bid {
		c.Cmp = cmpGTE
	}
	return !qty.isTime() && (!c.better || qty <= Spread)
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
