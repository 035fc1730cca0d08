package grammar

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

	// better: "or better" was written: at most a price that is paid, at least a bid.
	better bool
	// Closed: in brackets; not part of what it says.
	Closed bool
}

// IsTime reports whether the condition is on the time in the market.
func (c *Cond) IsTime() bool { return c.Qty.isTime() }

// isLower and isUpper report whether the condition bounds from below or above.
func (c *Cond) isLower() bool { return c.Cmp == cmpGT || c.Cmp == cmpGTE || c.Cmp == cmpAbove }
func (c *Cond) isUpper() bool { return c.Cmp == cmpLT || c.Cmp == cmpLTE || c.Cmp == cmpBelow }

func (q Quantity) isTime() bool { return q == Elapsed || q == Remaining }

func (c *Cond) hash() uint64 {
	h := uint64(c.Qty) | uint64(c.Tok)<<8 | uint64(c.Cmp)<<16 | uint64(uint32(c.Part))<<24
	if c.Bare {
		h |= 1 << 60
	}
	if c.better {
		h |= 1 << 61
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
	e := &Expr{All: all, Any: groups}
	for i := range all {
		e.hash += all[i].hash()
	}
	if len(groups) > 0 {
		h := uint64(0)
		for _, g := range groups {
			gh := uint64(0)
			for i := range g {
				gh += g[i].hash()
			}
			h += mix(gh)
		}
		e.hash += mix(h + 99)
	}
	return e
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
	all := append(append([]Cond(nil), a.All...), b.All...)
	groups := a.Any
	if len(groups) == 0 {
		groups = b.Any
	}
	return NewExpr(all, groups)
}

// groups is a as alternatives.
func (e *Expr) groups() [][]Cond {
	if len(e.Any) == 0 {
		return [][]Cond{e.All}
	}
	if len(e.All) == 0 {
		return e.Any
	}
	out := make([][]Cond, 0, len(e.Any))
	for _, g := range e.Any {
		out = append(out, append(append([]Cond(nil), e.All...), g...))
	}
	return out
}

func or(a, b *Expr) *Expr {
	return NewExpr(nil, append(append([][]Cond(nil), a.groups()...), b.groups()...))
}

// negated is the expression that holds exactly where e does not; nil where the
// object cannot say it.
func (e *Expr) negated() *Expr {
	if len(e.Any) > 0 && len(e.All) > 0 {
		return nil
	}
	if len(e.Any) > 0 {
		var all []Cond
		for _, g := range e.Any {
			if len(g) != 1 {
				return nil
			}
			c, ok := g[0].negated()
			if !ok {
				return nil
			}
			all = append(all, c)
		}
		return NewExpr(all, nil)
	}
	var gs [][]Cond
	for _, c := range e.All {
		n, ok := c.negated()
		if !ok {
			return nil
		}
		gs = append(gs, []Cond{n})
	}
	if len(gs) == 1 {
		return NewExpr(gs[0], nil)
	}
	return NewExpr(nil, gs)
}

// negated is the opposite of a condition; crossings and bare prices have none.
// "Not in the first N" begins at N, "not after N" ends at N.
func (c Cond) negated() (Cond, bool) {
	if c.Cmp > cmpGTE || c.Bare {
		return c, false
	}
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
	all := append([]Cond(nil), e.All...)
	for i := range all {
		if !f(&all[i]) {
			return nil
		}
	}
	var groups [][]Cond
	for _, g := range e.Any {
		g = append([]Cond(nil), g...)
		for i := range g {
			if !f(&g[i]) {
				return nil
			}
		}
		groups = append(groups, g)
	}
	return NewExpr(all, groups)
}

// Walk calls f for every condition.
func (e *Expr) Walk(f func(*Cond)) {
	if e == nil {
		return
	}
	for i := range e.All {
		f(&e.All[i])
	}
	for _, g := range e.Any {
		for i := range g {
			f(&g[i])
		}
	}
}

// openTime reports whether a time is among the conditions that is not in
// brackets.
func (e *Expr) openTime() bool {
	found := false
	e.Walk(func(c *Cond) { found = found || c.IsTime() && !c.Closed })
	return found
}
