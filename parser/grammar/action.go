package grammar

import (
	"maps"

	"github.com/ladderback/ladderback/parser/lexicon"
)

const micro = lexicon.Micro

// action is what a production does besides unifying its parts. It consumes
// what it reads: the engine takes those slots away, so that what no action
// consumes and no field takes keeps an item from being built.
type action struct {
	reads  uint64
	writes uint64
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
				out.take(r)
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

// actions are the named actions of the tables. It is constant in spirit.
var actions = func() map[string]action {
	out := map[string]action{}
	for _, group := range []map[string]action{numberActions, compareActions, rangeActions, timeActions, bookActions, joinActions, sideActions, exitActions, keyActions} {
		maps.Copy(out, group)
	}
	return out
}()

// counted makes an action that takes a number for a time, in units of so many
// seconds.
func counted(seconds int64, of ...Slot) action {
	return whole(mask(of...), mask(slotDur), func(in, out *Meaning) bool {
		n := int64(0)
		for _, s := range of {
			n += in.v[s]
		}
		out.Set(slotDur, n*seconds)
		return n > 0
	})
}

var numberActions = map[string]action{
	// A bare number of 2 to 99 is cents.
	"cents": whole(mask(slotN), mask(slotNum), func(in, out *Meaning) bool {
		n := in.v[slotN]
		out.Set(slotNum, n/100)
		return n >= 2*micro && n <= 99*micro
	}),
	// Half, a quarter: of a dollar.
	"fracprice": whole(mask(slotFr), mask(slotNum), func(in, out *Meaning) bool {
		n, d := in.v[slotFr]/100, in.v[slotFr]%100
		if d < 2 || d > 4 || micro*n%d != 0 {
			return false
		}
		out.Set(slotNum, micro*n/d)
		return true
	}),
	// An ordinal names a part of the round: the third of it.
	"ordpart": whole(mask(slotOrd), mask(slotFr), func(in, out *Meaning) bool {
		n := in.v[slotOrd] / micro
		out.Set(slotFr, 100+n)
		return n >= 2 && n <= 12
	}),
	// A bare number or an ordinal counts minutes, or seconds.
	"minutes": counted(60, slotN, slotOrd),
	"hours":   counted(3600, slotN, slotOrd),
	"seconds": counted(1, slotN),
	// The nth minute begins after n − 1 minutes.
	"minutestart": whole(mask(slotOrd), mask(slotDur), func(in, out *Meaning) bool {
		n := in.v[slotOrd] - micro
		out.Set(slotDur, n*60)
		return n > 0
	}),
	// "the first minute and a half"
	"minutehalf": whole(mask(slotFr), mask(slotDur), func(in, out *Meaning) bool {
		out.Set(slotDur, 90*micro)
		return in.v[slotFr] == 102
	}),
	// The last part counts: a correction.
	"second": parts(^uint64(0), 0, func(list []*Meaning, out *Meaning) bool { *out = *list[len(list)-1]; return true }),
	// The first part counts: what follows is denied.
	"first": parts(^uint64(0), 0, func(list []*Meaning, out *Meaning) bool { *out = *list[0]; return true }),
	// A duration as a length of market.
	"lenOf": whole(mask(slotDur), mask(SlotLen), func(in, out *Meaning) bool {
		s := in.v[slotDur] / micro
		out.Set(SlotLen, s)
		_, ok := lengthNames[s]
		return ok && in.v[slotDur]%micro == 0
	}),
}

// lengthNames are the lengths of market by their seconds.
var lengthNames = map[int64]string{300: "5m", 900: "15m", 3600: "1h", 14400: "4h", 86400: "1d"}

// LengthName returns the name of a market length, "" if there is none.
func LengthName(seconds int64) string { return lengthNames[seconds] }

var compareActions = map[string]action{
	// A comparison that lacks its subject.
	"pred": whole(mask(slotCmp, slotNum, slotQty, slotDir, slotBetter), xBit, func(in, out *Meaning) bool {
		c := Cond{Cmp: int8(in.v[slotCmp]), Num: in.v[slotNum], better: in.Has(slotBetter)}
		ok := c.of(Quantity(in.v[slotQty]))
		out.x = one(c)
		return ok && in.Has(slotCmp) && in.Has(slotNum) && in.x == nil
	}),
	// Where a price stands is neither better nor worse: that is said of what is paid.
	"nobetter": whole(0, 0, func(_, out *Meaning) bool {
		ok := true
		out.x.Walk(func(c *Cond) { ok = ok && !c.better })
		return ok
	}),
	// A price without a comparator is the most that is paid.
	"bare": whole(mask(slotNum, slotQty), xBit, func(in, out *Meaning) bool {
		out.x = one(Cond{Cmp: cmpLTE, Num: in.v[slotNum], Qty: Quantity(in.v[slotQty]), Bare: true})
		return in.Has(slotNum) && in.x == nil
	}),
	// A verb of moving with "to" a price.
	"moved": whole(mask(slotDir, slotNum), xBit, func(in, out *Meaning) bool {
		cmp := int8(cmpGTE)
		if d := in.v[slotDir]; d == SideDown || d == dirTo && in.v[slotNum] < micro/2 {
			cmp = cmpLTE
		}
		out.x = one(Cond{Cmp: cmp, Num: in.v[slotNum]})
		return in.Has(slotDir) && in.x == nil
	}),
	"cross": whole(mask(slotCmp, slotNum, slotDir), xBit, func(in, out *Meaning) bool {
		up := in.v[slotCmp] >= cmpGT || in.v[slotDir] == SideUp
		if in.v[slotDir] == dirTo {
			up = in.v[slotNum] >= micro/2
			in.Drop(slotDir)
		} else if in.Has(slotCmp) && in.Has(slotDir) && (in.v[slotCmp] >= cmpGT) != (in.v[slotDir] == SideUp) || !in.Has(slotCmp) && !in.Has(slotDir) {
			return false
		}
		cmp := int8(cmpBelow)
		if up {
			cmp = cmpAbove
		}
		out.x = one(Cond{Cmp: cmp, Num: in.v[slotNum]})
		return in.Has(slotNum)
	}),
	// Up, down, higher and lower as directions.
	"dirtok": whole(mask(slotTok), mask(slotDir), func(in, out *Meaning) bool {
		out.Set(slotDir, in.v[slotTok])
		return in.v[slotTok] == SideUp || in.v[slotTok] == SideDown
	}),
	// Up or down by an amount: half a dollar is none.
	"isup":   whole(mask(slotDir, slotTok), 0, func(in, _ *Meaning) bool { return in.v[slotDir]+in.v[slotTok] == SideUp && in.v[slotNum] < micro/2 }),
	"isdown": whole(mask(slotDir, slotTok), 0, func(in, _ *Meaning) bool { return in.v[slotDir]+in.v[slotTok] == SideDown && in.v[slotNum] < micro/2 }),
	"small":  whole(0, 0, func(_, out *Meaning) bool { return out.v[slotNum] < micro/2 }),
	// A price that may be where a token is; less is rather how far it went.
	"level": whole(0, 0, func(_, out *Meaning) bool { return out.v[slotNum] >= 3*micro/10 }),
	"decade": whole(mask(slotDecade), xBit, func(in, out *Meaning) bool {
		lo, hi := decadeBounds(in.v[slotDecade])
		out.x = NewExpr([]Cond{{Cmp: cmpGTE, Num: lo}, {Cmp: cmpLTE, Num: hi}}, nil)
		return true
	}),
	"negcmp": whole(mask(slotCmp), mask(slotCmp), func(in, out *Meaning) bool {
		out.Set(slotCmp, int64(negatedCmp(int8(in.v[slotCmp]))))
		return in.Has(slotCmp)
	}),
	// "40c is above it": the comparator the other way round.
	"mirror": whole(mask(slotCmp), mask(slotCmp), func(in, out *Meaning) bool {
		out.Set(slotCmp, int64(mirroredCmp(int8(in.v[slotCmp]))))
		return in.Has(slotCmp)
	}),
	// A change of the price within a window.
	"change": whole(mask(slotNum, slotDir, slotCmp, slotDur, slotQty), xBit, func(in, out *Meaning) bool {
		c := Cond{Qty: Change, Cmp: cmpGTE, Num: in.v[slotNum], Win: in.v[slotDur]}
		if in.Has(slotCmp) {
			c.Cmp = int8(in.v[slotCmp])
		}
		if in.v[slotDir] == SideDown {
			c.Num, c.Cmp = -c.Num, mirroredCmp(c.Cmp)
		}
		out.x = one(c)
		return (in.v[slotDir] == SideUp || in.v[slotDir] == SideDown) && in.Has(slotDur) && in.v[slotNum] > 0 && plainQty(in) && in.x == nil
	}),
	// "has not moved more than x in N": between −x and x. With "moved at least",
	// strictly between.
	"still": whole(mask(slotNum, slotDir, slotCmp, slotDur, slotQty), xBit, func(in, out *Meaning) bool {
		out.x = within(in, in.v[slotCmp] == cmpGTE)
		return (!in.Has(slotCmp) || in.v[slotCmp] == cmpGT || in.v[slotCmp] == cmpGTE) && !in.Has(slotDir) && in.Has(slotDur) && plainQty(in)
	}),
	// "price change in 2 minutes is at most −5c"
	"changeof": whole(mask(slotNum, slotNeg, slotCmp, slotDur, slotQty), xBit, func(in, out *Meaning) bool {
		n := in.v[slotNum]
		if in.Has(slotNeg) {
			n = -n
		}
		out.x = one(Cond{Qty: Change, Cmp: int8(in.v[slotCmp]), Num: n, Win: in.v[slotDur]})
		return in.Has(slotCmp) && in.Has(slotDur) && in.x == nil
	}),
}

// within is a change between −x and x, strictly or not.
func within(in *Meaning, strictly bool) *Expr {
	lo, hi, n, w := int8(cmpGTE), int8(cmpLTE), in.v[slotNum], in.v[slotDur]
	if strictly {
		lo, hi = cmpGT, cmpLT
	}
	return NewExpr([]Cond{{Qty: Change, Cmp: lo, Num: -n, Win: w}, {Qty: Change, Cmp: hi, Num: n, Win: w}}, nil)
}

func plainQty(in *Meaning) bool {
	q := Quantity(in.v[slotQty])
	return q == NoQuantity || q == Price || q == Change
}

// decadeBounds are the prices of "the 40s", or of a part of it.
func decadeBounds(v int64) (lo, hi int64) {
	lo = v / 10 * 10_000
	hi = lo + 90_000
	switch v % 10 {
	case 1:
		hi = lo + 30_000
	case 2:
		lo, hi = lo+40_000, lo+60_000
	case 3:
		lo += 70_000
	}
	return lo, hi
}
