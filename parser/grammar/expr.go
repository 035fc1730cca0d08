package grammar

import (
	"iter"
	"slices"
)

// Quantity is what a condition compares.
type Quantity int8

// Quantities. NoQuantity is read as the price.
const (
	NoQuantity Quantity = iota
	Price
	Ask
	Bid
	Spread
	AskDepth
	BidDepth
	anyDepth // depth without a side yet
	Imbalance
	bidAskRatio
	Change
	Elapsed
	Remaining
)

// Cond is a condition that may still lack its subject.
type Cond struct {
	Qty Quantity
	Tok int8 // SideUp, SideDown, or one of the tokens; 0: not named
	Cmp int8 // 1 lt, 2 lte, 3 gt, 4 gte, 5 crosses above, 6 crosses below
	// Bare: no comparator was written.
	Bare bool
	// Part is a part of the round in the place of Num: num × 100 + den.
	Part int32
	Num  int64 // dollars or seconds in 1e-6
	Win  int64 // look-back of a Change, seconds in 1e-6

	// better: "or better" was written: at most a price that is paid, at least a bid;
	// denied: a time behind "not"; reached: of a price that is got to from either side.
	better, denied, reached bool
	// Closed: in brackets; not part of what it says.
	Closed bool
}

// IsTime reports whether the condition is on the time in the market.
func (c *Cond) IsTime() bool { return c.Qty.isTime() }

// IsDenied reports whether the condition is a time behind a negation.
func (c *Cond) IsDenied() bool { return c.denied }

// IsLate reports whether the condition is a time from which on it holds.
func (c *Cond) IsLate() bool {
	return c.Qty == Elapsed && c.isLower() || c.Qty == Remaining && c.isUpper()
}

// isLower and isUpper report whether the condition bounds from below or above.
func (c *Cond) isLower() bool { return c.Cmp == cmpGT || c.Cmp == cmpGTE || c.Cmp == cmpAbove }
func (c *Cond) isUpper() bool { return c.Cmp == cmpLT || c.Cmp == cmpLTE || c.Cmp == cmpBelow }

// IsUnwanted reports whether a condition asks for what nobody wants of a book: a wide spread, or little depth.
func (c *Cond) IsUnwanted() bool {
	return c.Qty == Spread && c.isLower() || (c.Qty == AskDepth || c.Qty == BidDepth) && c.isUpper()
}

// Faces reports whether a bound that names no quantity may be the other end of a range of the
// ask or the bid.
func (c *Cond) Faces(d *Cond) bool {
	return (c.Qty == Ask || c.Qty == Bid) && d.Qty == NoQuantity && d.Tok == 0 && (c.isLower() && d.isUpper() || c.isUpper() && d.isLower())
}

// Wider reports whether the condition is met wherever another one is.
func (c Cond) Wider(d Cond) bool {
	same := max(c.Qty, Price) == max(d.Qty, Price) && c.Tok == d.Tok && c.Win == d.Win && c.Part == d.Part
	return same && (c.isLower() && d.isLower() && c.Num <= d.Num || c.isUpper() && d.isUpper() && c.Num >= d.Num)
}

// Away reports whether the condition is a move away from a token: the other one rises,
// or has a price that is not bounded from above, or this one falls.
func (c *Cond) Away(tok int8) bool {
	other := c.Tok == SideDown && tok == SideUp || c.Tok == SideUp && tok == SideDown
	switch c.Qty {
	case Change:
		return other && c.Num > 0 && c.isLower() || !other && c.Num < 0 && c.isUpper()
	case Price:
		return other && !c.isUpper()
	}
	return false
}

func (q Quantity) isTime() bool { return q == Elapsed || q == Remaining }

// isDepth reports whether a quantity is in dollars, which no price is.
func (q Quantity) isDepth() bool { return q == AskDepth || q == BidDepth || q == anyDepth }

func (c *Cond) hash() uint64 {
	h := uint64(c.Qty) | uint64(c.Tok)<<8 | uint64(c.Cmp)<<16 | uint64(uint32(c.Part))<<24
	for bit, is := range [...]bool{c.Bare, c.better, c.reached} {
		if is {
			h |= 1 << (60 + bit)
		}
	}
	return mix(mix(h)+uint64(c.Num)*0x9E3779B97F4A7C15+mix(uint64(c.Win)+7)) | 1
}

// Expr is a condition in the form that the object has: all of some, and at
// least one of some groups. It is never changed once made.
type Expr struct {
	All  []Cond
	Any  [][]Cond
	hash uint64
}

// NewExpr returns an expression, which takes ownership of the slices.
func NewExpr(all []Cond, groups [][]Cond) *Expr {
	e := &Expr{All: all, Any: groups, hash: sum(all)}
	if len(groups) > 0 {
		h := uint64(99)
		for _, g := range groups {
			h += mix(sum(g))
		}
		e.hash += mix(h)
	}
	return e
}

func sum(list []Cond) (h uint64) {
	for i := range list {
		h += list[i].hash()
	}
	return h
}

