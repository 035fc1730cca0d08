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
		read := func(s Slot) int64 {
			if reads&(1<<s) == 0 {
				return 0
			}
			return in.v[s]
		}
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

// actions are the named actions of the tables. It is constant in spirit.
var actions = func() map[string]action {
	out := map[string]action{}
	for _, group := range []map[string]action{numberActions, compareActions, rangeActions, timeActions, bookActions, joinActions, sideActions, exitActions} {
		maps.Copy(out, group)
	}
	return out
}()

var numberActions = map[string]action{
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
	// Nothing that the parts say counts.
	"nil": parts(^uint64(0), 0, func([]*Meaning, *Meaning) bool { return true }),
	// A duration as a length of market.
	"lenOf": turned(slotDur, SlotLen, func(n int64) (int64, bool) {
		return n / micro, n%micro == 0 && LengthName(n/micro) != ""
	}),
}

// lengthNames are the lengths of market by their seconds.
var lengthNames = map[int64]string{300: "5m", 900: "15m", 3600: "1h", 14400: "4h", 86400: "1d"}

// LengthName returns the name of a market length, "" if there is none.
func LengthName(seconds int64) string { return lengthNames[seconds] }

var compareActions = map[string]action{
	// A comparison that lacks its subject.
	"pred": makes(mask(slotCmp, slotNum, slotQty, slotDir, slotBetter), func(c *Cond, in *Meaning) bool {
		c.better = in.Has(slotBetter)
		return c.of(c.Qty) && in.Has(slotCmp) && in.Has(slotNum)
	}),
	// Where a price stands is neither better nor worse: that is said of what is paid.
	"nobetter": test(0, func(in *Meaning) bool { return in.x.all(func(c *Cond) bool { return !c.better }) }),
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
		if c.Cmp = cmpGTE; down {
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
}

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
	part := [...][2]int64{{0, 9}, {0, 3}, {4, 6}, {7, 9}}[v%10]
	ten := v / 10 * 10_000
	return ten + part[0]*10_000, ten + part[1]*10_000
}