func one(c Cond) *Expr { return NewExpr([]Cond{c}, nil) }

// maxConds is more conditions than a strategy can have, with the times that are
// folded into them: it bounds the work.
const maxConds = 16

// And joins two expressions; nil where both have alternatives, or there are too
// many conditions.
func And(a, b *Expr) *Expr {
	if len(a.Any) > 0 && len(b.Any) > 0 || len(a.All)+len(b.All) > maxConds {
		return nil
	}
	return NewExpr(slices.Concat(a.All, b.All), slices.Concat(a.Any, b.Any))
}

// Ends returns how many ends of the time in the market the conditions that must all hold
// have: of two the wider says nothing.
func (e *Expr) Ends() int {
	ends := map[int64]bool{}
	if e == nil {
		return 0
	}
	for i := range e.All {
		if c := &e.All[i]; c.Qty == Elapsed && c.isUpper() && c.Part == 0 {
			ends[c.Num] = true
		}
	}
	return len(ends)
}

// groups is e as alternatives.
func (e *Expr) groups() [][]Cond {
	if len(e.Any) == 0 {
		return [][]Cond{e.All}
	}
	out := make([][]Cond, 0, len(e.Any))
	for _, g := range e.Any {
		out = append(out, slices.Concat(e.All, g))
	}
	return out
}

func or(a, b *Expr) *Expr { return NewExpr(nil, slices.Concat(a.groups(), b.groups())) }

// negated is the expression that holds exactly where e does not; nil where the
// object cannot say it.
func (e *Expr) negated() *Expr {
	n := e.eachNegated()
	switch {
	case n == nil, len(n.Any) > 0 && len(n.All) > 0:
		return nil
	case len(n.All) == 1:
		return n
	}
	var all []Cond
	for _, g := range n.Any {
		if len(g) != 1 {
			return nil
		}
		all = append(all, g[0])
	}
	return NewExpr(all, slices.Collect(slices.Chunk(n.All, 1)))
}

// eachNegated is e with the opposite of each condition; nil where one has none.
func (e *Expr) eachNegated() *Expr {
	return e.each(func(c *Cond) (ok bool) {
		*c, ok = c.negated()
		return ok
	})
}

// negated is the opposite of a condition; crossings and bare prices have none.
// "Not in the first N" begins at N, "not after N" ends at N.
func (c Cond) negated() (Cond, bool) {
	if c.Cmp > cmpGTE || c.Bare {
		return c, false
	}
	c.denied = c.IsTime()
	if c.Qty == Elapsed && (c.Cmp == cmpLTE || c.Cmp == cmpGTE) {
		c.Cmp = cmpLTE + cmpGTE - c.Cmp
		return c, true
	}
	c.Cmp = negatedCmp(c.Cmp)
	return c, true
}

func negatedCmp(c int8) int8 {
	return [...]int8{0, cmpGTE, cmpGT, cmpLTE, cmpLT, cmpAbove, cmpBelow}[c]
}

// mirroredCmp is the comparator with its sides exchanged.
func mirroredCmp(c int8) int8 {
	return [...]int8{0, cmpGT, cmpGTE, cmpLT, cmpLTE, cmpBelow, cmpAbove}[c]
}

// each returns e with every condition changed; nil where f says no.
func (e *Expr) each(f func(*Cond) bool) *Expr {
	all, groups := slices.Clone(e.All), make([][]Cond, len(e.Any))
	for i, g := range e.Any {
		groups[i] = slices.Clone(g)
	}
	for c := range (&Expr{All: all, Any: groups}).Walk() {
		if !f(c) {
			return nil
		}
	}
	return NewExpr(all, groups)
}

// Walk goes through the conditions, those of the alternatives last; e may be nil.
func (e *Expr) Walk() iter.Seq[*Cond] {
	return func(yield func(*Cond) bool) {
		if e == nil {
			return
		}
		for _, g := range append([][]Cond{e.All}, e.Any...) {
			for i := range g {
				if !yield(&g[i]) {
					return
				}
			}
		}
	}
}

// Every reports whether f holds for every condition; e may be nil.
func (e *Expr) Every(f func(*Cond) bool) bool {
	for c := range e.Walk() {
		if !f(c) {
			return false
		}
	}
	return true
}

// single is the one condition that e consists of, nil where it is more or less; e
// may be nil.
func (e *Expr) single() *Cond {
	if e == nil || len(e.Any) > 0 || len(e.All) != 1 {
		return nil
	}
	return &e.All[0]
}

// grouped reports whether the alternatives, if there are any, stand in brackets; e
// may be nil.
func (e *Expr) grouped() bool { return e == nil || len(e.Any) == 0 || e.Any[0][0].Closed }

// openTime reports whether a time is among the conditions that is not in
// brackets.
func (e *Expr) openTime() bool {
	return !e.Every(func(c *Cond) bool { return !c.IsTime() || c.Closed })
}

// onlyTimes reports whether all conditions are on the time and none is an
// alternative.
func (e *Expr) onlyTimes() bool { return len(e.Any) == 0 && e.Every((*Cond).IsTime) }
